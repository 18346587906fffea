"""The best size for a budget."""

import math

import torch
from torch import Generator

from autograder.drawing import pick
from autograder.entry import Entry
from helpers import pretraining
from helpers.checking.calling.drivers import Case
from helpers.checks import inputs_unchanged

exercise = Entry(
    id="pretraining.best_size",
    title="The best size for a budget",
    points=3,
    difficulty=3,
    minutes=10,
    reference=pretraining.best_size,
    returns=("size",),
    properties=(inputs_unchanged,),
)


@exercise.cases
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
        case("several models, not quite on a parabola", pick(g, 5, 7, 8), share, 0.05),
        case("the bottom near the largest", pick(g, 4, 7, 8), 0.9, 0.02),
        case("the bottom beyond the smallest", pick(g, 6, 7, 9), -0.1, 0.02),
    ]


@exercise.alternative
def best_size_with_numpy(sizes, gaps):
    import numpy as np

    a, b, _ = np.polyfit(np.log(np.asarray(sizes)), np.log(np.asarray(gaps)), 2)
    return float(np.exp(-b / (2 * a)))


@exercise.alternative
def best_size_centred(sizes, gaps):
    x, y = sizes.log(), gaps.log()
    middle = x.mean()
    rows = torch.stack([(x - middle) ** 2, x - middle, torch.ones_like(x)], dim=1)
    solution = torch.linalg.pinv(rows) @ y
    return torch.exp(middle - solution[1] / solution[0] / 2)


@exercise.alternative
def best_size_by_normal_equations(sizes, gaps):
    x = torch.log(sizes)
    shift = x[0].item()
    X = torch.vander(x - shift, 3)
    p = torch.linalg.solve(X.T @ X, X.T @ torch.log(gaps))
    return math.exp(shift - p[1].item() / (2 * p[0].item()))


exercise.slip("best_of_those_tried", "(x.mean() + (skew - slope / a) / 2).exp() → sizes[gaps.argmin()]").says(
    "This is the best of the sizes that were tried: the bottom of the curve usually lies between them."
)
exercise.slip(
    "sizes_without_logs",
    "sizes.log() → sizes",
    "(x.mean() + (skew - slope / a) / 2).exp() → x.mean() + (skew - slope / a) / 2",
).says(
    "The parabola is in the sizes themselves, which span a factor of ten and more: it is one in their "
    "logarithms."
)
exercise.slip("gaps_without_logs", "gaps.log() → gaps").says(
    "The parabola is in the gaps themselves: it is one in their logarithms, too."
)
exercise.slip(
    "logarithm_of_the_size", "(x.mean() + (skew - slope / a) / 2).exp() → x.mean() + (skew - slope / a) / 2"
).says("This is the size's logarithm: the size is e to that power.")
exercise.slip("two_forgotten", "x.mean() + (skew - slope / a) / 2 → 2 * x.mean() + skew - slope / a").says(
    "The slope 2ax + b is 0 at -b / 2a: here the 2 is missing."
)
exercise.slip(
    "sign_forgotten", "x.mean() + (skew - slope / a) / 2 → -x.mean() - (skew - slope / a) / 2"
).says("The slope 2ax + b is 0 at -b / 2a: here the sign is missing.")
exercise.slip("logs_of_another_base", "sizes.log(), gaps.log() → sizes.log10(), gaps.log10()").says(
    "The logarithms have base 10, and the way back has base e."
)
exercise.slip(
    "times_the_bend", "x.mean() + (skew - slope / a) / 2 → -(slope - a * skew - 2 * a * x.mean()) * a / 2"
).says(
    "-b / 2 * a is -b · a / 2 to Python, since it divides and multiplies from left to right: brackets "
    "around 2 * a are missing."
)
exercise.slip(
    "coefficients_from_behind",
    "return float((x.mean() + (skew - slope / a) / 2).exp()) → b = slope - a * skew - 2 * a * x.mean()\n"
    "    c = y.mean() - a * (x * x).mean() - b * x.mean()\n"
    "    return float((-b / (2 * c)).exp())",
).says("The coefficients are read in reverse, as c, b, a: np.polyfit gives that of the highest power first.")
