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


exercise.choice("slip_in_sizes", {LINE: 1}).says(
    "Line 1 is right: a width of 200, 100 tokens and 2 classes are the lab's sizes."
)
exercise.choice("slip_in_attention", {LINE: 2}).says(
    "Line 2 is right: three maps for queries, keys and values, one for the output, all with a bias."
)
exercise.choice("slip_in_feed_forward", {LINE: 3}).says(
    "Line 3 is right for the lab, where the hidden width is the width: two maps of 200 × 200 with biases."
)
exercise.choice("slip_in_layer", {LINE: 4}).says(
    "Line 4 is right: attention, feed-forward, and a scale and a shift for each of two norms."
)
exercise.choice("slip_in_body", {LINE: 5}).says(
    "Line 5 is right: tokens are looked up once, and four layers follow."
)
exercise.choice("slip_in_heads", {LINE: 6}).says(
    "Line 6 is right: one head has an output for each class, the other for each token of the vocabulary."
)
exercise.choice("bracket_after_attention", {BRACKET: "attention"}).says(
    "A bracket that closes after attention leaves three of the four feed-forward blocks out."
)
exercise.choice("bracket_after_feed_forward", {BRACKET: "feed-forward"}).says(
    "A bracket that closes after feed-forward leaves the second norm of three layers out."
)
exercise.choice("bracket_after_head", {BRACKET: "the head"}).says(
    "A bracket that closes after the head gives the model four heads, and a classifier of 989,608: there is "
    "one head, after the layers."
)
