"""Sheets are made of cases that judge fairly; a forbidden name is forbidden, and only while an answer runs."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
import torch

from autograder.exercises import load
from autograder.lessons import TOPICS
from autograder.sheets import VISIBLE_SEED, make_cases, make_sheet
from helpers.checking.drivers import Case, run

EXERCISES = [exercise for topic in TOPICS for exercise in load(topic).values()]
FORBIDDEN = sorted({name for exercise in EXERCISES for name in exercise.forbidden})


def wave(x: torch.Tensor) -> torch.Tensor:
    """At x = 1/3 its phase differs by 0.01 between float32 and float64; at 0 by nothing."""
    return torch.sin(1e6 * x)


def test_cases_that_rounding_decides_are_drawn_again():
    """Found by a class in which a right head for words was failed: a norm over four nearly equal numbers."""
    drawn = iter([1 / 3, 1 / 3, 0.0])
    exercise = replace(
        load("attention")["attention.softmax"],
        reference=wave,
        cases=lambda g: [Case("", (torch.tensor([next(drawn)]),))],
    )
    (case,) = make_cases(exercise, "a seed")
    assert case.args[0].item() == 0.0
    with pytest.raises(ValueError, match="rounding decides"):
        make_cases(replace(exercise, cases=lambda g: [Case("", (torch.tensor([1 / 3]),))]), "a seed")


def noise_in_two_parts() -> torch.Tensor:
    """Between them another thread gets its turn."""
    first = torch.randn(2)
    time.sleep(0.01)
    return torch.cat([first, torch.randn(2)])


def test_threads_that_make_sheets_take_no_random_numbers_from_each_other():
    """Found by a class in which all who got one hidden sheet were failed: torch's generator is everybody's."""
    exercise = replace(
        load("attention")["attention.softmax"], reference=noise_in_two_parts, cases=lambda g: [Case("", ())]
    )

    def noise(_: int) -> list[float]:
        return make_sheet(exercise, "a seed", misconceptions=False).expected[0].outputs.tolist()

    alone = noise(0)
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(noise, range(8))) == [alone] * 8


@pytest.mark.parametrize("name", [name for name in FORBIDDEN if "." in name])  # others are packages
def test_a_forbidden_name_raises_while_an_answer_runs_and_only_then(name):
    def resolve():
        first, *rest = name.split(".")
        found = __import__(first)
        for part in rest:
            found = getattr(found, part)
        return found

    exercise = next(exercise for exercise in EXERCISES if name in exercise.forbidden)
    case = make_cases(exercise, VISIBLE_SEED)[0]
    before = resolve()
    outcome = run(exercise.driver, lambda *_, **__: resolve()(), case, forbidden=exercise.forbidden)
    assert (outcome.status, outcome.error) == ("forbidden", name)
    assert resolve() is before
    assert run(exercise.driver, before, case, forbidden=exercise.forbidden).status == "forbidden"
