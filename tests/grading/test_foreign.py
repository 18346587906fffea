"""Any nbgrader assignment is graded, with the scores that nbgrader itself gives."""

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell
from traitlets.config import Config

from autograder.grading.in_process import read_test
from autograder.grading.lesson import Lesson
from autograder.grading.questions import Question
from autograder.lessons import ROOT
from tests.support.course import run as run_command
from tests.support.proved import ENGINE, follows_from

pytestmark = [pytest.mark.needs_bubblewrap, pytest.mark.timeout(600), follows_from(*ENGINE)]

ASSIGNMENT = "ps1"
CONFIG = """
c = get_config()
c.CourseDirectory.course_id = "other"
c.ClearSolutions.code_stub = {"python": "# write here\\nraise NotImplementedError()"}
"""


def cell(
    grade_id: str, source: str, *, points: float | None = None, kind: str = "code", **flags: bool
) -> dict:
    """A cell with nbgrader's metadata."""
    usual = {"grade": False, "solution": False, "locked": False, "task": False}
    data = {"grade_id": grade_id, "schema_version": 3, **usual, **flags}
    if points is not None:
        data["points"] = points
    make = new_code_cell if kind == "code" else new_markdown_cell
    made = make(source, metadata={"nbgrader": data})
    made.pop("id")  # as notebooks were before format 4.5
    return made


def answer(grade_id: str, solution: str) -> dict:
    return cell(grade_id, f"### BEGIN SOLUTION\n{solution}\n### END SOLUTION", solution=True)


def test(grade_id: str, source: str, points: float) -> dict:
    return cell(grade_id, source, points=points, grade=True, locked=True)


test.__test__ = False  # it makes nbgrader's tests, and is none of ours

FIRST = [
    {**new_code_cell("import math\nfrom helpers import offset\nlimit = 3"), "metadata": {}},
    answer("squares", "def squares(n):\n    return [i**2 for i in range(1, n + 1)]"),
    test("test_squares", "assert squares(3) == [1, 4, 9]\n### BEGIN HIDDEN TESTS\nassert squares(4)[-1] == 16\n### END HIDDEN TESTS", 2),
    answer("read", "def total():\n    return sum(map(int, open('data/numbers.txt')))"),
    test("test_read", "assert total() == 6 and offset == 5", 1),
    test("partial", "score = 0.5 * (len(squares(2)) == 2) + 1.0 * (squares(1) == [1])\nprint('scored', score)\nscore", 1.5),
    cell("explain", "Model answer", points=3, kind="markdown", grade=True, solution=True),
    cell("manual_code", "### BEGIN SOLUTION\nx = 1\n### END SOLUTION", points=2, grade=True, solution=True),
    cell("read_only", "limit = 4", locked=True),
    test("test_limit", "assert limit == 4", 1),
    cell("task", "Draw something.", points=4, kind="markdown", task=True, locked=True),
]  # fmt: skip
SECOND = [
    answer("squares", "def cube(x):\n    return x**3"),  # the same ids as in the other notebook
    test("test_squares", "assert cube(2) == 8", 5),
]


def notebook(cells: list[dict]) -> str:
    """A file as JupyterLab wrote them before cells had ids."""
    for each in cells:
        each.pop("id", None)
    kernel = {"name": "python3", "language": "python", "display_name": "Python"}
    return json.dumps(
        {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 4}
    )


