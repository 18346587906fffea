"""Graded notebooks as pages: formulas without a network, and nothing of a student's over anything else."""

import json
import random
import re
import time

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbconvert.filters import markdown2html, strip_files_prefix
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbgrader.api import Gradebook
from traitlets.config import Config

from autograder import lessons, programs
from autograder.classroom.feedback import Row, Summary, _next
from autograder.classroom.pages import PARTS, is_students, mathml, rendered, words
from autograder.grading.clean import clean_code, clean_words
from autograder.grading.finishing import finish
from autograder.lessons import ROOT
from autograder.limits import MAX_ADDED
from tests.support.course import Course
from tests.support.proved import ENGINE, follows_from

pytestmark = follows_from(*ENGINE)

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


def test_formulas_in_a_hint_are_drawn_and_code_stays_as_it_is():
    hint = "<details><summary>Hint</summary>If $a &lt; b$, $c^2$: <code>$x$ costs 2$</code>, <pre>$y$</pre></details>"
    page = rendered(hint, theirs=False)
    assert page.count("<math") == 2 and "<mo>&lt;</mo>" in page
    assert "<code>$x$ costs 2$</code>" in page and "<pre>$y$</pre>" in page
    assert "<math" not in rendered(hint, theirs=True)


def test_no_hint_of_the_lessons_shows_a_formula_as_it_was_typed():
    for name in lessons.names():
        for cell in lessons.load_source_notebook(name).cells:
            if cell.cell_type == "markdown" and "<details>" in cell.source:
                page = BeautifulSoup(rendered(cell.source, theirs=False), "html.parser")
                for code in page.select("code, pre, math"):
                    code.decompose()
                assert [hint.text for hint in page.select("details") if "$" in hint.text] == []


HOSTILE = [
    r"\raise{5em}{x}", r"\lower{5em}{x}", r"\smash{x}", r"\rlap{x}", r"\llap{x}", r"\mathrlap{x}",
    r"\href{javascript:alert(1)}{x}", r"\style{position:fixed}{x}", r"\class{jp-x}{x}", r"\cssId{a}{x}",
    r"\text{<script>alert(1)</script>}", r"\text{<img src=x onerror=alert(1)>}", "<script>alert(1)</script>",
    r"\unicode{x3c}script\unicode{x3e}", r"\rule{1em}{900em}", r"\vphantom{x}",
]  # fmt: skip


@pytest.mark.promise(51)
@pytest.mark.parametrize("formula", HOSTILE)
def test_a_formula_can_neither_run_nor_leave_its_place(formula):
    drawn = mathml(formula, "block")
    assert not re.search(r"<(script|img|a|style)|(style|class|id|href|on\w+|voffset|depth)\s*=", drawn), drawn
    assert not re.search(r"<mpadded [^>]", drawn)


@pytest.mark.promise(49)
@pytest.mark.parametrize(
    "formula",
    ["{" * 2000, r"\left(" * 200, r"\frac" * 400, r"\begin{matrix}" * 100, "a_" * 1000, "", "&" * 2000, "^",
     "x" * 100_000, r"\over" * 400, "\ud800", "\0", r"\text{"],
)  # fmt: skip
def test_what_is_no_formula_is_shown_as_typed_and_soon(formula):
    begun = time.process_time()
    assert mathml(formula, "inline").startswith(("<code>", "<math"))
    assert time.process_time() - begun < 5


@pytest.mark.promise(50)
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

# How far a letter's accents reach is the font's affair. This has all that isn't a verdict reach over what is above.
FAR_UP = """
.text_cell_render > *, .input_area > *, .output_subarea:not(:has([role=status])) > * {
    position: relative; top: -300px; background: black;
}
"""


@pytest.mark.promise(51)
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
        page.add_style_tag(content=FAR_UP)
        beside_what_reaches_far = [verdicts.nth(number).screenshot() for number in range(count)]
        page.add_style_tag(
            content="* { visibility: hidden } [role=status], [role=status] * { visibility: visible }"
        )
        alone = [verdicts.nth(number).screenshot() for number in range(count)]
        assert seen == alone
        assert beside_what_reaches_far == alone
        assert page.locator("math").count() > 50
        program.close()
    assert [url for url in asked if not url.startswith("file:")] == []


