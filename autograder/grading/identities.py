"""Which cell of the lesson each of a student's cells is.

A cell is known by its grade id, its cell id or its text. Some programs keep none of these of an answer: they
drop ids and metadata, and the text is the student's. Such an answer is known by the names that it gives, or
by the cells before and after it.
"""

import re
from collections.abc import Callable

from nbformat import NotebookNode

from autograder.grading.shown import as_given

# At the beginning of a line: `def softmax(`, `class Block:`, `slip_line =`, `predict("attention.order"`.
GIVEN = re.compile(
    r"^(?:(?:async[ \t]+)?def|class)[ \t]+(\w+)|^(\w+)[ \t]*=(?!=)|^(predict\([ \t]*[\"'][\w.]+)", re.M
)


def part(node: dict, key: str) -> dict:
    """A dict inside one that a student wrote; empty where there is something else."""
    found = node.get(key)
    return found if isinstance(found, dict) else {}


def grade_id_of(cell: dict) -> str:
    """The name that nbgrader knows a student's cell by; "" for none."""
    name = part(part(cell, "metadata"), "nbgrader").get("grade_id")
    return name if isinstance(name, str) else ""


def is_answer(cell: NotebookNode) -> bool:
    """Whether the text of this cell of a skeleton is the student's."""
    return bool(cell.metadata.get("nbgrader", {}).get("solution"))


def identified(skeleton: NotebookNode, theirs: list[dict]) -> list[str]:
    """The id of the skeleton's cell that each of theirs is, each id once; "" for a cell of their own.

    Of several copies of an answer, the first that is written is meant.
    """
    known = list(map(_by_itself(skeleton), theirs))
    given = {cell.id: ("", as_given(cell.source).strip()) for cell in skeleton.cells if is_answer(cell)}
    meant: dict[str, int] = {}
    for number, id in enumerate(known):
        blank = [
            theirs[each]["source"].strip() in given.get(id, ()) for each in (meant.get(id, number), number)
        ]
        if id and (id not in meant or blank == [True, False]):
            meant[id] = number
    # defence: handed in: each cell once
    found = [id if meant.get(id) == number else "" for number, id in enumerate(known)]
    if lost := [
        place for place, cell in enumerate(skeleton.cells) if cell.id in given and cell.id not in meant
    ]:
        _find(lost, skeleton.cells, theirs, known, found)
    return found


def _by_itself(skeleton: NotebookNode) -> Callable[[dict], str]:
    """A function that says which cell of the skeleton a student's cell is: by grade id, cell id or text."""
    ids = {cell.id for cell in skeleton.cells}
    grades = {
        cell.metadata.nbgrader.grade_id: cell.id for cell in skeleton.cells if "nbgrader" in cell.metadata
    }
    texts = {as_given(cell.source).strip(): cell.id for cell in skeleton.cells}

    def identify(cell: dict) -> str:
        if known := grades.get(grade_id_of(cell)):
            return known
        cell_id = cell.get("id")
        if isinstance(cell_id, str) and cell_id in ids:
            return cell_id
        return texts.get(cell["source"].replace("\r\n", "\n").strip(), "")

    return identify


def _find(
    lost: list[int], cells: list[NotebookNode], theirs: list[dict], known: list[str], found: list[str]
) -> None:
    """Put into `found` the ids of answers, by their places in the lesson, that no cell says it is."""
    ids = ["", *(cell.id for cell in cells), ""]
    around = ["", *known, ""]
    own = {
        number: _names(cell["source"])
        for number, cell in enumerate(theirs)
        if not known[number] and cell["source"].strip()
    }
    for place in lost:
        names = _names(cells[place].source)
        for number, theirs_names in own.items():
            between = around[number : number + 3] == [ids[place], "", ids[place + 2]]
            same_type = theirs[number].get("cell_type") == cells[place].cell_type
            if same_type and (names & theirs_names if names else between):
                found[number] = cells[place].id
                del own[number]
                break


def _names(source: str) -> set[str]:
    return {name.replace("'", '"') for match in GIVEN.findall(source) for name in match if name}
