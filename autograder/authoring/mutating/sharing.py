"""A class whose objects share what each should keep for itself: `queue = []` in the class, or in a default.

People write this where they know functions better than classes, and it works for the first object. So the
reference is made to do it: what its first object keeps in lists, dicts and the like, all later ones keep too.
"""

import collections
import copy
from typing import Any

from autograder.exercise import Exercise
from autograder.sheets import outcome_of
from helpers.checks import Sheet

KEEPING = (list, dict, set, bytearray, collections.deque)


def sharing(exercise: Exercise, visible: Sheet) -> type | None:
    """The reference with its objects' lists and dicts shared by all of them.

    Args:
        exercise: the exercise.
        visible: its visible sheet.

    Returns:
        The class. None where there is nothing to share: the answer is no class of which objects are used, or
        its objects keep nothing in lists and dicts that changes.
    """
    reference = exercise.reference
    if exercise.driver != "object" or not isinstance(reference, type):
        return None
    seen = _Seen()
    noting = _with(reference, seen.begin, __getattribute__=lambda made, name: seen.attribute(made, name))
    for case in visible.cases:
        outcome_of(exercise, noting, case)
    if not seen.changed:
        return None
    return _with(reference, _share, first={})


def _with(reference: Any, after: Any, **attributes: Any) -> type:
    """A class as the reference, with something that is done once an object is made."""

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        reference.__init__(self, *args, **kwargs)
        after(self)

    named = {"__module__": reference.__module__, "__init__": __init__}
    return type(reference.__name__, (reference,), {**named, **attributes})


def _share(made: Any) -> None:
    first = type(made).first
    for name, value in _kept(made).items():
        setattr(made, name, first.setdefault(name, value))


def _kept(made: Any) -> dict[str, Any]:
    try:
        attributes = object.__getattribute__(made, "__dict__")
    except AttributeError:  # of a class with slots
        return {}
    return {name: value for name, value in attributes.items() if isinstance(value, KEEPING)}


class _Seen:
    """Whether what an object keeps changes after it was made: looked at whenever it is asked for anything."""

    def __init__(self) -> None:
        self.changed = False
        self.before: dict[int, tuple[Any, dict]] = {}  # with the objects, so that no other gets their id

    def begin(self, made: Any) -> None:
        self.before[id(made)] = made, copy.deepcopy(_kept(made))

    def attribute(self, made: Any, name: str) -> Any:
        if not self.changed and id(made) in self.before:
            self.changed = self.before[id(made)][1] != _kept(made)
        return object.__getattribute__(made, name)
