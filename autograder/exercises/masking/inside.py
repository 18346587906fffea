"""Inside or outside."""

from autograder.entry import Entry

_INFINITE, _BILLION = "0 where allowed, -inf where not", "0 where allowed, -1e9 where not"
_FIVE, _DISTANCE = "0 where allowed, -5 where not", "-1 for each word of distance"


exercise = Entry(
    id="masking.inside",
    title="Inside or outside",
    points=2,
    difficulty=2,
    minutes=4,
    reference={_INFINITE: "same", _BILLION: "same", _FIVE: "different", _DISTANCE: "different"},
    options={slot: ["same", "different"] for slot in (_INFINITE, _BILLION, _FIVE, _DISTANCE)},
)


exercise.choice("infinity_different", {_INFINITE: "different"}).says(
    "−∞ divided by √d_k is −∞, and 0 stays 0, so a mask of 0 and −∞ gives the same weights inside and "
    "outside."
)
exercise.choice("billion_different", {_BILLION: "different"}).says(
    "−10⁹ divided by 8 is still so low that its exponential is 0 in float32, so the weights are the same: "
    "the bias isn't, but nobody can see it."
)
exercise.choice("five_same", {_FIVE: "same"}).says(
    "−5 divided by 8 is −0.6, so a key that should keep less than a hundredth of its weight keeps half of it."
)
exercise.choice("distance_same", {_DISTANCE: "same"}).says(
    "−1 for each word becomes −0.125 for each word when it is divided by 8, so far words count for more "
    "than they should."
)
