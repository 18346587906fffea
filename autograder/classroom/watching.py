"""Watching: what is handed in is collected, graded and answered while it helps, until it is ended.

Safe to kill: what was collected is collected, what was graded is recorded, and whose feedback is out is kept
beside the course's secret. The next call resumes there. One at a time per course.
"""

import contextlib
import fcntl
import functools
import json
import math
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from nbgrader.apps.api import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange.default import Exchange
from traitlets.config import Config

from autograder.classroom.batch import grade_all
from autograder.classroom.changes import Change, changed, changed_by_hand, lines
from autograder.classroom.collect import IN_FUTURE
from autograder.classroom.course import find_submissions, odd_name
from autograder.classroom.engine import Options, open_grader
from autograder.classroom.gradebook import Book
from autograder.classroom.groups import share_again
from autograder.classroom.release import why_not_fetched
from autograder.grading.executors import Executor, open_executor
from autograder.grading.grader import Grader
from autograder.grading.handed_in import Submission
from autograder.results import Graded
from helpers.checking.finding import one_line
from helpers.storage import write_whole

PATIENCE = 60  # seconds for a submission that is still being copied into the exchange, or until the next try
LONGEST = 3600  # seconds until the next try, after many
STATE, LOCK = ".headstart_released.json", ".headstart_watch"


def watch(
    name: str,
    course: CourseDirectory,
    config: Config,
    options: Options,
    *,
    every: float = 5.0,
    release: bool = True,
) -> int:
    """Collect, grade and answer what comes, until interrupted.

    Args:
        name: of the lesson.
        course: whose exchange is watched.
        config: nbgrader's settings.
        options: how to grade; no cluster.
        every: seconds between two looks into the exchange.
        release: whether students get their feedback at once.

    Returns:
        The exit code: 2 if another watch is running.

    Raises:
        FileNotFoundError, LookupError: as `open_grader`.
    """
    grader = open_grader(name, course, config, options)
    inbound = Path(Exchange(config=config).root, course.course_id, "inbound")
    with grader, _alone(course) as alone, contextlib.ExitStack() as stack:
        if not alone:
            print(f"headstart: another watch is running in {course.root}", file=sys.stderr)
            return 2
        executor = stack.enter_context(open_executor(grader, options.workers, None))
        interrupted = stack.enter_context(_interrupts())
        rounds = _Rounds(grader, course, config, executor, release, interrupted)
        print(f"headstart: watching {inbound} for {name}; Ctrl-C ends it, and nothing is lost", flush=True)
        _watch(rounds, inbound, every)


def _watch(rounds: "_Rounds", inbound: Path, every: float) -> NoReturn:
    """Look for new submissions again and again. After a failure, try again after a pause, each longer."""
    seen, waited, inboxes = None, _Waiting(), _Inboxes(inbound)
    late: list[Path] = []  # not whole when patience was over: collected again once they are
    again, pause = math.inf, PATIENCE
    while True:
        there = inboxes.look(rounds.grader.lesson.name)
        new = [inbound / folder for folder in there - (seen or set())]
        came = there != seen or any(map(_is_whole, late))
        if (came and not waited.for_any(new)) or time.monotonic() > again:
            rounds.renew(folder for folder in late if _is_whole(folder))
            late = [folder for folder in [*new, *late] if not _is_whole(folder)]
            if rounds.run(collect=not inboxes.said):
                again, pause = math.inf, PATIENCE
            else:
                again, pause = time.monotonic() + pause, min(2 * pause, LONGEST)
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


@contextlib.contextmanager
def _interrupts() -> Iterator[Callable[[], bool]]:
    """Whether an interrupt has come: nbgrader takes whatever is raised in its steps for their failure."""
    came: list[int] = []

    def note(number: int, _: object) -> None:
        came.append(number)
        raise KeyboardInterrupt

    before = signal.getsignal(signal.SIGINT)
    if before == signal.default_int_handler:  # else somebody wants it otherwise, as `nohup` does
        signal.signal(signal.SIGINT, note)
    try:
        yield lambda: bool(came)
    finally:
        signal.signal(signal.SIGINT, before)


