"""The first count."""

from autograder.entry import Entry

LINE, BRACKET = "the line with the slip", "the bracket after ×4 closes behind"


PLACES = ("attention", "feed-forward", "the second norm", "the head")


exercise = Entry(
    id="counting.first_report",
    title="The first count",
    points=2,
    difficulty=2,
    minutes=5,
    reference={LINE: 7, BRACKET: "the second norm"},
    options={LINE: [1, 2, 3, 4, 5, 6, 7], BRACKET: list(PLACES)},
)


exercise.choice(
    "slip_in_sizes",
    "Line 1 is right: a width of 200, 100 tokens and 2 classes are the lab's sizes.",
    {LINE: 1},
)
exercise.choice(
    "slip_in_attention",
    "Line 2 is right: three maps for queries, keys and values, one for the output, all with a bias.",
    {LINE: 2},
)
exercise.choice(
    "slip_in_feed_forward",
    "Line 3 is right for the lab, where the hidden width is the width: two maps of 200 × 200 with biases.",
    {LINE: 3},
)
exercise.choice(
    "slip_in_layer",
    "Line 4 is right: attention, feed-forward, and a scale and a shift for each of two norms.",
    {LINE: 4},
)
exercise.choice(
    "slip_in_body",
    "Line 5 is right: tokens are looked up once, and four layers follow.",
    {LINE: 5},
)
exercise.choice(
    "slip_in_heads",
    "Line 6 is right: one head has an output for each class, the other for each token of the vocabulary.",
    {LINE: 6},
)
exercise.choice(
    "bracket_after_attention",
    "A bracket that closes after attention leaves three of the four feed-forward blocks out.",
    {BRACKET: "attention"},
)
exercise.choice(
    "bracket_after_feed_forward",
    "A bracket that closes after feed-forward leaves the second norm of three layers out.",
    {BRACKET: "feed-forward"},
)
exercise.choice(
    "bracket_after_head",
    "A bracket that closes after the head gives the model four heads, and a classifier of 989,608: the "
    "head stands once, after the layers.",
    {BRACKET: "the head"},
)
