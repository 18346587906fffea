"""Ports for servers that have to be told theirs."""

import contextlib
import os
import random
import socket

# Below those that systems hand out by themselves, to connections and to whoever asks for any, as kernels do: a
# server takes its port seconds after it was found free.
OURS = range(20_000, 32_000)


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on, and that no other worker of pytest-xdist takes meanwhile."""
    worker, workers = (os.environ.get(f"PYTEST_XDIST_WORKER{what}") for what in ("", "_COUNT"))
    mine = OURS[int((worker or "gw0")[2:]) :: int(workers or 1)]
    found: list[int] = []
    while len(found) < count:
        port = random.SystemRandom().choice(mine)
        with socket.socket() as trial, contextlib.suppress(OSError):
            trial.bind(("127.0.0.1", port))
            found += [port] if port not in found else []
    return found
