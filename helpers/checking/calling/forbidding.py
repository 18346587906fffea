"""Functions that an exercise asks the student to do without: they raise while the answer runs.

They are replaced by name, and calls of torch's own are watched, so that an alias made earlier, getattr and
torch's inner names for the same function are found too. It is a rule, not a wall: all this happens in the
student's own process, and code that takes the watch itself apart is not stopped.
"""

import contextlib
import functools
import importlib
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode


class ForbiddenCall(RuntimeError):
    """Raised in place of a function that an exercise asks the student to do without."""


@contextlib.contextmanager
def forbid(names: tuple) -> Iterator[None]:
    """Make each named function raise `ForbiddenCall` for as long as the block runs.

    Packages, and functions of those that nobody has imported, are left to `tracing`, which reads the code.
    """
    names = imported(names)
    with contextlib.ExitStack() as stack:
        if names:
            # defence: forbidden: operators
            stack.enter_context(_WatchOperators(names))
            # defence: forbidden: calls
            stack.enter_context(_WatchCalls(names))
        for name in names:
            owner, attribute = _resolve(name)
            original = getattr(owner, attribute)
            if isinstance(original, type):  # by whatever name, and those made before
                # defence: forbidden: classes
                for method in ("__init__", "forward"):
                    if hasattr(original, method):
                        _replace(stack, original, method, _refuse(name))
            # defence: forbidden: by name
            _replace(stack, owner, attribute, _refuse(name))
        yield


def _replace(stack: contextlib.ExitStack, owner: Any, attribute: str, substitute: Callable) -> None:
    if attribute in vars(owner):
        stack.callback(setattr, owner, attribute, vars(owner)[attribute])
    else:  # inherited
        stack.callback(delattr, owner, attribute)
    setattr(owner, attribute, substitute)


class _Watched:
    """What a watch refuses: functions with all words of a forbidden one in their names.

    So `softmax` stands for aten's `_softmax.default` and for `_safe_softmax`, too, and
    `scaled_dot_product_attention` for `_scaled_dot_product_flash_attention_for_cpu`. A short name forbids
    much: `log` would be `log2` and `log10`, too.
    """

    def __init__(self, names: tuple) -> None:
        super().__init__()
        last = {name: name.rpartition(".")[2] for name in names}
        self._words = {name: _words(function) for name, function in last.items() if function.islower()}
        self._known: dict[str, str] = {}

    def _let_pass(self, func: Callable) -> None:
        called = getattr(func, "__name__", "")
        if (name := self._known.get(called)) is None:
            words = _words(called.partition(".")[0])
            # defence: forbidden: neighbours
            name = next((name for name, wanted in self._words.items() if wanted <= words), "")
            self._known[called] = name
        if name:
            raise ForbiddenCall(name)


def _words(name: str) -> set[str]:
    """`nll`, `loss`, `d` and `forward` of `nll_loss2d_forward`."""
    return set(re.findall("[a-z]+", name))


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


def imported(names: tuple) -> tuple:
    """Those of some dotted names whose package is there to be called."""
    return tuple(name for name in names if "." in name and name.partition(".")[0] in sys.modules)


def current(name: str) -> object:
    """What a dotted name stands for now."""
    owner, attribute = _resolve(name)
    return getattr(owner, attribute)
