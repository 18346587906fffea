"""Whose points a regrade changes, and who has to be told."""

import contextlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from rich.console import Group
from rich.table import Table
from rich.text import Text

from autograder.classroom.gradebook import Book
from autograder.exercise import Outline
from autograder.grading.handed_in import RECORDS, read_record, read_time
from autograder.lessons import counted, grade_id
from autograder.results import Graded, Paper, Verdict

AGAIN, UNSEEN, OLD, PERHAPS = (
    "no, they handed in again",
    "no, they have no feedback yet",
    "yes, their feedback is out of date",
    "yes, unless they handed in again",
)
FEW = 3  # students named of many who needn't be told


class Change(NamedTuple):
    """One student's points in one exercise, as they were recorded and as they are now."""

    student: str
    exercise: str
    before: str
    after: str
    tell: str


def changed(book: Book, graded: Graded, outlines: Mapping[str, Outline]) -> list[Change]:
    """The points that a result changes, or what they are out of. Call it before the result is recorded.

    Points that a person gave in place of a check's stay, and only their maximum can change. A first result is
    no change.

    Args:
        book: where results are recorded.
        graded: the new result.
        outlines: the lesson's exercises by id, for their titles.
    """
    before, after = book.known(graded.student), {verdict.exercise: verdict for verdict in graded.verdicts}
    if not before:
        return []
    pairs = {id: (before.get(id), after.get(id)) for id in {**after, **before}}
    were, are = _overruled(book, graded.student)
    said = {
        id: [
            _said(verdict, by_hand.get(grade_id(id.rpartition("/")[2])))
            for verdict, by_hand in zip(pair, (were, are), strict=True)
        ]
        for id, pair in pairs.items()
    }
    differ = {id: pair for id, pair in said.items() if pair[0] != pair[1]}
    if not differ:
        return []
    tell = _tell(book, graded)
    return [
        Change(graded.student, outlines[id].title if id in outlines else id, old, new, tell)
        for id, (old, new) in differ.items()
    ]


def changed_by_hand(book: Book) -> list[Change]:
    """What becomes of points for written answers whose maximum has changed since a lesson was graded."""
    of = [each for each in book.repointed if not each.checked]
    if not of:
        return []
    from autograder.classroom.marking.questions import asked  # imports Jupyter's server

    titles = {(each.notebook, each.cell): each.title for each in asked(book.course, book.lesson)}
    return [
        Change(
            each.entry.student,
            titles.get((each.notebook, each.cell), each.cell),
            f"{each.score:g} of {each.most:g}",
            f"{each.stays or 0:g} of {each.now:g}" + ", waits" * (each.stays not in (each.score, None)),
            OLD if _pages(book, each.entry.student) else UNSEEN,
        )
        for each in of
    ]


def _overruled(book: Book, student: str) -> tuple[dict[str, float], dict[str, float]]:
    """By cell, the points that a person gave in place of a check's: before and after a new maximum."""
    given = [each for each in book.repointed if each.entry.student == student]
    others = {
        cell: score for cell, score in book.overruled(student).items() if cell not in {g.cell for g in given}
    }
    were = {each.cell: each.score for each in given}
    stay = {each.cell: each.stays for each in given if each.stays is not None}
    return others | were, others | stay


def _said(verdict: Verdict | None, by_hand: float | None) -> str:
    if verdict is None:
        return "–"
    return f"{verdict.points if by_hand is None else by_hand:g} of {verdict.max_points:g}"


def _tell(book: Book, graded: Graded) -> str:
    """Whether to tell a student: if they read other points for what they have handed in.

    The time beside their feedback page, or else beside what was graded last, says which submission that was;
    when the page was made says less, since clocks are set back. Where no times are known, other answers may
    be another submission, or the same one that the grader reads otherwise today.
    """
    pages = _pages(book, graded.student)
    folders = [*{page.parent for page in pages}, book.path(graded.student).parent]
    times = [read_time(read_record(folder / RECORDS[0])) for folder in folders]
    before, now = next(filter(None, times), None), read_time(graded.files.get(RECORDS[0], b""))
    if before and now:
        return AGAIN if before != now else OLD if pages else UNSEEN
    if not pages:
        return UNSEEN
    return PERHAPS if any(_differs(book, graded.student, paper) for paper in graded.papers) else OLD


def _differs(book: Book, student: str, paper: Paper) -> bool:
    """Whether the notebook that was graded last is there and has other answers of the student's."""
    with contextlib.suppress(OSError, ValueError):
        last = book.path(student, paper.name).read_text(encoding="utf-8")
        return [*_answers(last)] != [*_answers(paper.notebook)]
    return False


def _pages(book: Book, student: str) -> list[Path]:
    """A student's feedback pages."""
    folder = book.course.format_path(book.course.feedback_directory, student, book.lesson)
    return [*Path(folder).glob("*.html")]


def _answers(notebook: str) -> Iterator[str]:
    """What is the student's in an autograded notebook."""
    for cell in json.loads(notebook)["cells"]:
        marks = cell["metadata"]
        if marks.get("nbgrader", {}).get("solution") or marks.get("headstart", {}).get("added"):
            yield "".join(cell["source"])  # nbformat writes a list of lines


def lines(changes: Iterable[Change]) -> list[str]:
    """A line for each change of those who didn't hand in again, for where no table can be shown."""
    return [
        f"{each.student}: {each.exercise}, {each.before} before, {each.after} now (tell them: {each.tell})"
        for each in sorted(changes)
        if each.tell != AGAIN
    ]


def shown(changes: Iterable[Change], lesson: str) -> Group:
    """All changes as a table, and what to do about them.

    Whoever has to be told has a row; those who needn't be share one where the same has changed for them.
    """
    changes = sorted(changes)
    table = Table(title="Points that changed", title_justify="left")
    for name in ("Student", "Exercise", "before", "after", "Tell them?"):
        table.add_column(name, justify="right" if name in ("before", "after") else "left")
    alike: dict[tuple[str, ...], list[str]] = {}
    for student, *rest in changes:
        alone = rest[-1] in (OLD, PERHAPS)
        alike.setdefault((student * alone, *rest), []).append(student)
    for (_, *rest), students in alike.items():
        more = f" and {len(students) - FEW} more" if len(students) > FEW else ""
        table.add_row(*map(Text, (", ".join(students[:FEW]) + more, *rest)))
    told = len({change.student for change in changes if change.tell in (OLD, PERHAPS)})
    cure = f"`nbgrader generate_feedback {lesson} --force`, then `nbgrader release_feedback {lesson}`"
    line = f"{counted(told, 'student')} to tell. New feedback: {cure}."
    return Group(table, *[Text(line)] * bool(told))
