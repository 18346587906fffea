"""Grades for the school's own gradebook, as exporters of `nbgrader export`: Canvas, Moodle, plain CSV.

    nbgrader export --exporter=autograder.classroom.exports.Canvas --Canvas.roster=canvas.csv --to=grades.csv

Canvas and Moodle get back the file that they exported, its header and rows as they were, with a column for
each lesson. Nobody is matched by name, and nobody is left out without a word.
"""

import contextlib
import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import sqlalchemy as sa
from nbgrader.api import (
    Assignment,
    Grade,
    Gradebook,
    MissingEntry,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
)  # fmt: skip
from nbgrader.coursedir import CourseDirectory
from nbgrader.plugins import CsvExportPlugin, ExportPlugin
from traitlets import Bool, Dict, List, Unicode

from autograder.classroom.course import is_formula
from autograder.classroom.school_csv import Table, harmless, read_table
from autograder.lessons import counted, first_of
from helpers.storage import write_whole


class Score(NamedTuple):
    """What one student has in one lesson."""

    points: float
    waiting: bool  # for points by hand


class Csv(CsvExportPlugin):
    """nbgrader's own `grades.csv`, and a word on the points in it that are still to be given.

    Written anew: nbgrader's has no quotation marks, so that a comma in a name moves the points by a column.
    """

    def export(self, gradebook: Gradebook) -> None:
        """Write the file that `--to` names, or grades.csv."""
        lessons, students = _asked_for(self, gradebook)
        rows = [_as_nbgrader(gradebook, lesson, student) for lesson in lessons for student in students]
        write_whole(Path(self.to or "grades.csv"), Table([NBGRADERS.split(), *rows], []).encoded())
        _say_who_waits(self, _scores(gradebook, lessons, students), "given without these points")


NBGRADERS = (
    "assignment duedate timestamp student_id last_name first_name email "
    "raw_score late_submission_penalty score max_score"
)


def _as_nbgrader(gradebook: Gradebook, lesson: Assignment, student: Student) -> list[str]:
    """A row of nbgrader's `grades.csv`: what wasn't handed in has 0 points."""
    try:
        submission = gradebook.find_submission(lesson.name, student.id)
    except MissingEntry:
        when, raw, penalty = None, 0.0, 0.0
    else:
        when, raw, penalty = submission.timestamp, submission.score, submission.late_submission_penalty
    names = map(_as_text, (student.last_name, student.first_name, student.email))
    points = (raw, penalty, max(0.0, raw - (penalty or 0.0)), lesson.max_score)
    start = (lesson.name, lesson.duedate, when, student.id)
    return ["" if value is None else str(value) for value in (*start, *names, *points)]


class _Export(ExportPlugin):
    """What the other exporters share: scores of nbgrader's gradebook, and what is said about them."""

    partial = Bool(
        False,
        help="export the points so far if written answers still wait for theirs; else the cell stays empty",
    ).tag(config=True)
    left = "left empty"  # what becomes of a score that isn't given

    def export(self, gradebook: Gradebook) -> None:
        """Write the file that `--to` names, or nothing at all.

        Raises:
            SystemExit: it can't be done, and why.
        """
        lessons, students = _asked_for(self, gradebook)
        if missing := {*map(str, self.assignment)} - {one.name for one in lessons}:
            raise SystemExit(
                f"the gradebook has no assignment {', '.join(sorted(missing))}; nothing is written"
            )
        scores = _scores(gradebook, lessons, students)
        try:
            table = self.table(lessons, students, scores)
        except (LookupError, OSError) as error:
            said = error.args[0] if isinstance(error, LookupError) else error
            raise SystemExit(f"{said}; nothing is written") from None
        target = Path(self.to or "grades.csv")
        write_whole(target, table.encoded())
        given = [who for (who, _), score in scores.items() if self.shown(score)]
        given = [who for (who, _), score in scores.items() if self.shown(score)]
        whose = f"{len({*given})} of {counted(len(students), 'student')}"
        self.log.info("%s written to %s, for %s", counted(len(given), "score"), target, whose)
        _say_who_waits(self, scores, "given without these points" if self.partial else self.left)

    def table(
        self, lessons: Sequence[Assignment], students: Sequence[Student], scores: dict[tuple[str, str], Score]
    ) -> Table:
        """The file.

        Raises:
            LookupError: it can't be made, and why.
        """
        raise NotImplementedError

    def shown(self, score: Score | None) -> str:
        """A score as a cell's text; empty if there is none to export."""
        return "" if score is None or (score.waiting and not self.partial) else f"{score.points:g}"


def _asked_for(plugin: ExportPlugin, gradebook: Gradebook) -> tuple[list[Assignment], list[Student]]:
    """The lessons and students that were named; all where none were, but for `student_id_exclude`."""
    wanted, whose = {*map(str, plugin.assignment)}, {*map(str, plugin.student)}
    gone = {*CourseDirectory(parent=plugin).student_id_exclude.split(",")}
    lessons = [one for one in gradebook.assignments if one.name in wanted or not wanted]
    students = [one for one in gradebook.students if one.id in whose or not whose]
    return lessons, [one for one in students if one.id not in gone]


