"""A class that was graded is graded again as far as something changed, and no further."""

import contextlib
import json
import shutil
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import nbformat
import pytest

from autograder.classroom.batch import grade_all
from autograder.classroom.course import course_directory, find_submissions, hidden_secret
from autograder.classroom.gradebook import Book
from autograder.grading import judge
from autograder.grading.grader import Grader
from autograder.grading.lesson import Lesson
from tests.support.course import LESSON, Course
from tests.support.proved import ENGINE, follows_from

pytestmark = [pytest.mark.needs_bubblewrap, pytest.mark.timeout(600), follows_from(*ENGINE)]
SOFTMAX = "attention.softmax"
WRONG = {SOFTMAX: "def softmax(x, dim):\n    return x"}


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    course = Course(tmp_path_factory.mktemp("regrading") / "course")
    course.hand_in("amy")
    course.hand_in("bob", WRONG)
    course.run("headstart", "grade", LESSON)
    return course


@pytest.fixture
def judged(monkeypatch):
    """Which exercises are judged by their cases, in order."""
    seen, decide = [], judge._Run._decide
    monkeypatch.setattr(
        judge._Run,
        "_decide",
        lambda self, question, *rest: seen.append(question.id) or decide(self, question, *rest),
    )
    return seen


def test_which_draws_are_fit_is_kept_beside_the_secret(course):
    folder = course.root / ".headstart_draws"
    lesson = Lesson.load(LESSON, course.root, course_directory(course.root)[1])
    assert sorted(path.name for path in folder.iterdir()) == sorted([*lesson.exercises, LESSON])
    assert {path.stat().st_mode & 0o077 for path in (folder, *folder.iterdir())} == {0}
    draws = [folder / exercise for exercise in lesson.exercises]
    assert all(1 <= len(path.read_text().splitlines()) <= 2 for path in draws)  # of amy and bob


def regrade(course, change=lambda lesson: lesson, **options):
    """Grade the class, with a lesson that somebody changed. Returns by student what is new."""
    directory, config = course_directory(course.root)
    lesson = change(Lesson.load(LESSON, course.root, config))
    grader, book = Grader(lesson, hidden_secret(directory)), Book(directory, LESSON, lesson.skeletons)
    new = {}
    with ThreadPoolExecutor(1) as executor:
        submit = partial(executor.submit, grader.grade)
        grade_all(
            book, find_submissions(directory, LESSON, []), submit, at_once=1, **options,
            progress=lambda submission, graded, broken: new.update({submission.student: broken or graded}),
        )  # fmt: skip
    grader.close()
    book.close()
    return new


def worth_more(lesson):
    """The first exercise has a point more."""
    outline, exercise, sheet = (each[SOFTMAX] for each in (lesson.outlines, lesson.exercises, lesson.visible))
    points = exercise.points + 1
    return replace(
        lesson,
        outlines=lesson.outlines | {SOFTMAX: replace(outline, points=points)},
        exercises={**lesson.exercises, SOFTMAX: replace(exercise, points=points)},
        visible={**lesson.visible, SOFTMAX: replace(sheet, points=points)},
        versions={**lesson.versions, SOFTMAX: "another"},
    )


def test_nothing_changed_nothing_is_judged(course, judged):
    assert regrade(course) == {"amy": None, "bob": None}
    assert judged == []


ASKS = """
import sys
from autograder.commands.cli import main
code = main(["grade", sys.argv[1]])
print(sorted({"torch", "autograder.sheets", "autograder.grading.judge"} & {*sys.modules}), file=sys.stderr)
sys.exit(code)
"""


def test_where_nothing_is_new_no_torch_is_imported_and_no_judge_starts(course):
    """That is most of the seconds that the command takes. The first call may have to draw the cases."""
    command = [sys.executable, "-c", ASKS, LESSON]
    course.run("headstart", "grade", LESSON)
    done = subprocess.run(command, cwd=course.root, capture_output=True, text=True)
    assert "0 graded, 2 as before" in done.stdout
    assert done.stderr.splitlines()[-1] == "[]"


def test_a_changed_exercise_is_judged_again_and_no_other(course, judged):
    before, notebooks = course.verdicts(), {who: course.autograded(who) for who in ("amy", "bob")}
    new = regrade(course, worth_more)
    assert judged == [SOFTMAX, SOFTMAX]
    after = course.verdicts()
    assert after["amy"][SOFTMAX]["points"] == before["amy"][SOFTMAX]["points"] + 1
    assert after["bob"][SOFTMAX]["max_points"] == before["bob"][SOFTMAX]["max_points"] + 1
    for student, verdicts in before.items():
        assert list(after[student]) == list(verdicts)
        assert {id: v for id, v in after[student].items() if id != SOFTMAX} == {
            id: v for id, v in verdicts.items() if id != SOFTMAX
        }
    # The notebooks are made anew, with the messages that stand.
    for student, graded in new.items():
        new_cells = nbformat.reads(graded.papers[0].notebook, as_version=4).cells
        for cell, other in zip(notebooks[student].cells, new_cells, strict=True):
            if cell.cell_type == "code" and cell.id != "attention-softmax":
                assert cell.outputs == other.outputs
    judged.clear()
    assert regrade(course, worth_more) == {"amy": None, "bob": None}
    assert judged == []
    assert regrade(course)["amy"].verdicts[0].points == before["amy"][SOFTMAX]["points"]


