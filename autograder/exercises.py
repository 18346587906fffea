"""The exercises of a course: below `exercises/` a package for each topic, in it a module for each exercise.

A module with an `exercise` has one: an `Entry`, or the exercise itself. Others hold what several share.
"""

import importlib
import pkgutil
import re
import sys
from collections.abc import Sequence
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from types import ModuleType

from autograder.exercise import Exercise
from autograder.lessons import ROOT

_PLACED = re.compile(r'^# %%.*\b(?:exercise|recall)="([^"]+)"', re.MULTILINE)


class _InTheCourse:
    """Finds the package `exercises` in the course's folder, wherever Python is called."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return PathFinder.find_spec(name, [str(ROOT)]) if name == "exercises" else None


sys.meta_path.insert(0, _InTheCourse)


@cache
def load(topic: str) -> dict[str, Exercise]:
    """The exercises of a topic by id, in the order of its lesson; an empty dict for an unknown topic.

    Those that no cell of the lesson names come last.
    """
    package = f"exercises.{topic}"
    if find_spec(package) is None:
        return {}
    from autograder.entry import Entry  # here: it imports torch

    names = [module.name for module in pkgutil.iter_modules(importlib.import_module(package).__path__)]
    rooms = [vars(importlib.import_module(f"{package}.{name}")) for name in names]
    entries = [room["exercise"] for room in rooms if isinstance(room.get("exercise"), Entry | Exercise)]
    found = {each.id: each for each in (e.record if isinstance(e, Entry) else e for e in entries)}
    placed = [
        id for master in (ROOT / "notebooks").glob(f"*_{topic}.py") for id in _order(master.read_text())
    ]
    return {id: found[id] for id in dict.fromkeys([*placed, *found]) if id in found}


def _order(master: str) -> list[str]:
    """The ids that a master's cells name, from top to bottom."""
    return _PLACED.findall(master)
