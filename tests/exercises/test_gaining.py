"""Wrong answers fail on every draw: sizes that are written in, fills that are too small, rules bent at one end.

Mistakes that have a sentence of their own are in `exercises/`, and `test_exercises.py` judges them.
"""

import functools
import math

import pytest
import torch

from autograder import exercises
from autograder.sheets import VISIBLE_SEED, make_sheet
from helpers.checking.calling.drivers import run
from helpers.checks import Finding, assess
from helpers.positional import rotary
from tests.support.proved import COURSE, follows_from

pytestmark = follows_from(*COURSE)

SEEDS = [VISIBLE_SEED, *(f"draw {number}" for number in range(32))]


@functools.cache
def sheets(exercise_id: str) -> list:
    exercise = exercises.load(exercise_id.partition(".")[0])[exercise_id]
    return [make_sheet(exercise, seed, misconceptions=False) for seed in SEEDS]


def judged(exercise_id: str, answer) -> list[Finding]:
    exercise = exercises.load(exercise_id.partition(".")[0])[exercise_id]
    how = {"gradients": exercise.gradients, "forbidden": exercise.forbidden}
    return [
        assess(sheet, [run(exercise.driver, answer, case, **how) for case in sheet.cases])
        for sheet in sheets(exercise_id)
    ]


def softmax_by_attention(x, dim):
    x = x.movedim(dim, -1)
    one = torch.eye(x.size(-1), dtype=x.dtype)
    rows = x.reshape(-1, x.size(-1))
    weights = torch.nn.functional.scaled_dot_product_attention(rows, one, one, scale=1.0)
    return weights.reshape(x.shape).movedim(-1, dim)


def prefixes_of(T):
    def prefix_passes(layer, x):
        return torch.stack([layer(x[..., :end, :])[..., -1, :] for end in range(1, T + 1)], dim=-2)

    return prefix_passes


def rotary_attention(fill, *, root=None, T=None):
    def attention(q, k, v, mask=None):
        q, k = (rotary(x, torch.arange(T or x.size(-2))) for x in (q, k))
        scores = q @ k.transpose(-2, -1) / (root or math.sqrt(q.size(-1)))
        if mask is not None:
            scores = fill(scores, mask)
        weights = scores.softmax(dim=-1)
        return weights @ v, weights

    return attention


def hidden_by(number):
    return lambda scores, mask: scores.masked_fill(~mask, number)


def lowered_by(number):
    return lambda scores, mask: scores + ~mask * number


def above_a_thousandth(layer, x):
    slopes = torch.autograd.functional.jacobian(layer, x)
    return slopes.abs().mean(dim=(1, 3)) > 1e-3


def below_zero_alone(layer, x):
    return (torch.autograd.functional.jacobian(layer, x) < 0).any(dim=3).any(dim=1)


def passages_joined_in_place(first, second, length):
    while len(first) + len(second) + 3 > length:
        (first if len(first) > len(second) else second).pop()
    segments = [0] * (len(first) + 2) + [1] * (len(second) + 1)
    first += [5, *second, 5]
    return [4, *first], segments


@pytest.mark.parametrize(
    ("exercise_id", "answer"),
    [
        ("attention.softmax", softmax_by_attention),
        *(("masking.prefixes", prefixes_of(T)) for T in (3, 4, 5, 6, 7)),
        *(("positional.rotary_attention", rotary_attention(hidden_by(-math.inf), T=T)) for T in (3, 5, 7)),
        *(
            ("positional.rotary_attention", rotary_attention(hidden_by(-math.inf), root=math.sqrt(d)))
            for d in (4, 6, 8)
        ),
        *(("positional.rotary_attention", rotary_attention(hidden_by(n))) for n in (-50, -100, math.inf)),
        ("positional.rotary_attention", rotary_attention(lowered_by(-100.0))),
        ("masking.sees", above_a_thousandth),
        ("masking.sees", below_zero_alone),
        ("bert.pack", passages_joined_in_place),
    ],
)
def test_a_wrong_answer_fails_on_every_draw(exercise_id, answer):
    assert {finding.status for finding in judged(exercise_id, answer)} == {"failed"}


@pytest.mark.parametrize(
    "fill", [hidden_by(-1e9), hidden_by(torch.finfo(torch.float32).min), lowered_by(-1e4)]
)
def test_a_large_negative_number_hides_as_well_as_infinity(fill):
    findings = judged("positional.rotary_attention", rotary_attention(fill))
    assert {finding.status for finding in findings} == {"passed"}
