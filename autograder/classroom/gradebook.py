"""nbgrader's database, one transaction per submission, and the autograded notebook beside it.

The scores are nbgrader's own rows, so that formgrader, feedback and export work as always. One extra table,
`headstart_grading`, keeps what each submission was graded from and its verdicts. It is written in the same
transaction: a submission is recorded completely or not at all, whenever the grader is killed.
"""

import contextlib
import functools
import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import sqlalchemy as sa
from nbformat import NotebookNode
from nbgrader.api import (
    Assignment,
    BaseCell,
    Comment,
    Grade,
    GradeCell,
    Notebook,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
    TaskCell,
)  # fmt: skip
from nbgrader.converters import Autograde
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import SaveCells
from traitlets.config import Config

from autograder.classroom import by_hand, lateness
from autograder.classroom.beside import kept_as, make_way
from autograder.classroom.database import GRADING, is_recorded, make_grading, opened
from autograder.classroom.dates import handed_in_at
from autograder.grading.alone import alone_in
from autograder.lessons import grade_id
from autograder.results import Graded, Paper, Verdict
from helpers.storage import write_whole

_FORGET = sa.delete(GRADING).where(*(GRADING.c[k] == sa.bindparam(k) for k in ("assignment", "student")))
_TABLES = {"GradeCell": (Grade,), "SolutionCell": (Comment,), "TaskCell": (Grade, Comment)}


class _Mapped(Protocol):
    """A class of nbgrader that maps a table."""

    __table__: sa.Table


@dataclass(frozen=True)
class _Page:
    """A notebook in nbgrader's tables: the cells, by id and name, of which each submission has rows.

    Those that a person grades, but for no points, are worthless: they wait for nobody.
    """

    notebook_id: str
    rows: dict[type[_Mapped], list[tuple[str, str]]]
    tasks: frozenset[str]
    worthless: frozenset[str]


