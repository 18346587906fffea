"""JupyterLab in a folder of its own, a headless Chromium that looks at it, and lessons to look at."""

import ast
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import axe_playwright_python
import nbformat
from playwright.sync_api import Locator, Page, expect, sync_playwright

from autograder import lessons, programs
from helpers import training
from tests.support.course import Course
from tests.support.limits import PATIENCE
from tests.support.ports import free_ports

CHROMIUM_OPTIONS = (
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # lessons must do without the network
)  # fmt: skip
LAB_SETTINGS = {
    # All cells are in the page all the time, also those out of sight.
    "notebook-extension/tracker": {"windowingMode": "none"},
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}
AXE = Path(axe_playwright_python.__file__).parent / "axe.min.js"
VIOLATIONS = """async () => (await axe.run(document, {resultTypes: ["violations"]})).violations.flatMap(
    rule => rule.nodes.map(node => `${rule.id}: ${node.html.slice(0, 160)}`))"""
SERIOUS = """async () => {
    const found = await axe.run({include: [[".jp-Notebook .jp-OutputArea"]]}, {resultTypes: ["violations"]});
    if (!found.passes.length) return ["axe found nothing to look at"];
    const grave = found.violations.filter(rule => ["serious", "critical"].includes(rule.impact));
    return grave.flatMap(rule => rule.nodes.map(node => rule.id + ": " + node.html.slice(0, 200)));
}"""
# A tree of beginnings has as many columns as words, and a model that has hardly learned doesn't stop.
CUT = """(pictures => [...pictures].filter(
    picture => !picture.alt.startsWith("A tree of beginnings") && picture.getBoundingClientRect().right >
    picture.closest(".jp-OutputArea-output").getBoundingClientRect().right + 1).map(
    picture => `${picture.offsetWidth} px wide: ${picture.alt.slice(0, 60)}`))"""
TOO_HIGH = """() => {
    const cells = document.querySelector(".jp-WindowedPanel-outer").clientHeight;
    const explorers = [...document.querySelectorAll(".jp-OutputArea .widget-vbox")].filter(
        box => box.querySelector("img, [data-lm-suppress-shortcuts]") && !box.parentElement.closest(".widget-vbox"));
    const high = explorers.filter(box => box.getBoundingClientRect().height > cells);
    const wide = explorers.map(box => box.closest(".jp-OutputArea-output")).filter(
        output => output.scrollWidth > output.clientWidth);
    const cut = CUT(document.querySelectorAll(".jp-OutputArea img"));
    return [...[...high, ...wide].map(box => box.offsetHeight + " px: " + box.innerText.slice(0, 60)), ...cut];
}""".replace("CUT", CUT)
TOO_WIDE = """() => CUT(document.querySelectorAll(".jp-OutputArea .widget-vbox img"))""".replace("CUT", CUT)
# What is left of a line beside a scroll bar, which headless Chromium hides.
CHARACTERS = """() => {
    const line = document.querySelector(".jp-CodeCell .cm-line"), ruler = document.createElement("span");
    const style = getComputedStyle(line), bar = 15;
    ruler.textContent = "x".repeat(100);
    line.append(ruler);
    const width = ruler.getBoundingClientRect().width / 100;
    ruler.remove();
    const shown = line.closest(".cm-scroller").clientWidth - bar;
    return Math.floor((shown - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)) / width);
}"""
# JupyterLab follows a window's new size a moment later.
FITS = """() => {
    const notebook = document.querySelector(".jp-NotebookPanel").getBoundingClientRect();
    const beside = [innerWidth - notebook.right, innerHeight - notebook.bottom];
    return beside.every(pixels => 0 <= pixels && pixels < 60);
}"""
STEPS = re.compile(r"(?m)^(def train\(.*steps=)(\d+)")
expect.set_options(timeout=1000 * PATIENCE)


