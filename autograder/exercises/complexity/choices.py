"""The choice of lesson 05: a slip in a report's shapes, and what is to be said to each wrong option."""

from autograder.exercise import Misconception

LINE, SHAPE, COST = "line with the slip", "shape of QKᵀ", "cost of QKᵀ if it were n × d"

OPTIONS: dict[str, list[int] | list[str]] = {
    LINE: [1, 2, 3, 4, 5],
    SHAPE: ["n × n", "n × d", "d × d"],
    COST: ["n²d", "nd²", "nd"],
}
RIGHT = {LINE: 3, SHAPE: "n × n", COST: "nd²"}

MISCONCEPTIONS = (
    Misconception(
        "slip_in_the_transpose",
        {LINE: 1},
        "Line 1 is right: a transpose swaps the two sizes.",
    ),
    Misconception(
        "slip_in_the_first_cost",
        {LINE: 2},
        "Line 2 is right: each pair of positions takes a dot product of d terms, and there are n² pairs.",
    ),
    Misconception(
        "slip_in_the_second_cost",
        {LINE: 4},
        "The cost in line 4 is right, of weights that are n × n: compare that with the shape "
        "that is written in the line before.",
    ),
    Misconception(
        "slip_in_the_sum",
        {LINE: 5},
        "Line 5 is right: twice n²d is of the order n²d, though there is a wrong step on its way.",
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
