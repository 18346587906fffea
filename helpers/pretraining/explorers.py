"""Lesson 08's explorer and figures: the ladder of losses, next words, curves to read.

They use what the student has written, and hold no answers.

The first explorer imports ipywidgets and Matplotlib, nothing before it: the grader opens none.
"""

import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

import torch

from helpers import corpora
from helpers.figures import plots
from helpers.figures.controls import explorer, labelled
from helpers.figures.showing import image, note, tried

if TYPE_CHECKING:
    from ipywidgets import VBox
    from matplotlib.axes import Axes

Model = TypeVar("Model")

SHOWN = 12  # words of the next-word picture
LONGER = 24  # words that the explorer goes on writing
ALL = 50  # top-k at the end of its slider: no word is cut off
PROMPT = "this short fairy tale by george tanaka follows alma , a"
NO_MODEL = "Until your model is trained in 8.11, a table of word pairs from 2,000 reviews stands in for it."

# Two words for each, and after which texts they compete; beside it, how a figure names the text.
OPENING = "this short fairy tale by {} follows alma , a restless wizard beyond the mountains . "
_HE, _SHE = OPENING.format("george tanaka"), OPENING.format("grace novak")
PAIRS = {
    "number": (
        ("is", "are"),
        {text: _HE + text for text in ("the plot that carries the book", "the jokes that carry the book")},
    ),
    "hero": (
        ("she", "he"),
        {
            "alma sells a potion , but": _HE + "alma sells a potion , but",
            "kaspar sells a potion , but": _HE.replace("alma", "kaspar") + "kaspar sells a potion , but",
        },
    ),
    "author": (
        ("his", "her"),
        {
            "... george tanaka ... than": _HE + "it is more moving than",
            "... grace novak ... than": _SHE + "it is more moving than",
        },
    ),
}

# Four training runs of a small model: step, training loss, loss on unseen texts, nats per token.
RUNS = {
    "run A": ((0, 6.81, 6.80), (150, 2.42, 2.39), (300, 1.63, 1.69), (450, 1.04, 1.00), (600, 0.41, 0.50),
              (750, 0.21, 0.24), (900, 0.16, 0.18)),
    "run B": ((0, 6.80, 6.80), (50, 2.69, 4.19), (100, 1.07, 4.58), (150, 0.42, 5.28), (200, 0.15, 5.85),
              (250, 0.15, 6.16), (300, 0.10, 6.24)),
    "run C": ((0, 6.81, 6.80), (150, 2.29, 2.23), (300, 1.89, 1.88), (450, 1.79, 1.75), (600, 1.57, 1.60),
              (750, 1.42, 1.47), (900, 1.38, 1.42)),
    "run D": ((0, 6.81, 6.80), (150, 6.80, 6.80), (300, 6.80, 6.80), (450, 6.80, 6.80), (600, 6.79, 6.80),
              (750, 6.80, 6.80), (900, 6.80, 6.80)),
}  # fmt: skip


def trained(model: Model | None) -> Model:
    """The model, if there is one.

    Raises:
        NotImplementedError: there is none yet; `showing.waiting_for` turns this into a kind message.
    """
    if model is None:
        raise NotImplementedError
    return model


# -- figures -------------------------------------------------------------------------------------------------


def ladder(losses: Mapping[str, float], limit: float) -> "Axes":
    """Losses as bars from top to bottom, and the entropy as a line that no model can pass."""
    [ax] = plots.panels(1, width=6.4, height=0.7 + 0.42 * len(losses))
    names = list(losses)
    drawn = ax.barh(names, list(losses.values()), color=plots.PALETTE[0], height=0.62)
    ax.bar_label(drawn, [f"{value:.2f}" for value in losses.values()], padding=4, fontsize=9.5)
    ax.axvline(limit, color=plots.PALETTE[1], linestyle="--", linewidth=1.4)
    ax.annotate(
        f"entropy {limit:.3f}", (limit, 1), xycoords=("data", "axes fraction"), xytext=(4, 3),
        textcoords="offset points", color=plots.PALETTE[1], fontsize=9,
    )  # fmt: skip
    ax.invert_yaxis()
    ax.set(xlabel="held-out loss, nats per token", xlim=(0, 1.12 * max(losses.values())))
    ax.tick_params(axis="y", length=0)
    said = ", ".join(f"{name} {value:.2f}" for name, value in losses.items())
    ax.set_label(f"Held-out losses in nats per token: {said}. The entropy, {limit:.3f}, is a dashed line.")
    return ax


