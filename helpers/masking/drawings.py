"""Lesson 04's drawings: masks beside scores, and the cache."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from helpers.figures.drawings import (
    BLUE,
    GREEN,
    ORANGE,
    PINK,
    Matrix,
    canvas,
    label,
    pointed_out,
    row,
    strong,
)
from helpers.figures.plots import BAND

if TYPE_CHECKING:
    from matplotlib.axes import Axes

REAL = (True, True, True, False)  # the last of four positions is padding


def beside_scores() -> "Axes":
    """Scores, the causal mask, scores with −∞, and weights: numbers to follow."""
    scores = ((1, 3, 2, 0), (0, 0, 4, 1), (2, 2, 2, 5), (1, 1, 1, 1))
    weights = (("1",), (".5", ".5"), (".33", ".33", ".33"), (".25", ".25", ".25", ".25"))
    ax = canvas(
        600,
        165,
        "Four tables of four queries by four keys, side by side",
        "Scores: " + "; ".join(", ".join(map(str, line)) for line in scores),
        "The causal mask: a tick means that a query may look; row i has ticks up to column i",
        "Where it has none, the scores become minus infinity",
        "After the softmax the weights are 1; .5, .5; .33, .33, .33; .25, .25, .25, .25, and 0 elsewhere",
    )

    def later_hidden(name: str, color: str, write: Callable[[int, int], str], instead: str) -> Matrix:
        return Matrix(
            name,
            4,
            4,
            across="T",
            color=color,
            cell=27,
            paint=lambda i, j: BAND if j > i else "",
            write=lambda i, j: instead if j > i else write(i, j),
        )

    row(
        ax,
        80,
        Matrix("scores", 4, 4, "T", "T", color=PINK, cell=27, write=lambda i, j: str(scores[i][j])),
        later_hidden("mask", BLUE, lambda i, j: "✓", ""),
        "→",
        later_hidden("masked", PINK, lambda i, j: str(scores[i][j]), "−∞"),
        "→",
        later_hidden("weights", GREEN, lambda i, j: weights[i][j], "0"),
        gap=11,
    )
    return ax


def both_masks() -> "Axes":
    """How a causal mask, (T, T), and padding, (B, 1, T), broadcast to (B, T, T)."""
    ax = canvas(
        600,
        190,
        "Two masks and their combination, for one sentence of T = 4 positions of which the last is padding",
        "The causal mask, T × T, hides what is to the right of the diagonal",
        "The padding mask is one row of T, three ticks and an empty cell: it is copied for each query",
        "Both together, T × T for each of B sentences: a tick where both have one; the last column is hidden",
    )

    def mask(name: str, rows: int, may: list[list[bool]], color: str) -> Matrix:
        return Matrix(
            name,
            rows,
            4,
            "query" if rows > 1 else "1",
            "key",
            cell=24,
            paint=lambda i, j: strong(color) if may[i][j] else BAND,
            write=lambda i, j: "✓" if may[i][j] else "",
        )

    causal = [[j <= i for j in range(4)] for i in range(4)]
    both = [[may and real for may, real in zip(line, REAL, strict=True)] for line in causal]
    row(
        ax,
        85,
        mask("causal\n(T, T)", 4, causal, BLUE),
        "&",
        mask("real\n(B, 1, T)", 1, [list(REAL)], ORANGE),
        "=",
        mask("both\n(B, T, T)", 4, both, GREEN),
        gap=16,
    )
    return ax


def cache() -> "Axes":
    """One new position: one row of queries, all keys and values, of which all but the last are stored."""
    ax = canvas(
        600,
        190,
        "One new position with a cache of P = 5 stored keys and values, drawn to scale",
        "Its query, 1 × d_k, times all keys transposed, d_k × (P + 1), and a softmax give one row of "
        "weights, 1 × (P + 1)",
        "Times all values, (P + 1) × d_v, that is one row of output, 1 × d_v",
        "Only the last key and the last value are new; the other five were stored",
    )
    row(
        ax,
        80,
        Matrix("q", 1, 3, "1", "$d_k$", cell=16, paint=pointed_out(ORANGE)),
        "@",
        Matrix("$K^\\top$", 3, 6, "$d_k$", "P + 1", cell=16, paint=pointed_out(ORANGE, columns=[5])),
        "→",
        Matrix("weights", 1, 6, "1", "P + 1", PINK, 16),
        "@",
        Matrix("V", 6, 3, "P + 1", "$d_v$", cell=16, paint=pointed_out(ORANGE, rows=[5])),
        "=",
        Matrix("output", 1, 3, "1", "$d_v$", GREEN, 16),
        gap=9,
    )
    label(ax, 300, 172, "dark: computed for the new position    light: stored")
    return ax
