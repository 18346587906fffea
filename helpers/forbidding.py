"""Functions that an exercise asks the student to do without: they raise while the answer runs.

A rule, not a wall: code that sets out to reach such a function can.
"""

import contextlib
import functools
import importlib
from collections.abc import Callable, Iterator
from typing import Any


class ForbiddenCall(RuntimeError):
    """Raised in place of a function that an exercise asks the student to do without."""


@contextlib.contextmanager
def forbid(names: tuple) -> Iterator[None]:
    """Make each named function raise `ForbiddenCall` for as long as the block runs."""
    with contextlib.ExitStack() as stack:
        for name in names:
            owner, attribute = _resolve(name)
            inherited = attribute not in vars(owner)
            original = getattr(owner, attribute)
            setattr(owner, attribute, _refuse(name))
            if inherited:
                stack.callback(delattr, owner, attribute)
            else:
                stack.callback(setattr, owner, attribute, original)
        yield


def _refuse(name: str) -> Callable:
    def refuse(*args: object, **kwargs: object) -> None:
        raise ForbiddenCall(name)

    return refuse


@functools.cache
def _resolve(name: str) -> tuple[Any, str]:
    """Split a dotted name into its owner, a module or a class, and its attribute."""
    first, *path, attribute = name.split(".")
    owner = importlib.import_module(first)
    for part in path:
        owner = (
            getattr(owner, part)
            if hasattr(owner, part)
            else importlib.import_module(f"{owner.__name__}.{part}")
        )
    return owner, attribute


def current(name: str) -> object:
    """What a dotted name stands for now."""
    owner, attribute = _resolve(name)
    return getattr(owner, attribute)
