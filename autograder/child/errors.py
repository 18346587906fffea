"""What shows whether a cell raised, kept as it is whatever code does to it.

Tests of a plain assignment run beside student code, and what they raise decides. IPython's own functions and
ours say whether a cell raised, so they are put back before each cell. Code that runs in the same process can
still get around that: it makes what is known to hide an error fail, and no more.
"""

import builtins
from collections.abc import Callable
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


def _functions(kind: type) -> dict[str, Any]:
    return {name: value for name, value in vars(kind).items() if isinstance(value, FunctionType)}
