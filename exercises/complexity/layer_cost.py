"""Three layers, three costs."""

from torch import Generator

from exercises.complexity import shared
from exercises.complexity.layers_to_connect import MISROUNDED
from headstart import Case, Entry, pick
from helpers import complexity
from helpers.complexity import layers_to_connect

LAYER_KINDS = ("self-attention", "recurrent", "convolutional")


exercise = Entry(
    id="complexity.layer_cost",
    title="Three layers, three costs",
    points=3,
    difficulty=2,
    minutes=8,
    reference=complexity.layer_cost,
    returns=("operations", "sequential steps", "longest path"),
    needs=("complexity.layers_to_connect",),
)


@exercise.cases
def table_cases(g: Generator) -> list[Case]:
    """Each layer for a short sequence and for a long one, with kernels of different widths; an exact fit."""
    d = shared.between(g, 12, 18)
    long, short = (shared.between(g, 100, 140), 2), (shared.between(g, 7, 11), shared.between(g, 3, 5))
    exact, kernel = pick(g, *MISROUNDED)
    return [
        *(
            Case(f"{kind}, {name}", (kind, n, d, k))
            for name, (n, k) in (("a long sequence", long), ("a short sequence", short))
            for kind in LAYER_KINDS
        ),
        Case("convolutional, an exact fit", ("convolutional", exact, d, kernel)),
    ]


@exercise.alternative
def from_a_dict(layer, n, d, k):
    table = {
        "self-attention": (d * n**2, 1, 1),
        "recurrent": (n * d**2, n, n),
        "convolutional": (k * n * d**2, 1, layers_to_connect(n, k, True)),
    }
    return table[layer]


@exercise.alternative
def as_a_list(layer, n, d, k):
    operations = n * n * d if layer == "self-attention" else n * d * d
    if layer != "convolutional":
        return [operations, n, n] if layer == "recurrent" else [operations, 1, 1]
    path = 1
    while k**path < n:
        path += 1
    return [k * operations, 1, path]


exercise.slip("attention_and_recurrence_swapped", "n * n → n * d", "n * d * d, n, n → n * n * d, n, n").says(
    "The operations of attention and recurrence are swapped: attention compares n positions with n, hence "
    "n²d, and a recurrent layer multiplies by a d × d matrix at each of n steps, hence nd²."
)
exercise.slip("attention_times_four", "n * n * d → 4 * n * n * d").says(
    "Attention keeps the 4 of its two products here: the table drops constant factors, so it is n²d."
)
exercise.slip("attention_times_two", "n * n * d → 2 * n * n * d").says(
    "Attention keeps a 2 here, for a multiply-add or for its two products: the table drops constant factors."
)
exercise.slip("attention_without_features", "n * n * d → n * n").says(
    "n² is the number of scores: each is a dot product of d numbers, so attention takes n²d."
)
exercise.slip(
    "kernel_forgotten",
    "[k * operations, 1, path] → n * d * d, 1, layers_to_connect(n, k, True)",
    of=as_a_list,
).says(
    "The kernel's width is missing from the convolution's operations: it has a d × d matrix for each of "
    "its k places."
)
exercise.slip(
    "convolution_of_each_feature",
    "[k * operations, 1, path] → k * n * d, 1, layers_to_connect(n, k, True)",
    of=as_a_list,
).says(
    "The convolution is counted with one number for each place and feature: a full one mixes all d "
    "features into all d, with a d × d matrix at each of its k places."
)
exercise.slip("recurrence_in_parallel", "n * d * d, n, n → n * d * d, 1, n").says(
    "A recurrent layer can't do its steps at once: each needs the state that the one before gives, so the n "
    "steps must come one after another."
)
exercise.slip("attention_in_steps", "n * n * d, 1, 1 → n * n * d, n, 1").says(
    "Attention's n queries don't wait for each other: no query needs another's output, so all are one "
    "matrix product, and one step."
)
exercise.slip(
    "convolution_in_steps",
    "[k * operations, 1, path] → k * n * d * d, n, layers_to_connect(n, k, True)",
    of=as_a_list,
).says(
    "A convolution's positions don't wait for each other: each output needs only inputs, so one layer is "
    "one step."
)
exercise.slip("short_path_through_recurrence", "n * d * d, n, n → n * d * d, n, 1").says(
    "The path through a recurrent layer isn't 1: what the first position says is handed from state to "
    "state, n of them, until the last position hears it."
)
exercise.slip("long_path_through_attention", "n * n * d, 1, 1 → n * n * d, 1, n").says(
    "The path through attention isn't n: the last query scores the first key itself, however far away it "
    "is, so the path is 1."
)
exercise.slip(
    "short_path_through_convolution", "[k * operations, 1, path] → k * n * d * d, 1, 1", of=as_a_list
).says(
    "One convolution connects only k neighbours: from the first position to the last it takes a stack, "
    "whose height you have counted in Exercise 5.5."
)
exercise.slip(
    "path_without_dilation",
    "[k * operations, 1, path] → k * n * d * d, 1, layers_to_connect(n, k, False)",
    of=as_a_list,
).says("This is the path through layers with steps of 1: the table has the shorter one, with growing steps.")
exercise.slip("root_for_logarithm", "k**path → path**k", of=as_a_list).says(
    "This path is the k-th root of n: each layer multiplies how many positions are seen by k, so count "
    "how many factors of k it takes to reach n."
)


