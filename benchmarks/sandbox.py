"""What the sandbox costs: for each submission, and for each system call that its code makes.

    python -m benchmarks.sandbox [--submissions N] [--rounds N]

A submission here runs one empty cell, with the sandbox and without it in turns. Its time is the CPU time
of the worker and all that it starts, so a busy machine changes little. What the kernel's own threads clear up
afterwards isn't in it.
"""

import argparse
import contextlib
import statistics
from collections.abc import Iterator

from rich.table import Table

from autograder.child import wire
from autograder.grading.workers import Worker
from autograder.lessons import helper_files
from benchmarks.results import write

CALLS = 1_000_000
# `getppid` is one of the calls that the filter looks at last of those that Python makes without arguments.
LOOP = f"""
import os, time
begun = time.process_time()
for _ in range({CALLS}):
    os.getppid()
print(time.process_time() - begun)
"""


def main() -> None:
    """Parse the options, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--submissions", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with _worker(sandboxed=True) as inside, _worker(sandboxed=False) as outside:
        rounds = [
            [_each(worker, options.submissions) for worker in (inside, outside)]
            for _ in range(options.rounds)
        ]
        calls = [[_per_call(worker) for worker in (inside, outside)] for _ in range(options.rounds)]
    table = Table("", "with", "without", "the sandbox costs")
    for what, rows, unit in (
        ("a submission, ms of CPU time", rounds, 1e3),
        ("a system call from Python, ns", calls, 1e9),
    ):
        ours, theirs = (statistics.median(column) * unit for column in zip(*rows, strict=True))
        table.add_row(what, f"{ours:.1f}", f"{theirs:.1f}", f"{ours - theirs:.1f}")
    write(
        "The sandbox",
        "python -m benchmarks.sandbox",
        table,
        f"A submission is one empty cell; medians of {options.rounds} rounds of {options.submissions}.",
    )


@contextlib.contextmanager
def _worker(*, sandboxed: bool) -> Iterator[Worker]:
    """A warm worker, made ready for many submissions."""
    worker = Worker(helper_files(1), sandboxed=sandboxed, few=0)
    try:
        _run(worker, "")
        yield worker
    finally:
        worker.stop()


def _run(worker: Worker, cell: str) -> tuple[str, float]:
    """What a child that runs one cell prints, and the CPU seconds of the worker so far."""
    with worker.begin() as channel:
        wire.send(channel, {"run": cell})
        outputs = wire.receive(channel)["done"]
        used = worker.end().worker_seconds
    return "".join(output["text"] for output in outputs), used


def _each(worker: Worker, submissions: int) -> float:
    """CPU seconds of a submission with one empty cell."""
    _, before = _run(worker, "")
    *_, (_, after) = (_run(worker, "") for _ in range(submissions))
    return (after - before) / submissions


def _per_call(worker: Worker) -> float:
    """Seconds that a system call takes, with what Python does for it."""
    said, _ = _run(worker, LOOP)
    return float(said) / CALLS


if __name__ == "__main__":
    main()
