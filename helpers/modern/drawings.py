"""Lesson 12's drawings: a gate, heads that share keys and values, and experts."""

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
    matrix,
    plus,
    pointed_out,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GROUPS = (BLUE, ORANGE)


def gate() -> "Axes":
    """A feed-forward network with a gate, with the shape of each step."""
    ax = canvas(
        600,
        170,
        "A feed-forward network with a gate: x, (…, C), goes two ways, to d_ff channels each",
        "Above: W_gate, then SiLU, which says how much; below: W_up, which says what",
        "Both are multiplied channel by channel, (…, d_ff), and W_down leads back to (…, C)",
    )
    x = box(ax, 52, 85, "x  (…, C)", width=84)
    product = box(ax, 388, 85, "×", width=34, color=PINK)
    for y, name in ((35, "gate"), (135, "up")):
        map_ = box(ax, 170, y, f"$W_{{{name}}}$", width=66, color=BLUE)
        arrow(ax, x.after, (115, 85), (115, y), map_.before)
        out = map_.after
        if name == "gate":
            out = box(ax, 262, y, "SiLU", width=62, color=ORANGE).after
            arrow(ax, map_.after, (231, y))
        arrow(ax, out, (388, y), product.above if y < 85 else product.below)
        label(ax, 342, y - 13, "(…, $d_{ff}$)")
    down = box(ax, 478, 85, "$W_{down}$", width=66, color=BLUE)
    arrow(ax, product.after, down.before)
    arrow(ax, down.after, (545, 85))
    label(ax, 571, 85, "(…, C)")
    return ax


def grouped_heads() -> "Axes":
    """Four heads of queries that share two heads of keys and values, with shapes."""
    ax = canvas(
        600,
        240,
        "Grouped attention with H = 4 heads of queries and G = 2 heads of keys and values",
        "Queries, (B, 4, T, D): heads 1 and 2 share the first keys and values, heads 3 and 4 the second",
        "Keys and values, (B, 2, T, D) each: the cache holds half of what four heads would",
    )
    for group, color in enumerate(GROUPS):
        middle = 205 + 255 * group
        for x, name in ((middle - 45, "K"), (middle + 45, "V")):
            kept = matrix(
                ax, x, 178, Matrix(f"{name} {group + 1}", 4, 3, "T", "", color, 16, pointed_out(color))
            )
            for number in (2 * group, 2 * group + 1):
                head = middle - 60 + 120 * (number % 2)
                arrow(ax, (head, 106), (kept.x, kept.top - 3))
        for number in (0, 1):
            x = middle - 60 + 120 * number
            matrix(ax, x, 52, Matrix(f"Q {2 * group + number + 1}", 4, 3, "T", "D", color, 16))
    label(ax, 6, 52, "queries\n(B, H, T, D)", at="left")
    label(ax, 6, 178, "keys, values\n(B, G, T, D)", at="left")
    return ax


def experts() -> "Axes":
    """One token's way through a router and two of four experts."""
    ax = canvas(
        600,
        230,
        "A mixture of four experts; each token goes to two of them",
        "The router scores all; the gates are 0.62 for expert 1, 0.38 for expert 4, and 0 for the others",
        "Only experts 1 and 4 compute; their answers, times their gates, are added",
    )
    token = box(ax, 52, 115, "token  (C)", width=84, color=BLUE)
    total = plus(ax, 505, 115)
    for number, (y, gate) in enumerate(((30, "0.62"), (75, "0"), (115, "0"), (160, "0.38"))):
        asked = gate != "0"
        expert = box(
            ax, 310, y, f"expert {number + 1}", width=94, color=GREEN if asked else FAINT, dashed=not asked
        )
        label(ax, 376, y - 11, f"× {gate}", at="left")
        if asked:
            arrow(ax, token.after, (130, 115), (130, y), expert.before)
            arrow(ax, expert.after, (505, y), total.above if y < 115 else total.below)
    router = box(ax, 225, 207, "router: E scores, the k best, softmax", width=260, color=PINK)
    arrow(ax, token.below, (52, 207), router.before)
    arrow(ax, router.after, (391, 207), (391, 170), dashed=True)
    label(ax, 400, 192, "gates", at="left")
    arrow(ax, total.after, (548, 115))
    label(ax, 574, 115, "(C)")
    return ax
