"""Several seeds."""

import math

import torch
from torch import Generator

from headstart import Case, Entry, inputs_unchanged
from helpers import finetuning
from helpers.finetuning import T_95

exercise = Entry(
    id="finetuning.t_interval",
    title="Several seeds",
    points=2,
    difficulty=2,
    minutes=7,
    reference=finetuning.t_interval,
    returns=("lower", "upper"),
    properties=(inputs_unchanged,),
)


@exercise.cases
def t_cases(g: Generator) -> list[Case]:
    """Five seeds, three, two, ten; and one that they all agree on."""
    quantiles = list(T_95)
    alike = [*_accuracies(g, 1)] * 4
    counts = (("five", 5), ("three", 3), ("two", 2), ("ten", 10))
    some = [Case(f"{name} seeds", (_accuracies(g, count), quantiles)) for name, count in counts]
    return [*some, Case("all seeds agree", (alike, quantiles))]


def _accuracies(g: Generator, count: int) -> list[float]:
    return [round(value, 3) for value in (0.5 + 0.4 * torch.rand(count, generator=g)).tolist()]


@exercise.alternative
def t_with_torch(values, quantiles):
    numbers = torch.tensor(values, dtype=torch.float64)
    half = quantiles[len(values) - 1] * numbers.std() / math.sqrt(len(values))
    return (numbers.mean() - half).item(), (numbers.mean() + half).item()


@exercise.alternative
def t_step_by_step(values, quantiles):
    count, total = len(values), 0.0
    mean = sum(values) / count
    for value in values:
        total += (value - mean) * (value - mean)
    deviation = math.sqrt(total / (count - 1))
    error = deviation / math.sqrt(count)
    return [mean - quantiles[count - 1] * error, mean + quantiles[count - 1] * error]


exercise.slip("deviation_for_error", "variance / n → sum((v - mean) ** 2 for v in values) / (n - 1)").says(
    "This takes the standard deviation, which says how far single seeds lie apart: their mean is more "
    "certain, by √n."
)
exercise.slip("divided_by_n", "variance / n → (sum((v - mean) ** 2 for v in values) / n) / n").says(
    "The squares are divided by n: a deviation around a mean of the same values needs n - 1, since the "
    "mean lies too near to them."
)
exercise.slip(
    "normal_quantile",
    "variance = sum((value - mean) ** 2 for value in values) / (n - 1) → half = 1.96 * math.sqrt(sum((v - "
    "mean) ** 2 for v in values) / (n - 1) / n)",
    "    half = quantiles[n - 1] * math.sqrt(variance / n)\n →",
).says(
    "This takes 1.96, which holds for many values: with a few seeds the deviation itself is uncertain, "
    "and Student's t allows for that."
)
exercise.slip("degrees_are_n", "quantiles[n - 1] → quantiles[n]").says(
    "This looks the quantile up at n: the degrees of freedom are n - 1, since the mean has used up one."
)
exercise.slip(
    "n_for_its_root",
    "math.sqrt(variance / n) → math.sqrt(sum((v - mean) ** 2 for v in values) / (n - 1)) / n",
).says("The deviation is divided by n: the standard error is the deviation divided by √n.")
exercise.slip("variance_for_deviation", "math.sqrt(variance / n) → variance / math.sqrt(n)").says(
    "This is the variance over √n: the deviation is the variance's root."
)
exercise.slip("degrees_for_n", "variance / n → variance / (n - 1)").says(
    "The squares are divided by n - 1 twice: once gives the variance, and the standard error is its "
    "root divided by √n."
)
exercise.slip("whole_range", "mean - half, mean + half → min(values), max(values)").says(
    "These are the smallest and the largest value: a range grows with more seeds, an interval for the "
    "mean shrinks."
)
exercise.slip(
    "population_and_degrees",
    "sum((value - mean) ** 2 for value in values) / (n - 1) → math.sqrt(sum((value - mean) ** 2 for value "
    "in values) / n)",
    "quantiles[n - 1] * math.sqrt(variance / n) → quantiles[n - 2] * variance / math.sqrt(n)",
).says(
    "The squares are divided by n, and the quantile has n - 2 degrees of freedom: one mean is "
    "estimated, so both take n - 1."
)
exercise.slip("degrees_less_two", "quantiles[n - 1] → quantiles[n - 2]").says(
    "The quantile has n - 2 degrees of freedom, as if a line had been fitted: one mean is estimated, "
    "which leaves n - 1."
)
exercise.slip(
    "mean_and_half",
    "mean - half, mean + half → mean, quantiles[n - 1] * math.sqrt(sum((v - mean) ** 2 for v in values) / "
    "(n - 1) / n)",
).says("These are the mean and the half length: the interval goes from mean − half to mean + half.")
