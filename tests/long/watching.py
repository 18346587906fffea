"""What a student sees in lessons 01 to 05: each prediction before its choice and after it, and what their model writes.

The lesson is open in a browser and has run from top to bottom, with the student's answers and no prediction made.
"""

import re
from pathlib import Path

import nbformat
from playwright.sync_api import Locator, expect

from autograder.lessons import ROOT
from helpers.figures.predicting import predictions
from tests.classroom.test_nbgrader import UNSCALED
from tests.lessons.test_browser import it_writes
from tests.support.browser import Browser, Notebook

PREDICT = re.compile(r'predict\("([\w.]+)", \.\.\.\)')
ANSWER = "attention-scaled_dot_product-answer"
WAITING = re.compile(r'after_predicting\("([\w.]+)"')
WAITS = "This waits for your prediction"
DRAWN = ".jp-OutputArea-output :is(img, canvas, table, pre, .headstart-live), .jp-RenderedMarkdown"
# Pixels between what is told and what is shown or printed above it.
APART = """area => {
    const told = area.querySelector(".jp-RenderedMarkdown"), above = told.closest(".jp-OutputArea-child");
    const text = told.querySelector("p, ul, ol, table").getBoundingClientRect();
    return text.top - above.previousElementSibling.getBoundingClientRect().bottom;
}"""
# By lesson, the texts that its model writes side by side.
TEXTS = {"01_attention": 1, "02_multihead": 3, "03_positional": 3, "04_masking": 2, "05_complexity": 1}


def predicts_all(browser: Browser, notebook: Notebook, lesson: str) -> None:
    """Look at each prediction, click on an option, and look at what it reveals, which nothing has told before."""
    released = nbformat.read(ROOT / "release" / lesson / f"{lesson}.ipynb", as_version=4).cells
    asked = {found[1]: at for at, cell in enumerate(released) if (found := PREDICT.fullmatch(cell.source))}
    assert asked.keys() == predictions(lesson[3:]).keys()
    for number, (name, at) in enumerate(asked.items(), 1):
        waiting = {
            notebook.page.locator(".jp-Notebook-cell").nth(place): "told=False" not in cell.source
            for place, cell in enumerate(released)
            if WAITING.findall(cell.source)[-1:] == [name]  # of several, it is drawn after the last one
        }
        assert any(waiting.values())
        for cell in waiting:
            expect(cell.locator(".jp-OutputArea")).to_contain_text(WAITS)
            expect(cell.locator(".jp-OutputArea").locator(DRAWN)).to_have_count(0)
        before = " ".join(notebook.page.locator(".jp-Notebook").inner_text().split())
        choices = notebook.page.locator(".jp-Notebook-cell").nth(at)
        browser.picture(f"watched_{lesson[:2]}_{number}_before", choices)
        letters = [*predictions(lesson[3:])[name].letters]
        clicks_and_is_answered(choices, letters[number % len(letters)], predictions(lesson[3:])[name].right)
        sentences = [each for cell, tells in waiting.items() for each in told_by(cell, tells)]
        browser.picture(f"watched_{lesson[:2]}_{number}_after", [*waiting][-1])
        assert sentences, name
        assert not [each for each in sentences if each in before], name
    print(f"{lesson}: {len(asked)} predictions, of which nothing tells before they are made", flush=True)


def clicks_and_is_answered(choices: Locator, letter: str, right: str) -> None:
    choices.get_by_role("button", name=letter, exact=True).click()
    verdict = "Right." if letter == right else "Not quite."
    expect(choices.locator(".jp-OutputArea :not(.headstart-still) > [role=status]")).to_contain_text(
        f"{verdict} You chose {letter}:"
    )


def told_by(cell: Locator, tells: bool) -> list[str]:
    """The sentences below a figure that has waited, once it is drawn; none where another figure's tell it."""
    outputs = cell.locator(".jp-OutputArea")
    expect(outputs.locator(".jp-RenderedMarkdown" if tells else DRAWN).first).to_be_visible()
    expect(outputs).not_to_contain_text(WAITS)
    if tells:
        assert outputs.first.evaluate(APART) >= 6, "what is told sticks to the printed lines above it"
    text = " ".join(" ".join(outputs.locator(".jp-RenderedMarkdown").all_inner_texts()).split())
    return [each for each in re.split(r"(?<=[.!?:]) ", text) if each.count(" ") > 3]


def hears_their_model(browser: Browser, notebook: Notebook, lesson: str) -> None:
    """The table says *yours* for this lesson's part and all earlier ones, and the model writes with them."""
    mine = notebook.page.locator(".jp-OutputArea table", has_text="written in")
    expect(mine.get_by_role("row").filter(has_text="yours")).to_have_count(int(lesson[:2]))
    browser.picture(f"watched_{lesson[:2]}_whose", mine)
    texts = notebook.page.locator(".jp-OutputArea .widget-vbox", has_text="beginning").locator("p > b")
    expect(texts).to_have_count(TEXTS[lesson])
    written = texts.all_inner_texts()
    print(f"{lesson}:", *written, sep="\n  ", flush=True)
    assert len(set(written)) == len(written) and all(len(text.split()) > 6 for text in written)
    it_writes(browser, notebook, lesson)
    assert notebook.barriers() == []


def writes_otherwise_without_the_root(browser: Browser, notebook: Notebook, path: Path) -> None:
    """What lesson 01 asks its student to try at its end: √d_k is taken out of their function, and put back."""
    cells = nbformat.read(path, as_version=4).cells
    [at] = [
        place
        for place, cell in enumerate(cells)
        if cell.metadata.get("nbgrader", {}).get("grade_id") == ANSWER
    ]
    function, whose = notebook.page.locator(".jp-Notebook-cell").nth(at), notebook.cell("mine.table()")
    explorer = notebook.page.locator(".jp-OutputArea .widget-vbox", has_text="beginning")

    def written_with(source: str) -> str:
        keyboard, before = notebook.page.keyboard, explorer.element_handle()
        function.locator(".cm-content").click()
        keyboard.press("ControlOrMeta+a")
        keyboard.insert_text(source)
        keyboard.press("ControlOrMeta+Enter")
        whose.locator(".jp-InputPrompt").click()
        keyboard.press("Shift+Enter")  # and the next cell writes
        keyboard.press("ControlOrMeta+Enter")
        notebook.page.wait_for_function("before => !before.isConnected", arg=before)
        return explorer.locator("p > b").inner_text()

    before, without = written_with(cells[at].source), written_with(UNSCALED)
    expect(explorer).to_contain_text("right yet")
    browser.picture("watched_01_unscaled", explorer)
    print("without the root:", without, sep="\n  ", flush=True)
    assert without != before == written_with(cells[at].source)
