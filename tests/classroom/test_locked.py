"""A gradebook that another program has locked is waited for: a sentence says so, and nothing is lost."""

import asyncio
import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import Mock

import psutil
import pytest
from nbformat.v4 import new_notebook
from nbgrader.api import Gradebook

from autograder.classroom import locked
from autograder.classroom.course import course_directory, find_submissions
from autograder.classroom.gradebook import Book
from autograder.grading.grader import Grader
from autograder.grading.lesson import Lesson
from tests.support.course import LESSON, PROCESSES, Course, _become
from tests.support.limits import until
from tests.support.proved import ENGINE, follows_from

pytestmark = follows_from(*ENGINE)

HOLDS = """
import sqlite3, sys
with sqlite3.connect(sys.argv[1], timeout=60) as book:
    book.execute("begin exclusive")
    print("holds it", flush=True)
    sys.stdin.read()
"""
TOUCHES = {
    "grade": ("headstart", "grade", LESSON, "--workers", "1"),
    "grade again": ("headstart", "grade", LESSON, "--force", "--workers", "1"),
    "report": ("headstart", "report", LESSON),
    "report on the course": ("headstart", "report"),
    "due": ("headstart", "due", LESSON, "2026-01-02 12:00 UTC"),
    "extend": ("headstart", "extend", LESSON, "amy", "--days", "1"),
    "student": ("headstart", "student", "remove", "amy"),
    "roster": ("headstart", "roster", "roster.csv"),
    "nbgrader autograde": ("nbgrader", "autograde", LESSON, "--force"),
    "nbgrader generate_assignment": ("nbgrader", "generate_assignment", LESSON, "--force"),
    "nbgrader generate_feedback": ("nbgrader", "generate_feedback", LESSON, "--force"),
    "nbgrader release_feedback": ("nbgrader", "release_feedback", LESSON),
    "nbgrader export": ("nbgrader", "export"),
}
LEAVES = {
    "similar": ("headstart", "similar", LESSON),
    "simulate": ("headstart", "simulate", LESSON, "--students", "3"),
    "grade --once": ("headstart", "grade", "--once", f"submitted/amy/{LESSON}/{LESSON}.ipynb", "--json"),
}
ENDED = (130, -signal.SIGINT)  # by Ctrl-C
ROSTER = 'Student,ID,SIS Login ID,Section\n"Lovelace, Ada",1,ada,Monday\n'


class Lock:
    """Another program that holds the gradebook until it is told to let go."""

    def __init__(self, course: Course) -> None:
        command = [sys.executable, "-c", HOLDS, str(course.root / "gradebook.db")]
        self._program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._program.stdout and self._program.stdout.readline() == "holds it\n"

    def free(self) -> None:
        """Let go, if that hasn't been done."""
        self._program.communicate()

    def __enter__(self) -> "Lock":
        return self

    def __exit__(self, *_: object) -> None:
        if self._program.returncode is None:
            self.free()


@contextlib.contextmanager
def begun(course: Course, *command: str) -> Iterator[tuple[PROCESSES.Process, Path, Path]]:
    """A command at work, and where it writes what it says."""
    out, err = (course.root / name for name in ("out", "err"))
    out.unlink(missing_ok=True)
    err.unlink(missing_ok=True)
    err.touch()
    env = {**os.environ, "COLUMNS": "200"}
    process = PROCESSES.Process(target=_become, args=(command, course.root, env, out, err))
    process.start()
    try:
        yield process, out, err
    finally:
        process.kill()
        process.join()


def waits(err: Path) -> bool:
    return locked.WAITING in err.read_text()


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Course:
    course = Course(tmp_path_factory.mktemp("locked") / "course")
    for student in ("amy", "bob"):
        course.hand_in(student)
        (course.submission(student) / "timestamp.txt").write_text("2026-01-01 12:00:00 UTC")
        (course.submission(student) / "submission_secret.txt").write_text(student)
    (course.root / "roster.csv").write_text(ROSTER)
    (course.root / "exchange" / "headstart" / "inbound").mkdir(parents=True)
    course.run("nbgrader", "generate_assignment", LESSON)
    course.run("headstart", "grade", LESSON)
    course.run("nbgrader", "generate_feedback", LESSON)
    course.query("update assignment set duedate = '2026-01-02 12:00:00'")
    return course


