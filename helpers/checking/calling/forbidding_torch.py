"""How torch's functions are forbidden: as calls from Python, and where its dispatcher keeps their code."""

import contextlib
import functools
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.library import Library
from torch.overrides import TorchFunctionMode

from helpers.checking.calling.compiling import COMPILER, among_callers, refused, words
from helpers.checking.calling.forbidding import ForbiddenCall, refuse

# Where an operator may have code of its own for tensors on the CPU: of one kind of device, or made of others.
CODE = (
    "CPU",
    "CompositeExplicitAutograd",
    "CompositeExplicitAutogradNonFunctional",
    "CompositeImplicitAutograd",
)


def watched(names: tuple) -> TorchFunctionMode:
    """A watch on the calls of forbidden functions, by whatever name the caller has them."""
    return _WatchCalls(names)


@contextlib.contextmanager
def replaced_operators(names: tuple) -> Iterator[None]:
    """Have torch's operators, and what its compiler has of them, refuse to do what is forbidden."""
    with contextlib.ExitStack() as stack:
        # defence: forbidden: operators
        _replace_operators(stack, names)
        stack.enter_context(refused(frozenset(_wanted(names).values())))
        yield


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
            libraries[space].impl(own, refuse(name), key)


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