@pytest.mark.needs_bubblewrap
def test_feedback_begins_with_what_was_graded_and_what_to_look_at_next(tmp_path):
    course = Course(tmp_path / "course")
    wrong = "def scaled_dot_product_attention(q, k, v, mask=None):\n    return v, v"
    question = "attention.dot_or_additive"
    course.hand_in("bob", {"attention.scaled_dot_product": wrong, question: "Because <b>."})
    course.run("headstart", "grade", LESSON)
    with Gradebook(f"sqlite:///{course.root / 'gradebook.db'}") as book:
        grade = book.find_grade(lessons.grade_id(question), LESSON, LESSON, "bob")
        grade.manual_score, grade.needs_manual_grade = 4.0, False
        book.db.commit()
    course.run("nbgrader", "generate_feedback", LESSON)
    page = (course.root / "feedback" / "bob" / LESSON / f"{LESSON}.html").read_text()
    assert '<html lang="en">' in page and "<script" not in page
    soup = BeautifulSoup(page, "html.parser")
    summary = soup.select_one("header.summary")
    rows = {row.a.text: row for row in summary.select("tbody tr")}
    checks = json.loads((ROOT / "release" / LESSON / "checks.json").read_text())
    assert len(rows) == len(checks) + 2, "every exercise and both questions, each by its name"
    failed = rows["Exercise 1.5: Scaled dot-product attention"].get_text(" ", strip=True)
    assert failed.startswith("1.5 ") and "✗ case 1 of" in failed and failed.endswith("0 of 4")
    assert "waits for points by hand" in rows["Question 1.7"].text
    assert "◐ partly right" in rows["Question 1.10b"].text
    assert "1 written answer waits for points" in summary.text
    assert summary.find("ol").find("li").a["href"] == "#attention-scaled_dot_product"
    targets = {each.get("id") for each in soup.select("[id]")}
    assert {link["href"][1:] for link in soup.select("header.summary a")} <= targets
    assert "No response." not in page


def test_what_kept_a_whole_notebook_from_running_is_said_once():
    def row(name: str, case: str, cause: str, earned: float = 0) -> Row:
        how = f"✗ {case}"
        return Row(id=name, section="1", name=name, how=how, case=case, cause=cause, earned=earned, points=2)

    broken = [row(name, "not run", "The file is no notebook.") for name in "abc"]
    rows = [row("right", "", "", 2), broken[0], row("wrong", "case 1", "A slip."), *broken[1:]]
    assert [each["name"] for each in _next(rows)] == ["a and 2 more", "wrong"]


def test_another_courses_feedback_names_its_cells_by_the_headings_above(tmp_path):
    cells = [
        nbformat.v4.new_markdown_cell("# Sums\n\n## Part A"),
        nbformat.v4.new_code_cell("assert 1", metadata={"nbgrader": {"grade": True, "grade_id": "t1"}}),
        nbformat.v4.new_code_cell("x", metadata={"nbgrader": {"solution": True, "grade_id": "s"}}),
    ]
    cells[1].metadata.nbgrader |= {"score": 1.0, "points": 2.0}
    row, title = summarised(tmp_path, cells)
    assert (row["section"], row["name"], title) == ("Part A", "t1", "Sums")
    assert "partly right" in row["how"]


@pytest.mark.promise(53)
def test_the_summary_says_nothing_that_a_student_wrote(tmp_path):
    """Neither headings of cells they added, nor what code of theirs displayed below a test."""
    forged = "✓ All of it · 9 of 9 cases\n  likely cause   none"
    shown = [
        nbformat.v4.new_output("display_data", {"text/plain": text})
        for text in (forged, "✗ Sum · 0 of 2 points · in process\n  the test said  AssertionError")
    ]
    mine = {"headstart": {"added": True}}
    tests = {"grade": True, "grade_id": "t1", "score": 0.0, "points": 2.0}
    by_hand = {**tests, "grade_id": "t2", "solution": True}
    cells = [
        nbformat.v4.new_markdown_cell("# 100 of 100\n\n## All right\n\n**Exercise 1 passed**", metadata=mine),
        nbformat.v4.new_markdown_cell("# Sums\n\n## Part A"),
        nbformat.v4.new_markdown_cell("## All right", metadata=mine),
        nbformat.v4.new_code_cell("assert 0", metadata={"nbgrader": tests}, outputs=shown),
        nbformat.v4.new_code_cell("show()", metadata={"nbgrader": by_hand}, outputs=shown[:1]),
    ]
    row, title = summarised(tmp_path, cells)
    assert (row["section"], row["name"], title) == ("Part A", "Sum", "Sums")
    assert "All of it" not in str(row)
    other, _ = summarised(tmp_path, cells, place=1)
    assert (other["section"], other["name"], other["case"]) == ("Part A", "t2", "")


