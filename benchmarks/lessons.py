"""How long each solved lesson takes from top to bottom, and how far its training runs get, device by device.

    python -m benchmarks.lessons [LESSON ...] [--devices cpu cuda] [--cores 2]

Each lesson has a kernel and cores of its own, and no models from other lessons: where it needs one, it trains
it. On the CPU, lessons run side by side if there are more cores; on a GPU, one after the other, beside those.
`import helpers` is timed afterwards.
"""

import argparse
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from functools import partial
from itertools import zip_longest
from multiprocessing.queues import SimpleQueue
from pathlib import Path
from statistics import median
from typing import NamedTuple

import nbclient
import nbformat
from rich.table import Column, Table

from autograder import lessons
from benchmarks.results import write

IMPORTS = ("", "import torch", "import torch, helpers", "import torch, helpers.checks")
RUNS = 5
# NOTEBOOK_TEXT in helpers/training/display.py: title, time, and what was last beside the bar
BAR = re.compile(r"(.+?): [\d,]+ of .* · ([\d:]+), \S+ left · [^,]+(?:, (.+))?")
GAVE_WAY = re.compile(r"This training runs on the CPU, since .*")


class Part(NamedTuple):
    """A lesson from top to bottom, or what one of its progress bars counted."""

    title: str
    seconds: float
    end: str = ""  # the losses, or why it stopped


def main() -> None:
    """Parse the options, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lessons", nargs="*", metavar="LESSON")
    parser.add_argument("--devices", nargs="+", default=["cpu"], metavar="DEVICE")
    parser.add_argument("--cores", type=int, default=2, help="of each lesson")
    options = parser.parse_args()
    names = [lessons.find(asked) for asked in options.lessons] or lessons.names()
    runs = measure(names, options.devices, options.cores)
    seconds = [Column(f"s, {device}", justify="right") for device in options.devices]
    table = Table("lesson", *seconds, *(f"ends with, {device}" for device in options.devices))
    for name in names:
        for parts in zip_longest(*(runs[name, device] for device in options.devices), fillvalue=Part("", 0)):
            title = name if parts[0].title == name else f"{name} {parts[0].title}"
            table.add_row(title, *(f"{x.seconds:.0f}" for x in parts), *(x.end for x in parts))
    command = " ".join(["python -m benchmarks.lessons", *sys.argv[1:]])
    about = (
        f"Each lesson has {options.cores} cores; its progress bars are listed below it. Lessons on the CPU "
        "run side by side. No models are kept from earlier lessons: a lesson that needs one trains it first."
    )
    title = " ".join(["Lessons from top to bottom", *options.lessons])
    write(title, command, about, table, imports())


def measure(names: list[str], devices: list[str], cores: int) -> dict[tuple[str, str], list[Part]]:
    """Each lesson on each device, printed as soon as it has ended."""
    usable = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    places = [usable[start : start + cores] for start in range(0, len(usable) - cores + 1, cores)] or [usable]
    with _workers(places[:1]) as first, _workers(places[1:] or places) as others:
        runs: dict[tuple[str, str], Future[list[Part]]] = {}
        for device in devices:
            pool = others if device == "cpu" and places[1:] else first
            for name in reversed(names):  # the last ones train, and take longest
                runs[name, device] = pool.submit(run, name, device)
                runs[name, device].add_done_callback(partial(_show, device))
        return {at: done.result() for at, done in runs.items()}


def _show(device: str, done: Future[list[Part]]) -> None:
    print(device, *(f"{part.title}: {part.seconds:.0f} s {part.end}" for part in done.result()), sep="\n    ")


def _workers(places: list[list[int]]) -> ProcessPoolExecutor:
    """Processes, each of which keeps to the cores of one place."""
    spawn = multiprocessing.get_context("spawn")
    left = spawn.SimpleQueue()
    for place in places:
        left.put(place)
    return ProcessPoolExecutor(len(places), spawn, _keep_to, (left,))


def _keep_to(left: SimpleQueue) -> None:
    if place := left.get():
        os.sched_setaffinity(0, place)


def run(name: str, device: str) -> list[Part]:
    """A solved lesson from top to bottom, and each of its bars; it ends early where a cell raises."""
    notebook, end = lessons.load_source_notebook(name), ""
    os.environ["HEADSTART_DEVICE"] = device
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HEADSTART_PROGRESS"] = str(Path(folder, "progress.json"))
        client, begun = nbclient.NotebookClient(notebook, timeout=None), time.perf_counter()
        try:
            client.execute(cwd=str(lessons.source_path(name).parent))
        except nbclient.exceptions.CellExecutionError as error:
            end = f"{error.ename}: {error.evalue}"
        return [Part(name, time.perf_counter() - begun, end), *bars(notebook)]


def bars(notebook: nbformat.NotebookNode) -> Iterator[Part]:
    """The progress bars of an executed lesson, and which of its training runs left the GPU."""
    for output in (output for cell in notebook.cells for output in cell.get("outputs", ())):
        if bar := BAR.fullmatch(output.get("data", {}).get("text/plain", "")):
            seconds = sum(60**power * int(number) for power, number in enumerate(bar[2].split(":")[::-1]))
            yield Part(f"· {bar[1]}", seconds, bar[3] or "")
        for sentence in GAVE_WAY.findall(output.get("text", "")):
            yield Part("·", 0, sentence)


def imports() -> Table:
    """How long Python takes to start and import."""
    table = Table("import", f"seconds, median of {RUNS}")
    times: dict[str, list[float]] = {code: [] for code in IMPORTS}
    for _ in range(RUNS):
        for code in IMPORTS:  # in turn, so that a slow moment of the machine hits all alike
            begun = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True, cwd=lessons.ROOT)
            times[code].append(time.perf_counter() - begun)
    for code, seconds in times.items():
        table.add_row(code or "nothing", f"{median(seconds):.2f}")
    return table


if __name__ == "__main__":
    main()
