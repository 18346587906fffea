"""What a student handed in -> a notebook in canonical form.

The lesson's own notebook is the skeleton: its cells, order, ids and flags stand, whatever happened to them in
the submission. From the student come the texts of the answer cells, the cells they added, kept where they
were, and the files they handed in beside the notebook. Outputs are dropped: the grader makes its own.
"""

import functools
import itertools
import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from autograder import lessons
from autograder.grading.edits import what_changed
from autograder.grading.handed_in import OURS, Submission, handed_in
from autograder.grading.identities import identified, is_answer, part
from autograder.grading.in_its_zip import files_with
from autograder.grading.pictures import Attachments, attached
from autograder.grading.reading import Unreadable, parse
from autograder.grading.shown import as_given, lifted
from autograder.grading.which_notebook import choose
from autograder.limits import (
    LARGE_NOTEBOOK,
    MAX_ANSWER,
    MAX_CELLS,
    MAX_NOTEBOOK_TEXT,
    MAX_NOTES,
)
from helpers.figures.predicting import PREDICTED
from helpers.storage import printable

SKIPPED = "skip-execution"  # Jupyter's tag of a cell that isn't run, by nbgrader neither
LETTER = re.compile("[a-d]")


@dataclass
class Canonical:
    """A submission, ready to run.

    Attributes:
        notebook: the skeleton with the student's answers and added cells in it.
        files: other files of theirs by relative path.
        records: what nbgrader wrote beside the notebook when it was handed in: its time and its secret name.
        notes: what was put right, for the instructor.
        problem: why nothing of it can be graded; empty if it can.
        digest: of all that was handed in.
        pictures: what came attached to written answers, by cell id. Nobody has looked at it yet.
    """

    notebook: NotebookNode
    files: dict[str, bytes] = field(default_factory=dict)
    records: dict[str, bytes] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    problem: str = ""
    digest: str = ""
    pictures: dict[str, Attachments] = field(default_factory=dict)


def canonical(
    submission: Submission,
    skeleton: NotebookNode,
    name: str = "",
    *,
    merge: Callable | None = None,
    ignore: tuple[str, ...] = OURS,
) -> Canonical:
    """Bring a submission into canonical form. Never raises on what a student can hand in.

    Args:
        submission: where it lies.
        skeleton: the lesson's notebook.
        name: of the notebook, where a lesson has several. Otherwise the only one there is is taken for it.
        merge: puts the student's cells into the skeleton; that of our own lessons where none is given.
        ignore: names of files and folders, as patterns, that count for nothing.
    """
    found = handed_in(submission, name, ignore=ignore)
    result = Canonical(
        _copied(skeleton),
        records=found.records,
        problem=found.problem,
        digest=found.digest,
    )
    if not found.problem:
        try:
            wanted = f"{name or submission.lesson}.ipynb"
            chosen, result.notes = choose(found.notebooks, wanted, functools.partial(_written, skeleton))
            raw = parse(chosen.content)
            if (size := len(chosen.content)) > LARGE_NOTEBOOK:
                result.notes.append(f"the notebook file is {size >> 20} MiB; its outputs were dropped")
            (merge or _merge)(result, raw, submission.lesson)
            result.files, left_out = files_with(chosen, found, ignore)
            result.notes += left_out
            result.problem = found.unread
        except Unreadable as error:
            result.problem = printable(str(error))
    if (more := len(result.notes) - MAX_NOTES) > 0:
        # defence: handed in: remarks
        result.notes[MAX_NOTES:] = [f"and {more} more remarks"]
    return result


def _copied(notebook: NotebookNode) -> NotebookNode:
    """The notebook with cells that may be changed. Their metadata is everybody's."""
    copied = _shallow(notebook)
    copied.cells = [_shallow(cell) for cell in notebook.cells]
    return copied


def _shallow(node: NotebookNode) -> NotebookNode:
    """What copy.copy gives, for a class that takes copy.copy a hundred steps."""
    copied = NotebookNode()
    dict.update(copied, node)
    return copied


def _written(skeleton: NotebookNode, content: bytes) -> int:
    """How many answers a notebook holds that aren't as they were given out; 0 if it can't be read."""
    released = {cell.id: as_given(cell.source).strip() for cell in skeleton.cells if is_answer(cell)}
    try:
        theirs = their_cells(parse(content))
    except Unreadable:
        return 0
    pairs = zip(identified(skeleton, theirs), theirs, strict=True)
    texts = [(id, cell["source"].strip()) for id, cell in pairs]
    return len({id for id, source in texts if source and released.get(id, source) != source})


def their_cells(raw: dict) -> list[dict]:
    """The cells of a notebook as handed in, each source as one text, and pictures in text as attachments.

    Raises:
        Unreadable: there are more, or larger ones, than anybody writes.
    """
    theirs = [cell for cell in raw["cells"] if isinstance(cell, dict)]
    # defence: handed in: number of cells
    if len(theirs) > MAX_CELLS:
        raise Unreadable(f"the notebook has {len(theirs):,} cells; the limit is {MAX_CELLS:,}")
    theirs = list(map(_their_cell, theirs))
    # defence: handed in: length of cells
    if sum(len(cell["source"]) for cell in theirs) > MAX_NOTEBOOK_TEXT:
        raise Unreadable(f"the notebook's cells hold over {MAX_NOTEBOOK_TEXT >> 20} MiB of text")
    return theirs


