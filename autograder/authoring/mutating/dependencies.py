"""What a piece of the project's code can reach: the text of each definition it names, and of those they name.

From this follows whether anything has changed that decides what the code does.
"""

import ast
import functools
import importlib.util
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import headstart
from helpers.checking.calling import registry

PROJECT = ("autograder", "exercises", "helpers")
Name = tuple[str, str]  # a module, and a name at its top


@dataclass(frozen=True)
class _Module:
    """What a module defines: by name the pieces of its source, and where imported names come from."""

    pieces: dict[str, list[ast.stmt]]
    imported: dict[str, Name]
    lines: tuple[str, ...]

    def text(self, node: ast.stmt) -> str:
        first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
        return "\n".join(self.lines[first - 1 : node.end_lineno])


def dependencies(names: Iterable[Name], without: Iterable[str] = ()) -> dict[Name, str]:
    """The text of all that some names reach, by module and name. What isn't the project's is left out.

    Args:
        names: where to begin.
        without: names at which to stop.
    """
    found: dict[Name, str] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name[0] == headstart.__name__ and name[1] in headstart.__all__:
            name = getattr(headstart, name[1]).__module__, name[1]
        if name in found or name[1] in without or not _is_ours(name[0]):
            continue
        module = _module(name[0])
        if name[1] in module.imported:
            waiting.append(module.imported[name[1]])
        pieces = module.pieces.get(name[1], [])
        found[name] = "\n".join(map(module.text, pieces))
        for piece in pieces:
            waiting += _named(piece, name[0], module)
    return {name: text for name, text in sorted(found.items()) if text}


def _is_ours(module: str) -> bool:
    return module.split(".")[0] in PROJECT and importlib.util.find_spec(module) is not None


@functools.cache
def _module(name: str) -> _Module:
    spec = importlib.util.find_spec(name)
    source = Path(spec.origin if spec and spec.origin else "").read_text(encoding="utf-8")
    pieces: dict[str, list[ast.stmt]] = {}
    imported: dict[str, Name] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.ImportFrom | ast.Import):
            imported |= _imports(node)
            continue
        defined = {node.name} if hasattr(node, "name") else set()
        stored = (n for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
        for each in defined or {n.id for n in stored}:
            pieces.setdefault(each, []).append(node)
    return _Module(pieces, imported, tuple(source.split("\n")))


def _imports(node: ast.ImportFrom | ast.Import) -> dict[str, Name]:
    if isinstance(node, ast.Import):
        return {}
    return {alias.asname or alias.name: (node.module or "", alias.name) for alias in node.names}


def _named(piece: ast.stmt, module: str, known: _Module) -> Iterable[Name]:
    """What a piece of code names: names of its module, attributes of imported modules, recipes of cases."""
    for node in ast.walk(piece):
        if isinstance(node, ast.ImportFrom):
            yield from _imports(node).values()
        elif isinstance(node, ast.Name):
            yield module, node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            package, name = known.imported.get(node.value.id, ("", ""))
            inner = f"{package}.{name}"
            if package.split(".")[0] in PROJECT and importlib.util.find_spec(package) and _is_module(inner):
                yield inner, node.attr
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _recipe(node.value)


def _is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def _recipe(text: str) -> Iterable[Name]:
    """What is registered under a name, where a text is one."""
    registry.load()
    if text in registry.LAYERS:
        made = registry.LAYERS[text]
        yield made.__module__, made.__qualname__.split(".")[0]
