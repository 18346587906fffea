"""Programs that change a folder at the same time, and those that read it meanwhile, take turns."""

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]

PATIENCE = 60.0  # seconds; then it goes on as if nobody were there: somebody may keep a lock for ever
PAUSE = 0.01


@contextlib.contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Wait until nobody changes or reads a folder, and keep others from it who ask in the same way.

    Where folders can't be locked, as on some network file systems, nobody waits.

    Args:
        folder: where it is; it is made if there is none.
    """
    folder.mkdir(parents=True, exist_ok=True)
    at = os.open(folder, os.O_RDONLY)
    try:
        wait_for(at)
        yield
    finally:
        os.close(at)


def wait_for(folder: int, *, reading: bool = False) -> None:
    """The same until a descriptor is closed; others may read the folder at the same time if this reads it."""
    if fcntl is None:
        return
    until = time.monotonic() + PATIENCE
    how = fcntl.LOCK_SH if reading else fcntl.LOCK_EX
    while True:
        try:
            fcntl.flock(folder, how | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() < until:
                time.sleep(PAUSE)
                continue
        except OSError:  # there are no locks here
            pass
        return
