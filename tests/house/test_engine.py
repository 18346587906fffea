"""The engine is for any course: its code names no lesson of this one's."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from autograder.courses import ENGINE, ENGINE_HELPERS, current

# Commands for what Headstart's lessons make: a trained model, and a page of proof. They say so elsewhere.
HEADSTARTS = ("autograder/commands/share.py", "autograder/commands/proof.py", "autograder/authoring/site/")
LESSON = re.compile(
    rf"\b\d\d_({'|'.join(current().topics)})\b|\b(helpers|exercises)[./]({'|'.join(current().topics)})\b"
)


def modules() -> Iterator[Path]:
    """The engine's own, those of the students' half among them."""
    yield from (ENGINE / "autograder").rglob("*.py")
    for name in ENGINE_HELPERS:
        place = ENGINE / "helpers" / name
        yield from place.rglob("*.py") if place.is_dir() else [place]


def code(path: Path) -> Iterator[str]:
    """The names that a module imports, and its texts that are no docstrings and no help."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    described = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    shown = {
        each
        for node in ast.walk(tree)
        if isinstance(node, ast.keyword) and node.arg == "help"
        for each in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in described | shown:
            yield node.value


def test_the_engine_names_no_lesson() -> None:
    found = [
        (name, text)
        for path in modules()
        if not (name := path.relative_to(ENGINE).as_posix()).startswith(HEADSTARTS)
        and "skeletons" not in name
        for text in code(path)
        if LESSON.search(text) and "such as" not in text.lower()
    ]
    assert found == []
