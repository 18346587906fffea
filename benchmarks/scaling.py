"""How grading scales: with cores, with the number of submissions, and how many a second SQLite can record.

    python -m benchmarks.scaling                        cores, and SQLite
    python -m benchmarks.scaling --submissions 10000    time and memory a submission, up to so many

The class is one of `headstart simulate --calm`, handed in again under other names as often as needed.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import psutil
import torch
from rich.table import Table

from autograder.classroom.batch import grade_all
from autograder.classroom.course import course_directory, find_submissions
from autograder.classroom.gradebook import Book
from autograder.grading.executors import open_executor
from autograder.grading.grader import Grader
from autograder.grading.handed_in import Submission
from autograder.grading.lesson import Lesson
from autograder.results import Graded
from benchmarks.grading import make_course, resident, worker_below
from benchmarks.results import write

CLASS = 60  # different submissions
PASSES = 4  # of the class, for each number of cores
SPIN = """
import time
end, n = time.perf_counter() + 4, 0
while time.perf_counter() < end:
    sum(range(1000))
    n += 1
print(n)
"""


def main() -> None:
    """Parse the options, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lesson", nargs="?", default="01_attention")
    parser.add_argument("--submissions", type=int, metavar="N")
    parser.add_argument("--one-run", type=int, metavar="CORES", help=argparse.SUPPRESS)
    options = parser.parse_args()
    torch.set_num_threads(1)
    os.environ["CUDA_VISIBLE_DEVICES"] = ""  # as `headstart grade` has it
    if options.one_run:
        print(json.dumps(_one_run(Path.cwd(), options.lesson, options.one_run)))
        return
    with tempfile.TemporaryDirectory(prefix="headstart-scaling-") as folder:
        root = Path(folder)
        make_course(root, options.lesson, CLASS)
        if options.submissions:
            flatness(root, options.lesson, options.submissions)
        else:
            cores(root, options.lesson)


# -- cores -----------------------------------------------------------------------------------------------


def cores(root: Path, lesson: str) -> None:
    """Throughput pinned to 1, 2, ... cores, beside what the machine itself gives there; then SQLite."""
    usable = sorted(os.sched_getaffinity(0))
    counts = sorted({1, 2, len(usable)} & set(range(1, len(usable) + 1)))
    rates: dict[int, list[float]] = {count: [] for count in counts}
    spins: dict[int, list[float]] = {count: [] for count in counts}
    for _ in range(3):  # in turn, so that a slow moment hits all alike
        for count in counts:
            spins[count].append(_spin(usable[:count]))
            rates[count].append(_pinned(root, lesson, usable[:count]))
    rate, spin = ({c: statistics.median(v) for c, v in found.items()} for found in (rates, spins))
    table = Table(
        "cores", "submissions a second", "times one core", "the same of plain loops", "share of linear"
    )
    for column in table.columns:
        column.justify = "right"
    for count in counts:
        speedup, machine = rate[count] / rate[1], spin[count] / spin[1]
        table.add_row(
            str(count), f"{rate[count]:.1f}", f"{speedup:.2f}", f"{machine:.2f}", f"{speedup / count:.0%}"
        )
    about = (
        f"{lesson}: {PASSES * CLASS} submissions, without start-up, pinned to so many cores with as many "
        "workers; medians of three runs in turn. Plain loops: what processes that share nothing do there."
    )
    record = (
        f"SQLite: {_recording_rate(root, lesson):.0f} submissions a second can be recorded, by one process."
    )
    write("Cores", f"python -m benchmarks.scaling {lesson}", about, table, record)


def _spin(cores: list[int]) -> float:
    """What a plain loop on each of these cores gets done, together."""
    spinning = [
        subprocess.Popen(
            [sys.executable, "-c", SPIN],
            stdout=subprocess.PIPE,
            preexec_fn=lambda core=core: os.sched_setaffinity(0, {core}),
        )
        for core in cores
    ]
    return sum(int(process.communicate()[0]) for process in spinning)


