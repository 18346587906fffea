"""Grades for the school's own gradebook, as exporters of `nbgrader export`: Canvas, Moodle, plain CSV.

    nbgrader export --exporter=autograder.grading.exports.Canvas --Canvas.roster=canvas.csv --to=grades.csv

Canvas and Moodle get back the file that they exported, its header and rows as they were, with a column for
each lesson. Nobody is matched by name, and nobody is left out without a word.
"""

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from nbgrader.api import Assignment, Grade, Gradebook, MissingEntry, Student, SubmittedAssignment
from nbgrader.plugins import CsvExportPlugin, ExportPlugin
from traitlets import Bool, Dict, List, Unicode

from autograder.grading.course import FORMULA
from helpers.storage import write_whole


class Score(NamedTuple):
    """What one student has in one lesson."""

    points: float
    waiting: bool  # for points by hand


class Csv(CsvExportPlugin):
    """nbgrader's own `grades.csv`, and a word on the points in it that are still to be given."""

    def export(self, gradebook: Gradebook) -> None:
        """Write the file that `--to` names, or grades.csv."""
        super().export(gradebook)
        scores = _scores(gradebook, *_asked_for(self, gradebook))
        _say_who_waits(self, scores, "given without these points")


class _Export(ExportPlugin):
    """What the other exporters share: scores of nbgrader's gradebook, and what is said about them."""

    partial = Bool(
        False,
        help="also give the points so far where written answers wait for theirs; else the cell stays empty",
    ).tag(config=True)

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
        except (LookupError, OSError, UnicodeDecodeError) as error:
            said = error.args[0] if isinstance(error, LookupError) else error
            raise SystemExit(f"{said}; nothing is written") from None
        text = io.StringIO(newline="")
        csv.writer(text).writerows(table)
        target = Path(self.to or "grades.csv")
        write_whole(target, text.getvalue().encode())
        self.log.info("%d scores of %d students written to %s", len(scores), len(students), target)
        _say_who_waits(self, scores, "given without these points" if self.partial else "left empty")

    def table(
        self, lessons: Sequence[Assignment], students: Sequence[Student], scores: dict[tuple[str, str], Score]
    ) -> list[list[str]]:
        """The rows of the file.

        Raises:
            LookupError: it can't be made, and why.
        """
        raise NotImplementedError

    def shown(self, score: Score | None) -> str:
        """A score in a cell; empty where there is none to give."""
        return "" if score is None or (score.waiting and not self.partial) else f"{score.points:g}"


def _asked_for(plugin: ExportPlugin, gradebook: Gradebook) -> tuple[list[Assignment], list[Student]]:
    """The lessons and students that were named; all where none were."""
    wanted, whose = {*map(str, plugin.assignment)}, {*map(str, plugin.student)}
    lessons = [one for one in gradebook.assignments if one.name in wanted or not wanted]
    return lessons, [one for one in gradebook.students if one.id in whose or not whose]


def _scores(
    gradebook: Gradebook, lessons: Sequence[Assignment], students: Sequence[Student]
) -> dict[tuple[str, str], Score]:
    """What each student has in each lesson, where something was graded."""
    return {
        (student.id, lesson.name): score
        for lesson in lessons
        for student in students
        if (score := score_of(gradebook, lesson, student))
    }


def _say_who_waits(plugin: ExportPlugin, scores: dict[tuple[str, str], Score], how: str) -> None:
    """A warning for each lesson in which written answers wait for their points."""
    waiting: dict[str, list[str]] = {}
    for (who, lesson), score in scores.items():
        if score.waiting:
            waiting.setdefault(lesson, []).append(who)
    for lesson, those in waiting.items():
        plugin.log.warning(
            "%s: written answers wait for their points, so scores are %s: %s", lesson, how, ", ".join(those)
        )


def score_of(gradebook: Gradebook, lesson: Assignment, student: Student) -> Score | None:
    """What a student has in a lesson; None where nothing was graded: not handed in is no 0."""
    try:
        submission: SubmittedAssignment = gradebook.find_submission(lesson.name, student.id)
    except MissingEntry:
        return None
    grades = [grade for notebook in submission.notebooks for grade in notebook.grades]
    if all(grade.auto_score is None and grade.manual_score is None for grade in grades):
        return None
    points = max(0.0, submission.score - (submission.late_submission_penalty or 0.0))
    return Score(points, any(waits(grade) for grade in grades))


def waits(grade: Grade) -> bool:
    """Whether a person still has to grade this. A check that was overruled has a score of its own."""
    return bool(grade.needs_manual_grade) and grade.auto_score is None


class Plain(_Export):
    """One row a student, one column a lesson."""

    def table(
        self, lessons: Sequence[Assignment], students: Sequence[Student], scores: dict[tuple[str, str], Score]
    ) -> list[list[str]]:
        """A header, the points possible, and the students."""
        header = ["student_id", "last_name", "first_name", "email", *(lesson.name for lesson in lessons)]
        possible = ["points possible", "", "", "", *(f"{lesson.max_score:g}" for lesson in lessons)]
        rows = (
            [one.id, *map(_as_text, (one.last_name, one.first_name, one.email)),
             *(self.shown(scores.get((one.id, lesson.name))) for lesson in lessons)]
            for one in students
        )  # fmt: skip
        return [header, possible, *rows]


