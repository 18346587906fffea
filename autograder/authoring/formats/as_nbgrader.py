"""An exercise as a notebook of plain nbgrader: the answer's cell, and asserts in a cell that has points."""

import nbformat
from nbformat import NotebookNode, v4

from autograder.authoring.formats.core import Core
from autograder.lessons import grade_id


def as_nbgrader(core: Core) -> dict[str, bytes]:
    """The source notebook of an exercise, by its name, from which `nbgrader generate_assignment` releases."""
    shown, hidden = ("\n".join(c.code for c in core.calls if c.hidden is each) for each in (False, True))
    tests = f"answer = {core.name}\n{shown}"
    if hidden:
        tests += f"\n### BEGIN HIDDEN TESTS\n{hidden}\n### END HIDDEN TESTS"
    name = grade_id(core.exercise.id)
    cells = [
        v4.new_markdown_cell(f"## {core.head}"),
        *([_cell(core.above, f"{name}-given", locked=True)] if core.above else []),
        _cell(core.stub, f"{name}-answer", solution=True),
        _cell(core.code, f"{name}-compares", locked=True),
        _cell(tests, name, locked=True, grade=True, points=core.exercise.points),
    ]
    notebook = v4.new_notebook(
        cells=cells, metadata={"kernelspec": {"display_name": "Python 3", "name": "python3"}}
    )
    for number, cell in enumerate(cells):
        cell.id = f"{name}-{number}"
    nbformat.validate(notebook)
    return {f"{core.stem}.ipynb": nbformat.writes(notebook).encode()}


def _cell(source: str, name: str, **said: object) -> NotebookNode:
    facts = {"grade": False, "locked": False, "solution": False, "task": False, "schema_version": 3}
    return v4.new_code_cell(
        source.strip(), metadata={"nbgrader": facts | {"grade_id": name, "cell_type": "code"} | said}
    )
