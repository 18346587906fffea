"""Lesson 03's drawings: numbers for distances, and where each way enters."""

from typing import TYPE_CHECKING

from helpers.figures.drawings import BLUE, GREEN, ORANGE, PINK, Matrix, arrow, box, canvas, label, row, tint

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FARTHEST = 2  # the K of the table in the drawing


def distances() -> "Axes":
    """A table of 2K + 1 numbers, spread along the diagonals of what is added to the scores."""
    T, numbers = 5, "abcde"
    ax = canvas(
        600,
        225,
        "How a table of five numbers, a to e for the distances −2 to 2, becomes a bias of T_q × T_k",
        "Each diagonal has one distance j − i, and one number: c on the main diagonal, d above, b below it",
        "Further away, the last number repeats: e above, a below",
        "The bias is added to the scores, which have the same shape",
    )

    def entry(i: int, j: int) -> int:
        return max(-FARTHEST, min(FARTHEST, j - i)) + FARTHEST

    def shade(place: int) -> str:
        return tint(ORANGE, 0.1 + 0.14 * place)

    table, scores, bias = row(
        ax,
        95,
        Matrix(
            "",
            1,
            5,
            across="2K + 1",
            cell=26,
            paint=lambda i, j: shade(j),
            write=lambda i, j: numbers[j],
        ),
        "     ",
        Matrix("scores", T, T, "$T_q$", "$T_k$", cell=26, color=PINK),
        "+",
        Matrix(
            "bias",
            T,
            T,
            "$T_q$",
            "$T_k$",
            cell=26,
            paint=lambda i, j: shade(entry(i, j)),
            write=lambda i, j: numbers[entry(i, j)],
        ),
    )
    for place in range(5):
        label(ax, table.left + 26 * (place + 0.5), table.bottom + 13, f"{place - FARTHEST}".replace("-", "−"))
    label(ax, table.x, table.bottom + 32, "distance j − i")
    start = table.x, table.bottom + 44
    arrow(ax, start, (table.x, 210), (bias.x, 210), (bias.x, bias.bottom + 26))
    label(ax, scores.x - 30, 199, "look up the clipped distance")
    return ax


def five_ways() -> "Axes":
    """Where each way of saying positions enters attention."""
    ax = canvas(
        600,
        300,
        "Attention from left to right: vectors; queries, keys and values; scores; weights; output",
        "Rows of a table are added to the vectors, before the projections (3.2, 3.3)",
        "Rotary positions turn queries and keys, after the projections, and leave the values alone (3.8)",
        "Numbers for distances are added to the scores, before the softmax (3.7, 3.9)",
    )
    x = box(ax, 70, 130, "vectors\n(T, d)", width=84, height=44)
    q, k, v = (
        box(ax, 225, height, f"{name}  (T, {size})", width=92, color=BLUE)
        for name, height, size in (("Q", 85, "$d_k$"), ("K", 130, "$d_k$"), ("V", 230, "$d_v$"))
    )
    scores = box(ax, 372, 108, "scores\n(T, T)", width=84, height=44, color=PINK)
    weights = box(ax, 535, 108, "softmax:\nweights (T, T)", width=116, height=44, color=PINK)
    output = box(ax, 535, 230, "output  (T, $d_v$)", width=116, color=GREEN)
    for each in (q, k, v):
        arrow(ax, x.after, (140, x.y), (140, each.y), each.before)
    for each in (q, k):
        arrow(ax, each.after, (300, each.y), (300, scores.y), scores.before)
    arrow(ax, scores.after, weights.before)
    arrow(ax, weights.below, output.above)
    arrow(ax, v.after, output.before)
    for words, x_, targets in (
        ("+ rows of a table\n(3.2, 3.3)", 70, [(70, x.top)]),
        ("turned (3.8)", 225, [(225, q.top)]),
        ("+ by distance\n(3.7, 3.9)", 372, [(372, scores.top)]),
    ):
        way = box(ax, x_, 32, words, width=124, height=44, color=ORANGE, dashed=True)
        for target in targets:
            arrow(ax, way.below, target, dashed=True)
    label(ax, 225, 280, "K is turned as well; V never is.")
    return ax
