"""Slips to catch in a few lines from an earlier lesson, tried: which inputs show them."""

import ast
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from autograder.answers import known_packages
from autograder.drawing import reseed
from autograder.exercise import Exercise
from autograder.recall import INPUT, LETTERS, NONE, Recall
from helpers.checking.comparing import compare

Load = Callable[[str], Mapping[str, Exercise]]


def faults(item: Recall, load: Load) -> Iterator[str]:
    """How an entry says of an input that it shows a slip, and it doesn't, or the other way round.

    Args:
        item: the slip to catch.
        load: where the exercises of a topic come from.
    """
    if not (about := load(item.about.partition(".")[0]).get(item.about)):
        yield f'"{item.about}", which it is about, is no exercise; correct the id'
        return
    [name] = [node.name for node in ast.parse(item.code).body if isinstance(node, ast.FunctionDef)]
    reference = about.reference
    shows = []
    for letter, call in zip(LETTERS, item.inputs, strict=False):
        found, wanted = _result(item.code, call, {}), _result("", call, {name: reference})
        if isinstance(wanted, _Raised):
            yield f"on input {letter}, `{call}`, the reference raises {wanted}; change that input"
        elif not _same(found, wanted):
            shows.append(letter)
    says = [letter for letter in [item.reference[INPUT]] if letter != NONE]
    if shows != says:
        found, wanted = (" and ".join(each) or "none" for each in (shows, says))
        yield f"its slip shows on input {found}, but the entry says {wanted}; correct one of them"


class _Raised(str):
    """An exception by its kind."""


def _result(code: str, call: str, names: Mapping[str, object]) -> object:
    """What a call gives in a namespace in which some code has run."""
    room: dict[str, Any] = {"math": math, **known_packages(), **names}
    exec(code, room)
    reseed(0)
    try:
        return eval(call, room)
    except Exception as error:
        return _Raised(type(error).__name__)


def _same(left: object, right: object) -> bool:
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(map(_same, left, right))
    return type(left) is type(right) and compare(left, right) is None
