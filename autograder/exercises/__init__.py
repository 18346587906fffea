"""The exercises, a package for each topic.

Every `Exercise` at the top of its `spec.py` is one of them, and of its `recalls.py`, where it has one.
"""

import importlib
from functools import cache

from autograder.exercise import Exercise


@cache
def load(topic: str) -> dict[str, Exercise]:
    """The exercises of a topic by id, in the order of its spec; an empty dict for an unknown topic."""
    package = f"{__name__}.{topic}"
    if importlib.util.find_spec(package) is None:
        return {}
    modules = [name for name in ("recalls", "spec") if importlib.util.find_spec(f"{package}.{name}")]
    rooms = [vars(importlib.import_module(f"{package}.{name}")) for name in modules]
    found = [value for room in rooms for value in room.values() if isinstance(value, Exercise)]
    return {exercise.id: exercise for exercise in found}
