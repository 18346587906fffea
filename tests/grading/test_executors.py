"""Which judge grades what, and what a worker and a judge don't import."""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from types import SimpleNamespace

import psutil
import pytest
import torch

from autograder.classroom.course import course_directory, find_submissions
from autograder.grading import workers as workers_module
from autograder.grading.executors import JudgeEnded, _Judge, _take, _Waiting, open_executor
from autograder.grading.grader import Grader
from autograder.grading.lesson import Lesson
from autograder.grading.workers import Worker
from autograder.lessons import ROOT, helper_files
from tests.support.course import LESSON, Course
from tests.support.proved import ENGINE, follows_from

pytestmark = follows_from(*ENGINE)


def test_a_judge_takes_what_it_has_cases_for_then_what_nobody_has_cases_for():
    ours, other = SimpleNamespace(draws={1}), SimpleNamespace(draws={2})
    waiting = [
        _Waiting((name,), draw) for name, draw in (("theirs", 2), ("new", 3), ("ours", 1), ("new, too", 3))
    ]
    order = [_take(waiting, ours, [ours, other]).what[0] for _ in range(4)]
    assert order == ["ours", "new", "new, too", "theirs"]
    assert ours.draws == {1, 2, 3} and not waiting


def test_the_draw_by_which_submissions_are_handed_out_is_the_one_they_are_judged_by(tmp_path):
    course = Course(tmp_path / "course")
    course.hand_in("amy")
    course.hand_in("bob")
    directory, config = course_directory(course.root)
    grader = Grader(Lesson.load(LESSON, course.root, config), b"of this test" * 3)
    for submission in find_submissions(directory, LESSON, []):
        assert grader.draw(submission) == grader._hidden.number(grader.prepare(submission).content)


@pytest.mark.needs_bubblewrap
@pytest.mark.promise(44)
def test_judges_share_what_one_worker_imports_and_a_twin_that_is_killed_costs_nobody(tmp_path):
    course = Course(tmp_path / "course")
    for name in ("amy", "bob", "cat", "dan"):
        course.hand_in(name)
    directory, config = course_directory(course.root)
    submissions = find_submissions(directory, LESSON, [])
    torch.set_num_threads(1)  # or a judge, forked without torch's threads, waits for them
    grader = Grader(Lesson.load(LESSON, course.root, config), b"of this test" * 3)

    def workers() -> list[psutil.Process]:
        """Those that are still there: what has just ended can't be asked."""
        found = []
        for process in psutil.Process().children(recursive=True):
            with contextlib.suppress(psutil.Error):
                if "autograder.child.worker" in process.cmdline():
                    found.append(process)
        return found

    def launched() -> list[psutil.Process]:
        return [process for process in workers() if process.parent() not in workers()]

    with open_executor(grader, 2, None) as executor:
        before = [executor.submit(submission, "", {}) for submission in submissions]
        assert {v.status for future in before for v in future.result().verdicts} == {"passed"}
        assert len(launched()) == 1
        [first] = [
            process
            for process in workers()
            if process.name() != "bwrap" and process.parent().name() == "bwrap"
        ]
        twins = first.children()
        assert len(twins) == 2
        for twin in twins:
            twin.kill()
        psutil.wait_procs(twins, 0)
        after = [executor.submit(submission, "", {}) for submission in submissions]
        assert [future.result().verdicts for future in after] == [
            future.result().verdicts for future in before
        ]
    assert not workers()


COMPARES = """
import sys, torch
from helpers.checking.comparing import compare
from autograder.grading import judge
assert compare({"output": torch.zeros(2, 3)}, {"output": torch.ones(2, 3)})
print("sympy" in sys.modules)
"""


def test_a_wrong_answer_is_compared_without_importing_sympy():
    done = subprocess.run(
        [sys.executable, "-c", COMPARES], cwd=ROOT, capture_output=True, text=True, check=True
    )  # fmt: skip
    assert done.stdout == "False\n"


MAKES = """
import os, sys
os.environ["PATH"] = ""
from nbgrader import api
from sqlalchemy import text
from autograder.classroom.course import course_directory
from autograder.classroom.database import opened
with opened(course_directory(sys.argv[1])[0]) as book:
    print(book.db.execute(text("SELECT version_num FROM alembic_version")).scalar())
"""


@pytest.mark.timeout(120)
def test_a_gradebook_is_made_as_nbgrader_makes_it_without_its_alembic_command(tmp_path):
    from nbgrader.api import Gradebook
    from sqlalchemy import text

    (tmp_path / "nbgrader_config.py").write_text((ROOT / "nbgrader_config.py").read_text())
    made = [sys.executable, "-c", MAKES, str(tmp_path)]
    done = subprocess.run(made, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with Gradebook(f"sqlite:///{tmp_path}/theirs.db") as theirs:
        head = theirs.db.execute(text("SELECT version_num FROM alembic_version")).scalar()
    assert done.stdout.strip() == head != ""


def test_a_judge_that_is_told_to_end_while_it_gets_a_worker_leaves_no_folder_behind(tmp_path, monkeypatch):
    """As where a terminal is closed: workers end at once, and judges start others."""

    class AtThatMoment(tempfile.TemporaryDirectory):
        def __init__(self, **how: object) -> None:
            super().__init__(dir=tmp_path, **how)
            os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(workers_module.tempfile, "TemporaryDirectory", AtThatMoment)
    worker = Worker(helper_files(0), sandboxed=False)
    grader = SimpleNamespace(
        workers=[worker], first=None, employ=lambda twin: None, grade=worker.launch, close=worker.stop
    )
    judge = _Judge(grader)
    with contextlib.suppress(JudgeEnded):
        judge.grade()
    judge.stop()
    assert not [*tmp_path.iterdir()]
