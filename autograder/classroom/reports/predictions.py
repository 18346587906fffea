"""What a class predicted before it looked, beside what is so."""

import ast
import contextlib
import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from nbgrader.coursedir import CourseDirectory
from rich.table import Table
from rich.text import Text

from autograder import lessons
from helpers.figures.predicting import Prediction, predictions

Counts = dict[str, Counter[str]]  # by prediction: how many chose each letter


def count(course: CourseDirectory, lesson: str, students: Iterable[str]) -> Counts:
    """What the graded submissions of a lesson predicted.

    Args:
        course: whose `autograded/` is read.
        lesson: its name.
        students: whose submissions.
    """
    known = predictions(lessons.topic(lesson))
    found: Counts = {name: Counter() for name in known}
    for student in students if known else ():
        folder = Path(course.format_path(course.autograded_directory, student, lesson))
        with contextlib.suppress(OSError, ValueError, LookupError, TypeError, AttributeError):
            cells = json.loads((folder / f"{lesson}.ipynb").read_text(encoding="utf-8"))["cells"]
            for name, letter in dict(filter(None, map(_choice, cells))).items():
                if name in known and letter in known[name].letters:
                    found[name][letter] += 1
    return found


def _choice(cell: dict) -> tuple[str, str] | None:
    """The prediction and the letter of a cell that predicts."""
    ours = cell.get("metadata", {}).get("headstart", {})
    if ours.get("kind") != "predict":
        return None
    source = cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
    try:
        calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None  # no Python, so nothing was chosen
    given = [[*call.args, *(keyword.value for keyword in call.keywords)] for call in calls]
    texts = [[str(getattr(arg, "value", "")) for arg in arguments] for arguments in given]
    chosen = [told[1].strip().lower() for told in texts if len(told) > 1 and told[0] == ours["id"]]
    return (ours["id"], chosen[-1]) if chosen else None


def rows(lesson: str, counts: Counts) -> list[tuple[str, str, int, bool]]:
    """Each option that can be chosen: question, option, how many chose it, and whether it is so."""
    known: dict[str, Prediction] = predictions(lessons.topic(lesson))
    return [
        (asked.question, option, counts[name][letter], letter == asked.right)
        for name, asked in known.items()
        if counts.get(name)
        for letter, (option, _) in asked.letters.items()
    ]


def table(lesson: str, counts: Counts) -> Table:
    """The same for a terminal; without rows where nobody has predicted anything."""
    made = Table("Question", "Predicted", title="Predictions (✓ marks what is right)", title_justify="left")
    made.add_column("students", justify="right")
    asked = ""
    for question, option, number, so in rows(lesson, counts):
        shown = "" if question == asked else question
        made.add_row(Text(shown), Text(f"{'✓ ' if so else '  '}{option}"), str(number))
        asked = question
    return made
