"""An accuracy with its interval."""

import math

import torch
from torch import Generator

from headstart import Case, Entry
from helpers import finetuning

exercise = Entry(
    id="finetuning.wilson",
    title="An accuracy with its interval",
    points=2,
    difficulty=2,
    minutes=7,
    reference=finetuning.wilson,
    returns=("lower", "upper"),
)


@exercise.cases
def wilson_cases(g: Generator) -> list[Case]:
    """Ordinary accuracies, all right, all wrong, another z."""
    n = _between(g, 200, 600)
    return [
        Case("some hundred reviews", (_between(g, n // 2, 9 * n // 10), n, 1.96)),
        Case("few reviews", (_between(g, 3, 7), 10, 1.96)),
        Case("all of them right", (few := _between(g, 8, 30), few, 1.96)),
        Case("none of them right", (0, _between(g, 8, 30), 1.96)),
        Case("an interval for 99 %", (_between(g, 40, 60), 80, 2.576)),
    ]


def _between(g: Generator, least: int, most: int) -> int:
    return int(torch.randint(least, most + 1, (), generator=g))


@exercise.alternative
def wilson_multiplied_out(correct, n, z):
    middle = correct + z * z / 2
    spread = z * (correct * (n - correct) / n + z * z / 4) ** 0.5
    return (middle - spread) / (n + z * z), (middle + spread) / (n + z * z)


@exercise.alternative
def wilson_as_roots(correct, n, z):
    share = correct / n
    a, b, c = 1 + z**2 / n, -(2 * share + z**2 / n), share**2
    root = math.sqrt(max(0.0, b * b - 4 * a * c))
    return (-b - root) / (2 * a), (-b + root) / (2 * a)


exercise.slip(
    "plain_interval",
    "z * math.sqrt(p * (1 - p) / n + extra / (4 * n)) / (1 + extra) → z * math.sqrt(p * (1 - p) / n)",
    "centre - half → p - half",
    "centre + half → p + half",
).says(
    "This is p ± z √(p (1 - p) / n), the plain normal interval: with all right it has length 0, as if "
    "nothing could ever go wrong."
)
exercise.slip("deviation_of_one", "p * (1 - p) / n → (p * (1 - p))", " * n →").says(
    "The division by n under the root is missing: this is how much single reviews vary, not their mean."
)
exercise.slip(
    "z_missing",
    "z * math.sqrt(p * (1 - p) / n + extra / (4 * n)) → math.sqrt(p * (1 - p) / n + extra / (4 * n))",
).says("The half length isn't multiplied by z, so this covers about 68 % instead of 95 %.")
exercise.slip("centre_not_moved", "centre - half → p - half", "centre + half → p + half").says(
    "The interval lies around p: its centre should be drawn a little towards one half."
)
exercise.slip("z_not_squared", "**2 →").says("z²/n is z/n here: the square is missing.")
exercise.slip("square_divided_twice", "extra / (4 * n) → extra / (4 * n * n)").says(
    "Under the root z² is divided by 4n³: it is 4n², so don't divide by n once more."
)
exercise.slip("brackets_forgotten", "(p + extra / 2) / (1 + extra) → p + extra / 2 / (1 + extra)").says(
    "Only z²/(2n) is divided by 1 + z²/n: p is too, so put p + z²/(2n) in brackets."
)
exercise.slip("n_not_squared", " * n →").says(
    "Under the root z² is divided by 4n: it is 4n², so z²/n divided by 4n."
)
exercise.slip(
    "not_divided",
    "z * math.sqrt(p * (1 - p) / n + extra / (4 * n)) / (1 + extra) → z * math.sqrt(p * (1 - p) / n + "
    "extra / (4 * n))",
    "centre - half → (p + extra / 2) - half",
    "centre + half → (p + extra / 2) + half",
).says("The division by 1 + z²/n is missing, at the centre and at the half length.")
exercise.slip(
    "in_per_cent", "centre - half, centre + half → 100 * (centre - half), 100 * (centre + half)"
).says("This is in per cent: return shares between 0 and 1.")
exercise.slip(
    "z_for_its_square",
    "(p + extra / 2) / (1 + extra) → (p + extra / 2) / (1 + (z / n))",
    "z * math.sqrt(p * (1 - p) / n + extra / (4 * n)) / (1 + extra) → z * math.sqrt(p * (1 - p) / n + "
    "extra / (4 * n)) / (1 + (z / n))",
).says("The divisor is 1 + z/n: it should be 1 + z²/n.")
exercise.slip(
    "half_not_divided",
    "z * math.sqrt(p * (1 - p) / n + extra / (4 * n)) / (1 + extra) → z * math.sqrt(p * (1 - p) / n + "
    "extra / (4 * n))",
).says("The centre is divided by 1 + z²/n, but the half length isn't: both are.")
exercise.slip("centre_and_half", "centre - half, centre + half → (p + extra / 2) / (1 + extra), half").says(
    "These are the centre and the half length: the interval goes from centre − half to centre + half."
)
exercise.slip("whole_square_added", " / 2 →").says(
    "The centre moves by z²/n, twice as far as it should: add z²/(2n) to p."
)
exercise.slip("centre_multiplied_by_n", "extra / 2 → z**2 / 2 * n").says(
    "The centre's `z**2 / 2 * n` multiplies by n: put what you divide by in brackets: z**2 / (2 * n)."
)
exercise.slip("root_multiplied_by_n", "extra / (4 * n) → z**2 / 4 * n**2").says(
    "Under the root `z**2 / 4 * n**2` multiplies by n²: put what you divide by in brackets: "
    "z**2 / (4 * n**2)."
)
exercise.slip(
    "multiplied_by_n",
    "z**2 / n → z**2",
    "extra / 2) / (1 + extra) → extra / 2 * n) / (1 + extra / n)",
    "extra / (4 * n)) / (1 + extra) → extra / 4 * n**2) / (1 + extra / n)",
).says("`z**2 / 2 * n` multiplies by n, and so does `z**2 / 4 * n**2`: put what you divide by in brackets.")
