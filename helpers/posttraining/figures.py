"""Lesson 13's figures: how new rows start, what each stage brought, distances word by word."""

import functools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from helpers.figures import plots, repeats
from helpers.figures.showing import Table, show_table
from helpers.posttraining import requests
from helpers.posttraining.experiments import Answered

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STAGES = Path(__file__).parent / "stages.json"
Row = dict[str, float]


@functools.cache
def measured() -> dict[str, list[Row]]:
    """What `python -m benchmarks.training_answers` has found: for each stage its figures, seed by seed."""
    return json.loads(STAGES.read_text())


def stages(names: Mapping[str, str], figure: str, xlabel: str, form: str = ".0%", title: str = "") -> "Axes":
    """One figure of several stages: each seed, their mean, and from the lowest to the highest.

    Args:
        names: of the stages as measured, and as they are shown.
        figure: which of a row's figures.
        xlabel: what it is.
        form: of its numbers.
        title: over the figure.
    """
    found = {"": {shown: [row[figure] for row in measured()[name]] for name, shown in names.items()}}
    ax = repeats.rows(found, xlabel=xlabel, form=form, title=title)
    ax.set_xlim(left=min(0.0, ax.get_xlim()[0]))
    return ax


def best_of(names: Mapping[str, str]) -> "Axes":
    """The share of requests that one of k answers fulfils, for each stage: means over seeds."""
    tries = [1, 2, 4, 8, 16]
    series = {
        shown: [_mean(measured()[name], f"best of {k}") for k in tries] for name, shown in names.items()
    }
    title = "Requests that one of k answers fulfils"
    ax = plots.lines(tries, series, xlabel="k", ylabel="share", title=title, log="x")
    ax.set_ylim(0, 1.05)
    return ax


def _mean(rows: Sequence[Row], figure: str) -> float:
    return sum(row[figure] for row in rows) / len(rows)


def word_by_word(words: Sequence[str], exact: torch.Tensor, estimate: torch.Tensor, title: str) -> "Axes":
    """Two numbers for each word of a text: a distance, and its estimate from that word alone."""
    [ax] = plots.panels(1, width=7.4, height=3.2)
    places = range(len(words))
    ax.bar(places, exact.tolist(), color=plots.PALETTE[0], width=0.8, label="exact, over all words")
    ax.plot(places, estimate.tolist(), "D", color=plots.PALETTE[1], ms=4, label="from the drawn word")
    ax.axhline(0, color=plots.INK, linewidth=0.8)
    ax.set_xticks(places, words, rotation=90, fontsize=8.5)
    ax.set(ylabel="nats", title=title)
    ax.margins(x=0.01)
    ax.set_ylim(top=1.3 * float(torch.cat([exact, estimate]).max()))  # room for the legend
    ax.legend(frameon=False, ncols=2, loc="upper right")
    plots.describe(
        ax, title, f"exact: {exact.sum():.2f} nats together, from the drawn words: {estimate.sum():.2f}"
    )
    return ax


def show_verdicts(written: Answered, count: int = 3) -> None:
    """The first few answers with the parser's verdict on each."""
    rows, lines = [], []
    for row, verdict in list(enumerate(written.verdicts()))[:count]:
        asked, text = written.requests[row], requests.decode(written.answer(row))
        wrong = [name for name, holds in verdict.features.items() if not holds]
        points = {"doesn't end": not verdict.ended, "isn't a review": not verdict.grammatical}
        said = ", ".join([point for point, holds in points.items() if holds] or wrong) or "fulfilled"
        shown = asked.text if len(asked.text) < 90 else f"... {asked.text[-60:].partition(' ')[2]}"
        rows.append([shown, text, said])
        lines.append(f"{shown}\n  {text}\n  {said}")
    show_table(Table(["request", "answer", "verdict"], rows, "\n".join(lines)))
