"""Splitting into heads."""

import torch
from torch import Generator

from exercises.multihead import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick
from helpers import multihead

exercise = Entry(
    id="multihead.split_heads",
    title="Splitting into heads",
    points=2,
    difficulty=2,
    minutes=8,
    reference=multihead.split_heads,
    returns=("heads",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
)


@exercise.cases
def split_cases(g: Generator) -> list[Case]:
    """Without and with batch axes; H, T and D differ, so that a swap shows."""
    T = shared.sizes(g, 4, 5)
    H, D = pick(g, (2, 3), (3, 2), (2, 4), (4, 2))
    return [
        Case("one sentence", (shared.normal(g, T[0], H * D), H)),
        Case("a batch", (shared.normal(g, 2, T[1], 3 * D), 3)),
        Case("one head", (shared.normal(g, *pick(g, (2, 3, 5), (3, 2, 4), (2, 4, 6))), 1)),
        Case("float64", (shared.normal(g, 3, 2 * pick(g, 4, 2, 5), dtype=torch.float64), 2)),
        Case(
            "two batch axes",
            (shared.normal(g, *pick(g, (2, 1), (1, 2)), pick(g, 3, 1, 5), 4 * pick(g, 2, 1, 3)), 4),
        ),
    ]


@exercise.alternative
def split_with_view_and_transpose(x, n_heads):
    *front, T, C = x.shape
    return x.view(*front, T, n_heads, C // n_heads).transpose(-2, -3)


@exercise.alternative
def split_into_chunks(x, n_heads):
    return torch.stack(x.chunk(n_heads, dim=-1), dim=-3)


@exercise.alternative
def split_one_after_another(x, n_heads):
    size = x.shape[-1] // n_heads
    return torch.stack([x[..., h * size : (h + 1) * size] for h in range(n_heads)], -3)


@exercise.alternative
def split_by_way_of_the_transpose(x, n_heads):
    return x.mT.unflatten(-2, (n_heads, -1)).mT


exercise.slip(
    "view_alone",
    "x.view(*front, T, n_heads, C // n_heads).transpose(-2, -3) → x.reshape(*front, n_heads, T, C // "
    "n_heads)",
    of=split_with_view_and_transpose,
).says(
    "The numbers are only reshaped into (..., H, T, D), so that each head gets some of the positions with "
    "all their channels: name the axes as they are stored, (..., T, H, D), then swap H and T."
)
exercise.slip("no_transpose", ".transpose(-3, -2) →").says(
    "This has the axes (..., T, H, D): a step is missing that puts the heads before the positions, so "
    "that the last two axes are those of one head's sentence."
)
exercise.slip(
    "first_two_axes",
    "x.unflatten(-1, (n_heads, -1)).transpose(-3, -2) → x.unflatten(-1, (n_heads, -1)).transpose(0, 1)",
).says("Axes 0 and 1 are swapped, and with a batch in front these aren't T and H: count axes from the end.")
exercise.slip(
    "every_nth_channel",
    "x.unflatten(-1, (n_heads, -1)).transpose(-3, -2) → x.unflatten(-1, (-1, n_heads)).movedim(-1, -3)",
).says("Each head gets every H-th channel: it should get D neighbouring ones, as in torch and in the papers.")
exercise.slip(
    "features_before_positions",
    "x.unflatten(-1, (n_heads, -1)).transpose(-3, -2) → x.unflatten(-1, (n_heads, -1)).movedim(-3, -1)",
).says("The last two axes are (D, T): one head's sentence should be (T, D).")
exercise.slip("heads_for_channels", "(n_heads, -1) → (-1, n_heads)").says(
    "`n_heads` is used as the size of a head: the channels should be cut into n_heads pieces, each of C / "
    "n_heads channels."
)
exercise.slip(
    "everything_for_each",
    "x.unflatten(-1, (n_heads, -1)).transpose(-3, -2) → torch.stack([x] * n_heads, dim=-3)",
).says(
    "Each head gets all channels: they should be shared out, C / H to each, or else H heads cost H times "
    "as much."
)
