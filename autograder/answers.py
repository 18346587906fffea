"""The answers that come with an exercise, as text: read, edited into wrong ones, and made ready to paste.

Only the code of an answer counts: its source without docstrings, annotations and the marks of an exercise's
entry. So a change of those breaks no edit.
"""

import ast
import builtins
import functools
import inspect
import linecache
import math
import symtable
import sys
import textwrap
from collections.abc import Container, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

MARK = "exercise"  # what an exercise's file calls its entry
ARROW = " →"  # in an edit, and in the name of a mutant

Definition = ast.FunctionDef | ast.ClassDef

_EDITS: dict[Any, tuple[Any, tuple[str, ...]]] = {}  # of a wrong answer: the right one, and what was edited
_EDITED: dict[Any, str] = {}  # the code of edited answers: `inspect` looks up a class in its module's file


class SlipError(ValueError):
    """An edit of a right answer that can't be made; the line that asks for it raises it."""


def code(answer: Any) -> str:
    """The code of a function or class.

    Raises:
        OSError: its source isn't there.
    """
    return _EDITED.get(answer) or _written(answer)


@functools.cache  # each slip of it asks
def _written(answer: Any) -> str:
    return bare(textwrap.dedent(inspect.getsource(answer)))


def bare(source: str) -> str:
    """The source of a definition without docstrings, annotations and marks. Comments stay."""
    lines = source.rstrip("\n").split("\n")
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, Definition)]
    for node in sorted(nodes, key=lambda node: -node.lineno):  # from below, so that line numbers stay true
        _strip(node, lines)
    return "\n".join(lines) + "\n"


def _strip(node: Definition, lines: list[str]) -> None:
    first = node.body[0]
    if ast.get_docstring(node) is not None:
        end = first.end_lineno or first.lineno
        end += lines[end : end + 1] == [""]
        lines[first.lineno - 1 : end] = [] if node.body[1:] else [" " * first.col_offset + "pass"]
    if isinstance(node, ast.FunctionDef):
        body = min([first.lineno, *(each.lineno for each in getattr(first, "decorator_list", ()))])
        for each in ast.walk(node.args):
            if isinstance(each, ast.arg):
                each.annotation = None
        header = f"def {node.name}({ast.unparse(node.args)}):"
        lines[node.lineno - 1 : body - 1] = [lines[node.lineno - 1][: node.col_offset] + header]
    for decorator in reversed(node.decorator_list):
        if is_mark(decorator):
            lines[decorator.lineno - 1 : decorator.end_lineno] = []


def is_mark(decorator: ast.expr) -> bool:
    """Whether a decorator only says what an answer is to its exercise."""
    return (
        isinstance(decorator, ast.Attribute)
        and isinstance(decorator.value, ast.Name)
        and decorator.value.id == MARK
    )


def slip(name: str, right: Any, edits: Iterable[str]) -> Any:
    """A right answer with a slip in it.

    It runs in a copy of the right answer's module, with math, and with torch, NumPy and pandas where they are
    there. Tracebacks show its own lines.

    Args:
        name: the slip's.
        right: a function or class.
        edits: each as `old → new`, where the code has the old text once; `old →` takes it out.

    Returns:
        What is called as the right answer is.

    Raises:
        SlipError: an edit fits nowhere or in several places, or changes nothing, or leaves no Python, or uses
            a name that isn't known.
    """
    before, edits = code(right), tuple(edits)
    places = []
    for edit in edits:
        old, arrow, new = edit.partition(ARROW)
        if not old or not arrow:
            raise SlipError(f'slip "{name}": `{edit}` is no edit; write `old → new`')
        if before.count(old) != 1:
            raise SlipError(_misfit(name, right, old, before.count(old)))
        places.append((before.index(old), len(old), new.removeprefix(" ")))
    text, end = before, len(before)
    for start, length, new in sorted(places, reverse=True):
        if start + length > end:
            raise SlipError(f'slip "{name}": two of its edits overlap; make one of them')
        text, end = text[:start] + new + text[start + length :], start
    try:
        same = ast.dump(ast.parse(text)) == _meaning(before)
    except SyntaxError as error:
        line = (error.text or "").strip()
        raise SlipError(
            f'slip "{name}" leaves no Python: {error.msg} in `{line}`; change its edits'
        ) from None
    if same:
        raise SlipError(f'slip "{name}" changes nothing; change its edits, or remove it')
    answer = _compiled(name, right, text)
    _EDITS[answer] = right, edits
    return answer


