"""Due dates, and more time for some students: for a lesson or the whole term, one by one or from a file."""

import sys
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import NamedTuple

from nbgrader.api import Assignment, Gradebook, MissingEntry, Student
from nbgrader.coursedir import CourseDirectory
from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.classroom import dates
from autograder.classroom.database import opened
from autograder.classroom.lateness import EVERY, Extension, Policy, extend_all, give, given
from autograder.classroom.school_csv import harmless, read_table
from autograder.lessons import counted, first_of

ALL, NONE = "all", "none"
COLUMNS = {"student": ("student", "id"), "lesson": ("lesson",), "days": ("days",), "until": ("until",)}
LATER = "the next `headstart grade` recomputes late penalties"


class Given(NamedTuple):
    """A student, the lesson or `EVERY`, and what they get."""

    student: str
    lesson: str
    extension: Extension


def extend(
    lesson: str, student: str, course: CourseDirectory, *, days: float | None = None, until: str = ""
) -> int:
    """Set how much later than others a student may hand in, in place of any extension before.

    Args:
        lesson: its name, or `EVERY` for all, and those to come.
        student: their id.
        course: whose gradebook is written to.
        days: after the lesson's due date, by the clocks of the course's zone; 0 takes an extension back.
        until: or the date itself, as `dates.read_date` takes it.

    Returns:
        The exit code: 2 if it can't be done, which is said in a sentence.
    """
    policy = Policy.of(course.config)
    try:
        with opened(course) as book:
            one = Given(student, lesson, _extension(days, until, policy))
            print(f"headstart: {_give(book, one, policy)}; {LATER}")
            book.db.commit()
    except LookupError as error:
        print(f"headstart: {error.args[0]}", file=sys.stderr)
        return 2
    return 0


def extend_from(path: str, find: Callable[[str], str], course: CourseDirectory) -> int:
    """The same for each row of a CSV file: all of them, or none if one can't be done.

    Args:
        path: of the file, with the columns student, lesson, days and until. Where there is no lesson, or
            `all`, it is the whole term.
        find: gives a lesson's full name.
        course: whose gradebook is written to.

    Returns:
        The exit code: 2 if a row can't be done; all such rows are named.
    """
    policy = Policy.of(course.config)
    wrong, done = [], []
    with opened(course) as book:
        for number, cells in _rows(path):
            try:
                lesson = cells["lesson"] if cells["lesson"].casefold() != ALL else ""
                extension = _extension(_number(cells["days"]), cells["until"], policy)
                one = Given(cells["student"], find(lesson) if lesson else EVERY, extension)
                done.append(_give(book, one, policy))
            except LookupError as error:
                wrong.append(f"row {number}: {error.args[0]}")
        if wrong:
            book.db.rollback()
            print(
                f"headstart: {harmless(path)}: {harmless(first_of(wrong))}. Nothing was changed",
                file=sys.stderr,
            )
            return 2
        book.db.commit()
    for line in done:
        print(f"  {harmless(line)}")
    print(f"headstart: {counted(len(done), 'extension')}; {LATER}")
    return 0