def _scores(
    gradebook: Gradebook, lessons: Sequence[Assignment], students: Sequence[Student]
) -> dict[tuple[str, str], Score]:
    """What each student has in each lesson, where something was graded."""
    whose = {one.id for one in students}
    return {key: score for key, score in scores_in(gradebook, lessons).items() if key[0] in whose}


def scores_in(gradebook: Gradebook, lessons: Sequence[Assignment]) -> dict[tuple[str, str], Score]:
    """By student and lesson, where something was graded: not handed in is no 0.

    Of one query for all: nbgrader's own objects ask several times for each submission.
    """
    found: dict[tuple[str, str], list[sa.Row]] = defaultdict(list)
    query = (
        gradebook.db.query(
            SubmittedAssignment.student_id, Assignment.name, SubmittedNotebook.id,
            SubmittedNotebook.late_submission_penalty, Grade.score, Grade.auto_score, Grade.manual_score,
            Grade.needs_manual_grade,
        )
        .select_from(Grade).join(SubmittedNotebook).join(SubmittedAssignment).join(Assignment)
        .filter(Assignment.id.in_([lesson.id for lesson in lessons]))
    )  # fmt: skip
    for row in query:
        if row.student_id is not None:
            found[row.student_id, row.name].append(row)
    return {key: _score(grades) for key, grades in found.items() if any(map(_graded, grades))}


def _graded(grade: sa.Row) -> bool:
    return grade.auto_score is not None or grade.manual_score is not None


def _score(grades: list[sa.Row]) -> Score:
    penalties = {grade.id: grade.late_submission_penalty or 0.0 for grade in grades}  # by notebook
    points = sum(grade.score for grade in grades) - sum(penalties.values())
    return Score(max(0.0, points), any(waits(grade) for grade in grades))


def _say_who_waits(plugin: ExportPlugin, scores: dict[tuple[str, str], Score], how: str) -> None:
    """A warning for each lesson in which written answers wait for their points."""
    waiting: dict[str, list[str]] = {}
    for (who, lesson), score in scores.items():
        if score.waiting:
            waiting.setdefault(lesson, []).append(who)
    for lesson, those in waiting.items():
        plugin.log.warning(
            "%s: written answers wait for their points, so scores are %s: %s",
            lesson, how, first_of(sorted(those)),
        )  # fmt: skip


def waits(grade: Grade | sa.Row) -> bool:
    """Whether a person still has to grade this. A check that was overruled has a score of its own."""
    return bool(grade.needs_manual_grade) and grade.auto_score is None


class Plain(_Export):
    """One row a student, one column a lesson."""

    def table(
        self, lessons: Sequence[Assignment], students: Sequence[Student], scores: dict[tuple[str, str], Score]
    ) -> Table:
        """A header, the points possible, and the students."""
        header = ["student_id", "last_name", "first_name", "email", *(lesson.name for lesson in lessons)]
        possible = ["points possible", "", "", "", *(f"{lesson.max_score:g}" for lesson in lessons)]
        rows = (
            [one.id, *map(_as_text, (one.last_name, one.first_name, one.email)),
             *(self.shown(scores.get((one.id, lesson.name))) for lesson in lessons)]
            for one in students
        )  # fmt: skip
        return Table([header, possible, *rows], [])


def _as_text(value: str | None) -> str:
    """A name as a cell that no spreadsheet takes for a formula, and no terminal for orders."""
    # defence: export: names that steer a terminal
    value = harmless(value or "")
    # defence: export: names that are formulas
    return f"'{value}" if value and is_formula(value) else value


