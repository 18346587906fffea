"""What every answer gets and reads, to compare before and after a change that should change nothing.

    python -m tests.long.verdicts [--students 24] [--fresh] [LESSON ...] > verdicts.txt

For each exercise: its alternatives, misconceptions and mutants, each with its verdict and message on the cases
that students see and on three hidden draws. Then, for each lesson, a made-up class with its points, graded in the
sandbox. The same code prints the same bytes. All lessons take about twenty minutes of one core; a call that was stopped
resumes where it was, unless --fresh is given.
"""

import argparse
import functools
import itertools
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from autograder import exercises, lessons
from autograder.authoring.mutating.mutants import has_mutants, mutants
from autograder.authoring.mutating.trying import Limits
from autograder.exercise import Exercise
from autograder.lessons import ROOT
from autograder.sheets import HiddenSheets, with_misconceptions
from helpers.checks import Sheet, assess
from tests.long.rows import Rows, add_option
from tests.support.course import Course

DRAWS = 3
SECRET = b"the same verdicts"


def main() -> None:
    """Print everything, a lesson at a time."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lessons", nargs="*", metavar="LESSON", help="none means all")
    parser.add_argument("--students", type=int, default=24, help="in each made-up class")
    add_option(parser)
    options = parser.parse_args()
    torch.set_num_threads(1)
    os.environ["PATH"] = (
        f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # alembic lies there
    )
    with Rows("verdicts", options) as rows:
        for lesson in [lessons.find(name) for name in options.lessons] or lessons.names():
            text = (ROOT / "release" / lesson / "checks.json").read_text(encoding="utf-8")
            visible = {name: Sheet.from_json(data) for name, data in json.loads(text).items()}
            parts: dict[str, Callable[[], Iterator[str]]] = {
                exercise.id: functools.partial(of_exercise, exercise, visible[exercise.id])
                for exercise in exercises.load(lessons.topic(lesson)).values()
                if exercise.id in visible
            }
            parts[f"class of {lesson}"] = functools.partial(of_class, lesson, options.students)
            for name, lines in parts.items():
                print(*rows(name, make=lambda lines=lines: list(lines())), sep="\n", flush=True)


def of_exercise(exercise: Exercise, visible: Sheet) -> Iterator[str]:
    """Each answer that comes with an exercise, and what it gets on four sheets; the same message once."""
    sheets = {"visible": visible}
    hidden = HiddenSheets(SECRET)
    for number in range(DRAWS):
        sheet = replace(hidden.draw(exercise, number), look_at=visible.look_at, needs=visible.needs)
        sheets[f"draw {number}"] = with_misconceptions(sheet, exercise)
    with Limits() as limits:
        for name, answer in answers(exercise):
            torch.manual_seed(0)
            told = {
                place: verdict(exercise, answer, sheet, limits, reveal=place == "visible")
                for place, sheet in sheets.items()
            }
            for said, places in itertools.groupby(told, key=told.__getitem__):
                yield f"{exercise.id} | {name} | {', '.join(places)} | {said}"


def answers(exercise: Exercise) -> Iterator[tuple[str, Any]]:
    """What is tried: its name, and what is called as the reference is."""
    for number, answer in enumerate(exercise.alternatives, 1):
        yield f"alternative {number}", answer
    for misconception in exercise.misconceptions:
        yield f"misconception: {misconception.sentence}", misconception.variant
    if has_mutants(exercise):
        for mutant in mutants(exercise):
            yield f"mutant {mutant.name}", mutant.answer


def verdict(exercise: Exercise, answer: Any, sheet: Sheet, limits: Limits, reveal: bool) -> str:
    """What the check says of an answer, in one line; of a hidden case without its numbers."""
    outcomes = limits.outcomes(exercise, answer, sheet)
    if outcomes is None:
        return "takes too long"
    finding = assess(sheet, outcomes, reveal=reveal)
    return " / ".join(line.strip() for line in finding.text().splitlines())


def of_class(lesson: str, students: int) -> Iterator[str]:
    """A made-up class, graded: each student's verdicts and points."""
    with tempfile.TemporaryDirectory() as folder:
        course = Course(Path(folder) / "course", lesson)
        (course.root / ".headstart_secret").write_bytes(SECRET * 2)
        course.run("headstart", "simulate", lesson, "--students", str(students), "--calm")
        course.run("headstart", "grade", lesson)
        for student, found in sorted(course.verdicts().items()):
            points = sum(one["points"] for one in found.values())
            told = ", ".join(f"{id} {one['status']} {one['cause']}".strip() for id, one in found.items())
            yield f"{lesson} | {student} | {points:g} points | {told}"


if __name__ == "__main__":
    main()
