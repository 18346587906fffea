"""Answers that strangers would hand in to our exercises: run as in a notebook, and tried on all cases."""

import functools
import json
import linecache
from collections.abc import Iterator, Mapping
from typing import Any

from autograder import exercises, lessons
from autograder.exercise import Exercise
from autograder.sheets import HiddenSheets, failing_case
from helpers.checks import Sheet


def exercise(id: str) -> Exercise:
    """An exercise by its id, `topic.name`."""
    return exercises.load(id.partition(".")[0])[id]


def visible(id: str) -> Sheet:
    """The sheet that students get with their lesson."""
    return _sheets(lessons.find(id.partition(".")[0]))[id]


@functools.cache
def _sheets(lesson: str) -> Mapping[str, Sheet]:
    text = (lessons.release_path(lesson).parent / "checks.json").read_text(encoding="utf-8")
    return {id: Sheet.from_json(data) for id, data in json.loads(text).items()}


def passes(id: str, answer: Any, secret: bytes) -> Iterator[bool]:
    """Whether an answer passes, for each of the hidden draws that follow from a secret."""
    hidden = _hidden(secret)
    for number in range(hidden.DRAWS):
        yield failing_case(exercise(id), answer, hidden.draw(exercise(id), number)) is None


@functools.cache
def _hidden(secret: bytes) -> HiddenSheets:
    return HiddenSheets(secret)


def run(code: str, file: str, names: dict[str, Any]) -> None:
    """Run code among names, to which it adds; its source can be read, as in a notebook.

    Args:
        code: Python.
        file: what it is called, in angle brackets.
        names: what it finds there.
    """
    linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)
    exec(compile(code, file, "exec"), names)
