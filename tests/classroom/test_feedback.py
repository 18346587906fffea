"""Feedback's pages are nbconvert's and nbgrader's own, and what they share is made once."""

from collections import Counter
from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup
from jinja2 import Environment
from nbconvert.exporters import HTMLExporter
from nbconvert.filters import Highlight2HTML, markdown_mistune
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from nbgrader.api import Gradebook
from nbgrader.preprocessors import GetGrades
from playwright.sync_api import sync_playwright
from traitlets.config import Config

from autograder import programs
from autograder.classroom import pages
from autograder.classroom.feedback import Summary, digest_of
from autograder.lessons import ROOT
from helpers.checking.finding import Finding, Status
from tests.support.browser import AXE, CHROMIUM_OPTIONS, VIOLATIONS
from tests.support.proved import ENGINE, follows_from

pytestmark = follows_from(*ENGINE, "release/01_attention/01_attention.ipynb")

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
SETTINGS = Config()
SETTINGS.HTMLExporter.template_name = "feedback"
SETTINGS.HTMLExporter.extra_template_basedirs = pages.TEMPLATES
SETTINGS.HTMLExporter.filters = {"markdown2html": "autograder.classroom.pages.words"}
SETTINGS.Exporter.default_preprocessors = []


def lesson() -> NotebookNode:
    return nbformat.read(ROOT / "release/01_attention/01_attention.ipynb", as_version=4)


def numbered(cells: list[NotebookNode]) -> list[NotebookNode]:
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"
    return cells


def other() -> NotebookNode:
    """What a lesson lacks: pictures without a description, others' HTML, magics, colours and attachments."""
    theirs = {"nbgrader": {"solution": True, "grade": False, "grade_id": "a"}}
    attached = new_markdown_cell("![](attachment:a.png) and ![one](attachment:a.png)")
    attached.attachments = {"a.png": {"image/png": PIXEL}}
    cells = [
        new_markdown_cell("# A <b>title</b>\n\n<img src='x.png'> $a < b$ <p>open"),
        attached,
        new_markdown_cell('<img alt="told" src="y.png"> & <img title="a > b" src="z.png">', metadata=theirs),
        new_code_cell("%%bash\nls | wc", metadata={"magics_language": "bash"}),
        new_code_cell(
            "1 < 2",
            outputs=[
                new_output("display_data", {"image/png": PIXEL, "text/plain": "<Figure>"}),
                new_output("display_data", {"text/html": "<table><tr><td>1</table><img src='u.png'>"}),
                new_output("stream", text="\x1b[31mred\x1b[0m & <b>"),
            ],
        ),
    ]
    return new_notebook(
        cells=numbered(cells), metadata={"language_info": {"name": "python", "pygments_lexer": "ipython3"}}
    )


def graded() -> NotebookNode:
    """A lesson with what grading adds: messages of each kind, a person's comment, and output on stderr."""
    notebook = lesson()
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "code":
            failed = Finding(
                "Softmax", Status.FAILED, case="case 1", returned="`1`", meaning="A slip.", printed="a"
            )
            shown = failed if number % 2 else Finding("Softmax", Status.PASSED)
            message = new_output("display_data", shown._repr_mimebundle_())
            cell.outputs = [message, new_output("stream", name="stderr", text="a warning")]
        if "nbgrader" in cell.metadata:
            cell.metadata.nbgrader.comment = "Good, see [this](https://example.org) and `q @ k`."
    return notebook


