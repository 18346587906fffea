"""Answers that don't end, so that the checks which call them don't each wait for the whole limit.

An answer counts as one only if a single call of it, in its own check, used up nearly all of a cell's CPU
time and was stopped in the answer's own cell. Calls that ended before it took little, so it isn't only slow;
if it was stopped in another cell, its own loop may call that one without end. All that is taken from the
child is the line and the time it names, so a student who makes them up shortens only their own time.
"""

from collections.abc import Collection

from helpers.checking.calling.outcome import CallStatus, Outcome
from helpers.checking.code.tracing import cell_of
from helpers.checking.sheet import Sheet

SEVERAL_CALLS = ("call_measured", "draws", "object", "train")  # drivers: one case is many calls of the answer
NEARLY = 0.8  # of a cell's time: the rest is for calls that ended before it
MEANING = (
    "“{}”, which this calls, doesn't end: fix that first. It has been waited for once, so here it had {}."
)


class Endless:
    """The answers of one submission of which it is known."""

    def __init__(self, cell_seconds: float) -> None:
        self._nearly = NEARLY * cell_seconds
        self._titles: dict[str, str] = {}  # of their exercises, by the source of the answer's cell

    def __bool__(self) -> bool:
        return bool(self._titles)

    def learn(self, sheet: Sheet, outcomes: list[Outcome], answer: str, ran: Collection[str]) -> None:
        """Take note of an answer whose check had a cell's whole time.

        Args:
            sheet: of its exercise.
            outcomes: of the check.
            answer: the source of the answer's cell.
            ran: those of the cells so far.
        """
        last = outcomes[-1]
        whole = outcomes[0].status == CallStatus.INTERRUPTED or (last.seconds or 0) >= self._nearly
        # defence: endless: a single call
        alone = last.status == CallStatus.INTERRUPTED and whole and sheet.driver not in SEVERAL_CALLS
        # defence: endless: in the answer itself
        if alone and cell_of(last.where, ran) == answer:
            self._titles[answer] = sheet.title

    def stopped_in(self, outcomes: list[Outcome], ran: Collection[str], answer: str) -> str:
        """The title of the other exercise in whose answer a call was stopped, if that doesn't end; else "".

        Args:
            outcomes: of a check.
            ran: the sources of the cells so far.
            answer: that of the cell of the answer whose check it is.
        """
        if outcomes[-1].status != CallStatus.INTERRUPTED:
            return ""
        cell = cell_of(outcomes[-1].where, ran)
        return self._titles.get(cell, "") if cell != answer else ""
