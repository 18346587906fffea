"""Lesson 06's drawings: the block, and the model around it."""

from typing import TYPE_CHECKING

from helpers.figures.drawings import BLUE, GREEN, ORANGE, PINK, arrow, box, canvas, label, plus

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def block() -> "Axes":
    """A pre-norm block: a path that is only added to."""
    ax = canvas(
        600,
        200,
        "A block: a straight path, (B, T, C) everywhere, to which something is added twice",
        "First branch: norm 1, then attention, where positions meet, (B, T, C)",
        "Second branch: norm 2, then the feed-forward network, from C channels to d_ff and back to C",
        "Only attention mixes positions; all the rest works on each position alone",
    )
    label(ax, 8, 40, "x", at="left", bold=True)
    start = 20.0
    for left, norm, words, color in (
        (45, "norm 1", "attention\nbetween positions", PINK),
        (320, "norm 2", "feed-forward\nC → $d_{ff}$ → C", GREEN),
    ):
        total = plus(ax, left + 230, 40)
        arrow(ax, (start, 40), total.before)
        first = box(ax, left + 45, 140, norm, width=66, height=44, color=ORANGE)
        second = box(ax, left + 155, 140, words, width=132, height=44, color=color)
        arrow(ax, (left, 40), (left, 140), first.before)
        arrow(ax, first.after, second.before)
        arrow(ax, second.after, (total.x, 140), total.below)
        start = total.right
    arrow(ax, (start, 40), (594, 40))
    for x in (155, 430):
        label(ax, x, 26, "(B, T, C)")
    label(ax, 300, 188, "The path itself is never normalised.")
    return ax


def model() -> "Axes":
    """From tokens to scores, with shapes."""
    ax = canvas(
        600,
        120,
        "The model from left to right, with shapes",
        "Tokens, (B, T), become vectors, (B, T, C), by the embedding plus positions",
        "N blocks and a last norm keep that shape",
        "The embedding, used once more, turns them into scores: (B, T, V)",
    )
    parts = (
        (107, "embed\n+ positions", 92, BLUE),
        (252, "N blocks,\ncausal", 84, PINK),
        (372, "norm", 56, ORANGE),
        (480, "unembed", 76, BLUE),
    )
    places = [box(ax, x, 60, words, width=width, height=50, color=color) for x, words, width, color in parts]
    ends = [(52, 60), *(place.after for place in places), (570, 60)]
    for before, after in zip(ends, [*(place.before for place in places), ends[-1]], strict=False):
        arrow(ax, before, after)
    label(ax, 26, 60, "ids\n(B, T)")
    label(ax, 181, 22, "(B, T, C)")
    label(ax, 312, 22, "(B, T, C)")
    label(ax, 421, 22, "(B, T, C)")
    label(ax, 555, 22, "(B, T, V)")
    return ax
