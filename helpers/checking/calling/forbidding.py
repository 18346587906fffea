"""Functions that an exercise asks the student to do without: they raise while the answer runs.

They are replaced at three places: by name, as calls of torch's Python functions, and where torch's dispatcher
keeps the operators' code. So an alias made earlier, getattr, torch's inner names for the same function and
the ways around the dispatcher's own watches are found too. It is a rule, not a wall: all this happens in the
student's own process, and code that takes the watch itself apart is not stopped.
"""

import contextlib
import functools
import importlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

COMPILER = "code of torch's compiler"  # as a message names it


class ForbiddenCall(RuntimeError):
    """Raised in place of a function that an exercise asks the student to do without."""


_HEAP = 1 << 9  # of a class that Python code has made, and may change
_originals: dict[str, object] = {}  # what is replaced now, by name


@contextlib.contextmanager
def forbid(names: tuple) -> Iterator[None]:
    """Make each named function raise `ForbiddenCall` for as long as the block runs.

    Packages, and functions of those that nobody has imported, are left to `tracing`, which reads the code.
    """
    names = imported(names)
    # defence: forbidden: calls
    with replaced(names), _of_torch("watched", names):
        yield


def _of_torch(what: str, names: tuple) -> contextlib.AbstractContextManager:
    """What `forbidding_torch` does about those of some names that are torch's."""
    if not (theirs := tuple(name for name in names if name.startswith("torch."))):
        return contextlib.nullcontext()
    from helpers.checking.calling import forbidding_torch  # here: it imports torch

    return getattr(forbidding_torch, what)(theirs)


@contextlib.contextmanager
def replaced(names: tuple) -> Iterator[None]:
    """The costly part of `forbid`, which a sheet's cases share: within one of the same it does nothing."""
    names = imported(names)
    if names == tuple(_originals):
        yield
        return
    with contextlib.ExitStack() as stack:
        if names:
            _originals.update({name: current(name) for name in names})
            stack.callback(_originals.clear)
            stack.enter_context(_of_torch("replaced_operators", names))
        for name in names:
            owner, attribute = _resolve(name)
            original = getattr(owner, attribute)
            if isinstance(original, type):  # by whatever name, and those made before
                # defence: forbidden: classes
                for method in ("__init__", "forward"):
                    if hasattr(original, method):
                        _replace(stack, original, method, refuse(name))
            # defence: forbidden: by name
            _replace(stack, owner, attribute, refuse(name))
        yield


def _replace(stack: contextlib.ExitStack, owner: Any, attribute: str, substitute: Callable) -> None:
    if isinstance(owner, type) and not owner.__flags__ & _HEAP:  # C code's own: `tracing` reads who calls it
        return
    if attribute in vars(owner):
        stack.callback(setattr, owner, attribute, vars(owner)[attribute])
    else:  # inherited
        stack.callback(delattr, owner, attribute)
    setattr(owner, attribute, substitute)


def refuse(name: str) -> Callable:
    """What raises in the place of a forbidden function."""

    def refused(*args: object, **kwargs: object) -> None:
        raise ForbiddenCall(name)

    return refused


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


def imported(names: tuple) -> tuple:
    """Those of some dotted names whose package is there to be called."""
    packages = {name: name.partition(".")[0] for name in names if "." in name}
    # Python's own functions serve this package, too, so those are left to `tracing`.
    return tuple(
        name for name, package in packages.items() if package in sys.modules and package != "builtins"
    )


def current(name: str) -> object:
    """What a dotted name stands for now, or stood for before it was forbidden."""
    if name in _originals:
        return _originals[name]
    owner, attribute = _resolve(name)
    return getattr(owner, attribute)
