"""Lesson 12's explorers: weights on a coarse grid, and two models that agree more or less.

They take what the student has written, and hold no answers.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from helpers.figures import plots
from helpers.figures.controls import MOVE, explorer, labelled
from helpers.figures.live import shown
from helpers.figures.showing import image, tried
from helpers.modern.cheaper import tokens_per_call, with_fewer_bits

if TYPE_CHECKING:
    from ipywidgets import VBox
    from matplotlib.axes import Axes

ROWS, COLUMNS = 5, 40
WORDS = ("mystery", "novel", "book", "story", "comedy", "plot")
TARGET = torch.tensor([0.34, 0.26, 0.18, 0.12, 0.07, 0.03])
OTHER = torch.tensor([0.05, 0.08, 0.12, 0.15, 0.25, 0.35])


def bits_explorer(quantized: Callable, exercise: str) -> "VBox":
    """Give each weight fewer bits, make one weight an outlier, and see which rows suffer.

    Args:
        quantized: the student's, of a weight.
        exercise: where it is written, for the message that asks for it.
    """
    import ipywidgets as w

    bits = w.IntSlider(4, min=2, max=8, **labelled("bits per weight"))
    outlier = w.FloatSlider(6.0, min=1, max=40, step=1, **labelled("largest weight"))
    shared = w.Checkbox(False, **labelled("one scale for all rows"))
    picture = w.HTML()

    def draw(_: object = None) -> None:
        picture.value = tried(
            lambda: image(_rounded(quantized, bits.value, outlier.value, shared.value)), exercise
        )

    for control in (bits, outlier, shared):
        control.observe(draw, "value")
    draw()
    return explorer([bits, outlier, shared, picture])


def _rounded(quantized: Callable, bits: int, outlier: float, shared: bool) -> "Axes":
    weight = torch.randn(ROWS, COLUMNS, generator=torch.Generator().manual_seed(0))
    weight[2, 11] = outlier
    flat = weight.reshape(1, -1) if shared else weight
    kept = with_fewer_bits(flat, quantized, bits).view_as(weight)
    errors = ((kept - weight).square().mean(dim=1) / weight.square().mean(dim=1)).sqrt()
    left, right = plots.panels(2, width=3.95, height=2.9, ratios=(1.2, 1))
    for row in range(ROWS):
        left.plot(weight[row], [row - 0.16] * COLUMNS, "|", color=plots.FAINT, ms=9)
        left.plot(kept[row], [row + 0.16] * COLUMNS, ".", color=plots.PALETTE[0], ms=5)
    left.set(yticks=range(ROWS), yticklabels=[f"row {row}" for row in range(ROWS)], xlabel="weight")
    left.set_title("above: as they were; below: as kept", fontsize=10)
    left.invert_yaxis()
    values = ", ".join(f"row {row} {error:.1%}" for row, error in enumerate(errors.tolist()))
    left.set_label(f"{bits} bits per weight, the largest is {outlier:g}.")
    right.barh(range(ROWS), (100 * errors).tolist(), color=plots.PALETTE[0])
    for row, error in enumerate(errors.tolist()):
        right.text(100 * error + 1, row, f"{100 * error:.1f} %", va="center", fontsize=9)
    right.set(yticks=[], xlim=(0, 125), xlabel="error, in % of the row's weights")
    right.invert_yaxis()
    right.set_label(f"Error of each row: {values}.")
    return left


def draft_explorer(adjusted: Callable, exercises: str) -> "VBox":
    """Make two models more or less alike, and see how many drafts stay and what is drawn instead.

    Args:
        adjusted: the student's, of two distributions.
        exercises: where they are written, for the message that asks for them.
    """
    import ipywidgets as w

    alike = w.FloatSlider(0.4, min=0, max=0.95, step=0.05, **labelled("alike"))
    drafts = w.IntSlider(4, min=1, max=10, **labelled("drafts at once"))
    picture = w.HTML()

    def draw(_: object = None) -> None:
        picture.value = tried(lambda: shown(_agreement(adjusted, alike.value, drafts.value)), exercises)

    for control in (alike, drafts):
        control.observe(draw, "value")
    draw()
    data = {"words": WORDS, "target": TARGET.tolist(), "other": OTHER.tolist()}
    module = Path(__file__).with_name("drafts.js")
    still = tried(lambda: image(_agreeing(adjusted, alike.value, drafts.value)), exercises)
    return explorer([alike, drafts, picture], still + MOVE, module=module, data=data)


def _agreement(adjusted: Callable, alike: float, drafts: int) -> dict[str, object]:
    """Both models, what is drawn instead, and the tokens per call with 1 to 10 drafts."""
    draft = alike * TARGET + (1 - alike) * OTHER
    share = float(torch.minimum(TARGET, draft).sum())
    return {
        "words": WORDS, "target": TARGET.tolist(), "draft": draft.tolist(), "share": share, "drafts": drafts,
        "instead": adjusted(TARGET.clone(), draft.clone()).tolist(),
        "tokens": [tokens_per_call(share, count) for count in range(1, 11)],
    }  # fmt: skip


def _agreeing(adjusted: Callable, alike: float, drafts: int) -> "Axes":
    draft = alike * TARGET + (1 - alike) * OTHER
    instead = adjusted(TARGET.clone(), draft.clone())
    share = float(torch.minimum(TARGET, draft).sum())
    left, right = plots.panels(2, width=3.75, height=3.0, ratios=(1.3, 1))
    series = {"large model": TARGET, "small model": draft, "drawn instead": instead}
    plots.bars(
        list(WORDS), series, ylabel="probability", title=f"kept: {100 * share:.0f} % of the drafts", ax=left
    )
    left.set_ylim(0, 1)
    counts = list(range(1, 11))
    tokens = [tokens_per_call(share, count) for count in counts]
    right.plot(counts, tokens, color=plots.PALETTE[0], marker=plots.MARKERS[0], ms=4, lw=1.6)
    right.plot([drafts], [tokens[drafts - 1]], "o", ms=12, mfc="none", mec=plots.INK, mew=1.8)
    found = f"{tokens[drafts - 1]:.2f} tokens per call"
    right.set(xlabel="drafts at once", xticks=counts, ylim=(0, 11), title=found)
    told = ", ".join(f"{word} {value:.2f}" for word, value in zip(WORDS, instead.tolist(), strict=True))
    left.set_label(
        f"The small model is {alike:.0%} alike: {share:.0%} of drafts stay. Drawn instead: {told}."
    )
    right.set_label(f"With {drafts} drafts at once: {found}.")
    return left
