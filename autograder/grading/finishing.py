"""A graded notebook for those who read it as a page: with outputs, verdicts and remarks, all cleaned."""

from collections.abc import Mapping
from types import MappingProxyType

import nbformat
from nbformat import NotebookNode

from autograder.grading.clean import clean_code, clean_words, leave_out
from autograder.grading.identities import is_answer
from autograder.grading.lesson import exercise_id
from autograder.grading.pictures import Attachments
from autograder.limits import MAX_ADDED


def finish(
    notebook: NotebookNode,
    name: str,
    foreign: bool,
    outputs: dict,
    verdicts: dict,
    remarks: list[str],
    pictures: Mapping[str, Attachments] = MappingProxyType({}),
) -> NotebookNode:
    """Write outputs, verdicts and remarks into a notebook, cleaned."""
    number, room = 0, MAX_ADDED
    for cell in notebook.cells:
        if cell.cell_type == "code" and cell.id in outputs:
            number += 1
            cell.execution_count = number
            cell.outputs = [nbformat.from_dict(output) for output in outputs[cell.id]]
        added = cell.metadata.get("headstart", {}).get("added")
        room -= len(cell.source) if added else 0
        # defence: clean: added cells without end
        if added and room < 0:
            leave_out(cell)
        if added or is_answer(cell):
            # defence: files: what a student wrote is cleaned
            (clean_words if cell.cell_type == "markdown" else clean_code)(cell)
        if cell.id in pictures:
            cell.attachments = pictures[cell.id]
        if added and cell.cell_type == "markdown":  # or it could look like a remark of ours
            cell.source = f"*A cell that the student added:*\n\n{cell.source}"
        if verdict := verdicts.get(exercise_id(cell, name, foreign)):
            data = {"text/plain": verdict.message, "text/html": verdict.html}
            shown = nbformat.from_dict({"output_type": "display_data", "data": data, "metadata": {}})
            cell.outputs = [*cell.outputs, shown] if foreign else [shown]
    if remarks:
        remarks = [" ".join(remark.split()) for remark in remarks]  # a file's name may have lines in it
        text = "**About this submission**\n\n" + "\n".join(f"- {line}" for line in remarks)
        ours = {"headstart": {"remarks": True}}
        notebook.cells.insert(0, nbformat.v4.new_markdown_cell(text, id="grading-remarks", metadata=ours))
        clean_words(notebook.cells[0])  # names of files and first lines of cells are in it
    return notebook
