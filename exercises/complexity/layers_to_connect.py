"""Layers until the last position sees the first."""

import torch
from torch import Generator

from exercises.complexity import shared
from headstart import Case, Entry, pick
from helpers import complexity

# Here math.log(n, k) is a little more than the whole number that it should be, so that rounding up adds one.
MISROUNDED = ((125, 5), (216, 6))
# The same of math.log2(n) / math.log2(k), and of math.log10.
MISROUNDED_IN_BASE_2 = ((243, 3), (3125, 5))
MISROUNDED_IN_BASE_10 = ((512, 8), (1331, 11))


exercise = Entry(
    id="complexity.layers_to_connect",
    title="Layers until the last position sees the first",
    points=2,
    difficulty=3,
    minutes=9,
    reference=complexity.layers_to_connect,
    returns=("layers",),
)


@exercise.cases
def connecting_cases(g: Generator) -> list[Case]:
    """Steps of 1 and growing steps, lengths that fit exactly and lengths that don't."""
    n, k = shared.between(g, 20, 40), shared.between(g, 3, 6)
    exact = 1 + shared.between(g, 6, 11) * 3
    tight = 3 ** shared.between(g, 3, 5)
    dilated = bool(shared.between(g, 0, 2))
    cases = [
        Case("steps of 1", (n, k, False)),
        Case("steps of 1, an exact fit", (exact, 4, False)),
        Case("steps of 1, one position more than fits", (exact + 1, 4, False)),
        Case("growing steps", (10 * n, k, True)),
        Case("growing steps, one position more than fits", (tight + 1, 3, True)),
        Case("a kernel as wide as the sequence", (k, k, dilated)),
        Case("a kernel wider than the sequence", (2, k, not dilated)),
    ]
    first, second = (MISROUNDED[i] for i in torch.randperm(2, generator=g).tolist())
    return [
        *cases[:4],
        Case("growing steps, an exact fit", (*first, True)),
        *cases[4:],
        Case("growing steps, another exact fit", (*second, True)),
        Case("growing steps, a third exact fit", (*pick(g, *MISROUNDED_IN_BASE_2), True)),
        Case("growing steps, a fourth exact fit", (*pick(g, *MISROUNDED_IN_BASE_10), True)),
    ]


