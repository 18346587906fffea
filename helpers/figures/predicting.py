"""Predict, then look: a choice without points, and a figure that waits for it.

A lesson's predictions are data in its `predictions.py`. The build writes question and options into the
notebook, with a cell `predict("topic.name", ...)` under them. That cell shows a button for each option; where
there are no buttons, the student puts a letter in place of the dots. What the figure shows is told below the
figure: the build moves that text out of the notebook into `revealed.json`, beside `predictions.py`.
"""

import contextlib
import html
import importlib
import json
import re
import string
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from helpers.checking import progress
from helpers.checking.finding import Status, box, marked
from helpers.figures.controls import explorer, tooltip
from helpers.figures.showing import NotPredicted, note, put
from helpers.storage import write_whole

REVEALED = "revealed.json"
PREDICTED = "headstart_predicted"  # in an output's metadata: what was clicked, by prediction
GAP = '<div style="height:8px"></div>\n\n'  # printed lines have none below them
THEN, NOTHING = "Now run the next cell.", "Nothing was predicted here."
# In this kernel: the letter by prediction; and the requests that ran cells whose figures wait, by cell.
_chosen: dict[str, str] = {}
_waiting: dict[str, dict[str, dict]] = {}
_drawn: set[str] = set()  # predictions whose figure is on the page


@dataclass(frozen=True)
class Prediction:
    """What will a figure show?

    Attributes:
        question: in one or two sentences, Markdown.
        options: what may be, with the reason why it is so, or why it isn't.
        right: the letter of what is so.
    """

    question: str
    options: Mapping[str, str]
    right: str

    @property
    def letters(self) -> dict[str, tuple[str, str]]:
        """Each option with its reason, by letter: "a" for the first, and so on."""
        return dict(zip(string.ascii_lowercase, self.options.items(), strict=False))

    def answer(self, letter: str, then: str = "") -> tuple[str, str]:
        """What a choice is answered, and what to do next, as HTML and as text."""
        option, reason = self.letters[letter]
        verdict = "Right." if letter == self.right else "Not quite."
        page = f"<b>{verdict}</b> You chose {letter}: <em>{_inline(option)}</em><br>{_inline(reason)}"
        page += f"<br>{then}" if then else ""
        status = Status.PASSED if letter == self.right else Status.NOT_RUN
        return box(page, status), f"{verdict} You chose {letter}: {option}\n{reason}\n{then}".rstrip()


def predictions(topic: str) -> dict[str, Prediction]:
    """A lesson's predictions by id, `topic.name`; {} where it has none."""
    try:
        module = importlib.import_module(f"helpers.{topic}.predictions")
    except ModuleNotFoundError:
        return {}
    return {f"{topic}.{name}": found for name, found in module.PREDICTIONS.items()}


def revealed(prediction: str) -> str:
    """What a prediction's figure shows, in Markdown; "" until the build has written it."""
    path = Path(__file__).parents[1] / prediction.partition(".")[0] / REVEALED
    with contextlib.suppress(OSError, ValueError):
        return str(json.loads(path.read_text(encoding="utf-8")).get(prediction, ""))
    return ""


def predict(prediction: str, choice: object = ...) -> None:
    """Offer a choice, or take it, and say whether it is right. Nothing is graded by it.

    Args:
        prediction: its id, `topic.name`.
        choice: a letter. With `...` there are buttons, and what was clicked earlier still counts.
    """
    known = predictions(prediction.partition(".")[0])[prediction]
    letter = choice.strip().lower() if isinstance(choice, str) else ""
    _chosen.pop(prediction, None)
    if letter in known.letters:
        _chosen[prediction] = letter
        put(*known.answer(letter, THEN if kernel() else ""))
    elif choice is ... and kernel():
        _offer(prediction, known)
    else:
        text = _by_text(known) if kernel() else NOTHING
        put(note(text), f"○ {text}")
    if not kernel():  # a submission that is graded: its figures aren't drawn
        reveal(prediction)


def reveal(prediction: str) -> None:
    """Display what a prediction's figure shows."""
    from IPython.display import display

    if not (text := revealed(prediction)):
        return
    if kernel():
        display({"text/markdown": GAP + text, "text/plain": text}, raw=True)
    else:  # feedback shows no student's Markdown
        put(page_of(text), text)


def page_of(text: str) -> str:
    """Markdown as HTML, as far as our texts need it: paragraphs, lists, tables, emphasis and code."""
    parts = re.sub("\n+- ", "\n\n• ", _inline(text)).split("\n\n")
    return "".join(_table(part) if part.startswith("| ") else f"<p>{part}</p>" for part in parts)


