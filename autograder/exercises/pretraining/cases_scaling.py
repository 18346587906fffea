"""Pretraining's cases about sizes and budgets: what each exercise's answer is called with."""

import math

import torch
from torch import Generator

from helpers.checking.calling.drivers import Case


def best_size_cases(g: Generator) -> list[Case]:
    """Small numbers, in any unit. The bottom lies between the models, near an edge, and beyond; noisy."""

    def case(title: str, count: int, where: float, noise: float = 0.0) -> Case:
        first = 0.5 + 1.5 * float(torch.rand((), generator=g))
        steps = 0.4 + torch.rand(count, generator=g, dtype=torch.float64)
        sizes = (first + steps.cumsum(0)).exp()
        x = sizes.log()
        bottom = float(x[0] + where * (x[-1] - x[0]))
        curve = 0.2 + 0.3 * float(torch.rand((), generator=g))
        logs = curve * (x - bottom) ** 2 - 1 + noise * torch.randn(count, generator=g, dtype=torch.float64)
        return Case(title, (sizes, logs.exp()))

    share = 0.35 + 0.3 * float(torch.rand((), generator=g))
    return [
        case("three models", 3, share),
        case("five models, not quite on a parabola", 5, share, 0.05),
        case("four models, the bottom near the largest", 4, 0.9, 0.02),
        case("six models, the bottom beyond the smallest", 6, -0.1, 0.02),
    ]


def optimal_cases(g: Generator) -> list[Case]:
    """Small numbers, in any unit. Two budgets and more, asked within them and beyond, with noise."""

    def case(title: str, count: int, ask: float, noise: float = 0.0) -> Case:
        budgets = (3 + (0.7 + torch.rand(count, generator=g, dtype=torch.float64)).cumsum(0)).exp()
        power = 0.4 + 0.4 * float(torch.rand((), generator=g))
        logs = power * (budgets.log() - 3) + 1 + noise * torch.randn(count, generator=g, dtype=torch.float64)
        flops = math.exp(float(budgets[-1].log()) + ask)
        return Case(title, (budgets, logs.exp(), flops))

    return [
        case("two budgets, asked for a larger one", 2, 1.5),
        case("four budgets, not quite on a line", 4, 2.0, 0.2),
        case("five budgets, asked for a smaller one", 5, -3.0, 0.1),
    ]
