"""Merging the heads."""

import torch
from torch import Generator

from exercises.multihead import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick
from helpers import multihead

exercise = Entry(
    id="multihead.merge_heads",
    title="Merging the heads",
    points=2,
    difficulty=2,
    minutes=5,
    reference=multihead.merge_heads,
    returns=("merged",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
)


@exercise.cases
def merge_cases(g: Generator) -> list[Case]:
    """What splitting gives, in the same variety."""
    H, T, D = shared.sizes(g, 2, 3, 4)
    return [
        Case("one sentence", (shared.normal(g, H, T, D),)),
        Case("a batch", (shared.normal(g, 5, *shared.sizes(g, 2, 3, 4)),)),
        Case("one head", (shared.normal(g, pick(g, 2, 5), 1, 3, 4),)),
        Case("float64", (shared.normal(g, *pick(g, (3, 2, 4), (3, 1, 4), (2, 4, 1)), dtype=torch.float64),)),
        Case("two batch axes", (shared.normal(g, *pick(g, (2, 1), (1, 2)), 3, 5, 4),)),
    ]


@exercise.alternative
def merge_with_reshape(z):
    *front, H, T, D = z.shape
    return z.transpose(-2, -3).reshape(*front, T, H * D)


@exercise.alternative
def merge_by_cat(z):
    return torch.cat(z.unbind(dim=-3), dim=-1)


@exercise.alternative
def merge_contiguous_view(z):
    swapped = z.movedim(-3, -2).contiguous()
    return swapped.view(*swapped.shape[:-2], -1)


exercise.slip(
    "merged_without_transposing",
    "return z.transpose(-3, -2).flatten(-2) → *front, H, T, D = z.shape\n"
    "    return z.reshape(*front, T, H * D)",
).says(
    "The axes H and T aren't swapped back before they are flattened, so that positions and heads are "
    "jumbled: go back to (..., T, H, D) first."
)
exercise.slip("only_transposed", ".flatten(-2) →").says(
    "The heads still have an axis of their own: the last two, H and D, should become one of H·D channels."
)
exercise.slip("averaged_over_heads", "z.transpose(-3, -2).flatten(-2) → z.mean(-3)").says(
    "The heads are averaged, which mixes up what they have found: their channels are put side by side."
)
exercise.slip("summed_over_heads", "z.transpose(-3, -2).flatten(-2) → z.sum(-3)").says(
    "The heads are added up, which mixes up what they have found: their channels are put side by side."
)
exercise.slip("channel_by_channel", "z.transpose(-3, -2) → z.movedim(-3, -1)").says(
    "The channels of different heads alternate: splitting gave each head D neighbouring channels, and "
    "merging has to put them back where they were."
)
exercise.slip("one_after_another", "z.transpose(-3, -2).flatten(-2) → z.flatten(-3, -2)").says(
    "The heads' sentences are put one after another, as H·T positions: put the channels side by side, and "
    "keep T positions."
)
exercise.slip("merged_first_two_axes", "z.transpose(-3, -2) → z.transpose(0, 1)").says(
    "Axes 0 and 1 are swapped, and with a batch in front these aren't H and T: count axes from the end."
)
exercise.slip("positions_and_heads_flattened", ".flatten(-2) → .flatten(-3, -2)").says(
    "Positions and heads have become one axis, T·H: it is the channels that go side by side, so H and D "
    "become one axis and T stays."
)