@exercise.misconception
def constant_factors_kept(layer, n, d, k):
    """Constant factors are kept here: the table drops the 2 of a multiply-add and the 2 of two products, so
    that n²d, nd² and knd² are left.
    """
    if layer == "self-attention":
        return 4 * n * n * d, 1, 1
    if layer == "recurrent":
        return 4 * n * d * d, n, n
    return 2 * k * n * d * d, 1, layers_to_connect(n, k, True)


exercise.slip("path_of_one_less", "n * d * d, n, n → n * d * d, n, n - 1").says(
    "Strictly, a signal is passed on n − 1 times: the table keeps the leading term, which is n."
)
exercise.slip("height_not_rounded", "layers_to_connect(n, k, dilated=True) → math.log(n, k)").says(
    "The convolution's path is the logarithm, not rounded up: a stack has whole layers, so a part of "
    "one counts as one more, as in `layers_to_connect`."
)
exercise.slip("height_misrounded", "layers_to_connect(n, k, dilated=True) → math.ceil(math.log(n, k))").says(
    "Right except for rounding: math.log(125, 5) is 3.0000000000000004, which rounds up to 4, so count with "
    "`layers_to_connect`."
)
exercise.slip("kernels_side_by_side", "layers_to_connect(n, k, dilated=True) → n / k").says(
    "The convolution's path is n/k, as if a signal passed through kernels side by side: it is the "
    "height of a stack with growing steps, in which each layer multiplies how many positions are seen "
    "by k."
)
exercise.slip("whole_kernels_side_by_side", "layers_to_connect(n, k, dilated=True) → math.ceil(n / k)").says(
    "The convolution's path is n/k, rounded up, as if a signal passed through kernels side by side: it "
    "is the height of a stack with growing steps, in which each layer multiplies how many positions are "
    "seen by k."
)
exercise.slip(
    "steps_of_the_stack",
    "[k * operations, 1, path] → k * n * d**2, layers_to_connect(n, k, True), layers_to_connect(n, k, True)",
    of=as_a_list,
).says(
    "The convolution's sequential steps are those of a whole stack: return those of one layer, whose "
    "positions don't wait for each other."
)
exercise.slip(
    "operations_of_the_stack",
    'if layer == "convolutional":\n'
    "        return k * n * d * d, 1, layers_to_connect(n, k, dilated=True)\n"
    '    raise ValueError(f\'a layer is "self-attention", "recurrent" or "convolutional", not {layer!r}\') '
    "→ height = layers_to_connect(n, k, True)\n"
    "    return height * k * n * d**2, 1, height",
).says(
    "The convolution's operations are those of a whole stack: return those of one layer; only the path "
    "goes through the stack."
)
