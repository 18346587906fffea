"""Lessons in real JupyterLab, and graded submissions in nbgrader's formgrader, as a browser shows them."""

import contextlib
import json
import os
import re
from pathlib import Path

import nbconvert
import nbformat
import pytest
from playwright.sync_api import Locator, Page, expect
from playwright.sync_api import TimeoutError as TookTooLong

from autograder import lessons
from autograder.authoring.review import WIDEST
from autograder.lessons import ROOT
from helpers.figures.answering import STUB
from helpers.figures.predicting import PREDICTED, predictions, revealed
from tests.classroom.test_nbgrader import UNSCALED
from tests.lessons.test_widgets import VIEW
from tests.lessons.test_writer import SECTION
from tests.support.browser import (
    Browser,
    Notebook,
    answers,
    everything_is_shown,
    fill_in,
    hand_out,
    hurry,
    visit,
)
from tests.support.course import LESSON, Course
from tests.support.explorers import HEARD
from tests.support.proved import PROJECT, follows_from

pytestmark = [pytest.mark.needs_chromium, pytest.mark.timeout(600), follows_from(*PROJECT)]

WRONG = "attention.scaled_dot_product"
NOT_DIVIDED = "The scores are not divided by √d_k"
SHEETS = json.loads((ROOT / "release" / LESSON / "checks.json").read_text())
# The wrong answer. What calls it is right with a right one in its place.
FAILING = {WRONG}
WRITTEN = ("attention-self_or_encoder", "attention-dot_or_additive")
# Those that compute in the page, and aren't there for when the kernel has ended.
LIVE = ".jp-OutputArea .headstart-live:not(.headstart-still *)"
SIGNS = {exercise: "✗" if exercise in FAILING else "✓" for exercise in SHEETS}


# -- lesson 01 -------------------------------------------------------------------------------------------


def test_lesson_01_runs_its_explorer_moves_and_a_wrong_answer_gets_its_message(tmp_path: Path) -> None:
    student, home = tmp_path / "student", tmp_path / "home"
    right = answers(Course(tmp_path / "course"))
    grade_id = f"{lessons.grade_id(WRONG)}-answer"
    drawings = fill_in(hand_out(LESSON, student), {**right, grade_id: UNSCALED})
    with visit(student, home, "lesson_01") as browser:
        notebook = Notebook(browser, f"{LESSON}/{LESSON}.ipynb")
        notebook.run_all()
        everything_is_shown(notebook, drawings)
        expect(notebook.cell("helpers.__file__")).to_contain_text(f"from {student / LESSON / 'helpers'}")
        assert notebook.barriers() == []
        assert notebook.beyond_the_screen() == []
        assert notebook.characters_at(1024) >= WIDEST
        the_reader_reads_what_is_typed(browser, notebook)
        the_explorer_follows_its_slider(browser, notebook)
        in_forced_colours_a_slider_keeps_its_track(browser, notebook)
        the_wrong_answer_has_its_message(browser, notebook)
        kept = json.loads((home / "progress.json").read_text())[str((student / LESSON).resolve())]
        found = {exercise: bool(kept[exercise]) for exercise in SIGNS}
        assert found == {exercise: sign == "✓" for exercise, sign in SIGNS.items()}
        the_mended_answer_passes(browser, notebook, right[grade_id])
        opened_again_it_shows_still_pictures(browser, notebook)
        in_the_dark_theme_it_can_be_read(browser, notebook)
    assert not browser.outside, "a lesson must work without the network"


def the_reader_reads_what_is_typed(browser: Browser, notebook: Notebook) -> None:
    explorer = notebook.page.locator(LIVE).first
    said, sentence = explorer.get_by_role("status"), explorer.get_by_label("sentence")
    expect(said).to_have_text(re.compile("head 1 most at plot.* Next: is"))
    cells = notebook.page.locator(".jp-Notebook .jp-Cell").count()
    sentence.press("ControlOrMeta+a")
    sentence.press_sequentially("the jokes that fill the zebra book")  # of which JupyterLab has shortcuts
    expect(said).to_have_text(re.compile("head 1 most at jokes.* Next: are"))
    expect(said).to_contain_text("It has never seen zebra")
    assert notebook.page.locator(".jp-Notebook .jp-Cell").count() == cells
    explorer.get_by_role("slider", name="words read").press("ArrowLeft")
    expect(said).to_contain_text("From “the” it looks")
    browser.picture("lesson_01_reader", explorer)


