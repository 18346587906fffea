"""Lesson 09's drawings: a head on a body, and an adapter beside a matrix."""

from typing import TYPE_CHECKING

from helpers.figures.drawings import (
    BLUE,
    FAINT,
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


def head_on_a_body() -> "Axes":
    """From tokens to the scores of the classes, with shapes."""
    ax = canvas(
        600,
        190,
        "A classifier from left to right, with shapes",
        "Tokens, (B, T), go through the pretrained body, which gives a vector for each position, (B, T, C)",
        "The pool makes one vector, (B, C): that of the last real token, or the mean of the real ones",
        "The head, which is new, turns it into K scores, (B, K)",
    )
    ids = box(ax, 46, 60, "ids\n(B, T)", width=72, height=44)
    body = box(ax, 160, 60, "body\n(pretrained)", width=104, height=44, color=PINK)
    pool = box(ax, 340, 60, "pool", width=66, height=44, color=BLUE)
    head = box(ax, 482, 60, "head\n(new)", width=66, height=44, color=ORANGE)
    for start, end in ((ids.after, body.before), (body.after, pool.before), (pool.after, head.before)):
        arrow(ax, start, end)
    arrow(ax, head.after, (592, 60))
    label(ax, 259, 46, "(B, T, C)")
    label(ax, 411, 46, "(B, C)")
    label(ax, 556, 46, "(B, K)")
    for number in range(6):
        real = number < 4
        place = box(
            ax, 188 + 44 * number, 145, "real" if real else "pad", width=39, color=PINK if real else FAINT
        )
        if number == 3:
            arrow(ax, place.above, pool.below)
    label(ax, 440, 145, "last real token, or the\nmean of the real ones", at="left")
    return ax


def adapter() -> "Axes":
    """A frozen matrix and, beside it, the product of two thin ones."""
    ax = canvas(
        600,
        290,
        "LoRA's matrices to scale, for d_in = 9, d_out = 12 and rank r = 2",
        "W, d_out × d_in, is frozen: 108 numbers",
        "Added to it: α / r times B, d_out × r, times A, r × d_in: 24 + 18 = 42 numbers, which learn",
        "B times A has the shape of W",
    )

    _, b, a = row(
        ax,
        130,
        Matrix("W, frozen", 12, 9, "$d_{out}$", "$d_{in}$", FAINT, 15),
        "+   α / r  ·",
        Matrix("B, learns\nfrom 0", 12, 2, "$d_{out}$", "r", cell=15, paint=pointed_out(ORANGE)),
        "@",
        Matrix("A, learns", 2, 9, "r", "$d_{in}$", cell=15, paint=pointed_out(ORANGE)),
    )
    label(ax, (b.left + a.right) / 2, 275, "B @ A has W's shape")
    return ax
