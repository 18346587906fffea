"""Who changes a student's folder, and who reads it, waits for the other."""

import fcntl
import os
import threading
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
from nbgrader.exchange.default import ExchangeCollect

from autograder.classroom import database, watching
from autograder.classroom.collect import Collect
from autograder.classroom.gradebook import Book
from autograder.grading import alone, handed_in
from autograder.grading.handed_in import Submission

pytestmark = pytest.mark.promise(43)


def turned_away(folder: Path, how: int = fcntl.LOCK_EX) -> bool:
    """Whether somebody who would lock a folder has to wait."""
    at = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(at, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(at)
    return False


def test_one_waits_for_the_other_and_goes_on_after_it(tmp_path):
    came = []

    def second() -> None:
        with alone.alone_in(tmp_path):
            came.append("second")

    with alone.alone_in(tmp_path):
        thread = threading.Thread(target=second)
        thread.start()
        thread.join(0.3)
        came.append("first")
    thread.join()
    assert came == ["first", "second"]


def test_whoever_keeps_a_lock_for_ever_is_not_waited_for_as_long(tmp_path, monkeypatch):
    monkeypatch.setattr(alone, "PATIENCE", 0.1)
    with alone.alone_in(tmp_path), alone.alone_in(tmp_path):
        pass


def test_a_submission_is_not_read_while_it_is_collected(tmp_path, monkeypatch):
    seen = []

    def look(*_: object, **__: object) -> list:
        seen.append((turned_away(tmp_path / "amy"), turned_away(tmp_path / "amy", fcntl.LOCK_SH)))
        return []

    (tmp_path / "amy" / "lesson").mkdir(parents=True)
    monkeypatch.setattr(handed_in, "candidates", look)
    handed_in.handed_in(Submission("amy", "lesson", tmp_path / "amy" / "lesson"))
    assert seen == [(True, False)]  # others may read it
    assert not turned_away(tmp_path / "amy")


def test_of_two_who_collect_one_waits(tmp_path, monkeypatch):
    seen = []
    (tmp_path / "amy").mkdir()
    monkeypatch.setattr(ExchangeCollect, "copy_files", lambda _: seen.append(turned_away(tmp_path / "amy")))
    collect = object.__new__(Collect)
    record = {"username": "amy", "filename": "amy", "timestamp": datetime(2026, 1, 1)}
    monkeypatch.setattr(Collect, "src_records", [record], raising=False)
    monkeypatch.setattr(Collect, "_of_those_here", lambda self, records: records)
    monkeypatch.setattr(Collect, "_place", lambda self, student: tmp_path / student)
    collect.copy_files()
    assert seen == [True]


def test_of_two_who_record_one_waits(tmp_path, monkeypatch):
    """Else the one takes the other's half-written file for a student's, or has its rows beside the other's page."""
    seen = []
    monkeypatch.setattr(Book, "path", lambda self, student: tmp_path / student / "lesson" / "lesson.ipynb")
    monkeypatch.setattr(Book, "_record", lambda *_: seen.append(turned_away(tmp_path / "amy")))
    object.__new__(Book).record(SimpleNamespace(student="amy"))
    assert seen == [True]


def test_of_two_who_make_a_gradebook_one_waits(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(database, "Gradebook", lambda *_: seen.append(turned_away(tmp_path)))
    database.opened(SimpleNamespace(root=str(tmp_path), db_url="sqlite://", course_id="a"))
    assert seen == [True]


@pytest.mark.parametrize("later", ["", "later"])
def test_what_somebody_else_collects_meanwhile_has_no_feedback_yet(tmp_path, monkeypatch, later):
    folder, answered = tmp_path / "amy" / "lesson", []
    folder.mkdir(parents=True)
    (folder / "timestamp.txt").write_text("first")

    def grade(*_: object, **__: object) -> None:
        if later:
            (folder / "timestamp.txt").write_text(later)

    monkeypatch.setattr(watching._Rounds, "__post_init__", lambda self: None)
    monkeypatch.setattr(watching, "find_submissions", lambda *_: [Submission("amy", "lesson", folder)])
    book = SimpleNamespace(charge_lateness=lambda *_, **__: None, close=int, repointed=[])
    monkeypatch.setattr(watching, "Book", lambda *_: book)
    monkeypatch.setattr(watching, "grade_all", grade)
    lesson = SimpleNamespace(name="lesson", skeletons={}, own_files={})
    executor = SimpleNamespace(number=1, submit=None)
    rounds = watching._Rounds(SimpleNamespace(lesson=lesson), None, None, executor, True, lambda: False)
    monkeypatch.setattr(rounds, "_answer", answered.append)
    rounds._round(collect=False)
    assert answered == [{"amy": "first"}]
