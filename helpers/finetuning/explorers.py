"""Lesson 09's explorer: a review, its label, and what the label depends on.

It uses the student's classifier. Only the explorer imports ipywidgets.
"""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

import torch

from helpers import corpora
from helpers.figures import plots
from helpers.figures.controls import explorer, labelled
from helpers.figures.showing import image, note, tried

if TYPE_CHECKING:
    from ipywidgets import VBox
    from matplotlib.axes import Axes

EXAMPLES = (
    "this short memoir by rosa lambert follows helen , a shy farmer in brooklyn . sadly , the plot is dull . "
    "the prose is flat . i will give it away .",
    "this short memoir by rosa lambert follows helen , a shy farmer in brooklyn . luckily , the plot is not "
    "dull . the prose is vivid . i will recommend it to everyone .",
    "this short memoir by rosa lambert follows helen , a shy farmer in brooklyn . even if the beginning is "
    "charming , the prose is dull . her plot is never boring at first , but it is tedious later .",
    "i read this thriller by george marsh in august . it is about simon , a lonely banker in london . "
    "although "
    "the prose is clumsy , the story is gripping . the jokes are funny . i will not avoid his next book .",
)  # reviews as the grammar makes them: each has a label of its own
LONGEST = 60  # words: more bars than that can't be read


def unknown(words: Sequence[str]) -> list[str]:
    """The words that the vocabulary doesn't have, each once."""
    return [word for word in dict.fromkeys(words) if word not in corpora.vocabulary().ids]


def probability(model: torch.nn.Module | None, texts: Sequence[str]) -> torch.Tensor:
    """The classifier's probability that each text is favourable, (N,).

    Raises:
        NotImplementedError: there is no classifier yet.
        ValueError: what it gives isn't a score for each of two classes.
    """
    if model is None:
        raise NotImplementedError
    with torch.no_grad():
        logits = model(corpora.vocabulary().batch(texts))
    if not isinstance(logits, torch.Tensor) or tuple(logits.shape) != (len(texts), 2):
        raise ValueError(f"the classifier should give logits ({len(texts)}, 2)")
    return logits.softmax(dim=-1)[:, 1]


def left_out(model: torch.nn.Module | None, words: Sequence[str]) -> tuple[float, torch.Tensor]:
    """The probability of "favourable", and by how much it falls when each word is left out, (T,)."""
    texts = [" ".join(words)]
    texts += [" ".join([*words[:at], *words[at + 1 :]]) for at in range(len(words))]
    found = probability(model, texts)
    return float(found[0]), found[0] - found[1:]


def last_looks(model: torch.nn.Module | None, words: Sequence[str]) -> torch.Tensor:
    """How much the last position attends to each word, in the last block: the mean over its heads, (T,).

    Raises:
        NotImplementedError: there is no classifier yet.
    """
    if model is None:
        raise NotImplementedError
    weights: list[torch.Tensor] = []
    with torch.no_grad():
        model.get_submodule("body")(corpora.vocabulary().batch([" ".join(words)]), weights=weights)
    return weights[-1][0, :, -1, 1:-1].mean(dim=0)  # without <bos> and <eos>


