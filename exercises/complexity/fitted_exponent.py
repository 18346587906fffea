"""An exponent from measured times."""

import math

import torch
from torch import Generator, Tensor

from headstart import Case, Entry, inputs_unchanged, pick
from helpers import complexity

exercise = Entry(
    id="complexity.fitted_exponent",
    title="An exponent from measured times",
    points=3,
    difficulty=3,
    minutes=10,
    reference=complexity.fitted_exponent,
    returns=("exponent",),
    properties=(inputs_unchanged,),
)


@exercise.cases
def exponent_cases(g: Generator) -> list[Case]:
    """Exact powers and scattered ones, over sizes that aren't evenly spaced."""
    p = 0.5 + 2 * float(torch.rand((), generator=g))
    sizes = torch.tensor([64.0, 100.0, 300.0, 1000.0, 1800.0])[: pick(g, 4, 5, 3)]
    few = torch.tensor([10.0, 12.0, 40.0, 200.0, 230.0, 700.0, 900.0])[: pick(g, 5, 6, 7)]
    unordered = torch.tensor([0.5, 8.0, 0.125, 2.0, 0.75])[torch.randperm(pick(g, 5, 4, 3), generator=g)]
    return [
        Case("an exact power of the size", _power_law(g, sizes, p, 0)),
        Case("scattered times", _power_law(g, few, 1 + p / 2, 0.4)),
        Case("times in float64", _power_law(g, few.double() * 3, p, 0.5)),
        Case("a time that falls as the size grows", _power_law(g, sizes, -p, 0.3)),
        Case("two sizes", _power_law(g, sizes[[0, 2]], p, 0.1)),
        Case("small sizes in no order", _power_law(g, unordered, p, 0.2)),
    ]


def _power_law(g: Generator, sizes: Tensor, p: float, scatter: float) -> tuple[Tensor, Tensor]:
    noise = (scatter * torch.randn(len(sizes), generator=g)).exp().to(sizes.dtype)
    return sizes, (0.5 + torch.rand((), generator=g)) * (sizes / 50) ** p * noise


@exercise.alternative
def by_covariance(sizes, times):
    points = torch.stack([torch.log2(sizes), torch.log2(times)])
    covariance = torch.cov(points)
    return covariance[0, 1] / covariance[0, 0]


@exercise.alternative
def by_least_squares(sizes, times):
    x = torch.stack([sizes.log(), torch.ones_like(sizes)], dim=1)
    return torch.linalg.lstsq(x, times.log().unsqueeze(1)).solution[0, 0]


@exercise.alternative
def in_plain_python(sizes, times):
    x = [math.log(size) for size in sizes.tolist()]
    y = [math.log(time) for time in times.tolist()]
    count, sum_x, sum_y = len(x), sum(x), sum(y)
    products = sum(a * b for a, b in zip(x, y, strict=True))
    return (count * products - sum_x * sum_y) / (count * sum(a * a for a in x) - sum_x**2)


exercise.slip("linear_axes", "x - x.mean(), y - y.mean() → sizes - sizes.mean(), times - times.mean()").says(
    "This is the slope of the times as they are: a power law is a straight line only on log-log axes, so "
    "take the logarithm of both."
)
exercise.slip("logarithm_of_times_alone", "x - x.mean() → sizes - sizes.mean()").says(
    "The logarithm is taken of the times alone, which fits an exponential: a power of the size needs the "
    "logarithm of the sizes too."
)
exercise.slip("logarithm_of_sizes_alone", "y - y.mean() → times - times.mean()").says(
    "The logarithm is taken of the sizes alone: a power law is a straight line only if you take it of "
    "the times as well."
)
exercise.slip(
    "axes_swapped",
    "sizes.log(), times.log() → sizes.log() - sizes.log().mean(), times.log() - times.log().mean()",
    "    x, y = x - x.mean(), y - y.mean()\n →",
    "x * x → y * y",
).says(
    "The axes are swapped: divide by the sum of the squares of the sizes' deviations, since it is the "
    "times that are fitted as a function of the sizes."
)
exercise.slip(
    "first_and_last",
    "(x * y).sum() / (x * x).sum() → torch.log(times[-1] / times[0]) / torch.log(sizes[-1] / sizes[0])",
).says(
    "Only the first and the last point are used: the least-squares line uses all of them, so one bad "
    "measurement weighs less."
)
exercise.slip("through_the_origin", "    x, y = x - x.mean(), y - y.mean()\n →").says(
    "The means aren't subtracted, which forces the line through the origin: there the time of size 1 "
    "would be exactly 1."
)
exercise.slip("mean_of_ratios", "(x * y).sum() / (x * x).sum() → (times.log() / sizes.log()).mean()").says(
    "This is the mean of log time over log size, which a constant factor in front changes: fit a line, "
    "and take its slope."
)
exercise.slip(
    "the_intercept",
    "x, y = x - x.mean(), y - y.mean() → slope = ((x - x.mean()) * (y - y.mean())).sum() / ((x - "
    "x.mean()) ** 2).sum()",
    "(x * y).sum() / (x * x).sum() → y.mean() - slope * x.mean()",
).says("This is the line's intercept, where it crosses the vertical axis: the exponent is its slope.")
exercise.slip(
    "correlation",
    "sizes.log(), times.log() → sizes.log() - sizes.log().mean(), times.log() - times.log().mean()",
    "    x, y = x - x.mean(), y - y.mean()\n →",
    "(x * x).sum() → torch.sqrt((x * x).sum() * (y * y).sum())",
).says(
    "This is the correlation, which says how well a line fits: for its slope, divide by the sum of the "
    "squares of the sizes' deviations alone."
)
exercise.slip(
    "sums_before_products",
    "    x, y = x - x.mean(), y - y.mean()\n →",
    "(x * y).sum() → (torch.sum(x - x.mean()) * (y - y.mean()).sum()).round()",
).says(
    "The numerator is 0: deviations from their mean always sum to 0, so multiply them pair by pair before "
    "you sum."
)
exercise.slip(
    "one_less_in_the_variance",
    "    x, y = x - x.mean(), y - y.mean()\n →",
    "(x * y).sum() / (x * x).sum() → ((x - x.mean()) * (y - y.mean())).mean() / x.var()",
).says(
    "The numerator is a mean over N points, but the variance of the sizes is divided by N − 1, as "
    ".var() does it: with the same divisor in both, it cancels."
)
exercise.slip(
    "logarithms_of_means",
    "sizes.log(), times.log() → sizes.log() - sizes.mean().log(), times.log() - times.mean().log()",
    "    x, y = x - x.mean(), y - y.mean()\n →",
).says(
    "The means are taken before the logarithms: the line goes through the mean of the logarithms, which "
    "isn't the logarithm of the mean."
)
exercise.slip("mean_of_slopes", "(x * y).sum() / (x * x).sum() → (y.diff() / x.diff()).mean()").says(
    "This is the mean of the slopes from point to point, to which two close points contribute as much as two "
    "distant ones: fit one line to all points."
)
