"""Answers whose check has passed, kept on the student's computer for the models of later lessons.

Like progress, they are for the student's eyes: nothing that is graded reads them. They can be switched off.
"""

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path

from helpers.checking import progress
from helpers.checking.code.tracing import source_of
from helpers.storage import write_whole

FIRST = "# {exercise}: {name}\n\n"  # the first line of a kept answer


def folder() -> Path:
    """Where answers are kept: `parts`, beside the student's progress."""
    return progress.path().parent / "parts"


def is_on() -> bool:
    """Whether answers are kept and used: not if switched off, or if `HEADSTART_OWN_PARTS` is 0."""
    return os.environ.get("HEADSTART_OWN_PARTS") != "0" and not (folder() / "off").exists()


def switch(on: bool) -> None:
    """Keep and use answers, or no more. What is kept stays."""
    with contextlib.suppress(OSError):
        if on:
            (folder() / "off").unlink(missing_ok=True)
        else:
            write_whole(folder() / "off", b"")


def keep(exercise: str, cells: Sequence[str], name: str) -> None:
    """Keep an answer with all that it leads to. A home that can't be written to costs that, not the lesson.

    Args:
        exercise: its id.
        cells: the code cells that ran, in their order. The last one calls `check`.
        name: of the judged object.
    """
    if not is_on() or not name.isidentifier():
        return
    with contextlib.suppress(OSError, UnicodeError):
        path = folder() / f"{exercise}.py"
        if text := source_of(cells, exercise, name):
            write_whole(path, (FIRST.format(exercise=exercise, name=name) + text).encode())
        else:  # what was kept before isn't what the student has now
            path.unlink(missing_ok=True)


def kept(exercise: str) -> tuple[str, str]:
    """The name of a kept answer and its source; two empty texts where there is none."""
    try:
        text = (folder() / f"{exercise}.py").read_text(encoding="utf-8")
    except (OSError, UnicodeError):
        return "", ""
    return text.partition("\n")[0].rpartition(": ")[2], text
