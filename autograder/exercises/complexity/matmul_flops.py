"""FLOPs of a matrix product."""

import torch
from torch import Generator

from autograder.drawing import pick
from autograder.entry import Entry
from autograder.exercises.complexity import shared
from helpers import complexity
from helpers.checking.calling.drivers import Case
from helpers.checks import inputs_unchanged

exercise = Entry(
    id="complexity.matmul_flops",
    title="FLOPs of a matrix product",
    points=2,
    difficulty=1,
    minutes=5,
    reference=complexity.matmul_flops,
    returns=("FLOPs",),
    properties=(inputs_unchanged,),
)


@exercise.cases
def matmul_cases(g: Generator) -> list[Case]:
    """Two matrices, and batches of them."""
    m, k, n = shared.sizes(g, 3, 4, 5)
    B, T, d, e = shared.sizes(g, 2, 7, 11, 13)
    H, T_q, d_k, T_k = shared.sizes(g, 3, 5, 6, 10)
    wide = shared.between(g, 20, 60)
    front, several = pick(g, (2,), (), (1,), (2, 4)), pick(g, (8, 1), (1,), (1, 6), (2, 1, 3))
    return [
        Case("two small matrices", ((m, k), (k, n))),
        Case("a batch of sequences times one matrix", ((B, T, d), (d, e))),
        Case("batch axes on both sides", ((*front, H, T_q, d_k), (*front, H, d_k, T_k))),
        Case("one row times a matrix", ((1, wide), (wide, 8 * n))),
        Case("shapes as lists, an axis of 1", ([*several, m, d], [d, e])),
    ]


@exercise.alternative
def with_names_for_the_axes(a, b):
    *front, m, k = a
    flops = 2 * m * k * b[-1]
    for size in front:
        flops *= size
    return flops


@exercise.alternative
def from_the_result(a, b):
    result = torch.empty(tuple(a), device="meta") @ torch.empty(tuple(b), device="meta")
    return result.numel() * 2 * a[-1]


exercise.slip("multiplications_alone", "2 * math.prod(a) → math.prod(a)").says(
    "This is half: a multiply-add is counted as 2 FLOPs, one for the multiplication and one for the addition."
)
exercise.slip(
    "one_addition_less", "2 * math.prod(a) * b[-1] → math.prod(a[:-1]) * b[-1] * (2 * a[-1] - 1)"
).says(
    "Strictly, a sum of k terms has k − 1 additions, but by convention each multiply-add counts as 2: "
    "hardware does the two as one, and starts its sum at 0."
)
exercise.slip("batch_left_out", "2 * math.prod(a) → (2 * a[-2]) * a[-1]").says(
    "This counts one product of two matrices: the axes in front say how many such products there are, so "
    "multiply by all of them."
)
exercise.slip("numbers_in_the_result", "math.prod(a) → math.prod(a[:-1])").says(
    "This counts 2 for each number of the result: each is a dot product, with as many multiply-adds as "
    "the shared axis is long."
)
exercise.slip("all_sizes_multiplied", "b[-1] → math.prod(b)").says(
    "All sizes of both shapes are multiplied, so the shared axis counts twice, and so does every batch axis "
    "that both have: each is in the product once."
)
exercise.slip(
    "batch_counted_twice", "2 * math.prod(a) * b[-1] → (2 * math.prod(a)) * b[-1] * math.prod(b[:-2])"
).says(
    "The axes in front are counted for both sides: they say how many products there are, and that is the "
    "same number on both."
)
exercise.slip("numbers_read", "2 * math.prod(a) * b[-1] → 2 * (math.prod(a) + math.prod(b))").says(
    "These are the numbers of the two matrices, which is what is read: each of them is used many times "
    "over, and every use is a multiply-add."
)
