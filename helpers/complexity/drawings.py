"""Lesson 05's drawings: what grows when a text is twice as long, and attention in blocks."""

from typing import TYPE_CHECKING

from helpers.figures.drawings import (
    BLUE,
    GREEN,
    ORANGE,
    PINK,
    Matrix,
    arrow,
    canvas,
    label,
    matrix,
    pointed_out,
    row,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def twice_as_long() -> "Axes":
    """The two products of attention, to scale, for n positions and for 2n."""
    ax = canvas(
        600,
        320,
        "Attention's matrices to scale, above for n positions, below for 2n, with d the same",
        "Queries, keys and values, n × d, are twice as high for 2n",
        "Scores and weights, n × n, are twice as high and twice as wide: four times as many numbers",
        "Each score is a sum over d features, and each output is a sum over the keys",
    )
    for y, n, size in ((62, 4, "n"), (220, 8, "2n")):
        row(
            ax,
            y,
            Matrix("Q", n, 3, size, "d", BLUE, 13),
            "@",
            Matrix("$K^\\top$", 3, n, "d", size, ORANGE, 13),
            "→",
            Matrix("weights", n, n, size, size, cell=13, paint=pointed_out(PINK)),
            "@",
            Matrix("V", n, 3, size, "d", GREEN, 13),
            "=",
            Matrix("output", n, 3, size, "d", GREEN, 13),
            gap=9,
        )
    label(ax, 300, 134, "Twice as long: twice as many queries, keys and values, four times as many weights")
    return ax


def blocks() -> "Axes":
    """All queries meet one block of keys after the other."""
    n, cell = 9, 15
    ax = canvas(
        600,
        250,
        "Attention in blocks of three keys: of the 9 × 9 scores, 9 × 3 are held at once",
        "All queries, n × d, meet the first three keys, then the next three, then the last three",
        "From block to block, each query keeps its largest score, its total and its mixture of d numbers",
    )
    block = (3, 4, 5)
    matrix(ax, 85, 155, Matrix("Q", n, 3, "n", "d", BLUE, cell))
    matrix(ax, 215, 50, Matrix("", 3, n, "d", "n", ORANGE, cell, pointed_out(ORANGE, columns=block)))
    label(ax, 215 + 4.5 * cell + 8, 50, "$K^\\top$", at="left")
    scores = matrix(
        ax,
        215,
        155,
        Matrix("held: one block", n, n, color=PINK, cell=cell, paint=pointed_out(PINK, columns=block)),
    )
    parts = (395, "largest", 1, ""), (452, "total", 1, ""), (527, "mixture so far", 3, "d")
    kept = [matrix(ax, x, 155, Matrix(name, n, wide, "", d, GREEN, cell)) for x, name, wide, d in parts]
    arrow(ax, (scores.right + 12, scores.y), (kept[0].left - 22, scores.y))
    return ax
