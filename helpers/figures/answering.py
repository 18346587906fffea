"""Written questions answer back: once an answer is saved, a model answer and a rubric are shown below it.

The answer is a Markdown cell, which a teacher may grade by hand. A kernel sees no Markdown, so the answer is
read from the saved notebook. The build moves the model answer out of the notebook into `revealed.json`, and
puts a cell below the question that calls `model_answer`. A class that grades these questions by hand turns
that off, and then has neither (docs/teaching.md).
"""

import contextlib
import json
import os
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from helpers.checking import progress
from helpers.figures.controls import explorer
from helpers.figures.predicting import kernel, page_of, revealed
from helpers.figures.showing import note, put

STUB = "YOUR ANSWER HERE"  # what nbgrader puts in the place of an answer
LINE = re.compile(r"- (\d+) points?: ")
SAVE_SECONDS = 2.0  # to wait until the notebook is saved
NOT_WRITTEN = (
    "There is no answer above yet. Double-click the cell above and write yours; then save the notebook "
    "(Ctrl+S, or ⌘S on a Mac), and run this cell again."
)
NOT_FOUND = "Your notebook can't be read from here. Once you have answered, put [] in place of the dots."
BY_NUMBERS = "No boxes to tick? Put the numbers of those lines in place of the dots, such as [1, 3]."
TICK = "Tick what your answer says. The ticks are for you alone; the start page counts them."
# Ctrl+S, as if pressed: JupyterLab, Notebook 7 and VS Code save the notebook. Elsewhere nothing happens.
SAVE = """<script>
["ctrlKey", "metaKey"].forEach(key => document.body.dispatchEvent(new KeyboardEvent("keydown", {
    key: "s", code: "KeyS", keyCode: 83, bubbles: true, cancelable: true, [key]: true})));
</script>"""


class Rubric(NamedTuple):
    """What earns points in an answer, so many for each line; the notes say what costs some, or none."""

    lines: list[tuple[int, str]]
    notes: list[str]


def rubric_of(text: str) -> tuple[str, Rubric]:
    """A model answer in Markdown, and the rubric below it."""
    answer, _, below = text.partition("**Rubric**")
    items = [" ".join(item.split()) for item in re.split(r"^(?=- )", below.strip(), flags=re.MULTILINE)]
    lines = [(int(found[1]), item[found.end() :]) for item in items if (found := LINE.match(item))]
    notes = [item.removeprefix("- ") for item in items if item and not LINE.match(item)]
    return answer.strip(), Rubric(lines, notes)


def model_answer(question: str, met: object = ...) -> None:
    """Show a question's model answer and rubric, once the notebook has an answer of the student's own.

    Args:
        question: its id, `topic.name`.
        met: the lines of the rubric that the student's answer meets, from 1. With `...` there are boxes to
            tick, and what was ticked earlier is kept.
    """
    from IPython.display import display

    text = revealed(question)
    if not (kernel() and text):  # graded, or printed
        return
    if met is ... and not (written := written_answer(question)):
        said = NOT_FOUND if written is None else NOT_WRITTEN
        put(note(said), f"○ {said}")
        return
    answer, rubric = rubric_of(text)
    display({"text/markdown": answer, "text/plain": answer}, raw=True)
    if isinstance(met, list | tuple | set):
        progress.tick(question, [n for n, _ in enumerate(rubric.lines, 1) if n in met])
    _offer(question, rubric)


def _offer(question: str, rubric: Rubric) -> None:
    """The rubric with a box for each line, which can be read where boxes are dead."""
    import ipywidgets as w
    from IPython.display import display

    before = progress.ticked().get(question, [])
    boxes = [
        w.Checkbox(n in before, indent=False, description=str(n), layout={"width": "3em", "flex": "none"})
        for n, _ in enumerate(rubric.lines, 1)
    ]
    total = w.HTML()

    def count(_: object = None) -> None:
        met = [n for n, each in enumerate(boxes, 1) if each.value]
        progress.tick(question, met)
        points = sum(points for n, (points, _) in enumerate(rubric.lines, 1) if n in met)
        total.value = f"<b>{points} of {sum(points for points, _ in rubric.lines)} points</b>"

    for each in boxes:
        each.observe(count, "value")
    count()
    texts = [text if points == 1 else f"({points} points) {text}" for points, text in rubric.lines]
    rows = [
        w.HBox([each, w.HTML(_tight(text), layout={"flex": "1 1 auto", "width": "auto"})])
        for each, text in zip(boxes, texts, strict=True)
    ]
    notes = "".join(map(_tight, rubric.notes))
    listed = "".join(f"<li>{_tight(text)}</li>" for text in texts)
    said = [*(f"{n}. {text}" for n, text in enumerate(texts, 1)), *rubric.notes, BY_NUMBERS]
    still = f"<ol>{listed}</ol>{notes}{_tight(BY_NUMBERS)}"
    display(explorer([w.HTML(_tight(TICK)), *rows, w.HTML(notes), total], still, "\n".join(said)))


def _tight(text: str) -> str:
    """A line of Markdown as HTML, set as close as a list."""
    return page_of(text).replace("<p>", '<p style="margin:4px 0;line-height:1.45">')


# -- what the student wrote ------------------------------------------------------------------------------


def written_answer(question: str) -> str | None:
    """What the notebook has as an answer: "" if nothing yet; None if no notebook with this question is found.

    Where the saved one has nothing yet, the page is asked to save it, and a moment is waited for that.
    """
    from IPython.display import clear_output

    if answer := _saved(question):
        return answer
    put(SAVE, "")
    until = time.monotonic() + SAVE_SECONDS
    while not answer and time.monotonic() < until:
        time.sleep(0.1)
        answer = _saved(question)
    clear_output()
    return answer


def _saved(question: str) -> str | None:
    for notebook in _notebooks():
        for cell in notebook.get("cells", ()):
            if cell.get("metadata", {}).get("headstart") == {"id": question, "kind": "written"}:
                return "".join(cell["source"]).replace(STUB, "").strip()
    return None


def _notebooks() -> Iterator[dict[str, Any]]:
    """The notebook that runs this, if it can be told which; otherwise those in this folder, newest first."""
    if "google.colab" in sys.modules:  # there it is in no file
        with contextlib.suppress(Exception):
            yield sys.modules["google.colab"]._message.blocking_request("get_ipynb", timeout_sec=5)["ipynb"]
    # JupyterLab's server and VS Code say which file it is.
    named = (os.environ.get("JPY_SESSION_NAME"), kernel().user_ns.get("__vsc_ipynb_file__"))
    files = [path for name in named if name and (path := Path(name)).is_file()]
    for path in files or sorted(Path.cwd().glob("*.ipynb"), key=os.path.getmtime, reverse=True):
        with contextlib.suppress(OSError, ValueError):
            yield json.loads(path.read_text(encoding="utf-8"))
