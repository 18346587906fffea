"""What a student's feedback begins with: what was graded, how it went, and what to look at next.

It follows from the autograded notebook and nbgrader's gradebook, for lessons and for any other assignment.
"""

import functools
import hashlib
import re
from collections import Counter
from pathlib import Path
from typing import TypedDict

import sqlalchemy as sa
from nbconvert.exporters.exporter import ResourcesDict
from nbformat import NotebookNode
from nbgrader.api import (
    Assignment,
    BaseCell,
    Comment,
    Grade,
    Notebook,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
)
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import List, Unicode

from autograder.classroom.exports import waits
from autograder.classroom.intake import read_kept
from autograder.classroom.lateness import Policy, explained, lateness
from autograder.classroom.pages import is_students
from autograder.lessons import counted
from helpers.checking.finding import SIGNS, Status

HEADING = re.compile(r"^(#+) +(.+)$", re.MULTILINE)
NUMBER = re.compile(r"^\*\*((?:Exercise|Question) [\w.]+)", re.MULTILINE)
MADE_FROM = re.compile(rb'<meta name="made-from" content="(\w+)">')  # which result a page tells of
NOTHING = "No response."  # nbgrader's comment on an answer that is as it was released


class Row(TypedDict):
    """One graded cell, for the page."""

    id: str
    section: str
    name: str
    how: str
    case: str
    cause: str
    earned: float
    points: float


class Summary(NbGraderPreprocessor):
    """Puts points and comments into the cells, and what the page begins with into `resources`.

    It takes the place of nbgrader's GetGrades, whose queries, several per cell, take longer than the page.
    """

    display_data_priority = List(Unicode()).tag(config=True)  # GenerateFeedback sets it for all that it runs

    def preprocess(self, nb: NotebookNode, resources: ResourcesDict) -> tuple[NotebookNode, ResourcesDict]:
        """Look at each cell, with what the text above it says."""
        known = resources["nbgrader"]
        with sa.orm.Session(_engine(known["db_url"])) as db:
            grades = _grade(db, nb, known)
            time = _time(db, known, CourseDirectory(parent=self))
        rows, title, section, number = [], "", "", ""
        for cell in nb.cells:
            # defence: feedback: headings of the course's alone
            if cell.cell_type == "markdown" and not _knows(cell) and not is_students(cell):
                for marks, text in HEADING.findall(cell.source):
                    title = title or text.strip()
                    section, number = (text.strip(), "") if len(marks) > 1 else (section, number)
                number = [number, *NUMBER.findall(cell.source)][-1]
            if not _knows(cell):
                continue
            nbgrader = cell.metadata.nbgrader
            if nbgrader.get("grade") or nbgrader.get("task"):
                grade = grades[nbgrader.grade_id]
                row = _row(cell, section, number, waits(grade))
                if more := grade.extra_credit:
                    row["how"] += f" · with a bonus of {counted(more, 'point')}"
                rows.append(row)
            elif nbgrader.get("comment") == NOTHING:
                nbgrader.comment = ""  # a prediction, say, on which no points hang
        resources["feedback"] = {
            "title": title or known["notebook"],
            "earned": known["score"],
            "points": known["max_score"],
            "late": known["late_penalty"],
            "time": time,
            "made_from": digest_of(_autograded(known, CourseDirectory(parent=self))),
            "waiting": sum(row["how"] == _WAITS for row in rows),
            "rows": rows,
            "next": _next(rows),
        }
        return nb, resources


