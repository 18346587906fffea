"""Explorers of lesson 10: what two models put where words are hidden; a text that is filled round by round.

They use trained models and the student's own functions. The first explorer imports ipywidgets, nothing before
it.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import torch

from helpers import corpora
from helpers.figures import plots
from helpers.figures.controls import explorer, labelled
from helpers.figures.showing import image, note, tried
from helpers.text.vocabulary import BOS, CLS, MASK, ORDINARY, PAD, SEP

if TYPE_CHECKING:
    from ipywidgets import VBox
    from matplotlib.axes import Axes

BOTH, LEFT = "both sides: BERT", "left side: language model"
EXAMPLES = (
    "in his third ghost story , gabriel kapoor tells the story of otto , a shy orphan in a dark cellar .",
    "this short fairy tale by george tanaka follows alma , a restless wizard beyond the mountains .",
    "sadly , the plot is dull . i will give it away .",
    "the jokes that fill the book are clever . they are rarely slow .",
    "my sister calls it great , and she is right . i will read it again .",
)
SHOWN, MOST_HIDDEN = 6, 4


def blanks_explorer(models: Mapping[str, Callable], needs: str) -> "VBox":
    """Hide words of a sentence, and see the candidates of BERT beside those of a language model.

    Args:
        models: "bert", called with tokens and segments (B, T), gives word logits (B, T, V) first; and "left",
            a language model. Asked for at each drawing, so the models may come later.
        needs: the sections that put them there, for the message that asks for them.
    """
    import ipywidgets as w

    place = w.IntSlider(3, min=0, max=20, **labelled("hide word"))
    count = w.IntSlider(1, min=1, max=MOST_HIDDEN, **labelled("words hidden"))
    example = w.Dropdown(options=EXAMPLES, **labelled("example"))
    text = w.Text(EXAMPLES[0], continuous_update=False, **labelled("or type"))
    picture = w.HTML()

    def draw(_: object = None) -> None:
        picture.value = _blank_picture(models, needs, text.value, place.value, count.value)

    def measure(_: object = None) -> None:
        place.max = max(0, len(text.value.split()) - 1)
        draw()

    def take(_: object = None) -> None:
        text.value = example.value

    example.observe(take, "value")
    text.observe(measure, "value")
    for control in (place, count):
        control.observe(draw, "value")
    measure()
    return explorer([place, count, example, text, picture])


def _blank_picture(models: Mapping[str, Callable], needs: str, text: str, place: int, count: int) -> str:
    try:
        ids = corpora.vocabulary().encode(text.lower())
    except ValueError as error:
        return note(f"{error}.")
    if not 2 <= len(ids) <= 90:
        return note("Type a sentence of 2 to 90 words.")
    if "bert" not in models or "left" not in models:
        return note(f"This needs the trained models of {needs}. Once they are there, run this cell again.")

    def draw() -> str:
        at = min(place, len(ids) - 1)
        both, left = both_sides(models["bert"], ids, at, count), left_side(models["left"], ids, at)
        return image(_candidates(both, left, ids, at, count))

    return tried(draw, needs)


def both_sides(
    bert: Callable[..., tuple[torch.Tensor, torch.Tensor]], ids: list[int], place: int, count: int = 1
) -> torch.Tensor:
    """BERT's probabilities for a word of a sentence, with `count` words hidden from there on, (V,)."""
    read = [CLS, *ids, SEP]
    last = min(place + count, len(ids))
    read[place + 1 : last + 1] = [MASK] * (last - place)
    rows = torch.tensor([read])
    with torch.no_grad():
        logits = bert(rows, torch.zeros_like(rows))[0]
    return _of_words(logits[0, place + 1])


def left_side(model: Callable[..., torch.Tensor], ids: list[int], place: int) -> torch.Tensor:
    """A language model's probabilities for a word of a sentence, from the words before it, (V,)."""
    with torch.no_grad():
        logits = model(torch.tensor([[BOS, *ids[:place]]]))
    return _of_words(logits[0, -1])


def _of_words(logits: torch.Tensor) -> torch.Tensor:
    """Probabilities among words alone: there are no special tokens inside a sentence."""
    logits = logits.detach().float().clone()
    logits[:ORDINARY] = -torch.inf
    return logits.softmax(dim=-1)


