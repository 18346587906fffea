"""The definitions that torch's compiler has of torch's functions, refused where an exercise forbids these.

`torch._refs.softmax`, the tables of decompositions and the graphs made with them call exp and sum, as a
student does, so whoever watches operators can't tell them apart. Whose code it is tells them apart: calls are
refused if code of the compiler is among the callers, and, since threads have no such watch, its functions of
a forbidden name, its graphs and their traces are replaced. So are kernels that were fetched beforehand.
"""

import contextlib
import functools
import os
import re
import sys
from collections.abc import Iterator
from types import FunctionType
from typing import Any

import torch

from helpers.checking.calling.forbidding import COMPILER, ForbiddenCall

OURS, HERE = "ours", os.path.join(os.path.dirname(__file__), "")
PARTS = ("_refs", "_decomp", "_prims", "_inductor", "fx")
PACKAGES = tuple(f"torch.{part}." for part in PARTS)
GRAPH = "<eval_with_key>"  # begins the name of the file that a graph's code doesn't have
FILES = (GRAPH, *(os.path.join(os.path.dirname(torch.__file__), part, "") for part in PARTS))
# A trace names the file that called an operator: for a graph's, this one.
TRACED = (*FILES, os.path.join(os.path.dirname(torch.__file__), "_ops.py"))

PROGRAMS: tuple[Any, ...] = (torch._C.ScriptFunction, torch._C.ScriptMethod)
# What `torch.library.get_kernel` gives: an operator's code, which the dispatcher no longer knows of.
KERNELS: tuple[Any, ...] = tuple(filter(None, [getattr(torch._C, "_SafeKernelFunction", None)]))


@functools.cache
def words(name: str) -> frozenset[str]:
    """`nll`, `loss`, `d` and `forward` of `nll_loss2d_forward`: what follows a dot is no part of it."""
    return frozenset(re.findall("[a-z]+", name.partition(".")[0]))


def among_callers() -> bool:
    """Whether code of the compiler called whoever calls torch now, through whatever is between them.

    An answer is called by code of this package, so there the search ends.
    """
    frame = sys._getframe(1).f_back  # whose caller is the watch
    while frame and (whose := _whose(frame.f_code.co_filename)) is not OURS:
        if whose is COMPILER:
            return True
        frame = frame.f_back
    return False


@functools.cache
def _whose(file: str) -> str:
    """Whose code a file holds: the compiler's, this package's, or another's."""
    return COMPILER if file.startswith(FILES) else OURS if file.startswith(HERE) else ""


@contextlib.contextmanager
def refused(wanted: frozenset[frozenset[str]]) -> Iterator[None]:
    """Let what the compiler has of forbidden functions raise `ForbiddenCall`, in all threads.

    Args:
        wanted: the words by which forbidden functions are known.
    """
    interpreter = torch.fx.Interpreter.call_function
    # defence: forbidden: definitions
    functions: list[Any] = [*_named(wanted), *_graphs(torch.fx.GraphModule), interpreter]
    codes = [function.__code__ for function in functions]
    replaced = [(kind, "__call__", _unless_traced(kind.__call__)) for kind in PROGRAMS]
    # defence: forbidden: kernels
    replaced += [(kind, "call_boxed", _raise) for kind in KERNELS]
    originals = [getattr(kind, attribute) for kind, attribute, _ in replaced]
    try:
        for function in functions:
            # Whatever a function is called by, and whatever wraps it, its code is what runs.
            function.__code__ = _raise.__code__
        for kind, attribute, substitute in replaced:
            setattr(kind, attribute, substitute)
        yield
    finally:
        for function, code in zip(functions, codes, strict=True):
            function.__code__ = code
        for (kind, attribute, _), original in zip(replaced, originals, strict=True):
            setattr(kind, attribute, original)


def _raise(*args: object, **kwargs: object) -> None:
    from helpers.checking.calling.forbidding import COMPILER, ForbiddenCall  # runs among other globals

    raise ForbiddenCall(COMPILER)


def _named(wanted: frozenset[frozenset[str]]) -> set[FunctionType]:
    """The compiler's functions of forbidden names; not those of gradients, which torch's `jvp` compiles."""
    by_word = functions_by_word()
    found = [set.intersection(*(by_word.get(word, set()) for word in each)) for each in wanted]
    return set().union(*found) - by_word.get("backward", set())


def functions_by_word() -> dict[str, set[FunctionType]]:
    """All functions that the compiler has by now, by the words in their names."""
    private = [name for name in sys.modules if name.startswith("torch._")]
    return _functions(tuple(name for name in private if f"{name}.".startswith(PACKAGES)))


@functools.cache
def _functions(modules: tuple[str, ...]) -> dict[str, set[FunctionType]]:
    found: dict[str, set[FunctionType]] = {}
    theirs = [vars(sys.modules[module]) for module in modules]
    for value in [value for module in theirs for value in module.values()]:
        while hasattr(value, "__wrapped__"):
            value = value.__wrapped__
        ours = isinstance(value, FunctionType) and f"{value.__module__}.".startswith(PACKAGES)
        if ours and not value.__code__.co_freevars:
            for word in words(value.__name__):
                found.setdefault(word, set()).add(value)
    return found


def _graphs(kind: Any) -> Iterator[FunctionType]:
    """The functions of all graphs: each graph has a class of its own."""
    for graph in kind.__subclasses__():
        function = vars(graph).get("forward")
        if isinstance(function, FunctionType) and function.__code__.co_filename.startswith(GRAPH):
            yield function
        yield from _graphs(graph)


def _unless_traced(call: Any) -> Any:
    """Refuse programs of TorchScript that were traced through code of the compiler."""

    def checked(program: Any, *args: object, **kwargs: object) -> Any:
        text = str(program.inlined_graph)
        # defence: forbidden: traces
        if any(file in text for file in TRACED):
            raise ForbiddenCall(COMPILER)
        return call(program, *args, **kwargs)

    return checked
