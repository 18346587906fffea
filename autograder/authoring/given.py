"""What a lesson's cells give its exercises: names, promises of shapes, and solutions."""

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from autograder.answers import free_names
from autograder.authoring import promised
from autograder.authoring.master import Cell
from autograder.authoring.promised import Docstring


@dataclass(frozen=True)
class Solution:
    """An exercise's solution as the lesson has it.

    Attributes:
        code: of its cell.
        answer: what its check is called with.
        line: of its cell in the master, which decides nothing.
    """

    code: str
    answer: str
    line: int = field(repr=False, compare=False)


@dataclass(frozen=True)
class Given:
    """What a lesson's cells give its exercises.

    Attributes:
        code: what its own cells import and define: an answer pasted into its notebook finds that there.
        docstrings: what the stubs promise, by exercise.
        solutions: by exercise.
        master: the lesson's file, below the course's folder.
    """

    code: str = ""
    docstrings: Mapping[str, Docstring] = field(default_factory=dict)
    solutions: Mapping[str, Solution] = field(default_factory=dict)
    master: str = ""


def given_by(cells: Sequence[Cell], master: str = "") -> Given:
    """What the cells of a lesson, which are in this file, give its exercises."""
    return Given(_code(cells), promised.docstrings(cells), _solutions(cells), master)


def _solutions(cells: Sequence[Cell]) -> dict[str, Solution]:
    """The solutions that need nothing which other cells compute: those run only in a notebook."""
    asked = {cell.id: _asked(cell.source) for cell in cells if cell.kind == "check"}
    computed = _given_values(_own(cells)) - _given_values(ast.parse(_code(cells)).body)
    return {
        cell.id: Solution(cell.source, asked[cell.id], cell.line)
        for cell in cells
        if cell.kind == "exercise" and asked.get(cell.id)
        if not computed & free_names(cell.source)
    }


def _given_values(code: Iterable[ast.AST]) -> set[str]:
    """The names that code gives a value, anywhere but in definitions."""
    statements = [each for each in code if not isinstance(each, ast.FunctionDef | ast.ClassDef)]
    names = [n for each in statements for n in ast.walk(each) if isinstance(n, ast.Name)]
    return {each.id for each in names if isinstance(each.ctx, ast.Store)}


def _asked(check: str) -> str:
    """What a check cell calls its check with, after the exercise's id; "" where it does no such thing."""
    calls = [node for node in ast.walk(ast.parse(check)) if isinstance(node, ast.Call)]
    named = [node for node in calls if isinstance(node.func, ast.Name) and node.func.id == "check"]
    return ast.unparse(named[0].args[1]) if named and len(named[0].args) > 1 else ""


def _code(cells: Iterable[Cell]) -> str:
    kinds = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
    kept = (node for node in _own(cells) if isinstance(node, kinds) or _is_constant(node))
    return "\n".join(map(ast.unparse, kept))


def _own(cells: Iterable[Cell]) -> list[ast.stmt]:
    """The statements of a lesson's own cells."""
    code = "\n".join(cell.source for cell in cells if cell.is_code and cell.kind in ("setup", "given"))
    lines = [line for line in code.split("\n") if not line.lstrip().startswith(("%", "!"))]
    return ast.parse("\n".join(lines)).body


def _is_constant(node: ast.stmt) -> bool:
    """Whether this gives a name a plain value: `RATE = 0.5`."""
    try:
        ast.literal_eval(node.value) if isinstance(node, ast.Assign) else None
    except (ValueError, TypeError):
        return False
    return isinstance(node, ast.Assign)
