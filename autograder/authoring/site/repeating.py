"""What makes an executed lesson the same each time: a seed, and times that were measured once.

`times.json` keeps the times, by lesson and by cell, in the order in which the cell asks for them. A cell that
is new or changed is timed when it is next executed, and its times are to be committed. So two builds from
fresh clones on one machine give the same bytes.
"""

import hashlib
import json
import random
import re
from collections.abc import Callable
from pathlib import Path

from helpers.storage import write_whole

TIMES = Path(__file__).with_name("times.json")
ROW = re.compile(r"\[[^\[\]]*\]")
USED = "times-used.json"  # in the folder where a lesson runs
BEGIN = "from autograder.authoring.site import repeating\nrepeating.begin({lesson!r}, In)"


def begin(lesson: str, cells: list[str]) -> None:
    """In the kernel, before a lesson's first cell: seed, and let `helpers.timing` give the known times.

    Args:
        lesson: its name.
        cells: the sources of the cells that have run, and last of the one that runs, as in IPython's `In`.
    """
    import torch

    from helpers import timing

    torch.manual_seed(0)
    random.seed(0)
    timing.seconds = _known_first(timing.seconds, known(lesson), cells, Path(USED))


def _known_first(
    measure: Callable[..., float], times: dict[str, list[float]], cells: list[str], file: Path
) -> Callable[..., float]:
    """`measure`, which measures only what isn't known, and writes down what it gave."""
    import torch

    used: dict[str, list[float]] = {}

    def seconds(function: Callable, *inputs: object, laps: int = 5) -> float:
        cell = name_of(cells[-1])
        given, before = used.setdefault(cell, []), times.get(cell, [])
        if len(given) < len(before):
            given.append(before[len(given)])
        else:
            with torch.random.fork_rng():  # what it draws may not decide what comes after
                given.append(float(f"{measure(function, *inputs, laps=laps):.3g}"))
        file.write_text(json.dumps(used))
        return given[-1]

    return seconds


def name_of(source: str) -> str:
    """By which a cell's times are kept: a digest and its first line."""
    return f"{hashlib.sha256(source.strip().encode()).hexdigest()[:8]} {source.strip().splitlines()[0]}"


def known(lesson: str) -> dict[str, list[float]]:
    """The times of a lesson, by cell."""
    return json.loads(TIMES.read_text(encoding="utf-8")).get(lesson, {}) if TIMES.is_file() else {}


def keep(lesson: str, folder: Path) -> None:
    """Keep the times that a lesson has used, if any of them are new, and say so.

    Args:
        lesson: its name.
        folder: where it ran.
    """
    file = folder / USED
    used = json.loads(file.read_text()) if file.is_file() else {}
    if used == known(lesson):
        return
    every = json.loads(TIMES.read_text(encoding="utf-8")) if TIMES.is_file() else {}
    every[lesson] = used
    text = json.dumps({name: every[name] for name in sorted(every) if every[name]}, indent=1)
    rows = ROW.sub(lambda found: re.sub(r"\s+", " ", found[0]).replace("[ ", "[").replace(" ]", "]"), text)
    write_whole(TIMES, f"{rows}\n".encode())
    print(f"headstart: {lesson} was timed anew: commit {TIMES.name}")