def the_explorer_follows_its_slider(browser: Browser, notebook: Notebook) -> None:
    explorer = notebook.page.locator(".jp-OutputArea .widget-vbox", has_text="hidden word")
    said = explorer.get_by_role("status")
    # By the student's own function, whose scores are too large; with the right one it would be 1.83.
    expect(said).to_have_text(re.compile(r"A word spreads its weights over 1\.38 bits"))
    expect(explorer.get_by_role("table", name="Attention weights")).to_be_visible()
    expect(notebook.page.locator(".headstart-still").first).to_be_hidden()  # the live one is there
    explorer.get_by_role("slider", name="temperature").press("ArrowLeft")
    expect(said).to_have_text(re.compile(r"A word spreads its weights over 1\.36 bits"))
    browser.picture("lesson_01_explorer", explorer)


def the_wrong_answer_has_its_message(browser: Browser, notebook: Notebook) -> None:
    message = notebook.cell(f'check("{WRONG}"').get_by_role("status")
    browser.picture("lesson_01_wrong_answer", message)
    expect(message.locator("strong")).to_contain_text(f"✗ {SHEETS[WRONG]['title']} · case")
    expect(message.get_by_role("row", name="returned")).to_be_visible()
    expect(message.get_by_role("row", name="likely cause")).to_contain_text(NOT_DIVIDED)
    expect(message.get_by_role("row", name="look at")).to_contain_text(SHEETS[WRONG]["look_at"])
    found = [headline.split(" · ")[0] for headline in notebook.headlines()]
    assert found == [f"{sign} {SHEETS[exercise]['title']}" for exercise, sign in SIGNS.items()]


def the_mended_answer_passes(browser: Browser, notebook: Notebook, answer: str) -> None:
    keyboard = notebook.page.keyboard
    notebook.cell("def scaled_dot_product_attention").locator(".cm-content").click()
    keyboard.press("ControlOrMeta+a")
    keyboard.insert_text(answer)
    keyboard.press("Shift+Enter")
    keyboard.press("Shift+Enter")  # the next cell is its check
    message = notebook.cell(f'check("{WRONG}"').get_by_role("status")
    expect(message).to_contain_text(f"✓ {SHEETS[WRONG]['title']}")
    browser.picture("lesson_01_mended", message)


def opened_again_it_shows_still_pictures(browser: Browser, notebook: Notebook) -> None:
    """The kernel has ended meanwhile, as over night, and with it all widgets."""
    page = notebook.page
    page.keyboard.press("ControlOrMeta+s")
    expect(page.locator(".jp-mod-current .jp-DirtyIndicator, .lm-mod-current.jp-mod-dirty")).to_have_count(0)
    kernels_end(browser)
    page.reload()
    stills, living = page.locator(".headstart-still"), page.locator(".headstart-live [role=status]")
    expect(stills.locator("img").first).to_be_visible()
    expect(living).to_have_count(3)  # what the reader reads, weights, and what the reader writes
    for said in living.all():
        expect(said).to_be_visible()
    expect(page.locator("#jp-main-statusbar")).to_contain_text("| Idle")
    missing = page.locator(".jp-OutputArea-output", has_text="model not found")
    expect(missing).to_have_count(3 + len(WRITTEN) + len(predictions("attention")))
    for each in missing.all():
        expect(each).to_be_hidden()
    browser.picture("lesson_01_opened_again", stills.first)


def kernels_end(browser: Browser) -> None:
    """End all kernels, as over night."""
    request, cookies = browser.page.request, browser.page.context.cookies()
    token = next(cookie["value"] for cookie in cookies if cookie["name"] == "_xsrf")
    for session in request.get(f"{browser.address}/api/sessions").json():
        path = f"{browser.address}/api/sessions/{session['id']}"
        assert request.delete(path, headers={"X-XSRFToken": token}).ok