@pytest.fixture(scope="module")
def course(tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("other")
    source = root / "source" / ASSIGNMENT
    (source / "data").mkdir(parents=True)
    (source / "data" / "numbers.txt").write_text("1\n2\n3\n")
    (source / "helpers.py").write_text("offset = 5\n")  # a module of the course's own, of a name that is ours
    (root / "nbgrader_config.py").write_text(CONFIG)
    (source / "one.ipynb").write_text(notebook(FIRST))
    (source / "two.ipynb").write_text(notebook(SECOND))
    run(root, "nbgrader", "generate_assignment", ASSIGNMENT)
    for student in STUDENTS:
        hand_in(root, student)
    return root


def run(
    root: Path, name: str, *arguments: str, check: bool = True, python_path: bool = False
) -> subprocess.CompletedProcess:
    ours = name == "headstart" or python_path  # nbgrader's kernels would find our helpers
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = run_command(
        [name, *arguments], root, {"PYTHONPATH": str(ROOT) * ours, "COLUMNS": "200", "PATH": path}
    )
    assert not check or done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done


# What students write, by notebook and grade id; "" is the cell that has none.
RIGHT = {
    "one": {
        "squares": "def squares(n):\n    return [i * i for i in range(1, n + 1)]",
        "read": "def total():\n    return sum(int(line) for line in open('data/numbers.txt'))",
        "explain": "Because.",
        "manual_code": "x = 2",
    },
    "two": {"squares": "def cube(x):\n    return x * x * x"},
}
STUDENTS = {
    "right": RIGHT,
    "blank": {},
    "hidden_test": {
        "one": {**RIGHT["one"], "squares": "def squares(n):\n    return [1, 4, 9][:n]"},
        "two": RIGHT["two"],
    },
    "half_credit": {
        "one": {**RIGHT["one"], "squares": "def squares(n):\n    return [i for i in range(1, n + 1)]"}
    },
    "no_data_and_one_missing": {"one": {"read": "def total():\n    return 5"}},
    "own_data_and_edits": RIGHT,
    "first_cell": RIGHT,
}


def hand_in(root: Path, student: str) -> None:
    folder = root / "submitted" / student / ASSIGNMENT
    shutil.copytree(root / "release" / ASSIGNMENT, folder)
    (folder / "timestamp.txt").write_text("2026-01-01 12:00:00 UTC")
    for name in ("one", "two"):
        theirs = json.loads((folder / f"{name}.ipynb").read_text())
        for each in theirs["cells"]:
            id = each["metadata"].get("nbgrader", {}).get("grade_id", "")
            if id in STUDENTS[student].get(name, {}):
                each["source"] = STUDENTS[student][name][id]
            if student == "own_data_and_edits" and each["metadata"].get("nbgrader", {}).get("locked"):
                each["source"] = "limit = 99  # edited"
                each["metadata"]["nbgrader"]["points"] = 100
            if student == "first_cell" and not id:
                each["source"] = "from helpers import offset\nimport nothing_like_this"
        (folder / f"{name}.ipynb").write_text(json.dumps(theirs))
    if student == "own_data_and_edits":
        (folder / "data" / "numbers.txt").write_text("6\n")
    if student == "no_data_and_one_missing":
        (folder / "two.ipynb").unlink()


SCORES = """select student_id, notebook.name, base_cell.name, base_cell.type, auto_score, needs_manual_grade, auto_comment
    from submitted_assignment
    join submitted_notebook on submitted_notebook.assignment_id = submitted_assignment.id
    join notebook on notebook.id = submitted_notebook.notebook_id
    join base_cell on base_cell.notebook_id = notebook.id
    left join grade on grade.cell_id = base_cell.id and grade.notebook_id = submitted_notebook.id
    left join comment on comment.cell_id = base_cell.id and comment.notebook_id = submitted_notebook.id"""


def scores(root: Path) -> dict[tuple, tuple]:
    with contextlib.closing(sqlite3.connect(root / "gradebook.db")) as db:
        rows = db.execute(SCORES).fetchall()
    return {row[:4]: row[4:] for row in rows}


def test_scores_are_those_of_nbgrader_autograde(course, tmp_path):
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    shutil.copytree(course, theirs)
    shutil.copytree(course, ours)
    run(theirs, "nbgrader", "autograde", ASSIGNMENT)
    done = run(ours, "headstart", "grade", ASSIGNMENT)
    expected, got = scores(theirs), scores(ours)
    assert {key: (got.get(key), value) for key, value in expected.items() if got.get(key) != value} == {}
    assert set(got) == set(expected)
    assert f"{len(STUDENTS)} graded" in done.stdout


@pytest.fixture(scope="module")
def graded(course, tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("graded") / "course"
    shutil.copytree(course, root)
    run(root, "headstart", "grade", ASSIGNMENT)
    return root


def autograded(root: Path, student: str, name: str) -> nbformat.NotebookNode:
    return nbformat.read(root / "autograded" / student / ASSIGNMENT / f"{name}.ipynb", as_version=4)


def shown(root: Path, student: str, name: str, grade_id: str) -> str:
    [found] = [
        c
        for c in autograded(root, student, name).cells
        if c.metadata.get("nbgrader", {}).get("grade_id") == grade_id
    ]
    return "\n".join(o.get("text", "") + str(o.get("data", {}).get("text/plain", "")) for o in found.outputs)


def test_verdicts_say_that_they_are_in_process(graded):
    text = shown(graded, "right", "one", "test_squares")
    assert "✓ one · test_squares · 2 of 2 points · in process" in text
    assert "AssertionError" in shown(graded, "hidden_test", "one", "test_squares")


def test_a_message_and_partial_credit_come_together(graded):
    text = shown(graded, "half_credit", "one", "partial")
    assert "scored 1.5" in text
    assert "1.5 of 1.5 points" in text


def test_what_is_written_to_stderr_costs_nothing(graded, tmp_path):
    root = tmp_path / "course"
    shutil.copytree(graded, root)
    path = root / "submitted" / "right" / ASSIGNMENT / "one.ipynb"
    path.write_text(
        path.read_text().replace(
            "def squares(n):", "def squares(n):\\n    import warnings; warnings.warn('slow')"
        )
    )
    run(root, "headstart", "grade", ASSIGNMENT, "--student", "right")
    assert scores(root)["right", "one", "test_squares", "GradeCell"][0] == 2
    assert "slow" in shown(root, "right", "one", "test_squares")


def test_a_task_waits_for_a_person_again_once_the_notebook_can_be_read(graded, tmp_path):
    root, task = tmp_path / "course", ("right", "one", "task", "TaskCell")
    shutil.copytree(graded, root)
    path = root / "submitted" / "right" / ASSIGNMENT / "one.ipynb"
    good = path.read_text()
    path.write_text("no notebook")
    run(root, "headstart", "grade", ASSIGNMENT, "--student", "right")
    assert scores(root)[task][:2] == (0, False)
    path.write_text(good)
    run(root, "headstart", "grade", ASSIGNMENT, "--student", "right")
    assert scores(root)[task][:2] == scores(graded)[task][:2] == (None, True)


def test_grading_again_grades_nothing_and_feedback_is_made(graded):
    assert f"0 graded, {len(STUDENTS)} as before" in run(graded, "headstart", "grade", ASSIGNMENT).stdout
    run(graded, "nbgrader", "generate_feedback", ASSIGNMENT)
    page = (graded / "feedback" / "half_credit" / ASSIGNMENT / "one.html").read_text()
    assert "in process" in page
    assert (graded / "feedback" / "half_credit" / ASSIGNMENT / "two.html").is_file()


def test_a_report_names_the_tests(graded):
    said = run(graded, "headstart", "report", ASSIGNMENT).stdout
    assert "one · test_squares" in said
    assert "partly" not in said.partition("\n")[0]


def test_other_languages_are_refused(course, tmp_path):
    root = tmp_path / "course"
    shutil.copytree(course, root)
    path = root / "source" / ASSIGNMENT / "one.ipynb"
    path.write_text(path.read_text().replace('"language": "python"', '"language": "R"'))
    done = run(root, "headstart", "grade", ASSIGNMENT, check=False)
    assert done.returncode == 2
    assert "only Python" in done.stderr


def test_tests_that_nbgrader_has_not_written_yet_are_refused_not_passed(course, tmp_path):
    root = tmp_path / "course"
    shutil.copytree(course, root)
    path = root / "source" / ASSIGNMENT / "two.ipynb"
    path.write_text(path.read_text().replace("assert cube(2) == 8", "### AUTOTEST cube(2)"))
    (root / "gradebook.db").unlink()
    done = run(root, "headstart", "grade", ASSIGNMENT, check=False)
    assert done.returncode == 2
    assert "test_squares in two.ipynb has an AUTOTEST: `nbgrader generate_assignment ps1`" in done.stderr


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"schema_version": 3', '"schema_version": 1', "nbgrader update source/ps1"),
        ('"schema_version": 3', '"schema_version": 99', "too new"),
        ('"grade_id": "test_squares"', '"grade_id": "squares"', "Duplicate grade id: squares"),
    ],
)
def test_a_source_that_nbgrader_refuses_is_refused_in_a_line(course, tmp_path, old, new, said) -> None:
    source = tmp_path / "source" / ASSIGNMENT
    shutil.copytree(course / "source" / ASSIGNMENT, source)
    (source / "two.ipynb").write_text((source / "two.ipynb").read_text().replace(old, new))
    with pytest.raises(LookupError, match=said):
        Lesson.load(ASSIGNMENT, tmp_path, Config())