def _candidates(both: torch.Tensor, left: torch.Tensor, ids: list[int], at: int, count: int) -> "Axes":
    words = corpora.vocabulary().words
    true = words[ids[at]]
    axes = plots.panels(2, width=3.9, height=3.3)
    said = []
    for ax, p, name in zip(axes, (both, left), (BOTH, LEFT), strict=True):
        top = p.topk(SHOWN)
        labels = [words[number] for number in top.indices.tolist()]
        colours = [plots.PALETTE[2] if label == true else plots.PALETTE[0] for label in labels]
        bars = ax.barh(range(SHOWN), top.values.tolist(), color=colours)
        for bar, label in zip(bars, labels, strict=True):
            bar.set_hatch("//" if label == true else "")
            bar.set_edgecolor("white")
        ax.set_yticks(range(SHOWN), [f"✓ {label}" if label == true else label for label in labels])
        ax.invert_yaxis()
        ax.set_xlim(0, 1)
        ax.set_xlabel("probability")
        ax.set_title(f"{name}\n“{true}” gets {p[ids[at]]:.2f}", fontsize=10)
        listed = ", ".join(
            f"{label} {value:.2f}" for label, value in zip(labels, top.values.tolist(), strict=True)
        )
        said.append(f"{name}: {listed}; the true word {true} gets {p[ids[at]]:.2f}.")
    shown = [words[number] for number in ids]
    shown[at : at + count] = ["____"] * len(shown[at : at + count])
    sentence = " ".join(shown[max(0, at - 9) : at + count + 9])
    axes[0].figure.suptitle(f"… {sentence} …", fontsize=9, y=1.04)
    axes[0].set_label(f"Candidates for a blank in: {sentence}. {' '.join(said)}")
    return axes[0]


# -- filling round by round ----------------------------------------------------------------------------------


def filling_explorer(
    models: Mapping[str, Callable], fill: Callable[..., torch.Tensor], exercise: str, needs: str
) -> "VBox":
    """Fill an empty text in several rounds, and step through them.

    Args:
        models: "bert" as above.
        fill: the student's `fill_and_mask_again(ids, logits, again)` -> ids.
        exercise: where that is written.
        needs: the section that trains the model.
    """
    import ipywidgets as w

    shown = w.IntSlider(1, min=0, max=10, **labelled("after round"))
    rounds = w.IntSlider(5, min=1, max=10, **labelled("rounds in all"))
    words = w.IntSlider(14, min=6, max=20, **labelled("words"))
    picture = w.HTML()

    def draw(_: object = None) -> None:
        shown.max = rounds.value
        picture.value = _filling_picture(
            models, fill, exercise, needs, min(shown.value, rounds.value), rounds.value, words.value
        )

    for control in (shown, rounds, words):
        control.observe(draw, "value")
    draw()
    return explorer([shown, rounds, words, picture])


def _filling_picture(
    models: Mapping[str, Callable],
    fill: Callable[..., torch.Tensor],
    exercise: str,
    needs: str,
    shown: int,
    rounds: int,
    count: int,
) -> str:
    if "bert" not in models:
        return note(f"This needs the trained model of {needs}. Once it is there, run this cell again.")

    def draw() -> str:
        ids = torch.tensor([[CLS, *[MASK] * count, SEP]])
        p = torch.zeros(ids.shape)
        for turn in range(1, shown + 1):
            with torch.no_grad():
                logits = models["bert"](ids, torch.zeros_like(ids))[0]
            before = ids
            ids = fill(ids.clone(), logits.clone(), count * (rounds - turn) // rounds)
            best = logits[..., ORDINARY:].softmax(dim=-1).amax(dim=-1)
            p = torch.where((before == MASK) & (ids != MASK), best, p)
        return image(_filled(ids[0, 1:-1], p[0, 1:-1], shown, rounds))

    return tried(draw, exercise)


def _filled(ids: torch.Tensor, p: torch.Tensor, shown: int, rounds: int) -> "Axes":
    words = [("?" if n in (MASK, PAD) else corpora.vocabulary().words[n]) for n in ids.tolist()]
    [ax] = plots.panels(1, width=7.9, height=2.8)
    ax.bar(range(len(words)), p.tolist(), color=plots.PALETTE[0])
    ax.set_xticks(range(len(words)), words, rotation=45, ha="right")
    ax.set_ylim(0, 1)
    ax.set_ylabel("probability when filled")
    ax.set_title(f"After round {shown} of {rounds}")
    ax.set_label(f"After round {shown} of {rounds}: {' '.join(words)}.")
    return ax
