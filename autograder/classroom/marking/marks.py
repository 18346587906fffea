"""Points and comments of graders, in nbgrader's own tables, and who gave which.

A mark is nbgrader's `manual_score`, `needs_manual_grade` and `manual_comment`, so formgrader, feedback and
exports show it, and grading again keeps it. The lines of the rubric that it earned are the first lines of the
comment. One table of ours, `headstart_marks`, keeps who changed what, so that it can be undone.

Nobody's mark is overwritten unseen: each change says what was there when the grader looked, and all of it
fails if one answer has changed since.
"""

import json
import math
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, cast

import sqlalchemy as sa
from nbgrader.api import (
    Assignment,
    BaseCell,
    Comment,
    Grade,
    Notebook,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
)  # fmt: skip
from nbgrader.coursedir import CourseDirectory

from autograder.classroom.database import make_table, opened
from autograder.classroom.marking.questions import Question
from helpers.figures.answering import Rubric

MARKS = sa.Table(
    "headstart_marks",
    sa.MetaData(),
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("grade", sa.String(32), nullable=False),
    sa.Column("step", sa.String(32), nullable=False),  # one for all answers that were marked at once
    sa.Column("grader", sa.String(128), nullable=False),
    sa.Column("time", sa.String(32), nullable=False),
    sa.Column("before", sa.Text, nullable=False),
    sa.Column("after", sa.Text, nullable=False),
)
SIGNS = {True: "✓", False: "✗"}


class Conflict(Exception):
    """Somebody else has changed some of the answers meanwhile.

    Attributes:
        grades: their ids.
    """

    def __init__(self, grades: list[str]) -> None:
        super().__init__(f"{len(grades)} answers have changed")
        self.grades = grades


@dataclass(frozen=True)
class Mark:
    """What a person gave for an answer.

    Attributes:
        score: the points; None if nobody has given any.
        waits: whether it waits for a person.
        comment: as the student reads it; "" for none.
    """

    score: float | None
    waits: bool
    comment: str


@dataclass(frozen=True)
class Entry:
    """An answer's row in the gradebook.

    Attributes:
        id: of nbgrader's grade.
        comment_id: of nbgrader's comment; None where there can be none.
        student, name: their id, and how they are called.
        auto: the points without a person; None if there are none.
        mark: what a person gave.
    """

    id: str
    comment_id: str | None
    student: str
    name: str
    auto: float | None
    mark: Mark

    @property
    def waits(self) -> bool:
        """Whether a person has to look at it, as exports count."""
        return self.mark.waits and self.auto is None


@contextmanager
def marking(course: CourseDirectory) -> Iterator[sa.orm.Session]:
    """A course's gradebook, with our table in it."""
    with opened(course) as book:
        make_table(book.db, MARKS)
        yield book.db


def forget_the_gone(db: sa.orm.Session) -> None:
    """Delete what is kept of answers that are no longer in the gradebook, such as a deleted student's."""
    if sa.inspect(db.connection()).has_table(MARKS.name):
        db.execute(sa.delete(MARKS).where(MARKS.c.grade.not_in(sa.select(Grade.id))))
    db.commit()


def entries(db: sa.orm.Session, lesson: str, notebook: str, name: str) -> list[Entry]:
    """The rows of a cell, in an order that says nothing about whose they are.

    Args:
        db: the gradebook.
        lesson: its name.
        notebook: where the cell is.
        name: its grade id.
    """
    grade, comment, cell = Grade.__table__, Comment.__table__, BaseCell.__table__
    commented = sa.orm.aliased(cell)
    mine = sa.select(comment.c.id, comment.c.notebook_id, comment.c.manual_comment).join(
        commented, (commented.c.id == comment.c.cell_id) & (commented.c.name == name)
    )
    said = mine.subquery()
    query = (
        sa.select(grade, said.c.id.label("comment_id"), said.c.manual_comment, Student.__table__)
        .select_from(grade)
        .join(cell, (cell.c.id == grade.c.cell_id) & (cell.c.name == name))
        .join(SubmittedNotebook.__table__, SubmittedNotebook.id == grade.c.notebook_id)
        .join(Notebook.__table__, Notebook.id == SubmittedNotebook.notebook_id)
        .join(SubmittedAssignment.__table__, SubmittedAssignment.id == SubmittedNotebook.assignment_id)
        .join(Assignment.__table__, Assignment.id == SubmittedAssignment.assignment_id)
        .join(Student.__table__, Student.id == SubmittedAssignment.student_id)
        .outerjoin(said, said.c.notebook_id == grade.c.notebook_id)
        .where(Assignment.name == lesson, Notebook.name == notebook)
        .order_by(grade.c.id)
    )
    return [_entry(row._mapping) for row in db.execute(query)]


def _entry(row: Mapping) -> Entry:
    student = Student.__table__.c
    names = (row[student.last_name], row[student.first_name])
    mark = Mark(row["manual_score"], bool(row["needs_manual_grade"]), row["manual_comment"] or "")
    return Entry(
        row[Grade.__table__.c.id],
        row["comment_id"],
        row[student.id],
        ", ".join(filter(None, names)),
        row["auto_score"],
        mark,
    )


