"""The student's answers whose checks have passed, and a table of whose each part of a model is."""

import __future__

import html
import re
from dataclasses import dataclass
from typing import Any

from helpers.checking.code import keeping
from helpers.checking.finding import SIGNS, Status
from helpers.figures.showing import Table


@dataclass(frozen=True)
class Whose:
    """One part of a model: what it does, where it was written, and whose it is.

    Attributes:
        part: the name of the field or argument that it fills.
        what: it is, for people.
        exercise: the id of the exercise that asks for it.
        yours: whether the student's own is used.
        why: it isn't, for people.
    """

    part: str
    what: str
    exercise: str
    yours: bool = False
    why: str = ""


def table(rows: list[Whose]) -> Table:
    """Whose each part of a model is."""
    texts = [(row.what, "yours" if row.yours else "the course's", row.exercise, row.why) for row in rows]
    signs = [SIGNS[Status.PASSED if row.yours else Status.NOT_WRITTEN] for row in rows]
    lines = [
        f"{sign} {what:<24} {whose:<13} {exercise:<28} {why}".rstrip()
        for sign, (what, whose, exercise, why) in zip(signs, texts, strict=True)
    ]
    cells = [
        [html.escape(what), html.escape(f"{whose}: {why}" if why else whose), _breakable(exercise)]
        for what, whose, exercise, why in texts
    ]
    return Table(["part", "whose", "written in"], cells, "\n".join(lines))


def _breakable(name: str) -> str:
    """A dotted name as HTML that a narrow page breaks after its dots and underscores."""
    return re.sub("(?<=[._])", "<wbr>", html.escape(name))


def found(exercise: str) -> tuple[Any, str]:
    """What a kept answer makes when its source runs by itself; or None, and why there is nothing."""
    if not keeping.is_on():
        return None, "switched off"
    name, source = keeping.kept(exercise)
    if not source:
        return None, "its check hasn't passed here yet"
    room: dict[str, object] = {"__name__": f"own.{exercise}"}
    late = __future__.annotations.compiler_flag  # before Python 3.14 they would want their names at once
    try:
        exec(compile(source, f"<your {exercise}>", "exec", late), room)
        return room[name], ""
    except Exception as error:  # whatever it leans on that isn't there
        return None, f"by itself it stops with {type(error).__name__}"
