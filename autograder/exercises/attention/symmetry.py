"""Symmetric, equivariant, invariant."""

from autograder.entry import Entry

_KINDS = ("symmetric", "equivariant", "invariant")
_DOT = "dot(a, b) == dot(b, a)"
_LAYER = "layer(x[p]) == layer(x)[p]"
_POOLED = "pooled(x[p]) == pooled(x)"
_WHY = "why word order is lost in self-attention"


exercise = Entry(
    id="attention.symmetry",
    title="Symmetric, equivariant, invariant",
    points=2,
    difficulty=2,
    minutes=4,
    reference={_DOT: "symmetric", _LAYER: "equivariant", _POOLED: "invariant", _WHY: "equivariant"},
    options={slot: list(_KINDS) for slot in (_DOT, _LAYER, _POOLED, _WHY)},
)


exercise.choice("dot_product_equivariant", {_DOT: "equivariant"}).says(
    "dot(a, b) == dot(b, a) swaps two arguments and gives one and the same number, and nothing moves "
    "along with the swap: it is symmetric."
)
exercise.choice("dot_product_invariant", {_DOT: "invariant"}).says(
    "dot(a, b) == dot(b, a) is about swapping the two arguments of a function, which is called symmetric: "
    "invariant is about shuffling the positions of one input."
)
exercise.choice("layer_symmetric", {_LAYER: "symmetric"}).says(
    "layer(x[p]) == layer(x)[p] has one argument, so there is no second one to swap with: its outputs are "
    "shuffled as its inputs are, which is equivariant."
)
exercise.choice("layer_invariant", {_LAYER: "invariant"}).says(
    "layer(x[p]) == layer(x)[p] doesn't say that the output stays the same: it is shuffled just as the "
    "input was, which is equivariant."
)
exercise.choice("pooling_symmetric", {_POOLED: "symmetric"}).says(
    "pooled(x[p]) == pooled(x) shuffles the positions of one input, of which there may be any number, and "
    "the output stays the same: it is invariant."
)
exercise.choice("pooling_equivariant", {_POOLED: "equivariant"}).says(
    "In pooled(x[p]) == pooled(x) the output has no positions left to shuffle, and stays the same: it is "
    "invariant."
)
exercise.choice("order_lost_by_symmetry", {_WHY: "symmetric"}).says(
    "That q · k equals k · q isn't why word order is lost: with a q and a k of its own for each word the "
    "scores aren't symmetric, and self-attention still can't tell one order from another."
)
exercise.choice("order_lost_by_invariance", {_WHY: "invariant"}).says(
    "Self-attention's output isn't the same for a shuffled sentence: every word gets the vector that it "
    "got before, in its new place, so the layer is equivariant."
)
