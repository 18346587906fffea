"""nbgrader's database, one transaction a submission, and the autograded notebook beside it.

The scores are nbgrader's own rows, so that formgrader, feedback and export work as ever. One table more,
`headstart_grading`, keeps what each submission was graded from and its verdicts. It is written in the same
transaction: a submission is either recorded altogether or not at all, whenever the grader is killed.
"""

import contextlib
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import nbformat
import sqlalchemy as sa
import sqlalchemy.orm
from nbformat import NotebookNode
from nbgrader.api import (
    Assignment,
    BaseCell,
    Comment,
    Grade,
    Gradebook,
    Notebook,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
)  # fmt: skip
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import SaveCells
from nbgrader.utils import parse_utc

from autograder.exercise import Verdict
from autograder.lessons import grade_id
from autograder.workers import Ended

_metadata = sa.MetaData()
GRADING = sa.Table(
    "headstart_grading",
    _metadata,
    sa.Column("assignment", sa.String(128), primary_key=True),
    sa.Column("student", sa.String(128), primary_key=True),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("problem", sa.Text, nullable=False),
    sa.Column("verdicts", sa.Text, nullable=False),
)


@dataclass(frozen=True)
class Graded:
    """One submission as graded.

    Attributes:
        student: their id.
        digest: of the submission, the lesson and the hidden seed: equal digests give equal results.
        notebook: with outputs and verdicts in it.
        verdicts: one an exercise.
        blank: grade ids of the answers left as they were released.
        files: what goes beside the notebook, for feedback, by relative path.
        problem: why nothing of it could be read, for student and instructor; empty for most.
        remarks: what else the instructor should know.
        ended: how the child that ran it ended, and what it took.
    """

    student: str
    digest: str
    notebook: NotebookNode
    verdicts: tuple[Verdict, ...]
    blank: frozenset[str] = frozenset()
    files: dict[str, bytes] = field(default_factory=dict, repr=False)
    problem: str = ""
    remarks: tuple[str, ...] = ()
    ended: Ended = field(default_factory=Ended)