def change(db: sa.orm.Session, grader: str, changes: Sequence[tuple[Entry, Mark]], step: str = "") -> str:
    """Give marks in place of those that the entries have, all or none.

    Args:
        db: the gradebook.
        grader: who gives them.
        changes: each answer as the grader has seen it, with its new mark.
        step: the step that this is; by default a new one.

    Returns:
        The step, by which `undo` finds them.

    Raises:
        Conflict: some have other marks by now. Nothing is changed.
    """
    step = step or uuid.uuid4().hex
    now = datetime.now(UTC).isoformat(timespec="seconds")
    db.rollback()  # what was read before says nothing about what is there now
    # All graders go through the answers in the same order, or two could wait for each other on a server.
    changes = sorted(changes, key=lambda each: each[0].id)
    try:
        if lost := [entry.id for entry, mark in changes if not _replaced(db, entry, mark)]:
            raise Conflict(lost)
        for entry, mark in changes:
            kept = {"before": json.dumps(asdict(entry.mark)), "after": json.dumps(asdict(mark))}
            row = {"grade": entry.id, "step": step, "grader": grader, "time": now, **kept}
            db.execute(sa.insert(MARKS), row)
        db.commit()
    except BaseException:
        db.rollback()
        raise
    return step


def _replaced(db: sa.orm.Session, entry: Entry, mark: Mark) -> bool:
    """Replace a mark where it is still the one that the grader has seen."""
    grade, comment, seen = Grade.__table__, Comment.__table__, entry.mark
    # defence: marking: nobody's mark unseen
    same = (
        (grade.c.id == entry.id)
        & grade.c.manual_score.is_not_distinct_from(seen.score)
        & (grade.c.needs_manual_grade == seen.waits)
    )
    points = sa.update(grade).where(same).values(manual_score=mark.score, needs_manual_grade=mark.waits)
    if not _changed(db, points):
        return False
    if entry.comment_id is None:
        return mark.comment == seen.comment
    same = (comment.c.id == entry.comment_id) & (
        sa.func.coalesce(comment.c.manual_comment, "") == seen.comment
    )
    said = sa.update(comment).where(same).values(manual_comment=mark.comment or None)
    return _changed(db, said)


def _changed(db: sa.orm.Session, update: sa.Update) -> bool:
    """Update at most one row, and say whether there was one."""
    return cast("sa.CursorResult", db.execute(update)).rowcount > 0


def undo(db: sa.orm.Session, grader: str, step: str, known: Mapping[str, Entry], question: Question) -> None:
    """Give back what answers had before a step.

    Args:
        db: the gradebook.
        grader: who undoes it.
        step: what is undone.
        known: the answers it may touch, by grade id: others of the step stay.
        question: what they answer.

    Raises:
        Conflict: some were changed again since. Nothing is undone.
        ValueError: they had more points than there are now.
    """
    rows = [row for row in db.execute(sa.select(MARKS).where(MARKS.c.step == step)) if row.grade in known]
    # defence: marking: undone only while it is the last
    if late := [row.grade for row in rows if known[row.grade].mark != Mark(**json.loads(row.after))]:
        raise Conflict(late)
    given = [(known[row.grade], Mark(**json.loads(row.before))) for row in rows]
    for score in filter(None, (mark.score for _, mark in given)):
        allowed(score, question)
    change(db, grader, given)


def history(db: sa.orm.Session, grades: Sequence[str]) -> list[dict[str, Any]]:
    """What was done to some answers, the last step first: grader, time, answers and the new mark."""
    steps: dict[str, dict[str, Any]] = {}
    for row in db.execute(sa.select(MARKS).where(MARKS.c.grade.in_(grades)).order_by(MARKS.c.id.desc())):
        said = {"grader": row.grader, "time": row.time, "after": row.after, "grades": []}
        steps.setdefault(row.step, {"step": row.step, **said})["grades"].append(row.grade)
    return list(steps.values())


def by_whom(entry: Entry, steps: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Who gave what an answer has, and in which step; the step is "" if it wasn't on this page.

    Both are "" if nobody has given any points.
    """
    last = next((step for step in steps if entry.id in step["grades"]), None)
    given = Mark(**json.loads(last["after"])) if last else None
    if last and given and (given.score, given.comment) == (entry.mark.score, entry.mark.comment):
        return last["grader"] if given.score is not None else "", last["step"]
    return "somebody in formgrader" if entry.mark.score is not None else "", ""


def comment_of(rubric: Rubric, met: Sequence[int] | None, text: str) -> str:
    """The comment that a student reads: what of the rubric the answer has and lacks, and the grader's words.

    Args:
        rubric: of the question.
        met: the lines that the answer earned, from 0; None leaves the rubric out.
        text: the grader's words.
    """
    lines = [] if met is None else [_line(rubric, n, n in met) for n in range(len(rubric.lines))]
    return "\n\n".join(filter(None, ["\n".join(lines), text.strip()]))


def read(rubric: Rubric, comment: str) -> tuple[list[int] | None, str]:
    """The lines and the words that `comment_of` has made a comment of; for any other, no lines."""
    head, _, text = comment.partition("\n\n")
    lines = head.split("\n")
    met = [n for n, line in enumerate(lines) if line.startswith(f"- {SIGNS[True]} ")]
    if not rubric.lines or head != comment_of(rubric, met, ""):
        return None, comment
    return met, text


def _line(rubric: Rubric, number: int, met: bool) -> str:
    points, text = rubric.lines[number]
    return f"- {SIGNS[met]} {points} point{'s' * (points != 1)}: {text}"


def allowed(score: object, question: Question) -> float:
    """Points that can be given for a question.

    Raises:
        ValueError: they can't.
    """
    if isinstance(score, bool) or not isinstance(score, int | float) or not math.isfinite(score):
        raise ValueError("the points must be a number")
    if not 0 <= score <= question.points:
        raise ValueError(f"{score:g} points: this question has 0 to {question.points:g}")
    return float(score)