@pytest.mark.needs_bubblewrap
@pytest.mark.parametrize("command", TOUCHES.values(), ids=TOUCHES)
def test_a_command_says_that_it_waits_and_goes_on_when_the_gradebook_is_free(graded, command) -> None:
    before = graded.verdicts(), graded.scores()
    with Lock(graded) as lock, begun(graded, *command) as (process, out, err):
        until(lambda: waits(err) or not process.is_alive())
        assert process.is_alive() and waits(err), err.read_text() + out.read_text()
        lock.free()
        process.join()
        assert process.exitcode == 0, err.read_text()
        assert "Traceback" not in err.read_text() + out.read_text()
        assert err.read_text().count(locked.WAITING) == 1
    assert (graded.verdicts(), graded.scores()) == before


@pytest.mark.needs_bubblewrap
@pytest.mark.parametrize("command", LEAVES.values(), ids=LEAVES)
def test_a_command_that_needs_no_gradebook_is_not_held_up(graded, command) -> None:
    with Lock(graded), begun(graded, *command) as (process, _, err):
        process.join()
        assert process.exitcode == 0 and not waits(err), err.read_text()


@pytest.mark.needs_bubblewrap
def test_a_watch_waits_and_goes_on(graded) -> None:
    with begun(graded, "headstart", "watch", LESSON, "--every", "0.1", "--workers", "1") as (
        process,
        out,
        err,
    ):
        with Lock(graded):
            until(lambda: waits(err) or not process.is_alive())
        until(lambda: "amy: feedback is out" in out.read_text() or not process.is_alive())
        os.kill(process.pid, signal.SIGINT)
        process.join()
        assert process.exitcode in ENDED
        assert "failed" not in err.read_text() and "Traceback" not in err.read_text()


@pytest.mark.needs_bubblewrap
def test_ctrl_c_ends_waiting(graded) -> None:
    with Lock(graded), begun(graded, *TOUCHES["grade"]) as (process, _, err):
        until(lambda: waits(err))
        os.kill(process.pid, signal.SIGINT)
        process.join()
        assert process.exitcode in ENDED and "Traceback" not in err.read_text()


@pytest.fixture
def when_said(monkeypatch) -> list[Callable[[], object]]:
    """What is done, one after the other, as somebody says that they wait for the gradebook."""
    calls: list[Callable[[], object]] = []
    monkeypatch.setattr(locked, "print", lambda *_, **__: calls.pop(0)(), raising=False)
    monkeypatch.setattr(locked, "SECONDS", 0.1)
    return calls


@pytest.mark.needs_bubblewrap
def test_what_is_recorded_while_it_is_locked_is_recorded_once_and_whole(graded, when_said) -> None:
    course, config = course_directory(graded.root)
    lesson = Lesson.load(LESSON, graded.root, config)
    grader = Grader(lesson, b"of this test")
    try:
        papers = [grader.grade(submission) for submission in find_submissions(course, LESSON, [])]
    finally:
        grader.close()
    scores = graded.scores()
    book = Book(course, LESSON, lesson.skeletons, config)
    try:
        for paper in papers:
            with Lock(graded) as lock:
                when_said.append(lock.free)
                book.record(paper)
        with Lock(graded) as lock:
            when_said.append(lock.free)
            book.charge_lateness(config)
        assert not when_said, "each time they waited"
        recorded = book.recorded()
    finally:
        book.close()
    assert recorded == {paper.student: paper.digest for paper in papers}
    assert graded.scores() == scores


def test_a_commit_waits_for_those_who_still_read(graded, when_said) -> None:
    """One who reads doesn't keep it from writing, but from making it last."""
    path = graded.root / "gradebook.db"
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("begin")
        reader.execute("select * from student").fetchone()
        when_said.append(reader.rollback)
        with Gradebook(f"sqlite:///{path}", "headstart") as book:
            book.update_or_create_student("dora", first_name="Dora")
        assert not when_said
    assert graded.query("select first_name from student where id = 'dora'") == [("Dora",)]


def test_a_gradebook_that_cannot_take_a_lesson_is_let_go(graded, monkeypatch) -> None:
    course, _ = course_directory(graded.root)
    monkeypatch.setattr(Book, "_register", Mock(side_effect=LookupError("cells came or went")))
    with pytest.raises(LookupError) as _kept:  # what is raised keeps all that was open alive
        Book(course, LESSON, {LESSON: new_notebook()})
    assert str(graded.root / "gradebook.db") not in {file.path for file in psutil.Process().open_files()}


def test_a_server_gets_the_error_and_holds_up_nobody(graded, monkeypatch) -> None:
    monkeypatch.setattr(locked, "SECONDS", 0.1)

    async def asked(book: Gradebook) -> None:
        book.update_or_create_student("dora", first_name="Nobody")

    with (
        Gradebook(f"sqlite:///{graded.root / 'gradebook.db'}", "headstart") as book,
        Lock(graded),
        pytest.raises(Exception, match="database is locked"),
    ):
        asyncio.run(asked(book))
