"""An interrupt ends a training run after its step, with one sentence and nothing half done."""

import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import CodeType, FrameType


class Stopped(KeyboardInterrupt):
    """A run that was interrupted. Where a traceback would be, its sentence stands alone."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


@contextlib.contextmanager
def after_the_step() -> Iterator[Callable[[], bool]]:
    """Note an interrupt instead of raising it, as long as the loop runs that asks for the steps.

    A second interrupt is raised at once, and so is one that comes after that loop was left: by an exception,
    which leaves this waiting. For a generator: the loop is in the frame that calls it.

    Yields:
        A function that says whether an interrupt has come.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    loop = _caller_of_generator()
    came: list[int] = []
    before = signal.getsignal(signal.SIGINT)

    def note(number: int, frame: FrameType | None) -> None:
        if came or not _runs(loop, frame):
            signal.signal(signal.SIGINT, before)
            if callable(before):
                before(number, frame)
            return
        came.append(number)

    if not callable(before):  # ignored, or another program's
        yield lambda: False
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield lambda: bool(came)
    finally:
        if signal.getsignal(signal.SIGINT) is note:
            signal.signal(signal.SIGINT, before)


def _caller_of_generator() -> tuple[int, CodeType | None]:
    """The frame that runs the loop: the first that is neither ours nor contextlib's."""
    frame: FrameType | None = sys._getframe(1)
    while frame and frame.f_globals.get("__name__", "").startswith(("contextlib", "helpers.training")):
        frame = frame.f_back
    return id(frame), frame.f_code if frame else None


def _runs(loop: tuple[int, CodeType | None], frame: FrameType | None) -> bool:
    """Whether the frame of a loop is among those that led to this one."""
    while frame:
        if (id(frame), frame.f_code) == loop:
            return True
        frame = frame.f_back
    return False
