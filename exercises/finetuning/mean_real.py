"""The mean of the real positions."""

import torch
from torch import Generator

from exercises.finetuning import shared
from exercises.finetuning.last_real import last_cases
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick
from helpers import finetuning

exercise = Entry(
    id="finetuning.mean_real",
    title="The mean of the real positions",
    points=2,
    difficulty=2,
    minutes=5,
    reference=finetuning.mean_real,
    returns=("vectors",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
)


@exercise.cases
def mean_cases(g: Generator) -> list[Case]:
    """The same, for a mean, and padding in front: the docstring doesn't say where it is."""
    cases = last_cases(g)
    B, T = pick(g, (3, 5), (2, 6), (4, 5))
    front = shared.real(g, B, T, most=T - 1).flip(1)
    return [*cases, Case("padding in front", (shared.normal(g, B, T, pick(g, 2, 3)), front))]


@exercise.alternative
def mean_by_loop(hidden, real):
    return torch.stack([review[mask].mean(dim=0) for review, mask in zip(hidden, real, strict=True)])


@exercise.alternative
def mean_by_fill(hidden, real):
    kept = hidden.masked_fill(~real.unsqueeze(-1), 0.0)
    return kept.sum(dim=1) / real.sum(dim=1).unsqueeze(-1)


@exercise.alternative
def mean_by_weights(hidden, real):
    weights = real.to(hidden.dtype)
    weights = weights / weights.sum(dim=1, keepdim=True)
    return torch.einsum("bt,btc->bc", weights, hidden)


exercise.slip(
    "padding_in_the_mean",
    "(hidden * real[..., None]).sum(dim=-2) / real.sum(dim=-1, keepdim=True) → hidden.mean(dim=1)",
).says("Padding is part of this mean, so a review's vector depends on how long the others in its batch are.")
exercise.slip("padding_in_the_sum", "(hidden * real[..., None]).sum(dim=-2) → hidden.sum(dim=-2)").says(
    "Padding is left out of the count, but it is in the sum: make it 0 before you add up."
)
exercise.slip(
    "largest_of_each",
    "(hidden * real[..., None]).sum(dim=-2) / real.sum(dim=-1, keepdim=True) → torch.masked_fill(hidden, "
    "~real[..., None], -1e9).amax(dim=-2)",
).says("This takes the largest of each feature: a mean adds them up and divides.")
exercise.slip("divided_by_all", "real.sum(dim=-1, keepdim=True) → hidden.size(1)").says(
    "Padding is left out of the sum, but the sum is divided by T: divide by the number of real tokens."
)
exercise.slip(
    "not_divided_at_all",
    "(hidden * real[..., None]).sum(dim=-2) / real.sum(dim=-1, keepdim=True) → (hidden * "
    "real.unsqueeze(-1)).sum(dim=1)",
).says(
    "This is a sum: a long review would get a longer vector than a short one, only because it has more "
    "tokens."
)
exercise.slip(
    "mean_over_the_batch",
    "(hidden * real[..., None]).sum(dim=-2) / real.sum(dim=-1, keepdim=True) → (hidden * "
    "real.unsqueeze(-1)).sum(dim=1) / real.sum() * len(hidden)",
).says("This is one mean over all reviews together: divide each review's sum by its own number of tokens.")
exercise.slip(
    "one_mean_for_all",
    "(hidden * real[..., None]).sum(dim=-2) / real.sum(dim=-1, keepdim=True) → hidden[real].mean(dim=0)",
).says(
    "hidden[real] puts the tokens of all reviews into one long list, so this is one mean of them all: "
    "each review has a mean of its own."
)
exercise.slip(
    "mean_of_the_padding",
    "return (hidden * real[..., None]).sum(dim=-2) / real.sum(dim=-1, keepdim=True) → count = "
    "(~real).sum(dim=1, keepdim=True).clamp(min=1)\n"
    "    return (hidden * (~real.unsqueeze(-1))).sum(dim=-2) / count",
).says("The mask is inverted: True is a token, and here it is the tokens that are left out.")
exercise.slip(
    "still_the_last",
    "(hidden * real[..., None]).sum(dim=-2) / real.sum(dim=-1, keepdim=True) → "
    "hidden[torch.arange(len(hidden)), real.sum(dim=1) - 1]",
).says(
    "This is the vector at the last token, as in the exercise before: now the mean over all of them is "
    "wanted."
)


@exercise.misconception
def padding_taken_to_come_last(hidden, real):
    """Only the number of tokens is used, as if padding always came after them: here it may be anywhere, so
    take the vectors where `real` is True.
    """
    return torch.stack([row[:n].mean(dim=0) for row, n in zip(hidden, real.sum(dim=1).tolist(), strict=True)])
