"""The second count."""

from autograder.entry import Entry

LINES = {f"line {number}": "right" for number in range(1, 7)} | {"line 3": "wrong", "line 4": "wrong"}


THIRD, FOURTH = "the 2 that line 3 needs counts", "the 2 that line 4 needs counts"


THINGS = ("heads", "matrices", "norms")


exercise = Entry(
    id="counting.second_report",
    title="The second count",
    points=2,
    difficulty=2,
    minutes=5,
    reference=LINES | {THIRD: "matrices", FOURTH: "norms"},
    options={line: ["right", "wrong"] for line in LINES} | {slot: list(THINGS) for slot in (THIRD, FOURTH)},
)


exercise.choice(
    "embedding_called_wrong",
    "Line 1 is right: a vector of d_model numbers for each token, and no bias.",
    {"line 1": "wrong"},
)
exercise.choice(
    "attention_called_wrong",
    "Line 2 is right: d · (d + 1) is a square map with its bias, three times and once more, and the heads "
    "change nothing.",
    {"line 2": "wrong"},
)
exercise.choice(
    "feed_forward_called_right",
    "Line 3 is wrong: nothing in a feed-forward block depends on the number of heads, as you can see in "
    "the picture of a layer.",
    {"line 3": "right"},
)
exercise.choice(
    "norms_called_right",
    "Line 4 is wrong: a layer's norms act on all features of a token, and their number has nothing to do "
    "with the heads.",
    {"line 4": "right"},
)
exercise.choice(
    "body_called_wrong",
    "Line 5 is right: it multiplies the whole layer by n_layers, and the embedding by nothing.",
    {"line 5": "wrong"},
)
exercise.choice(
    "head_called_wrong",
    "Line 6 is right: (d + 1) · n_out is a linear map with its bias.",
    {"line 6": "wrong"},
)
exercise.choice(
    "third_counts_heads",
    "In line 3 it is the heads that are wrong: feed-forward has two maps, whatever the heads.",
    {THIRD: "heads"},
)
exercise.choice(
    "third_counts_norms",
    "Line 3 counts the feed-forward block, and each of its d · (d + 1) is a matrix with its bias.",
    {THIRD: "norms"},
)
exercise.choice(
    "fourth_counts_heads",
    "In line 4 it is the heads that are wrong: a layer has one norm for attention and one for "
    "feed-forward, whatever the heads.",
    {FOURTH: "heads"},
)
exercise.choice(
    "fourth_counts_matrices",
    "Line 4 counts norms, and no matrix is in them: 2 · d is one norm's scale and shift.",
    {FOURTH: "matrices"},
)
