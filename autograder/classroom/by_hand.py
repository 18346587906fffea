"""Points that a person gives: which answers wait for them, and what becomes of them if the maximum changes.

nbgrader keeps points as they are: 5 of 4, or 5 for a question that was dropped.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import sqlalchemy as sa
from nbgrader.api import Assignment, Grade, SubmittedAssignment, SubmittedNotebook

from autograder.classroom.database import make_table

if TYPE_CHECKING:
    from autograder.classroom.marking.marks import Entry

TAKEN_BACK = "headstart grade"  # the grader of such a step on the marking page, where it can be undone


class Given(NamedTuple):
    """Points that a person gave for a cell whose maximum changes.

    Attributes:
        entry: whose they are, and where.
        notebook: where the cell is.
        cell: its grade id.
        score: the points as they were.
        most: the maximum as it was.
        stays: the points that can stay; None if the cell counts for nothing any more.
        now: the new maximum.
    """

    entry: "Entry"
    notebook: str
    cell: str
    score: float
    most: float
    stays: float | None
    now: float

    @property
    def checked(self) -> bool:
        """Whether a check gives points, too."""
        return self.entry.auto is not None


def left_to_grade(db: sa.orm.Session, lesson: str, student: str = "") -> str:
    """How many answers of a lesson, or of one student's, wait for a person, in words; "" for none.

    They are those that no check decides, and that aren't blank. An extension makes a record of a submission
    before there is one: it has no time, and no check of it has run.
    """
    waiting = db.query(Grade.id).join(SubmittedNotebook).join(SubmittedAssignment).join(Assignment)
    # A check that was overruled by hand is marked, too, once it is graded again: it has a score of its own.
    # defence: gradebook: overruled checks wait for nobody
    waiting = waiting.filter(Assignment.name == lesson, Grade.needs_manual_grade, Grade.auto_score.is_(None))
    if student:
        waiting = waiting.filter(SubmittedAssignment.student_id == student)
    checked = SubmittedAssignment.notebooks.any(SubmittedNotebook.grades.any(Grade.auto_score.is_not(None)))
    count = waiting.filter(SubmittedAssignment.timestamp.is_not(None) | checked).count()
    words = "1 written answer is" if count == 1 else f"{count} written answers are"
    return f"{words} left to grade" if count else ""


def given(
    db: sa.orm.Session, lesson: str, notebook: str, before: Mapping[str, float], after: Mapping[str, float]
) -> list[Given]:
    """The points that people gave for cells whose maximum changes.

    Args:
        db: the gradebook.
        lesson: its name.
        notebook: where the cells are.
        before: the maximum of each of them, by grade id.
        after: the new one.
    """
    changed = [(cell, most) for cell, most in after.items() if before.get(cell, most) != most]
    if not changed:
        return []
    from autograder.classroom.marking import marks  # imports Jupyter's server

    return [
        Given(entry, notebook, cell, entry.mark.score, before[cell], _kept(entry.mark.score, most), most)
        for cell, most in changed
        for entry in marks.entries(db, lesson, notebook, cell)
        if entry.mark.score is not None
    ]


def _kept(score: float, most: float) -> float | None:
    """What is left of points under a new maximum; None where there are none to be had."""
    return min(score, most) if most else None


def limit(db: sa.orm.Session, found: list[Given]) -> None:
    """Take back the points that are above a new maximum. A written answer waits for a person again then.

    It is one step on the marking page, which can be undone there once the maximum allows it. Call it before
    the gradebook has the new maxima: if it is stopped in between, the next call finds them.

    Raises:
        LookupError: somebody marks one of these answers right now. Nothing is changed.
    """
    if not (above := [each for each in found if each.stays != each.score]):
        return
    from autograder.classroom.marking import marks

    make_table(db, marks.MARKS)
    changes = [
        (each.entry, marks.Mark(each.stays, not each.checked, each.entry.mark.comment)) for each in above
    ]
    try:
        # defence: gradebook: points above a new maximum
        marks.change(db, TAKEN_BACK, changes)
    except marks.Conflict:
        raise LookupError("somebody is marking answers whose maximum changes: try again") from None