@exercise.alternative
def by_division_and_powers(n, k, dilated):
    if not dilated:
        return -(-(n - 1) // (k - 1))
    layers = 1
    while k**layers < n:
        layers += 1
    return layers


@exercise.alternative
def by_walking_back(n, k, dilated):
    layers, position, step = 0, n - 1, 1
    while position > 0:
        position -= (k - 1) * step
        step = step * k if dilated else 1
        layers += 1
    return layers


exercise.slip(
    "kernel_counted_whole",
    "layers, sees = 0, 1 → if not dilated:\n        return -(-n // k)\n    layers, sees = 0, 1",
).says(
    "Each layer of steps of 1 is taken to add k positions: it adds k − 1, since one of the k that a "
    "kernel sees is the position itself."
)


@exercise.misconception
def rounded_down(n, k, dilated):
    """The number of layers is rounded down, which leaves the first position just out of sight: the positions
    that are left take one more layer.
    """
    if not dilated:
        return (n - 1) // (k - 1)
    layers, sees = 0, k
    while sees <= n:
        layers, sees = layers + 1, sees * k
    return layers


exercise.slip(
    "logarithm_rounded_up",
    "return layers → return math.ceil(math.log(n, k)) if dilated else math.ceil((n - 1) / (k - 1))",
).says(
    "Right except for rounding: math.log(125, 5) is 3.0000000000000004, which rounds up to 4, so count "
    "with whole numbers instead."
)
exercise.slip(
    "logarithm_in_base_2_rounded_up",
    "return layers → return math.ceil(math.log2(n) / math.log2(k)) if dilated else math.ceil((n - 1) / "
    "(k - 1))",
).says(
    "Right except for rounding: math.log2(243) / math.log2(3) is 5.000000000000001, which rounds up to 6, so "
    "count with whole numbers instead."
)
exercise.slip(
    "logarithm_in_base_10_rounded_up",
    "return layers → return math.ceil(math.log10(n) / math.log10(k)) if dilated else math.ceil((n - 1) / "
    "(k - 1))",
).says(
    "Right except for rounding: math.log10(512) / math.log10(8) is 3.0000000000000004, which rounds up to 4, "
    "so count with whole numbers instead."
)


@exercise.misconception
def one_layer_too_many(n, k, dilated):
    """One layer too many where the fit is exact: the last position is one of the n, so the stack is done when
    it sees n positions, not more than n.
    """
    layers, sees = 0, 1
    while sees <= n:
        layers, sees = layers + 1, sees * k if dilated else sees + k - 1
    return layers


exercise.slip("never_dilated", "return layers → return -(-(n - 1) // (k - 1))").says(
    "`dilated` changes nothing here: with growing steps, each layer multiplies how many positions are "
    "seen by k; with steps of 1, it adds k − 1."
)
exercise.slip(
    "always_dilated",
    "sees = sees * k if dilated else sees + k - 1\n        layers += 1 → layers, sees = layers + 1, sees * k",
).says(
    "Here every layer multiplies how many positions are seen by k: that takes growing steps; with steps "
    "of 1, a layer adds k − 1."
)
exercise.slip(
    "doubled_for_any_kernel",
    "sees = sees * k if dilated else sees + k - 1 → layers, sees = layers + 1, sees * 2 if dilated else "
    "sees + k - 1",
    "        layers += 1\n →",
).says(
    "The steps double from layer to layer, which is right for k = 2: with a kernel of k, they can grow by "
    "k from layer to layer without leaving a gap."
)
exercise.slip(
    "fraction_of_a_layer",
    "return layers → return math.log(n) / math.log(k) if dilated else (n - 1) / (k - 1)",
).says(
    "This is a fraction of a layer: layers are whole, so a part of one counts as one more; a loop that "
    "counts avoids the rounding errors of a logarithm."
)


@exercise.misconception
def steps_doubled(n, k, dilated):
    """The steps are 1, 2, 4, and so on, as in WaveNet: here they grow by the factor k, as 1, k, k², and so
    does the number of positions in sight.
    """
    layers, sees, step = 0, 1, 1
    while sees < n:
        layers, sees, step = layers + 1, sees + (k - 1) * step, 2 * step if dilated else 1
    return layers


exercise.slip(
    "growing_steps_rounded_down", "k**layers < n → k ** (layers + 1) <= n", of=by_division_and_powers
).says(
    "With growing steps the number of layers is rounded down: the positions that are left take one more "
    "layer."
)
exercise.slip(
    "steps_of_one_rounded_down", "-(-(n - 1) // (k - 1)) → (n - 1) // (k - 1)", of=by_division_and_powers
).says(
    "With steps of 1 the number of layers is rounded down: the positions that are left take one more layer."
)
exercise.slip(
    "itself_counted_in",
    "layers, sees = 0, 1 → if not dilated:\n        return math.ceil(n / (k - 1))\n    layers, sees = 0, 1",
).says(
    "With steps of 1, n positions are counted as still out of sight: the last one sees itself before "
    "any layer, so n − 1 are left."
)
exercise.slip(
    "kernel_counted_whole_everywhere",
    "sees = sees * k if dilated else sees + k - 1 → sees += k * (k**layers if dilated else 1)",
).says(
    "Each layer is taken to reach k of its steps further: it reaches k − 1 further, since one of the k "
    "places of a kernel is the position itself."
)

exercise.slip("first_layer_not_counted", "layers, sees = 0, 1 → layers, sees = 0, k").says(
    "The first layer isn't counted: the last position sees k positions after one layer, and only itself "
    "after none."
)