def in_the_dark_theme_it_can_be_read(browser: Browser, notebook: Notebook) -> None:
    page = notebook.page
    page.locator(".lm-MenuBar-itemLabel").get_by_text("Settings", exact=True).click()
    page.locator(".lm-Menu-itemLabel").get_by_text("Theme", exact=True).hover()
    page.locator(".lm-Menu-itemLabel").get_by_text("JupyterLab Dark", exact=True).click()
    expect(page.locator("body")).to_have_attribute("data-jp-theme-light", "false")
    assert notebook.barriers() == []
    browser.picture("lesson_01_dark", page.locator(".headstart-still").first)


def in_forced_colours_a_slider_keeps_its_track(browser: Browser, notebook: Notebook) -> None:
    track = notebook.page.locator(".noUi-target").first
    notebook.page.emulate_media(forced_colors="active")
    expect(track).to_have_css("border-top-width", "1px")
    browser.picture("lesson_01_forced_colours", track)
    notebook.page.emulate_media(forced_colors="none")


# -- a prediction ----------------------------------------------------------------------------------------


def test_a_click_draws_a_figure_that_waits_and_says_what_it_shows(tmp_path: Path) -> None:
    """It is saved, as an output of the figure's own cell, and so is what was clicked."""
    student, home, asked = tmp_path / "student", tmp_path / "home", "block.alone"
    path = hand_out("06_block", student)
    notebook = nbformat.read(path, as_version=4)
    sources = [cell.source for cell in notebook.cells]
    at = sources.index(f'predict("{asked}", ...)')
    setup = next(cell for cell in notebook.cells if lessons.kind(cell) == "setup")
    notebook.cells = [setup, *notebook.cells[at - 1 : at + 2]]
    nbformat.write(notebook, path)
    with visit(student, home, "prediction") as browser:
        notebook = Notebook(browser, f"06_block/{path.name}")
        page, told = notebook.page, " ".join(revealed(asked).partition(":")[0].split())
        notebook.run_all()
        choices = notebook.cell(f'predict("{asked}"')
        answer = page.locator(".jp-OutputArea :not(.headstart-still) > [role=status]")
        figure = page.locator('.jp-OutputArea img[alt^="How alike"]')
        expect(answer).to_contain_text("This waits for your prediction")
        assert told not in page.content()
        choices.get_by_role("button", name="a", exact=True).click()
        expect(figure).to_be_visible()
        expect(answer).to_contain_text("Not quite. You chose a: They become ever more different.")
        expect(page.locator(".jp-OutputArea .jp-RenderedMarkdown")).to_contain_text(told)
        assert notebook.complaints() == [] and notebook.barriers() == []
        browser.picture("prediction_clicked", choices)
        choices.get_by_role("button", name="b", exact=True).click()
        expect(answer).to_contain_text("Right. You chose b: They become alike.")
        page.keyboard.press("Escape")
        page.keyboard.press("ControlOrMeta+s")
        expect(
            page.locator(".jp-mod-current .jp-DirtyIndicator, .lm-mod-current.jp-mod-dirty")
        ).to_have_count(0)
        kernels_end(browser)
        page.reload()
        expect(figure).to_be_visible()
        expect(page.locator(".jp-OutputArea .jp-RenderedMarkdown")).to_contain_text(told)
        expect(page.locator(".headstart-still")).to_contain_text('Put "a" or "b" or "c" in place of the dots')
        browser.picture("prediction_opened_again", choices)
    outputs = nbformat.read(path, as_version=4).cells[2].outputs
    assert [found.metadata[PREDICTED] for found in outputs if PREDICTED in found.metadata] == [{asked: "b"}]


