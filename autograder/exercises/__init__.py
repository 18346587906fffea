"""The exercises, a module for each topic. Every `Exercise` at the top of a module is one of its exercises."""

import importlib
from functools import cache

from autograder.exercise import Exercise


@cache
def load(topic: str) -> dict[str, Exercise]:
    """The exercises of a topic by id, in the order of its module; an empty dict for an unknown topic."""
    name = f"{__name__}.{topic}"
    if importlib.util.find_spec(name) is None:
        return {}
    found = [value for value in vars(importlib.import_module(name)).values() if isinstance(value, Exercise)]
    return {exercise.id: exercise for exercise in found}
