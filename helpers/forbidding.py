"""Functions that an exercise asks the student to do without: they raise while the answer runs.

They are replaced by name, and calls of torch's own are watched, so that an alias made earlier, getattr and
torch's inner names for the same function are found too. It is a rule, not a wall: all this happens in the
student's own process, and code that takes the watch itself apart is not stopped.
"""

import contextlib
import functools
import importlib
from collections.abc import Callable, Iterator
from typing import Any

from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode


class ForbiddenCall(RuntimeError):
    """Raised in place of a function that an exercise asks the student to do without."""


@contextlib.contextmanager
def forbid(names: tuple) -> Iterator[None]:
    """Make each named function raise `ForbiddenCall` for as long as the block runs."""
    with contextlib.ExitStack() as stack:
        if names:
            stack.enter_context(_WatchOperators(names))
            stack.enter_context(_WatchCalls(names))
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


class _Watched:
    """What a watch refuses: the last part of each forbidden name."""

    def __init__(self, names: tuple) -> None:
        super().__init__()
        self._full = {name.rpartition(".")[2]: name for name in reversed(names)}

    def _let_pass(self, func: Callable) -> None:
        called = (
            getattr(func, "__name__", "").partition(".")[0].strip("_")
        )  # softmax of aten's _softmax.default
        if called in self._full:
            raise ForbiddenCall(self._full[called])


class _WatchCalls(_Watched, TorchFunctionMode):
    """Sees each call of torch's functions and methods, by whatever name the caller has it."""

    def __torch_function__(
        self, func: Callable, types: object, args: tuple = (), kwargs: dict | None = None
    ) -> Any:
        self._let_pass(func)
        return func(*args, **(kwargs or {}))


class _WatchOperators(_Watched, TorchDispatchMode):
    """Sees each operator that runs in the end, whoever calls it, TorchScript among others."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # telling torch's compiler to keep out would import it, which takes a second

    def __torch_dispatch__(
        self, func: Callable, types: object, args: tuple = (), kwargs: dict | None = None
    ) -> Any:
        self._let_pass(func)
        return func(*args, **(kwargs or {}))


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
