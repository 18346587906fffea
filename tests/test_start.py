"""The start page tells what is installed and how far the student has got."""

import json
import re

import nbclient
import nbformat
import pytest
from limits import PATIENCE

from autograder.lessons import ROOT
from helpers.checking import progress
from helpers.start_here import page


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


def test_everything_is_installed_where_the_tests_run(folder):
    table = page.check_installation()
    assert [line[0] for line in table.text.split("\n")] == ["✓"] * 5


def test_what_is_broken_comes_with_its_cure(folder, monkeypatch):
    monkeypatch.setattr(page, "PYTHONS", ((2, 6), (2, 7)))
    monkeypatch.setenv("HEADSTART_PROGRESS", "/dev/null/progress.json")
    lines = page.check_installation().text.split("\n")
    assert lines[0].startswith("✗ Python") and "2.6 to 2.7" in lines[0] and "make lab" in lines[0]
    assert lines[4].startswith("✗ progress") and "HEADSTART_PROGRESS" in lines[4]


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
