"""Lesson 11's drawing: the encoder and the decoder."""

import itertools
from typing import TYPE_CHECKING

from helpers.figures.drawings import BLUE, GREEN, ORANGE, PINK, arrow, box, canvas, label

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def two_towers() -> "Axes":
    """The encoder, the decoder, and the memory between them, with shapes."""
    ax = canvas(
        600,
        400,
        "Two towers, read from below; each sublayer reads its path through a norm and adds to it",
        "The encoder, at the left: source words, (B, T_s), become vectors; N times self-attention and "
        "feed-forward; the result is the memory, (B, T_s, C)",
        "The decoder, at the right: target words so far, (B, T_t), become vectors; N times masked "
        "self-attention, cross-attention, feed-forward; then scores, (B, T_t, V)",
        "Cross-attention takes its queries from the decoder, and its keys and values from the memory",
    )
    box(ax, 150, 210, "", width=190, height=122, color="white", dashed=True)
    box(ax, 450, 175, "", width=210, height=190, color="white", dashed=True)
    left = [
        box(ax, 150, y, words, width=150, height=34, color=color)
        for y, words, color in (
            (320, "embed + positions", BLUE),
            (245, "self-attention", PINK),
            (175, "feed-forward", GREEN),
        )
    ]
    right = [
        box(ax, 450, y, words, width=170, height=34, color=color)
        for y, words, color in (
            (320, "embed + positions", BLUE),
            (245, "masked self-attention", PINK),
            (175, "cross-attention", ORANGE),
            (105, "feed-forward", GREEN),
            (45, "unembed", BLUE),
        )
    ]
    for tower in (left, right):
        arrow(ax, (tower[0].x, 362), tower[0].below)
        for lower, upper in itertools.pairwise(tower):
            arrow(ax, lower.above, upper.below)
    label(ax, 150, 380, "source words  (B, $T_s$)")
    label(ax, 450, 380, "target words so far  (B, $T_t$)")
    memory = box(ax, 150, 110, "memory  (B, $T_s$, C)", width=150, color=ORANGE, dashed=True)
    arrow(ax, left[-1].above, memory.below)
    arrow(ax, memory.after, (285, 110), (285, 175), right[2].before)
    label(ax, 292, 145, "keys,\nvalues", at="left")
    label(ax, 458, 210, "queries", at="left")
    label(ax, 150, 30, "Each sublayer reads its path through\na norm, and its output is added.")
    label(ax, 48, 210, "N ×", at="right", bold=True)
    label(ax, 592, 140, "N ×", at="right", bold=True)
    arrow(ax, right[-1].above, (450, 10))
    label(ax, 458, 14, "(B, $T_t$, V)", at="left")
    return ax
