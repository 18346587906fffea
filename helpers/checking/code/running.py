"""How a notebook's cells are run: which of them ended with an exception in their last run, and at which line.

IPython tells after each cell: 7.34, which Colab has, as well as today's. Before a cell runs, characters that
Python refuses are read as what they look like, and lines that ask for what isn't there are left out.
"""

import sys
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from helpers.checking.code.absent import LeaveOut
from helpers.checking.code.lookalikes import as_it_looks


@dataclass(frozen=True)
class Failure:
    """How a cell's run ended early.

    Attributes:
        error: the exception's type.
        line: of the cell, or of what stands below its `%%` magic, where it was raised; 0 if nothing ran.
    """

    error: str
    line: int


_failures: dict[int, Failure] = {}  # by the number that a notebook shows beside a cell
_shown: list[BaseException | None] = [None]  # the last exception that IPython has shown
_remarked: list[tuple[int, str]] = [(0, "")]  # the last remark on characters, and in which cell


def failures() -> dict[int, Failure]:
    """The cells that failed, by their place in the history."""
    return _failures


def watch(shell: Any) -> None:
    """Do so from now on with the cells of a shell; None, outside of a notebook, has none."""
    if shell is None:
        return
    _failures.clear()
    shell.events.register("post_run_cell", _note)
    if not any(isinstance(each, LeaveOut) for each in shell.ast_transformers):
        shell.ast_transformers.append(LeaveOut(shell))
    if _as_they_look not in shell.input_transformers_post:
        shell.input_transformers_post.append(_as_they_look)


def _as_they_look(lines: list[str]) -> list[str]:
    """A cell's lines as a reader sees them. IPython asks for them more than once, and it is said once."""
    reading = as_it_looks("".join(lines))
    said = (sys.modules["IPython"].get_ipython().execution_count, reading.remark)
    if reading.remark and said != _remarked[0]:
        _remarked[0] = said
        print(f"{reading.remark}.", file=sys.stderr)
    return reading.source.splitlines(keepends=True)


def _note(result: Any) -> None:
    number = getattr(result, "execution_count", None)
    if number is None:
        return
    _failures.pop(number, None)
    error = result.error_before_exec or result.error_in_exec
    magic = str(getattr(result.info, "raw_cell", "")).lstrip().startswith("%%")
    shown = getattr(sys, "last_value", None)
    if magic and not error and shown is not _shown[0]:  # older IPythons' `%%time` shows it and goes on
        error = shown
    _shown[0] = shown
    if error:
        line = 0 if result.error_before_exec else _line(error.__traceback__, last=magic)
        _failures[number] = Failure(type(error).__name__[:100], line)


def _line(traceback: TracebackType | None, *, last: bool) -> int:
    """The line of a cell at which an exception passed through it: of its code, not of a function in it."""
    found = 0
    while traceback and (last or not found):
        frame = traceback.tb_frame
        ours = frame.f_globals.get("__name__") == "__main__"
        if ours and frame.f_code.co_name.startswith(("<module>", "<cell line")):
            found = traceback.tb_lineno
        traceback = traceback.tb_next
    return found