@dataclass
class _Inboxes:
    """The folder that submissions come into. That it can't be read is said once, until it can."""

    inbound: Path
    said: str = ""

    def look(self, lesson: str) -> set[str]:
        """The names of what was handed in for a lesson: STUDENT+LESSON+TIME+LETTERS."""
        problem = ""
        found: set[str] = set()
        try:
            found = {entry for entry in os.listdir(self.inbound) if entry.rsplit("+", 3)[1:2] == [lesson]}
        except OSError as error:  # the first release makes it
            problem = f"{self.inbound} can't be read: {error.strerror}; waiting until it can"
        if problem != self.said:
            print(f"{_now()} {problem or 'it can now'}", file=sys.stderr, flush=True)
            self.said = problem
        return found


def _is_whole(folder: Path) -> bool:
    """Whether a submission is all there: nbgrader writes its time last. False if we may not look."""
    return os.path.isfile(folder / "timestamp.txt")


@dataclass
class _Waiting:
    """A submission appears before it is whole: nbgrader writes its time last.

    The limit holds for all together, so nobody can delay the others by making new folders endlessly.
    """

    since: float | None = None

    def for_any(self, folders: list[Path]) -> bool:
        """Whether one of them is still being written, and there is patience left."""
        now = time.monotonic()
        # defence: watch: all are waited for together
        since = now if self.since is None else self.since
        unfinished = not all(map(_is_whole, folders))
        self.since = since if unfinished and now - since < PATIENCE else None
        return self.since is not None


