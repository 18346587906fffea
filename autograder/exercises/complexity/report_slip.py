"""A slip in a shape."""

from autograder.entry import Entry

LINE, SHAPE, COST = "line with the slip", "shape of QKᵀ", "cost of QKᵀ if it were n × d"
OPTIONS: dict[str, list[int] | list[str]] = {
    LINE: [1, 2, 3, 4, 5],
    SHAPE: ["n × n", "n × d", "d × d"],
    COST: ["n²d", "nd²", "nd"],
}
RIGHT = {LINE: 3, SHAPE: "n × n", COST: "nd²"}


exercise = Entry(
    id="complexity.report_slip",
    title="A slip in a shape",
    points=1,
    difficulty=1,
    minutes=4,
    reference=RIGHT,
    options=OPTIONS,
)


exercise.choice("slip_in_the_transpose", {LINE: 1}).says("Line 1 is right: a transpose swaps the two sizes.")
exercise.choice("slip_in_the_first_cost", {LINE: 2}).says(
    "Line 2 is right: each pair of positions takes a dot product of d terms, and there are n² pairs."
)
exercise.choice("slip_in_the_second_cost", {LINE: 4}).says(
    "The cost in line 4 is right, of weights that are n × n: compare that with the shape that is written "
    "in the line before."
)
exercise.choice("slip_in_the_sum", {LINE: 5}).says(
    "Line 5 is right: twice n²d is of the order n²d, though there is a wrong step on its way."
)
exercise.choice("scores_n_by_d", {SHAPE: "n × d"}).says(
    "A product of n × d with d × n has as many rows as the left and as many columns as the right, and the "
    "shared d is summed away: QKᵀ isn't n × d."
)
exercise.choice("scores_d_by_d", {SHAPE: "d × d"}).says(
    "d × d is the shape of KᵀQ, features against features: QKᵀ has a score for each pair of positions."
)
exercise.choice("cost_as_if_right", {COST: "n²d"}).says(
    "n²d is what n² numbers of d multiply-adds each cost: here the question is what n·d such numbers would."
)
exercise.choice("cost_of_entries_alone", {COST: "nd"}).says(
    "nd is how many numbers there would be: each is a dot product, and takes d multiply-adds."
)
