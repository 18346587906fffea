"""A built lesson with the outputs of its right answers: executed again only after something in it changed."""

import hashlib
import json
import os
import shutil
from pathlib import Path
from unittest.mock import patch

import nbformat
from nbconvert.preprocessors import ExecutePreprocessor
from nbformat import NotebookNode, v4

from autograder.authoring.site import repeating
from autograder.lessons import ROOT, load_source_notebook, source_path

LONGEST = 3600  # seconds for one cell: the trainings of lesson 08 take minutes


def executed(lesson: str, site: Path) -> NotebookNode:
    """The instructor's notebook with its outputs, from `executed/` where the lesson hasn't changed since.

    It runs in a home of its own, in which the parts that pass a check are kept for later lessons, so that
    nothing of whoever builds the site is in it.

    Args:
        lesson: its name; it has to be built.
        site: the folder of all that belongs to the site.

    Raises:
        FileNotFoundError: the lesson isn't built.
        CellExecutionError: a cell raises.
    """
    notebook, folder = load_source_notebook(lesson), source_path(lesson).parent
    # What is trained for a few steps, as tests do, is kept apart: the home keeps trained models as well.
    executions = site / f"executed{os.environ.get('HEADSTART_QUICK', '')}"
    kept = _kept(lesson, executions)
    if kept.is_file():
        return nbformat.read(kept, as_version=4)
    home, place = (executions / "home").resolve(), executions / "running" / lesson
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(folder, place)
    home.mkdir(parents=True, exist_ok=True)
    alone = {"HOME": str(home), "HEADSTART_PROGRESS": "", "PYTHONHASHSEED": "0"}
    notebook.cells.insert(0, v4.new_code_cell(repeating.BEGIN.format(lesson=lesson)))
    with patch.dict(os.environ, alone):
        run = ExecutePreprocessor(timeout=LONGEST, kernel_name="python3", store_widget_state=False)
        run.preprocess(notebook, {"metadata": {"path": str(place)}})
    del notebook.cells[0]
    repeating.keep(lesson, place)
    for old in executions.glob(f"{lesson}-*.ipynb"):
        old.unlink()
    nbformat.write(notebook, _kept(lesson, executions))
    return notebook


def _kept(lesson: str, executions: Path) -> Path:
    """Where the executed notebook is kept: its name says what decides its outputs.

    The times among that are known only after an execution that has measured new ones.
    """
    times = hashlib.sha256(json.dumps(repeating.known(lesson)).encode()).hexdigest()[:4]
    return executions / f"{lesson}-{digest_of(source_path(lesson).parent)}-{times}.ipynb"


def digest_of(folder: Path) -> str:
    """A digest of all that decides what a lesson's cells display: its files and the packages."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
    found = hashlib.sha256()
    for path in [*files, ROOT / "requirements.txt"]:
        found.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()[:16]