def _as_text(value: str | None) -> str:
    """A name as a cell that no spreadsheet takes for a formula."""
    return f"'{value}" if value and value[0] in FORMULA + "\t\r" else value or ""


class _Returned(_Export):
    """Fills in the file that the school's gradebook exported."""

    roster = Unicode("", help="the file that the school's gradebook exported").tag(config=True)
    columns = Dict(help="of which lesson is which column, where names differ: {lesson: column}").tag(
        config=True
    )
    ids = List(Unicode(), help="the columns in which students' ids or e-mails are").tag(config=True)
    needed = ""  # a column without which it is another kind of file

    def table(
        self, lessons: Sequence[Assignment], students: Sequence[Student], scores: dict[tuple[str, str], Score]
    ) -> list[list[str]]:
        """The rows as they were, with the scores in their columns."""
        rows = read_table(self.roster)
        header = rows[0]
        ids = [header.index(name) for name in self.ids if name in header]
        if self.needed not in header or not ids:
            raise LookupError(
                f"{self.roster} has no column {self.needed!r}, or none of {', '.join(self.ids)}"
            )
        place = self._rows_of(students, rows, ids, {who for who, _ in scores})
        for lesson in lessons:
            at = self._column(lesson, rows)
            for (who, name), score in scores.items():
                if name == lesson.name and (self.shown(score) or not rows[place[who]][at]):
                    rows[place[who]][at] = self.shown(score)
        return rows

    def _rows_of(
        self, students: Sequence[Student], rows: list[list[str]], ids: list[int], needed: set[str]
    ) -> dict[str, int]:
        """The row of each student, by id or e-mail."""
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
                f"{self.roster} has no row, or more than one, for {', '.join(refused)}, by {by}"
            )
        return place

    def _column(self, lesson: Assignment, rows: list[list[str]]) -> int:
        """Where a lesson's points go; a new column at the end where there is none."""
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
            return at[0]
        for row in rows:
            row.append("")
        rows[0][-1] = lesson.name
        self.new_column(lesson, rows)
        return len(rows[0]) - 1

    def plain_name(self, column: str) -> str:
        """A column's name without what the school's gradebook adds to it."""
        return column

    def new_column(self, lesson: Assignment, rows: list[list[str]]) -> None:
        """What a new column needs beside its name."""


def _called(student: Student) -> str:
    parts = (student.first_name, student.last_name, student.email)
    name = " ".join(part for part in parts if part)
    return f"{student.id} ({name})" if name else str(student.id)


class Canvas(_Returned):
    """For *Import* in Canvas's gradebook: what *Export* gave, with the lessons' points.

    A column is found by its name, with or without the number that Canvas adds, `01_attention (4711)`. Where
    there is none, Canvas asks what the new one is when the file is imported.
    """

    needed = "Student"

    def _ids_default(self) -> list[str]:
        return ["SIS Login ID", "SIS User ID", "ID"]

    def plain_name(self, column: str) -> str:
        """Without the assignment's number."""
        return re.sub(r" \(\d+\)$", "", column)

    def new_column(self, lesson: Assignment, rows: list[list[str]]) -> None:
        """Its points possible, which stand in a row of their own."""
        for row in rows[1:]:
            if row[0].strip() == "Points Possible":
                row[-1] = f"{lesson.max_score:g}"
                return
        raise LookupError(f"{self.roster} has no row 'Points Possible', so it isn't Canvas's export")


class Moodle(_Returned):
    """For *Import* in Moodle's gradebook: an export of grades, or the list of participants, with the points.

    Moodle asks on import which column is which.
    """

    needed = "Email address"

    def _ids_default(self) -> list[str]:
        return ["Email address", "ID number", "Username"]

    def plain_name(self, column: str) -> str:
        """Without the kind of activity before it and the kind of grade after it."""
        return re.sub(r" \((Real|Percentage|Letter)\)$", "", column).partition(":")[2].strip() or column


def read_table(path: str) -> list[list[str]]:
    """A CSV file as a school's gradebook exports it, all rows as long as the first.

    Raises:
        LookupError: no file is named, or it has no rows.
        OSError: it can't be read.
        UnicodeDecodeError: it isn't UTF-8.
    """
    if not path:
        raise LookupError("which file did the school's gradebook export? Name it with `roster`")
    text = Path(path).read_text(encoding="utf-8-sig")
    first = text.partition("\n")[0]
    separator = max(",;\t", key=first.count)  # Moodle offers all three
    rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator) if any(row)]
    if not rows:
        raise LookupError(f"{path} is empty")
    width = len(rows[0])
    return [[*row, *[""] * (width - len(row))][:width] for row in rows]
