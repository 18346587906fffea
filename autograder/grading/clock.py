"""How long a child may go on: by the CPU time that it has used, whoever is graded beside it.

Wall time is a wide net below that, for a child that waits for something that never comes. What the child
spends in the queue for a processor, since the machine is busy, doesn't count. One that falls into the net may
have been kept waiting in another way, so its submission is run again with no other beside it.

When its time is up, the child gets what Ctrl-C sends: that ends an ordinary loop, and the next cell runs. Two
seconds later it is killed. Verdicts already given stand; the rest is *not run*, with the cause. The judge
waits until an interrupt has arrived before it says anything else.
"""

import contextlib
import fcntl
import os
import socket
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from autograder.limits import WALL_PER_CPU

ASK_AGAIN = 1.0  # seconds: what a child has used is asked for no more often, where that isn't decisive
SHORTEST = 0.02  # seconds from one look at a child to the next


class Timed(Protocol):
    """What knows a child's times: a `Worker`."""

    def times(self) -> tuple[float, float]:
        """CPU seconds used so far, and seconds for which the child wanted a processor and got none."""


class Clock:
    """The time of one notebook's child. All times are in seconds.

    Attributes:
        starved: whether wall time ran out before CPU time did.
        notebook_seconds: CPU time for all cells together.
    """

    def __init__(self, child: Timed, cell: float, notebook: float) -> None:
        self.starved = False
        self._child, self._cell, self.notebook_seconds = child, cell, notebook
        self._asked, self._used = time.monotonic(), 0.0  # when the child was asked, and what it had used then
        self._queued = 0.0  # for a processor, by then
        self._net = self._asked + WALL_PER_CPU * notebook
        self._limit, self._ends = notebook, self._net  # of what runs now, in CPU time and in time
        self.start_cell()

    def start_cell(self) -> None:
        """Begin a cell's time."""
        if time.monotonic() - self._asked > ASK_AGAIN:
            self._ask()
        self._allow(self._cell)
        # defence: clock: of a notebook
        self._limit, self._ends = min(self._limit, self.notebook_seconds), min(self._ends, self._net)

    def give_grace(self, seconds: float) -> None:
        """Begin the time from an interrupt to the end."""
        self._ask()
        self._allow(seconds)

    def _allow(self, seconds: float) -> None:
        # In doubt for the student: since it was last asked, the child may have used the one core that it has.
        # defence: clock: in doubt for the student
        self._limit = self._at_most() + seconds
        # defence: clock: the net
        self._ends = time.monotonic() + WALL_PER_CPU * seconds

    def _at_most(self) -> float:
        return self._used + time.monotonic() - self._asked

    def _ask(self) -> None:
        # defence: clock: it isn't time
        self._used, queued = self._child.times()
        # defence: clock: not what it queues
        self._asked, more, self._queued = time.monotonic(), queued - self._queued, queued
        self._net, self._ends = self._net + more, self._ends + more

    @property
    def notebook_is_over(self) -> bool:
        """Whether no time is left for another cell."""
        if self._at_most() > self.notebook_seconds or time.monotonic() > self._net:
            self._ask()
        return self._used > self.notebook_seconds or time.monotonic() > self._net

    @property
    def said(self) -> str:
        """The limit that was reached, for people."""
        whole = self._ends == self._net if self.starved else self._limit == self.notebook_seconds
        seconds = (self.notebook_seconds if whole else self._cell) * (WALL_PER_CPU if self.starved else 1)
        kind = "" if self.starved else " of CPU time"
        return f"what was left of the notebook's {seconds:.0f} s{kind}" if whole else f"{seconds:.0f} s{kind}"

    def left(self) -> float:
        """How long to wait for the child before looking again; 0 when its time is up."""
        if self._at_most() >= self._limit or time.monotonic() >= self._ends:
            self._ask()
        # defence: clock: CPU time
        if self._used >= self._limit:
            return 0.0
        if (wall := self._ends - time.monotonic()) <= 0:
            self.starved = True
            return 0.0
        return min(wall, max(self._limit - self._at_most(), SHORTEST))

    @contextlib.contextmanager
    def stopped(self) -> Iterator[None]:
        """What the judge does meanwhile takes none of the student's time: their code waits."""
        begun = time.monotonic()
        yield
        # defence: clock: not the judge's
        ours = time.monotonic() - begun
        self._asked, self._net, self._ends = self._asked + ours, self._net + ours, self._ends + ours


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
