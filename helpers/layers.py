"""Layers and other functions of ours that a case can name: functions can't travel as data.

A case holds a *recipe*, `{"layer": a key of LAYERS, "weights": [tensors]}`, of which the
driver makes the function.
"""

from collections.abc import Callable, Mapping

import torch

from helpers import leaks


def is_recipe(value: object) -> bool:
    """Whether a case's argument stands for a function of ours."""
    return isinstance(value, Mapping) and "layer" in value


def make_layer(recipe: Mapping) -> Callable:
    """The function that a recipe describes."""
    return LAYERS[recipe["layer"]](*recipe.get("weights", ()))


def _self_attention(w_q: torch.Tensor, w_k: torch.Tensor, w_v: torch.Tensor) -> Callable:
    def layer(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w_v)

    return layer


LAYERS: dict[str, Callable[..., Callable]] = {
    "self-attention": _self_attention,
    "self-attention after adding positions": lambda *weights: (
        lambda x: _self_attention(*weights[:3])(x + weights[3])
    ),
    "a linear map of each position": lambda w: lambda x: x @ w,
    "the mean over positions": lambda w: (
        lambda x: (x @ w).mean(dim=-2, keepdim=True).expand(*x.shape[:-1], w.size(-1))
    ),
    "a running sum": lambda w: lambda x: (x @ w).cumsum(dim=-2),
    **leaks.LAYERS,
}
