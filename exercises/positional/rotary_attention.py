"""Rotary attention."""

import math

import torch
from torch import Generator, Tensor

from exercises.positional import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick, rows_sum_to_one
from helpers import positional
from helpers.attention import scaled_dot_product_attention
from helpers.positional import rotary

exercise = Entry(
    id="positional.rotary_attention",
    title="Rotary attention",
    points=2,
    difficulty=2,
    minutes=6,
    reference=positional.rotary_attention,
    returns=("output", "weights"),
    properties=(inputs_unchanged, gradient_reaches_inputs, rows_sum_to_one),
    needs=("positional.rotary",),
)


@exercise.cases
def rotary_attention_cases(g: Generator) -> list[Case]:
    """Sentences of different lengths, a batch, and queries that are fewer than keys."""
    first, second, third = shared.sizes(g, *pick(g, (3, 5, 7), (5, 7, 9), (3, 5, 9)))
    T_q, T_k = [(3, 5), (5, 7), (3, 7)][shared.integer(g, 0, 2)]
    return [
        Case("one sentence", _qkv(g, (), first, first, 6, 8)),
        Case("values as wide as keys", _qkv(g, (), second, second, 4, 4)),
        Case("a batch and heads (B, H, T, d)", _qkv(g, pick(g, (2, 1), (1, 2), (1, 1)), third, third, 4, 6)),
        Case(
            "a mask (T_q, T_k), fewer queries than keys", (*_qkv(g, (), T_q, T_k, 4, 6), _mask(g, T_q, T_k))
        ),
        Case("a mask that leaves only the key with the lowest scores", _lowest_left(g)),
    ]


def _lowest_left(g: Generator) -> tuple[Tensor, ...]:
    """One key may be seen, with scores near -99, and those of the others are near 45: a fill of -100 shows.

    With one key, no rounding of such scores shows. The last pair of features, which makes them what they are,
    hardly turns at all.
    """
    q, k, v = _qkv(g, (), 2, 3, 8, 4)
    shown = torch.arange(3) == shared.integer(g, 0, 2)
    q[:, -2], k[:, -2] = -16, torch.where(shown, 17.5, -8.0)
    return q, k, v, shown.repeat(2, 1)


def _qkv(g: Generator, front: tuple, T_q: int, T_k: int, d_k: int, d_v: int) -> tuple[Tensor, ...]:
    shapes = ((*front, T_q, d_k), (*front, T_k, d_k), (*front, T_k, d_v))
    return tuple(shared.normal(g, *shape, spread=1.2) for shape in shapes)


def _mask(g: Generator, T_q: int, T_k: int) -> Tensor:
    """At least two keys to attend to for each query, at least one hidden."""
    shown = torch.randint(2, T_k, (T_q,), generator=g)
    return torch.stack([(torch.arange(T_k) < n)[torch.randperm(T_k, generator=g)] for n in shown])


@exercise.alternative
def with_named_steps(q, k, v, mask=None):
    q_turned = rotary(q, torch.arange(q.shape[-2]))
    k_turned = rotary(k, torch.arange(k.shape[-2]))
    scores = torch.matmul(q_turned, k_turned.transpose(-1, -2)) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return torch.matmul(weights, v), weights


