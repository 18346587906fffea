"""The choice of lesson 02: a slip in a report's shapes, and what is to be said to each wrong option."""

from autograder.exercise import Misconception

LINE, SHAPE, COST = "line with the slip", "shape of QKᵀ", "cost of QKᵀ if it were n × d"

OPTIONS = {LINE: [1, 2, 3, 4, 5], SHAPE: ["n × n", "n × d", "d × d"], COST: ["n²d", "nd²", "nd"]}
RIGHT = {LINE: 2, SHAPE: "n × n", COST: "nd²"}

MISCONCEPTIONS = (
    Misconception(
        "slip_in_the_projections",
        {LINE: 1},
        "Line 1 is right: an n × d matrix times a d × d one is n × d again.",
    ),
    Misconception(
        "slip_in_the_softmax",
        {LINE: 3},
        "Line 3 is right: a softmax changes numbers and leaves the shape as it is.",
    ),
    Misconception(
        "slip_in_the_mixture",
        {LINE: 4},
        "Line 4 is right, and takes weights of n × n: compare that with what the report says the scores are.",
    ),
    Misconception(
        "slip_in_the_sum",
        {LINE: 5},
        "Line 5 is right: both products take n²d multiply-adds, though this doesn't follow from what "
        "stands above it.",
    ),
    Misconception(
        "scores_n_by_d",
        {SHAPE: "n × d"},
        "A product of n × d with d × n has as many rows as the left and as many columns as the right, "
        "and the shared d is summed away: QKᵀ isn't n × d.",
    ),
    Misconception(
        "scores_d_by_d",
        {SHAPE: "d × d"},
        "d × d is the shape of KᵀQ, features against features: QKᵀ has a score for each pair of positions.",
    ),
    Misconception(
        "cost_as_if_right",
        {COST: "n²d"},
        "n²d is what n² numbers of d multiply-adds each cost: here the question is what n·d such "
        "numbers would.",
    ),
    Misconception(
        "cost_of_entries_alone",
        {COST: "nd"},
        "nd is how many numbers there would be: each is a dot product, and takes d multiply-adds.",
    ),
)
