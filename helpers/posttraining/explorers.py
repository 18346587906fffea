"""Lesson 13's explorer: a request in words, the model's answer, and the parser's verdict on it.

It uses the student's model. Only the explorer imports ipywidgets.
"""

from html import escape
from typing import TYPE_CHECKING

import torch

from helpers.figures.controls import explorer, labelled
from helpers.figures.showing import note, tried
from helpers.models.transformer import LanguageModel
from helpers.posttraining import experiments, requests
from helpers.posttraining.requests import Request

if TYPE_CHECKING:
    from ipywidgets import VBox

FIRST = "a favourable review of a ghost story by a woman"
KNOWN = (
    'It knows requests such as "a favourable review of a ghost story by a woman" or "a review of a saga '
    'about a man", and three questions about the last review: "what is the hero called?", "is it praise or '
    'blame?" and "who wrote it?". The kinds of book: {}.'
)


def request_explorer(model: LanguageModel | None, training: str) -> "VBox":
    """Type a request; see the answer of the model, and what the parser says of it.

    Args:
        model: the student's, with the new tokens; None where there is none yet.
        training: where it is trained, for the message that asks for it.
    """
    import ipywidgets as w

    typed = w.Text(FIRST, continuous_update=False, **labelled("request"))
    temperature = w.FloatSlider(0.7, min=0, max=1.5, step=0.1, **labelled("temperature"))
    seed = w.IntSlider(0, min=0, max=20, **labelled("seed"))
    page, last = w.HTML(), [""]

    def draw(_: object = None) -> None:
        page.value = tried(
            lambda: answered(model, typed.value, temperature.value, seed.value, last), training
        )

    for control in (typed, temperature, seed):
        control.observe(draw, "value")
    draw()
    return explorer([typed, temperature, seed, page])


def answered(model: LanguageModel | None, typed: str, temperature: float, seed: int, last: list[str]) -> str:
    """A typed request's answer and the verdict, as HTML.

    Args:
        model: with the new tokens.
        typed: a request, or a question about the last review.
        temperature: of the answer.
        seed: of the random numbers.
        last: the last answer that is a review, which is replaced by this one if it is one.

    Raises:
        NotImplementedError: there is no model yet.
    """
    if model is None:
        raise NotImplementedError
    request = requests.understood(typed, last[0])
    if isinstance(request, str):
        return note(f"{request} {KNOWN.format(', '.join(requests.kinds()))}")
    generator = torch.Generator().manual_seed(seed)
    written = experiments.write(model, [request], generator, temperature)
    text = requests.decode(written.answer(0))
    if not request.is_question and requests.read(text) is not None:
        last[0] = text
    about = f"<p>About: <i>{escape(last[0])}</i></p>" if request.is_question else ""
    return f"{about}<p><b>{escape(text)}</b></p>{verdict_list(request, written)}"


def verdict_list(request: Request, written: experiments.Answered) -> str:
    """The parser's verdict on the first answer, point by point."""
    verdict = written.verdicts()[0]
    form = "one of the possible answers" if request.is_question else "a review, by the grammar"
    signs = {True: "✓", False: "✗", None: "–"}
    points: dict[str, bool | None] = {"it ends": verdict.ended, form: verdict.grammatical}
    unread = not verdict.grammatical and not request.is_question  # features are read off a review's parse
    for name, value in request.asked.items():
        points[f"{name}: {value}" + " (can't be read)" * unread] = None if unread else verdict.features[name]
    rows = "".join(f"<li>{signs[holds]} {escape(point)}</li>" for point, holds in points.items())
    return f'<ul style="list-style:none;padding-left:0">{rows}</ul>'
