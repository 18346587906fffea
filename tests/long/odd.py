"""What students of the walk hand in, and the browser that looks at its pages."""

import io
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import nbformat
from nbformat import NotebookNode
from playwright.sync_api import Page, sync_playwright

from autograder import lessons, programs
from tests.classroom.test_feedback import PIXEL
from tests.support.browser import CHROMIUM_OPTIONS

WRITTEN = "attention.self_or_encoder"


def all_passed(of: dict) -> bool:
    return all(verdict["status"] == "passed" for verdict in of["verdicts"].values())


def written(notebook: NotebookNode) -> bytes:
    return nbformat.writes(notebook).encode()


def zipped(name: str, content: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(name, content)
    return file.getvalue()


def answer(notebook: NotebookNode, id: str) -> NotebookNode:
    """The cell of an answer, in a copy of a notebook."""
    names = {lessons.grade_id(id), f"{lessons.grade_id(id)}-answer"}
    [cell] = [
        cell
        for cell in notebook.cells
        if cell.metadata.get("nbgrader", {}).get("solution") and cell.metadata.nbgrader.grade_id in names
    ]
    return cell


def with_a_photo(solved: NotebookNode) -> NotebookNode:
    notebook = nbformat.reads(nbformat.writes(solved), as_version=4)
    cell = answer(notebook, WRITTEN)
    cell.source = "See my derivation:\n\n![](attachment:photo.png)"
    cell.attachments = {"photo.png": {"image/png": PIXEL}}
    return notebook


def with_odd_lines(solved: NotebookNode) -> NotebookNode:
    notebook = nbformat.reads(nbformat.writes(solved), as_version=4)
    cell = answer(notebook, "attention.softmax")
    body = cell.source.replace("    ", "\u00a0\u00a0\u00a0\u00a0", 1)
    cell.source = f"from google.colab import drive\ndrive.mount('/content/drive')\n{body}"
    return notebook


def until(there: Callable[[], object], said: Callable[[], str], seconds: float = 600) -> None:
    """Wait for something; what was said, if it doesn't come."""
    end = time.monotonic() + seconds
    while not there():
        assert time.monotonic() < end, said()
        time.sleep(0.2)


@contextmanager
def browsing() -> Iterator[Callable[[str, int, str], Page]]:
    """A browser; opens an address in a window so wide, light or dark."""
    with sync_playwright() as playwright:
        program = playwright.chromium.launch(
            executable_path=programs.find(programs.CHROMIUM), args=list(CHROMIUM_OPTIONS)
        )

        def visit(address: str, width: int, scheme: str) -> Page:
            size = {"width": width, "height": 900}
            page = program.new_context(viewport=size, color_scheme=scheme, bypass_csp=True).new_page()  # type: ignore[arg-type]
            page.goto(address)
            page.wait_for_load_state("networkidle")
            return page

        yield visit
        program.close()
