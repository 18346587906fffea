"""Perplexity."""

import math

import torch
from torch import Generator, Tensor

from exercises.pretraining import shared
from headstart import Case, Entry, inputs_unchanged, pick
from helpers import pretraining

exercise = Entry(
    id="pretraining.perplexity",
    title="Perplexity",
    points=2,
    difficulty=2,
    minutes=6,
    reference=pretraining.perplexity,
    returns=("perplexity",),
    properties=(inputs_unchanged,),
)


@exercise.cases
def perplexity_cases(g: Generator) -> list[Case]:
    """Batches of one size and of several; one batch; float64."""

    def losses(*, count: int, dtype: torch.dtype = torch.float32) -> Tensor:
        return (2 + torch.rand(count, generator=g, dtype=dtype)) / 1.5

    same, many = pick(g, 3, 2, 4), pick(g, 4, 6, 5)
    return [
        Case("one batch", (losses(count=1), torch.tensor([shared.one(g, 50, 90)]))),
        Case("batches of one size", (losses(count=same), torch.full((same,), shared.one(g, 20, 40)))),
        Case(
            "a short last batch",
            (losses(count=3), torch.tensor([shared.one(g, 300, 400), shared.one(g, 300, 400), 17])),
        ),
        Case(
            "float64", (losses(count=many, dtype=torch.float64), torch.randint(5, 90, (many,), generator=g))
        ),
    ]


@exercise.alternative
def perplexity_of_all_tokens(losses, counts):
    return torch.exp((losses * counts / counts.sum()).sum())


@exercise.alternative
def perplexity_in_a_loop(losses, counts):
    total = sum(float(loss) * int(count) for loss, count in zip(losses, counts, strict=True))
    return math.exp(total / int(counts.sum()))


exercise.slip("every_batch_alike", "(losses * counts).sum() / counts.sum() → torch.mean(losses)").says(
    "The batches are averaged as if they were of one size: a mean loss counts as often as it has tokens."
)
exercise.slip(
    "mean_of_perplexities",
    "((losses * counts).sum() / counts.sum()).exp() → (torch.exp(losses) * counts).sum() / counts.sum()",
).says(
    "Each batch's perplexity is averaged: average the losses first, since e to a mean isn't a mean of "
    "powers of e."
)
exercise.slip(
    "power_of_two",
    "((losses * counts).sum() / counts.sum()).exp() → 2 ** ((losses * counts).sum() / counts.sum())",
).says("This is a power of 2, though the losses are in nats: their base is e.")
exercise.slip(
    "no_power", "((losses * counts).sum() / counts.sum()).exp() → (losses * counts).sum() / counts.sum()"
).says("This is the mean loss: the perplexity is e to that power.")
exercise.slip(
    "losses_overwritten",
    "return ((losses * counts).sum() / counts.sum()).exp() → losses *= counts\n"
    "    return ((losses).sum() / counts.sum()).exp()",
).says(
    "The losses are multiplied in place, so the caller's own are gone: `losses * counts` makes new "
    "numbers, and `*=` or `mul_` doesn't."
)
exercise.slip("power_of_the_sum", "(losses * counts).sum() / counts.sum() → losses.sum()").says(
    "This is e to the sum of the mean losses, which grows with each batch: take one mean over all tokens."
)
exercise.slip("losses_taken_for_sums", "(losses * counts).sum() → losses.sum()").says(
    "The losses are added as if each were the sum over its tokens, but they are means: multiply each by its "
    "number of tokens first."
)
