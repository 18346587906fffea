"""Written questions answer back: nothing before an answer is saved, then a model answer and boxes to tick."""

import json
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from autograder import lessons
from helpers.checking import progress
from helpers.figures import answering
from helpers.figures.answering import STUB, model_answer, rubric_of, written_answer
from helpers.figures.predicting import revealed
from helpers.start_here import page
from tests.support.limits import PATIENCE

ASKED = "attention.dot_or_additive"
ANSWER, RUBRIC = rubric_of(revealed(ASKED))


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list:
    """What is displayed: texts, and the boxes to tick. The notebook's folder is the current one."""
    found: list = []
    display = lambda it, **_: found.append(it["text/plain"] if isinstance(it, dict) else it)  # noqa: E731
    monkeypatch.setenv("HEADSTART_PROGRESS", str(tmp_path / "progress.json"))
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    monkeypatch.setattr(answering, "kernel", lambda: SimpleNamespace(user_ns={}))
    monkeypatch.setattr(answering, "put", lambda page, text: found.append(text))
    monkeypatch.setattr(answering, "SAVE_SECONDS", 0.3)
    monkeypatch.setattr("IPython.display.display", display)
    monkeypatch.setattr("IPython.display.clear_output", found.clear)
    (tmp_path / "01_attention").mkdir()
    monkeypatch.chdir(tmp_path / "01_attention")
    return found


def notebook(text: str) -> dict:
    """A lesson's, with this in the place of an answer."""
    ours = {"headstart": {"id": ASKED, "kind": "written"}, "nbgrader": {"points": 5}}
    return {
        "cells": [
            {"cell_type": "markdown", "metadata": {}, "source": "# 1 · Attention"},
            {"cell_type": "markdown", "metadata": ours, "source": text.splitlines(keepends=True)},
            {"cell_type": "code", "metadata": {}, "source": f'model_answer("{ASKED}", ...)'},
        ]
    }


def save(text: str, path: str = "01_attention.ipynb") -> Path:
    Path(path).write_text(json.dumps(notebook(text)), encoding="utf-8")
    return Path(path).absolute()


@pytest.mark.parametrize("text", [STUB, "", f"\n{STUB}\n\n"])
def test_nothing_is_shown_before_an_answer_is_written(text: str, shown: list) -> None:
    save(text)
    model_answer(ASKED, ...)
    assert shown == [f"○ {answering.NOT_WRITTEN}"]
    assert progress.ticked() == {}


@pytest.mark.parametrize("text", ["Both\nare smooth.", f"{STUB}\n\nBoth are smooth."])
def test_a_written_answer_shows_the_model_answer_and_what_is_ticked_is_kept(text: str, shown: list) -> None:
    save(text)
    model_answer(ASKED, ...)
    answer, box = shown
    assert answer == ANSWER and answer.startswith("**Model answer.** Dot-product")
    ticks = [row.children[0] for row in box.children[1:-2]]
    assert len(ticks) == len(RUBRIC.lines) == 5
    ticks[0].value = ticks[3].value = True
    assert progress.ticked() == {ASKED: [1, 4]}
    assert box.children[-1].value == "<b>2 of 5 points</b>"
    shown.clear()
    model_answer(ASKED, ...)
    assert [row.children[0].value for row in shown[1].children[1:-2]] == [True, False, False, True, False]


def test_without_boxes_the_numbers_of_the_lines_count(shown: list) -> None:
    model_answer(ASKED, ...)
    assert shown == [f"○ {answering.NOT_FOUND}"], "there is no notebook here"
    shown.clear()
    model_answer(ASKED, [2, 9])
    assert shown[0] == ANSWER and progress.ticked() == {ASKED: [2]}
    assert "2. both are differentiable" in shown[1].text and shown[1].text.endswith(answering.BY_NUMBERS)


def test_an_answer_that_is_saved_a_moment_later_is_found(shown: list, monkeypatch) -> None:
    """The page is asked to save, which takes a moment, and on a busy machine longer."""
    monkeypatch.setattr(answering, "SAVE_SECONDS", PATIENCE)
    save(STUB)
    timer = threading.Timer(0.1, save, ["Both are smooth."])
    timer.start()
    assert written_answer(ASKED) == "Both are smooth."
    timer.join()


def test_the_notebook_that_runs_is_read_and_no_copy_beside_it(shown: list, monkeypatch) -> None:
    running = save("Mine.", "renamed.ipynb")
    save("Of a copy.")
    assert written_answer(ASKED) == "Of a copy.", "the newest, where it isn't known which runs"
    monkeypatch.setenv("JPY_SESSION_NAME", str(running))
    assert written_answer(ASKED) == "Mine."
    monkeypatch.setenv("JPY_SESSION_NAME", str(running.with_name("gone.ipynb")))
    monkeypatch.setattr(
        answering, "kernel", lambda: SimpleNamespace(user_ns={"__vsc_ipynb_file__": str(running)})
    )
    assert written_answer(ASKED) == "Mine."
    running.write_text("half a fi")
    assert written_answer(ASKED) is None


def test_colab_is_asked_for_its_notebook(shown: list, monkeypatch) -> None:
    ask = lambda what, timeout_sec: {what.removeprefix("get_"): notebook("Mine.")}  # noqa: E731
    colab = SimpleNamespace(_message=SimpleNamespace(blocking_request=ask))
    monkeypatch.setitem(sys.modules, "google.colab", colab)
    assert written_answer(ASKED) == "Mine."


def test_the_start_page_counts_what_was_compared_and_ticked(shown: list, tmp_path: Path) -> None:
    save("Both are smooth.")
    Path("checks.json").write_text('{"attention.a": {"title": "Task a"}}')
    assert "0 of 1 checks pass; in words 0 of 1" in page.list_lessons(tmp_path / "00_start_here").text
    model_answer(ASKED, ...)
    progress.tick(ASKED, [1, 2, 5])
    progress.record("attention.a", passed=True)
    table = page.list_lessons(tmp_path / "00_start_here")
    assert table.text == "1 · Attention: 1 of 1 checks pass; in words 1 of 1 · 3 of 5 points"
    assert table.header[-1] == "in words" and progress.load() == {"attention.a": True}


def test_a_lesson_without_model_answers_counts_none(shown: list, tmp_path: Path) -> None:
    made = notebook("Both are smooth.")
    made["cells"].pop()
    Path("01_attention.ipynb").write_text(json.dumps(made), encoding="utf-8")
    Path("checks.json").write_text('{"attention.a": {"title": "Task a"}}')
    table = page.list_lessons(tmp_path / "00_start_here")
    assert table.text == "1 · Attention: 0 of 1 checks pass" and table.header[-1] == ""


def test_no_released_lesson_tells_a_model_answer_in_the_open() -> None:
    for lesson in lessons.names():
        released = json.loads(lessons.release_path(lesson).read_text(encoding="utf-8"))
        asked = [
            cell["metadata"]["headstart"]["id"]
            for cell in released["cells"]
            if cell["metadata"].get("headstart", {}).get("kind") == "written"
        ]
        text = json.dumps(released, ensure_ascii=False)
        assert all(f'model_answer(\\"{question}\\", ...)' in text for question in asked)
        assert asked and all(rubric_of(revealed(question))[1].lines for question in asked)
        assert "Model answer" not in text and "Rubric" not in text
