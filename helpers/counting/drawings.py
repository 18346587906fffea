"""Lesson 07's drawing: where the parameters of a layer are."""

from typing import TYPE_CHECKING

from helpers.figures.drawings import BLUE, GREEN, ORANGE, Matrix, canvas, label, matrix

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIDE = 10  # pixels: a quarter of d


def layer() -> "Axes":
    """The weights of a layer, to scale: an area is a number of parameters."""
    ax = canvas(
        600,
        240,
        "The weights of one layer as areas, to scale, for a hidden width of 4d",
        "Attention: four squares of d × d, together 4 d²",
        "Feed-forward: one matrix of d × 4d and one of 4d × d, together 8 d²: twice as much",
        "The two norms have 2 d numbers each: at d = 768, a norm and a bias would be thinner than a hair",
    )
    for number, name in enumerate("qkvo"):
        matrix(ax, 42 + 64 * number, 80, Matrix(f"$W_{name}$", 4, 4, "d", "d", BLUE, SIDE))
    matrix(ax, 375, 80, Matrix("$W_1$", 4, 16, "d", "4d", GREEN, SIDE))
    matrix(ax, 540, 130, Matrix("$W_2$", 16, 4, "4d", "d", GREEN, SIDE))
    for number in (1, 2):
        matrix(ax, 42 + 64 * (number - 1), 185, Matrix(f"norm {number}", 2, 4, "2", "d", ORANGE, SIDE))
    label(ax, 138, 22, "attention  4 d²", bold=True)
    label(ax, 375, 22, "feed-forward  8 d²", bold=True)
    label(
        ax,
        170,
        186,
        "With d = 768, a norm would be thinner\nthan a hair, and so would the biases.",
        at="left",
    )
    return ax
