"""How long a child may go on: by the CPU time that it has used, whoever is graded beside it.

Wall time is a wide net below that, for a child that waits for something that never comes. What the child
spends in the queue for a processor, since the machine is busy, doesn't count. One that falls into the net may
have been kept waiting in another way: by the queues of its other threads, by a disk, for want of memory. Only
if the kernel says so, or doesn't say, is its submission run again with no other beside it. If the kernel says
that the cell did nothing but wait, the cells after it may wait only briefly.

When its time is up, the child gets what Ctrl-C sends: that ends an ordinary loop, and the next cell runs. Two
seconds later it is killed. Verdicts already given stand; the rest is *not run*, with the cause. The judge
waits until an interrupt has arrived before it says anything else.
"""

import contextlib
import fcntl
import math
import os
import socket
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Protocol

from autograder.limits import BRIEF_SECONDS, HELD, WAIT_SECONDS, WALL_PER_CPU

ASK_AGAIN = 1.0  # seconds: what a child has used is asked for no more often, where that isn't decisive
SHORTEST = 0.02  # seconds from one look at a child to the next


class Times(NamedTuple):
    """What a child has taken, in seconds.

    Attributes:
        used: CPU time.
        queued: for which it wanted a processor and got none.
        held: for which, at most, anything else of the machine's may have kept it waiting; None where the
            system doesn't say.
    """

    used: float
    queued: float
    held: float | None


class Timed(Protocol):
    """What knows a child's times: a `Worker`."""

    def times(self) -> Times:
        """The times of the child so far."""


class Clock:
    """The time of one notebook's child. All times are in seconds.

    Attributes:
        starved: whether wall time ran out before CPU time did, and the machine may be the reason.
        said: the limit that was reached last, for people.
        notebook_seconds: CPU time for all cells together.
    """

    def __init__(self, child: Timed, cell: float, notebook: float) -> None:
        self.starved, self.said = False, ""
        self._child, self.cell_seconds, self.notebook_seconds = child, cell, notebook
        self._asked, self._last = time.monotonic(), Times(0.0, 0.0, 0.0)  # when the child was, and the answer
        self._net = self._asked + WALL_PER_CPU * notebook
        self._limit, self._ends = notebook, self._net  # of what runs now, in CPU time and in time
        self._waited = False  # whether a cell only waited until its time was up
        self._patience = math.inf  # the end of what runs now, if it only waits
        self._brief = math.inf  # a shorter limit of what runs now, in CPU time
        self.start_cell()

    def start_cell(self) -> None:
        """Begin a cell's time."""
        if time.monotonic() - self._asked > ASK_AGAIN:
            self._ask()
        self._allow(self.cell_seconds)
        # defence: clock: of a notebook
        self._limit, self._ends = min(self._limit, self.notebook_seconds), min(self._ends, self._net)
        # defence: clock: patience
        self._patience = time.monotonic() + WAIT_SECONDS if self._waited else math.inf

    @contextlib.contextmanager
    def briefly(self) -> Iterator[None]:
        """Within the cell's time, what runs meanwhile has only a short one, until it is given grace."""
        self._ask()
        self._brief = self._at_most() + BRIEF_SECONDS
        try:
            yield
        finally:
            self._brief = math.inf

    def give_grace(self, seconds: float) -> None:
        """Begin the time from an interrupt to the end."""
        self._ask()
        self._allow(seconds)
        self._patience = self._brief = math.inf

    def _allow(self, seconds: float) -> None:
        # In doubt for the student: since it was last asked, the child may have used the one core that it has.
        # defence: clock: in doubt for the student
        self._limit = self._at_most() + seconds
        # defence: clock: the net
        self._ends = time.monotonic() + WALL_PER_CPU * seconds

    def _at_most(self) -> float:
        return self._last.used + time.monotonic() - self._asked

    def _ask(self) -> None:
        # defence: clock: it isn't time
        times, last = self._child.times(), self._last
        # defence: clock: not what it queues
        queued = times.queued - last.queued
        self._asked, self._last = time.monotonic(), times
        self._net, self._ends = self._net + queued, self._ends + queued
        # defence: clock: patience with who works
        self._patience += queued + times.used - last.used + (times.held or 0.0) - (last.held or 0.0)

    @property
    def notebook_is_over(self) -> bool:
        """Whether no time is left for another cell."""
        if self._at_most() > self.notebook_seconds or time.monotonic() > self._net:
            self._ask()
        return self._last.used > self.notebook_seconds or time.monotonic() > self._net

    def left(self) -> float:
        """How long to wait for the child before looking again; 0 when its time is up."""
        limit = min(self._limit, self._brief)
        if self._at_most() >= limit or time.monotonic() >= min(self._ends, self._patience):
            self._ask()
        # defence: clock: CPU time
        if self._last.used >= limit:
            kind, whole = " of CPU time", limit == self.notebook_seconds
            brief = f"{BRIEF_SECONDS:.0f} s{kind}"
            self.said = brief if limit == self._brief else self._limit_of(whole, 1, kind)
            return 0.0
        if (wall := min(self._ends, self._patience) - time.monotonic()) <= 0:
            self._wall_is_over()
            return 0.0
        return max(min(wall, limit - self._at_most()), SHORTEST)

    def _wall_is_over(self) -> None:
        if self._patience < self._ends:
            earlier = f"{WALL_PER_CPU * self.cell_seconds:.0f} s"
            self.said = f"{WAIT_SECONDS:.0f} s of waiting (an earlier cell had waited for {earlier})"
        else:
            self.said = self._limit_of(self._ends == self._net, WALL_PER_CPU, "")
        held = self._last.held
        # defence: clock: who sleeps isn't starved
        if held is None or held > HELD * WALL_PER_CPU * self.cell_seconds:
            self.starved = True
        else:
            self._waited = True

    def _limit_of(self, whole: bool, times: int, kind: str) -> str:
        if whole:
            return f"what was left of the notebook's {self.notebook_seconds * times:.0f} s{kind}"
        return f"{self.cell_seconds * times:.0f} s{kind}"

    @contextlib.contextmanager
    def stopped(self) -> Iterator[None]:
        """What the judge does meanwhile takes none of the student's time: their code waits."""
        begun = time.monotonic()
        yield
        # defence: clock: not the judge's
        ours = time.monotonic() - begun
        self._asked, self._patience = self._asked + ours, self._patience + ours
        self._net, self._ends = self._net + ours, self._ends + ours


