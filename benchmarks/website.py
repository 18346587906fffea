"""The website: how long it takes to build once the lessons are executed, and what each page weighs.

    make site && python -m benchmarks.website

builds it again, and counts each page with all that it asks for, but the formulas' fonts. Trainings that are
shortened by HEADSTART_QUICK=60 change hardly a byte.
"""

import gzip
import os
import re
import resource
import subprocess
import sys
from functools import cache
from pathlib import Path

from rich.table import Table

from autograder.authoring.site.building import SITE
from benchmarks.results import Parts, record

MADE = SITE / "html"
ASKED = re.compile(r'\b(?:src|href)="([^":?#]+\.(?:css|js|svg|png))(?:\?[^"]*)?"')
FIGURES = ("figures", "_images")  # asked for as one reads on, but numbers of explorers


def main() -> None:
    """Build and weigh."""
    quick = os.environ.get("HEADSTART_QUICK", "")
    record("The website", measure, f"{quick and f'HEADSTART_QUICK={quick} '}python -m benchmarks.website")


def measure(parts: Parts) -> None:
    """The build's CPU time, and a row for each page."""
    before = _children()
    subprocess.run([sys.executable, "-m", "autograder.authoring.site.building"], check=True)
    pages = sorted(MADE.glob("*.html"))
    parts.print(f"pages: {len(pages)}; CPU seconds, with the lessons executed: {_children() - before:.0f}")
    table = Table(
        "page", *(f"kB {what}" for what in ("as it opens", "with every figure", "of that, compressed"))
    )
    for column in table.columns[1:]:
        column.justify = "right"
    for page in pages:
        figures = [file for file in _asked(page) if file.parent.name in FIGURES and file.suffix != ".js"]
        rest = [page, *(file for file in _asked(page) if file not in figures)]
        opened, all_ = (sum(file.stat().st_size for file in files) for files in (rest, rest + figures))
        sent = sum(_compressed(file) for file in rest + figures)
        table.add_row(page.name, *(f"{size / 1000:,.0f}" for size in (opened, all_, sent)))
    parts.print(table)


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _asked(page: Path) -> list[Path]:
    """The files of the site that a page asks for."""
    named = ASKED.findall(page.read_text(encoding="utf-8"))
    return sorted({file for name in named if (file := Path(os.path.normpath(MADE / name))).is_file()})


@cache
def _compressed(file: Path) -> int:
    return len(gzip.compress(file.read_bytes()))


if __name__ == "__main__":
    main()