@contextlib.contextmanager
def jupyterlab(folder: Path, home: Path) -> Iterator[str]:
    """Serve a folder to somebody who has never used Jupyter. Yields the server's address.

    Args:
        folder: what is served; the server runs there.
        home: for everything that JupyterLab and its kernels keep.
    """
    for name, settings in LAB_SETTINGS.items():
        path = home / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(settings))
    [port] = free_ports(1)
    command = [
        sys.executable, "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1", f"--port={port}",
        "--ServerApp.port_retries=0", "--IdentityProvider.token=", f"--ServerApp.root_dir={folder}",
        *(["--allow-root"] if programs.is_root() else []),
    ]  # fmt: skip
    with (home / "jupyterlab.log").open("w") as log:
        server = subprocess.Popen(
            command, cwd=folder, env=_environment(home), stdout=log, stderr=log, start_new_session=True
        )
    try:
        _wait_for(server, f"http://127.0.0.1:{port}/api", home / "jupyterlab.log")
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()  # it takes its kernels with it
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:  # it missed the signal, or is slow: nobody needs it any more
            os.killpg(server.pid, signal.SIGKILL)
            server.wait()


def _environment(home: Path) -> dict[str, str]:
    """This process's environment without what would lead to the repository or to the user's own settings."""
    ours = ("PYTHONPATH", "HEADSTART", "JUPYTER", "NBGRADER", "IPYTHON", "XDG_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    folders = {
        "HOME": home,
        "HEADSTART_QUICK": os.environ.get("HEADSTART_QUICK", "20"),
        "JUPYTER_CONFIG_DIR": home / "config",
        "JUPYTER_DATA_DIR": home / "data",
        "JUPYTER_RUNTIME_DIR": home / "runtime",
        "JUPYTERLAB_SETTINGS_DIR": home / "settings",
        "JUPYTERLAB_WORKSPACES_DIR": home / "workspaces",
        "HEADSTART_PROGRESS": home / "progress.json",
    }
    return kept | {name: str(path) for name, path in folders.items()}


def _wait_for(server: subprocess.Popen, address: str, log: Path) -> None:
    while True:
        assert server.poll() is None, f"JupyterLab has ended:\n{log.read_text()}"
        try:
            urllib.request.urlopen(address).close()
            return
        except urllib.error.URLError:
            time.sleep(0.2)


class Browser:
    """A page in Chromium, its pictures, and what it asked for outside this machine.

    Pictures go to the folder that HEADSTART_SCREENSHOTS names, otherwise to the test's own.
    """

    def __init__(self, page: Page, address: str, pictures: Path) -> None:
        self.page, self.address = page, address
        self.pictures = Path(os.environ.get("HEADSTART_SCREENSHOTS") or pictures).resolve()
        self.outside: list[str] = []
        page.set_default_timeout(1000 * PATIENCE)
        page.on("request", lambda request: self._note(request.url))

    def _note(self, url: str) -> None:
        if url.startswith(("http", "ws")) and not re.match(r"\w+://127\.0\.0\.1[:/]", url):
            self.outside.append(url)

    def picture(self, name: str, of: Locator | None = None) -> None:
        """Keep a screenshot of what is in sight, with `of` in the middle where it is given."""
        if of is not None:
            of.evaluate("element => element.scrollIntoView({block: 'center'})")
        self.pictures.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=self.pictures / f"{name}.png")


@contextlib.contextmanager
def blank_page() -> Iterator[Page]:
    """An empty page in a fresh Chromium."""
    options = {"executable_path": programs.find(programs.CHROMIUM), "args": CHROMIUM_OPTIONS}
    with sync_playwright() as playwright:
        program = playwright.chromium.launch(**options)
        yield program.new_page()
        program.close()


