"""Kill a grader at work, at ten moments and twice at each, and see that nothing is lost or graded twice.

python -m tests.long.kills

A call that was stopped begins anew. One that comes to its end writes its table to benchmarks/RESULTS.md.

Each time, the next call goes on in the same course. In the end, all of it has to be as in a course that was graded
without a kill: statuses, scores, notebooks, and files, so that none is left half-written. A row says at which moment
the grader was killed and by which time that the moment came; how many submissions were recorded before and after; and
how many processes the grader had started, all of which ended with it.
"""

import contextlib
import os
import signal
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil
from rich.table import Table

from autograder.classroom.gradebook import Book
from autograder.commands.cli import main as headstart
from autograder.grading import judge
from autograder.grading.grader import Grader
from autograder.grading.workers import Worker
from benchmarks.results import write
from helpers import storage
from tests.support.course import LESSON, PROCESSES, Course

STUDENTS = 40
TIMES = (1, 3)
ORDINALS = {1: "first", 2: "second", 3: "third"}
ENDING_SECONDS = 60  # in which all that a grader has started is gone
Moment = tuple[str, Any, str, bool]  # what it is, whose function comes then, its name, and whether it is over
MOMENTS: list[Moment] = [
    ("a worker is warm", Worker, "start", True),
    ("a child has begun", Worker, "begin", True),
    ("a cell is about to run", judge._Run, "cell", False),
    ("hidden cases are judged", judge._Run, "_decide", False),
    ("judged, and not sent", Grader, "run", True),
    ("a file is half-written", storage.os, "replace", False),
    ("the notebook is written", Book, "_write_notebooks", True),
    ("rows are written, not committed", Book, "_verdicts", True),
    ("a submission is recorded", Book, "record", True),
    ("lateness is about to be charged", Book, "charge_lateness", False),
]


def _killed_at(root: Path, moment: int, number: int) -> None:
    """Grade, in a process of its own, and kill that at the given time that a moment comes, whoever sees it."""
    _, owner, name, over = MOMENTS[moment]
    real, grader, came = getattr(owner, name), os.getpid(), 0

    def stand_in(*arguments: object, **options: object) -> object:
        nonlocal came
        came += 1
        result = real(*arguments, **options) if over or came < number else None
        if came == number:
            os.kill(grader, signal.SIGKILL)
            time.sleep(1000)  # a judge, which ends with its grader
        return result

    setattr(owner, name, stand_in)
    os.chdir(root)
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        headstart(["grade", LESSON, "--workers", "1"])


def _kill(course: Course, moment: int, number: int) -> tuple[int, int, int]:
    """Kill the grader once: how many submissions were recorded before and after, and how many processes it had."""
    before = _recorded(course)
    grader = PROCESSES.Process(target=_killed_at, args=(course.root, moment, number))
    grader.start()
    started: set[psutil.Process] = set()
    while grader.is_alive():
        with contextlib.suppress(psutil.NoSuchProcess):
            started.update(psutil.Process(grader.pid).children(recursive=True))
        time.sleep(0.05)
    grader.join()
    assert grader.exitcode == -signal.SIGKILL, f"it ended before: {grader.exitcode}"
    _, left = psutil.wait_procs(started, ENDING_SECONDS)
    after = _recorded(course)
    assert after >= before and not left
    return before, after, len(started)


def _recorded(course: Course) -> int:
    return len(course.verdicts()) if (course.root / "gradebook.db").exists() else 0


def _as_if_never_killed(course: Course, twin: Course) -> str:
    twin.run("headstart", "grade", LESSON)
    before = _recorded(course)
    done = course.run("headstart", "grade", LESSON)
    assert f"{STUDENTS - before} graded, {before} as before" in done.stdout, done.stdout
    assert (course.statuses(), course.scores()) == (twin.statuses(), twin.scores())
    assert all(course.autograded(student) == twin.autograded(student) for student in twin.verdicts())
    files = [{p.relative_to(c.root) for p in (c.root / "autograded").rglob("*")} for c in (course, twin)]
    assert files[0] == files[1], files[0] ^ files[1]
    return f"the next call graded the other {STUDENTS - before}; all is as in a course that nobody killed"


def main() -> None:
    """Kill, grade the rest, and write the table."""
    table = Table("killed when", "for the", "recorded before", "and after", "processes that ended with it")
    for column in table.columns[2:]:
        column.justify = "right"
    with tempfile.TemporaryDirectory(prefix="headstart-kills-") as folder:
        course, twin = (Course(Path(folder, name)) for name in ("course", "twin"))
        for each in (course, twin):
            each.run("headstart", "simulate", LESSON, "--students", str(STUDENTS), "--calm")
        *moments, last = range(len(MOMENTS))
        kills = [(moment, number, f"{ORDINALS[number]} time") for number in TIMES for moment in moments]
        # Lateness is charged once in a call, when all that is new has been recorded.
        kills += [(last, 1, f"{ORDINALS[call]} call") for call in (1, 2)]
        for moment, number, when in kills:
            row = MOMENTS[moment][0], when, *map(str, _kill(course, moment, number))
            print(*row, sep=", ", flush=True)
            table.add_row(*row)
        end = _as_if_never_killed(course, twin)
    write(
        "Kills",
        "python -m tests.long.kills",
        table,
        f"{STUDENTS} submissions, one worker. In the end, {end}.",
    )


if __name__ == "__main__":
    main()
