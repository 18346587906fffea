"""Lesson 01's drawings of shapes."""

from typing import TYPE_CHECKING

from helpers.figures.drawings import (
    BLUE,
    GREEN,
    ORANGE,
    PINK,
    Matrix,
    arrow,
    box,
    canvas,
    label,
    pointed_out,
    row,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def look_up() -> "Axes":
    """Scaled dot-product attention as two matrix products, with one query's row pointed out."""
    ax = canvas(
        600,
        330,
        "Two matrix products, drawn to scale",
        "First: Q, T_q × d_k, times K transposed, d_k × T_k, gives the scores, T_q × T_k",
        "These have one row for each query and one column for each key",
        "A softmax along each row turns scores into weights of the same shape",
        "Second: the weights, T_q × T_k, times V, T_k × d_v, give the output, T_q × d_v",
        "Query 1, counted from 0, is pointed out: its row of Q makes row 1 of the scores, weights and output",
    )

    def of_queries(name: str, columns: int, across: str, color: str) -> Matrix:
        return Matrix(name, 4, columns, "$T_q$", across, color, 16, pointed_out(color, rows=[1]))

    *_, scores = row(
        ax,
        72,
        of_queries("$Q$", 3, "$d_k$", BLUE),
        "@",
        Matrix("$K^\\top$", 3, 6, "$d_k$", "$T_k$", color=ORANGE, cell=16),
        "=",
        of_queries("scores", 6, "$T_k$", PINK),
        left=70,
    )
    weights, *_ = row(
        ax,
        250,
        of_queries("weights", 6, "$T_k$", PINK),
        "@",
        Matrix("$V$", 6, 2, "$T_k$", "$d_v$", color=GREEN, cell=16),
        "=",
        of_queries("output", 2, "$d_v$", GREEN),
        left=196,
    )
    turn = (scores.right + 12, scores.y), (scores.right + 12, 158), (weights.x, 158)
    arrow(ax, scores.after, *turn, (weights.x, weights.top - 22))
    label(ax, weights.x - 10, 172, "÷ $\\sqrt{d_k}$, softmax of each row", at="right")
    return ax


def asking() -> "Axes":
    """Who makes queries, keys and values in cross-attention, with the shapes."""
    ax = canvas(
        600,
        210,
        "Cross-attention: y, T_y × d_y, times W_q gives Q, T_y × d_k",
        "x, T_x × d_x, times W_k gives K, T_x × d_k, and times W_v gives V, T_x × d_v",
        "Q, K and V go into attention, whose output is T_y × d_v: one row for each row of y",
        "In self-attention y and x are the same",
    )
    y = box(ax, 62, 45, "y  ($T_y$, $d_y$)", color=BLUE)
    x = box(ax, 62, 135, "x  ($T_x$, $d_x$)", color=ORANGE)
    attention = box(ax, 424, 90, "attention", width=84, height=140, color=PINK)
    for name, start, height, shape, color in (
        ("q", y, 45, "($T_y$, $d_k$)", BLUE),
        ("k", x, 90, "($T_x$, $d_k$)", ORANGE),
        ("v", x, 135, "($T_x$, $d_v$)", ORANGE),
    ):
        product = box(ax, 184, height, f"@ $W_{name}$", width=62, color=color)
        middle = (132, start.y), (132, height)
        arrow(ax, start.after, *(middle if start.y != height else ()), product.before)
        arrow(ax, product.after, (attention.left, height))
        label(ax, 298, height - 11, f"{name.upper()}  {shape}")
    arrow(ax, attention.after, (498, 90))
    label(ax, 545, 90, "output\n($T_y$, $d_v$)")
    label(ax, 300, 190, "self-attention: y and x are the same")
    return ax
