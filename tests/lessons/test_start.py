"""The start page tells what is installed and how far the student has got."""

import json
import re
from dataclasses import replace

import matplotlib
import nbclient
import nbformat
import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from autograder.lessons import ROOT
from helpers.checking import progress
from helpers.checking.finding import Finding, Status
from helpers.start_here import page
from tests.support.limits import PATIENCE


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Three lessons side by side, the second broken, and a home of their own."""
    monkeypatch.setenv("HEADSTART_PROGRESS", str(tmp_path / "home" / "progress.json"))
    for name, title in (
        ("00_start_here", "0 · Start here"),
        ("01_attention", "1 · Attention"),
        ("03_new", "3 · <New>"),
    ):
        (tmp_path / name).mkdir()
        sheets = {f"{name[3:]}.{letter}": {"title": f"Task {letter}"} for letter in "abcd"}
        (tmp_path / name / "checks.json").write_text(json.dumps(sheets))
        cells = [{"cell_type": "markdown", "source": [f"# {title}\n", "text"]}]
        (tmp_path / name / f"{name}.ipynb").write_text(json.dumps({"cells": cells}))
    (tmp_path / "02_broken").mkdir()
    (tmp_path / "02_broken" / "checks.json").write_text("{")
    return tmp_path


@pytest.fixture
def opened(folder, monkeypatch):
    """The start page's notebook is open: its folder, and IPython's shell."""
    monkeypatch.chdir(ROOT / "source" / "00_start_here")
    yield InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    InteractiveShell.clear_instance()


def test_everything_works_where_the_tests_run(opened):
    table = page.check_installation()
    assert [line[0] for line in table.text.split("\n")] == ["✓"] * 6, table.text


def test_a_python_newer_than_tested_is_not_called_broken(opened, monkeypatch):
    monkeypatch.setattr(page, "PYTHONS", ((2, 6), (2, 7)))
    first = page.check_installation().text.split("\n")[0]
    assert first.startswith("✓ Python") and "newer than the last that the course is tested with, 2.7" in first


class Unseen:
    """What ipywidgets gave a notebook where its versions didn't fit: a description, and no widget."""

    def _ipython_display_(self):
        raise AttributeError("no attribute '_repr_mimebundle_'")


def broken_font(monkeypatch):
    monkeypatch.setitem(matplotlib.rcParams, "font.family", ["cmtt10"])  # it has no ψ


BROKEN = {
    "Python": lambda m: m.setattr(page, "PYTHONS", ((9, 1), (9, 2))),
    "torch": lambda m: m.setattr("torch.Tensor.backward", lambda self: None),
    "ipywidgets": lambda m: m.setattr(page, "live_slider", Unseen),
    "matplotlib": broken_font,
    "checks": lambda m: m.setattr(page, "assess", lambda sheet, outcomes: Finding.not_run("", 0, "")),
    "progress": lambda m: m.setenv("HEADSTART_PROGRESS", "/dev/null/progress.json"),
}
CURES = {
    "Python": "9.1 to 9.2: put one of these first in PATH",
    "torch": "%pip install --upgrade torch",
    "ipywidgets": "%pip install --upgrade ipywidgets",
    "matplotlib": "%pip install --upgrade matplotlib",
    "checks": "unpack the lesson's zip again",
    "progress": "HEADSTART_PROGRESS",
}


@pytest.mark.parametrize("what", [what for what, *_ in page.NEEDED])
def test_what_is_broken_has_a_cross_and_its_cure_whatever_its_version(what, opened, monkeypatch):
    BROKEN[what](monkeypatch)
    lines = {line.split()[1]: line for line in page.check_installation().text.split("\n")}
    assert [name for name, line in lines.items() if line[0] == "✗"] == [what]
    assert CURES[what] in lines[what]


@pytest.mark.parametrize("everything", [Status.PASSED, Status.FAILED])
def test_a_check_that_says_the_same_of_all_answers_is_broken(everything, opened, monkeypatch):
    finding = Finding.not_run("", 0, "")
    monkeypatch.setattr(page, "assess", lambda sheet, outcomes: replace(finding, status=everything))
    assert "✗ checks" in page.check_installation().text


def test_without_its_folder_a_check_says_so(opened, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "✗ checks       FileNotFoundError: no checks.json" in page.check_installation().text


def test_lessons_are_listed_with_what_passed_and_what_did_not_yet(folder, monkeypatch):
    monkeypatch.chdir(folder / "01_attention")
    for exercise, passed in (("attention.a", True), ("attention.b", False), ("attention.gone", True)):
        progress.record(exercise, passed=passed)
    table = page.list_lessons(folder / "00_start_here")
    assert table.text.split("\n") == [
        "1 · Attention: 1 of 4 checks pass",
        "3 · <New>: 0 of 4 checks pass",
    ]
    html = table._repr_mimebundle_()["text/html"]
    [shown, folded], *others = [row.split("</summary>") for row in html.split("</tr>")[1:] if "<a " in row]
    assert "1 of 4" in shown and "Task" not in shown and len(others) == 1
    assert re.findall(r'aria-label="([^"]*)">.</strong> (Task .)', folded) == [
        ("passes", "Task a"),
        *(("doesn't pass yet", f"Task {letter}") for letter in "bcd"),
    ]
    assert not re.search(r"class=|<script|on\w+=", html), (
        "it is read where there is neither JupyterLab nor its CSS"
    )
    assert '<a href="../01_attention/01_attention.ipynb">1 · Attention</a>' in html
    assert "&lt;New&gt;" in html and "<New>" not in html


def test_another_copy_of_a_lesson_does_not_answer_for_this_one(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    progress.record("attention.a", passed=True)
    assert "1 · Attention: 0 of 4 checks pass" in page.list_lessons(folder / "00_start_here").text
    progress.move(tmp_path, folder / "01_attention")
    assert "1 · Attention: 1 of 4 checks pass" in page.list_lessons(folder / "00_start_here").text
    assert progress.load() == {}
    progress.path().write_text('{"of an older version": true, "broken": 3}')
    assert progress.load(folder / "01_attention") == {}


def test_a_lesson_alone_says_so(tmp_path):
    (tmp_path / "00_start_here").mkdir()
    assert "no lesson beside" in page.list_lessons(tmp_path / "00_start_here").text


def test_the_slider_is_answered_by_python():
    [row] = page.live_slider().children
    slider, answer = row.children
    slider.value = 7
    assert answer.value == "twice 7 is 14"


@pytest.mark.timeout(120)
def test_after_a_restart_a_check_says_to_run_the_first_cells(monkeypatch):
    monkeypatch.setenv("PYTHONSTARTUP", str(ROOT / "helpers" / "start_here" / "kernel.py"))
    cells = ['check("attention.softmax", softmax)', "from helpers.checks import check", "softmax", "dir()"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbclient.NotebookClient(
        notebook, allow_errors=True, kernel_name="python3", startup_timeout=PATIENCE
    ).execute(cwd=str(ROOT))
    before, _, after, names = (cell.outputs[0] if cell.outputs else {} for cell in notebook.cells)
    assert "Run the first cells" in before["text"] and "`check`" in before["text"]
    assert after["ename"] == "NameError"  # from then on as ever
    assert "_point_to_the_first_cell" not in names["data"]["text/plain"]
