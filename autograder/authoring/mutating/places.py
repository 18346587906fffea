"""The places in a definition where something else could stand."""

import ast
import functools
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

# A change inside one of these is shown with all of it.
IN_FULL = (
    ast.BinOp, ast.BoolOp, ast.Compare, ast.Call, ast.Subscript, ast.IfExp, ast.comprehension, ast.arguments,
    ast.stmt,
)  # fmt: skip


@dataclass(frozen=True)
class Place:
    """A node of a definition.

    Attributes:
        node: what stands there.
        around: the nodes around it, the nearest first.
        put: puts another node there.
    """

    node: ast.AST
    around: tuple[ast.AST, ...]
    put: Callable[[ast.AST], None]

    @property
    def line(self) -> int:
        """Of the file."""
        return next(n.lineno for n in (self.node, *self.around) if hasattr(n, "lineno"))


def places(definition: ast.AST) -> Iterator[Place]:
    """All nodes of a definition that decide what it does.

    Left out are docstrings, types, and the refusal of arguments that no case has: `if ...: raise ...`.
    """
    yield from _places(definition, ())


def _places(node: ast.AST, around: tuple[ast.AST, ...]) -> Iterator[Place]:
    key: Any
    inside = (node, *around)
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "ctx", "op", "ops"):
            continue
        for index, child in enumerate(value if isinstance(value, list) else [value]):
            if not isinstance(child, ast.AST) or _decides_nothing(child):
                continue
            holder: Any = value if isinstance(value, list) else vars(node)
            key = index if isinstance(value, list) else field
            yield Place(child, inside, functools.partial(operator.setitem, holder, key))
            yield from _places(child, inside)


def _decides_nothing(node: ast.AST) -> bool:
    docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    refusal = isinstance(node, ast.If) and isinstance(node.body[0], ast.Raise) and not node.orelse
    return docstring or refusal or isinstance(node, ast.Raise | ast.JoinedStr | ast.alias)