@pytest.mark.parametrize(
    "value, points",
    [("0.5", 0.5), ("0", 0), ("9", 2), ("inf", 2), ("nan", 0), ("-1.5", 0), ("-inf", 0), ("'done'", 2)],
)
def test_partial_credit_is_no_more_than_there_is_and_none_below_0(value: str, points: float) -> None:
    """As a wrong answer makes it whose results are NaN, or whose errors are more than the points."""
    test = Question("one/partial", "partial", 2)
    output = {"output_type": "execute_result", "data": {"text/plain": value}}
    assert read_test(test, [output]).earned == points


def test_a_test_that_fails_after_much_output_fails(graded, tmp_path):
    """What it displayed before doesn't push its error out, nor a number that is less than all points."""
    root = tmp_path / "course"
    shutil.copytree(graded, root)
    path = root / "submitted" / "half_credit" / ASSIGNMENT / "one.ipynb"
    much = "from IPython.display import display\\n    for _ in range(5): display('x' * 3_000_000)\\n    "
    path.write_text(path.read_text().replace("return [i for", f"{much}return [i for"))
    run(root, "headstart", "grade", ASSIGNMENT, "--student", "half_credit")
    assert scores(root)["half_credit", "one", "test_squares", "GradeCell"][0] == 0
    assert "AssertionError" in json.dumps(autograded(root, "half_credit", "one"))
    assert scores(root)["half_credit", "one", "partial", "GradeCell"][0] == 1.5