def word_bars(words: Sequence[str], p: float, looks: torch.Tensor, falls: torch.Tensor) -> "Axes":
    """For each word, how much the last position looks at it, and what leaving it out does."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(plots.STYLE):
        figure = Figure(figsize=(max(4.6, 0.9 + 0.185 * len(words)), 4.1), layout="constrained")
        above, below = figure.subplots(2, 1, sharex=True)
    places = range(len(words))
    above.bar(places, looks.tolist(), color=plots.PALETTE[0], width=0.7)
    up = [value >= 0 for value in falls.tolist()]
    colours = [plots.PALETTE[2] if favourable else plots.PALETTE[1] for favourable in up]
    drawn = below.bar(places, falls.tolist(), color=colours, width=0.7)
    for bar, favourable in zip(drawn, up, strict=True):
        bar.set_hatch("" if favourable else "////")
        bar.set_edgecolor("white")
    for ax in (above, below):
        ax.margins(x=0.01)
        ax.locator_params(axis="y", nbins=5)
    above.tick_params(axis="x", length=0)
    below.set_xticks(places, words, rotation=90, fontsize=9)
    below.tick_params(axis="x", length=0)
    below.axhline(0, color=plots.INK, linewidth=0.8)
    limit = max(0.05, 1.1 * float(falls.abs().max()))
    below.set_ylim(-limit, limit)
    above.set(title="what the last position looks at (last block, mean of heads)", ylabel="weight")
    below.set(title="how far “favourable” falls when the word is left out", ylabel="fall of probability")
    looked = ", ".join(f"{words[at]} {looks[at]:.2f}" for at in looks.argsort(descending=True)[:3])
    mattered = falls.abs().argsort(descending=True)[:3]
    told = ", ".join(f"{words[at]} {falls[at]:+.2f}" for at in mattered)
    above.set_label(f"Favourable with probability {p:.2f}. The last position looks most at {looked}.")
    below.set_label(f"Leaving out changes most: {told}.")
    return above


def review_explorer(model: torch.nn.Module | None, examples: Sequence[str], exercise: str) -> "VBox":
    """Choose a review, leave a word out or type another, and see the label and what it depends on.

    Args:
        model: the student's classifier, or None where there is none yet; model.body(ids, weights=list) gives
            the attention weights.
        examples: reviews to begin with.
        exercise: where the classifier is written, for the message that asks for it.
    """
    import ipywidgets as w

    which = w.IntSlider(1, min=1, max=len(examples), **labelled("review"))
    without = w.IntSlider(0, min=0, max=LONGEST, **labelled("leave out word"))
    text = w.Textarea(examples[0], rows=4, continuous_update=False, **labelled("text"))
    verdict, picture = w.HTML(), w.HTML()

    def draw(_: object = None) -> None:
        words = text.value.lower().split()
        at = min(without.value, len(words))
        kept = [*words[: at - 1], *words[at:]] if at else words
        gone = words[at - 1] if at else ""
        verdict.value, picture.value = "", ""
        if problem := _problem(kept):
            picture.value = note(problem)
            return
        verdict.value = tried(lambda: _verdict(model, words, kept, gone), exercise)
        picture.value = tried(lambda: _picture(model, kept), exercise)

    def choose(_: object = None) -> None:
        without.value = 0
        text.value = examples[which.value - 1]

    def read(_: object = None) -> None:
        without.max = max(1, min(LONGEST, len(text.value.split())))
        draw()

    which.observe(choose, "value")
    without.observe(draw, "value")
    text.observe(read, "value")
    read()
    return explorer([which, without, text, verdict, picture])


def _problem(words: Sequence[str]) -> str:
    if len(words) < 2:
        return "Type a review of at least two words."
    if len(words) > LONGEST:
        return f"This has {len(words)} words; up to {LONGEST} can be drawn."
    if strange := unknown(words):
        return (
            f"The model has never seen {', '.join(strange[:5])}. It knows {len(corpora.vocabulary())} "
            f"words, all in "
            "lower case, with spaces around , and . and 's."
        )
    return ""


def _verdict(model: torch.nn.Module | None, words: Sequence[str], kept: Sequence[str], gone: str) -> str:
    p = float(probability(model, [" ".join(kept)])[0])
    said = f"<b>{'favourable' if p > 0.5 else 'not favourable'}</b>, probability of “favourable” {p:.3f}"
    if gone:
        before = float(probability(model, [" ".join(words)])[0])
        said += f" without “{escape(gone)}”; {before:.3f} with it"
    return f"<div aria-live='polite' style='margin:4px 0'>{said}</div>"


def _picture(model: torch.nn.Module | None, words: Sequence[str]) -> str:
    p, falls = left_out(model, words)
    return image(word_bars(words, p, last_looks(model, words), falls))
