"""Experts to try a mixture on. They hold no solution."""

from collections.abc import Callable

import torch

from helpers.checking.calling.registry import register

Expert = Callable[[torch.Tensor], torch.Tensor]


def _experts(*weights: torch.Tensor) -> list[Expert]:
    """An expert for each weight (C, C): x to tanh(x W), (n, C)."""

    def expert(weight: torch.Tensor) -> Expert:
        return lambda x: torch.tanh(x @ weight)

    return [expert(weight) for weight in weights]


def _readers(*weights: torch.Tensor) -> list[Expert]:
    """Experts of whom number e can read only tokens whose feature e is above 0: of others comes NaN."""

    def reader(weight: torch.Tensor, feature: int) -> Expert:
        return lambda x: x[..., feature : feature + 1].rsqrt() * torch.tanh(x @ weight)

    return [reader(weight, feature) for feature, weight in enumerate(weights)]


register({"experts": _experts, "experts that read nothing but their own": _readers})
