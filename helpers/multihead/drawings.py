"""Lesson 02's drawings of shapes."""

from typing import TYPE_CHECKING

from helpers.figures.drawings import (
    BLUE,
    FAINT,
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
    strong,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEADS = (BLUE, ORANGE, GREEN)


def split_and_merge() -> "Axes":
    """Columns shared out to three heads, and put side by side again."""
    ax = canvas(
        600,
        190,
        "Splitting and merging, for T = 4 positions, C = 6 channels and H = 3 heads of D = 2 channels",
        "The input is T × C; columns 0 and 1 become head 0, columns 2 and 3 head 1, columns 4 and 5 head 2",
        "Each head is T × D: all positions, but only its own channels",
        "Merging puts the heads side by side again, T × C",
    )

    def whole(name: str) -> Matrix:
        return Matrix(name, 4, 6, "T", "C", cell=18, paint=lambda i, j: strong(HEADS[j // 2]))

    heads = [
        Matrix(f"head {h}", 4, 2, "T", "D", cell=18, paint=pointed_out(color))
        for h, color in enumerate(HEADS)
    ]
    places = row(ax, 75, whole("x"), "split\n→", *heads, "merge\n→", whole("merged"))
    shapes = ("(…, T, C)", places[0].x), ("(…, H, T, D)", places[2].x), ("(…, T, C)", places[4].x)
    for shape, x in shapes:
        label(ax, x, 160, shape, bold=True)
    return ax


def module() -> "Axes":
    """Multi-head attention from input to output, with the shape of each step."""
    ax = canvas(
        600,
        290,
        "Multi-head attention, with the shape of each step",
        "y, (B, T_q, C), goes through W_q; x, (B, T_k, C), through W_k and through W_v; shapes stay",
        "Splitting makes (B, H, T, D) of each",
        "Attention in each head gives (B, H, T_q, D)",
        "Merging gives (B, T_q, C), and W_o mixes the heads: (B, T_q, C)",
    )
    y = box(ax, 60, 45, "y  (B, $T_q$, C)", width=108)
    x = box(ax, 60, 135, "x  (B, $T_k$, C)", width=108)
    attention = box(ax, 527, 90, "attention\nin each head\n(lesson 1)", width=106, height=140, color=PINK)
    for name, start, height, length in (("q", y, 45, "q"), ("k", x, 90, "k"), ("v", x, 135, "k")):
        product = box(ax, 190, height, f"$W_{name}$", width=44, color=BLUE)
        split = box(ax, 271, height, "split", width=56)
        corner = (140, start.y), (140, height)
        arrow(ax, start.after, *(corner if start.y != height else ()), product.before)
        arrow(ax, product.after, split.before)
        arrow(ax, split.after, (attention.left, height))
        label(ax, 387, height - 12, f"{name.upper()}  (B, H, $T_{length}$, D)")
    merge = box(ax, 357, 240, "merge", width=66)
    mix = box(ax, 170, 240, "$W_o$", width=44, color=BLUE)
    arrow(ax, attention.below, (attention.x, 240), merge.after)
    label(ax, 452, 226, "(B, H, $T_q$, D)")
    arrow(ax, merge.before, mix.after)
    label(ax, 257, 226, "(B, $T_q$, C)")
    out = box(ax, 60, 240, "(B, $T_q$, C)", color=FAINT)
    arrow(ax, mix.before, out.after)
    return ax
