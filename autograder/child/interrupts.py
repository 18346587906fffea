"""When an interrupt reaches student code: while that runs, and at no other moment.

Else one that comes a little late or early would break a message in two, or end the next cell.
"""

import signal
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Interrupts:
    """Hears SIGINT in the child, from its first moment on. Each cell is interrupted once at most."""

    def __init__(self) -> None:
        self._open = self._waiting = self._spent = False

    def listen(self) -> None:
        """Become the handler of this process, which does nothing, and of those that it forks."""
        signal.signal(signal.SIGINT, self._hear)

    def forget(self) -> None:
        """Begin a cell: what was meant for the one before is over."""
        self._open = False
        # defence: interrupts: of the cell before
        self._waiting = self._spent = False

    def _hear(self, *_: object) -> None:
        self._waiting = not self._spent
        self._raise()

    def _raise(self) -> None:
        # defence: interrupts: not between cells
        if self._open and self._waiting:
            self._waiting, self._spent = False, True  # first: nothing is raised while this one is caught
            raise KeyboardInterrupt

    def run(self, student: Callable[[], T]) -> T | None:
        """Run student code, and let an interrupt end it: one that comes, or one that was kept back.

        Returns:
            What it returns; None if it was interrupted.
        """
        before = self._open
        try:
            try:
                self._open = True
                self._raise()
                return student()
            finally:
                self._open = before
        except KeyboardInterrupt:
            self._open = before  # it may have come just before the same line above
            return None

    def keep_back(self, ours: Callable[[], None]) -> None:
        """Run code of ours in the midst of a student's, and keep interrupts back until it is done."""
        # defence: interrupts: not in a message
        before, self._open = self._open, False
        try:
            ours()
        finally:
            self._open = before
        self._raise()