def test_outputs_in_the_source_are_not_shown_to_students(course, tmp_path):
    """They are those of the solution, and a cell that doesn't come to run would keep them."""
    root = tmp_path / "course"
    shutil.copytree(course, root)
    path = root / "source" / ASSIGNMENT / "one.ipynb"
    source = json.loads(path.read_text())
    source["cells"][1]["outputs"] = [
        {"output_type": "stream", "name": "stdout", "text": "the solution says 42"}
    ]
    path.write_text(json.dumps(source))
    (root / "submitted" / "blank" / ASSIGNMENT / "one.ipynb").write_text("")
    run(root, "headstart", "grade", ASSIGNMENT, "--student", "blank")
    assert "the solution says" not in json.dumps(autograded(root, "blank", "one"))


def test_what_nbgrader_has_forgotten_is_graded_again(graded, tmp_path):
    root = tmp_path / "course"
    shutil.copytree(graded, root)
    run(root, "nbgrader", "db", "student", "remove", "right", "--force")
    assert not [key for key in scores(root) if key[0] == "right"]
    assert f"1 graded, {len(STUDENTS) - 1} as before" in run(root, "headstart", "grade", ASSIGNMENT).stdout
    assert scores(root) == scores(graded)


MOST = """select max_score from grade_cells join base_cell on base_cell.id = grade_cells.id
    where base_cell.name = 'test_squares' order by max_score"""


def test_changed_points_are_news_to_nbgrader(graded, tmp_path):
    root = tmp_path / "course"
    shutil.copytree(graded, root)
    path = root / "source" / ASSIGNMENT / "two.ipynb"
    path.write_text(path.read_text().replace('"points": 5', '"points": 7'))
    run(root, "headstart", "grade", ASSIGNMENT)
    assert scores(root)["right", "two", "test_squares", "GradeCell"][0] == 7
    with contextlib.closing(sqlite3.connect(root / "gradebook.db")) as db:
        assert db.execute(MOST).fetchall() == [(2,), (7,)]


def test_cells_that_came_or_went_after_grading_are_named_in_one_line(graded, tmp_path):
    root = tmp_path / "course"
    shutil.copytree(graded, root)
    path = root / "source" / ASSIGNMENT / "two.ipynb"
    source = json.loads(path.read_text())
    source["cells"].pop()
    path.write_text(json.dumps(source))
    done = run(root, "headstart", "grade", ASSIGNMENT, check=False)
    assert done.returncode == 2
    line = done.stderr.strip().splitlines()[-1]
    cure = f"nbgrader db assignment remove {ASSIGNMENT} --force"
    assert cure in line
    run(root, *cure.split())
    run(root, "headstart", "grade", ASSIGNMENT)
    assert scores(root)["right", "one", "test_squares", "GradeCell"][0] == 2
    assert ("right", "two", "test_squares", "GradeCell") not in scores(root)
