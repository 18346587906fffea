"""`make lab` opens the start page, and never writes over what a student did."""

import contextlib
import json
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request

import nbformat
import pytest
from playwright.sync_api import expect, sync_playwright

from autograder import programs
from autograder.commands import cli, lab
from autograder.courses import Course
from helpers.checking import progress
from tests.support.browser import CHROMIUM_OPTIONS, jupyterlab
from tests.support.ports import free_ports
from tests.support.proved import PROJECT, follows_from

pytestmark = follows_from(*PROJECT)

START = "00_start_here/00_start_here.ipynb"
LESSON = "01_attention/01_attention.ipynb"
NBGRADERS = ["Assignment List", "Course List", "Create assignment", "Formgrader"]
KERNEL = {"name": "python3", "display_name": "Python 3"}


@pytest.fixture
def folders(tmp_path):
    release, work = tmp_path / "release", tmp_path / "work"
    write(release / LESSON, "as released")
    return release, work


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_a_lesson_is_handed_out_without_what_is_hidden_or_compiled(folders):
    release, work = folders
    write(release / "01_attention/helpers/checks.py", "code")
    for stray in (".built", "01_attention/.ipynb_checkpoints/x.ipynb", "01_attention/__pycache__/x.pyc"):
        write(release / stray, "stray")
    assert lab.hand_out(release, work) == []
    found = {path.relative_to(work).as_posix() for path in work.rglob("*") if path.is_file()}
    assert found == {LESSON, "01_attention/helpers/checks.py", ".handed_out.json"}


def test_what_the_student_did_stays_and_a_newer_release_is_announced(folders):
    release, work = folders
    lab.hand_out(release, work)
    write(work / LESSON, "my answer")
    assert lab.hand_out(release, work) == [], "there is nothing newer to announce"
    write(release / LESSON, "newer")
    assert lab.hand_out(release, work) == [LESSON]
    assert lab.hand_out(release, work) == [LESSON], "it is announced until the student acts"
    assert (work / LESSON).read_text() == "my answer"


def test_what_the_student_did_not_touch_is_replaced(folders):
    release, work = folders
    lab.hand_out(release, work)
    write(release / LESSON, "newer")
    assert lab.hand_out(release, work) == []
    assert (work / LESSON).read_text() == "newer"


def test_a_file_that_was_never_handed_out_is_the_student_s(folders):
    release, work = folders
    write(work / LESSON, "copied by hand, and changed")
    assert lab.hand_out(release, work) == [LESSON]
    assert (work / LESSON).read_text() == "copied by hand, and changed"


def test_work_under_a_number_that_the_lesson_had_before_is_found_and_kept(folders, capsys, monkeypatch):
    release, work = folders
    lab.hand_out(release, work)
    monkeypatch.setenv("HEADSTART_PROGRESS", str(work.parent / "progress.json"))
    with contextlib.chdir(work / "01_attention"):
        progress.record("attention.softmax", passed=True)
    write(work / LESSON, "my answer")
    write(work / "01_attention/notes.txt", "mine")
    (release / LESSON).rename(release / "01_attention/03_attention.ipynb")
    (release / "01_attention").rename(release / "03_attention")
    assert lab.hand_out(release, work) == []
    assert "01_attention is now 03_attention" in capsys.readouterr().out
    assert progress.load(work / "03_attention") == {"attention.softmax": True}
    assert (work / "03_attention/03_attention.ipynb").read_text() == "my answer"
    assert (work / "03_attention/notes.txt").read_text() == "mine"
    assert not (work / "01_attention").exists()
    write(work / LESSON, "an old copy, put back")
    assert lab.hand_out(release, work) == [], "nothing is written over"
    assert (work / "03_attention/03_attention.ipynb").read_text() == "my answer"
    assert (work / LESSON).read_text() == "an old copy, put back"


def test_moving_a_lesson_away_brings_a_fresh_one(folders):
    release, work = folders
    lab.hand_out(release, work)
    write(work / LESSON, "my answer")
    (work / LESSON).rename(work / "mine.ipynb")
    assert lab.hand_out(release, work) == []
    assert (work / LESSON).read_text() == "as released"


def test_lessons_are_built_again_only_when_something_changed_or_is_gone(tmp_path, monkeypatch):
    calls = []
    monkeypatch.setattr(subprocess, "call", lambda command, cwd: calls.append(command[-1]))
    write(tmp_path / "nbgrader_config.py", "c = get_config()")
    write(tmp_path / "release/.built", "another time")
    write(tmp_path / "notebooks/01_attention.py", "# %%")
    write(made := tmp_path / "source" / LESSON, "{}")
    lab.build(tmp_path)
    lab.build(tmp_path)
    assert calls == ["build"]
    write(tmp_path / "notebooks/01_attention.py", "# %% [markdown]")
    lab.build(tmp_path)
    assert calls == ["build", "build"]
    made.unlink()
    lab.build(tmp_path)
    assert calls == ["build", "build", "build"]


def test_a_build_that_failed_opens_nothing_and_is_tried_again(tmp_path, monkeypatch):
    monkeypatch.setattr(subprocess, "call", lambda command, cwd: 1)
    write(tmp_path / "nbgrader_config.py", "c = get_config()")
    for _ in range(2):
        with pytest.raises(SystemExit):
            lab.build(tmp_path)


