"""Predict, then look: a choice without points, and a figure that waits for it.

A lesson's predictions are data in its `predictions.py`. The build writes question and options into the
notebook, with a cell `predict("topic.name", ...)` under them, in which the student puts a letter.
"""

import html
import importlib
import string
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType

from helpers.checking.finding import Status, box, marked
from helpers.figures.showing import NotPredicted, put

_chosen: dict[str, str] = {}


@dataclass(frozen=True)
class Prediction:
    """What will a figure show?

    Attributes:
        question: in one or two sentences, Markdown.
        options: what may be, with the sentence for whoever has chosen it.
        right: the letter of what is so.
    """

    question: str
    options: Mapping[str, str]
    right: str

    @property
    def letters(self) -> dict[str, tuple[str, str]]:
        """Each option with its sentence, by letter: "a" for the first, and so on."""
        return dict(zip(string.ascii_lowercase, self.options.items(), strict=False))


def predictions(topic: str) -> dict[str, Prediction]:
    """A lesson's predictions by id, `topic.name`; {} where it has none."""
    try:
        module = importlib.import_module(f"helpers.{topic}.predictions")
    except ModuleNotFoundError:
        return {}
    return {f"{topic}.{name}": found for name, found in module.PREDICTIONS.items()}


def predict(prediction: str, choice: object) -> None:
    """Take a choice and say its sentence. Nothing is graded by it.

    Args:
        prediction: its id, `topic.name`.
        choice: a letter. As long as it is `...`, what waits for it stays hidden.
    """
    known = predictions(prediction.partition(".")[0])[prediction].letters
    letter = choice.strip().lower() if isinstance(choice, str) else ""
    if letter not in known:
        _chosen.pop(prediction, None)
        wanted = ", ".join(f'"{each}"' for each in known)
        text = f"Put one of {wanted} in place of the dots, run this cell, and then the next one."
        put(box(f"○ {html.escape(text)}", Status.NOT_WRITTEN), f"○ {text}")
        return
    _chosen[prediction] = letter
    option, sentence = known[letter]
    put(
        box(f"You chose {letter}: <em>{marked(option)}</em><br>{marked(sentence)}", Status.NOT_RUN),
        f"You chose {letter}: {option}\n{sentence}",
    )


class after_predicting:
    """Keeps a figure back until its prediction is made.

    Use it inside of `waiting_for`, which says so: `with waiting_for("..."), after_predicting("a.b"):`.
    """

    def __init__(self, prediction: str) -> None:
        self.prediction = prediction

    def __enter__(self) -> None:
        if self.prediction not in _chosen:
            raise NotPredicted

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing is left to do."""
