"""Lesson 06's explorers: a vector before and after its norm; what the stream says behind each block.

They take what the student has written, and hold no answers.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch import nn

from helpers import corpora
from helpers.figures import plots
from helpers.figures.controls import MOVE, explorer, labelled
from helpers.figures.live import shown
from helpers.figures.showing import image, not_yet, note, tried

if TYPE_CHECKING:
    from ipywidgets import VBox
    from matplotlib.axes import Axes

VECTOR = torch.tensor([-1.0, 0.0, 0.5, 2.0])
OPENING = "i read this mystery by julia whitfield in march . it is about irene , a lonely"
BEST = 4  # words that are named behind each block


def norm_explorer(layer_norm: Callable, exercise: str) -> "VBox":
    """Move a vector, stretch it, and see what the norm makes of it.

    Args:
        layer_norm: the student's, of x, weight, bias and eps.
        exercise: where it is written, for the message that asks for it.
    """
    import ipywidgets as w

    offset = w.FloatSlider(3.0, min=-10, max=10, step=0.5, **labelled("add"))
    scale = w.FloatSlider(2.0, min=0, max=10, step=0.5, **labelled("multiply by"))
    picture = w.HTML()

    def draw(_: object = None) -> None:
        picture.value = tried(lambda: image(_normed(layer_norm, scale.value, offset.value)), exercise)

    for control in (scale, offset):
        control.observe(draw, "value")
    draw()
    return explorer([scale, offset, picture])


def _normed(layer_norm: Callable, scale: float, offset: float) -> "Axes":
    x = scale * VECTOR + offset
    y = layer_norm(x, torch.ones(len(x)), torch.zeros(len(x)))
    labels = [f"channel {number}" for number in range(len(x))]
    left, right = plots.panels(2, width=3.75, height=2.6)
    plots.bars(labels, {"before": x}, ylabel="", title="before", ax=left)
    plots.bars(labels, {"after": y}, ylabel="", title="after", ax=right)
    left.set_ylim(-22, 32)
    right.set_ylim(-2.2, 2.2)
    return left


def stream_explorer(model: nn.Module | None, unembed: Callable, missing: str) -> "VBox":
    """Type the beginning of a review, and see which next word the stream names behind each block.

    Args:
        model: the student's trained `DecoderOnly`; None while there is none.
        unembed: the student's, of vectors and words.
        missing: what has to be done first, for the message that asks for it.
    """
    import ipywidgets as w

    prompt = w.Text(OPENING, **labelled("beginning"))
    picture, words = w.HTML(), w.HTML()

    def draw(_: object = None, show: Callable[..., str] = _shown_stream) -> None:
        known = corpora.vocabulary().ids
        typed = prompt.value.lower().split()
        unknown = [word for word in typed if word not in known]
        words.value = note(f"Not in its vocabulary: {', '.join(unknown)}.") if unknown else ""
        if model is None:
            picture.value = note(not_yet(missing))
            return
        ids = corpora.vocabulary().batch([" ".join(w for w in typed if w in known)[-400:]], eos=False)
        picture.value = tried(lambda: show(model, unembed, ids[:, -90:]), missing)

    prompt.observe(draw, "value")
    draw(show=_drawn_stream)
    still = picture.value
    if model is None or "<img" not in still:
        return explorer([prompt, words, picture])
    draw()
    module = Path(__file__).with_name("path.js")
    return explorer(
        [prompt, words, picture], still + MOVE, module=module, data=_path(model, unembed, OPENING)
    )


def _path(model: nn.Module, unembed: Callable, text: str) -> dict:
    """What path.js shows: after each word of a text, the best next words behind each block."""
    found = _behind_blocks(model, unembed, corpora.vocabulary().batch([text], eos=False))
    count = len(text.split())
    best = [_named(found, place) for place in range(-count, 0)]
    return {"words": text.split(), "steps": _steps(len(found)), "best": best}


def _named(found: list[tuple[torch.Tensor, torch.Tensor]], place: int) -> list:
    """The best next words at a position, before the blocks and behind each: [word, probability]."""

    def words(p: torch.Tensor, best: torch.Tensor) -> list:
        names = [corpora.vocabulary().words[token] for token in best.tolist()]
        return [[name, round(share, 6)] for name, share in zip(names, p.tolist(), strict=True)]

    return [words(p[place], best[place]) for p, best in found]


def _shown_stream(model: nn.Module, unembed: Callable, ids: torch.Tensor) -> str:
    found = _behind_blocks(model, unembed, ids)
    word = corpora.vocabulary().words[int(ids[0, -1])]
    return shown({"word": word, "steps": _steps(len(found)), "best": _named(found, -1)})


def _drawn_stream(model: nn.Module, unembed: Callable, ids: torch.Tensor) -> str:
    return image(_stream(model, unembed, ids))


def _steps(count: int) -> list[str]:
    return ["before the blocks", *(f"after block {number}" for number in range(1, count))]


@torch.no_grad()
def _behind_blocks(
    model: nn.Module, unembed: Callable, ids: torch.Tensor
) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """The most probable next words behind each block, read with the last norm and the words' matrix.

    Returns:
        Before the blocks and after each, for each position: the probabilities and the words, (T, BEST).
    """
    states: list[torch.Tensor] = []
    blocks = list(model.get_submodule("blocks").children())
    hooks = [blocks[0].register_forward_pre_hook(lambda _, args: states.append(args[0]))]
    hooks += [block.register_forward_hook(lambda *args: states.append(args[-1])) for block in blocks]
    try:
        model(ids)
    finally:
        for hook in hooks:
            hook.remove()
    norm, words = model.get_submodule("norm"), model.get_parameter("words.weight")
    return [tuple(unembed(norm(state[0]), words).softmax(dim=-1).topk(BEST)) for state in states]


def _stream(model: nn.Module, unembed: Callable, ids: torch.Tensor) -> "Axes":
    """A panel of bars behind each block: the most probable next words after the last one."""
    vocabulary = corpora.vocabulary().words
    found = _behind_blocks(model, unembed, ids)
    panels = plots.panels(len(found), width=2.63, height=2.4)
    for ax, title, (chances, words) in zip(panels, _steps(len(found)), found, strict=True):
        p, best = chances[-1], words[-1]
        names = [vocabulary[token] for token in best.tolist()]
        places = list(range(BEST))
        ax.barh(places, p.tolist(), color=plots.PALETTE[0])
        ax.set_yticks(places, names)
        ax.invert_yaxis()
        ax.set(xlim=(0, 1.15), title=title, xlabel="probability")
        for place, value in enumerate(p.tolist()):
            ax.text(value + 0.02, place, f"{value:.2f}", va="center", fontsize=9)
        told = ", ".join(f"{name} {value:.2f}" for name, value in zip(names, p.tolist(), strict=True))
        ax.set_label(f"{title}: {told}.")
    return panels[0]
