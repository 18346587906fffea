"""The last real position."""

from dataclasses import replace
from typing import Any

import torch
from torch import Generator

from exercises.finetuning import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick
from helpers import finetuning

exercise = Entry(
    id="finetuning.last_real",
    title="The last real position",
    points=2,
    difficulty=2,
    minutes=6,
    reference=finetuning.last_real,
    returns=("vectors",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
)


@exercise.cases
def last_cases(g: Generator) -> list[Case]:
    """Reviews of several lengths; none that is full, and one that is; of one token."""

    def case(title: str, B: int, T: int, C: int, **lengths: Any) -> Case:
        return Case(title, (shared.normal(g, B, T, C), shared.real(g, B, T, **lengths)))

    exact = case("in float64", 4, pick(g, 7, 6, 5), pick(g, 3, 2), most=5)
    return [
        case("all reviews shorter than T", pick(g, 2, 4), 5, 3, most=4),
        case("one of them full", 3, pick(g, 6, 7), pick(g, 4, 5), full=True),
        case("one review", 1, pick(g, 6, 5, 7), 4, least=3, most=4),
        case("one token in each, one channel", pick(g, 3, 2), pick(g, 4, 5), 1, most=1, least=1),
        replace(exact, args=(exact.args[0].double(), exact.args[1])),
    ]


@exercise.alternative
def last_by_gather(hidden, real):
    lengths = real.long().sum(dim=1)
    index = (lengths - 1).view(-1, 1, 1).expand(-1, 1, hidden.size(-1))
    return hidden.gather(1, index).squeeze(1)


@exercise.alternative
def last_by_loop(hidden, real):
    rows = []
    for review, mask in zip(hidden, real, strict=True):
        rows.append(review[mask][-1])
    return torch.stack(rows)


@exercise.alternative
def last_by_change(hidden, real):
    following = torch.cat([real[:, 1:], torch.zeros_like(real[:, :1])], dim=1)
    return (hidden * (real & ~following).unsqueeze(-1)).sum(dim=1)


exercise.slip(
    "last_column",
    "torch.arange(len(hidden), device=hidden.device), last → torch.arange(len(hidden), "
    "device=hidden.device), -1",
).says("This reads position -1, which in a short review is padding: the vector there belongs to no word.")
exercise.slip(
    "first_position",
    "torch.arange(len(hidden), device=hidden.device), last → torch.arange(len(hidden), "
    "device=hidden.device), 0",
).says(
    "This reads the first position, which in a causal model has seen nothing but itself, so it is the "
    "same for every review."
)
exercise.slip(
    "mean_over_all", "hidden[torch.arange(len(hidden), device=hidden.device), last] → hidden.mean(dim=1)"
).says(
    "This is the mean over all positions, padding included, so a review's vector depends on how long the "
    "others in its batch are."
)
exercise.slip(
    "mean_over_real",
    "hidden[torch.arange(len(hidden), device=hidden.device), last] → (hidden * "
    "real.unsqueeze(-1)).sum(dim=1) / real.sum(dim=1, keepdim=True).to(hidden.dtype)",
).says(
    "This is the mean over the real positions, also a sensible choice, but here the vector at the last "
    "token is asked for: that token has seen all the others."
)
exercise.slip(
    "one_too_early",
    "torch.arange(len(hidden), device=hidden.device), last → torch.arange(len(hidden), "
    "device=hidden.device), real.sum(1) - 2",
).says("This reads the token before the last one: positions count from 0, so the last of n is n - 1.")
exercise.slip("one_not_taken_off", "real.sum(dim=-1) - 1 → real.sum(dim=-1)").says(
    "The last of n tokens is at n - 1, since positions count from 0: this reads the first padding, and where "
    "there is none, no position at all."
)
exercise.slip(
    "first_padding",
    "torch.arange(len(hidden), device=hidden.device), last → torch.arange(len(hidden), "
    "device=hidden.device), real.sum(1).clamp(max=hidden.size(1) - 1)",
).says(
    "This reads one position too far, the first padding: positions count from 0, so the last of n tokens "
    "is n - 1."
)
exercise.slip(
    "longest_for_all", "torch.stack(rows) → hidden[:, int(real.sum(dim=1).max()) - 1]", of=last_by_loop
).says("Every review is read at the last position of the longest one: each has a length of its own.")
exercise.slip(
    "axis_kept",
    "real.sum(dim=-1) - 1 → torch.arange(len(hidden))",
    "hidden[torch.arange(len(hidden), device=hidden.device), last] → hidden[last, real.sum(1) - "
    "1].unsqueeze(1)",
).says("The axis of positions is still there with size 1: one vector for each review is (B, C).")
exercise.slip("rows_crossed", "torch.arange(len(hidden), device=hidden.device) → :").says(
    "hidden[:, positions] takes all these positions of every review, (B, B, C): pair them with the rows, "
    "hidden[rows, positions], so that each row takes one."
)
