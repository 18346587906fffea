"""Lesson 07's choices: what is wrong in two reports, and why it doesn't show."""

from autograder.exercise import Misconception

LINE, BRACKET = "the line with the slip", "the bracket after ×4 closes behind"
PLACES = ("attention", "feed-forward", "the second norm", "the head")

FIRST_REPORT = (
    Misconception(
        "slip_in_sizes",
        {LINE: 1},
        "Line 1 is right: a width of 200, 100 tokens and 2 classes are the lab's sizes.",
    ),
    Misconception(
        "slip_in_attention",
        {LINE: 2},
        "Line 2 is right: three maps for queries, keys and values, one for the output, all with a bias.",
    ),
    Misconception(
        "slip_in_feed_forward",
        {LINE: 3},
        "Line 3 is right for the lab, where the hidden width is the width: two maps of 200 × 200 with "
        "biases.",
    ),
    Misconception(
        "slip_in_layer",
        {LINE: 4},
        "Line 4 is right: attention, feed-forward, and a scale and a shift for each of two norms.",
    ),
    Misconception(
        "slip_in_body",
        {LINE: 5},
        "Line 5 is right: tokens are looked up once, and four layers follow.",
    ),
    Misconception(
        "slip_in_heads",
        {LINE: 6},
        "Line 6 is right: one head has an output for each class, the other for each token of the vocabulary.",
    ),
    Misconception(
        "bracket_after_attention",
        {BRACKET: "attention"},
        "A bracket that closes after attention leaves three of the four feed-forward blocks out.",
    ),
    Misconception(
        "bracket_after_feed_forward",
        {BRACKET: "feed-forward"},
        "A bracket that closes after feed-forward leaves the second norm of three layers out.",
    ),
    Misconception(
        "bracket_after_head",
        {BRACKET: "the head"},
        "A bracket that closes after the head gives the model four heads, and a classifier of 989,608: the "
        "head stands once, after the layers.",
    ),
)

LINES = {f"line {number}": "right" for number in range(1, 7)} | {"line 3": "wrong", "line 4": "wrong"}
THIRD, FOURTH = "the 2 that line 3 needs counts", "the 2 that line 4 needs counts"
THINGS = ("heads", "matrices", "norms")

SECOND_REPORT = (
    Misconception(
        "embedding_called_wrong",
        {"line 1": "wrong"},
        "Line 1 is right: a vector of d_model numbers for each token, and no bias.",
    ),
    Misconception(
        "attention_called_wrong",
        {"line 2": "wrong"},
        "Line 2 is right: d · (d + 1) is a square map with its bias, three times and once more, and the "
        "heads change nothing.",
    ),
    Misconception(
        "feed_forward_called_right",
        {"line 3": "right"},
        "Line 3 is wrong: nothing in a feed-forward block depends on the number of heads, as you can see "
        "in the picture of a layer.",
    ),
    Misconception(
        "norms_called_right",
        {"line 4": "right"},
        "Line 4 is wrong: a layer's norms act on all features of a token, and their number has nothing "
        "to do with the heads.",
    ),
    Misconception(
        "body_called_wrong",
        {"line 5": "wrong"},
        "Line 5 is right: it multiplies the whole layer by n_layers, and the embedding by nothing.",
    ),
    Misconception(
        "head_called_wrong",
        {"line 6": "wrong"},
        "Line 6 is right: (d + 1) · n_out is a linear map with its bias.",
    ),
    Misconception(
        "third_counts_heads",
        {THIRD: "heads"},
        "In line 3 it is the heads that are wrong: feed-forward has two maps, whatever the heads.",
    ),
    Misconception(
        "third_counts_norms",
        {THIRD: "norms"},
        "Line 3 counts the feed-forward block, and each of its d · (d + 1) is a matrix with its bias.",
    ),
    Misconception(
        "fourth_counts_heads",
        {FOURTH: "heads"},
        "In line 4 it is the heads that are wrong: a layer has one norm for attention and one for "
        "feed-forward, whatever the heads.",
    ),
    Misconception(
        "fourth_counts_matrices",
        {FOURTH: "matrices"},
        "Line 4 counts norms, and no matrix is in them: 2 · d is one norm's scale and shift.",
    ),
)
