"""A source notebook of nbgrader, read: which cells are solutions, which test them. Nothing runs here."""

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from IPython.core.inputtransformer2 import TransformerManager

from autograder.authoring.review import BEGIN, END, UNUSED_MARKS

ASSERTS = re.compile(
    r"^\s*(assert\b|\w*\.?assert_\w+\()|\bassert(?:Equal|True|Raises)\w*\(|pytest\.raises", re.MULTILINE
)
MARK = re.compile(rf"^[ \t]*#+ *({'|'.join((BEGIN, END, *UNUSED_MARKS))}|END HIDDEN TESTS|END MARK SCHEME)")


@dataclass(frozen=True)
class Part:
    """A cell.

    Attributes:
        number: of the cell, from 1 on, as JupyterLab counts cells and not executions.
        kind: "prose", "written", "given", "solution" or "test".
        source: its text.
        points: that nbgrader gives for it.
        code: its code, with IPython's own lines as Python; "" if it has none that can be read.
    """

    number: int
    kind: str
    source: str
    points: float = 0
    code: str = ""

    @property
    def definitions(self) -> list[ast.FunctionDef]:
        """The functions that it defines at its top."""
        return [node for node in ast.parse(self.code).body if isinstance(node, ast.FunctionDef)]


@dataclass(frozen=True)
class Lost:
    """What isn't taken over: of which cell, and why."""

    number: int
    text: str


@dataclass
class Source:
    """A notebook: its parts, and what of it can't be taken over."""

    name: str
    parts: list[Part]
    lost: list[Lost] = field(default_factory=list)

    def of(self, *kinds: str) -> Iterator[Part]:
        """The parts of some kinds, in order."""
        return (part for part in self.parts if part.kind in kinds)


def read(path: Path) -> Source:
    """Read a notebook.

    Raises:
        LookupError: it is no notebook, or has no solution.
    """
    try:
        cells = nbformat.read(path, as_version=4).cells
    except FileNotFoundError:
        raise LookupError(f"there is no {path}") from None
    except Exception as error:
        raise LookupError(f"{path} is no notebook that can be read: {error}") from None
    marked = any("nbgrader" in cell.metadata for cell in cells)
    source = Source(path.stem, [_part(number, cell, marked) for number, cell in enumerate(cells, 1)])
    if not any(source.of("solution")):
        raise LookupError(
            f"{path} has no solution: no cell with `### {BEGIN}`, and none that nbgrader calls one"
        )
    source.lost += [lost for part in source.parts for lost in _lost(part)]
    return source


def _part(number: int, cell: nbformat.NotebookNode, marked: bool) -> Part:
    said = cell.metadata.get("nbgrader", {})
    text, points = cell.source, float(said.get("points", 0) or 0)
    solution = bool(said.get("solution")) or BEGIN in text
    if cell.cell_type != "code":
        return Part(number, "written" if solution or said.get("task") else "prose", text, points)
    code = parsed(text)
    tests = said.get("grade") and not solution if marked else bool(ASSERTS.search(text)) and not solution
    return Part(number, "solution" if solution else "test" if tests else "given", text, points, code)


def parsed(source: str) -> str:
    """A cell's code with IPython's own lines as Python; "" if it is no Python."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = TransformerManager().transform_cell(source)
        try:
            ast.parse(code)
        except SyntaxError:
            return ""
    return code


def _lost(part: Part) -> Iterator[Lost]:
    if part.kind == "written":
        yield Lost(part.number, "an answer in words: write it as a cell `written=`, with a rubric")
    elif part.kind != "prose" and not part.code and part.source.strip():
        yield Lost(part.number, "it is no Python")
    elif part.kind == "solution":
        classes = [node.name for node in ast.parse(part.code).body if isinstance(node, ast.ClassDef)]
        for name in classes:
            yield Lost(
                part.number, f'its solution has the class {name}: write an exercise with driver="object"'
            )
        if not classes and not part.definitions:
            yield Lost(part.number, "its solution defines no function: a check calls functions")
    if "AUTOTEST" in part.source:
        yield Lost(
            part.number,
            "nbgrader writes its tests from AUTOTEST comments when it releases: none are here yet",
        )


def without_marks(source: str) -> str:
    """The text without nbgrader's marks."""
    return "\n".join(line for line in source.split("\n") if not MARK.match(line))
