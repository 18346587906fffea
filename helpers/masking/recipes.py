"""Layers that do and don't look ahead, to try a leak detector on.

Each takes (..., T, d). They hold no solution of a lesson: what they get wrong is what they are for.
"""

import math
from collections.abc import Callable

import torch

from helpers.checking.calling.registry import register

Layer = Callable[[torch.Tensor], torch.Tensor]


def _up_to(count: int, shift: int = 0) -> torch.Tensor:
    """0 where a query may look, -inf after position i + shift."""
    places = torch.arange(count)
    return torch.zeros(count, count).masked_fill(places > places.unsqueeze(-1) + shift, -math.inf)


def _attend(x: torch.Tensor, weights: tuple, bias: torch.Tensor) -> torch.Tensor:
    w_q, w_k, w_v = weights
    scores = (x @ w_q) @ (x @ w_k).transpose(-2, -1) / math.sqrt(w_q.size(-1)) + bias.to(x.dtype)
    return scores.softmax(dim=-1) @ (x @ w_v)


def causal(*weights: torch.Tensor) -> Layer:
    """Self-attention that doesn't look ahead."""
    return lambda x: _attend(x, weights, _up_to(x.size(-2)))


def one_too_far(*weights: torch.Tensor) -> Layer:
    """The diagonal is one too high: each position sees the next."""
    return lambda x: _attend(x, weights, _up_to(x.size(-2), 1))


def window_of_two(*weights: torch.Tensor) -> Layer:
    """Each position sees itself and the one before."""

    def layer(x: torch.Tensor) -> torch.Tensor:
        ahead = _up_to(x.size(-2))
        long_ago = torch.where(_up_to(x.size(-2), -2) == 0, -math.inf, 0.0)
        return _attend(x, weights, ahead + long_ago)

    return layer


def hidden_too_late(*weights: torch.Tensor) -> Layer:
    """Weights of the future become 0 after the softmax, whose denominator has seen it."""
    w_q, w_k, w_v = weights

    def layer(x: torch.Tensor) -> torch.Tensor:
        scores = (x @ w_q) @ (x @ w_k).transpose(-2, -1) / math.sqrt(w_q.size(-1))
        return (scores.softmax(dim=-1) * _up_to(x.size(-2)).exp().to(x.dtype)) @ (x @ w_v)

    return layer


def over_the_queries(*weights: torch.Tensor) -> Layer:
    """The softmax runs over the queries: a triangle of weights, made with queries that are still to come."""
    w_q, w_k, w_v = weights

    def layer(x: torch.Tensor) -> torch.Tensor:
        scores = (x @ w_q) @ (x @ w_k).transpose(-2, -1) / math.sqrt(w_q.size(-1))
        return (scores + _up_to(x.size(-2)).to(x.dtype)).softmax(dim=-2) @ (x @ w_v)

    return layer


def opposite_features(w: torch.Tensor) -> Layer:
    """Sums up to each position, and the same with the other sign: the features of an output sum to 0.

    With exact weights, such as multiples of 1/8, slopes cancel exactly, in whatever order they are added.
    """

    def layer(x: torch.Tensor) -> torch.Tensor:
        sums = (x @ w).cumsum(dim=-2)
        return torch.cat([sums, -sums], dim=-1)

    return layer


def far_from_zero(threshold: torch.Tensor) -> Layer:
    """Running sums of what lies above a threshold: at numbers below it, nothing depends on anything."""
    return lambda x: (x - threshold).relu().cumsum(dim=-2)


def first_feature_alone(*weights: torch.Tensor) -> Layer:
    """The first feature of an output depends on its own position, the others on all up to the next."""
    layer = one_too_far(*weights)
    return lambda x: torch.cat([x[..., :1], layer(x)], dim=-1)


def by_a_table(w: torch.Tensor, table: torch.Tensor) -> Layer:
    """A linear map of the sum of those positions that a table names, row by row: 1 for seen, 0 for not."""
    T = math.isqrt(table.numel())

    def layer(x: torch.Tensor) -> torch.Tensor:
        seen = table.reshape(T, T)[: x.size(-2), : x.size(-2)]
        return seen.to(x.dtype) @ (x @ w)

    return layer


LAYERS: dict[str, Callable[..., Layer]] = {
    "causal self-attention": causal,
    "a mask whose diagonal is one too high": one_too_far,
    "a window of two positions": window_of_two,
    "positions that see each other by chance": by_a_table,
    "weights set to 0 after the softmax": hidden_too_late,
    "a softmax over the queries": over_the_queries,
    "running sums whose features sum to 0": opposite_features,
    "running sums of what lies above 5": far_from_zero,
    "a first feature that looks at its own position alone": first_feature_alone,
}

register(LAYERS)