@functools.cache
def _meaning(text: str) -> str:
    return ast.dump(ast.parse(text))


def with_both(one: Any, other: Any) -> Any:
    """A right answer with the slips of two wrong ones; None if these aren't edits of one, or overlap."""
    (right, edits), (same, more) = (_EDITS.get(answer, (None, ())) for answer in (one, other))
    if right is None or right is not same:
        return None
    try:
        return slip("both", right, (*edits, *more))
    except SlipError:
        return None


def _misfit(name: str, right: Any, old: str, count: int) -> str:
    where = f"in the code of `{right.__name__}`"
    if count:
        return f'slip "{name}": `{old}` is {count} times {where}; add what is beside the one that you mean'
    cure = "copy the text from there; docstrings and annotations don't count"
    return f'slip "{name}": `{old}` isn\'t {where}; {cure}'


def _compiled(name: str, right: Any, text: str) -> Any:
    file = f"<{right.__module__}.{right.__name__}, {name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {"math": math, **known_packages()} | vars(sys.modules[right.__module__])
    if unknown := sorted(free_names(text) - names.keys() - vars(builtins).keys()):
        cure = "import it, or change the edits"
        raise SlipError(f'slip "{name}": `{unknown[0]}` isn\'t known beside `{right.__name__}`; {cure}')
    exec(compile(text, file, "exec", dont_inherit=True), names)
    answer = names[right.__name__]
    _EDITED[answer] = text
    return answer


def known_packages() -> dict[str, ModuleType]:
    """What an edit may use without an import in the exercise's file, by the names that everybody uses."""
    usual = {"torch": "torch", "np": "numpy", "pd": "pandas"}
    return {name: sys.modules[module] for name, module in usual.items() if module in sys.modules}


def pasted(answer: Any, known: Container[str]) -> str:
    """The code of an answer for a notebook, below what it needs of its own module.

    Args:
        answer: a function or class.
        known: names that the notebook has.
    """
    text = code(answer)
    imports = {name: f"import {name}" for name in ("math", "torch")}
    statements = imports | _statements(sys.modules[answer.__module__])
    needed: set[str] = set()
    waiting = [text]
    while waiting:
        for name in free_names(waiting.pop()) - needed - {answer.__name__}:
            if name in statements and name not in known:
                needed.add(name)
                waiting.append(statements[name])
    above = dict.fromkeys(statement for name, statement in statements.items() if name in needed)
    return "\n\n".join([*map(str.rstrip, above), text])


def _statements(module: ModuleType) -> dict[str, str]:
    """What defines each name at the top of a module, in the module's order."""
    source = Path(inspect.getsourcefile(module) or "").read_text(encoding="utf-8")
    found: dict[str, str] = {}
    for node in ast.parse(source).body:
        text = ast.get_source_segment(source, node) or ""
        if isinstance(node, ast.Import | ast.ImportFrom):
            start = f"from {node.module} import " if isinstance(node, ast.ImportFrom) else "import "
            found |= {alias.asname or alias.name: start + ast.unparse(alias) for alias in node.names}
        elif isinstance(node, Definition):
            marks = [ast.get_source_segment(source, each) for each in node.decorator_list]
            found[node.name] = bare("".join(f"@{mark}\n" for mark in marks) + text)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            stored = [n for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
            found |= dict.fromkeys((each.id for each in stored), text)
    return found


def free_names(text: str) -> set[str]:
    """The names that a piece of code takes from its module."""
    found: set[str] = set()
    waiting = [symtable.symtable(text, "<answer>", "exec")]
    while waiting:
        table = waiting.pop()
        waiting += table.get_children()
        found |= {
            each.get_name() for each in table.get_symbols() if each.is_referenced() and each.is_global()
        }
    return found