def stalled() -> float | None:
    """Seconds since the start of the machine in which anything waited for a disk or for memory.

    None where the kernel doesn't count them.
    """
    try:
        counted = [Path("/proc/pressure", what).read_text() for what in ("io", "memory")]
        return sum(int(each.split("total=")[1].split()[0]) for each in counted) / 1e6
    except (OSError, ValueError, IndexError):
        return None


# -- the machine's cores, and who has them -----------------------------------------------------------------


CLAIM = "headstart-core"


def claim_core() -> tuple[int, socket.socket] | None:
    """A core for one worker's children: another than other workers of this user have, while there is one.

    Returns:
        Its number, and what holds it until it is closed; None where the system has no such thing.
    """
    if not hasattr(os, "sched_getaffinity"):
        return None
    cores = sorted(os.sched_getaffinity(0))
    for core in cores:
        claim = socket.socket(socket.AF_UNIX)  # the kernel forgets its name once nobody has it
        try:
            claim.bind(f"\0{CLAIM}-{os.getuid()}-{core}")
        except OSError:
            claim.close()
        else:
            return core, claim
    return cores[os.getpid() % len(cores)], socket.socket(socket.AF_UNIX)


@contextlib.contextmanager
def among_others(*, alone: bool = False) -> Iterator[None]:
    """Run a submission while others run on this machine, or wait for them and let none begin."""
    with _opened("door") as door, _opened("room") as room:
        fcntl.flock(door, fcntl.LOCK_EX)  # who waits to be alone stands in it
        # defence: clock: alone
        fcntl.flock(room, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        if not alone:
            fcntl.flock(door, fcntl.LOCK_UN)
        yield


@contextlib.contextmanager
def _opened(name: str) -> Iterator[int]:
    path = Path(tempfile.gettempdir(), f"headstart-{name}-{os.getuid()}")
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
