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
    """The answers of one submission of which it is known.

    Attributes:
        judged: the source of the cell of the answer that is judged now.
    """

    def __init__(self, cell_seconds: float, ran: Collection[str]) -> None:
        """Begin a submission.

        Args:
            cell_seconds: the CPU time that a cell has.
            ran: the sources of its cells so far; each is added to it as it runs.
        """
        self.judged, self._ran, self._nearly = "", ran, NEARLY * cell_seconds
        self._titles: dict[str, str] = {}  # of their exercises, by the source of the answer's cell

    def __bool__(self) -> bool:
        return bool(self._titles)

    def learn(self, sheet: Sheet, outcomes: list[Outcome]) -> None:
        """Take note of the answer if it is one: of what its check found, which had a cell's whole time."""
        last = outcomes[-1]
        whole = outcomes[0].status == CallStatus.INTERRUPTED or (last.seconds or 0) >= self._nearly
        # defence: endless: a single call
        alone = last.status == CallStatus.INTERRUPTED and whole and sheet.driver not in SEVERAL_CALLS
        # defence: endless: in the answer itself
        if alone and cell_of(last.where, self._ran) == self.judged:
            self._titles[self.judged] = sheet.title

    def stopped_in(self, outcomes: list[Outcome]) -> str:
        """The title of the other exercise in whose answer a call was stopped, if that has no end; else ""."""
        if outcomes[-1].status != CallStatus.INTERRUPTED:
            return ""
        cell = cell_of(outcomes[-1].where, self._ran)
        return self._titles.get(cell, "") if cell != self.judged else ""