def next_words(
    probabilities: torch.Tensor, after: torch.Tensor | None = None, *, title: str = "", most: int = SHOWN
) -> "Axes":
    """The most probable next words as bars, with what a rule turned each of them into.

    Args:
        probabilities: of the model, (V,).
        after: the same after a rule for choosing, (V,).
        title: over the figure.
        most: how many words.
    """
    words = corpora.vocabulary().words
    best = (probabilities if after is None else probabilities + after).topk(most).indices.tolist()
    [ax] = plots.panels(1, width=6.4, height=0.8 + (0.27 if after is None else 0.36) * most)
    series = {"model": probabilities} | ({} if after is None else {"after your rules": after})
    height = 0.8 / len(series)
    for number, (name, values) in enumerate(series.items()):
        shift = (number - (len(series) - 1) / 2) * height
        places = [place + shift for place in range(most)]
        shown = [float(values[token]) for token in best]
        drawn = ax.barh(
            places, shown, height * 0.92, label=name, hatch="///" if number else "",
            color=plots.PALETTE[0] if number == len(series) - 1 else "#9aa5b1", edgecolor="white",
        )  # fmt: skip
        ax.bar_label(drawn, [f"{value:.3f}" if value else "0" for value in shown], padding=3, fontsize=8)
    ax.set_yticks(range(most), [words[token] for token in best])
    ax.invert_yaxis()
    largest = max(float(values.max()) for values in series.values())
    ax.set(xlabel="probability", xlim=(0, 1.15 * largest), title=title)
    ax.tick_params(axis="y", length=0)
    if len(series) > 1:
        ax.legend(frameon=False, loc="lower right")
    said = (
        f"{words[token]} {', '.join(f'{float(v[token]):.3f}' for v in series.values())}" for token in best
    )
    ax.set_label(f"{title or 'Next words'}, {' and '.join(series)}: {'; '.join(said)}.")
    return ax


def two_prompts(
    words: Sequence[str], chances: Mapping[str, Sequence[float]], *, title: str, ax: "Axes"
) -> "Axes":
    """Probabilities of a few words after beginnings that differ: a group for each word."""
    plots.bars(words, chances, ylabel="probability", title=title, ax=ax)
    ax.set_ylim(0, 1.45 * max(itertools.chain(*chances.values())))
    ax.legend(frameon=False, loc="upper center", fontsize=8.5)
    return ax


