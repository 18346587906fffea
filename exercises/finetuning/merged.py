"""The change merged into the weight."""

import torch
from torch import Generator, Tensor

from exercises.finetuning import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick
from helpers import finetuning

exercise = Entry(
    id="finetuning.merged",
    title="The change merged into the weight",
    points=2,
    difficulty=2,
    minutes=6,
    reference=finetuning.merged_weight,
    square="one of the matrices is square, so that a swap of A and B raises nothing",
    returns=("weight",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
)


@exercise.cases
def merged_cases(g: Generator) -> list[Case]:
    """Matrices of several sizes, one of them square."""
    return [
        Case("one rank of several", (*_thin(g, *pick(g, (5, 4, 2), (4, 6, 2), (5, 7, 3))), 3.0)),
        Case("rank 1, a square matrix", (*_thin(g, 4, 4, 1), 8.0)),
        Case("alpha an integer", (*_thin(g, *pick(g, (6, 5, 3), (4, 5, 3), (7, 5, 2))), pick(g, 2, 5, 7))),
        Case("one output", (*_thin(g, pick(g, 5, 4, 3), 1, pick(g, 3, 2)), 4.0)),
        Case("in float64", (*(each.double() for each in _thin(g, 3, pick(g, 6, 5, 4), 2)), 5.0)),
    ]


def _thin(g: Generator, d_in: int, d_out: int, r: int) -> tuple[Tensor, Tensor, Tensor]:
    return shared.normal(g, d_out, d_in), shared.normal(g, r, d_in), shared.normal(g, d_out, r)


@exercise.alternative
def merged_with_addmm(weight, A, B, alpha):
    return torch.addmm(weight, B, A, alpha=alpha / A.size(0))


@exercise.alternative
def merged_by_columns(weight, A, B, alpha):
    result = weight.clone()
    rank = A.shape[0]
    for k in range(rank):
        result += alpha / rank * torch.outer(B[:, k], A[k])
    return result


@exercise.alternative
def merged_with_einsum(weight, A, B, alpha):
    r = B.size(1)
    return weight + torch.einsum("or,ri->oi", B, A) * (alpha / r)


exercise.slip("merged_not_scaled", "alpha / len(A) * (B @ A) → (B @ A)").says(
    "The change isn't scaled: it counts alpha / r times."
)
exercise.slip("merged_by_alpha", " / len(A) →").says(
    "The change is multiplied by alpha alone: the division by the rank is missing."
)
exercise.slip("merged_by_inputs", "len(A) → A.size(1)").says(
    "This divides by d_in, which is how long the rows of A are: the rank is how many there are."
)
exercise.slip("merged_by_outputs", "len(A) → len(B)").says(
    "This divides by d_out, which is how many rows B has: the rank is how many columns it has."
)
exercise.slip("merged_change_alone", "weight + alpha / len(A) * (B @ A) → alpha / len(A) * (B @ A)").says(
    "This is the change alone: the map's own weight is missing."
)
exercise.slip(
    "merged_in_place",
    "return weight + alpha / len(A) * (B @ A) → weight += alpha / len(A) * (B @ A)\n    return weight",
).says("The change is written into the map's own weight, so a second call adds it twice: make a new one.")
exercise.slip(
    "merged_whole_scaled", "weight + alpha / len(A) * (B @ A) → alpha / len(A) * (weight + B @ A)"
).says("The sum of both is scaled: only the change counts alpha / r times.")
exercise.slip(
    "merged_taken_away", "weight + alpha / len(A) * (B @ A) → weight - alpha / len(A) * (B @ A)"
).says("This subtracts the change, which is how it is taken out again: here it goes in.")