class Book:
    """A lesson's page of the gradebook. Used by one thread.

    Args:
        course: whose gradebook it is.
        lesson: its name.
        skeletons: its notebooks as released.
        config: nbgrader's settings.
        given: files of the course's own, which go beside autograded notebooks.
        reading: write nothing, not even the lesson's cells. Only what is recorded can be read.

    Raises:
        LookupError: it is only for reading, and nothing of the lesson is recorded; or cells came or went.
    """

    def __init__(
        self,
        course: CourseDirectory,
        lesson: str,
        skeletons: dict[str, NotebookNode],
        config: Config | None = None,
        given: dict[str, bytes] | None = None,
        *,
        reading: bool = False,
    ) -> None:
        if reading and not is_recorded(course, lesson):
            raise LookupError(f"nothing of {lesson} is recorded yet: grade it first")
        self.course, self.lesson, self.given = course, lesson, given or {}
        self._autograde = Autograde(coursedir=course, config=config or Config())
        self._gradebook = opened(course)
        self.db = self._gradebook.db
        self.repointed: list[by_hand.Given] = []  # by people, for cells whose maximum changes with this
        try:
            self._prepare(skeletons, reading)
        except BaseException:  # nobody else could close it
            self.close()
            raise

    def _prepare(self, skeletons: dict[str, NotebookNode], reading: bool) -> None:
        """Have the lesson in all tables, and know its rows."""
        lesson = self.lesson
        if not reading:
            make_grading(self.db)
            self._gradebook.update_or_create_assignment(lesson)
        for name, skeleton in skeletons.items():
            self._register(name, skeleton, reading)
        assignment = self.db.query(Assignment).filter_by(name=lesson).one()
        self.assignment_id = assignment.id
        theirs = SubmittedAssignment.__table__.c
        # What is on record, but for submissions that somebody has removed from nbgrader's tables since.
        self._recorded = (
            (GRADING.c.assignment == lesson)
            & (theirs.assignment_id == assignment.id)
            & (theirs.student_id == GRADING.c.student)
        )
        notebooks = self.db.query(Notebook).filter_by(assignment_id=assignment.id)
        self.pages = {
            name: self._page(page.id, skeletons[name])
            for page in notebooks
            if (name := page.name) in skeletons
        }
        if not reading:
            self.db.commit()

    def _register(self, name: str, skeleton: NotebookNode, reading: bool) -> None:
        """Tell nbgrader of a notebook's cells, as its generate_assignment does, if they are news to it.

        Raises:
            LookupError: cells came or went since submissions were graded, which nbgrader's tables can't hold.
        """
        cells = self.db.query(BaseCell).options(sa.orm.selectin_polymorphic(BaseCell, [GradeCell, TaskCell]))
        cells = cells.join(Notebook).join(Assignment)
        cells = cells.filter(Assignment.name == self.lesson, Notebook.name == name)
        known = {(cell.name, getattr(cell, "max_score", None)) for cell in cells}
        flags = [cell.metadata.nbgrader for cell in skeleton.cells if "nbgrader" in cell.metadata]
        wanted: set[tuple[str, float | None]] = {(f.grade_id, None) for f in flags if f.solution}
        wanted |= {(f.grade_id, float(f.points)) for f in flags if f.grade or f.get("task")}
        if known != wanted:
            before, after = ({id: p for id, p in cells if p is not None} for cells in (known, wanted))
            self.repointed += by_hand.given(self.db, self.lesson, name, before, after)
            if reading:
                return
            if before.keys() == after.keys():  # or nbgrader refuses
                by_hand.limit(self.db, self.repointed)
            names = {"notebook": name, "assignment": self.lesson, "db_url": self.course.db_url}
            try:
                SaveCells().preprocess(skeleton, {"nbgrader": names})
            except RuntimeError as error:  # cells came or went, and there are grades already
                cure = f"undo that, or discard them: `nbgrader db assignment remove {self.lesson} --force`"
                raise LookupError(f"{error}; {cure}") from None

    def _page(self, notebook_id: str, skeleton: NotebookNode) -> "_Page":
        cells = self.db.query(BaseCell).filter_by(notebook_id=notebook_id)
        rows = {
            kind: [(cell.id, cell.name) for cell in cells if kind in _TABLES[cell.type]]
            for kind in (Grade, Comment)
        }
        tasks = frozenset(cell.name for cell in cells if cell.type == "TaskCell")
        flags = [cell.metadata.get("nbgrader", {}) for cell in skeleton.cells]
        written = [f for f in flags if f.get("task") or (f.get("grade") and f.get("solution"))]
        worthless = frozenset(f.grade_id for f in written if not f.points)
        return _Page(notebook_id, rows, tasks, worthless)

    def close(self) -> None:
        """Let go of the database."""
        self._gradebook.close()

    def recorded(self) -> dict[str, str]:
        """Student id to the digest of what was graded last."""
        query = sa.select(GRADING.c.student, GRADING.c.digest).where(self._recorded)
        return {student: digest for student, digest in self.db.execute(query)}

    def _digest(self, student: str) -> str:
        """That of what was graded last of a student; "" for nothing."""
        mine = self._recorded & (GRADING.c.student == student)
        return self.db.execute(sa.select(GRADING.c.digest).where(mine)).scalar() or ""

    def known(self, student: str) -> dict[str, Verdict]:
        """What a student's exercises got last time, by id."""
        mine = self._recorded & (GRADING.c.student == student)
        text = self.db.execute(sa.select(GRADING.c.verdicts).where(mine)).scalar()
        return {verdict.exercise: verdict for verdict in map(Verdict.from_json, json.loads(text or "[]"))}

    def overruled(self, student: str) -> dict[str, float]:
        """By cell, the points that a person gave a student, in place of a check's or where there is none."""
        query = self.db.query(BaseCell.name, Grade.manual_score).select_from(BaseCell).join(Grade)
        rows = query.join(SubmittedNotebook).join(SubmittedAssignment).filter(Grade.manual_score.is_not(None))
        mine = rows.filter_by(assignment_id=self.assignment_id, student_id=student)
        return {name: score for name, score in mine if score is not None}

    def verdicts(self) -> Iterator[tuple[str, str, list[Verdict]]]:
        """Student, problem and verdicts of every submission graded so far, by student."""
        query = sa.select(GRADING).where(self._recorded).order_by(GRADING.c.student)
        for row in self.db.execute(query):
            yield row.student, row.problem, [*map(Verdict.from_json, json.loads(row.verdicts))]

    def waiting(self) -> str:
        """How many of the lesson's answers wait for a person, in words; "" for none."""
        return by_hand.left_to_grade(self.db, self.lesson)

    def odd(self) -> list[tuple[str, str]]:
        """The submissions that somebody should look at, each with what was odd about it, by student."""
        query = sa.select(GRADING).where(self._recorded).order_by(GRADING.c.student)
        said = [(row.student, [row.problem, *json.loads(row.remarks)]) for row in self.db.execute(query)]
        return [(student, "; ".join(filter(None, parts))) for student, parts in said if any(parts)]

    def path(self, student: str, notebook: str = "") -> Path:
        """Where the autograded notebook of a student goes."""
        folder = self.course.format_path(self.course.autograded_directory, student, self.lesson)
        return Path(folder, f"{notebook or next(iter(self.pages))}.ipynb")

    def expect(self, student: str) -> None:
        """Refuse a student that the gradebook doesn't know, where the course says so.

        Raises:
            LookupError: they are unknown, and nbgrader's setting create_student is off.
        """
        known = (
            # defence: settings: create_student
            self._autograde.create_student or self.db.execute(_find(Student, "id"), {"id": student}).first()
        )
        if not known:
            raise LookupError(
                "not in the gradebook, and Autograde.create_student is off: call "
                f"`nbgrader db student add {student}`"
            )

    def record(
        self, graded: Graded, own: Mapping[str, bytes] | None = None, now: Callable[[], str] | None = None
    ) -> bool:
        """Write the autograded notebooks and what lies beside them, then all scores in one transaction.

        Args:
            graded: what came of a submission.
            own: as `put_files` takes it.
            now: the digest of the submission as it is now. If another program has recorded that one while an
                older one was graded here, it stays.

        Returns:
            Whether it was recorded.
        """
        # defence: gradebook: one at a time
        with alone_in(self.path(graded.student).parent.parent):
            # defence: gradebook: nothing older in place of what is newer
            if now and graded.digest:
                last = self._digest(graded.student)
                if last not in ("", graded.digest) and now() == last:
                    return False
            self._record(graded, own)
            return True

    def _record(self, graded: Graded, own: Mapping[str, bytes] | None) -> None:
        self._write_notebooks(graded)
        self.put_files(graded, own)
        try:
            submission_id, before = self._submission(graded), self._by_hand(graded.student)
            for paper in graded.papers:
                known = {id: before.get(f"{paper.name}/{id}") for id in paper.by_hand}
                same = {id for id, answer in paper.by_hand.items() if known[id] == answer}
                self._scores(paper, self.pages[paper.name], submission_id, same)
            self._verdicts(graded)
            self.db.commit()
        except BaseException:
            self.db.rollback()
            raise

    def charge_lateness(self, config: Config, student: str = "", done: Collection[str] = ()) -> None:
        """Set what lateness costs, for every submission so far or a student's, as `lateness.charge`."""
        lateness.charge(self.db, config, self.lesson, student, done)

    def _write_notebooks(self, graded: Graded) -> None:
        for paper in graded.papers:
            write_whole(self.path(graded.student, paper.name), paper.notebook.encode())

    def put_files(self, graded: Graded, own: Mapping[str, bytes] | None = None) -> None:
        """Leave what nbgrader's autograde would: the course's own files, none of before, nbgrader's modes.

        Args:
            graded: the submission. What was graded with it stays beside its notebooks.
            own: files of the course's own that may stay where nbgrader has put them, by relative path; None
                unless nbgrader's autograde has called. It writes the notebook after this, and sets the modes.
        """
        folder = self.path(graded.student).parent
        theirs = graded.files | graded.output_files
        files = {kept_as(name): content for name, content in theirs.items()} | self.given
        stays = {*files, *(f"{paper.name}.ipynb" for paper in graded.papers)}
        for path in [path for path in folder.rglob("*") if not path.is_dir() or path.is_symlink()]:
            name = str(path.relative_to(folder))
            # defence: autograde: what links point to
            if path.is_symlink() or (name not in stays and (own or {}).get(name) != path.read_bytes()):
                path.unlink()
        for name, content in files.items():
            with contextlib.suppress(OSError):  # a path of the student's can be too long here
                make_way(folder, name)
                write_whole(folder / name, content)
        if own is None:
            self._autograde.set_permissions(self.lesson, graded.student)

    def _submission(self, graded: Graded) -> str:
        """Make sure that nbgrader's row for this submission exists, and return its id."""
        if self.db.execute(_find(Student, "id"), {"id": graded.student}).first() is None:
            self.db.execute(sa.insert(Student.__table__), {"id": graded.student})
        key = {"assignment_id": self.assignment_id, "student_id": graded.student}
        time = handed_in_at(graded.files.get("timestamp.txt", b""), self._autograde.config)
        return self._id(SubmittedAssignment, key, timestamp=time)

    def _by_hand(self, student: str) -> dict[str, str]:
        """A digest of each answer that a person grades, by notebook and grade id, as it was last time."""
        key = (GRADING.c.assignment == self.lesson) & (GRADING.c.student == student)
        return json.loads(self.db.execute(sa.select(GRADING.c.by_hand).where(key)).scalar() or "{}")

    def _scores(self, paper: Paper, page: "_Page", submission_id: str, same: set[str]) -> None:
        """What nbgrader's own SaveAutoGrades would write, with the judge's points in place of its reading.

        Args:
            paper: a notebook as graded.
            page: its cells in nbgrader's tables.
            submission_id: of nbgrader's row for the submission.
            same: the answers graded by a person that haven't changed since they were last recorded.
        """
        key = {"assignment_id": submission_id, "notebook_id": page.notebook_id}
        notebook = {"notebook_id": self._id(SubmittedNotebook, key)}
        earned = {grade_id(verdict.exercise.rpartition("/")[2]): verdict.points for verdict in paper.verdicts}
        for kind, cells in page.rows.items():
            have = {row.cell_id: row for row in self.db.execute(_find(kind, *notebook), notebook)}
            new, old = [], []
            for cell_id, name in cells:
                row = have.get(cell_id)
                values = (
                    _grade(name, row, paper, page, earned, same) if kind is Grade else _comment(name, paper)
                )
                if row is None:
                    new.append({"cell_id": cell_id, **notebook, **values})
                else:
                    old.append({"row": row.id, **values})
            if new:
                self.db.execute(sa.insert(kind.__table__), new)
            if old:
                self.db.execute(_change(kind), old)

    def _id(self, kind: type[_Mapped], key: dict[str, str], **values: object) -> str:
        """The id of the row with this key, which is added if there is none; its values are set."""
        row = self.db.execute(_find(kind, *key), key).first()
        if row is None:
            return self.db.execute(sa.insert(kind.__table__), {**key, **values}).inserted_primary_key[0]
        if values:
            self.db.execute(_change(kind), {"row": row.id, **values})
        return row.id

    def _verdicts(self, graded: Graded) -> None:
        key = {"assignment": self.lesson, "student": graded.student}
        self.db.execute(_FORGET, key)
        verdicts = json.dumps([vars(verdict) for verdict in graded.verdicts])
        said = {"problem": graded.problem, "remarks": json.dumps(graded.remarks)}
        by_hand = {f"{paper.name}/{id}": it for paper in graded.papers for id, it in paper.by_hand.items()}
        row = {**key, "digest": graded.digest, "verdicts": verdicts, **said, "by_hand": json.dumps(by_hand)}
        self.db.execute(sa.insert(GRADING), row)


