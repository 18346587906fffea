"""Lesson 10's drawing: two heads on one encoder."""

from typing import TYPE_CHECKING

from helpers.figures.drawings import BLUE, GREEN, ORANGE, PINK, arrow, box, canvas, label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WORDS = ("[CLS]", "it", "is", "<mask>", "[SEP]", "so", "<mask>", "[SEP]")


def two_heads() -> "Axes":
    """Which positions each of BERT's two heads reads, with shapes."""
    ax = canvas(
        600,
        300,
        f"BERT from bottom to top: the tokens {' '.join(WORDS)}, two passages in one row, (B, T)",
        "The encoder, in which each position sees both sides, gives a vector for each, (B, T, C)",
        "The head for words scores all words at each position, (B, T, V)",
        "The loss counts only the chosen positions, where a word is hidden",
        "The pooler reads position 0, [CLS], alone: (B, C), and from it come two scores, (B, 2)",
    )
    encoder = box(ax, 335, 195, "encoder: each position sees both sides", width=506, color=PINK)
    words = box(ax, 375, 75, "head for words: linear, GELU, norm, @ embeddingᵀ", width=410, color=GREEN)
    pooler = box(ax, 112, 75, "pooler,\n2 scores", width=76, height=44, color=ORANGE)
    for number, word in enumerate(WORDS):
        x, masked = 112 + 62.5 * number, word == "<mask>"
        token = box(ax, x, 265, word, width=60, color=ORANGE if masked else BLUE)
        arrow(ax, token.above, (x, encoder.bottom))
        if number:
            arrow(ax, (x, encoder.top), (x, words.bottom), dashed=not masked)
    arrow(ax, (112, encoder.top), (112, pooler.bottom))
    arrow(ax, (112, pooler.top), (112, 38))
    arrow(ax, words.above, (words.x, 38))
    label(ax, 112, 20, "follows?  (B, 2)")
    label(ax, words.x, 20, "which word?  (B, T, V): the loss counts the chosen positions")
    label(ax, 6, 265, "ids\n(B, T)", at="left")
    label(ax, 6, 145, "vectors\n(B, T, C)", at="left")
    return ax