@pytest.mark.promise(53)
@pytest.mark.parametrize(
    "known",
    [{"headstart": {"added": True}}, {"headstart": {"remarks": True}}, {"nbgrader": {"solution": True}}],
)
def test_a_heading_of_a_students_takes_no_ones_place(known):
    """By its id it would be where the summary's links lead, and formgrader would miss its field for points."""
    ours, theirs = ({"cell": {"metadata": each}} for each in ({}, known))
    for text in ("# attention-softmax", "attention-softmax\n---", "> # attention-softmax"):
        assert 'id="attention-softmax"' in words(ours, text)
        assert "id=" not in words(theirs, text) and "attention-softmax" in words(theirs, text)


def shown(text: str, cell: nbformat.NotebookNode | None = None) -> str:
    """What a student's text becomes on a page, in formgrader and in feedback."""
    cell = cell or nbformat.v4.new_markdown_cell(text, metadata={"headstart": {"added": True}})
    clean_words(cell)
    return strip_files_prefix(words({"cell": cell}, cell.source))


def _cleaned(text: str) -> str:
    cell = nbformat.v4.new_markdown_cell(text)
    clean_words(cell)
    return cell.source


@pytest.mark.promise(47)
@pytest.mark.parametrize(
    "text",
    [
        r"![\](a.png)](https://elsewhere.org/x.png)",
        "![`](a.png)`](https://elsewhere.org/x.png)",
        "![$](a.png)$](https://elsewhere.org/x.png)",
        "![x](files///elsewhere.org/x.png)",
        "![x](files//formgrader/x.png)",
        "[x](files//formgrader/x)",
        "[x](files///elsewhere.org)",
    ],
)
def test_no_picture_of_a_students_comes_from_elsewhere(text):
    """One would tell who looks at it, and when. What the grader remarks on names files and first lines of cells."""
    code = nbformat.v4.new_code_cell(id="a", metadata={"nbgrader": {"grade_id": "a"}})
    remarks = finish(nbformat.v4.new_notebook(cells=[code]), "n", True, {}, {}, [f"the cell {text} is over"])
    assert is_students(remarks.cells[0])
    elsewhere = markdown2html(_cleaned(text))  # where nbgrader's own settings hold
    for page in (shown(text), shown("", remarks.cells[0]), strip_files_prefix(elsewhere)):
        soup = BeautifulSoup(page, "html.parser")
        assert not soup.find("img")
        assert all(link["href"].startswith("https://") for link in soup.find_all("a", href=True))


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "//elsewhere.org", "/hub", "../x", "files//hub", "data:,x"]
)
def test_a_link_of_a_students_leads_to_the_web_or_a_file(address):
    """Also where Markdown finds one that reading the text has missed."""
    theirs = {"cell": {"metadata": {"headstart": {"added": True}}}}
    assert words(theirs, f"[here]({address})") == words(theirs, f"![here]({address})") == "<p>here</p>\n"


def test_pictures_and_links_that_a_student_may_have_are_shown():
    page = BeautifulSoup(
        shown("![a plot](plots/a.png) [there](https://a.org/b?c) [here](#top) [d](data.csv)"), "html.parser"
    )
    assert page.img["src"] == "plots/a.png"
    assert [link["href"] for link in page.find_all("a")] == ["https://a.org/b?c", "#top", "data.csv"]


@pytest.mark.promise(50)
@pytest.mark.parametrize(
    "text", ["a\r```bash\rx $y\r```", "Term\n: ```bash\n  x $y\n  ```", "Term\n: ```mermaid\n  x $y\n  ```"]
)
def test_code_in_a_students_text_is_in_no_language(text):
    assert "<code>x $y" in shown(text) and "span" not in shown(text) and "mermaid" not in shown(text)