def _grade(
    name: str, row: sa.Row | None, paper: Paper, page: _Page, earned: dict[str, float], same: set[str]
) -> dict:
    """What a cell's row of grades becomes; `row` is what it was."""
    if name in page.tasks - page.worthless and not paper.problem:  # points come from a person alone
        unseen = row is None or row.auto_score is not None or row.needs_manual_grade
        return {"auto_score": None, "needs_manual_grade": unseen}
    score = earned.get(name, 0.0 if name in paper.blank | page.worthless or paper.problem else None)
    if row is None or row.manual_score is None:
        return {"auto_score": score, "needs_manual_grade": score is None}
    read = score is None and name in same  # by a person, just as it is
    return {"auto_score": score, "needs_manual_grade": row.needs_manual_grade if read else True}


def _comment(name: str, paper: Paper) -> dict:
    return {"auto_comment": "No response." if name in paper.blank and not paper.problem else None}


# nbgrader's tables are read and written as tables: its classes bring sums along, which take longer.


@functools.cache
def _find(kind: type[_Mapped], *key: str) -> sa.Select:
    """Reads the rows of a class of nbgrader's by some of their columns."""
    table = kind.__table__
    return sa.select(table).where(*(table.c[name] == sa.bindparam(name) for name in key))


@functools.cache
def _change(kind: type[_Mapped]) -> sa.Update:
    """Changes a row, whose id is `row`."""
    return sa.update(kind.__table__).where(kind.__table__.c.id == sa.bindparam("row"))
