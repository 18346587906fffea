"""`headstart watch`: what is handed in is collected, graded and answered while it helps, until it is ended.

Safe to kill: what was collected is collected, what was graded is recorded, and whose feedback is out is kept
beside the course's secret. The next call goes on from there. One at a time per course.
"""

import contextlib
import fcntl
import functools
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import torch
from nbgrader.apps.api import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange.default import Exchange
from traitlets.config import Config

from autograder.grading.batch import grade_all
from autograder.grading.course import draws_folder, find_submissions, hidden_secret
from autograder.grading.executors import Executor, open_executor
from autograder.grading.gradebook import Book
from autograder.grading.grader import Grader
from autograder.grading.lesson import Lesson
from autograder.grading.settings import cell_seconds, refuse_settings
from autograder.grading.submission import Submission
from autograder.programs import sandbox_problem
from autograder.results import Graded
from helpers.storage import write_whole

PATIENCE = 60  # seconds for a submission that is still being copied into the exchange
STATE, LOCK = ".headstart_released.json", ".headstart_watch"


def watch(
    name: str,
    course: CourseDirectory,
    config: Config,
    *,
    workers: int,
    every: float = 5.0,
    release: bool = True,
    sandboxed: bool = True,
    seconds: float | None = None,
) -> int:
    """Collect, grade and answer what comes, until interrupted.

    Args:
        name: of the lesson.
        course: whose exchange is watched.
        config: nbgrader's settings.
        workers: how many submissions are graded at once.
        every: seconds between two looks into the exchange.
        release: whether students get their feedback at once.
        sandboxed: if not, student code runs with your own rights.
        seconds: CPU time that one cell may take.

    Returns:
        The exit code: 2 if it can't begin, which is said in a sentence.
    """
    if sandboxed and (problem := sandbox_problem()):
        print(f"headstart: {problem}", file=sys.stderr)
        return 2
    torch.set_num_threads(1)
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    refuse_settings(config)
    inbound = Path(Exchange(config=config).root, course.course_id, "inbound")
    lesson = Lesson.load(name, Path(course.root), config)
    seconds = seconds or cell_seconds(config, lesson.plain)
    grader = Grader(lesson, hidden_secret(course), sandboxed, seconds, draws_folder(course))
    with _alone(course) as alone, contextlib.ExitStack() as stack:
        if not alone:
            print(f"headstart: another watch is running in {course.root}", file=sys.stderr)
            return 2
        executor = stack.enter_context(open_executor(grader, workers, None))
        rounds = _Rounds(lesson, course, config, executor, release)
        print(f"headstart: watching {inbound} for {name}; Ctrl-C ends it, and nothing is lost", flush=True)
        seen, waited = None, _Waiting()
        while True:
            there = _handed_in(inbound, name)
            if there != seen and not waited.for_any([inbound / folder for folder in there - (seen or set())]):
                rounds.run()
                seen = there
            time.sleep(every)


@contextlib.contextmanager
def _alone(course: CourseDirectory) -> Iterator[bool]:
    """Whether no other watch of this course is running. The lock goes with the process, however it ends."""
    with open(Path(course.root, LOCK), "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
            return
        yield True


def _handed_in(inbound: Path, lesson: str) -> set[str]:
    """The names of what was handed in for a lesson: STUDENT+LESSON+TIME+LETTERS."""
    try:
        return {entry for entry in os.listdir(inbound) if entry.split("+")[1:2] == [lesson]}
    except OSError:
        return set()  # no exchange yet


@dataclass
class _Waiting:
    """A submission appears before it is whole: nbgrader writes its time last. None is waited for twice."""

    since: dict[Path, float] = field(default_factory=dict)

    def for_any(self, folders: list[Path]) -> bool:
        """Whether one of them is still being written."""
        now = time.monotonic()
        unfinished = [folder for folder in folders if not (folder / "timestamp.txt").is_file()]
        return any(now - self.since.setdefault(folder, now) < PATIENCE for folder in unfinished)


@dataclass
class _Rounds:
    """What is done with what came."""

    lesson: Lesson
    course: CourseDirectory
    config: Config
    executor: Executor
    release: bool

    def __post_init__(self) -> None:
        self.api = NbGraderAPI(self.course, config=self.config)
        self.state = Path(self.course.root, STATE)

    def run(self) -> None:
        """Collect, grade what is new, and answer whoever has no answer yet."""
        name = self.lesson.name
        self._do("collect", functools.partial(self.api.collect, name, update=True))
        submissions = find_submissions(self.course, name, [])
        book = Book(self.course, name, self.lesson.skeletons, self.config, self.lesson.own_files)
        try:
            grade_all(book, submissions, self.executor.submit, at_once=self.executor.number, progress=_say)
            book.charge_lateness(self.config)
        finally:
            book.close()
        if not self.release:
            return
        released = self._released()
        for submission in submissions:
            stamp = _stamp(submission)
            if released.get(name, {}).get(submission.student) == stamp:
                continue
            student = submission.student
            steps = {"feedback": self.api.generate_feedback, "release": self.api.release_feedback}
            if all(self._do(what, functools.partial(step, name, student)) for what, step in steps.items()):
                released.setdefault(name, {})[student] = stamp
                write_whole(self.state, json.dumps(released, indent=1).encode())
                print(f"{_now()} {student}: feedback is out", flush=True)

    def _released(self) -> dict[str, dict[str, str]]:
        """By lesson and student, the time of the submission whose feedback is out."""
        try:
            return json.loads(self.state.read_text())
        except (OSError, ValueError):
            return {}

    def _do(self, what: str, call: Callable[[], dict | None]) -> bool:
        done = call() or {}
        if not done.get("success"):
            said = str(done.get("error") or done.get("log") or "").strip().splitlines()[-1:]
            print(f"{_now()} {what} failed: {''.join(said)}", file=sys.stderr, flush=True)
        return bool(done.get("success"))


def _stamp(submission: Submission) -> str:
    with contextlib.suppress(OSError):
        return (submission.folder / "timestamp.txt").read_bytes()[:100].decode(errors="replace")
    return ""


def _say(submission: Submission, graded: Graded | None, broken: str) -> None:
    if broken:
        print(f"{_now()} {submission.student}: the grader failed: {broken}", file=sys.stderr, flush=True)
    elif graded:
        points = sum(verdict.points for verdict in graded.verdicts)
        possible = sum(verdict.max_points for verdict in graded.verdicts)
        said = "; ".join(filter(None, [f"{points:g} of {possible:g} points", graded.problem]))
        print(f"{_now()} {submission.student}: {said}", flush=True)


def _now() -> str:
    return time.strftime("%H:%M:%S")