class _Returned(_Export):
    """Fills in the file that the school's gradebook exported."""

    roster = Unicode("", help="the file that the school's gradebook exported").tag(config=True)
    columns = Dict(help="a lesson's column, if it has a different name: {lesson: column}").tag(config=True)
    ids = List(Unicode(), help="the columns in which students' ids or e-mails are").tag(config=True)
    needed: tuple[str, ...] = ()  # columns, without one of which it is another kind of file
    kept: tuple[str, ...] = ()  # what a cell holds if it wants no points
    left = "left as they were"

    def table(
        self, lessons: Sequence[Assignment], students: Sequence[Student], scores: dict[tuple[str, str], Score]
    ) -> Table:
        """The file as it was, with the scores in their columns."""
        file = read_table(self.roster)
        ids = [at for at, name in enumerate(file.names) if name in self.ids]
        if not {*self.needed} & {*file.names} or not ids:
            needed = " nor ".join(map(repr, self.needed))
            raise LookupError(f"{self.roster} has no column {needed}, or none of {', '.join(self.ids)}")
        place = self._rows_of(students, file.rows, ids, {who for who, _ in scores})
        for lesson in lessons:
            at = self._column(lesson, file.rows)
            given = {who: self.shown(score) for (who, name), score in scores.items() if name == lesson.name}
            for who, shown in given.items():
                row = file.rows[place[who]]
                if row[at].strip().upper() in self.kept and shown:
                    self.log.warning("%s: %s has %r, which is left: no %s", lesson.name, who, row[at], shown)
                elif shown:
                    row[at] = shown
        return file

    def _rows_of(
        self, students: Sequence[Student], rows: list[list[str]], ids: list[int], needed: set[str]
    ) -> dict[str, int]:
        """The row of each student, by id or e-mail: spaces around them and capitals don't count."""
        found: dict[str, set[int]] = {}
        for number, row in enumerate(rows[1:], 1):
            for column in ids:
                found.setdefault(row[column].strip().casefold(), set()).add(number)
        place: dict[str, int] = {}
        refused = []
        for one in students:
            keys = [key.strip().casefold() for key in (one.id, one.email or "") if key.strip()]
            at = {row for key in keys for row in found.get(key, ())} - {*place.values()}
            if len(at) == 1:
                place[one.id] = at.pop()
            elif one.id in needed:
                refused.append(_called(one))
        if refused:
            by = ", ".join(self.ids)
            raise LookupError(
                f"{self.roster} has no row, or more than one, for {first_of(sorted(refused))}, by {by}; "
                f"--CourseDirectory.student_id_exclude=ID,ID leaves out students who have left the course"
            )
        return place

    def _column(self, lesson: Assignment, rows: list[list[str]]) -> int:
        """The column for a lesson's points; a new one at the end if there is none."""
        wanted = self.columns.get(lesson.name)
        names = [self.plain_name(name) for name in rows[0]]
        if wanted and wanted not in (*rows[0], *names):
            raise LookupError(
                f"{self.roster} has no column {wanted!r}, which `columns` names for {lesson.name}"
            )
        at = [n for n, name in enumerate(rows[0]) if (wanted or lesson.name) in (name, names[n])]
        if len(at) > 1:
            raise LookupError(f"{self.roster} has {len(at)} columns for {lesson.name}; name one in `columns`")
        if at:
            self.check_column(lesson, rows, at[0])
            return at[0]
        for row in rows:
            row.append("")
        rows[0][-1] = lesson.name
        self.new_column(lesson, rows)
        return len(rows[0]) - 1

    def plain_name(self, column: str) -> str:
        """A column's name without what the school's gradebook adds to it."""
        return column

    def check_column(self, lesson: Assignment, rows: list[list[str]], at: int) -> None:
        """Refuse a column that can't take points, and say where it counts otherwise."""

    def new_column(self, lesson: Assignment, rows: list[list[str]]) -> None:
        """What a new column needs beside its name."""


def _called(student: Student) -> str:
    parts = (student.first_name, student.last_name, student.email)
    name = " ".join(part for part in parts if part)
    return harmless(f"{student.id} ({name})") if name else str(student.id)


class Canvas(_Returned):
    """For *Import* in Canvas's gradebook: what *Export* gave, with the lessons' points.

    A column is found by its name, with or without the number that Canvas adds, `01_attention (4711)`. Where
    there is none, Canvas asks what the new one is when the file is imported.
    """

    needed = ("Student", "LastName")  # schools may have names in two columns
    kept = ("EX", "N/A")  # excused, and not assigned

    def _ids_default(self) -> list[str]:
        return ["SIS Login ID", "SIS User ID", "ID"]

    def plain_name(self, column: str) -> str:
        """Without the assignment's number."""
        return re.sub(r" \(\d+\)$", "", column)

    def new_column(self, lesson: Assignment, rows: list[list[str]]) -> None:
        """Its points possible, which stand in a row of their own."""
        if not (possible := self._possible(rows)):
            raise LookupError(f"{self.roster} has no row 'Points Possible', so it isn't Canvas's export")
        possible[-1] = f"{lesson.max_score:g}"

    def check_column(self, lesson: Assignment, rows: list[list[str]], at: int) -> None:
        """Refuse Canvas's own columns, which ignore imported points; warn if Canvas's maximum differs."""
        possible = self._possible(rows)[at].strip() if self._possible(rows) else ""
        if "read only" in possible:
            raise LookupError(f"Canvas takes no points in its own column {rows[0][at]!r}")
        with contextlib.suppress(ValueError):
            if float(possible.replace(",", ".")) != lesson.max_score:
                said = "%s: points are out of %g here, and in Canvas out of %s; nothing is converted"
                self.log.warning(said, lesson.name, lesson.max_score, possible)

    def _possible(self, rows: list[list[str]]) -> list[str]:
        """The row of points possible; empty where somebody took it out."""
        return next((row for row in rows[1:] if row[0].strip() == "Points Possible"), [])


class Moodle(_Returned):
    """For *Import* in Moodle's gradebook: an export of grades, or the list of participants, with the points.

    Moodle asks on import which column is which.
    """

    needed = ("Email address",)

    def _ids_default(self) -> list[str]:
        return ["Email address", "ID number", "Username"]

    def plain_name(self, column: str) -> str:
        """Without the kind of activity before it and the kind of grade after it."""
        return re.sub(r" \((?!Feedback)[^()]*\)$", "", column).partition(":")[2].strip() or column
