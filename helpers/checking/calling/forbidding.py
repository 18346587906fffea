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
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.library import Library
from torch.overrides import TorchFunctionMode

from helpers.checking.calling.compiling import COMPILER, ForbiddenCall, among_callers, refused, words

# Where an operator may have code of its own for tensors on the CPU: of one kind of device, or made of others.
CODE = (
    "CPU",
    "CompositeExplicitAutograd",
    "CompositeExplicitAutogradNonFunctional",
    "CompositeImplicitAutograd",
)


_originals: dict[str, object] = {}  # what is replaced now, by name


@contextlib.contextmanager
def forbid(names: tuple) -> Iterator[None]:
    """Make each named function raise `ForbiddenCall` for as long as the block runs.

    Packages, and functions of those that nobody has imported, are left to `tracing`, which reads the code.
    """
    names = imported(names)
    # defence: forbidden: calls
    with replaced(names), _WatchCalls(names) if names else contextlib.nullcontext():
        yield


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
            # defence: forbidden: operators
            _replace_operators(stack, names)
            stack.enter_context(refused(frozenset(_wanted(names).values())))
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


def _wanted(names: tuple) -> dict[str, frozenset[str]]:
    """The words by which forbidden functions are known: whatever has all words of one stands for it.

    So `softmax` stands for aten's `_softmax.default` and for `_safe_softmax`, too, and
    `scaled_dot_product_attention` for `_scaled_dot_product_flash_attention_for_cpu`. A short name forbids
    much: `log` would be `log2` and `log10`, too.
    """
    last = {name: name.rpartition(".")[2] for name in names}
    return {name: words(function) for name, function in last.items() if function.islower()}


def _forbidden(wanted: dict[str, frozenset[str]], called: str) -> str | None:
    """Which of the forbidden functions the one called so stands for."""
    return next((name for name, each in wanted.items() if each <= words(called)), None)


class _WatchCalls(TorchFunctionMode):
    """Sees each call of torch's functions and methods, by whatever name the caller has it."""

    def __init__(self, names: tuple) -> None:
        super().__init__()
        self._name = functools.cache(functools.partial(_forbidden, _wanted(names)))

    def __torch_function__(
        self, func: Callable, types: object, args: tuple = (), kwargs: dict | None = None
    ) -> Any:
        if name := self._name(getattr(func, "__name__", "")):
            raise ForbiddenCall(name)
        # defence: forbidden: called by the compiler
        if among_callers():
            raise ForbiddenCall(COMPILER)
        return func(*args, **(kwargs or {}))


def _replace_operators(stack: contextlib.ExitStack, names: tuple) -> None:
    """Replace the code of torch's operators, for all threads: whoever calls one in the end comes there.

    Modes, which torch has for such watches, are passed by `redispatch`, and by whoever switches them off.
    """
    libraries: dict[str, Library] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch's, once, that this replaces something
        for operator, key, name in _operators(names):
            space, _, own = operator.partition("::")
            if space not in libraries:
                libraries[space] = Library(space, "IMPL")
                stack.callback(libraries[space]._destroy)
            libraries[space].impl(own, _refuse(name), key)


@functools.cache
def _operators(names: tuple) -> list[tuple[str, str, str]]:
    """Those that stand for forbidden functions: their names, where each has code of its own, for which."""
    by_word, has_code = operators_by_word(), torch._C._dispatch_has_kernel_for_dispatch_key
    found = {
        operator: name
        for name, wanted in _wanted(names).items()
        # defence: forbidden: neighbours
        for operator in set.intersection(*(by_word.get(word, set()) for word in wanted))
    }
    return [
        (operator, key, name) for operator, name in found.items() for key in CODE if has_code(operator, key)
    ]


@functools.cache
def operators_by_word() -> dict[str, set[str]]:
    """All operators that torch has by now, such as `aten::_softmax.out`, by the words in their names."""
    found: dict[str, set[str]] = {}
    for operator in torch._C._dispatch_get_all_op_names():
        for word in words(operator.partition("::")[2]):
            found.setdefault(word, set()).add(operator)
    return found


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
    """What a dotted name stands for now, or stood for before it was forbidden."""
    if name in _originals:
        return _originals[name]
    owner, attribute = _resolve(name)
    return getattr(owner, attribute)