def test_an_answer_in_words_shows_the_model_answer_without_being_saved_by_hand(tmp_path: Path) -> None:
    """A text cell opens by double-click; running the cell below saves the notebook, and reads it."""
    student, home = tmp_path / "student", tmp_path / "home"
    path = hand_out("00_start_here", student)
    with visit(student, home, "answer") as browser:
        notebook = Notebook(browser, f"00_start_here/{path.name}")
        page, cell = notebook.page, notebook.cell('model_answer("start_here.one_input"')
        notebook.run_all()
        expect(cell).to_contain_text("There is no answer above yet")
        assert "At 2, x² and 2x are both 4" not in page.content()
        text = page.locator(".jp-MarkdownCell", has_text=STUB).last
        text.dblclick()
        text.locator(".cm-content").click()
        page.keyboard.press("ControlOrMeta+a")
        page.keyboard.type("Both are 4 there, so I would try 3.")
        page.keyboard.press("Shift+Enter")
        page.keyboard.press("Shift+Enter")
        expect(cell).to_contain_text("At 2, x² and 2x are both 4")
        cell.locator("input[type=checkbox]").first.check()
        expect(cell).to_contain_text("1 of 2 points")
        assert notebook.complaints() == [] and notebook.barriers() == []
        browser.picture("answer_compared", cell)


# -- other front ends ------------------------------------------------------------------------------------


def test_a_still_picture_hides_beside_its_live_one_and_nowhere_else(tmp_path: Path) -> None:
    student, home = tmp_path / "student", tmp_path / "home"
    path = hand_out(LESSON, student)
    cells = [
        "from helpers.attention import explorers",
        "explorers.saturation_explorer(lambda q, k, scaled: (0.5, 0.1))",
        "explorers.reading_explorer()",
    ]
    notebook = nbformat.read(path, as_version=4)
    notebook.cells = [nbformat.v4.new_code_cell(cell) for cell in cells]
    nbformat.write(notebook, path)
    with visit(student, home, "still") as browser:
        page = browser.page
        live, still = page.locator(".widget-vbox img").first, page.locator(".headstart-still")
        in_notebook_7(browser, live, still)
        it_reads(page)  # its kernel has ended
        outputs = nbformat.read(path, as_version=4).cells[1].outputs
        for template in ("lab", "classic"):
            printed, _ = nbconvert.HTMLExporter(template_name=template).from_filename(path)
            (tmp_path / "page.html").write_text(printed, encoding="utf-8")
            page.goto((tmp_path / "page.html").as_uri())
            expect(still.locator("img").first).to_be_visible()
            it_reads(page)
            browser.picture(f"still_{template}", still)
        # VS Code and Colab put a cell's outputs into one document, and call the elements around them as they like.
        [[model], [html]] = (
            [each.data[kind] for each in outputs if kind in each.data] for kind in (VIEW, "text/html")
        )
        page.set_content(f"<p class='headstart-{model['model_id']}'>live</p><div><div>{html}</div></div>")
        expect(still).to_be_hidden()
        page.locator("p", has_text="live").evaluate("element => element.remove()")
        expect(still).to_be_visible()
        [output] = nbformat.read(path, as_version=4).cells[2].outputs
        page.set_content(output.data["text/html"])
        it_reads(page)


def it_reads(page: Page) -> None:
    """The reader computes in this page."""
    explorer = page.locator(".headstart-live")
    explorer.get_by_label("sentence").fill("the jokes that fill the book")
    expect(explorer.get_by_role("status")).to_have_text(re.compile("head 1 most at jokes.* Next: are"))


def in_notebook_7(browser: Browser, live: Locator, still: Locator) -> None:
    page = browser.page
    # Cells that are run before Notebook 7 has its connection to the kernel never run, nor do any after them:
    # only opening the page again helps.
    for _ in range(5):
        page.goto(f"{browser.address}/notebooks/{LESSON}/{LESSON}.ipynb")
        expect(page.locator(".jp-Notebook-ExecutionIndicator")).to_have_attribute("data-status", "idle")
        page.locator(".lm-MenuBar-itemLabel").get_by_text("Run", exact=True).click()
        page.locator(".lm-Menu-itemLabel").get_by_text("Run All Cells", exact=True).click()
        with contextlib.suppress(TookTooLong):
            live.wait_for(timeout=60_000)
            break
    expect(live).to_be_visible()
    expect(still).to_be_hidden()
    browser.picture("still_notebook_7_live", live)
    with page.expect_response(
        lambda answer: answer.request.method == "PUT" and "/api/contents" in answer.url
    ):
        page.keyboard.press("ControlOrMeta+s")
    kernels_end(browser)
    page.reload()
    expect(still.locator("img").first).to_be_visible()
    missing = page.locator(".jp-OutputArea-output", has_text="model not found")
    expect(missing).to_have_count(1)
    expect(missing).to_be_hidden()
    browser.picture("still_notebook_7_again", still)


