"""What runs a cell and says whether it raised, kept as it is whatever code does to it.

Tests of a foreign assignment run beside student code; what they raise decides. IPython's own functions and
ours say whether a cell raised, so they are put back before each cell, and a test runs as it is written. Code
that runs in the same process can still get around that: it makes what is known fail, and no more.
"""

import builtins
import contextlib
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

from IPython.core.interactiveshell import ExecutionResult, InteractiveShell

RUNNERS = ("exec", "eval", "compile")  # of builtins: what IPython runs a cell by


def keeper(shell: InteractiveShell, *parts: object) -> Callable[[], None]:
    """Remember how a shell and its parts run a cell.

    Args:
        shell: one that has run nothing of a student's.
        parts: what it runs cells with, besides its compiler and events.

    Returns:
        A function that puts all of it back.
    """
    held = [shell, shell.compile, shell.events, *parts]
    kinds = {kind for each in held for kind in type(each).__mro__ if kind.__module__ != "builtins"}
    functions = {kind: _functions(kind) for kind in kinds} | {ExecutionResult: dict(vars(ExecutionResult))}
    first = [(each, type(each), set(vars(each))) for each in held]
    runners = {name: getattr(builtins, name) for name in RUNNERS}

    def put_back() -> None:
        for kind, known in functions.items():
            for name in _functions(kind).keys() - known.keys():
                delattr(kind, name)
            for name in (name for name, value in known.items() if vars(kind).get(name) is not value):
                setattr(kind, name, known[name])
        for each, kind, own in first:
            each.__class__ = kind
            for name in vars(each).keys() - own:
                if callable(getattr(kind, name, None)):
                    delattr(each, name)
        vars(builtins).update(runners)

    return put_back


REWRITING = {
    "": (
        "ast_transformers", "input_transformers_post", "input_transformer_manager", "prefilter_manager",
        # defence: foreign: who runs what awaits
        "autoawait", "loop_runner", "trio_runner",
    ),
    "input_transformer_manager": ("cleanup_transforms", "line_transforms", "token_transformers"),
    "prefilter_manager": ("_transformers", "_checkers", "_handlers", "_esc_handlers"),
}  # fmt: skip


def as_written(shell: InteractiveShell) -> Callable[[], contextlib.AbstractContextManager[None]]:
    """Remember how a shell reads cells, before a student's code runs.

    Returns:
        A context in which it reads them so. What a notebook has registered since, such as a transformer that
        takes out asserts, is back afterwards.
    """
    owners = {name: getattr(shell, name) if name else shell for name in REWRITING}
    first = [
        (owners[name], each, _copied(getattr(owners[name], each)))
        for name, those in REWRITING.items()
        for each in those
    ]

    @contextlib.contextmanager
    def read_as_first() -> Iterator[None]:
        theirs = [(owner, each, getattr(owner, each)) for owner, each, _ in first]
        for owner, each, value in first:
            setattr(owner, each, _copied(value))
        try:
            yield
        finally:
            for owner, each, value in theirs:
                setattr(owner, each, value)

    return read_as_first


def _copied(value: Any) -> Any:
    return value.copy() if isinstance(value, list | dict) else value


def _functions(kind: type) -> dict[str, Any]:
    return {name: value for name, value in vars(kind).items() if isinstance(value, FunctionType)}