def _pinned(root: Path, lesson: str, cores: list[int]) -> float:
    """Submissions a second in a process that may use these cores alone."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.scaling", lesson, "--one-run", str(len(cores))],
        cwd=root, check=True, capture_output=True, preexec_fn=lambda: os.sched_setaffinity(0, cores),
    )  # fmt: skip
    return json.loads(done.stdout)


def _one_run(root: Path, lesson_name: str, workers: int) -> float:
    """Grade the class once to warm up, then again and again; submissions a second."""
    grader, book, submissions = _open(root, lesson_name)
    with open_executor(grader, workers, None) as executor:
        grade_all(book, submissions, executor.submit, at_once=workers, force=True)
        begun = time.perf_counter()
        for _ in range(PASSES):
            grade_all(book, submissions, executor.submit, at_once=workers, force=True)
        seconds = time.perf_counter() - begun
    book.close()
    return PASSES * len(submissions) / seconds


def _recording_rate(root: Path, lesson_name: str) -> float:
    """How many graded submissions a second the gradebook takes, for new students."""
    grader, book, submissions = _open(root, lesson_name)
    graded = [grader.grade(submission) for submission in submissions]
    grader.close()
    begun = time.perf_counter()
    for number in range(3):
        for one in graded:
            book.record(replace(one, student=f"{one.student}-{number}"))
    rate = 3 * len(graded) / (time.perf_counter() - begun)
    book.close()
    return rate


def _open(root: Path, lesson_name: str) -> tuple[Grader, Book, list[Submission]]:
    course, config = course_directory(root)
    lesson = Lesson.load(lesson_name, root, config)
    grader, book = Grader(lesson, b"benchmark"), Book(course, lesson_name, lesson.skeletons)
    return grader, book, find_submissions(course, lesson_name, [])


# -- submissions -----------------------------------------------------------------------------------------


def flatness(root: Path, lesson_name: str, number: int) -> None:
    """Grade so many submissions in one run with one worker, and note CPU time and memory along the way."""
    pattern = sorted((root / "submitted").iterdir())
    for n in range(len(pattern), number):
        shutil.copytree(pattern[n % len(pattern)], root / "submitted" / f"again-{n:06}")
    grader, book, submissions = _open(root, lesson_name)
    marks = sorted({n for n in (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000) if n < number} | {number})
    notes: list[tuple[float, ...]] = []
    done, problems = 0, []

    def note(submission: Submission, graded: Graded | None, broken: str) -> None:
        nonlocal done
        done += 1
        problems.extend([broken] * bool(broken))
        if done in marks and graded:
            us = psutil.Process()
            judge, bubblewrap = sorted(us.children(), key=lambda process: process.name() == "bwrap")
            worker = worker_below(bubblewrap.pid).children()[0]  # forked from that one, which runs nothing
            cpu = judge.cpu_times()
            seconds = time.process_time() + cpu.user + cpu.system + graded.ended.worker_seconds
            notes.append((done, seconds, *map(resident, (us, judge, worker))))

    begun = time.process_time()
    with open_executor(grader, 1, None) as executor:
        grade_all(book, submissions[:number], executor.submit, at_once=1, progress=note)
    book.close()
    table = Table("submissions", "CPU ms each since the line above", "grader MiB", "judge MiB", "worker MiB")
    for column in table.columns:
        column.justify = "right"
    last, at = begun, 0
    for mark, seconds, *memory in notes:
        each = 1000 * (seconds - last) / (mark - at)
        table.add_row(f"{mark:,}", f"{each:.0f}", *(f"{mib:.0f}" for mib in memory))
        last, at = seconds, mark
    size = (root / "gradebook.db").stat().st_size / 2**20
    about = (
        f"{lesson_name}, one worker; the first line has its start in it, and making the hidden cases. The "
        f"gradebook then has {size:.0f} MiB. Failures of the grader: {len(problems)}."
    )
    command = f"python -m benchmarks.scaling {lesson_name} --submissions {number}"
    write("Number of submissions", command, about, table)


if __name__ == "__main__":
    main()
