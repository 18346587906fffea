"""Writes what a benchmark measured into benchmarks/RESULTS.md, with machine, date and commit.

From its tables the build fills numbers into the lessons (`autograder/authoring/measured.py`).
"""

import datetime
import os
import platform
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import torch
from rich.console import Console
from rich.table import Table

from autograder.lessons import ROOT

PATH = ROOT / "benchmarks" / "RESULTS.md"
HEADER = """# Results

Each section is written by the command it names. Figures of one section come from one run.
"""


class Parts(list[Table | str]):
    """What a benchmark prints, kept for its section."""

    def print(self, part: Table | str) -> None:
        """Keep a table, or a sentence."""
        self.append(part)


def record(title: str, measure: Callable[[Parts], None], command: str = "") -> None:
    """Measure, and write what was printed as a section. The command is the one that runs, unless given."""
    parts = Parts()
    measure(parts)
    module = Path(sys.argv[0]).stem
    write(title, command or " ".join([f"python -m benchmarks.{module}", *sys.argv[1:]]), *parts)


def write(title: str, command: str, *parts: Table | str) -> None:
    """Print a section, and put it into RESULTS.md in the place of an older one of the same title."""
    text = "\n".join([f"## {title}", "", f"`{command}`, {conditions()}", "", *map(_markdown, parts)])
    console = Console(width=150)
    for part in parts:
        console.print(part)
    known = PATH.read_text(encoding="utf-8") if PATH.is_file() else HEADER
    header, *sections = re.split(r"^(?=## )", known, flags=re.MULTILINE)
    by_title = {section.partition("\n")[0].removeprefix("## "): section for section in sections}
    by_title[title] = text
    written = [header, *by_title.values()]
    PATH.write_text("\n\n".join(part.strip("\n") for part in written) + "\n", encoding="utf-8")


def conditions() -> str:
    """Machine, versions, date and commit, as a line."""
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True
    ).stdout.strip()
    gpu = f", {torch.cuda.get_device_name()}" if torch.cuda.is_available() else ""
    return (
        f"{_processor()}, {os.cpu_count()} cores, {_memory()} GiB{gpu}; {platform.system()}, Python "
        f"{platform.python_version()}, torch {torch.__version__}; {datetime.date.today()}, commit {commit}."
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(": ", 1)[1] for line in lines if line.startswith("model name"))
    except (OSError, StopIteration, IndexError):
        return platform.processor() or platform.machine()


def _memory() -> int:
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)


def _markdown(part: Table | str) -> str:
    """A table as Markdown; text as it is."""
    if isinstance(part, str):
        return f"{part}\n"
    heads = [str(column.header) for column in part.columns]
    rows = zip(*(list(column.cells) for column in part.columns), strict=True)
    rules = ["---:" if column.justify == "right" else "---" for column in part.columns]
    lines = [heads, rules, *([str(cell) for cell in row] for row in rows)]
    title = f"{part.title}\n\n" if part.title else ""
    return title + "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"
