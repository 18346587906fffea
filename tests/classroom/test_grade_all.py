"""A class is graded one by one: what goes wrong is told of one submission, and others may grade meanwhile."""

from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace

import pytest

from autograder.classroom import class_run
from autograder.classroom.batch import grade_all
from autograder.classroom.course import course_directory
from autograder.classroom.engine import Options
from autograder.grading.handed_in import Submission
from tests.support.course import LESSON, Course


def test_a_submission_that_the_grader_cannot_even_read_stops_nobody_else(tmp_path):
    def submit(submission, *_):
        raise OSError(f"no {submission.student}")

    told = []
    book = SimpleNamespace(
        recorded=dict, pages={}, path=lambda student: Path(tmp_path, student), expect=lambda student: None,
        record=told.append,
    )  # fmt: skip
    submissions = [Submission(student, "lesson", tmp_path) for student in ("amy", "bob")]
    grade_all(
        book, submissions, submit, at_once=1,
        progress=lambda submission, graded, broken: told.append((submission.student, broken)),
    )  # fmt: skip
    assert told == [("amy", "OSError: no amy"), ("bob", "OSError: no bob")]


@pytest.mark.needs_bubblewrap
@pytest.mark.timeout(300)
def test_a_slow_grading_of_what_is_older_replaces_nothing(tmp_path, monkeypatch, capsys):
    """While a wrong answer is graded, a right one comes in, which another program grades and records."""
    course, seen = Course(tmp_path / "course"), []
    directory, config = course_directory(course.root)

    class Slow:
        number = 1

        def __init__(self, grader, *_):
            self.grader = grader

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def submit(self, submission, *known):
            graded = self.grader.grade(submission, *known)
            course.hand_in("amy")
            course.run("headstart", "grade", LESSON)
            seen.append(course.verdicts())
            done = Future()
            done.set_result(graded)
            return done

    monkeypatch.setattr(class_run, "open_executor", Slow)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    course.hand_in("amy", {"attention.softmax": "def softmax(x, dim):\n    return x"})
    assert class_run.grade_class(LESSON, directory, config, Options(), []) == 0
    assert course.verdicts() == seen[0] and seen[0]["amy"]["attention.softmax"]["status"] == "passed"
    assert "Points that changed" not in capsys.readouterr().out
    assert (course.autograded("amy").cells) and "return x\n" not in str(course.autograded("amy"))
