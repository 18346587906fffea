"""Brevity penalty."""

import math

import torch
from torch import Generator

from autograder.entry import Entry
from autograder.exercises.translation import shared
from helpers import translation
from helpers.checking.calling.drivers import Case

exercise = Entry(
    id="translation.brevity_penalty",
    title="Brevity penalty",
    points=1,
    difficulty=1,
    minutes=4,
    reference=translation.brevity_penalty,
    forbidden=shared.LIBRARIES,
    returns=("penalty",),
)


@exercise.cases
def brevity_cases(g: Generator) -> list[Case]:
    """Shorter, equal, longer."""
    r = int(torch.randint(20, 3000, (), generator=g))
    return [
        Case("shorter", (r - r // 8 - 1, r)),
        Case("half as long", (r, 2 * r)),
        Case("as long", (r, r)),
        Case("longer", (r + 7, r)),
    ]


@exercise.alternative
def brevity_by_min(candidate_length, reference_length):
    return math.exp(min(0.0, 1 - reference_length / candidate_length))


@exercise.alternative
def brevity_by_tensors(candidate_length, reference_length):
    return float(
        torch.tensor(1 - reference_length / candidate_length, dtype=torch.float64).clamp(max=0).exp()
    )


exercise.slip(
    "long_ones_punished",
    "return math.exp(min(0.0, 1 - reference_length / candidate_length)) → c, r = candidate_length, "
    "reference_length\n"
    "    return 1.0 if c <= r else math.exp(1 - c / r)",
    of=brevity_by_min,
).says(
    "Long candidates are punished and short ones aren't: a long one has a low precision already, which is "
    "what a short one is tempted to avoid."
)
exercise.slip(
    "plain_ratio",
    "math.exp(1 - reference_length / candidate_length) if candidate_length else 0.0 → min(1.0, "
    "candidate_length / reference_length)",
).says(
    "This is the plain ratio of the lengths, with 1 as the most: the penalty is e to the power 1 - "
    "reference/candidate."
)
exercise.slip(
    "fraction_upside_down",
    "return math.exp(min(0.0, 1 - reference_length / candidate_length)) → c, r = candidate_length, "
    "reference_length\n"
    "    return 1.0 if c >= r else math.exp(1 - c / r)",
    of=brevity_by_min,
).says(
    "The fraction is upside down: 1 - candidate/reference is positive for a short candidate, so that it "
    "is rewarded."
)
exercise.slip(
    "long_ones_rewarded", "    if candidate_length >= reference_length:\n        return 1.0\n →"
).says("Longer candidates get more than 1: the penalty is 1 from equal length on.")
exercise.slip(
    "one_forgotten",
    "return math.exp(min(0.0, 1 - reference_length / candidate_length)) → c, r = candidate_length, "
    "reference_length\n"
    "    return 1.0 if c >= r else math.exp(-r / c)",
    of=brevity_by_min,
).says("The 1 in the exponent is missing, so that the penalty jumps from 0.37 to 1 at equal length.")
exercise.slip(
    "wrong_side_punished", "candidate_length >= reference_length → candidate_length < reference_length"
).says(
    "The two cases are swapped, the short ones get 1 and the long ones the exponential: the penalty is for "
    "candidates that are too short."
)