def _rows(path: str) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a file, each with its number and cells.

    Raises:
        LookupError: it can't be read, or lacks a column.
    """
    table = read_table(path)
    names = [name.strip().casefold() for name in table.rows[0]]
    places = {
        column: next((names.index(name) for name in others if name in names), None)
        for column, others in COLUMNS.items()
    }
    if places["student"] is None or places["days"] is places["until"] is None:
        raise LookupError(f"{path} needs the columns student, and days or until; it has {', '.join(names)}")
    for number, row in zip(table.numbers[1:], table.rows[1:], strict=True):
        yield number, {name: "" if place is None else row[place].strip() for name, place in places.items()}


def _number(text: str) -> float | None:
    try:
        return float(text.replace(",", ".")) if text else None
    except ValueError:
        raise LookupError(f"{text!r} is no number of days") from None


def _extension(days: float | None, until: str, policy: Policy) -> Extension:
    """What was asked for.

    Raises:
        LookupError: it is neither days nor a date, both, or less than none.
    """
    if (days is None) is (not until):
        raise LookupError("an extension has either days or a date")
    if days is not None and not days >= 0:
        raise LookupError("that is before the due date; an extension can only be later")
    return Extension(days, dates.read_date(until, policy.zone) if until else None)


def _give(book: Gradebook, one: Given, policy: Policy) -> str:
    """Give it, and return what to say.

    Raises:
        LookupError: there is no such lesson or student, the lesson has no due date, or the date is before it.
    """
    if book.db.get(Student, one.student) is None:
        cure = f"add them with `nbgrader db student add {one.student}`"
        raise LookupError(f"the gradebook has no student {one.student!r}; {cure}")
    ends = ""
    if one.lesson != EVERY:
        due = _due(book, one.lesson)
        if one.extension.until and one.extension.until < due:
            before = f"that is before the due date, {dates.said(due, policy.zone)}"
            raise LookupError(f"{before}; an extension can only be later")
        ends = dates.said(one.extension.end(due, policy.zone), policy.zone)
    elif one.extension.days is not None:
        dates.days_after(dates.read_date("2030-01-01", policy.zone), one.extension.days, policy.zone)
    give(book.db, one.student, one.lesson, one.extension, policy.zone)
    where = one.lesson or "any lesson"
    if one.extension.days == 0:
        return f"{one.student} no longer has an extension for {where}" + (
            f", which is due {ends}" * bool(ends)
        )
    if ends:
        return f"{one.student} may hand in {one.lesson} until {ends}"
    return f"{one.student} may hand in every lesson {_said(one.extension, policy)}"


def _said(extension: Extension, policy: Policy) -> str:
    if extension.until:
        return f"until {dates.said(extension.until, policy.zone)}"
    return f"{counted(extension.days or 0, 'day')} later"


def _due(book: Gradebook, lesson: str) -> datetime:
    try:
        due = book.find_assignment(lesson).duedate
    except MissingEntry:
        due = None
    if due is None:
        raise LookupError(f"{lesson} has no due date to extend; `headstart due {lesson} DATE` sets one")
    return due


def set_due(lesson: str, date: str, course: CourseDirectory) -> int:
    """Set when a lesson is due, or with `none` that it never is. Returns 0.

    Raises:
        LookupError: the date can't be read.
    """
    policy = Policy.of(course.config)
    due = None if date == NONE else dates.read_date(date, policy.zone)
    with opened(course) as book:
        book.update_or_create_assignment(lesson, duedate=due)
        extend_all(book.db, policy.zone)
        book.db.commit()
    ends = f"is due {dates.said(due, policy.zone)}" if due else "has no due date"
    print(f"headstart: {lesson} {ends}; {LATER}")
    return 0


def show_due(course: CourseDirectory) -> int:
    """Print when each lesson is due, and who has more time. Returns 0."""
    policy, console = Policy.of(course.config), Console()
    with opened(course) as book:
        lessons = book.db.query(Assignment).order_by(
            Assignment.duedate.is_(None), Assignment.duedate, Assignment.name
        )
        dues = {str(one.name): one.duedate for one in lessons}
        extensions = sorted(given(book.db).items())
    table = Table("Lesson", "Due", title="Due dates", title_justify="left")
    for name, due in dues.items():
        table.add_row(Text(name), dates.said(due, policy.zone) if due else "no due date")
    console.print(table)
    if extensions:
        table = Table("Student", "Lesson", "May hand in", title="Extensions", title_justify="left")
        for (student, lesson), extension in extensions:
            until = _said(extension, policy)
            if due := dues.get(lesson):
                until = f"until {dates.said(extension.end(due, policy.zone), policy.zone)}"
            table.add_row(Text(student), Text(lesson or ALL), until)
        console.print(table)
    rules = [f"times are in {policy.zone.key}"]
    rules += [f"{policy.grace.total_seconds() / 60:g} minutes of grace"] * bool(policy.grace)
    rules += [f"{counted(policy.late_days, 'late day')} per student and term"] * bool(policy.late_days)
    console.print(f"headstart: {'; '.join(rules)}")
    return 0
