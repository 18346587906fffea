"""Switching heads off."""

import torch
from torch import Generator, Tensor

from exercises.multihead import shared
from headstart import Case, Entry, pick, shares_nothing
from helpers import multihead

exercise = Entry(
    id="multihead.switch_off",
    title="Switching heads off",
    points=2,
    difficulty=2,
    minutes=6,
    driver="copies",
    reference=multihead.switch_off,
    returns=("weight",),
    properties=(shares_nothing,),
)


@exercise.cases
def switch_off_cases(g: Generator) -> list[Case]:
    """Some heads on, some off."""
    first = torch.tensor([True, False, True])
    three, two = pick(g, (4, 6), (5, 6), (4, 9)), pick(g, (5, 8), (5, 6), (3, 4))
    return [
        Case("one of three heads off", (shared.normal(g, *three), first[torch.randperm(3, generator=g)])),
        Case("the first of two heads off", (shared.normal(g, *two), torch.tensor([False, True]))),
        Case(
            "all heads on", (shared.normal(g, *pick(g, (3, 4), (3, 6), (5, 4))), torch.tensor([True, True]))
        ),
        Case(
            "all but one off, float64",
            (shared.normal(g, pick(g, 5, 6), 8, dtype=torch.float64), shared.shuffled(g, _one_of(4))),
        ),
        Case("one output channel", (shared.normal(g, 1, pick(g, 4, 2, 6)), torch.tensor([True, False]))),
        Case("all heads off", (shared.normal(g, 3, pick(g, 4, 2, 6)), torch.tensor([False, False]))),
    ]


def _one_of(count: int) -> Tensor:
    return torch.arange(count) == 0


@exercise.alternative
def off_by_a_loop(weight, keep):
    size = weight.shape[1] // len(keep)
    off = torch.clone(weight)
    for head, on in enumerate(keep.tolist()):
        if not on:
            off[:, size * head : size * (head + 1)] = 0.0
    return off


@exercise.alternative
def off_by_views(weight, keep):
    heads = weight.reshape(weight.size(0), keep.numel(), -1)
    return (heads * keep[None, :, None]).reshape(weight.shape)


@exercise.misconception
def rows_off(weight, keep):
    """Rows are set to 0, which silences some output channels for all heads: nn.Linear holds its weight as
    (out, in), and a head comes in through its columns.
    """
    size = weight.size(1) // len(keep)
    off = weight.clone()
    for head in range(len(keep)):
        if not keep[head]:
            off[head * size : (head + 1) * size] = 0
    return off


exercise.slip(
    "others_off", "weight * columns → weight * (~keep).repeat_interleave(weight.size(1) // len(keep))"
).says("The wrong heads are off: `keep` is True for those that stay on.")
exercise.slip(
    "every_hth_column", "weight * columns → weight * keep.repeat(weight.size(1) // len(keep))"
).says(
    "Every H-th column is set to 0: merging puts the D channels of a head side by side, so its columns "
    "are neighbours."
)


@exercise.misconception
def one_column(weight, keep):
    """One column is set to 0 for each head that is off: a head has D of them, side by side, where D is the
    number of columns divided by H.
    """
    off = weight.clone()
    for head in range(len(keep)):
        if not keep[head]:
            off[:, head] = 0
    return off


exercise.slip("made_up_for", "weight * columns → (weight * columns) * (len(keep) / keep.sum())").says(
    "The heads that stay on are made louder to make up for the others, as dropout does in training: here "
    "they stay as they are."
)
exercise.slip(
    "cut_out", "weight * columns → weight[:, keep.repeat_interleave(weight.size(1) // len(keep))]"
).says("The columns are cut out, so that the weight no longer fits what the merge gives: set them to 0.")
exercise.slip(
    "written_into",
    "columns = keep.repeat_interleave(weight.size(1) // len(keep)) → weight[:, "
    "~keep.repeat_interleave(weight.size(1) // len(keep))] = 0",
    " * columns →",
).says(
    "The weight itself is changed, so the head stays off for good: work on a copy, and leave the weight as "
    "it is."
)


@exercise.misconception
def rows_shared_out(weight, keep):
    """The rows are shared out among the heads and set to 0: they are output channels, and a head comes in
    through its columns, for nn.Linear holds its weight as (out, in).
    """
    size = weight.size(0) // len(keep)
    off = weight.clone()
    for head in range(len(keep)):
        if not keep[head]:
            off[head * size : (head + 1) * size] = 0
    return off


@exercise.misconception
def only_the_first_off(weight, keep):
    """Only the first of the heads that should be off is set to 0, as when a `return` inside the loop ends it
    early: return after the loop.
    """
    size = weight.size(1) // len(keep)
    off = weight.clone()
    for head in range(len(keep)):
        if not keep[head]:
            off[:, head * size : (head + 1) * size] = 0
            return off
    return off


@exercise.misconception
def last_column_left_on(weight, keep):
    """The last column of each head stays on: the end of a slice isn't part of it, so a head's columns are
    those from h·D up to (h + 1)·D, without a − 1.
    """
    size = weight.size(1) // len(keep)
    off = weight.clone()
    for head in range(len(keep)):
        if not keep[head]:
            off[:, head * size : (head + 1) * size - 1] = 0
    return off
