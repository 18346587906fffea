"""The matrix of a shift."""

import math

import torch
from torch import Generator

from exercises.positional import shared
from headstart import Case, Entry
from helpers import positional

exercise = Entry(
    id="positional.shift",
    title="The matrix of a shift",
    points=4,
    difficulty=4,
    minutes=12,
    reference=positional.shift_matrix,
    returns=("matrix",),
)


@exercise.cases
def shift_cases(g: Generator) -> list[Case]:
    """One pair and several, forwards and back, and another base.

    Two cases differ in each argument alone, so that an answer can't remember a matrix by the others.
    """
    k = shared.integer(g, 2, 6)
    return [
        Case("one pair of features", (k, 2)),
        Case("several pairs", (k, 6)),
        Case("far away", (shared.integer(g, 20, 50), 8)),
        Case("back", (-shared.integer(g, 2, 9), 6)),
        Case("another base", (k, 6, float(shared.integer(g, 50, 200)))),
    ]


@exercise.alternative
def filled_in(k, d_model, base=10_000.0):
    M = torch.zeros(d_model, d_model)
    for i in range(0, d_model, 2):
        angle = k / base ** (i / d_model)
        M[i, i] = M[i + 1, i + 1] = math.cos(angle)
        M[i + 1, i] = math.sin(angle)
        M[i, i + 1] = -math.sin(angle)
    return M


@exercise.alternative
def with_diagonals(k, d_model, base=10_000.0):
    speed = torch.exp(-math.log(base) * torch.arange(0, d_model, 2) / d_model)
    off = torch.zeros(d_model - 1)
    off[::2] = torch.sin(k * speed)
    return torch.diag(torch.cos(k * speed).repeat_interleave(2)) + torch.diag(off, -1) - torch.diag(off, 1)


@exercise.alternative
def solved_from_two_positions(k, d_model, base=10_000.0):
    M = torch.zeros(d_model, d_model, dtype=torch.float64)
    for i in range(d_model // 2):
        w = base ** (-2 * i / d_model)
        # a quarter turn apart, so that the two rows are as different as can be
        p = [0.0, math.pi / 2 / w]
        before = torch.tensor([[math.sin(w * a), math.cos(w * a)] for a in p], dtype=torch.float64)
        after = torch.tensor([[math.sin(w * (a + k)), math.cos(w * (a + k))] for a in p], dtype=torch.float64)
        M[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = torch.linalg.solve(before, after)
    return M.float()


exercise.slip("transposed", "*blocks → *torch.stack([cos, sin, -sin, cos], -1).reshape(-1, 2, 2)").says(
    "This matrix moves a row the other way, from p to p - k, since it is the transpose: it would be right "
    "for columns, M @ table[p], but here the rows are on the left."
)
exercise.slip("no_minus", "*blocks → *torch.stack([cos, sin, sin, cos], -1).reshape(-1, 2, 2)").says(
    "One sine needs a minus: cos(a + b) = cos a · cos b - sin a · sin b, and without it the row doesn't "
    "keep its length."
)
exercise.slip(
    "one_speed_for_all",
    "blocks = torch.stack([cos, -sin, sin, cos], dim=-1).reshape(-1, 2, 2) → block = "
    "torch.tensor([[math.cos(k), -math.sin(k)], [math.sin(k), math.cos(k)]])",
    "*blocks → *[block] * (d_model // 2)",
).says("Every pair is turned by the angle k: pair i turns with its own speed, by k · base^(-2i/d_model).")
exercise.slip("shift_exponent_i", "torch.arange(0, d_model, 2) → torch.arange(d_model // 2)").says(
    "The speeds have the exponent i/d_model, where the table has 2i/d_model: so these are the clocks of a "
    "different table."
)
exercise.slip(
    "shift_base_written_in",
    "base ** (-torch.arange(0, d_model, 2) / d_model) → 10_000.0 ** (-torch.arange(0, d_model, 2) / d_model)",
).says(
    "The base is 10000 whatever `base` says: the matrix fits a table with a different base only if it uses "
    "the argument."
)
exercise.slip("shift_faster_and_faster", "-torch.arange(0, d_model, 2) → torch.arange(0, d_model, 2)").says(
    "The speeds grow from pair to pair, as the exponent lacks its minus: those of the table fall, so this "
    "matrix fits none of its pairs but the first."
)
exercise.slip("shift_pairs_from_one", "torch.arange(0, d_model, 2) → torch.arange(2, d_model + 2, 2)").says(
    "Pairs are counted from 1 here: the first is pair 0, whose speed is base⁰ = 1."
)
exercise.slip(
    "k_times_one_step",
    "k * base ** (-torch.arange(0, d_model, 2) / d_model) → base ** (-torch.arange(0, d_model, 2) / d_model)",
    "torch.block_diag(*blocks) → k * torch.block_diag(*torch.stack([cos, -sin, sin, cos], -1).reshape(-1, "
    "2, 2))",
).says(
    "This is k times the matrix of one step: steps follow one another, so one step has to be multiplied by "
    "itself k times, or turned by k times its angle."
)
exercise.slip(
    "laid_out_in_halves",
    "cos, sin = angles.cos(), angles.sin() → c, s = torch.diag(angles.cos()), torch.diag(angles.sin())",
    "    blocks = torch.stack([cos, -sin, sin, cos], dim=-1).reshape(-1, 2, 2)\n →",
    "torch.block_diag(*blocks) → torch.cat([torch.cat([c, -s], dim=1), torch.cat([s, c], dim=1)])",
).says(
    "This fits a table with all sines first: in yours a sine and its cosine are neighbours, so each 2 × 2 "
    "block is on the diagonal."
)
exercise.slip("rows_rolled", "torch.block_diag(*blocks) → torch.eye(d_model).roll(k, dims=1)").says(
    "This moves features to other places: to get k positions further, turn each pair of features, and leave "
    "the pair where it is."
)
exercise.slip(
    "shift_forward_alone",
    "k * base ** (-torch.arange(0, d_model, 2) / d_model) → abs(k) * base ** (-torch.arange(0, d_model, "
    "2) / d_model)",
).says("A negative k moves forward as well, as if its sign were lost: the sine keeps it.")

exercise.slip(
    "shift_exponent_twice_doubled", "-torch.arange(0, d_model, 2) → -2 * torch.arange(0, d_model, 2)"
).says("The factor 2 is in the exponent twice: where you count 0, 2, 4, …, these numbers are 2i already.")


@exercise.misconception
def blocks_stacked(k, d_model, base=10_000.0):
    """These are the blocks in a stack, (d_model/2, 2, 2): they belong on the diagonal of one matrix, with
    zeros around them.
    """
    angles = k * base ** (-torch.arange(0, d_model, 2) / d_model)
    cos, sin = angles.cos(), angles.sin()
    return torch.stack([cos, -sin, sin, cos], dim=-1).unflatten(-1, (2, 2))
