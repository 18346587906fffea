"""Feedback that is released can be fetched, whatever the notebook was called; and where it can't be, that is said."""

import shutil
from pathlib import Path

import pytest

from autograder.classroom.collect import MADE
from autograder.classroom.course import course_directory
from autograder.classroom.release import MOST_NAMES, why_not_fetched
from autograder.grading.handed_in import RECORDS
from autograder.lessons import ROOT
from tests.classroom.test_nbgrader import Student
from tests.support.course import LESSON, Course

HANDED_IN = {
    "amy": [f"{LESSON}.ipynb"],
    "bob": [f"{LESSON} (1).ipynb"],
    "cat": [f"{LESSON}.ipynb", f"{LESSON} (1).ipynb"],
    "dan": ["my.zip"],
    "eve": [f"{LESSON}.IPYNB"],
    "fay": [f"{number}.ipynb" for number in range(MOST_NAMES + 10)],
    "gus": [f"{LESSON}.ipynb"],  # who takes the secret out of what is in the exchange
    "hal": [f"{LESSON}.ipynb"],  # whose submission came another way
}


@pytest.fixture(scope="module")
def released(tmp_path_factory) -> Course:
    """A course in which everybody has handed in through the exchange, and has feedback."""
    course = Course(tmp_path_factory.mktemp("release") / "course")
    inbound = course.root / "exchange" / "headstart" / "inbound"
    inbound.mkdir(parents=True, mode=0o777)
    inbound.chmod(0o777)
    shutil.copytree(ROOT / "release" / LESSON, inbound.parent / "outbound" / LESSON)
    for name, files in HANDED_IN.items():
        student = Student(name, course, course.root.parent / name)
        (student.folder / LESSON).mkdir()
        for file in files:
            shutil.copy(ROOT / "release" / LESSON / f"{LESSON}.ipynb", student.folder / LESSON / file)
        student.nbgrader("submit", LESSON)
    [theirs] = inbound.glob("gus+*")
    (theirs / RECORDS[1]).unlink()
    course.run("nbgrader", "collect", LESSON)
    (course.submission("hal") / RECORDS[1]).unlink()
    for name in HANDED_IN:  # as grading and `nbgrader generate_feedback` leave it
        folder = course.root / "feedback" / name / LESSON
        folder.mkdir(parents=True)
        (folder / f"{LESSON}.html").write_text(f"feedback for {name}")
        for record in RECORDS:
            if (course.submission(name) / record).exists():
                shutil.copy(course.submission(name) / record, folder)
    course.said = course.run("nbgrader", "release_feedback", LESSON)
    return course


def warned_of(course: Course, name: str) -> list[str]:
    """The warnings about a student."""
    lines = course.said.stderr.splitlines()
    return [line for line in lines if f"'{name}'" in line and "finds nothing" in line]


def fetched(course: Course, name: str) -> dict[str, str]:
    """The pages that a student can fetch."""
    folder = course.root.parent / name
    extra = ("--course", "headstart", "--student", name)
    course.run("nbgrader", "fetch_feedback", LESSON, *extra, cwd=folder)
    return {page.name: page.read_text() for page in folder.rglob("*.html")}


@pytest.mark.parametrize("name", ["amy", "bob", "cat"])
def test_a_student_fetches_a_page_for_each_notebook_they_handed_in(name, released) -> None:
    pages = {f"{Path(file).stem}.html": f"feedback for {name}" for file in HANDED_IN[name]}
    assert fetched(released, name) == pages
    assert not warned_of(released, name)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("dan", "handed in no .ipynb file"),
        ("eve", "handed in no .ipynb file"),
        ("gus", "handed in without submission_secret.txt"),
        ("hal", "didn't hand in through the exchange"),
    ],
)
def test_where_nobody_can_fetch_feedback_that_is_said(name, why, released) -> None:
    assert not fetched(released, name)
    [line] = warned_of(released, name)
    assert why in line and "`headstart feedback` writes a zip" in line
    assert why in why_not_fetched(course_directory(released.root)[0], LESSON, name)


def test_a_reason_is_said_once_for_all_whom_it_concerns(released) -> None:
    assert warned_of(released, "dan") == warned_of(released, "eve")


def test_a_page_is_not_copied_without_end(released) -> None:
    assert len(fetched(released, "fay")) == MOST_NAMES


def test_a_secret_of_ours_is_known_by_its_beginning(released) -> None:
    assert (released.submission("gus") / RECORDS[1]).read_text().startswith(MADE)
