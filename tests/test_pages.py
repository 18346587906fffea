"""Graded notebooks as pages: formulas without a network, and nothing of a student's over anything else."""

import re
import time

import nbformat
import pytest
from course import Course
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from autograder import lessons, programs
from autograder.grading.clean import clean_code
from autograder.grading.pages import mathml

LESSON = "01_attention"


def formulas() -> list[tuple[str, str]]:
    """Every formula of the lessons, with how it is displayed."""
    found = []

    class Listing(IPythonRenderer):
        def inline_math(self, body: str) -> str:
            found.append((body, "inline"))
            return ""

        def block_math(self, body: str) -> str:
            found.append((body, "block"))
            return ""

    for name in lessons.names():
        for cell in lessons.load_source_notebook(name).cells:
            if cell.cell_type == "markdown":
                MarkdownWithMath(renderer=Listing(escape=False)).render(cell.source)
    return sorted(set(found))


def test_every_formula_of_the_lessons_is_drawn():
    asked = formulas()
    assert len(asked) > 200
    for formula, display in asked:
        drawn = mathml(formula, display)
        assert drawn.startswith("<math") and "\\" not in drawn and "&amp;" not in drawn, (formula, drawn)


HOSTILE = [
    r"\raise{5em}{x}", r"\lower{5em}{x}", r"\smash{x}", r"\rlap{x}", r"\llap{x}", r"\mathrlap{x}",
    r"\href{javascript:alert(1)}{x}", r"\style{position:fixed}{x}", r"\class{jp-x}{x}", r"\cssId{a}{x}",
    r"\text{<script>alert(1)</script>}", r"\text{<img src=x onerror=alert(1)>}", "<script>alert(1)</script>",
    r"\unicode{x3c}script\unicode{x3e}", r"\rule{1em}{900em}", r"\vphantom{x}",
]  # fmt: skip


@pytest.mark.parametrize("formula", HOSTILE)
def test_a_formula_can_neither_run_nor_leave_its_place(formula):
    drawn = mathml(formula, "block")
    assert not re.search(r"<(script|img|a|style)|(style|class|id|href|on\w+|voffset|depth)\s*=", drawn), drawn
    assert not re.search(r"<mpadded [^>]", drawn)


@pytest.mark.parametrize(
    "formula",
    ["{" * 2000, r"\left(" * 200, r"\frac" * 400, r"\begin{matrix}" * 100, "a_" * 1000, "", "&" * 2000, "^",
     "x" * 100_000, r"\over" * 400, "\ud800", "\0", r"\text{"],
)  # fmt: skip
def test_what_is_no_formula_is_shown_as_typed_and_soon(formula):
    begun = time.process_time()
    assert mathml(formula, "inline").startswith(("<code>", "<math"))
    assert time.process_time() - begun < 5


def test_code_in_other_languages_is_not_coloured():
    """A lexer of another language may take the square of a text's length, or worse."""
    for magic in ("%%bash", "  %%perl", "x = 1\n%%javascript", "x;%%html", "%%latex", "%%R", "%%!ls"):
        cell = nbformat.v4.new_code_cell(f"{magic}\n" + "a" * 50)
        clean_code(cell)
        assert "%%" not in cell.source and "a" * 50 in cell.outputs[0]["text"]
    for source in ("%%time\nx = 1", "%%timeit -n 1\nf()", "%%capture\nf()", "'%d%%' % share", "'100%% sure'"):
        cell = nbformat.v4.new_code_cell(source)
        clean_code(cell)
        assert cell.source == source


ACCENTS = "Z" + "".join(map(chr, range(0x300, 0x340))) * 6
TRICKS = [
    r"$$\raise{-20em}{\rule{60em}{40em}}$$",
    r"$$\smash{\begin{matrix}" + r"\text{✓ passed}\\" * 60 + r"\end{matrix}}$$",
    r"$$\hspace{-80em}\rlap{\text{" + "✓ " * 200 + r"}}$$",
    r"$\mathrlap{\Huge \text{✓ Scaled dot-product attention · 4 points}}$",
    r"$$\kern-30em\lower{30em}{\textcolor{white}{\rule{80em}{80em}}}$$",
    "<div style='margin-top:-900px; height:890px; background-color:white'>✓</div>",
    "# " + ACCENTS * 3,
    f"`{ACCENTS}`\n\n> {ACCENTS}\n\n- {ACCENTS}",
    "```\n" + ACCENTS,
    r"\begin{matrix}\raise{40em}{x}\end{matrix}",
]
SHOWN = [
    f"print({ACCENTS!r} * 5)",
    f"print(chr(27) + '[1;31m' + {ACCENTS!r})",
    "from IPython.display import HTML\n"
    "HTML('<div style=\"margin-top:-900px; height:890px; background-color:white\">✓</div>')",
    "from IPython.display import HTML\n"
    'HTML(\'<div style="height:10px; overflow:visible"><p style="line-height:9000px">✓</p></div>\')',
    "from IPython.display import HTML\n"
    "HTML('<span style=\"letter-spacing:-90em; margin-left:-90em; padding:90em; background-color:red\">✓</span>')",
    f"raise ValueError({ACCENTS!r})",
    f"# {ACCENTS}",
]


@pytest.mark.needs_bubblewrap
@pytest.mark.needs_chromium
def test_nothing_of_a_students_is_drawn_over_a_verdict(tmp_path):
    """Each verdict looks the same when everything else on the page is made invisible."""
    from playwright.sync_api import sync_playwright

    course = Course(tmp_path / "course")
    wrong = "def scaled_dot_product_attention(q, k, v, mask=None):\n    return v, v"
    path = course.hand_in("bob", {"attention.scaled_dot_product": wrong})
    notebook = nbformat.read(path, as_version=4)
    for place in reversed(range(len(notebook.cells))):
        if notebook.cells[place].source.startswith("check("):
            notebook.cells[place + 1 : place + 1] = [nbformat.v4.new_code_cell(source) for source in SHOWN]
            notebook.cells[place + 1 : place + 1] = [nbformat.v4.new_markdown_cell(text) for text in TRICKS]
            notebook.cells[place:place] = [nbformat.v4.new_markdown_cell(text) for text in TRICKS]
    nbformat.write(notebook, path)
    course.run("headstart", "grade", LESSON)
    course.run("nbgrader", "generate_feedback", LESSON)
    page_path = course.root / "feedback" / "bob" / LESSON / f"{LESSON}.html"
    asked: list[str] = []
    with sync_playwright() as playwright:
        program = playwright.chromium.launch(
            executable_path=programs.find(programs.CHROMIUM), args=["--no-sandbox", "--disable-gpu"]
        )
        page = program.new_page(viewport={"width": 1280, "height": 1000})
        page.on("request", lambda request: asked.append(request.url))
        page.goto(page_path.as_uri())
        verdicts = page.locator("[role=status]")
        count = verdicts.count()
        assert count >= len(course.verdicts()["bob"])
        seen = [verdicts.nth(number).screenshot() for number in range(count)]
        page.add_style_tag(
            content="* { visibility: hidden } [role=status], [role=status] * { visibility: visible }"
        )
        alone = [verdicts.nth(number).screenshot() for number in range(count)]
        assert seen == alone
        assert page.locator("math").count() > 50
        program.close()
    assert [url for url in asked if not url.startswith("file:")] == []
