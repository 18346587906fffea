"""What a class predicted is read from its graded notebooks, whatever else stands in them."""

import io
import re
from collections import Counter
from pathlib import Path

import nbformat
import pytest
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import is_solution
from rich.console import Console
from traitlets.config import Config

from autograder import lessons
from autograder.classroom.reports.lesson import page
from autograder.classroom.reports.predictions import count, table
from autograder.exercises import load
from autograder.results import Verdict
from helpers.figures.predicting import predictions

LESSON, ASKED = "01_attention", "attention.order"


@pytest.fixture
def course(tmp_path: Path) -> CourseDirectory:
    """Five students' graded notebooks, each with another text in the cell."""
    texts = {
        "amy": f'predict("{ASKED}", "a")',
        "bob": f'print("b")\npredict("{ASKED}", choice=" B ")  # surely',
        "cleo": f'predict("{ASKED}", ...)',
        "dan": "predict(",
        "eve": f'predict("{ASKED}", "z")\npredict("another", "b")',
    }
    for student, text in texts.items():
        notebook = lessons.load_source_notebook(LESSON)
        for cell in filter(is_solution, notebook.cells):
            if lessons.exercise_of(cell) == ASKED:
                cell.source = text
        place = tmp_path / "autograded" / student / LESSON
        place.mkdir(parents=True)
        nbformat.write(notebook, place / f"{LESSON}.ipynb")
    (tmp_path / "autograded" / "fay" / LESSON).mkdir(parents=True)
    (tmp_path / "autograded" / "fay" / LESSON / f"{LESSON}.ipynb").write_text("[]")
    return CourseDirectory(config=Config({"CourseDirectory": {"root": str(tmp_path)}}))


def test_choices_are_counted_and_everything_else_is_none(course: CourseDirectory) -> None:
    found = count(course, LESSON, ["amy", "bob", "cleo", "dan", "eve", "fay", "never handed in"])
    assert found[ASKED] == Counter(a=1, b=1)
    other = next(name for name in predictions("attention") if name != ASKED)
    assert sum(found[other].values()) == 5, "cells as they were: the source has the right letters"


def test_the_report_says_what_was_predicted_beside_what_is_so(course: CourseDirectory) -> None:
    found = count(course, LESSON, ["amy", "bob"])
    asked = predictions("attention")[ASKED]
    console = Console(file=io.StringIO(), width=200)
    console.print(table(LESSON, found))
    right = asked.letters[asked.right][0]
    assert f"✓ {right}" in console.file.getvalue()
    exercises = load("attention")
    verdicts = [Verdict(next(iter(exercises)), "passed", 1.0, 1.0)]
    text = page(LESSON, [("amy", "", verdicts)], exercises, found)
    line = text[text.index(right) :].partition("</tr>")[0]
    assert re.findall("<td>(.*?)</td>", line) == ["1", "✓ yes"]
    assert "Predictions" not in page(LESSON, [("amy", "", verdicts)], exercises)