@contextlib.contextmanager
def visit(folder: Path, home: Path, name: str) -> Iterator[Browser]:
    """A fresh browser for a folder that JupyterLab serves.

    Args:
        folder: what is served.
        home: for what JupyterLab keeps, and for pictures.
        name: of the picture that shows how it ended, well or badly.
    """
    options = {"executable_path": programs.find(programs.CHROMIUM), "args": CHROMIUM_OPTIONS}
    home.mkdir(exist_ok=True)
    with jupyterlab(folder, home) as address, sync_playwright() as playwright:
        program = playwright.chromium.launch(**options)
        page = program.new_page(viewport={"width": 1280, "height": 1000})
        browser = Browser(page, address, home / "screenshots")
        try:
            yield browser
        finally:
            browser.picture(f"{name}_end")
            program.close()


class Notebook:
    """A notebook open in JupyterLab, used as a student does: by the menu, the keyboard and the mouse."""

    # JupyterLab shows exceptions as it shows stderr.
    COMPLAINTS = '[data-mime-type="application/vnd.jupyter.stderr"]'
    # Every cell has run, or an exception stopped the others.
    FINISHED = """complaints => {
        const cells = [...document.querySelectorAll('.jp-Notebook .jp-CodeCell')];
        // A cell that is folded away has no number. The last one is none of these, and cells run in order.
        const shown = cells.filter(cell => !cell.querySelector('.jp-InputPlaceholder, .jp-Placeholder'));
        const prompts = shown.map(cell => cell.querySelector('.jp-InputPrompt')).filter(prompt => prompt);
        if (!prompts.length || prompts.some(prompt => prompt.textContent.includes('*'))) return false;
        const ran = prompts.every(prompt => /\\[\\d+\\]/.test(prompt.textContent));
        return ran || document.querySelector(complaints) !== null;
    }"""

    def __init__(self, browser: Browser, path: str) -> None:
        self.page = browser.page
        self.page.goto(f"{browser.address}/lab/tree/{path}?reset")  # with no other notebook beside it
        expect(self.page.locator(".jp-Notebook .jp-Cell").first).to_be_visible()
        # What is run while the kernel is still connecting may never be answered.
        expect(self.page.locator("#jp-main-statusbar")).to_contain_text("| Idle")

    def run_all(self) -> None:
        """*Run All Cells* from the menu, and wait until the last one is done."""
        self.page.locator(".lm-MenuBar-itemLabel").get_by_text("Run", exact=True).click()
        self.page.locator(".lm-Menu-itemLabel").get_by_text("Run All Cells", exact=True).click()
        self.page.wait_for_function(self.FINISHED, arg=self.COMPLAINTS, polling=200)

    def cell(self, text: str) -> Locator:
        """The one code cell in whose source a text stands."""
        editor = self.page.locator(".jp-CodeMirrorEditor", has_text=text)
        return self.page.locator(".jp-Notebook .jp-CodeCell").filter(has=editor)

    def complaints(self) -> list[str]:
        """What went to stderr, and every exception that a cell raised."""
        return self.page.locator(self.COMPLAINTS).all_inner_texts()

    def headlines(self) -> list[str]:
        """The first line of each check's message, in order."""
        return self.page.locator('.jp-OutputArea [role="status"] > strong').all_inner_texts()

    def formula_errors(self) -> list[str]:
        """What MathJax could not read, and prose in which a formula was left as it is written."""
        wrong = self.page.locator("mjx-merror, mjx-container [mathcolor='red']").all_text_contents()
        prose = self.page.locator(".jp-MarkdownOutput").all_inner_texts()
        return [*wrong, *(text for text in prose if "$" in text)]

    def barriers(self) -> list[str]:
        """What axe-core calls serious or critical in the outputs: its rule, and the elements."""
        # A slider gets its name from a script beside it, which may run after the slider is there.
        expect(self.page.locator(".jp-OutputArea [role=slider]:not([aria-label])")).to_have_count(0)
        self.page.evaluate(AXE.read_text())
        return self.page.evaluate(SERIOUS)

    def beyond_the_screen(self) -> list[str]:
        """Explorers higher than what 1,280 by 800 pixels leave for cells, and what is cut off on the right.

        At 1,024 pixels that is explorers alone.
        """
        before = self.page.viewport_size
        found = []
        for width, look in ((1280, TOO_HIGH), (1024, TOO_WIDE)):
            self.page.set_viewport_size({"width": width, "height": 800})
            self.page.wait_for_function(FITS)
            found += self.page.evaluate(look)
        self.page.set_viewport_size(before)
        return found

    def characters_at(self, width: int) -> int:
        """How many characters of a line of code a window shows, in pixels, beside the list of files."""
        before = self.page.viewport_size
        self.page.set_viewport_size({"width": width, "height": 800})
        self.page.wait_for_function(FITS)
        found = self.page.evaluate(CHARACTERS)
        self.page.set_viewport_size(before)
        return found

    def pictures(self) -> list[tuple[str, bool]]:
        """Each image among the outputs: its alternative text, and whether there is an image at all.

        Of a figure in several images, the first says what all show.
        """
        images = self.page.locator(".jp-OutputArea img")
        found = "all => all.map(i => [i.parentElement.querySelector('img').alt, i.naturalWidth > 0])"
        return [tuple(each) for each in images.evaluate_all(found)]


