"""`headstart similar`: pairs of submissions that are alike, as a table and a page with both sides."""

import html
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
from autograder.classroom.likeness import LEAST, Pair, Place, Texts, pairs
from autograder.commands.report_page import STYLE
from autograder.exercise import Exercise
from autograder.grading.lesson import Lesson
from autograder.grading.plain import merge_plain
from autograder.grading.submission import Submission, canonical
from helpers.storage import write_whole

SHOWN = 50  # pairs on the page
ADDED = "cells of their own"
MORE_STYLE = """
body { max-width: 90rem } caption { text-align: left }
.sides { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #8882; padding: .6rem; margin: .3rem 0 }
mark { background: #ffe08a; color: black; border-bottom: 2px solid #b07a00 } @media (max-width: 50rem) {
.sides { grid-template-columns: 1fr } } summary { padding: .4rem 0; font-weight: 600 }
"""
WARNING = (
    "This page shows what is alike, not who wrote it. It can't know who had it first, whether two worked "
    "together as they may, whether both took it from one book or one program, or whether a short answer can "
    "hardly be written otherwise. It overlooks what was rewritten well. Read both sides, then talk to both."
)


def similar(name: str, course: CourseDirectory, config: Config) -> int:
    """Compare a lesson's submissions, print the most similar pairs, and write the page. Returns 0."""
    console = Console()
    lesson = Lesson.load(name, Path(course.root), config)
    handed_in = {one.student: _answers(one, lesson) for one in find_submissions(course, name, [])}
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
    return f"{submissions} submissions; {found} of {all_pairs:,} pairs share what few others have"


def _answers(submission: Submission, lesson: Lesson) -> Texts:
    """What a student wrote: by place, the text, and whether it is code."""
    found: dict[str, tuple[str, bool]] = {}
    for name, skeleton in lesson.skeletons.items():
        only = "" if len(lesson.skeletons) == 1 and name == submission.lesson else name
        merge = merge_plain if lesson.plain else None
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
    """What stands in a place without anybody's doing: the cell handed out, and the course's right answers."""
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
    parts = [
        f"<h1>{html.escape(lesson)}: what is alike</h1>",
        f"<p>{_counted(len(found), submissions)}.</p>",
        f"<p><strong>{WARNING}</strong></p>",
        "<p>Compared are answers, place by place: pieces of code without names, strings and comments, and "
        "what is written in words. Pieces that were handed out, those of the course's own answers and of "
        "mistakes that it knows, and those that many have, don't count. A piece that only two have counts 1, "
        f"one that n have 1 / (n − 1). Pairs with less than {LEAST:g} aren't shown.</p>",
    ]
    if found:
        parts.append(_overview(found[:SHOWN]))
        parts += [_sides(number, pair) for number, pair in enumerate(found[:SHOWN])]
    head = f'<meta charset="utf-8"><title>{html.escape(lesson)}: what is alike</title>'
    style = f"<style>{STYLE}{MORE_STYLE}</style>"
    body = f"<body><main>{''.join(parts)}</main></body>"
    return f'<!doctype html><html lang="en"><head>{head}{style}</head>{body}</html>'


def _overview(found: list[Pair]) -> str:
    rows = []
    for number, pair in enumerate(found):
        names = " and ".join(html.escape(student) for student in pair.students)
        where = ", ".join(html.escape(place.name) for place in pair.places)
        shares = "".join(f'<td class="number">{share:.0%}</td>' for share in pair.shares)
        link = f'<a href="#pair-{number}">{names}</a>'
        rows.append(
            f'<tr><td>{link}</td><td class="number">{pair.weight:.0f}</td>{shares}<td>{where}</td></tr>'
        )
    head = "".join(
        f'<th scope="col">{name}</th>'
        for name in ("Students", "Weight", "Of the first's own", "Of the second's own", "Where")
    )
    caption = "<caption>The pairs, those with most weight first</caption>"
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _sides(number: int, pair: Pair) -> str:
    first, second = (html.escape(student) for student in pair.students)
    places = "".join(
        f"<h2>{html.escape(place.name)}</h2><div class='sides'>"
        f"<div><h3>{first}</h3>{_side(place, 0)}</div><div><h3>{second}</h3>{_side(place, 1)}</div></div>"
        for place in pair.places
    )
    is_open = " open" if number == 0 else ""
    title = f"{first} and {second}, weight {pair.weight:.0f}"
    return f'<details id="pair-{number}"{is_open}><summary>{title}</summary>{places}</details>'


def _side(place: Place, side: int) -> str:
    """One side's text, with what is shared marked."""
    text, parts, at = place.texts[side], [], 0
    for start, end in place.shared[side]:
        parts += [html.escape(text[at:start]), f"<mark>{html.escape(text[start:end])}</mark>"]
        at = end
    return f"<pre>{''.join(parts)}{html.escape(text[at:])}</pre>"
