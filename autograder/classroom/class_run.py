"""Grading a class at a terminal: refuses or starts, shows progress, and ends with a summary."""

import contextlib
import json
import re
import sys
import time
from collections.abc import Iterator
from functools import partial

from nbformat import NotebookNode
from nbgrader.coursedir import CourseDirectory
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from traitlets.config import Config

from autograder import lessons
from autograder.classroom import privacy
from autograder.classroom.batch import grade_all, unchanged
from autograder.classroom.changes import Change, changed, changed_by_hand, shown
from autograder.classroom.course import find_submissions, not_handed_in, refused_names
from autograder.classroom.engine import Options, open_grader
from autograder.classroom.gradebook import Book
from autograder.classroom.reports.tables import problems, summary
from autograder.grading.executors import open_executor
from autograder.grading.grader import Grader
from autograder.grading.handed_in import Submission
from autograder.grading.lesson import Lesson
from autograder.programs import is_root
from autograder.results import Graded

NO_SANDBOX = (
    "--no-sandbox: student code runs with your own rights. It can use the network, and read and change your "
    "files, including other submissions and the solutions. Use it only for code that you trust."
)

QUESTION = re.compile(r"^\*\*(Question [\w.]+)\*\* .* · ([\d.]+) points?$", re.MULTILINE)


def grade_class(
    name: str, course: CourseDirectory, config: Config, options: Options, students: list[str]
) -> int:
    """Grade what is in `submitted/` and print what came of it.

    Args:
        name: of the lesson.
        course: whose submissions are graded and recorded.
        config: nbgrader's settings.
        options: how to grade.
        students: only these; none means all.

    Returns:
        The exit code: 0 unless grading can't start or the grader itself failed. Bad submissions are results.

    Raises:
        LookupError: as `open_grader` and `Book`.
    """
    console = Console()
    with open_grader(name, course, config, options) as grader:
        _warn(course, options)
        if changed_points := lesson_points(grader.lesson):
            print(f"headstart: {changed_points}", file=sys.stderr)
        submissions = find_submissions(course, name, students)
        refused = [] if students else refused_names(course, name)
        for student in sorted(set(students) - {submission.student for submission in submissions}):
            print(f"headstart: {not_handed_in(course, name, student)}", file=sys.stderr)
        if not submissions:
            return _nothing_to_grade(name, course, console, refused, students)
        lesson, screen = grader.lesson, _Screen(console, len(submissions))
        screen.looked += refused
        page = (course, name, lesson.skeletons, config, lesson.own_files)
        with contextlib.closing(Book(*page, reading=options.dry_run)) as book:
            screen.changes += changed_by_hand(book)
            _grade_new(book, submissions, grader, options, screen)
            if not options.dry_run:
                book.charge_lateness(config)
                rows = [row for row in book.verdicts() if not students or row[0] in students]
                console.print(summary(rows, lesson.outlines))
            waiting = book.waiting()
    screen.close()
    if screen.changes:
        console.print(shown(screen.changes, name))
    if options.dry_run:
        console.print("Nothing was recorded." + " No points would change." * (not screen.changes))
    elif waiting:
        console.print(f"{waiting}: `headstart marking {name}`, or formgrader")
    return 1 if screen.broken else 0


def _nothing_to_grade(
    name: str, course: CourseDirectory, console: Console, refused: list[tuple[str, str]], students: list[str]
) -> int:
    """Say why, where it hasn't been said of each student, and return the exit code."""
    if refused:
        console.print(problems(refused))
        return 0
    if not students:
        place = course.format_path(course.submitted_directory, course.student_id, name)
        print(f"headstart: nothing to grade: there is no {place}", file=sys.stderr)
    return 2


def _grade_new(
    book: Book, submissions: list[Submission], grader: Grader, options: Options, screen: "_Screen"
) -> None:
    """Grade and record what isn't as it was last time. If nothing is new, no judge starts."""
    same = set() if options.force else unchanged(book, submissions, grader.digest)
    new = [submission for submission in submissions if submission.student not in same]
    for submission in submissions:
        if submission.student in same:
            screen(submission, None, "")
    if not new:
        with screen.progress:
            return

    def record(submission: Submission, graded: Graded) -> None:
        changes = changed(book, graded, grader.lesson.outlines)
        if options.dry_run or book.record(graded, now=partial(grader.digest, submission)):
            screen.changes += changes

    grader.expected = len(submissions) // options.workers
    with open_executor(grader, options.workers, options.cluster) as executor, screen.progress:
        submit, number = executor.submit, executor.number
        grade_all(book, new, submit, at_once=number, force=options.force, progress=screen, record=record)


def lesson_points(lesson: Lesson) -> str:
    """Which points a teacher has changed in a lesson's source, in a sentence; "" for none."""
    built = (
        json.loads((lesson.folder / "checks.json").read_text(encoding="utf-8")) if not lesson.foreign else {}
    )
    points = [
        (outline.title, outline.points, built[id]["points"])
        for id, outline in lesson.outlines.items()
        if id in built
    ]
    points += [each for skeleton in lesson.skeletons.values() for each in _written(skeleton)]
    changed = [f"{title} {now:g} instead of {before:g}" for title, now, before in points if now != before]
    return f"points as in source/{lesson.name}, not as built: {'; '.join(changed)}" if changed else ""


def _written(skeleton: NotebookNode) -> Iterator[tuple[str, float, float]]:
    """Title, points, and the points that its text was built with, of each question that a person grades."""
    told = None
    for cell in skeleton.cells:
        if found := QUESTION.findall(cell.source):
            told = found[-1]
        elif told and lessons.kind(cell) == "written":
            flags = cell.metadata.get("nbgrader", {})
            yield told[0], float((flags.get("grade") and flags.get("points")) or 0), float(told[1])
            told = None


def _warn(course: CourseDirectory, options: Options) -> None:
    """Say on stderr what makes this course, or this way to grade, less safe."""
    no_sandbox = "" if options.sandboxed else NO_SANDBOX
    for concern in filter(None, [no_sandbox, privacy.warning(course), privacy.AS_ROOT * is_root()]):
        print(f"headstart: {concern}", file=sys.stderr)


class _Screen:
    """The progress bar while grading, and the lists of what needs a look and of points that changed."""

    def __init__(self, console: Console, total: int) -> None:
        self.console, self.begun = console, time.monotonic()
        self.done = self.skipped = 0
        self.looked: list[tuple[str, str]] = []
        self.broken: list[tuple[str, str]] = []
        self.changes: list[Change] = []
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
