"""A case that isn't in its driver's form is called so, and not an exception of the reference."""

from pathlib import Path

import pytest

from autograder import exercises
from autograder.authoring.case_forms import FORMS, misplaced
from autograder.courses import current
from autograder.sheets import VISIBLE_SEED, make_cases
from helpers.checking.calling.outcome import Case
from tests.support.small_course import Course

RECIPE = {"layer": "double", "weights": []}
OTHERS = {
    "iterate": [(), ("text", 20), (True, "text")],
    "object": [(), ([3],), (3, [["get"]]), ([3], ["get"]), ([3], [[]]), ([3], [["get"]], 1)],
    "module": [(), ([3], [1]), ({"size": 3}, 1), ({"size": 3},)],
    "use_result": [(), (3,)],
    "draws": [(), (RECIPE,), (3, RECIPE), (RECIPE, "often")],
    "prepare": [(), (3,)],
    "train": [(RECIPE,), ([], RECIPE)],
}
RIGHT = {
    "iterate": (20, "text"),
    "object": ({"size": 3}, [["get"], ("put", 1)]),
    "module": ({}, {}),
    "use_result": (RECIPE, 3),
    "draws": (RECIPE, 50, "<generator>"),
    "prepare": (RECIPE,),
    "train": (RECIPE, []),
}


@pytest.mark.parametrize("driver", FORMS)
def test_other_arguments_are_told_from_those_that_a_driver_takes(driver: str) -> None:
    assert all(misplaced(driver, Case("", args)) for args in OTHERS[driver])
    assert not misplaced(driver, Case("", RIGHT[driver]))
    assert not misplaced("call", Case("", ()))


def test_the_course_s_own_cases_have_the_form_of_their_drivers() -> None:
    found = [each for topic in current().topics for each in exercises.load(topic).values()]
    found = [each for each in found if each.driver in FORMS]
    assert {"module", "train", "draws"} <= {each.driver for each in found}
    for exercise in found:
        assert not any(misplaced(exercise.driver, each) for each in make_cases(exercise, VISIBLE_SEED))


def test_a_build_says_what_the_arguments_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    course = Course(tmp_path)
    double = course.specs["attention.double"]
    course.specs["attention.double"] = type(double)(**{**vars(double), "driver": "iterate"})
    assert course.build() == 1
    said = capsys.readouterr().err
    assert (
        'of "attention.double" has other arguments than driver="iterate" takes: how many of what comes'
        in said
    )
