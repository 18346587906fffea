"""Weights or tokens."""

import math

import torch
from torch import Generator

from headstart import Case, Entry, inputs_unchanged, pick
from helpers import pretraining

exercise = Entry(
    id="pretraining.compute_optimal",
    title="Weights or tokens",
    points=3,
    difficulty=3,
    minutes=10,
    reference=pretraining.compute_optimal,
    returns=("weights", "tokens"),
    properties=(inputs_unchanged,),
)


@exercise.cases
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
        case("several budgets, not quite on a line", pick(g, 4, 3, 6), 2.0, 0.2),
        case("several budgets, asked for a smaller one", pick(g, 5, 4, 7), -3.0, 0.1),
    ]


@exercise.alternative
def optimal_with_numpy(budgets, best, flops):
    import numpy as np

    slope, offset = np.polyfit(np.log(np.asarray(budgets)), np.log(np.asarray(best)), 1)
    N = np.exp(slope * np.log(flops) + offset)
    return N, flops / 6 / N


@exercise.alternative
def optimal_by_covariance(budgets, best, flops):
    x, y = budgets.log(), best.log()
    dx = x - x.mean()
    slope = (dx * y).sum() / (dx * dx).sum()
    size = torch.exp(y.mean() + slope * (math.log(flops) - x.mean()))
    tokens = flops / (6 * size)
    return size.item(), tokens.item()


@exercise.alternative
def optimal_with_lstsq(budgets, best, flops):
    rows = torch.stack([torch.log(budgets), torch.ones_like(budgets)], dim=1)
    line = torch.linalg.lstsq(rows, torch.log(best).unsqueeze(1)).solution.squeeze(1)
    log_size = line[0] * math.log(flops) + line[1]
    return log_size.exp(), (math.log(flops) - math.log(6) - log_size).exp()


exercise.slip("six_forgotten", "6 * size → size").says(
    "A token takes 6 operations for each weight, 2 forward and 4 backward: the 6 is missing."
)
exercise.slip("forward_alone", "6 * size → 2 * size").says(
    "This counts 2 operations for each weight and token, the forward pass alone: training takes 6."
)
exercise.slip("exchanged", "size, flops / (6 * size) → flops / (6 * size), size").says(
    "Size and tokens are swapped: the size comes first."
)
exercise.slip(
    "twenty_tokens",
    "math.exp(float(y.mean()) + slope * (math.log(flops) - float(x.mean()))) → math.sqrt(flops / 120)",
    "flops / (6 * size) → 20 * size",
).says("This is Chinchilla's rule, 20 tokens per weight, whatever was measured: use the budgets given.")
exercise.slip(
    "no_logs",
    "x - x.mean() → budgets - budgets.mean()",
    "u * y → u * best",
    "math.exp(float(y.mean()) + slope * (math.log(flops) - float(x.mean()))) → float(best.mean()) + slope "
    "* (flops - float(budgets.mean()))",
).says("The line goes through sizes and budgets themselves: a power law is a line in their logarithms.")
exercise.slip(
    "largest_kept",
    "math.exp(float(y.mean()) + slope * (math.log(flops) - float(x.mean()))) → float(best[-1])",
).says("This keeps the best size of the largest budget: a different budget has a different best size.")
exercise.slip(
    "ends_alone",
    "(u * y).sum() / (u * u).sum() → (y[-1] - y[0]) / (x[-1] - x[0])",
    "y.mean() → y[-1]",
    "float(x.mean()) → float(x[-1])",
).says("The line goes through the first and the last point alone: all of them count, by least squares.")
exercise.slip(
    "no_offset",
    "u * y → x * y",
    "u * u → x * x",
    "float(y.mean()) + slope * (math.log(flops) - float(x.mean())) → slope * math.log(flops)",
).says("The line is made to go through 0: it has an offset as well.")
exercise.slip(
    "slope_and_offset_exchanged",
    "y.mean() + slope * (math.log(flops) - x.mean()) → slope + (y.mean() - slope * x.mean()) * "
    "(math.log(flops))",
    of=optimal_by_covariance,
).says("Slope and offset are swapped: np.polyfit gives the slope first.")
exercise.slip("budgets_by_sizes", "budgets.log() → best.log()", "best.log() → budgets.log()").says(
    "The line gives a budget for each size: here the budget is given, so budgets are x and sizes y."
)
exercise.slip(
    "back_by_another_base",
    "budgets.log(), best.log() → budgets.log10(), best.log10()",
    "math.log(flops) → math.log10(flops)",
).says("The logarithms have base 10, and the way back has base e.")
