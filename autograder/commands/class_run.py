"""`headstart grade` at a terminal: refuses or starts, shows progress, and ends with a summary."""

import os
import sys
import time
from pathlib import Path

import torch
from nbgrader.coursedir import CourseDirectory
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from traitlets.config import Config

from autograder.classroom import privacy
from autograder.classroom.batch import grade_all
from autograder.classroom.course import draws_folder, find_submissions, hidden_secret, refused_names
from autograder.classroom.gradebook import Book
from autograder.classroom.reports.tables import problems, summary
from autograder.classroom.settings import cell_seconds, refuse_settings
from autograder.grading.executors import open_executor
from autograder.grading.grader import Grader
from autograder.grading.lesson import Lesson
from autograder.grading.submission import Submission
from autograder.programs import is_root, sandbox_problem
from autograder.results import Graded

NO_SANDBOX = (
    "--no-sandbox: student code runs with your own rights. It can use the network, and read and change your "
    "files, including other submissions and the solutions. Use it only for code that you trust."
)


def grade_class(
    name: str,
    course: CourseDirectory,
    config: Config,
    *,
    students: list[str],
    workers: int,
    cluster: str | None,
    force: bool,
    sandboxed: bool,
    seconds: float | None,
) -> int:
    """Grade what is in `submitted/` and print what came of it.

    Returns:
        The exit code: 0 unless grading can't start or the grader itself failed. Bad submissions are results.
    """
    console = Console()
    if sandboxed and not cluster and (problem := sandbox_problem()):
        print(f"headstart: {problem}; or grade code that you trust with --no-sandbox", file=sys.stderr)
        return 2
    concerns = [NO_SANDBOX * (not sandboxed), privacy.warning(course), privacy.AS_ROOT * is_root()]
    for concern in filter(None, concerns):
        print(f"headstart: {concern}", file=sys.stderr)
    torch.set_num_threads(1)  # the cores are for the workers
    os.environ["CUDA_VISIBLE_DEVICES"] = ""  # a process in which autograd has seen a GPU can't fork judges
    refuse_settings(config)
    lesson = Lesson.load(name, Path(course.root), config)
    submissions = find_submissions(course, name, students)
    refused = [] if students else refused_names(course, name)
    for student in sorted(set(students) - {submission.student for submission in submissions}):
        print(f"headstart: {student} has not submitted {name}", file=sys.stderr)
    if not submissions and refused:
        console.print(problems(refused))
        return 0
    if not submissions:
        place = course.format_path(course.submitted_directory, course.student_id, name)
        print(f"headstart: nothing to grade: there is no {place}", file=sys.stderr)
        return 2
    seconds = seconds or cell_seconds(config, lesson.plain)
    grader = Grader(lesson, hidden_secret(course), sandboxed, seconds, draws_folder(course))
    book = Book(course, name, lesson.skeletons, config, lesson.own_files)
    screen = _Screen(console, len(submissions))
    screen.looked += refused
    try:
        with open_executor(grader, workers, cluster) as executor, screen.progress:
            grade_all(
                book, submissions, executor.submit, at_once=executor.number, force=force, progress=screen
            )
        book.charge_lateness(config)
        rows = [row for row in book.verdicts() if not students or row[0] in students]
        console.print(summary(rows, lesson.exercises))
        waiting = book.waiting()
    finally:
        book.close()
    screen.close()
    if waiting:
        console.print(f"{waiting}: in formgrader, under Manual Grading")
    return 1 if screen.broken else 0


class _Screen:
    """The progress bar while grading, and the list of what needs a look."""

    def __init__(self, console: Console, total: int) -> None:
        self.console, self.begun = console, time.monotonic()
        self.done = self.skipped = self.failures = 0
        self.looked: list[tuple[str, str]] = []
        self.broken: list[tuple[str, str]] = []
        self.progress = Progress(
            TextColumn("grading"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[left]} left"),
            TextColumn("{task.fields[failures]} with problems"), TimeRemainingColumn(), console=console,
        )  # fmt: skip
        self.task = self.progress.add_task("grading", total=total, left=total, failures=0)
        self.total = total

    def __call__(self, submission: Submission, graded: Graded | None, broken: str) -> None:
        self.done += 1
        if broken:
            self.broken.append((submission.student, f"the grader failed: {broken}"))
        elif graded is None:
            self.skipped += 1
        elif said := [graded.problem] * bool(graded.problem) + list(graded.remarks):
            self.looked.append((submission.student, "; ".join(said)))
        failures = len(self.looked) + len(self.broken)
        self.progress.update(self.task, completed=self.done, left=self.total - self.done, failures=failures)

    def close(self) -> None:
        """Print the list, and how long it all took."""
        if self.looked or self.broken:
            self.console.print(problems(sorted(self.looked + self.broken)))
        seconds = time.monotonic() - self.begun
        graded = self.done - self.skipped - len(self.broken)
        as_before = f", {self.skipped} as before" if self.skipped else ""
        self.console.print(f"{graded} graded{as_before} in {seconds:.1f} s")
