"""Code that a sentence may quote: short, and with no name that the exercise's own text doesn't have."""

import ast
import builtins
from collections.abc import Set
from typing import Any

ROOM = 28  # characters: more is a solution, or a riddle again
PACKAGES = {"math", "torch", "np", "pd"}
OPEN = ast.BinOp | ast.BoolOp | ast.Compare | ast.IfExp | ast.UnaryOp  # needs brackets beside an operator
BINDING = ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp | ast.NamedExpr


def quoted(node: Any, words: Set[str], *, inside: bool = False) -> str:
    """An expression as text; "" if it is long, or has a name that a reader may not have.

    Args:
        node: the expression.
        words: what the exercise's text calls its arguments.
        inside: whether the text stands beside an operator.
    """
    parts = list(ast.walk(node))
    names = {each.id for each in parts if isinstance(each, ast.Name)}
    private = any(isinstance(each, ast.Attribute) and each.attr.startswith("_") for each in parts)
    text = " ".join(ast.unparse(node).split())
    if private or len(text) > ROOM or "`" in text or any(isinstance(each, BINDING) for each in parts):
        return ""
    if not names <= {*words, *PACKAGES, *vars(builtins)} or not (
        names & words or number_of(node) is not None
    ):
        return ""
    return f"({text})" if inside and isinstance(node, OPEN) and number_of(node) is None else text


def number_of(node: Any) -> Any:
    """The number that an expression is, with its sign; None if it is none."""
    with_sign = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
    inner = node.operand if with_sign else node
    value = getattr(inner, "value", None)
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return -value if with_sign else value
