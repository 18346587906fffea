"""How long the live explorers take to answer a moved control, in Chromium.

python -m benchmarks.explorers

Counted is the processor time of the page's thread, from the control's event until the frame is drawn: the
median of the moves of each control, of which the slowest is named. A frame lasts 16.7 ms.
"""

import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright
from rich.table import Table

from autograder import programs
from autograder.lessons import ROOT
from benchmarks.results import Parts, record
from helpers.figures.live import bundled
from tests.support.browser import CHROMIUM_OPTIONS
from tests.support.explorers import MODULES, data_of, exported, opened, updates


def measure(parts: Parts) -> None:
    """A row for each module: its size, that of its numbers, and the time of an answer."""
    table = Table(
        "module", "kB with what it imports", "kB of numbers", "ms per answer, at most", "of which control"
    )
    options = {"executable_path": programs.find(programs.CHROMIUM), "args": CHROMIUM_OPTIONS}
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(**options)
        for module in MODULES:
            page, html = browser.new_page(), exported(module)
            opened(page, html, Path(folder))
            code = len(bundled(ROOT / "helpers" / module).encode())
            numbers = len(data_of(html).encode())
            name, seconds = max(updates(page).items(), key=lambda found: found[1])
            table.add_row(module, f"{code / 1e3:.1f}", f"{numbers / 1e3:.1f}", f"{1e3 * seconds:.1f}", name)
            page.close()
        browser.close()
    parts.print(table)


if __name__ == "__main__":
    record("Explorers", measure)
