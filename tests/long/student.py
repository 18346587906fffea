"""A student works through the course: answers in another style, an interrupted training, one model up to lesson 13.

    python -m tests.long.student [--pictures FOLDER] [--until 03]

In real JupyterLab, in headless Chromium: lessons 01 to 06 are solved with the alternatives of their exercises; in 01
to 05 each prediction is made by a click, and nothing has told its answer; at their ends the model of these answers
writes; lesson 08 puts its model together of these answers; the training is interrupted, the browser's tab closed, the
kernel ended, and the training taken up again; lesson 13 teaches that model to answer, and a request that is typed
there gets a right answer, and so does a question about it; lesson 09 fine-tunes the model of lesson 08. Trainings
of lessons 08 and 13 take all of their steps, the others a twentieth. It says what it sees, and fails where it doesn't
see it. It takes about a quarter of an hour, and always begins anew: what is done in one lesson, the next ones
build on.
"""

import argparse
import contextlib
import os
import random
import re
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

from playwright.sync_api import Locator, expect

from autograder import lessons
from autograder.classroom.course import course_directory
from autograder.classroom.simulated import Desk
from autograder.grading.lesson import Lesson
from tests.long import watching
from tests.support.browser import Browser, Notebook, answers, fill_in, hand_out, visit
from tests.support.course import Course

FIRST, PRETRAINING, FINETUNING = ["01", "02", "03", "04", "05", "06"], "08_pretraining", "09_finetuning"
ANSWERING = "13_posttraining"
# A model draws its answers, and not all are right: the student asks until a review is, and a question about it.
KINDS = ("mystery", "thriller", "romance", "fantasy", "saga", "memoir", "tragedy", "legend")
PREDICTED = re.compile(r'predict\("[\w.]+"')  # the course's choice isn't taken: the student clicks
REQUEST, QUESTION = "An unfavourable review of a {}, by a man.", "What is the hero called?"


def main() -> None:
    """Work through it, and say how it goes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pictures", type=Path)
    parser.add_argument("--until", choices=FIRST, help="end after one of the first lessons")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        student = place / "student"
        student.mkdir()
        for lesson in () if options.until else (PRETRAINING, ANSWERING, FINETUNING):
            fill_in(hand_out(lesson, student), answers(Course(place / lesson, lesson)))
        pictures = (options.pictures or place / "pictures").resolve()
        with at_the_desk(place, pictures, quick=20) as browser:
            for number in FIRST:
                [lesson] = [name for name in lessons.names() if name.startswith(number)]
                notebook = solves(browser, lesson, student, place)
                if lesson in watching.TEXTS:
                    watching.predicts_all(browser, notebook, lesson)
                    watching.hears_their_model(browser, notebook, lesson)
                if number == FIRST[0]:
                    path = student / lesson / f"{lesson}.ipynb"
                    watching.writes_otherwise_without_the_root(browser, notebook, path)
                if number == options.until:
                    return
        with at_the_desk(place, pictures, quick=1) as browser:
            notebook = sees_whose_each_part_is(browser)
            is_interrupted(browser, notebook)
            goes_on(browser)
            asks_it(browser)
        with at_the_desk(place, pictures, quick=20) as browser:
            fine_tunes_it(browser)
    print("all as it should be")


@contextlib.contextmanager
def at_the_desk(place: Path, pictures: Path, quick: int) -> Iterator[Browser]:
    """A browser for the student's folder; trainings take one step of `quick`."""
    shortened = mock.patch.dict(os.environ, HEADSTART_QUICK=str(quick))
    with shortened, visit(place / "student", place / "home", "student") as browser:
        browser.pictures = pictures
        yield browser


def solves(browser: Browser, lesson: str, student: Path, place: Path) -> Notebook:
    """Run a lesson with right answers in other styles than the course's, wherever there are any."""
    course = Course(place / lesson, lesson)
    _, config = course_directory(course.root)
    desk = Desk(Lesson.load(lesson, course.root, config), lessons.load_source_notebook(lesson))
    given = answers(course)
    given |= {id: f"{found[0]}, ...)" for id, text in given.items() if (found := PREDICTED.match(text))}
    given |= {id: "In my own words." for id, text in given.items() if "**Model answer.**" in text}
    for id, right in desk.right.items():
        desk.right[id] = right[1:] or right  # the first is the course's own
    theirs = {
        f"{lessons.grade_id(id)}-answer": answer.source
        for id, answer in desk.solved(random.Random(1)).items()
        if answer.source
    }
    fill_in(hand_out(lesson, student), given | theirs)
    begun = time.monotonic()
    notebook = Notebook(browser, f"{lesson}/{lesson}.ipynb")
    notebook.run_all()
    failed = [line for line in notebook.headlines() if not line.startswith("✓")]
    own = sum(not same(theirs[id], text) for id, text in given.items() if id in theirs)
    print(
        f"{lesson}: {own} of {len(theirs)} answers in another style, {time.monotonic() - begun:.0f} s",
        flush=True,
    )
    assert not failed, failed
    assert notebook.complaints() == []
    return notebook


def same(one: str, other: str) -> bool:
    return one.split() == other.split()


def sees_whose_each_part_is(browser: Browser) -> Notebook:
    """The table of parts in lesson 08, after everything above the training has run."""
    notebook = Notebook(browser, f"{PRETRAINING}/{PRETRAINING}.ipynb")
    runs_above(notebook, "TRAIN_ANEW, STEPS =")
    table = notebook.cell("own.table(whose)").locator("table")
    browser.picture("student_parts", table)
    rows = table.locator("tr").all_inner_texts()
    yours = [row for row in rows if "yours" in row.lower()]
    print(*rows, sep="\n", flush=True)
    assert len(yours) >= 4, rows
    return notebook


