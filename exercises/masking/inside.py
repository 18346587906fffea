"""Where a bias belongs."""

from headstart import Entry

LINE, BIAS = "line with the slip", "bias that shows it"


exercise = Entry(
    id="masking.inside",
    title="Where a bias belongs",
    points=2,
    difficulty=2,
    minutes=4,
    reference={LINE: 2, BIAS: "c"},
    options={LINE: [1, 2, 3, 4], BIAS: ["a", "b", "c"]},
)


exercise.choice("slip_in_the_arguments", {LINE: 1}).says(
    "Line 1 only names the arguments: compare the order of steps with the formula's."
)
exercise.choice("slip_in_the_softmax", {LINE: 3}).says(
    "Line 3 does what it should: the softmax is over the keys, the last axis."
)
exercise.choice("slip_in_the_output", {LINE: 4}).says(
    "Line 4 does what it should: it averages the values by the weights."
)
exercise.choice("infinity_shows_it", {BIAS: "a"}).says(
    "−∞ divided by √d_k is −∞, and 0 stays 0, so a bias of 0 and −∞ gives the same weights inside and "
    "outside."
)
exercise.choice("billion_shows_it", {BIAS: "b"}).says(
    "−10⁹ divided by 8 is still so low that its exponential is 0 in float32, so the weights are the same."
)
