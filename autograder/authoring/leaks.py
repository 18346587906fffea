"""Helpers that would answer what a lesson, or a later one, asks for: students get none of them."""

import ast
import functools
import sys
from collections.abc import Iterator
from pathlib import Path

from autograder import lessons
from autograder.authoring.master import Mistake
from autograder.authoring.trials import Load
from autograder.exercise import Exercise

SHORT = 60  # characters of what a function does: `return x` is nobody's secret


def leaks(lesson: str, root: Path, load: Load) -> Iterator[Mistake]:
    """What in a lesson's helpers answers its exercises or those of a later lesson.

    An answer is found under any name, with other names for its arguments and for what it computes.

    Args:
        lesson: such as `01_attention`.
        root: the course's folder.
        load: where a topic's exercises come from. What it can't load has mistakes of its own, told elsewhere.
    """
    later = [lessons.topic(name) for name in lessons.names(root) if name >= lesson]
    secrets: dict[str, str] = {}
    modules: dict[str, str] = {}
    for exercise in [each for topic in later for each in _loaded(topic, load)]:
        if callable(exercise.reference) and exercise.reference.__module__.startswith("helpers."):
            module = exercise.reference.__module__
            file = Path(sys.modules[module].__file__ or "")
            modules.setdefault(f"{module.replace('.', '/')}.py", exercise.id)
            secrets |= dict.fromkeys(_parts(file, exercise.reference.__name__), exercise.id)
    cure = "move it into the reference.py of that lesson's folder"
    for name, path in lessons.helper_files(lessons.number(lesson), root).items():
        if name in modules:
            yield Mistake(name, 1, f'this has the answer to "{modules[name]}", and students get it; {cure}')
        elif path.suffix == ".py":
            for function, line, what in _functions(path):
                if what in secrets:
                    yield Mistake(
                        name, line, f'{function} answers "{secrets[what]}", and students get it; {cure}'
                    )


def _loaded(topic: str, load: Load) -> list[Exercise]:
    try:
        return list(load(topic).values())
    except Exception:
        return []


@functools.cache
def _parts(path: Path, name: str) -> tuple[str, ...]:
    """What a reference does, a function or the methods of a class, but for what is short."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = [node for node in tree.body if getattr(node, "name", "") == name]
    functions = [node for each in found for node in ast.walk(each) if isinstance(node, ast.FunctionDef)]
    return tuple(text for node in functions if len(text := _done(node)) > SHORT)


@functools.cache
def _functions(path: Path) -> tuple[tuple[str, int, str], ...]:
    """The functions and methods of a file: name, line, and what they do."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return tuple((n.name, n.lineno, _done(n)) for n in ast.walk(tree) if isinstance(n, ast.FunctionDef))


def _done(function: ast.FunctionDef) -> str:
    """What a function does, whatever it and its arguments are called: names by first use, no docstring."""
    names: dict[str, str] = {}
    parts = []
    for part in ast.walk(ast.Module(body=_statements(function), type_ignores=[])):
        if isinstance(part, ast.Name):
            parts.append(names.setdefault(part.id, f"n{len(names)}"))
        elif isinstance(part, ast.Constant):
            parts.append(repr(part.value))
        elif isinstance(part, ast.Attribute):
            parts.append(part.attr)
        parts.append(type(part).__name__)
    return " ".join(parts)


def _statements(function: ast.FunctionDef) -> list[ast.stmt]:
    """The statements of a function without docstring and types."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return [ast.Assign([s.target], s.value) if isinstance(s, ast.AnnAssign) and s.value else s for s in body]
