"""Find the slip."""

from headstart import Entry

exercise = Entry(
    id="attention.find_slip",
    title="Find the slip",
    points=1,
    difficulty=2,
    minutes=4,
    reference={"": 4},
    options={"": [1, 2, 3, 4, 5]},
)


exercise.choice("slip_in_projections", {"": 1}).says(
    "Line 1 is right: in self-attention queries, keys and values are three projections of one x."
)
exercise.choice("slip_in_d_k", {"": 2}).says(
    "Line 2 is right: d_k is the number of features of a key, the size of its last axis."
)
exercise.choice("slip_in_scores", {"": 3}).says(
    "Line 3 is right, dot products divided by √d_k: now see what becomes of these scores further down."
)
exercise.choice("slip_in_output", {"": 5}).says(
    "Line 5 is right: the output averages the values, so if it is wrong, the weights are."
)