# -- the other lessons -----------------------------------------------------------------------------------


LEARN_MORE = ("11_translation",)  # after fewer steps its model writes one word, and no slider has where to go


@pytest.mark.parametrize("lesson", [name for name in lessons.names() if name > LESSON])
def test_a_solved_lesson_runs_and_its_explorers_move(
    lesson: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if lesson in LEARN_MORE:
        monkeypatch.setenv("HEADSTART_QUICK", "20")
    student, home = tmp_path / "student", tmp_path / "home"
    path = hand_out(lesson, student)
    drawings = fill_in(path, answers(Course(tmp_path / "course", lesson)))
    hurry(path)
    sheets = json.loads((ROOT / "release" / lesson / "checks.json").read_text())
    with visit(student, home, f"lesson_{lesson[:2]}") as browser:
        notebook = Notebook(browser, f"{lesson}/{lesson}.ipynb")
        notebook.run_all()
        everything_is_shown(notebook, drawings)
        passed = [headline.split(" · ")[0] for headline in notebook.headlines()]
        assert passed == [f"✓ {sheet['title']}" for sheet in sheets.values()]
        assert notebook.barriers() == []
        assert notebook.beyond_the_screen() == []
        pictures_for_people(browser, notebook, lesson)
        explorers = notebook.page.locator(".jp-OutputArea .widget-vbox:has([role=slider])")
        assert explorers.count()
        expect(notebook.page.locator("[role=slider]:not([aria-label])")).to_have_count(0)
        for number in range(explorers.count()):
            a_slider_changes_what_is_shown(
                browser, explorers.nth(number), f"lesson_{lesson[:2]}_moved_{number}"
            )
    assert not browser.outside, "a lesson must work without the network"


def pictures_for_people(browser: Browser, notebook: Notebook, lesson: str) -> None:
    """A screenshot of each figure in its place, where somebody wants to look at them."""
    figures = notebook.page.locator(".jp-OutputArea img")
    for number in range(figures.count() if os.environ.get("HEADSTART_SCREENSHOTS") else 0):
        browser.picture(f"lesson_{lesson[:2]}_figure_{number:02}", figures.nth(number))


SEEN = f"""box => ({HEARD})(box) + [...box.querySelectorAll("img")].map(i => i.src)
    + [...box.querySelectorAll(".widget-html-content")].map(content => content.innerText)"""


def a_slider_changes_what_is_shown(browser: Browser, explorer: Locator, name: str) -> None:
    slider = explorer.get_by_role("slider").first
    before = explorer.evaluate(SEEN)
    ends = slider.get_attribute("aria-valuenow"), slider.get_attribute("aria-valuemax")
    for _ in range(5):  # words drawn at a temperature that is only a little higher may be the same
        slider.press("ArrowLeft" if ends[0] == ends[1] else "ArrowRight")
    changed = f"([box, before]) => String(({SEEN})(box)) !== String(before)"
    explorer.page.wait_for_function(changed, arg=[explorer.element_handle(), before])
    browser.picture(name, explorer)


# -- a model that writes ---------------------------------------------------------------------------------


# By lesson, what goes into the model and what its last section needs; "" is answered as the course does.
GOES_IN = {
    "01_attention": {
        "attention.scaled_dot_product": """
def scaled_dot_product_attention(q, k, v, mask=None):
    s = torch.einsum("...td,...sd->...ts", q, k) * k.shape[-1] ** -0.5
    w = torch.softmax(s if mask is None else s.masked_fill(~mask, -math.inf), -1)
    return w @ v, w""",
    },
    "02_multihead": {
        "multihead.split_heads": "",
        "multihead.merge_heads": "",
        "multihead.attend_by_heads": "",
        "multihead.module": "",
        "multihead.switch_off": "",
    },
    "03_positional": {
        "positional.add": """
def add_positions(x, table):
    return x + table[torch.arange(x.shape[-2])]""",
    },
    "04_masking": {
        "masking.causal": """
def causal_mask(T):
    places = torch.arange(T)
    return places[:, None] >= places""",
        "masking.cache": """
def cached_step(cache, x, W_q, W_k, W_v):
    k, v = torch.cat([cache["k"], x @ W_k], -2), torch.cat([cache["v"], x @ W_v], -2)
    hidden = ~causal_mask(k.shape[-2])[-x.shape[-2] :]
    s = (x @ W_q) @ k.transpose(-2, -1) * k.shape[-1] ** -0.5
    return s.masked_fill(hidden, -math.inf).softmax(-1) @ v, {"k": k, "v": v}""",
    },
    "05_complexity": {"complexity.fitted_exponent": ""},
}


def test_a_student_s_model_writes_at_the_end_of_each_of_the_first_five_lessons(tmp_path: Path) -> None:
    """They pass the exercises that go into it in their own way, and each lesson takes up what the last ones kept."""
    student, home = tmp_path / "student", tmp_path / "home"
    student.mkdir()
    with visit(student, home, "writes") as browser:
        for number, lesson in enumerate(GOES_IN, 1):
            path = hand_out(lesson, student)
            only_what_writes(path, answers(Course(tmp_path / lesson, lesson)))
            notebook = Notebook(browser, f"{lesson}/{lesson}.ipynb")
            notebook.run_all()
            assert notebook.complaints() == [] and notebook.barriers() == []
            assert notebook.beyond_the_screen() == []
            assert all(line.startswith("✓") for line in notebook.headlines())
            mine = notebook.page.locator(".jp-OutputArea table", has_text="written in").get_by_role("row")
            expect(mine.filter(has_text="yours")).to_have_count(number)
            expect(mine.filter(has_text="lesson 6")).to_have_count(1)
            it_writes(browser, notebook, lesson)
    assert not browser.outside


def only_what_writes(path: Path, right: dict[str, str]) -> None:
    """Leave of a released notebook its set-up, those exercises with their checks, and the section that writes."""
    wanted = {lessons.grade_id(exercise): own for exercise, own in GOES_IN[path.stem].items()}
    lesson, kept, writes = nbformat.read(path, as_version=4), [], False
    for cell in lesson.cells:
        writes = bool(SECTION.match(cell.source)) or (writes and not cell.source.startswith("## "))
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        exercise = grade_id.removesuffix("-answer")
        if exercise in wanted or lessons.kind(cell) == "setup" or writes:
            if cell.metadata.get("nbgrader", {}).get("solution"):
                cell.source = wanted[exercise].strip() or right[grade_id]
            kept.append(cell)
    lesson.cells = kept
    nbformat.write(lesson, path)


def it_writes(browser: Browser, notebook: Notebook, lesson: str) -> None:
    explorer = notebook.page.locator(".jp-OutputArea .widget-vbox", has_text="beginning")
    text = explorer.locator("b").first
    expect(text).to_contain_text(re.compile(r"^In her new mystery, \w+ .*[.…]$"))
    expect(explorer).not_to_contain_text("right yet")
    before = text.inner_text()
    explorer.get_by_role("button", name="write again").press("Enter")
    expect(text).not_to_have_text(before)
    explorer.get_by_label("beginning").fill("luckily , the jokes in this zebra book")
    expect(text).to_contain_text(re.compile(r"^Luckily, the jokes in this book \w+"))
    expect(explorer.get_by_role("status").filter(has_text="It has never seen zebra")).to_be_visible()
    browser.picture(f"writes_{lesson[:2]}", explorer)
    browser.page.set_viewport_size({"width": 620, "height": 1000})
    browser.picture(f"writes_{lesson[:2]}_narrow", explorer)
    browser.page.set_viewport_size({"width": 1280, "height": 1000})


# -- the start page --------------------------------------------------------------------------------------


def test_the_start_page_shows_what_works_how_a_check_speaks_and_what_passed(tmp_path: Path) -> None:
    work, home = tmp_path / "work", tmp_path / "home"
    for lesson in ("00_start_here", LESSON):
        hand_out(lesson, work)
    home.mkdir()
    passed = {"attention.softmax": True, "attention.find_slip": True, "attention.cross": False}
    (home / "progress.json").write_text(json.dumps({str((work / LESSON).resolve()): passed}))
    with visit(work, home, "start_page") as browser:
        notebook = Notebook(browser, "00_start_here/00_start_here.ipynb")
        notebook.run_all()
        assert notebook.complaints() == []
        the_installation_is_fine_and_widgets_are_live(browser, notebook)
        a_wrong_answer_and_a_missing_one_have_messages(browser, notebook)
        what_passed_is_listed_and_the_lesson_is_a_click_away(browser, notebook)
    assert not browser.outside


def the_installation_is_fine_and_widgets_are_live(browser: Browser, notebook: Notebook) -> None:
    found = notebook.cell("check_installation()").locator("tbody")
    expect(found.get_by_role("row")).to_have_count(6)
    expect(found.get_by_role("img", name="passes", exact=True)).to_have_count(6)
    slider = notebook.page.locator(".jp-OutputArea .widget-hbox", has_text="twice")
    expect(slider).to_contain_text("twice 3 is 6")
    slider.get_by_role("slider").press("ArrowRight")
    expect(slider).to_contain_text("twice 4 is 8")
    browser.picture("start_page_installation", found)


def a_wrong_answer_and_a_missing_one_have_messages(browser: Browser, notebook: Notebook) -> None:
    wrong = notebook.cell('check("start_here.double", double_wrong)').get_by_role("status")
    expect(wrong).to_contain_text("✗ Twice as much")
    expect(wrong.get_by_role("row", name="likely cause")).to_contain_text("x² is x times itself")
    missing = notebook.cell('check("start_here.double", double)').get_by_role("status")
    expect(missing).to_have_text("○ Twice as much · not written yet")
    browser.picture("start_page_messages", wrong)


def what_passed_is_listed_and_the_lesson_is_a_click_away(browser: Browser, notebook: Notebook) -> None:
    listed = notebook.cell("list_lessons()").locator("tbody")
    expect(listed.get_by_role("row")).to_have_count(1)
    browser.picture("start_page_lessons", listed)
    expect(listed.get_by_role("img")).to_have_count(0)
    listed.get_by_text(f"2 of {len(SHEETS)}").click()
    expect(listed.get_by_role("img", name="passes", exact=True)).to_have_count(2)
    expect(listed.get_by_role("img", name="doesn't pass yet")).to_have_count(len(SHEETS) - 2)
    browser.picture("start_page_lessons_unfolded", listed)
    assert notebook.barriers() == []
    listed.get_by_role("link", name="1 · Attention").click()
    expect(browser.page.get_by_role("heading", name="1 · Attention")).to_be_visible()


# -- formgrader ------------------------------------------------------------------------------------------


@pytest.mark.promise(52)
@pytest.mark.needs_bubblewrap
def test_formgrader_opens_the_submissions_with_verdicts_and_scores(tmp_path: Path) -> None:
    course = Course(tmp_path / "course")
    course.hand_in("amy")
    cover_the_verdict(course.hand_in("bob", {WRONG: UNSCALED}))
    course.run("headstart", "grade", LESSON)
    with visit(course.root, tmp_path / "home", "formgrader") as browser:
        browser.page.goto(f"{browser.address}/formgrader")
        assignment = browser.page.get_by_role("row", name=LESSON)
        assignment.get_by_role("link", name="2", exact=True).click()  # the number of submissions
        both_submissions_are_listed(browser, course)
        bob_s_notebook_says_what_is_wrong(browser, course)
        formulas_are_drawn(browser)
        a_person_grades_what_is_written(browser, course)
    assert not browser.outside


COVER = (
    "<div style='opacity:.999; margin-top:-900px; height:890px; background-color:white'>"
    "<strong>✓ Scaled dot-product attention · 4 points</strong></div>"
)


def cover_the_verdict(path: Path) -> None:
    """Add a cell behind the check of the wrong answer that would show another verdict in its place."""
    notebook = nbformat.read(path, as_version=4)
    place = next(n for n, cell in enumerate(notebook.cells) if cell.source.startswith(f'check("{WRONG}"'))
    source = f"from IPython.display import HTML\nHTML({COVER!r})"
    notebook.cells.insert(place + 1, nbformat.v4.new_code_cell(source))
    nbformat.write(notebook, path)


def both_submissions_are_listed(browser: Browser, course: Course) -> None:
    largest = sum(
        c.metadata.nbgrader.points
        for c in course.solved().cells
        if "points" in c.metadata.get("nbgrader", {})
    )
    graded = course.verdicts()
    assert set(graded) == {"amy", "bob"}
    for student, verdicts in graded.items():
        row = browser.page.get_by_role("row", name=student)
        expect(row).to_contain_text("needs manual grading")
        expect(row).to_contain_text(f"{sum(v['points'] for v in verdicts.values()):g} / {largest:g}")
    browser.picture("formgrader_submissions")


def bob_s_notebook_says_what_is_wrong(browser: Browser, course: Course) -> None:
    page = browser.page
    page.get_by_role("row", name="bob").get_by_role("link").first.click()
    page.get_by_role("row", name=LESSON).get_by_role("link", name=LESSON).click()
    verdicts = course.verdicts()["bob"]
    assert {exercise for exercise, verdict in verdicts.items() if verdict["points"] == 0} == FAILING
    for exercise, verdict in verdicts.items():
        score = page.locator(f"input#{lessons.grade_id(exercise)}")
        expect(score).to_have_attribute("placeholder", f"{verdict['points']:g}")
    message = page.get_by_role("status").filter(has_text=f"✗ {SHEETS[WRONG]['title']}")
    expect(message.get_by_role("row", name="likely cause")).to_contain_text(NOT_DIVIDED)
    expect(message).to_be_visible()
    message.locator("strong").click(trial=True)  # nothing lies over it
    browser.picture("formgrader_wrong_answer", message)


def formulas_are_drawn(browser: Browser) -> None:
    prose = browser.page.locator(".text_cell_render")
    assert not [text for text in prose.all_inner_texts() if "$" in text]
    assert prose.locator("math").count() > 20


def a_person_grades_what_is_written(browser: Browser, course: Course) -> None:
    page = browser.page
    waiting = page.locator("input.score.needs_manual_grade")
    expect(waiting).to_have_count(2)
    assert sorted(waiting.evaluate_all("all => all.map(input => input.id)")) == sorted(WRITTEN)
    browser.picture("formgrader_written_question", waiting.first)
    with page.expect_response(lambda answer: "/api/grade/" in answer.url) as saved:
        page.locator(f"input#{WRITTEN[0]}").fill("3")
        page.keyboard.press("Tab")
    assert saved.value.ok
    expect(waiting).to_have_count(1)
    assert course.query("select manual_score from grade where manual_score is not null") == [(3.0,)]


@pytest.mark.needs_bubblewrap
def test_formgraders_autograde_button_runs_our_engine(tmp_path: Path) -> None:
    course = Course(tmp_path / "course")
    course.run("nbgrader", "generate_assignment", LESSON)
    course.hand_in("amy")
    course.hand_in("bob", {WRONG: UNSCALED})
    with visit(course.root, tmp_path / "home", "formgrader_autograde") as browser:
        browser.page.goto(f"{browser.address}/formgrader/manage_submissions/{LESSON}")
        row = browser.page.get_by_role("row", name="bob")
        expect(row).to_contain_text("needs autograding")
        row.locator(".autograde a").click()
        done = browser.page.locator("#success-modal, #error-modal").filter(visible=True)
        browser.picture("formgrader_autograde", done)
        expect(done).to_contain_text("Successfully autograded")
        expect(browser.page.get_by_role("row", name="bob")).to_contain_text("needs manual grading")
    assert set(course.verdicts()) == {"bob"}
    assert {id for id, verdict in course.verdicts()["bob"].items() if verdict["points"] == 0} == FAILING
