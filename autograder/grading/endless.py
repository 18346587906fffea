"""Answers that don't end, so that the checks which call them don't each wait for the whole limit.

An answer counts as one only if a single call of it, the first of its own check, used up a cell's CPU time
and was stopped in the answer's own cell. If some calls had ended, it may only be slow; if it was stopped in
another cell, its own loop may call that one without end. All that is taken from the child is the line it
names, so a student who makes one up shortens only their own time.
"""

import re
from collections.abc import Collection

from helpers.checking.calling.outcome import CallStatus, Outcome
from helpers.checking.sheet import Sheet

_LINE = re.compile(r"line (\d{1,6}): (.+)", re.DOTALL)
SEVERAL_CALLS = ("call_measured", "draws", "object", "train")  # drivers: one case is many calls of the answer
MEANING = (
    "“{}”, which this calls, doesn't end: fix that first. It has been waited for once, so here it had {}."
)


class Endless:
    """The answers of one submission of which it is known.

    Attributes:
        judged: the source of the cell of the answer that is judged now.
    """

    def __init__(self, ran: Collection[str]) -> None:
        """Begin a submission.

        Args:
            ran: the sources of its cells so far; each is added to it as it runs.
        """
        self.judged, self._ran = "", ran
        self._titles: dict[str, str] = {}  # of their exercises, by the source of the answer's cell

    def __bool__(self) -> bool:
        return bool(self._titles)

    def learn(self, sheet: Sheet, outcomes: list[Outcome]) -> None:
        """Take note of the answer if it is one: of what its check found, which had a cell's whole time."""
        first = outcomes[0]
        # defence: endless: a single call
        alone = first.status == CallStatus.INTERRUPTED and sheet.driver not in SEVERAL_CALLS
        # defence: endless: in the answer itself
        if alone and cell_of(first.where, self._ran) == self.judged:
            self._titles[self.judged] = sheet.title

    def stopped_in(self, outcomes: list[Outcome]) -> str:
        """The title of the other exercise in whose answer a call was stopped, if that has no end; else ""."""
        if outcomes[-1].status != CallStatus.INTERRUPTED:
            return ""
        cell = cell_of(outcomes[-1].where, self._ran)
        return self._titles.get(cell, "") if cell != self.judged else ""


def cell_of(where: str, cells: Collection[str]) -> str:
    """The only cell with a line, such as `line 4: while True:`; "" where it is none, or could be several."""
    if not (found := _LINE.fullmatch(where)):
        return ""
    number, text = int(found[1]), found[2]
    having = {cell for cell in cells if _line(cell, number).startswith(text)}
    # defence: endless: no other cell
    return having.pop() if len(having) == 1 else ""


def _line(cell: str, number: int) -> str:
    lines = cell.split("\n")
    return lines[number - 1].strip() if 0 < number <= len(lines) else ""
