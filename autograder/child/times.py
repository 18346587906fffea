"""What the kernel says of a child's time: what it used, and what it spent in the queue for a processor."""

import contextlib
import os
import sys
import time
from pathlib import Path

UNSEEN = 10  # times as long as it ran, a thread may have queued that ended before anybody saw it


class Meter:
    """Reads the times of one process, from now on, in seconds.

    Attributes:
        pid: its number.
    """

    def __init__(self, pid: int) -> None:
        self.pid, self._begun = pid, time.monotonic()
        self._threads: dict[str, tuple[float, float]] = {}  # ran, queued: of each when it was last seen

    def read(self) -> dict[str, float | None]:
        """The times until now.

        Returns:
            `used`, CPU time of all threads, or where the system doesn't say, time itself; `queued`, for which
            the main thread, in which cells run, was ready to run and something else ran; `others_queued`, the
            same of all other threads together, those that have ended included: None where the system doesn't
            say.

        Raises:
            OSError: the process has ended.
        """
        if sys.platform != "linux":
            return {"used": time.monotonic() - self._begun, "queued": 0.0, "others_queued": None}
        used = time.clock_gettime(~self.pid << 3 | 2)  # a process's clock, as clock_getcpuclockid makes it
        self._look()
        if not self._threads:
            return {"used": used, "queued": 0.0, "others_queued": None}
        # Not the sum of all: many that queue behind each other would make more of it than time has passed.
        _, queued = self._threads.get(str(self.pid), (0.0, 0.0))
        unseen = max(0.0, used - sum(ran for ran, _ in self._threads.values()))
        # defence: times: threads that nobody saw
        others = sum(each for _, each in self._threads.values()) - queued + UNSEEN * unseen
        return {"used": used, "queued": queued, "others_queued": others}

    def _look(self) -> None:
        with contextlib.suppress(OSError):
            for thread in os.listdir(f"/proc/{self.pid}/task"):
                # It may have ended meanwhile; and not every system says so.
                with contextlib.suppress(OSError, ValueError, IndexError):
                    ran, queued, *_ = Path(f"/proc/{self.pid}/task/{thread}/schedstat").read_text().split()
                    if int(ran):  # a kernel that counts nothing says 0
                        # defence: times: threads that have ended
                        self._threads[thread] = int(ran) / 1e9, int(queued) / 1e9
