"""The canonical form of an assignment that isn't ours: the student's notebook, nbgrader's cells restored.

As in nbgrader's autograde, the student's cells stand in the student's order. Each that nbgrader knows by its
grade id gets the type, flags and points of the source, and the source's text if it is locked. Missing cells
are put back.
"""

from nbformat import NotebookNode

from autograder.grading.identities import grade_id_of, is_answer
from autograder.grading.pictures import attached
from autograder.grading.shown import as_given
from autograder.grading.submission import Canonical, added_cell, their_cells


def merge_foreign(result: Canonical, raw: dict, lesson: str) -> None:
    """Make the notebook of `result`, a skeleton so far, of the student's cells."""
    labelled = {
        cell.metadata.nbgrader.grade_id: cell for cell in result.notebook.cells if "nbgrader" in cell.metadata
    }
    prose = {
        as_given(cell.source): cell
        for cell in result.notebook.cells
        if cell.cell_type == "markdown" and "nbgrader" not in cell.metadata
    }
    cells: list[NotebookNode] = []
    written = their_cells(raw)
    last = {grade_id_of(theirs): number for number, theirs in enumerate(written)}  # as nbgrader takes it
    for number, theirs in enumerate(written):
        name = grade_id_of(theirs)
        if name in labelled and number == last[name]:
            cells.append(_put_right(labelled[name], theirs))
        elif theirs.get("cell_type") == "markdown" and theirs["source"] in prose:
            cells.append(prose.pop(theirs["source"]))
        elif theirs["source"].strip():
            cells.append(added_cell(theirs, f"theirs-{number}"))
        else:
            continue
        result.pictures[cells[-1].id] = attached(theirs)
    missing = [name for name in labelled if name not in last]
    for name in missing:
        cells.insert(_after_its_neighbour(name, labelled, cells), labelled[name])
    if missing:
        result.notes.append(f"missing cells that were put back: {', '.join(missing)}")
    result.notebook.cells = cells


def _put_right(ours: NotebookNode, theirs: dict) -> NotebookNode:
    if is_answer(ours):
        ours.source = theirs["source"]
    return ours


def _after_its_neighbour(name: str, labelled: dict[str, NotebookNode], cells: list[NotebookNode]) -> int:
    """Where a missing cell goes: behind the last one before it that there is."""
    order = list(labelled)
    for before in reversed(order[: order.index(name)]):
        for place, cell in enumerate(cells):
            if cell.metadata.get("nbgrader", {}).get("grade_id") == before:
                return place + 1
    return 0