class Book:
    """A lesson's page of the gradebook. Used by one thread."""

    def __init__(self, course: CourseDirectory, lesson: str, skeleton: NotebookNode) -> None:
        self.course, self.lesson = course, lesson
        # nbgrader calls the `alembic` command when it makes a database: let it be found without `activate`.
        os.environ["PATH"] = os.pathsep.join(
            [str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]
        )
        self._gradebook = Gradebook(course.db_url, course.course_id)
        self.db = self._gradebook.db
        _metadata.create_all(self.db.get_bind())
        self._register(skeleton)
        notebook = self.db.query(Notebook).join(Assignment).filter(Assignment.name == lesson).one()
        self.assignment_id, self.notebook_id = notebook.assignment_id, notebook.id
        cells = self.db.query(BaseCell).filter_by(notebook_id=notebook.id)
        self.cells = {
            cell.id: (cell.name, Comment if cell.type == "SolutionCell" else Grade) for cell in cells
        }
        self.db.commit()

    def _register(self, skeleton: NotebookNode) -> None:
        """Tell nbgrader of the lesson's cells, as its generate_assignment does, if they are news to it."""
        self._gradebook.update_or_create_assignment(self.lesson)
        query = (
            self.db.query(BaseCell.name)
            .join(Notebook)
            .join(Assignment)
            .filter(Assignment.name == self.lesson)
        )
        known = {name for (name,) in query}
        flags = {
            c.metadata.nbgrader.grade_id: c.metadata.nbgrader
            for c in skeleton.cells
            if "nbgrader" in c.metadata
        }
        if known != {name for name, nbgrader in flags.items() if nbgrader.grade or nbgrader.solution}:
            names = {"notebook": self.lesson, "assignment": self.lesson, "db_url": self.course.db_url}
            SaveCells().preprocess(skeleton, {"nbgrader": names})

    def close(self) -> None:
        """Let go of the database."""
        self._gradebook.close()

    def recorded(self) -> dict[str, str]:
        """Student id to the digest of what was graded last."""
        query = sa.select(GRADING.c.student, GRADING.c.digest).where(GRADING.c.assignment == self.lesson)
        return {student: digest for student, digest in self.db.execute(query)}

    def verdicts(self) -> Iterator[tuple[str, str, list[Verdict]]]:
        """Student, problem and verdicts of every submission graded so far, by student."""
        query = sa.select(GRADING).where(GRADING.c.assignment == self.lesson).order_by(GRADING.c.student)
        for row in self.db.execute(query):
            yield row.student, row.problem, [Verdict(**verdict) for verdict in json.loads(row.verdicts)]

    def path(self, student: str) -> Path:
        """Where the autograded notebook of a student goes."""
        folder = self.course.format_path(self.course.autograded_directory, student, self.lesson)
        return Path(folder, f"{self.lesson}.ipynb")

    def record(self, graded: Graded) -> None:
        """Write the autograded notebook, then all scores in one transaction."""
        self._write_notebook(graded)
        try:
            self._scores(graded, self._rows(graded))
            self._verdicts(graded)
            self.db.commit()
        except BaseException:
            self.db.rollback()
            raise
        finally:
            self.db.expunge_all()  # memory stays flat over any number of submissions

    def _write_notebook(self, graded: Graded) -> None:
        path = self.path(graded.student)
        for name, content in graded.files.items():
            _replace(path.parent / name, content)
        _replace(path, nbformat.writes(graded.notebook).encode())

    def _rows(self, graded: Graded) -> str:
        """Make sure that nbgrader's rows for this submission exist. Returns the id of its notebook's row."""
        db = self.db
        if db.get(Student, graded.student) is None:
            db.add(Student(id=graded.student))
        submission = _get_or_add(
            db, SubmittedAssignment, assignment_id=self.assignment_id, student_id=graded.student
        )
        submission.timestamp = _time(graded.files.get("timestamp.txt", b""))
        notebook = _get_or_add(
            db, SubmittedNotebook, assignment_id=submission.id, notebook_id=self.notebook_id
        )
        have = {
            cell_id
            for table in (Grade, Comment)
            for (cell_id,) in db.query(table.cell_id).filter_by(notebook_id=notebook.id)
        }
        for cell_id, (_, table) in self.cells.items():
            if cell_id not in have:
                db.add(table(cell_id=cell_id, notebook_id=notebook.id))
        db.flush()
        return notebook.id

    def _scores(self, graded: Graded, notebook_id: str) -> None:
        """What nbgrader's own SaveAutoGrades would write, with the judge's points in place of its reading."""
        earned = {grade_id(verdict.exercise): verdict.points for verdict in graded.verdicts}
        for grade in self.db.query(Grade).filter_by(notebook_id=notebook_id):
            name, _ = self.cells[grade.cell_id]
            nothing_to_read = name in graded.blank or graded.problem
            grade.auto_score = earned.get(name, 0.0 if nothing_to_read else None)
            grade.needs_manual_grade = grade.auto_score is None or grade.manual_score is not None
        for comment in self.db.query(Comment).filter_by(notebook_id=notebook_id):
            name, _ = self.cells[comment.cell_id]
            comment.auto_comment = "No response." if name in graded.blank else None

    def _verdicts(self, graded: Graded) -> None:
        key = (GRADING.c.assignment == self.lesson) & (GRADING.c.student == graded.student)
        self.db.execute(sa.delete(GRADING).where(key))
        row = {
            "assignment": self.lesson,
            "student": graded.student,
            "digest": graded.digest,
            "problem": graded.problem,
        }
        verdicts = json.dumps([{**vars(verdict), "html": ""} for verdict in graded.verdicts])
        self.db.execute(sa.insert(GRADING).values(**row, verdicts=verdicts))


def _get_or_add(db: sa.orm.Session, table: type, **key: str) -> object:
    row = db.query(table).filter_by(**key).first()
    if row is None:
        row = table(**key)
        db.add(row)
        db.flush()
    return row


def _time(text: bytes) -> datetime | None:
    with contextlib.suppress(ValueError, OverflowError):
        return parse_utc(text.decode().strip()) if text.strip() else None
    return None


def _replace(path: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as file:
        file.write(content)
    os.chmod(file.name, 0o644)
    os.replace(file.name, path)
