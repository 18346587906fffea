"""Layers that do and don't notice the order of their positions: (..., T, d) to (..., T, d)."""

from collections.abc import Callable

import torch

from helpers.checking.calling.registry import register


def _self_attention(w_q: torch.Tensor, w_k: torch.Tensor, w_v: torch.Tensor) -> Callable:
    def layer(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w_v)

    return layer


def running_sum(w: torch.Tensor) -> Callable:
    """The sum of a linear map of each position and of all before it."""
    return lambda x: (x @ w).cumsum(dim=-2)


register(
    {
        "self-attention": _self_attention,
        "self-attention after adding positions": lambda *weights: (
            lambda x: _self_attention(*weights[:3])(x + weights[3])
        ),
        "a linear map of each position": lambda w: lambda x: x @ w,
        "the mean over positions": lambda w: (
            lambda x: (x @ w).mean(dim=-2, keepdim=True).expand(*x.shape[:-1], w.size(-1))
        ),
        "a running sum": running_sum,
    }
)