@dataclass
class _Rounds:
    """What is done with what came."""

    grader: Grader
    course: CourseDirectory
    config: Config
    executor: Executor
    release: bool
    interrupted: Callable[[], bool]
    failed: bool = False
    told: set[str] = field(default_factory=set)  # what was said once
    graded: dict[str, list] = field(default_factory=dict)  # by student, what this watch has graded

    def __post_init__(self) -> None:
        self.api = NbGraderAPI(self.course, config=self.config)
        self.state = Path(self.course.root, STATE)

    def run(self, collect: bool = True) -> bool:
        """Collect, grade what is new, and answer whoever has no answer yet; whether all of it was done.

        A full disk or a gradebook that another program holds is said, and ends nothing: it is tried again.
        """
        self.failed = False
        try:
            self._round(collect)
        except Exception as error:
            self._fail("this round", f"{type(error).__name__}: {error}".splitlines()[0])
        return not self.failed

    def renew(self, folders: Iterable[Path]) -> None:
        """Have submissions collected again, which were collected before they were whole."""
        for student in [folder.name.split("+")[0] for folder in folders]:
            if not odd_name(student):
                place = self.course.format_path(
                    self.course.submitted_directory, student, self.grader.lesson.name
                )
                Path(place, "timestamp.txt").unlink(missing_ok=True)

    def _round(self, collect: bool) -> None:
        lesson = self.grader.lesson
        name = lesson.name
        if collect:
            self._do("collect", functools.partial(self.api.collect, name, update=True))
            for line in share_again(name, self.course):
                self._tell(line)
        submissions = find_submissions(self.course, name, [])
        states = {submission.student: _state(submission) for submission in submissions}
        # Now: somebody else may collect another submission meanwhile.
        # defence: watch: whose feedback is out
        stamps = {submission.student: _stamp(submission) for submission in submissions}
        # One that waits until its time is out would be run again in each round, and hold up all others.
        # defence: watch: what was stopped is run in no other round
        new = [each for each in submissions if self.graded.get(each.student) != states[each.student]]

        charged: set[str] = set()

        def note(submission: Submission, graded: Graded | None, broken: str) -> None:
            if not broken:
                self.graded[submission.student] = states[submission.student]
            self._say(submission, graded, broken)
            if self.release and graded:  # while the judges are busy with the next ones
                book.charge_lateness(self.config, submission.student)
                charged.add(submission.student)
                self._answer({submission.student: stamps[submission.student]})

        def say(changes: list[Change]) -> None:
            for line in lines(changes):
                print(f"{_now()} {line}", flush=True)

        def record(submission: Submission, graded: Graded) -> None:
            changes = changed(book, graded, lesson.outlines)
            if book.record(graded, now=functools.partial(self.grader.digest, submission)):
                say(changes)

        book = Book(self.course, name, lesson.skeletons, self.config, lesson.own_files)
        try:
            say(changed_by_hand(book))
            number = self.executor.number
            grade_all(book, new, self.executor.submit, at_once=number, progress=note, record=record)
            book.charge_lateness(self.config, done=charged)
        finally:
            book.close()
        if self.release:
            self._answer(stamps)

    def _answer(self, stamps: dict[str, str]) -> None:
        """Make feedback for everyone who has none yet, and release each page at once."""
        name, released = self.grader.lesson.name, self._released()
        new = [who for who, stamp in stamps.items() if released.get(name, {}).get(who) != stamp]
        for student in new:
            page = functools.partial(self.api.generate_feedback, name, student)
            release = functools.partial(self.api.release_feedback, name, student)
            if self._do("feedback", page) and self._do("release", release):
                released.setdefault(name, {})[student] = stamps[student]
                write_whole(self.state, json.dumps(released, indent=1).encode())
                lost = why_not_fetched(self.course, name, student)
                said = f"feedback is made, but the student {lost}" if lost else "feedback is out"
                print(f"{_now()} {student}: {said}", flush=True)

    def _released(self) -> dict[str, dict[str, str]]:
        """By lesson and student, the time of the submission whose feedback is out."""
        try:
            return json.loads(self.state.read_text())
        except (OSError, ValueError):
            return {}

    def _do(self, what: str, call: Callable[[], dict | None]) -> bool:
        done = call() or {}
        if self.interrupted():
            raise KeyboardInterrupt
        for line in str(done.get("log") or "").splitlines():
            told = line.partition("] ")[2] or line
            if any(what in line for what in ("was not collected", "was left out", IN_FUTURE)):
                self._tell(told)
        if not done.get("success"):
            said = str(done.get("error") or done.get("log") or "").strip().splitlines()[-1:]
            self._fail(what, "".join(said))
        return bool(done.get("success"))

    def _tell(self, line: str) -> None:
        """Say something once."""
        if line not in self.told:
            self.told.add(line)
            print(f"{_now()} {one_line(line)}", file=sys.stderr, flush=True)

    def _fail(self, what: str, why: str) -> None:
        self.failed = True
        print(f"{_now()} {what} failed: {one_line(why)}; it will be tried again", file=sys.stderr, flush=True)

    def _say(self, submission: Submission, graded: Graded | None, broken: str) -> None:
        if broken:
            self._fail(f"grading {submission.student}", broken)
        elif graded:
            points = sum(verdict.points for verdict in graded.verdicts)
            possible = sum(verdict.max_points for verdict in graded.verdicts)
            # defence: watch: names that steer a terminal
            said = "; ".join(filter(None, [f"{points:g} of {possible:g} points", one_line(graded.problem)]))
            print(f"{_now()} {submission.student}: {said}", flush=True)


def _stamp(submission: Submission) -> str:
    with contextlib.suppress(OSError):
        return (submission.folder / "timestamp.txt").read_bytes()[:100].decode(errors="replace")
    return ""


def _state(submission: Submission) -> list[tuple[str, int, int]]:
    """What lies in a submission's folder, with when it was last changed: another, once there is another."""
    with contextlib.suppress(OSError):
        entries = [(entry.name, entry.stat(follow_symlinks=False)) for entry in os.scandir(submission.folder)]
        return sorted((name, status.st_mtime_ns, status.st_size) for name, status in entries)
    return []


def _now() -> str:
    return time.strftime("%H:%M:%S")
