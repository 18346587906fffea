"""How fast grading is: nbgrader's autograde, ours, and the floor that no grader can go below.

    python -m benchmarks.grading [LESSON ...]         all three, on the same made-up class of each lesson

The floor is the CPU time of the students' own cells as they stand, their checks included: executed one after
another, with nothing around them, in a process that has imported everything. nbgrader runs cells that only
train or draw, too, which takes minutes a submission in the last lessons: allow an hour for all ten.
"""

import argparse
import contextlib
import gc
import importlib
import json
import os
import pickle
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import psutil
import torch
from rich.table import Table

from autograder import lessons
from autograder.child.worker import OF_TORCH, WARM_UP, import_late
from autograder.classroom.course import course_directory, find_submissions
from autograder.classroom.gradebook import Book
from autograder.grading.grader import Grader
from autograder.grading.handed_in import Submission
from autograder.grading.lesson import Lesson
from autograder.grading.submission import canonical
from autograder.lessons import ROOT
from benchmarks.results import write
from tests.long.rows import Rows, add_option

SAMPLE = 20  # submissions to average over
ROUNDS, SECONDS = 3, 60  # measurements of these, at least: the median counts
COLUMNS = (
    "lesson", "nbgrader, s", "ours, s", "times faster", "nothing to do, s", "CPU s each", "floor", "overhead",
)  # fmt: skip
THEIRS = 3  # submissions, spread over the class, that nbgrader grades: the rest is worked out


def main() -> None:
    """Parse the options, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lessons", nargs="*", metavar="LESSON")
    parser.add_argument("--students", type=int, default=100)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    add_option(parser)
    options = parser.parse_args()
    torch.set_num_threads(1)
    every = [name for name in lessons.names() if lessons.number(name)]
    named = [lessons.find(name) for name in options.lessons]
    table = Table(*COLUMNS)
    for column in table.columns[1:]:
        column.justify = "right"
    try:
        with Rows("grading", options) as rows:
            for name in named or every:
                row = rows(name, make=partial(_of_lesson, name, options))
                table.add_row(name, *row)
                print(name, *row, sep="  ", flush=True)
    finally:  # also what there is when it is stopped by Ctrl-C
        if table.rows:
            _write(table, options)


def _of_lesson(name: str, options: argparse.Namespace) -> list[str]:
    """A lesson's row, from a process of its own: what one lesson imports makes the forks of another slow."""
    about = name, str(options.students), str(options.workers)
    command = [sys.executable, "-m", "benchmarks.grading_one", *about]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def _write(table: Table, options: argparse.Namespace) -> None:
    about = (
        f"{options.students} submissions a lesson, {options.workers} workers. Wall seconds include start-up. "
        f"nbgrader's are worked out from its times for 1 and {THEIRS} of these submissions. CPU seconds are "
        "a submission's, without start-up; overhead is what ours takes beyond the floor, as a share of it. "
        f"Ours and the floor are measured in turn, for {SECONDS} s and {ROUNDS} times at least: medians."
    )
    command = " ".join(["python -m benchmarks.grading", *options.lessons])
    write(" ".join(["Grading", *options.lessons]), command, about, table)


def make_course(root: Path, lesson: str, students: int) -> None:
    """A course folder with one lesson and a made-up class whose code neither loops nor crashes."""
    shutil.copytree(ROOT / "source" / lesson, root / "source" / lesson)
    ours = (ROOT / "nbgrader_config.py").read_text()
    (root / "nbgrader_config.py").write_text(f"{ours}\nc.pop('Autograde')  # nbgrader's own engine\n")
    run(root, "autograder", "simulate", lesson, "--students", str(students), "--calm")


def run(root: Path, module: str, *arguments: str) -> float:
    """Run a module's command in a folder; how many seconds it takes."""
    begun = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments], cwd=root, capture_output=True, text=True,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "OMP_NUM_THREADS": "1",
            "HEADSTART_PROGRESS": str(root / "progress.json"),  # models that lessons keep, too
        },
    )  # fmt: skip
    seconds = time.perf_counter() - begun
    if done.returncode:
        sys.exit(f"{module} {' '.join(arguments)} failed\n{done.stdout}\n{done.stderr}")
    return seconds


