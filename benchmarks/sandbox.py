"""What the sandbox costs: for a class, for each submission, and for each system call that its code makes.

    python -m benchmarks.sandbox [--submissions N] [--rounds N]

All is done with the sandbox and without it in turns. A worker is started until it is warm; its CPU time is
that of this process meanwhile and of all that it started. A submission runs one empty cell; its CPU time is
that of the worker and all that it starts. So a busy machine changes little but the wall time. What the
kernel's own threads clear up afterwards isn't in it.
"""

import argparse
import contextlib
import statistics
import time
from collections.abc import Iterator

import psutil
from rich.table import Table

from autograder.child import wire
from autograder.grading.workers import Worker
from autograder.lessons import helper_files
from benchmarks.results import write

CLASS = 100  # submissions, which one start of a worker serves: judges beside the first get twins of it
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
    both = (True, False)
    starts = [[_start(sandboxed=each) for each in both] for _ in range(options.rounds)]
    with _worker(sandboxed=True) as inside, _worker(sandboxed=False) as outside:
        workers = (inside, outside)
        rounds = [[_each(worker, options.submissions) for worker in workers] for _ in range(options.rounds)]
        calls = [[_per_call(worker) for worker in workers] for _ in range(options.rounds)]
    measured = {
        "starting a worker, ms of CPU time": _medians([[cpu for cpu, _ in row] for row in starts], 1e3),
        "the same, ms of wall time": _medians([[wall for _, wall in row] for row in starts], 1e3),
        "a submission, ms of CPU time": _medians(rounds, 1e3),
        "a system call from Python, ns": _medians(calls, 1e9),
    }
    table = Table("", "with", "without", "the sandbox costs")
    for what, (ours, theirs) in measured.items():
        table.add_row(what, f"{ours:.1f}", f"{theirs:.1f}", f"{ours - theirs:.1f}")
    start, _, submission, _ = (ours - theirs for ours, theirs in measured.values())
    write(
        "The sandbox",
        "python -m benchmarks.sandbox",
        table,
        f"A submission is one empty cell; medians of {options.rounds} rounds of {options.submissions}. "
        f"A class starts one worker, so in a class of {CLASS} the sandbox costs "
        f"{submission + start / CLASS:.1f} ms of CPU time for each submission.",
    )


def _medians(rows: list[list[float]], unit: float) -> tuple[float, float]:
    """With the sandbox and without."""
    ours, theirs = (statistics.median(column) * unit for column in zip(*rows, strict=True))
    return ours, theirs


def _start(*, sandboxed: bool) -> tuple[float, float]:
    """CPU and wall seconds of starting a worker."""
    begun, own = time.perf_counter(), time.process_time()
    worker = Worker(helper_files(1), sandboxed=sandboxed, few=0)
    try:
        worker.start()
        wall, own = time.perf_counter() - begun, time.process_time() - own
        return own + sum(map(_used, psutil.Process().children(recursive=True))), wall
    finally:
        worker.stop()


def _used(process: psutil.Process) -> float:
    """CPU seconds of a process, and of those that it started and that have ended.

    By its clock, since /proc counts in hundredths. When bubblewrap ends, nobody is told what it used inside.
    """
    ended = process.cpu_times()
    return time.clock_gettime(~process.pid << 3 | 2) + ended.children_user + ended.children_system


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
