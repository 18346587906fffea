"""More time for one student, in nbgrader's own gradebook."""

import sys
import warnings
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.coursedir import CourseDirectory

from autograder.classroom.gradebook import opened


def extend(
    lesson: str, student: str, course: CourseDirectory, *, days: float | None = None, until: str = ""
) -> int:
    """Set how much later than others a student may hand in, in place of any extension before.

    Args:
        lesson: its name.
        student: their id.
        course: whose gradebook is written to.
        days: after the lesson's due date; 0 takes an extension back.
        until: or the date itself, `2026-03-01 18:00 +01:00`; without a zone it is UTC, as in nbgrader.

    Returns:
        The exit code: 2 if it can't be done, which is said in a sentence.
    """
    with opened(course) as book:
        try:
            print(f"headstart: {_extend(book, lesson, student, days, until)}")
        except (LookupError, ValueError) as error:
            print(f"headstart: {error.args[0]}", file=sys.stderr)
            return 2
    return 0


def _extend(book: Gradebook, lesson: str, student: str, days: float | None, until: str) -> str:
    """Do so, and return what to say.

    Raises:
        LookupError: there is no such lesson or student, or the lesson has no due date.
        ValueError: the date can't be read, is before the due date, or beyond all dates.
    """
    due = _due(book, lesson)
    try:
        book.find_student(student)
    except MissingEntry:
        cure = f"add them with `nbgrader db student add {student}`"
        raise LookupError(f"the gradebook has no student {student!r}; {cure}") from None
    try:
        more = timedelta(days=days) if days is not None else _date(until) - due
        end = due + more
    except OverflowError:
        raise ValueError(f"{days:g} days after the due date is beyond any calendar") from None
    if more < timedelta(0):
        raise ValueError(f"that is before the due date, {_said(due)}; an extension can only be later")
    with warnings.catch_warnings(
        category=sa.exc.SAWarning, action="ignore"
    ):  # nbgrader's, while it makes one
        book.update_or_create_submission(lesson, student)
    minutes = round(more.total_seconds() / 60)
    book.grant_extension(lesson, student, minutes=minutes)
    if not minutes:
        return f"{student} no longer has an extension for {lesson}, which is due {_said(due)}"
    late = "the next `headstart grade` recomputes late penalties"
    return f"{student} may hand in {lesson} until {_said(end)}; {late}"


def _due(book: Gradebook, lesson: str) -> datetime:
    try:
        due = book.find_assignment(lesson).duedate
    except MissingEntry:
        cure = f"`nbgrader generate_assignment {lesson}` puts it there"
        raise LookupError(f"the gradebook has no lesson {lesson!r}; {cure}") from None
    if due is None:
        cure = f"set one in formgrader, or with `nbgrader db assignment add {lesson} --duedate=...`"
        raise LookupError(f"{lesson} has no due date to extend; {cure}")
    return due


def _date(text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text.replace(" +", "+").replace(" UTC", "+00:00"))
    except ValueError:
        raise ValueError(f"{text!r} isn't a date; write it as 2026-03-01 18:00 +01:00") from None
    return found.astimezone(UTC).replace(tzinfo=None) if found.tzinfo else found


def _said(when: datetime) -> str:
    return f"{when:%Y-%m-%d %H:%M} UTC"