@exercise.alternative
def turning_the_keys_by_distance(q, k, v, mask=None):
    d = q.size(-1)
    speed = 10_000.0 ** (-torch.arange(0, d, 2) / d)
    apart = torch.arange(k.size(-2)) - torch.arange(q.size(-2))[:, None]
    c, s = torch.cos(apart[..., None] * speed), torch.sin(apart[..., None] * speed)  # (T_q, T_k, d / 2)
    even, odd = k[..., None, :, 0::2], k[..., None, :, 1::2]
    scores = (
        q[..., :, None, 0::2] * (even * c - odd * s) + q[..., :, None, 1::2] * (even * s + odd * c)
    ).sum(-1)
    scores = scores / d**0.5
    if mask is not None:
        scores = torch.where(mask, scores, -math.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ v, weights


@exercise.alternative
def all_by_itself(q, k, v, mask=None):
    def turn(x):
        d = x.size(-1)
        angle = torch.arange(x.size(-2))[:, None] * 10_000.0 ** (-torch.arange(0, d, 2) / d)
        a, b = x[..., ::2], x[..., 1::2]
        pairs = (a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos())
        return torch.stack(pairs, -1).flatten(-2)

    scores = turn(q) @ turn(k).mT * q.size(-1) ** -0.5
    if mask is not None:
        scores = scores + torch.zeros(mask.shape).masked_fill(~mask, -math.inf)
    weights = scores.softmax(-1)
    return weights @ v, weights


exercise.slip(
    "values_too",
    "scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1)) → v = rotary(v, torch.arange(v.size(-2)))\n"
    "    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))",
).says(
    "The values are turned too, so what is averaged depends on absolute positions: positions belong in "
    "the scores, so turn queries and keys alone."
)
exercise.slip(
    "queries_alone",
    "q, k = (rotary(x, torch.arange(x.size(-2))) for x in (q, k)) → q = rotary(q, torch.arange(q.size(-2)))",
).says(
    "Only the queries are turned, so a score depends on where the query is, not on the distance: the keys "
    "have to be turned as well."
)
exercise.slip(
    "keys_alone",
    "q, k = (rotary(x, torch.arange(x.size(-2))) for x in (q, k)) → k = rotary(k, torch.arange(k.size(-2)))",
).says(
    "Only the keys are turned, so a score depends on where the key is, not on the distance: the queries "
    "have to be turned as well."
)
exercise.slip(
    "keys_turned_back",
    "(rotary(x, torch.arange(x.size(-2))) for x in (q, k)) → rotary(q, torch.arange(q.size(-2))), "
    "rotary(k, -torch.arange(k.size(-2)))",
).says(
    "Queries and keys are turned in opposite directions, so scores depend on i + j: turned in the same "
    "direction, what remains is the difference of the positions."
)
exercise.slip("not_turned", "    q, k = (rotary(x, torch.arange(x.size(-2))) for x in (q, k))\n →").says(
    "Nothing is turned here, so it is the attention of lesson 1, which doesn't notice order."
)


@exercise.misconception
def rotary_mask_forgotten(q, k, v, mask=None):
    """The mask isn't used, so every query sees every key: pass it on to the attention."""
    q, k = rotary(q, torch.arange(q.size(-2))), rotary(k, torch.arange(k.size(-2)))
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.size(-1)), dim=-1)
    return weights @ v, weights


exercise.slip("rotary_filled_with_minus_hundred", "math.inf → 100").says(
    "Hidden scores become a number such as −100, or are lowered by 100 or so, and where the visible scores "
    "are lower still, hidden keys get weight: only −∞, or the lowest number of the dtype, always hides."
)
exercise.slip("rotary_unscaled", " / math.sqrt(q.size(-1)) →").says(
    "The scores aren't divided by √d_k: turning keeps lengths, so the scale is needed as before."
)


@exercise.misconception
def keys_at_the_queries_positions(q, k, v, mask=None):
    """The keys get as many positions as there are queries: there can be more keys or fewer, so count theirs
    by their own number.
    """
    positions = torch.arange(q.size(-2))
    return scaled_dot_product_attention(rotary(q, positions), rotary(k, positions), v, mask)


@exercise.misconception
def positions_added_in(q, k, v, mask=None):
    """The sinusoidal table is added to queries and keys: rotary positions turn them, and add nothing."""
    added = []
    for x in (q, k):
        angles = torch.arange(x.size(-2))[:, None] * 10_000.0 ** (
            -torch.arange(0, x.size(-1), 2) / x.size(-1)
        )
        added.append(x + torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(start_dim=-2))
    return scaled_dot_product_attention(*added, v, mask)


exercise.slip(
    "queries_turned_as_the_last",
    "q, k = (rotary(x, torch.arange(x.size(-2))) for x in (q, k)) → q = rotary(q, torch.arange(k.size(-2) - "
    "q.size(-2), k.size(-2)))\n"
    "    k = rotary(k, torch.arange(k.size(-2)))",
).says("The last query is put at the last key's position, as with a cache: queries, too, are at 0, 1, 2, ...")