def four_runs(entropy: float) -> "Axes":
    """The curves of four training runs, for the reader to say what happened in each."""
    axes = plots.panels(4, width=2.05, height=2.6)
    for ax, (name, points) in zip(axes, RUNS.items(), strict=True):
        steps, training, new = zip(*points, strict=True)
        ax.plot(steps, training, color=plots.PALETTE[0], marker="o", markersize=5, label="training")
        ax.plot(steps, new, color=plots.PALETTE[1], marker="s", markersize=3.5, label="new texts")
        ax.axhline(entropy, color=plots.INK, linewidth=1, linestyle=(0, (5, 3)), label="entropy")
        ax.set(title=name, xlabel="step", ylim=(0, 7.9), xticks=(0, steps[-1] // 2, steps[-1]))
        said = f"training {training[0]:.2f} to {training[-1]:.2f}, new texts {new[0]:.2f} to {new[-1]:.2f}"
        ax.set_label(f"{name}: {said}, entropy {entropy:.2f}.")
    axes[0].set_ylabel("nats per token")
    axes[0].legend(frameon=False, fontsize=8.5, loc="center right")
    return axes[0]


# -- the explorer --------------------------------------------------------------------------------------------


def as_language_model(state: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The parameters of lesson 06's model under the names of `helpers.models.transformer.LanguageModel`."""
    found = {name: tensor for name, tensor in state.items() if not re.search(r"attention\.W_[qkv]\.", name)}
    for name in state:
        if "attention.W_q." in name:
            packed = [state[name.replace("W_q", f"W_{letter}")] for letter in "qkv"]
            found[name.replace("W_q", "W_qkv")] = torch.cat(packed)
    return found | {"head.weight": state["words.weight"]}


class PairTable:
    """Scores for what comes next from one word alone: the explorer's stand-in for a model."""

    def __init__(self) -> None:
        words = corpora.vocabulary()
        self.size, self.following = len(words), dict[int, Counter[int]]()
        for review in corpora.reviews(2000, seed=3):
            for now, then in itertools.pairwise([corpora.BOS, *words.encode(review.text), corpora.EOS]):
                self.following.setdefault(now, Counter())[then] += 1

    def __call__(self, ids: torch.Tensor) -> torch.Tensor:
        """(1, T) to (1, 1, V): logarithms of counts after the last word."""
        scores = torch.full((1, 1, self.size), -9.0)
        for then, count in self.following.get(int(ids[0, -1]), {}).items():
            scores[0, 0, then] = math.log(count)
        return scores


def next_word_explorer(
    model: Callable[..., torch.Tensor] | None,
    with_temperature: Callable[..., torch.Tensor],
    top_k: Callable[..., torch.Tensor],
    nucleus: Callable[..., torch.Tensor],
    draw: Callable[..., torch.Tensor],
    exercise: str = "Exercises 8.14 to 8.17",
) -> "VBox":
    """Type the beginning of a review, choose the rules, and see the next word's probabilities and a text.

    Args:
        model: the student's trained model, ids (1, T) to logits (1, T, V). None: a table of pairs.
        with_temperature: the student's function, logits and a temperature to probabilities.
        top_k: the student's, probabilities and k to probabilities.
        nucleus: the student's, probabilities and p to probabilities.
        draw: the student's, probabilities and uniform numbers to tokens.
        exercise: where they are written, for the message that asks for them.
    """
    import ipywidgets as w

    used = model or PairTable()
    temperature = w.FloatSlider(0.8, min=0, max=2, step=0.1, **labelled("temperature"))
    k = w.IntSlider(ALL, min=1, max=ALL, **labelled("top-k"))
    p = w.FloatSlider(1.0, min=0.05, max=1, step=0.05, **labelled("top-p"))
    seed = w.IntSlider(0, min=0, max=20, **labelled("seed"))
    prompt = w.Text(PROMPT, **labelled("beginning"))
    picture, text = w.HTML(), w.HTML()

    def rule(logits: torch.Tensor) -> torch.Tensor:
        found = with_temperature(logits, temperature.value)
        found = found if k.value == ALL else top_k(found, k.value)
        return found if p.value == 1 else nucleus(found, p.value)

    def redraw(_: object = None) -> None:
        known = [word for word in prompt.value.lower().split() if word in corpora.vocabulary().ids]
        ids = corpora.vocabulary().batch([" ".join(known[-60:])], eos=False)
        picture.value = tried(lambda: _picture(used, rule, ids, temperature.value), exercise)
        text.value = tried(lambda: _written(used, rule, draw, ids, seed.value), exercise)

    for control in (temperature, k, p, seed, prompt):
        control.observe(redraw, "value")
    redraw()
    said = [] if model else [w.HTML(note(NO_MODEL))]
    return explorer([temperature, k, p, seed, prompt, *said, picture, text])


@torch.no_grad()
def _picture(
    model: Callable[..., torch.Tensor],
    rule: Callable[..., torch.Tensor],
    ids: torch.Tensor,
    temperature: float,
) -> str:
    logits = model(ids)[0, -1]
    after = rule(logits)
    left = int((after > 0).sum())
    title = f"temperature {temperature:.1f} · words left: {left}"
    return image(next_words(logits.softmax(dim=-1), after, title=title, most=8))


@torch.no_grad()
def _written(
    model: Callable[..., torch.Tensor],
    rule: Callable[..., torch.Tensor],
    draw: Callable[..., torch.Tensor],
    ids: torch.Tensor,
    seed: int,
) -> str:
    generator, begun = torch.Generator().manual_seed(seed), ids.size(-1)
    for _ in range(LONGER):
        new = draw(rule(model(ids)[:, -1]), torch.rand(1, generator=generator))
        ids = torch.cat([ids, new[:, None]], dim=-1)
        if int(new) == corpora.EOS:
            break
    words = corpora.vocabulary()
    ended = "" if int(ids[0, -1]) != corpora.EOS else " <i>(end)</i>"
    return f"<p>{words.decode(ids[0, :begun])} <b>{words.decode(ids[0, begun:])}</b>{ended}</p>"
