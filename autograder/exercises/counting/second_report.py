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


exercise.choice("embedding_called_wrong", {"line 1": "wrong"}).says(
    "Line 1 is right: a vector of d_model numbers for each token, and no bias."
)
exercise.choice("attention_called_wrong", {"line 2": "wrong"}).says(
    "Line 2 is right: d · (d + 1) is a square map with its bias, three times and once more, and the heads "
    "change nothing."
)
exercise.choice("feed_forward_called_right", {"line 3": "right"}).says(
    "Line 3 is wrong: nothing in a feed-forward block depends on the number of heads, as you can see in "
    "the picture of a layer."
)
exercise.choice("norms_called_right", {"line 4": "right"}).says(
    "Line 4 is wrong: a layer's norms act on all features of a token, and their number has nothing to do "
    "with the heads."
)
exercise.choice("body_called_wrong", {"line 5": "wrong"}).says(
    "Line 5 is right: it multiplies the whole layer by n_layers, and the embedding by nothing."
)
exercise.choice("head_called_wrong", {"line 6": "wrong"}).says(
    "Line 6 is right: (d + 1) · n_out is a linear map with its bias."
)
exercise.choice("third_counts_heads", {THIRD: "heads"}).says(
    "In line 3 it is the heads that are wrong: feed-forward has two maps, whatever the heads."
)
exercise.choice("third_counts_norms", {THIRD: "norms"}).says(
    "Line 3 counts the feed-forward block, and each of its d · (d + 1) is a matrix with its bias."
)
exercise.choice("fourth_counts_heads", {FOURTH: "heads"}).says(
    "In line 4 it is the heads that are wrong: a layer has one norm for attention and one for "
    "feed-forward, whatever the heads."
)
exercise.choice("fourth_counts_matrices", {FOURTH: "matrices"}).says(
    "Line 4 counts norms, which have no matrix: 2 · d is one norm's scale and shift."
)
