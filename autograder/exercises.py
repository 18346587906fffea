"""The exercises of a course: below `exercises/` a package for each topic, in it a module for each exercise.

A module with an `exercise` has one: an `Entry`, or the exercise itself. Others hold what several share.
"""

import importlib
import pkgutil
import re
from functools import cache
from importlib.util import find_spec

from autograder import lessons
from autograder.courses import current
from autograder.exercise import Exercise
from helpers.checking.calling import registry

_PLACED = re.compile(r'^# %%.*\b(?:exercise|recall)="([^"]+)"', re.MULTILINE)


@cache
def load(topic: str) -> dict[str, Exercise]:
    """The exercises of a topic by id, in the order of its lesson; an empty dict for an unknown topic.

    Those that no cell of the lesson names come last.
    """
    package = f"exercises.{topic}"
    if find_spec("exercises") is None or find_spec(package) is None:
        return {}
    from autograder.entry import Entry  # here: it imports torch

    registry.HELPERS = current().root / "helpers"  # for what its cases name
    names = [module.name for module in pkgutil.iter_modules(importlib.import_module(package).__path__)]
    rooms = [vars(importlib.import_module(f"{package}.{name}")) for name in names]
    entries = [room["exercise"] for room in rooms if isinstance(room.get("exercise"), Entry | Exercise)]
    found = {each.id: each for each in (e.record if isinstance(e, Entry) else e for e in entries)}
    masters = [lessons.master_path(name) for name in lessons.names() if lessons.topic(name) == topic]
    placed = [id for master in masters if master.is_file() for id in _order(master.read_text("utf-8"))]
    return {id: found[id] for id in dict.fromkeys([*placed, *found]) if id in found}


def _order(master: str) -> list[str]:
    """The ids that a master's cells name, from top to bottom."""
    return _PLACED.findall(master)