PIECES = [
    "![", "](", ")", "[", "]", "]:", "\\", "`", "```", "$", "$$", r"\(", r"\begin{x}", r"\end{x}", "<", "<b>", "<!--", "\n",
    "\n\n", "\r", " ", "    ", "|", "|--|", "* ", "- [ ] ", "# ", "> ", ": ", "~~~", "a", "a.png", "https://e.org/x.png",
    "//e.org/x.png", "files/", "javascript:alert(1)", "data:text/html,x", "attachment:x", "&#60;", "&lt;", "\" onclick=\"x",
    "\0", "mermaid", r"\text{<b>}", r"\href{x}{y}", "{#id}", "/%2e%2e/",
]  # fmt: skip
INERT = PARTS | {
    "p", "a", "img", "pre", "code", "span", "table", "thead", "tbody", "tr", "th", "td", "ul", "ol", "li", "h1", "h2", "h3",
    "em", "strong", "del", "blockquote", "br", "hr", "dl", "dt", "dd", "input",
}  # fmt: skip
HARMLESS = {"href", "src", "alt", "title", "class", "type", "disabled", "start", "style"}


@pytest.mark.promise(47)
def test_a_students_text_becomes_nothing_but_what_is_inert():
    chance = random.Random(0)
    for _ in range(1000):
        text = "".join(chance.choices(PIECES, k=chance.randrange(2, 25)))
        for tag in BeautifulSoup(shown(text), "html.parser").find_all(True):
            assert tag.name in INERT and (tag.name in PARTS or set(tag.attrs) <= HARMLESS), text
            assert re.fullmatch(r"https?://.*|#.*|(?!/)[\w./%-]*", tag.get("href", ""), re.S), text
            assert re.fullmatch(r"(?!/)[\w./%-]*", tag.get("src", "")), text


def summarised(tmp_path, cells, place: int = 0):
    """A row of the summary of an assignment of somebody else, and the page's title."""
    (tmp_path / "gradebook.db").unlink(missing_ok=True)
    with Gradebook(f"sqlite:///{tmp_path}/gradebook.db") as book:
        book.add_assignment("ps1")
        book.add_notebook("p", "ps1")
        known = [cell.metadata.nbgrader for cell in cells if "nbgrader" in cell.metadata]
        for each in known:
            if each.get("solution"):
                book.add_solution_cell(each.grade_id, "p", "ps1")
            if each.get("grade"):
                book.add_grade_cell(each.grade_id, "p", "ps1", max_score=each.points, cell_type="code")
        book.add_student("ann")
        book.add_submission("ps1", "ann")
        for each in known:
            if each.get("grade"):
                grade = book.find_grade(each.grade_id, "p", "ps1", "ann")
                grade.auto_score, grade.needs_manual_grade = each.pop("score"), False
        book.db.commit()
        url = book.db.bind.url.render_as_string()
    known = {"notebook": "p", "assignment": "ps1", "student": "ann", "db_url": url}
    autograded = tmp_path / "autograded" / "ann" / "ps1" / "p.ipynb"
    autograded.parent.mkdir(parents=True, exist_ok=True)
    autograded.touch()
    summary = Summary(config=Config({"CourseDirectory": {"root": str(tmp_path)}}))
    _, resources = summary.preprocess(nbformat.v4.new_notebook(cells=cells), {"nbgrader": known})
    feedback = resources["feedback"]
    assert feedback["next"] == feedback["rows"]
    return feedback["rows"][place], feedback["title"]


@pytest.mark.promise(49)
def test_cells_without_end_take_no_time_to_show():
    """Each is within its bounds. All together would keep formgrader, which draws one page at a time, for minutes."""
    cells = [
        make("x" * 20_000, id=f"added-{number}", metadata={"headstart": {"added": True}})
        for number, make in enumerate([nbformat.v4.new_markdown_cell, nbformat.v4.new_code_cell] * 50)
    ]
    answer = nbformat.v4.new_markdown_cell("mine", metadata={"nbgrader": {"grade_id": "a", "solution": True}})
    notebook = finish(nbformat.v4.new_notebook(cells=[*cells, answer]), "n", True, {}, {}, [])
    shown = [cell for cell in notebook.cells if "x" * 20_000 in cell.source]
    assert len(shown) == MAX_ADDED // 20_000 and notebook.cells[-1].source == "mine"
    assert sum(len(cell.source) for cell in notebook.cells) < MAX_ADDED * 1.1
    assert all("Not shown" in cell.source for cell in notebook.cells[len(shown) : -1])