def compare(lesson: str, students: int, workers: int) -> list[str]:
    """Time both graders and the floor on one lesson: a row of the table."""
    with tempfile.TemporaryDirectory(prefix="headstart-benchmark-") as folder:
        root = Path(folder, "ours")
        make_course(root, lesson, students)
        theirs = _theirs(root, lesson, students)
        ours = run(root, "autograder", "grade", lesson, "--workers", str(workers))
        again = run(root, "autograder", "grade", lesson, "--workers", str(workers))  # nothing left to do
        pairs = list(measure(root, lesson))
    times = [f"{theirs:.0f}", f"{ours:.1f}", f"{theirs / ours:.0f}", f"{again:.1f}"]
    each, floor = (statistics.median(column) for column in zip(*pairs, strict=True))
    overhead = statistics.median((each - floor) / floor for each, floor in pairs)
    return [*times, f"{each:.3f}", f"{floor:.3f}", f"{overhead:.0%}"]


def _theirs(root: Path, lesson: str, students: int) -> float:
    """Seconds that nbgrader's autograde would take for the class."""
    seconds = {}
    submitted = sorted((root / "submitted").iterdir())
    submitted = submitted[:: max(1, len(submitted) // THEIRS)]
    for number in (1, THEIRS):
        theirs = root.parent / f"theirs-{number}"
        shutil.copytree(root, theirs, ignore=shutil.ignore_patterns("submitted"))
        for folder in submitted[:number]:
            shutil.copytree(folder, theirs / "submitted" / folder.name)
        run(theirs, "nbgrader", "generate_assignment", lesson)
        seconds[number] = run(theirs, "nbgrader", "autograde", lesson)
    each = (seconds[THEIRS] - seconds[1]) / (THEIRS - 1)
    return seconds[1] + (students - 1) * each


def measure(root: Path, lesson_name: str) -> Iterator[tuple[float, float]]:
    """CPU seconds that a submission takes, on average over some of a class, without start-up.

    Yields:
        What grading takes, in worker, child, judge and gradebook; and what the submission's own cells take.
    """
    course, config = course_directory(root)
    lesson = Lesson.load(lesson_name, root, config)
    warm_up(lesson_name)
    os.environ["HEADSTART_PROGRESS"] = str(root / "progress.json")
    grader, book = Grader(lesson, b"benchmark"), Book(course, lesson_name, lesson.skeletons)
    submissions = find_submissions(course, lesson_name, [])[:SAMPLE]
    for submission in submissions:  # what is made once for a class, the hidden sheets above all
        graded = grader.grade(submission)
    started, rounds = time.monotonic(), 0
    while rounds < ROUNDS or time.monotonic() < started + SECONDS:
        rounds += 1
        before, begun = graded.ended.worker_seconds, time.process_time()
        for submission in submissions:
            graded = grader.grade(submission)
            book.record(pickle.loads(pickle.dumps(graded)))  # it comes from another process
        ours = time.process_time() - begun + graded.ended.worker_seconds - before
        floor = sum(_floor_of(lesson, submission) for submission in submissions)
        yield ours / len(submissions), floor / len(submissions)
    grader.close()
    book.close()


def _floor_of(lesson: Lesson, submission: Submission) -> float:
    notebook = canonical(submission, lesson.skeletons[lesson.name]).notebook
    return seconds_of([cell.source for cell in lesson.cells(notebook, lesson.name)], lesson.folder)


def seconds_of(sources: list[str], folder: Path) -> float:
    """CPU seconds that cells take in a folder, in a fork of this process."""
    here, there = os.pipe()
    if (pid := os.fork()) == 0:
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os.chdir(folder)
            os.write(there, json.dumps(_execute(sources)).encode())
        finally:
            os._exit(0)
    os.close(there)
    with os.fdopen(here) as pipe:
        seconds = json.loads(pipe.read())
    os.waitpid(pid, 0)
    return seconds


def warm_up(lesson_name: str) -> None:
    """Import what a lesson's cells import, as the grader's worker does."""
    for helper in lessons.helper_files(lessons.number(lesson_name)):
        if helper.endswith(".py"):
            importlib.import_module(helper.removesuffix(".py").replace("/", "."))
    importlib.import_module("matplotlib.pyplot")
    with contextlib.redirect_stdout(None):
        _execute([*OF_TORCH, *WARM_UP])
    import_late()
    gc.collect()
    gc.freeze()  # or the children's garbage collection would copy all of this process


def _execute(sources: list[str]) -> float:
    namespace: dict = {"__name__": "__main__"}
    begun = time.process_time()
    for source in sources:
        with contextlib.suppress(Exception):  # a student's cell that fails costs what it cost
            exec(compile(source, "<cell>", "exec"), namespace)
    return time.process_time() - begun


def worker_below(pid: int) -> psutil.Process:
    """A worker's own process, which bubblewrap's processes have below them."""
    return next(p for p in psutil.Process(pid).children(recursive=True) if p.name() != "bwrap")


def resident(process: psutil.Process) -> float:
    """MiB of memory that a process holds."""
    return process.memory_info().rss / 2**20


if __name__ == "__main__":
    main()
