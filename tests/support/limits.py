"""How long tests may take: by what they use of a machine, however busy it is.

A limit of so many seconds, by `pytest.mark.timeout`, `--timeout` or pyproject.toml, is over when a test and the
processes below it have used as many seconds of CPU time; or when as many have passed and nothing of the test has
asked for a processor since for a while: it waits for what never comes. One that is kept waiting by others gets more
time. Where the system doesn't say who is kept waiting, `NET` times the limit is the end.

Within a test, wait for an event, without a limit of its own; `until` does where there is none. What has to have a
limit, such as a browser's, takes `PATIENCE`.
"""

import contextlib
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import psutil
import pytest

PATIENCE = (
    1800.0  # seconds of wall time: a busy machine doesn't take them, and what hangs ends before, see above
)
LOOK = 5.0  # seconds from one look at a test to the next, once its limit has passed by the clock
IDLE = 30.0  # seconds in which a test that waits for nobody would ask for a processor
BUSY = 0.1  # of a processor: what asks for less only looks whether something has come
NET = 20


def until(condition: Callable[[], object], pause: float = 0.1) -> None:
    """Wait until something holds; for ever, where the test's own limit doesn't end it."""
    while not condition():
        time.sleep(pause)


@contextlib.contextmanager
def crowded(core: int, others: int = 3) -> Iterator[list[str]]:
    """Make a core busy with other processes that never rest: whatever else runs there gets its share alone.

    Yields:
        Words before a command, which keep it to this core.
    """
    busy = [
        # A session each: Linux may give sessions equal shares, instead of processes.
        subprocess.Popen([*on_core(core), sys.executable, "-c", "while True: pass"], start_new_session=True)
        for _ in range(others)
    ]
    try:
        yield on_core(core)
    finally:
        for process in busy:
            process.kill()
            process.wait()


def on_core(core: int) -> list[str]:
    """Words before a command that keep it to a core."""
    return [sys.executable, "-c", f"import os, sys\nos.sched_setaffinity(0, {{{core}}})\n{BECOME}"]


BECOME = "os.execvp(sys.argv[1], sys.argv[1:])"


class Own:
    """What a test has used, and whether it waits, by the processes below this one."""

    def __init__(self) -> None:
        self._begun, self._before = time.time(), _used_here()
        self._earlier: dict[
            int, float
        ] = {}  # CPU time of processes that were there before, from the first look on

    def look(self) -> tuple[float, float]:
        """CPU seconds used since the beginning, and seconds of processors that have been asked for, so far."""
        used, asked = _used_here() - self._before, 0.0
        me = psutil.Process()
        for process in [me, *me.children(recursive=True)]:
            with contextlib.suppress(psutil.Error):
                asked += _asked(process)
                if process.pid != me.pid:
                    theirs = sum(process.cpu_times()[:4])
                    if process.create_time() < self._begun:
                        theirs -= self._earlier.setdefault(process.pid, theirs)
                    used += theirs
        return used, asked


def _used_here() -> float:
    kinds = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(kind.ru_utime + kind.ru_stime for kind in kinds)


def _asked(process: psutil.Process) -> float:
    """Seconds for which a process ran or was kept waiting for a processor; by Linux, else those that it ran."""
    times = 0
    for path in Path(f"/proc/{process.pid}/task").glob("*/schedstat"):
        with contextlib.suppress(OSError):
            times += sum(map(int, path.read_text().split()[:2]))
    return times / 1e9 or sum(process.cpu_times()[:2])


class Limit:
    """A test's limit, from now on."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._own, self._ends = seconds, Own(), time.monotonic() + NET * seconds
        self._looked, self._asked = 0.0, 0.0
        self._idle = 0.0

    def left(self) -> float:
        """To be called once the limit has passed by the clock: seconds until the next call, 0 where it is over."""
        now, (used, asked) = time.monotonic(), self._own.look()
        if self._looked:
            passed = now - self._looked
            self._idle = self._idle + passed if asked - self._asked < BUSY * passed else 0.0
        self._looked, self._asked = now, asked
        over = used >= self._seconds or self._idle >= min(IDLE, self._seconds) or now > self._ends
        return 0.0 if over else min(LOOK, self._seconds)


@pytest.hookimpl(wrapper=True)
def pytest_timeout_set_timer(settings) -> Generator[None, object, object]:
    """Let pytest-timeout ask whether the time is over before it ends a test."""
    done = yield
    over = signal.getsignal(signal.SIGALRM) if settings.method == "signal" else None
    if callable(over):
        limit = Limit(settings.timeout)

        def look(number: int, frame: object) -> None:
            __tracebackhide__ = True
            if left := limit.left():
                signal.setitimer(signal.ITIMER_REAL, left)
            else:
                over(number, frame)

        signal.signal(signal.SIGALRM, look)
    return done
