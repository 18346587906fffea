"""How long something takes here, by the processor's time: other programs take none of that."""

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from timeit import repeat

# On Windows, the processor's time goes in steps of 16 ms.
clock = time.perf_counter if sys.platform == "win32" else time.process_time


def seconds(function: Callable, *inputs: object, laps: int = 5) -> float:
    """The least time of several calls, on one core and without gradients: the one least disturbed.

    Args:
        function: what to time. It is called once before, to warm up.
        inputs: its arguments.
        laps: how many calls.
    """
    with _undisturbed():
        function(*inputs)
        return min(repeat(lambda: function(*inputs), timer=clock, number=1, repeat=laps))


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Of torch, where that is there, one thread and no gradients."""
    if not (torch := sys.modules.get("torch")):
        yield
        return
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.no_grad():
            yield
    finally:
        torch.set_num_threads(threads)