def _inline(text: str) -> str:
    page = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", marked(text), flags=re.DOTALL)
    return re.sub(r"\*(.+?)\*", r"<i>\1</i>", page, flags=re.DOTALL)


def without_marks(text: str) -> str:
    """Markdown as text alone, as a tooltip shows it."""
    return html.unescape(re.sub("<[^>]+>", "", _inline(text)))


def _table(part: str) -> str:
    head, _, *rows = ([each.strip() for each in line.strip()[1:-1].split("|")] for line in part.splitlines())
    cells = [["th", head], *(["td", row] for row in rows)]
    lines = ("".join(f"<{tag}>{each}</{tag}>" for each in row) for tag, row in cells)
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


class after_predicting:
    """Keeps a figure back until its prediction is made, and says below it what it shows.

    Use it inside of `waiting_for`, which says so: `with waiting_for("..."), after_predicting("a.b"):`.

    Args:
        prediction: its id, `topic.name`.
        told: whether to say it. Of several figures that wait for a prediction, one does.
    """

    def __init__(self, prediction: str, told: bool = True) -> None:
        self.prediction, self.told = prediction, told

    def __enter__(self) -> None:
        waiting = _waiting.setdefault(self.prediction, {})
        # The whole request, and no input of the history: a click runs cells, and leaves none there.
        request = shell.parent_header if (shell := kernel()) else {}
        source = request.get("content", {}).get("code", "")
        cell = request.get("metadata", {}).get("cellId", source)
        if self.prediction not in _chosen:
            waiting[cell] = request
            raise NotPredicted
        waiting.pop(cell, None)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            _drawn.add(self.prediction)
            if self.told:
                reveal(self.prediction)


# -- buttons ---------------------------------------------------------------------------------------------


def _offer(prediction: str, known: Prediction) -> None:
    """Buttons, with the answer to a click below them. It is an output, so it is saved with the notebook."""
    import ipywidgets as w
    from IPython.display import DisplayHandle, display

    before, answer = _clicked().get(prediction, ""), DisplayHandle()
    buttons = {
        letter: w.Button(description=letter, layout={"width": "4em"}, **tooltip(without_marks(option)))
        for letter, (option, _) in known.letters.items()
    }

    def said(letter: str) -> tuple[dict[str, str], dict]:
        for each, button in buttons.items():
            button.button_style = "info" if each == letter else ""
        then = "" if prediction in _drawn or _waiting.get(prediction) else THEN
        page, text = known.answer(letter, then) if letter in buttons else ("", "")
        return {"text/html": page, "text/plain": text}, {PREDICTED: {prediction: letter}}

    def choose(letter: str) -> None:
        _chosen[prediction] = letter
        _remember(prediction, letter)
        data, metadata = said(letter)
        answer.update(data, raw=True, metadata=metadata)
        _draw(prediction)

    for letter, button in buttons.items():
        button.on_click(lambda _, letter=letter: choose(letter))
    if before in buttons:
        _chosen[prediction] = before
    data, metadata = said(before)
    row = w.HBox([w.Label("Your prediction:"), *buttons.values()], layout={"flex_flow": "row wrap"})
    display(explorer([row], note(_by_text(known)), f"○ {_by_text(known)}"))
    answer.display(data, raw=True, metadata=metadata)


def _draw(prediction: str) -> None:
    """Run the cells of figures that waited for a choice, whose outputs go where those cells are."""
    from IPython.display import clear_output

    shell = kernel()
    for request in _waiting.pop(prediction, {}).values() if shell else ():
        here = shell.parent_header
        shell.set_parent(request)
        try:
            clear_output(wait=True)
            shell.run_cell(request["content"]["code"])
        finally:
            shell.set_parent(here)


def _by_text(known: Prediction) -> str:
    letters = " or ".join(f'"{letter}"' for letter in known.letters)
    return f"Run this cell to choose. No buttons? Put {letters} in place of the dots, and run it again."


def kernel() -> Any:
    """The shell of a Jupyter kernel, in which somebody may click; None elsewhere."""
    from IPython import get_ipython

    shell = get_ipython()
    return shell if getattr(shell, "kernel", None) else None


# -- what was clicked, kept beside the student's progress ------------------------------------------------


def _clicked() -> dict[str, str]:
    with contextlib.suppress(OSError, ValueError):
        kept = json.loads(_path().read_text(encoding="utf-8"))
        return {str(name): str(letter) for name, letter in kept.items()} if isinstance(kept, dict) else {}
    return {}


def _remember(prediction: str, letter: str) -> None:
    """A home that can't be written to costs the memory, not the lesson."""
    with contextlib.suppress(OSError):
        write_whole(_path(), json.dumps(_clicked() | {prediction: letter}, indent=1).encode())


def _path() -> Path:
    return progress.path().with_name("predictions.json")
