"""What goes wrong in the grader itself is told of one submission, and the batch goes on."""

from pathlib import Path
from types import SimpleNamespace

from autograder.classroom.batch import grade_all
from autograder.grading.handed_in import Submission


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
