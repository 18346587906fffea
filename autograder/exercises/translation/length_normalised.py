"""Length normalisation."""

import math

import torch
from torch import Generator

from autograder.entry import Entry
from helpers import translation
from helpers.checking.calling.drivers import Case

exercise = Entry(
    id="translation.length_normalised",
    title="Length normalisation",
    points=1,
    difficulty=1,
    minutes=4,
    reference=translation.length_normalised,
    returns=("score",),
)


@exercise.cases
def normalised_cases(g: Generator) -> list[Case]:
    """Some lengths and α, 0 among them."""
    values = (-5 * torch.rand(3, generator=g) - 1).tolist()
    return [
        Case("one token", (values[0], 1, 0.6)),
        Case("seven tokens, the paper's α", (values[1], 7, 0.6)),
        Case("fifteen tokens, α = 1", (values[2], 15, 1.0)),
        Case("no normalisation", (-2.5, int(torch.randint(3, 30, (), generator=g)), 0.0)),
    ]


@exercise.alternative
def normalised_with_pow(log_p, length, alpha):
    return log_p / (math.pow(5 + length, alpha) / math.pow(5 + 1, alpha))


@exercise.alternative
def normalised_with_exp(log_p, length, alpha):
    return log_p * math.exp(-alpha * (math.log(length + 5) - math.log(6)))


exercise.slip("by_plain_length", "(5 + length) / 6 → length").says(
    "This divides by length^α: also a fair choice, but here it is ((5 + length) / 6)^α, which is gentler "
    "to short sentences."
)
exercise.slip(
    "multiplied_by_it", "log_p / ((5 + length) / 6) ** alpha → log_p * ((5 + length) / 6) ** alpha"
).says("The log-probability is multiplied by the penalty, which makes long sentences worse still.")
exercise.slip("power_above_alone", "math.pow(5 + 1, alpha) → 6", of=normalised_with_pow).says(
    "The power is taken of 5 + length alone: the 6 belongs inside it, so that one token has the penalty 1."
)
exercise.slip("beginning_counted", "5 + length → 6 + length").says(
    "One token too many is counted: `length` has `<eos>` in it already, and `<bos>` isn't written."
)
exercise.slip("end_taken_off", "5 + length → 4 + length").says(
    "One token too few is counted: `<eos>` counts."
)
exercise.slip(
    "penalty_subtracted", "log_p / ((5 + length) / 6) ** alpha → log_p - ((5 + length) / 6) ** alpha"
).says("The penalty is subtracted: log-probabilities of long sentences are large in size, so it divides.")