def test_another_submission_is_judged_in_full(course, judged):
    course.hand_in("bob", WRONG | {"attention.additive": "def additive_attention(*args):\n    return args"})
    new = regrade(course)
    assert new["amy"] is None
    assert set(judged) == set(course.verdicts()["bob"])


def test_on_demand_all_is_judged_again(course, judged):
    exercises = set(course.verdicts()["amy"])
    regrade(course, force=True)
    assert set(judged) == exercises
    assert len(judged) == 2 * len(exercises)


@pytest.mark.parametrize(
    "setting", [{"cell_seconds": 60.0}, {"sandboxed": False}], ids=["seconds", "sandbox"]
)
def test_where_and_how_long_code_runs_decides_too(course, setting):
    directory, config = course_directory(course.root)
    lesson, secret = Lesson.load(LESSON, course.root, config), hidden_secret(directory)
    one, other = Grader(lesson, secret), Grader(lesson, secret, **setting)
    for submission in find_submissions(directory, LESSON, []):
        before, after = one.prepare(submission), other.prepare(submission)
        assert before.digest != after.digest
        assert before.content == after.content  # and so the hidden cases are the same
        assert one._key(before.content, "1") != other._key(after.content, "1")


def test_a_changed_cell_of_the_courses_decides_too(course):
    _, config = course_directory(course.root)
    lesson = Lesson.load(LESSON, course.root, config)
    path = course.root / "source" / LESSON / f"{LESSON}.ipynb"
    text = path.read_text()
    notebook = nbformat.reads(text, as_version=4)
    notebook.cells.insert(2, nbformat.v4.new_code_cell("batch = 3", id="given"))
    nbformat.write(notebook, path)
    changed = Lesson.load(LESSON, course.root, config)
    path.write_text(text)
    assert all(changed.versions[id] != version for id, version in lesson.versions.items())


def test_what_was_not_run_is_never_as_before(course):
    before = course.verdicts()
    assert regrade(course) == {"amy": None, "bob": None}
    row = json.dumps([*({**v, "status": "not run", "points": 0} for v in before["amy"].values())])
    with contextlib.closing(sqlite3.connect(course.root / "gradebook.db")) as db, db:
        db.execute("update headstart_grading set verdicts = ? where student = 'amy'", [row])
    new = regrade(course)
    assert new["bob"] is None and new["amy"] is not None
    assert {v.exercise: v.status for v in new["amy"].verdicts} == {
        id: v["status"] for id, v in before["amy"].items()
    }


def test_code_that_never_ends_is_tried_twice_and_then_only_when_it_is_asked_for(course):
    """Each try may take as long as all limits allow, for this student and whoever is graded beside them."""
    endless = {
        "amy": "while True: pass",
        "bob": "import signal; signal.signal(2, signal.SIG_IGN)\nwhile True: pass",
    }
    for student, code in endless.items():
        course.hand_in(student, {SOFTMAX: code})

    def graded(*options: str) -> str:
        said = course.run("headstart", "grade", LESSON, "--seconds", "1", *options).stdout
        return next(line for line in said.splitlines() if " graded" in line).partition(" in ")[0]

    assert [graded() for _ in range(3)] == ["2 graded", "2 graded", "0 graded, 2 as before"]
    statuses = course.statuses()
    assert statuses["amy"][SOFTMAX] == "not run" == statuses["bob"]["attention.find_slip"]
    assert graded("--force") == "2 graded"
    for student in endless:
        course.hand_in(student)
    assert [graded(), graded()] == ["2 graded", "0 graded, 2 as before"]


def test_an_exercises_version_follows_what_decides_it_and_nothing_else(course):
    _, config = course_directory(course.root)
    lesson = Lesson.load(LESSON, course.root, config)
    path = course.root / "source" / LESSON / "checks.json"
    text = path.read_text()
    path.write_text(text.replace("divided by √d_k", "divided by the root of d_k", 1))
    changed = Lesson.load(LESSON, course.root, config)
    path.write_text(text)
    different = {id for id, version in lesson.versions.items() if changed.versions[id] != version}
    assert different == {"attention.one_query"}
    assert changed.version != lesson.version


def test_a_copy_beside_the_lesson_is_no_part_of_it(course):
    regrade(course)  # it was graded with other limits, perhaps
    folder = course.root / "source" / LESSON
    shutil.copy(folder / f"{LESSON}.ipynb", folder / f"{LESSON}-Copy1.ipynb")
    assert regrade(course) == {"amy": None, "bob": None}