def runs_above(notebook: Notebook, text: str) -> None:
    """*Run All Above Selected Cell*, with the cell selected in whose source a text stands."""
    notebook.cell(text).locator(".jp-InputPrompt").first.click()
    page = notebook.page
    page.locator(".lm-MenuBar-itemLabel").get_by_text("Run", exact=True).click()
    page.locator(".lm-Menu-itemLabel").get_by_text("Run All Above Selected Cell", exact=True).click()
    expect(page.locator("#jp-main-statusbar")).to_contain_text("| Busy")
    expect(page.locator("#jp-main-statusbar")).to_contain_text("| Idle")
    notebook.cell(text).locator(".jp-InputPrompt").first.click()


def is_interrupted(browser: Browser, notebook: Notebook) -> None:
    """The training, by the square above the notebook; then the tab is closed and the kernel ended."""
    page = notebook.page
    cell = notebook.cell("TRAIN_ANEW, STEPS =")
    page.keyboard.press("Control+Enter")
    expect(cell.get_by_role("progressbar")).to_be_visible()
    page.wait_for_function(
        "() => [...document.querySelectorAll('.jp-OutputArea progress')].some(bar => bar.value > 5)"
    )
    page.get_by_role("button", name=re.compile("Interrupt the kernel")).click()
    said = cell.get_by_text(re.compile(r"Stopped after \d+ of [\d,]+ steps"))
    expect(said.first).to_be_visible()
    browser.picture("student_interrupted", said.first)
    print(said.first.inner_text(), flush=True)
    [sentence] = notebook.complaints()
    assert sentence.strip() == said.first.inner_text().strip(), "and no traceback"
    page.goto("about:blank")
    token = next(c["value"] for c in page.context.cookies() if c["name"] == "_xsrf")
    for session in page.request.get(f"{browser.address}/api/sessions").json():
        path = f"{browser.address}/api/sessions/{session['id']}"
        assert page.request.delete(path, headers={"X-XSRFToken": token}).ok


def goes_on(browser: Browser) -> None:
    """The next day the training goes on where it was, and the model is kept."""
    notebook = Notebook(browser, f"{PRETRAINING}/{PRETRAINING}.ipynb")
    runs_above(notebook, "TRAIN_ANEW, STEPS =")
    notebook.page.keyboard.press("Control+Enter")
    cell = notebook.cell("TRAIN_ANEW, STEPS =")
    said = cell.get_by_text(re.compile(r"goes on after \d+ of [\d,]+ steps"))
    expect(said.first).to_be_visible()
    print(said.first.inner_text(), flush=True)
    expect(notebook.page.locator("#jp-main-statusbar")).to_contain_text("| Idle")
    browser.picture("student_went_on", cell)


def asks_it(browser: Browser) -> None:
    """Lesson 13 teaches the same model to answer; a request and a question are typed, and their answers are right."""
    notebook = Notebook(browser, f"{ANSWERING}/{ANSWERING}.ipynb")
    notebook.run_all()
    assert notebook.complaints() == []
    failed = [line for line in notebook.headlines() if not line.startswith("✓")]
    assert not failed, failed
    expect(
        notebook.page.get_by_text(re.compile('The model "reviews" was trained here')).first
    ).to_be_attached()
    rows = notebook.cell("own.table(whose)").locator("table tr").all_inner_texts()
    assert sum("yours" in row.lower() for row in rows) >= 4, rows
    # By its field: the cell is folded, and a folded cell's source isn't in the page.
    explorer = notebook.page.locator(".widget-vbox").filter(has=notebook.page.get_by_label("request")).first
    for kind in KINDS:
        if gets_a_right_answer(explorer, REQUEST.format(kind), f"kind: {kind}"):
            browser.picture("student_requested", explorer)
            if gets_a_right_answer(explorer, QUESTION, "About: "):
                browser.picture("student_asked", explorer)
                return
    raise AssertionError(f"of {len(KINDS)} reviews none is right, or no answer about one")


def gets_a_right_answer(explorer: Locator, words: str, shown: str) -> bool:
    """Type a request; whether the parser finds nothing wrong with what the model answers."""
    typed = explorer.get_by_label("request")
    typed.fill("")
    typed.press_sequentially(words)  # keys: what a program fills in is no change that Enter would send
    typed.press("Enter")
    expect(explorer).to_contain_text(shown)
    answer, verdict = explorer.locator("p > b").inner_text(), explorer.locator("li").all_inner_texts()
    print(f"{words} → {answer} | {' '.join(verdict)}", flush=True)
    return all(point.startswith("✓") for point in verdict)


def fine_tunes_it(browser: Browser) -> None:
    """Lesson 09 says whose model it is, and runs to its end."""
    notebook = Notebook(browser, f"{FINETUNING}/{FINETUNING}.ipynb")
    notebook.run_all()
    assert notebook.complaints() == []
    said = notebook.page.get_by_text(re.compile('The model "reviews" was trained here')).first
    expect(said).to_be_attached()
    browser.picture("student_fine_tunes", said)
    failed = [line for line in notebook.headlines() if not line.startswith("✓")]
    assert not failed, failed


if __name__ == "__main__":
    main()
