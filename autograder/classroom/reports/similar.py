"""`headstart similar`: pairs of submissions that are alike, as a table and a page with both sides."""

from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbgrader.coursedir import CourseDirectory
from rich.console import Console
from rich.table import Table
from rich.text import Text
from traitlets.config import Config

from autograder import lessons
from autograder.answers import code
from autograder.classroom.course import find_submissions
from autograder.classroom.engine import load_lesson
from autograder.classroom.groups import mates
from autograder.classroom.likeness import LEAST, Pair, Place, Texts, pairs
from autograder.classroom.reports.rendering import render
from autograder.exercise import Exercise
from autograder.grading.foreign import merge_foreign
from autograder.grading.handed_in import Submission
from autograder.grading.lesson import Lesson
from autograder.grading.submission import canonical
from helpers.storage import write_whole

SHOWN = 50  # pairs on the page
ADDED = "cells of their own"
WARNING = (
    "This page shows what is alike, not who wrote it. It can't know who had it first, whether the two "
    "were allowed to work together, whether both used the same book or program, or whether a short answer "
    "can hardly be written differently. A good paraphrase goes unnoticed. Read both sides, then talk to both."
)


def similar(name: str, course: CourseDirectory, config: Config) -> int:
    """Compare a lesson's submissions, print the most similar pairs, and write the page. Returns 0."""
    console = Console()
    lesson = load_lesson(name, course, config)
    # What a group handed in together, its first member stands for.
    rest = {student for group in mates(course, name) for student in group[1:]}
    submissions = [one for one in find_submissions(course, name, []) if one.student not in rest]
    handed_in = {one.student: _answers(one, lesson) for one in submissions}
    solved = [
        (name, nbformat.read(lesson.folder / f"{name}.ipynb", as_version=4)) for name in lesson.skeletons
    ]
    found = pairs(handed_in, {place: list(_forced(lesson, solved, place)) for place in _places(lesson)})
    path = Path(course.root, "reports", f"{name}_similar.html")
    write_whole(path, page(name, found, len(handed_in)).encode())
    if found:
        console.print(_table(found[:10]))
    console.print(
        f"{_counted(len(found), len(handed_in))}; both sides are in {path}. {WARNING}",
        soft_wrap=True,
    )
    return 0


def _counted(found: int, submissions: int) -> str:
    """How many of all pairs are alike, in words."""
    all_pairs = submissions * (submissions - 1) // 2
    return f"{submissions} submissions; {found} of {all_pairs:,} pairs share something that few others have"


def _answers(submission: Submission, lesson: Lesson) -> Texts:
    """What a student wrote: by place, the text, and whether it is code."""
    found: dict[str, tuple[str, bool]] = {}
    for name, skeleton in lesson.skeletons.items():
        only = "" if len(lesson.skeletons) == 1 and name == submission.lesson else name
        merge = merge_foreign if lesson.foreign else None
        form = canonical(submission, skeleton, only, merge=merge, ignore=lesson.ignore)
        if form.problem:
            continue
        given = {cell.id: cell.source.strip() for cell in skeleton.cells}
        for cell in form.notebook.cells:
            if cell.source.strip() and cell.source.strip() != given.get(cell.id):
                place = f"{name} · {_label(cell)}" if len(lesson.skeletons) > 1 else _label(cell)
                before, code = found.get(place, ("", cell.cell_type == "code"))
                found[place] = (f"{before}\n\n{cell.source}" if before else cell.source, code)
    return found


def _label(cell: NotebookNode) -> str:
    """A cell's place: its exercise or its id in nbgrader, or that it is the student's own."""
    flags = cell.metadata.get("nbgrader", {})
    place = lessons.exercise_of(cell) or flags.get("grade_id", "")
    return place or f"{ADDED}, {'code' if cell.cell_type == 'code' else 'text'}"


def _places(lesson: Lesson) -> set[str]:
    several = len(lesson.skeletons) > 1
    return {
        f"{name} · {_label(cell)}" if several else _label(cell)
        for name, skeleton in lesson.skeletons.items()
        for cell in skeleton.cells
    }


def _forced(lesson: Lesson, solved: list[tuple[str, NotebookNode]], place: str) -> Iterator[tuple[str, bool]]:
    """What a place holds without the student's doing: the cell handed out, and the course's right answers."""
    for name, notebook in [*lesson.skeletons.items(), *solved]:
        for cell in notebook.cells:
            if place in (_label(cell), f"{name} · {_label(cell)}"):
                yield cell.source, cell.cell_type == "code"
    if exercise := lesson.exercises.get(place):
        for answer in (exercise.reference, *exercise.alternatives, *_mistakes(exercise)):
            if callable(answer):
                yield code(answer), True


def _mistakes(exercise: Exercise) -> Iterator[object]:
    """Mistakes that many make are nobody's own either."""
    yield from (each.variant for each in exercise.misconceptions)


def _table(found: list[Pair]) -> Table:
    table = Table("Students", "In", title="Most alike", title_justify="left")
    for name in ("weight", "of the first's own", "of the second's"):
        table.add_column(name, justify="right")
    for pair in found:
        names = Text(" and ".join(pair.students))
        where = Text(", ".join(place.name for place in pair.places[:3]) + ", …" * (len(pair.places) > 3))
        table.add_row(names, where, f"{pair.weight:.0f}", *(f"{share:.0%}" for share in pair.shares))
    return table


def page(lesson: str, found: list[Pair], submissions: int) -> str:
    """The page of a lesson: the pairs in a table, then both sides of each."""
    return render(
        "similar",
        heading=f"{lesson}: what is alike",
        counted=_counted(len(found), submissions),
        warning=WARNING,
        least=LEAST,
        pairs=found[:SHOWN],
        parts=_parts,
    )


def _parts(place: Place, side: int) -> Iterator[tuple[str, bool]]:
    """One side's text in parts, each with whether it is shared."""
    text, at = place.texts[side], 0
    for start, end in place.shared[side]:
        yield text[at:start], False
        yield text[start:end], True
        at = end
    yield text[at:], False
