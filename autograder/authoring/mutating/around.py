"""Changes around the reference: of what comes out of it, and of what it takes, whatever its code is."""

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from autograder.authoring.mutating.mutants import Changed, branches, mutants
from autograder.authoring.mutating.sharing import sharing
from autograder.exercise import Exercise
from autograder.sheets import outcome_of
from helpers.checking.calling.values import arrays, map_arrays, map_tensors, tensors
from helpers.checking.kinds.arrays import dtype_name, is_array, is_tensor, numbers
from helpers.checks import Sheet, gradient_reaches_inputs

VISIBLE_SHAPES = "visible shapes"  # the kind that passes the visible cases by its nature
OF_EACH, OF_ALL = "the lists and dicts of each object", "the lists and dicts of all objects"
SHARED = "shared"  # the kind that fails by what an earlier case left


def every(exercise: Exercise, visible: Sheet) -> Iterator[Changed]:
    """All that has to fail: mutants of the reference, changed conditions of alternatives, changes around.

    Args:
        exercise: the exercise, whose reference is code.
        visible: its visible sheet.
    """
    yield from mutants(exercise)
    yield from branches(exercise)
    yield from around(exercise, visible)


def around(exercise: Exercise, visible: Sheet) -> Iterator[Changed]:
    """The reference with its result squeezed, for the visible cases' shapes alone, and so on.

    Each is made only where it is another answer: no number can be squeezed.

    Args:
        exercise: the exercise, whose reference is code.
        visible: its visible sheet.
    """
    reference = exercise.reference
    line = inspect.getsourcelines(reference)[1]

    def changed(kind: str, what: str, alter: Callable[[Callable, tuple, dict], Any]) -> Changed:
        return Changed(f"{reference.__name__}: {what}", kind, line, _around(reference, alter))

    seen = _Seen()
    for case in visible.cases:
        outcome_of(replace(exercise, properties=()), _around(reference, seen.note), case)
    if seen.axes:
        yield changed("result", "the result → the result.squeeze()", _squeezed)
    if seen.shapes - {()}:
        yield changed(VISIBLE_SHAPES, "any shapes → the shapes of the visible cases", seen.refuse)
    if seen.changeable:
        yield changed("arguments", "the arguments → the arguments.clear()", _spoilt)
    if shared := sharing(exercise, visible):
        yield Changed(f"{reference.__name__}: {OF_EACH} → {OF_ALL}", SHARED, line, shared)
    asked = replace(exercise, properties=(gradient_reaches_inputs,))
    of_tensors = [c for c in visible.cases if next(tensors([c.args, dict(c.kwargs)]), None) is not None]
    if any(grad is not None for c in of_tensors for grad in outcome_of(asked, reference, c).gradients or []):
        yield changed("gradient", "the result → the result.detach()", _detached)


def _around(reference: Any, alter: Callable[[Callable, tuple, dict], Any]) -> Any:
    """A function or a class of modules whose calls are altered."""
    if not isinstance(reference, type):
        return lambda *args, **kwargs: alter(reference, args, kwargs)
    forward_of: Any = reference

    def forward(self: Any, *args: Any, **kwargs: Any) -> Any:
        return alter(functools.partial(forward_of.forward, self), args, kwargs)

    return type(reference.__name__, (reference,), {"forward": forward})


def _squeezed(call: Callable, args: tuple, kwargs: dict) -> Any:
    return map_arrays(lambda array: array.squeeze(), call(*args, **kwargs))


def _detached(call: Callable, args: tuple, kwargs: dict) -> Any:
    return map_tensors(lambda tensor: tensor.detach(), call(*args, **kwargs))


def _spoilt(call: Callable, args: tuple, kwargs: dict) -> Any:
    """The result, after which what went in is changed."""
    result = map_arrays(
        lambda array: array.clone() if is_tensor(array) else array.copy(), call(*args, **kwargs)
    )
    for value in [found for each in (*args, *kwargs.values()) for found in _changeable(each)]:
        if not is_array(value):
            value.clear()
        elif not getattr(value, "requires_grad", False):  # the gradient is asked for in a call of its own
            value[...] = 0
    return result


def _changeable(value: Any) -> list[Any]:
    """The arrays, lists, sets and dicts among arguments that hold anything, the inner ones first."""
    if is_array(value):
        return [value] if dtype_name(value) != "object" and numbers(value).astype(bool).any() else []
    if isinstance(value, set):
        return [value] if value else []
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return [found for each in inner for found in _changeable(each)] + (
        [value] if inner and not isinstance(value, tuple) else []
    )


class _Seen:
    """What the visible cases show of what goes in, and whether a tensor with axes comes out."""

    def __init__(self) -> None:
        self.axes, self.changeable, self.shapes = False, False, set[tuple]()

    def note(self, call: Callable, args: tuple, kwargs: dict) -> Any:
        self.changeable |= any(map(_changeable, (*args, *kwargs.values())))
        result = call(*args, **kwargs)
        self.axes |= any(len(array.shape) for array in arrays(result))
        self.shapes.add(_shapes(args, kwargs))
        return result

    def refuse(self, call: Callable, args: tuple, kwargs: dict) -> Any:
        if _shapes(args, kwargs) not in self.shapes:
            raise ValueError("a shape that no visible case has")
        return call(*args, **kwargs)


def _shapes(args: tuple, kwargs: Mapping[str, Any]) -> tuple:
    return tuple(tuple(array.shape) for array in arrays([args, kwargs]))
