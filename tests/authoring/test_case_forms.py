"""What a driver needs and sees is asked for in its words: the form of its cases, its function, its properties."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from autograder import exercises
from autograder.authoring.case_forms import FORMS, misplaced
from autograder.authoring.rules import LOOKED_AT, of_exercises
from autograder.courses import ENGINE, current
from autograder.exercise import Exercise
from autograder.sheets import VISIBLE_SEED, make_cases, make_sheet
from helpers.checking.assessing import assess
from helpers.checking.calling.drivers import DRIVERS, run
from helpers.checking.calling.outcome import Case
from helpers.checking.calling.registry import register
from helpers.checking.finding import Finding
from helpers.checking.properties import PROPERTIES
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
    course.specs["attention.double"] = replace(double, driver="iterate", properties=())
    assert course.build() == 1
    said = capsys.readouterr().err
    assert (
        'of "attention.double" has other arguments than driver="iterate" takes: how many of what comes'
        in said
    )


class Total:
    """What is added up, list by list."""

    def __init__(self, first: float) -> None:
        self.total = first

    def add(self, numbers: list[float]) -> float:
        self.total += sum(numbers)
        return self.total


class Draining(Total):
    """The same sums; the lists are empty afterwards."""

    def add(self, numbers: list[float]) -> float:
        while numbers:
            self.total += numbers.pop(0)
        return self.total


def test_a_class_can_be_asked_to_leave_the_arguments_of_its_methods_alone() -> None:
    double = next(iter(exercises.load("attention").values()))
    exercise = replace(
        double, id="averages.total", driver="object", reference=Total, properties=(PROPERTIES["inputs_unchanged"],),
        cases=lambda _: [Case("a list", ([1.5], [["add", [2.0, 4.0]]]))], misconceptions=(), alternatives=(),
        forbidden=(),
    )  # fmt: skip
    sheet = make_sheet(exercise, VISIBLE_SEED)

    def found(answer: Any) -> Finding:
        return assess(sheet, [run("object", answer, case) for case in sheet.cases])

    assert found(Total).status == "passed"
    assert found(Draining).cause == "inputs_unchanged"


def test_the_build_refuses_a_property_that_a_driver_does_not_look_at() -> None:
    """One that nothing looks at would hold of every answer, or of none."""
    some = next(each for each in exercises.load("attention").values() if each.driver == "call")

    def refused(driver: str, name: str) -> list[str]:
        changed: Exercise = replace(some, driver=driver, properties=(PROPERTIES[name],))
        found = of_exercises("01_attention", {some.id: changed}, [], ENGINE)
        return [each.text for each in found if "doesn't look" in each.text]

    for name, drivers in LOOKED_AT.items():
        assert {each for each in DRIVERS if not refused(each, name)} - {"choice"} == set(drivers)
    assert not any(refused(driver, "inputs_unchanged") for driver in DRIVERS)
    [said] = refused("iterate", "stays_small")
    assert 'at which driver="iterate" doesn\'t look; remove it, or take the driver call_measured' in said


def test_a_build_says_what_the_function_of_a_recipe_gets(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    register({"too_few": lambda: lambda results: len(results)})
    course = Course(tmp_path)
    double = course.specs["attention.double"]
    drawn = Case("a draw", ({"layer": "too_few", "weights": []}, 3, 1.0))
    course.specs["attention.double"] = replace(double, driver="draws", properties=(), cases=lambda _: [drawn])
    assert course.build() == 1
    said = " ".join(capsys.readouterr().err.split())
    assert "takes 1 positional argument but 2 were given" in said
    assert (
        "fix the function of the case's recipe, which gets the list of results and then the case's inputs"
        in said
    )


class Kept(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.keep = torch.nn.Parameter(torch.ones(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.keep * x


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "the class makes keep (3,), the case gives no such parameters; give each parameter"),
        (
            {"keep": torch.ones(3), "more": torch.ones(2)},
            "the class makes none of these, the case gives the parameters more (2,); give each parameter",
        ),
    ],
)
def test_a_build_says_that_a_case_has_other_parameters_than_the_class(
    given: dict, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    course = Course(tmp_path)
    course.specs["attention.double"] = replace(
        course.specs["attention.double"],
        driver="module",
        reference=Kept,
        misconceptions=(),
        alternatives=(),
        draft=True,
        properties=(),
        cases=lambda _: [Case("three", ({}, given, torch.ones(3)))],
    )
    assert course.build() == 1
    assert told in capsys.readouterr().err