def hand_out(lesson: str, folder: Path) -> Path:
    """Give a student a lesson as it is released, and nothing else of the course. Returns its notebook."""
    given = folder / lesson
    given.mkdir(parents=True)
    for name in (f"{lesson}.ipynb", "checks.json"):
        shutil.copy(lessons.ROOT / "release" / lesson / name, given)
    # git has no copies of them in release/
    for name, helper in lessons.helper_files(lessons.number(lesson)).items():
        target = given / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(helper, target)
    return given / f"{lesson}.ipynb"


def answers(course: Course) -> dict[str, str]:
    """The right answers, by grade id."""
    cells = [cell for cell in course.solved().cells if cell.metadata.get("nbgrader", {}).get("solution")]
    return {cell.metadata.nbgrader.grade_id: cell.source for cell in cells}


def fill_in(path: Path, answers: dict[str, str]) -> list[int]:
    """Write answers into a released notebook, and a last cell that says where its helpers lie.

    Returns:
        The places of the cells that show a picture when everything in the notebook works.
    """
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("solution"):
            cell.source = answers[cell.metadata.nbgrader.grade_id]
    notebook.cells.append(nbformat.v4.new_code_cell("import helpers\nprint('from', helpers.__file__)"))
    nbformat.write(notebook, path)
    cells = enumerate(notebook.cells)
    return [at for at, cell in cells if cell.cell_type == "code" and draws(ast.parse(cell.source))]


def hurry(path: Path) -> None:
    """Make a notebook's own trainings as short as those by `helpers.training`, which the first lessons lack."""
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        cell.source = STEPS.sub(lambda found: f"{found[1]}{training.steps(int(found[2]))}", cell.source)
    nbformat.write(notebook, path)


def draws(code: ast.AST) -> bool:
    """Whether a cell calls `show` or an explorer when it runs: not in a function, nor on a condition."""
    for node in ast.iter_child_nodes(code):
        if isinstance(node, ast.With | ast.For) and draws(node):
            return True
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            name = ast.unparse(node.value.func)
            if name == "show" or (name.startswith("widgets") and name.endswith("_explorer")):
                return True
    return False


def everything_is_shown(notebook: Notebook, drawings: list[int]) -> None:
    """Nothing went wrong in a notebook that has run, and all its pictures and formulas are there."""
    assert notebook.complaints() == []
    assert "Traceback" not in notebook.page.content()
    assert drawings
    for place in drawings:
        cell = notebook.page.locator(".jp-Notebook-cell").nth(place)
        expect(cell.locator(".jp-OutputArea img, .jp-OutputArea .headstart-live").first).to_be_attached()
    pictures = notebook.pictures()
    assert all(len(alt) > 20 and drawn for alt, drawn in pictures), pictures
    expect(notebook.page.locator(".jp-MarkdownOutput mjx-container").first).to_be_attached()
    assert notebook.formula_errors() == []