@pytest.mark.needs_chromium
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_a_page_reads_in_light_and_dark_and_on_a_phone_and_prints_dark_on_white(
    tmp_path, scheme, width
) -> None:
    settings = SETTINGS.copy()
    settings.FeedbackExporter.preprocessors = ["nbconvert.preprocessors.CSSHTMLHeaderPreprocessor"]
    row = {"id": "a", "section": "1.1", "name": "Softmax", "how": "✗", "case": "case 1", "cause": "A `slip`."}
    rows = [{**row, "earned": 0.0, "points": 2.0}]
    summary = {"title": "1", "earned": 0.0, "points": 2.0, "waiting": 1, "rows": rows, "next": rows}
    known = {"config_dir": "", "feedback": summary}
    text, _ = pages.FeedbackExporter(config=settings).from_notebook_node(graded(), known)
    assert ".highlight .k" in text, "code is coloured"
    path = tmp_path / "page.html"
    path.write_text(text)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=programs.find(programs.CHROMIUM), args=list(CHROMIUM_OPTIONS)
        )
        page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        page.goto(path.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        paper = "getComputedStyle(document.body).backgroundColor"
        assert (page.evaluate(paper) == "rgb(255, 255, 255)") == (scheme == "light")
        page.evaluate(AXE.read_text())
        assert page.evaluate(VIOLATIONS) == []
        page.emulate_media(media="print")
        assert page.evaluate(paper) == "rgb(255, 255, 255)"
        browser.close()


@pytest.mark.parametrize("notebook", [lesson, other])
def test_a_page_is_what_nbconvert_makes(notebook) -> None:
    """But for how it is written: nbconvert writes down anew what it has parsed."""
    theirs, _ = HTMLExporter(config=SETTINGS).from_notebook_node(notebook())
    for _ in range(2):  # anew, and from what was kept
        ours, _ = pages.FeedbackExporter(config=SETTINGS).from_notebook_node(notebook())
        assert str(BeautifulSoup(ours, "html.parser")) == theirs
    assert len(theirs) > 2000 and not BeautifulSoup(ours, "html.parser").select("img:not([alt])")


def test_a_second_page_makes_nothing_anew_that_is_the_same(monkeypatch) -> None:
    """No template, no coloured code, no formatted text but the student's own."""
    notebook = lesson()
    pages.FeedbackExporter(config=SETTINGS).from_notebook_node(notebook)
    made: Counter[str] = Counter()

    def count(owner: object, name: str) -> None:
        real = getattr(owner, name)
        monkeypatch.setattr(owner, name, lambda *given, **more: made.update([name]) or real(*given, **more))

    count(Environment, "compile")
    count(Highlight2HTML, "__call__")
    count(markdown_mistune.MarkdownWithMath, "render")
    count(pages, "BeautifulSoup")
    answers = [cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("solution")]
    for cell in answers:
        cell.source = f"mine = {cell.source!r}"
    pages.FeedbackExporter(config=SETTINGS).from_notebook_node(notebook)
    kinds = Counter(cell.cell_type for cell in answers)
    assert kinds["code"] and kinds["markdown"]
    # nbconvert's class colours a cell, and ours, which is one of its kind, asks it to.
    assert made == {"__call__": kinds["code"], "render": kinds["markdown"]}


@pytest.fixture
def gradebook(tmp_path: Path) -> str:
    """One submission, late, with points by a check, by hand, with extra credit and none yet, and comments."""
    url = f"sqlite:///{tmp_path}/gradebook.db"
    with Gradebook(url) as book:
        book.add_assignment("ps1")
        book.add_notebook("p", "ps1")
        book.add_grade_cell("check", "p", "ps1", max_score=3, cell_type="code")
        book.add_grade_cell("over", "p", "ps1", max_score=2, cell_type="code")
        book.add_grade_cell("words", "p", "ps1", max_score=4, cell_type="markdown")
        book.add_solution_cell("words", "p", "ps1")
        book.add_solution_cell("answer", "p", "ps1")
        book.add_task_cell("task", "p", "ps1", max_score=5, cell_type="markdown")
        for who in ("ann", "ben"):
            book.add_student(who)
            book.add_submission("ps1", who)
        check, over = (book.find_grade(name, "p", "ps1", "ann") for name in ("check", "over"))
        check.auto_score, check.needs_manual_grade = 3.0, False
        over.auto_score, over.manual_score, over.extra_credit = 0.0, 1.5, 0.25
        book.find_comment("answer", "p", "ps1", "ann").auto_comment = "No response."
        book.find_comment("words", "p", "ps1", "ann").manual_comment = "Well put."
        book.find_submission_notebook("p", "ps1", "ann").late_submission_penalty = 0.5
        book.db.commit()
    return url


def test_points_and_comments_are_those_of_nbgraders_own_step(gradebook: str, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    graded = Path("autograded/ann/ps1/p.ipynb")
    graded.parent.mkdir(parents=True)
    graded.write_text("{}")

    def cell(id: str, make=new_code_cell, **flags: bool) -> NotebookNode:
        known = {"grade": False, "solution": False, "task": False, "schema_version": 3, "grade_id": id}
        return make("", metadata={"nbgrader": known | flags})

    def notebook() -> NotebookNode:
        cells = [
            cell("check", grade=True),
            cell("over", grade=True),
            cell("words", new_markdown_cell, grade=True, solution=True),
            cell("answer", solution=True),
            cell("task", new_markdown_cell, task=True),
            new_code_cell("1"),
        ]
        return new_notebook(cells=numbered(cells))

    about = {"notebook": "p", "assignment": "ps1", "student": "ann", "db_url": gradebook}
    theirs, known = GetGrades().preprocess(notebook(), {"nbgrader": dict(about)})
    ours, found = Summary().preprocess(notebook(), {"nbgrader": dict(about)})
    theirs.cells[3].metadata.nbgrader.comment = ""  # on the answer to nothing that is graded
    assert ours == theirs and found["nbgrader"] == known["nbgrader"]
    assert found["feedback"]["made_from"] == digest_of(graded)
    assert found["feedback"]["earned"] == 3 + 1.75 - 0.5 and found["feedback"]["waiting"] == 2
    with pytest.raises(LookupError, match="no such submission in the gradebook: eve, ps1"):
        Summary().preprocess(notebook(), {"nbgrader": about | {"student": "eve"}})