@pytest.mark.parametrize("question", ["--version", "--help-all", "--show-config-json"])
def test_what_jupyterlab_answers_at_once_builds_nothing(question, tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(lab, "build", lambda root: pytest.fail("it builds"))
    monkeypatch.setattr(lab, "current", lambda: Course(tmp_path, "Small"))
    monkeypatch.chdir(tmp_path)  # where it goes, too; and back again
    monkeypatch.setattr("jupyterlab.labapp.main", asked.extend)
    for name in ("PYTHONSTARTUP", "JUPYTER_CONFIG_PATH"):
        monkeypatch.setenv(name, "")
    assert cli.main(["lab", question]) == 0
    assert question in asked and not (tmp_path / "work").exists()


@pytest.fixture
def served(tmp_path, monkeypatch):
    """A student's lab with two lessons: the server's process, its address, and its log."""
    for name in (START, LESSON):
        path = tmp_path / "release" / name
        path.parent.mkdir(parents=True)
        nbformat.write(nbformat.v4.new_notebook(metadata={"kernelspec": KERNEL}), path)
    (path.parent / "checks.json").write_text("{}")
    [port] = free_ports(1)
    code = (
        "import sys; from pathlib import Path; from autograder.commands import lab; lab.build = lambda root: None; "
        "from autograder.courses import Course; "
        "lab.current = lambda: Course(Path().resolve(), 'Small'); "
        "lab.names = lambda root: ['00_start_here']; lab.lab(sys.argv[1:])"
    )
    options = ["--no-browser", f"--port={port}", "--ServerApp.port_retries=0", "--IdentityProvider.token=t"]
    for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
    with (tmp_path / "log").open("w") as log:
        server = subprocess.Popen([sys.executable, "-c", code, *options], cwd=tmp_path, stderr=log)
    try:
        yield server, f"http://127.0.0.1:{port}", tmp_path / "log"
    finally:
        server.terminate()
        server.wait()


def test_jupyterlab_serves_the_start_page_and_all_lessons_beside_it(served):
    server, address, log = served
    lessons = ask(server, f"{address}/api/contents/?token=t")
    assert {item["name"] for item in lessons["content"]} == {"00_start_here", "01_attention"}
    assert ask(server, f"{address}/api/contents/{START}?token=t")["type"] == "notebook"
    listed = ask(server, f"{address}/api/contents/01_attention?token=t")["content"]
    assert "checks.json" not in {item["name"] for item in listed}
    assert f"/lab/tree/{START}?token=" in log.read_text()


@pytest.mark.needs_chromium
def test_students_see_nothing_of_nbgrader_s_for_teachers_and_teachers_do(served, tmp_path):
    server, address, _ = served
    ask(server, f"{address}/api/contents/?token=t")
    with chromium() as page:
        offered = nbgrader_s_offers(page, f"{address}/lab/tree/{LESSON}?token=t")
        assert offered == {"menu": None, "palette": [], "panels": [], "toolbar": ["Validate"]}
    (tmp_path / "course").mkdir()
    shutil.copy(tmp_path / "release" / LESSON, tmp_path / "course" / "any.ipynb")
    with jupyterlab(tmp_path / "course", tmp_path) as address, chromium() as page:
        offered = nbgrader_s_offers(page, f"{address}/lab/tree/any.ipynb")
    assert offered["menu"] == sorted(offered["palette"]) == NBGRADERS
    assert offered["panels"] == ["Nbgrader Create Assignment"] and offered["toolbar"] == ["Validate"]


def nbgrader_s_offers(page, address):
    """What JupyterLab with a notebook open has of nbgrader's: in its menus, its palette and around it."""
    page.goto(address)
    expect(page.locator(".jp-NotebookPanel-toolbar")).to_contain_text("Validate")
    expect(page.locator("#jp-main-statusbar")).to_contain_text("| Idle")
    menus = page.locator(".lm-MenuBar-itemLabel")
    items = page.locator(".lm-Menu-item:visible .lm-Menu-itemLabel")
    menu = None
    if "Nbgrader" in menus.all_inner_texts():
        menus.get_by_text("Nbgrader", exact=True).click()
        expect(items.first).to_be_visible()
        menu = sorted(text for text in items.all_inner_texts() if text in NBGRADERS)
        page.keyboard.press("Escape")
    page.keyboard.press("Control+Shift+C")
    page.locator(".lm-CommandPalette-input:visible").fill("settings")
    found = page.locator(".lm-CommandPalette-item:visible .lm-CommandPalette-itemLabel")
    expect(found.first).to_contain_text("ettings")
    palette = []
    for word in ("assignment", "course list", "formgrader"):
        page.locator(".lm-CommandPalette-input:visible").fill(word)
        expect(page.locator(".lm-CommandPalette-content:visible")).not_to_contain_text("ettings")
        palette += [text for text in found.all_inner_texts() if text in NBGRADERS]
    tabs = page.locator(".jp-SideBar .lm-TabBar-tab").evaluate_all("all => all.map(tab => tab.title)")
    tools = page.locator(".jp-NotebookPanel-toolbar").get_by_text("Validate", exact=True).all_inner_texts()
    return {
        "menu": menu,
        "palette": palette,
        "panels": [t for t in tabs if "grader" in t.lower()],
        "toolbar": tools,
    }


@contextlib.contextmanager
def chromium():
    options = {"executable_path": programs.find(programs.CHROMIUM), "args": CHROMIUM_OPTIONS}
    with sync_playwright() as playwright:
        program = playwright.chromium.launch(**options)
        yield program.new_page(viewport={"width": 1280, "height": 800})
        program.close()


def ask(server, url):
    """The answer of a server that may still be starting."""
    while True:
        assert server.poll() is None, "the server has ended"
        try:
            with urllib.request.urlopen(url) as answer:
                return json.load(answer)
        except urllib.error.URLError:
            time.sleep(0.2)