def _their_cell(cell: dict) -> dict:
    source = _text_of(cell)
    if cell.get("cell_type") == "code":
        return {**cell, "source": source}
    source, pictures = lifted(source)
    return {**cell, "source": source, **({"attachments": attached(cell) | pictures} if pictures else {})}


def _merge(result: Canonical, raw: dict, lesson: str) -> None:
    """Put the student's answers and added cells into the skeleton."""
    theirs = their_cells(raw)
    seen: dict[str, dict] = {}
    added: dict[str, list[dict]] = defaultdict(list)
    anchor = ""
    for known, cell in zip(identified(result.notebook, theirs), theirs, strict=True):
        if known:
            seen[known], anchor = cell, known
        elif cell["source"].strip():
            added[anchor].append(cell)
    _refuse_strangers(result.notebook, seen, raw, lesson)
    # defence: handed in: answers alone
    answers = [cell for cell in result.notebook.cells if is_answer(cell)]
    if lost := [cell for cell in answers if cell.id not in seen]:
        result.notes.append(f"missing answer cells, which count as not written: {len(lost)}")
    clicked = _clicked(theirs)
    for cell in answers:
        if cell.id in seen:
            cell.source = seen[cell.id]["source"]
            result.pictures[cell.id] = attached(seen[cell.id])
        if lessons.kind(cell) == "predict" and (letter := clicked.get(lessons.exercise_of(cell))):
            cell.source = cell.source.replace("...", f'"{letter}"', 1)
    # defence: handed in: length of an answer
    if long := [
        cell for cell in result.notebook.cells if len(seen.get(cell.id, {}).get("source", "")) > MAX_ANSWER
    ]:
        which = "an answer" if any(map(is_answer, long)) else "a cell of the lesson's"
        raise Unreadable(f"{which} has over {MAX_ANSWER:,} characters")
    # defence: alike: changes in the course's cells
    _graft(result, seen, added)
    _insert(result, added)


def _clicked(theirs: list[dict]) -> dict[str, str]:
    """The letters of the buttons that a student clicked, by prediction: their outputs say so."""
    found: dict[str, str] = {}
    for cell in theirs:
        outputs = cell.get("outputs")
        for output in outputs if isinstance(outputs, list) else ():
            if isinstance(output, dict):
                found |= part(part(output, "metadata"), PREDICTED)
    known = found.items()
    return {id: letter for id, letter in known if isinstance(letter, str) and LETTER.fullmatch(letter)}


def _graft(result: Canonical, seen: dict[str, dict], added: dict[str, list[dict]]) -> None:
    """Keep what a student wrote into the course's own code cells, as a cell of theirs right after it."""
    given = [cell for cell in result.notebook.cells if cell.cell_type == "code" and not is_answer(cell)]
    edits = {
        cell.id: what_changed(cell.source, seen[cell.id]["source"], only_names=lessons.kind(cell) == "draw")
        for cell in given
        if cell.id in seen
    }
    edits = {id: source for id, source in edits.items() if source}
    for id, source in edits.items():
        added[id].insert(0, {"cell_type": "code", "source": source, "edited": True})
    if edits:
        where = "in the course's own code cells, each of which runs as a cell of the student's after it"
        result.notes.append(f"changes {where}: {len(edits)}")


def added_cell(cell: dict, id: str) -> NotebookNode:
    """A cell that the student added, or wrote into one of the course's.

    All but code becomes text: raw cells are raw HTML to nbconvert.
    """
    # defence: handed in: raw cells
    make = new_code_cell if cell.get("cell_type") == "code" else new_markdown_cell
    ours: dict[str, Any] = {
        "headstart": {"added": True, **({"edited": True} if cell.get("edited") is True else {})}
    }
    tags = part(cell, "metadata").get("tags")
    if isinstance(tags, list) and SKIPPED in tags:
        ours["tags"] = [SKIPPED]
    return make(cell["source"], id=id, metadata=ours)


def _refuse_strangers(skeleton: NotebookNode, seen: dict[str, dict], raw: dict, lesson: str) -> None:
    other = part(part(raw, "metadata"), "headstart").get("lesson")
    # By topic: a lesson may get another number while students have it open.
    if isinstance(other, str) and other and lessons.topic(other) != lessons.topic(lesson):
        raise Unreadable(f"this is the notebook of another lesson, {other[:60]!r}")
    if not any(is_answer(cell) and cell.id in seen for cell in skeleton.cells):
        raise Unreadable(
            "none of the lesson's answer cells is in the notebook: is it another lesson's, or empty?"
        )


def _insert(result: Canonical, added: dict[str, list[dict]]) -> None:
    numbers = itertools.count(1)

    def make(cell: dict) -> NotebookNode:
        new = added_cell(cell, f"added-{next(numbers)}")
        result.pictures[new.id] = attached(cell)
        return new

    cells = list(map(make, added.get("", [])))
    for cell in result.notebook.cells:
        cells += [cell, *map(make, added.get(cell.id, []))]
    result.notebook.cells = cells


def _text_of(cell: dict) -> str:
    """A cell's source, which may be a list of lines."""
    source = cell.get("source", "")
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    return printable(source) if isinstance(source, str) else ""
