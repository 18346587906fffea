"""What right answers call earlier ones with, and what these then give: see `helpers.checking.parts`."""

import contextlib
import functools
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from autograder.exercise import Exercise
from autograder.sheets import outcome_of
from helpers.checking.calling.outcome import Case
from helpers.checking.calling.values import encode, map_tensors
from helpers.checking.parts import given

OURS = ("helpers.", "exercises.")


def recorded(exercise: Exercise, cases: Iterable[Case], needed: Iterable[Exercise]) -> dict[str, dict]:
    """By id of a needed exercise, the name of its answer, and calls of it by right answers.

    Args:
        exercise: whose right answers are called.
        cases: with what.
        needed: the exercises that it builds on. Those whose answers are choices have no calls.
    """
    found = {}
    for need in needed:
        calls: dict[str, dict] = {}
        if callable(need.reference):
            with _watched(need.reference, calls):
                for answer in (exercise.reference, *exercise.alternatives):
                    for case in cases:
                        outcome_of(replace(exercise, properties=()), answer, case)
        if calls:
            found[need.id] = {"name": need.reference.__name__, "calls": list(calls.values())}
    return found


def _recording(function: Callable, calls: dict[str, dict], *args: Any, **kwargs: Any) -> Any:
    sketch = given(function, args, kwargs)
    result = function(*args, **kwargs)
    if sketch and not any(sketch.same(text) for text in calls):
        values = map_tensors(lambda tensor: tensor.detach(), result)
        calls[str(sketch)] = {"given": str(sketch), "returns": encode(values)}
    return result


@contextlib.contextmanager
def _watched(reference: Any, calls: dict[str, dict]) -> Iterator[None]:
    """Have calls of a function noted, or those of the `forward` of a class of modules."""
    watched = getattr(reference, "forward", reference)

    @functools.wraps(watched)
    def noting(*args: Any, **kwargs: Any) -> Any:
        return _recording(watched, calls, *args, **kwargs)

    if watched is reference:
        with _replaced(reference, noting):
            yield
        return
    reference.forward = noting
    try:
        yield
    finally:
        reference.forward = watched


@contextlib.contextmanager
def _replaced(function: Callable, substitute: Callable) -> Iterator[None]:
    """Have a substitute wherever a module of ours has a function."""
    places: list[tuple[Mapping[str, Any], str]] = [
        (vars(module), name)
        for module in list(sys.modules.values())
        if getattr(module, "__name__", "").startswith(OURS)
        for name, value in list(vars(module).items())
        if value is function
    ]
    for room, name in places:
        room[name] = substitute  # type: ignore[index]
    try:
        yield
    finally:
        for room, name in places:
            room[name] = function  # type: ignore[index]
