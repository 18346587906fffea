"""The live explorers in JupyterLab: as HTML, as anywidget shows them, beside a kernel; and in what nbconvert writes."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbconvert
import nbformat
import pytest
from playwright.sync_api import Page, expect

from autograder.lessons import ROOT
from tests.support.browser import FITS, Notebook, visit
from tests.support.explorers import HEARD, MODULES, it_can_be_used
from tests.support.proved import PROJECT, follows_from

pytestmark = [pytest.mark.needs_chromium, pytest.mark.timeout(900), follows_from(*PROJECT)]

SETUP = f"""import sys
sys.path[:0] = [{str(ROOT)!r}]
from IPython.display import HTML
from tests.support.explorers import SHOWN, displayed"""
PACKAGES = ("anywidget==0.11.0", "psygnal==0.16.1")
ANYWIDGET = """import json, anywidget, traitlets
from helpers.figures.live import bundled

def hosted(module):
    class Hosted(anywidget.AnyWidget):
        _esm = bundled(ROOT / "helpers" / module)
        data = traitlets.Any().tag(sync=True)
    return Hosted(data=json.loads(data_of(displayed(SHOWN[module]()))))"""
WIDE = (
    """from helpers import kept, own
why = "its check hasn't passed here yet"
kept.table([kept.Whose(part, what, id, why=why) for part, (what, id, *_) in own.KNOWN.items()])""",
    "from helpers.modern import figures\nfigures.ladder_table()",
    """from IPython.display import Markdown
call = "accepted(torch.full((2,2),0.5),torch.full((2,2),0.5),torch.tensor([0,1]))"
Markdown(f"Here is `{call}`.\\n\\n    {call}")""",
    "from helpers.figures.predicting import predict\npredict('multihead.price')",  # styles come with an explorer
)
# What reaches out of a cell, and tables that scroll within their own boxes.
TOO_WIDE = """() => [...document.querySelectorAll(".jp-OutputArea-output")].filter(
    output => [output, ...output.querySelectorAll("code, pre, table")].some(each =>
        each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).display !== "inline"
        || !each.closest("[tabindex='0']") && each.getBoundingClientRect().right >
        output.getBoundingClientRect().right + 1)).map(output => output.innerText.slice(0, 60))"""
SCROLLING = """() => [...document.querySelectorAll(".jp-OutputArea-output [tabindex='0']:has(> table)")].filter(
    box => box.scrollWidth > box.clientWidth + 1).map(box => box.innerText.split("\\n")[0].trim())"""
SLIDERS = ".jp-OutputArea .widget-vbox:has([role=slider]):has([data-lm-suppress-shortcuts])"


def written(path: Path, *sources: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), path)
    return path


def test_the_modules_live_in_jupyterlab_and_in_what_nbconvert_writes(tmp_path: Path) -> None:
    """By the test that the page passes."""
    cells = [f"HTML(displayed(SHOWN[{module!r}]()))" for module in MODULES]
    path = written(tmp_path / "work" / "live.ipynb", SETUP, *cells)
    with visit(path.parent, tmp_path / "home", "modules") as browser:
        notebook, page = Notebook(browser, path.name), browser.page
        notebook.run_all()
        assert notebook.complaints() == []
        they_live(page)
        assert notebook.barriers() == []
        page.locator(
            ".jp-InputPrompt"
        ).first.click()  # out of the explorers, which keep the keys to themselves
        with page.expect_response(lambda answer: answer.request.method == "PUT" and path.name in answer.url):
            page.keyboard.press("ControlOrMeta+s")
        assert not browser.outside
        html, _ = nbconvert.HTMLExporter().from_filename(path)
        (tmp_path / "page.html").write_text(html, encoding="utf-8")
        page.goto(
            (tmp_path / "page.html").as_uri()
        )  # nbconvert's template asks for MathJax, which isn't there
        they_live(page)


def they_live(page: Page) -> None:
    explorers = page.locator(".headstart-live")
    expect(explorers).to_have_count(len(MODULES))
    for el in explorers.all():
        it_can_be_used(page, el)


def test_beside_a_kernel_its_numbers_are_shown_by_the_modules(tmp_path: Path) -> None:
    """They follow the first slider, and fit on the screen with their controls."""
    asked = [module for module in MODULES if module != "attention/reads.js"]
    path = written(tmp_path / "work" / "kernel.ipynb", SETUP, *(f"SHOWN[{module!r}]()" for module in asked))
    with visit(path.parent, tmp_path / "home", "kernel") as browser:
        notebook, page = Notebook(browser, path.name), browser.page
        notebook.run_all()
        assert notebook.complaints() == []
        boxes = page.locator(SLIDERS)
        expect(boxes).to_have_count(len(asked) - 2)  # path.js has no slider, and writes.js no numbers
        for number, box in enumerate(boxes.all()):
            before, slider = box.evaluate(HEARD), box.get_by_role("slider").first
            at_end = slider.get_attribute("aria-valuenow") == slider.get_attribute("aria-valuemax")
            slider.press("ArrowLeft" if at_end else "ArrowRight")
            changed = f"([box, before]) => ({HEARD})(box) !== before"
            page.wait_for_function(changed, arg=[box.element_handle(), before])
            browser.picture(f"kernel_{number}", box)
        assert notebook.beyond_the_screen() == []
        assert notebook.barriers() == []
        assert not browser.outside


def test_anywidget_shows_the_same_files(tmp_path: Path) -> None:
    """As VS Code and Colab do by their documented managers of widgets, which can't be had here."""
    packages = tmp_path / "packages"
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--target",
        packages,
        *PACKAGES,
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        problem = f"pip can't get anywidget: {done.stderr.strip().splitlines()[-1]}"
        pytest.fail(problem) if os.environ.get("CI") == "true" else pytest.skip(problem)
    shutil.copytree(packages / "share" / "jupyter", tmp_path / "home" / "data")
    imports = (
        f"{SETUP}\nsys.path.append({str(packages)!r})\nfrom tests.support.explorers import ROOT, data_of"
    )
    cells = [f"hosted({module!r})" for module in MODULES]
    path = written(tmp_path / "work" / "anywidget.ipynb", imports, ANYWIDGET, *cells)
    with visit(path.parent, tmp_path / "home", "anywidget") as browser:
        notebook, page = Notebook(browser, path.name), browser.page
        notebook.run_all()
        assert notebook.complaints() == []
        explorers = page.locator(".jp-OutputArea-output:has([data-lm-suppress-shortcuts])")
        expect(explorers).to_have_count(len(MODULES))
        for el in explorers.all():
            it_can_be_used(page, el)
        assert not browser.outside


@pytest.mark.parametrize("width", [1280, 390])
def test_tables_and_long_code_are_no_wider_than_the_page(tmp_path: Path, width: int) -> None:
    """A table that can't be made narrower scrolls in a box of its own; that of a model's parts fits a phone."""
    path = written(tmp_path / "work" / "wide.ipynb", SETUP, *WIDE)
    with visit(path.parent, tmp_path / "home", "wide") as browser:
        notebook, page = Notebook(browser, path.name), browser.page
        page.keyboard.press("ControlOrMeta+b")  # hides the list of files
        notebook.run_all()
        assert notebook.complaints() == []
        page.set_viewport_size({"width": width, "height": 1000})
        page.wait_for_function(FITS)
        assert page.evaluate(TOO_WIDE) == []
        scrolling = page.evaluate(SCROLLING)
        assert len(scrolling) == (width == 390) and not any("whose" in head for head in scrolling)
        assert notebook.barriers() == []