_WAITS = "waits for points by hand"
_SUBMISSION = (
    sa.select(SubmittedNotebook.id, SubmittedNotebook.late_submission_penalty, Notebook.max_score)
    .join(Notebook, SubmittedNotebook.notebook_id == Notebook.id)
    .join(SubmittedAssignment, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
    .join(Assignment, SubmittedAssignment.assignment_id == Assignment.id)
    .where(
        Assignment.name == sa.bindparam("assignment"),
        Notebook.name == sa.bindparam("notebook"),
        SubmittedAssignment.student_id == sa.bindparam("student"),
    )
)
_GRADES = (
    sa.select(
        BaseCell.name,
        Grade.score,
        Grade.max_score,
        Grade.auto_score,
        Grade.needs_manual_grade,
        Grade.extra_credit,
    )
    .join(BaseCell, Grade.cell_id == BaseCell.id)
    .where(Grade.notebook_id == sa.bindparam("id"))
)
_COMMENTS = (
    sa.select(BaseCell.name, Comment.comment)
    .join(BaseCell, Comment.cell_id == BaseCell.id)
    .where(Comment.notebook_id == sa.bindparam("id"))
)


def digest_of(autograded: Path) -> str:
    """Which result an autograded notebook is, for the page that is made from it."""
    return hashlib.sha256(autograded.read_bytes()).hexdigest()[:16]


def _autograded(known: dict[str, str], course: CourseDirectory) -> Path:
    folder = course.format_path(course.autograded_directory, known["student"], known["assignment"])
    return Path(folder, f"{known['notebook']}.ipynb")


@functools.cache
def _engine(url: str) -> sa.Engine:
    """One engine per process, which translates each query once; a page has a connection of its own."""
    return sa.create_engine(url, poolclass=sa.NullPool)


def _grade(db: sa.orm.Session, nb: NotebookNode, known: dict) -> dict[str, sa.Row]:
    """Write the gradebook's points and comments into a notebook's cells, and its sums into `known`.

    Returns:
        The gradebook's rows of `_GRADES`, by grade id.

    Raises:
        LookupError: the gradebook doesn't know the submission or a cell of it.
    """
    about = {key: known[key] for key in ("assignment", "notebook", "student")}
    if not (found := db.execute(_SUBMISSION, about).first()):
        raise LookupError("no such submission in the gradebook: {student}, {assignment}".format(**about))
    grades = {row.name: row for row in db.execute(_GRADES, {"id": found.id})}
    comments = {name: comment for name, comment in db.execute(_COMMENTS, {"id": found.id})}
    for nbgrader in [cell.metadata.nbgrader for cell in nb.cells if _knows(cell)]:
        if nbgrader.get("grade") or nbgrader.get("task"):
            grade = grades[nbgrader.grade_id]
            nbgrader.score, nbgrader.points = grade.score, grade.max_score
        if nbgrader.get("solution") or nbgrader.get("task"):
            nbgrader.comment = comments[nbgrader.grade_id]
    late = known["late_penalty"] = found.late_submission_penalty or 0
    known["score"] = sum(grade.score for grade in grades.values()) - late
    known["max_score"] = found.max_score
    return grades


def _time(db: sa.orm.Session, known: dict[str, str], course: CourseDirectory) -> str:
    """When the submission was handed in and how late that is; "" if it has no time."""
    student, lesson, policy = known["student"], known["assignment"], Policy.of(course.config)
    one = dict(lateness(db.get_one(Student, student).submissions, policy)).get(lesson)
    came = read_kept(course).get(lesson, {}).get(student, {})
    return explained(one, policy, came.get("late", "")) if one else ""


def _next(rows: list[Row]) -> list[Row]:
    """The rows to look at: where points are missing, and for want of a run only once per reason."""
    missing = [row for row in rows if row["earned"] < row["points"] and row["how"] != _WAITS]
    reasons = Counter(row["cause"] for row in missing if row["case"] == Status.NOT_RUN)
    found: list[Row] = []
    for row in missing:
        count = reasons.pop(row["cause"], 0) if row["case"] == Status.NOT_RUN else 1
        if count:
            found.append({**row, "name": f"{row['name']} and {count - 1} more"} if count > 1 else row)
    return found


def _knows(cell: NotebookNode) -> bool:
    return "nbgrader" in cell.metadata


def _row(cell: NotebookNode, section: str, number: str, waits: bool) -> Row:
    nbgrader = cell.metadata.nbgrader
    earned, points = float(nbgrader.get("score") or 0), float(nbgrader.get("points") or 0)
    # defence: feedback: no verdict where a person gives points
    by_itself = cell.cell_type == "code" and not nbgrader.get("solution")  # and by no person
    title, case, cause = _verdict(cell) if by_itself else ("", "", "")
    name = ": ".join(filter(None, (number, title))) or nbgrader.grade_id
    failed = earned < points or bool(case and not earned)  # of a dropped exercise, nobody lacks points
    status = Status.PASSED if not failed else Status.PARTLY if earned else Status.FAILED
    went = {Status.PASSED: "right", Status.PARTLY: "partly right", Status.FAILED: "no points"}[status]
    how = _WAITS if waits else f"{SIGNS[status]} {case or went}"
    if not (points or earned):  # dropped; a person's verdict on it is gone, a check's isn't
        how = " · ".join([how] * by_itself + ["counts for nothing"])
    return {
        "id": nbgrader.grade_id, "section": section or "the notebook", "name": name, "how": how,
        "case": case, "cause": cause, "earned": earned, "points": points,
    }  # fmt: skip


def _verdict(cell: NotebookNode) -> tuple[str, str, str]:
    """A check's message: the exercise's title, and if it failed, at which case and why.

    All empty for a test that isn't one of ours. A verdict is the last output; what is before is a student's.
    """
    # defence: feedback: the verdict alone
    for output in cell.get("outputs", [])[-1:]:
        return told(output.get("data", {}).get("text/plain", ""))
    return "", "", ""


def told(message: str) -> tuple[str, str, str]:
    """Of a check's message: the exercise's title, and if it failed, at which case and why."""
    headline, *lines = message.split("\n")
    sign, _, rest = headline.partition(" ")
    if sign not in SIGNS.values():
        return "", "", ""
    title, _, detail = rest.partition(" · ")
    rows = {line[2:16].strip(): line[17:] for line in lines}
    if sign == SIGNS[Status.PASSED]:
        return title, "", ""
    return title, detail, rows.get("likely cause") or rows.get("because") or ""
