"""Lesson 01's figures, which its explorers draw."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import torch

from helpers.figures.plots import FAINT, PALETTE, describe, heatmap, panels, set_margins

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def attention_with_entropy(
    weights: torch.Tensor,
    entropy: torch.Tensor,
    tokens: Sequence[str],
    *,
    mask: torch.Tensor | None = None,
    title: str = "",
) -> "Axes":
    """A heat map of self-attention, and beside each row its entropy as a bar.

    Args:
        weights: (T, T).
        entropy: (T,), in bits.
        tokens: T labels.
        mask: as in `heatmap`.
        title: over the heat map.

    Returns:
        The heat map's Axes; the bars are the figure's second.
    """
    count, most = len(tokens), float(torch.tensor(len(tokens)).log2())
    longest = 0.08 * max(map(len, tokens))  # inches that the longest word takes
    left, bottom = 0.4 + longest, 0.5 + 0.65 * longest
    width, height = left + 0.5 * count + 2.2, bottom + 0.4 * count + 0.35
    ax, side = panels(2, width=width / 2, height=height, ratios=(0.5 * count, 2))
    set_margins(ax, left=left, bottom=bottom, gap=0.15)
    heatmap(weights, tokens, tokens, mask=mask, title=title, ax=ax)
    side.barh(range(count), entropy.tolist(), color=PALETTE[0], height=0.7)
    side.axvline(most, color=FAINT, linestyle="--", linewidth=1)
    for row, bits in enumerate(entropy.tolist()):
        side.text(bits + 0.04 * most, row, f"{bits:.2f}", va="center", fontsize=9)
    side.set(xlim=(0, most * 1.3), ylim=ax.get_ylim(), yticks=[], xlabel="entropy (bits)")
    side.set_title(f"mean {entropy.mean():.2f} of at most {most:.2f}", fontsize=9.5)
    describe(side, f"Mean entropy {entropy.mean():.2f} bits of at most {most:.2f}")
    return ax


def saturation(scores: torch.Tensor, weights: torch.Tensor, *, reach: float, spread: float) -> "Axes":
    """How far scores spread, and what a softmax makes of one query's.

    Args:
        scores: any shape; all go into the histogram.
        weights: (T,), one query's.
        reach: the histogram goes from -reach to reach.
        spread: the predicted standard deviation, marked on both sides.

    Returns:
        The histogram's Axes; the bars of the weights are the figure's second.
    """
    left, right = panels(2, width=3.9, height=2.7)
    set_margins(left, left=0.15, bottom=0.5, gap=0.6)
    left.hist(scores.flatten().numpy(), bins=61, range=(-reach, reach), color=PALETTE[0], density=True)
    for edge in (-spread, spread):
        left.axvline(edge, color=PALETTE[1], linestyle="--", linewidth=1.2)
    left.set(xlabel="score", yticks=[], title=f"scores · standard deviation {scores.std():.1f} (dashed)")
    left.spines["left"].set_visible(False)
    right.bar(range(len(weights)), weights.tolist(), color=PALETTE[0])
    right.set(ylim=(0, 1), xticks=range(0, len(weights), 3), xlabel="key")
    right.set_title(f"weights of one query · largest {weights.max():.2f}")
    describe(left, f"Histogram of scores, standard deviation {scores.std():.1f}, predicted {spread:.1f}")
    describe(right, f"One query's weights over {len(weights)} keys, the largest {weights.max():.2f}")
    return left


def looks_and_next(
    words: Sequence[str], weights: torch.Tensor, following: Mapping[str, float], *, title: str = ""
) -> "Axes":
    """What the heads of a reader look at from the last of some words, and which words may come next.

    Args:
        words: T labels.
        weights: (heads, T), the last word's.
        following: likely next words with their probabilities.
        title: over the left panel.

    Returns:
        The Axes of the weights; the bars of the next words are the figure's second.
    """
    count, heads = len(words), len(weights)
    left, right = panels(2, width=3.9, height=max(2.4, 1.0 + 0.24 * count), ratios=(1.35, 1))
    set_margins(left, left=1.0, bottom=0.5, gap=1.1)
    for head, row in enumerate(weights.tolist()):
        places = [place + (head - (heads - 1) / 2) * 0.4 for place in range(count)]
        left.barh(places, row, 0.38, color=PALETTE[head], label=f"head {head}")
    left.set_yticks(range(count), words)
    left.set(xlim=(0, 1), xlabel="weight", title=title)
    left.legend(frameon=False, fontsize=9, loc="best")
    right.barh(range(len(following)), list(following.values()), 0.6, color=FAINT)
    for place, share in enumerate(following.values()):
        right.text(share + 0.02, place, f"{share:.2f}", va="center", fontsize=9)
    right.set_yticks(range(len(following)), list(following))
    right.set(xlim=(0, 1.2), xticks=(0, 0.5, 1), xlabel="probability", title="the next word")
    for ax in (left, right):
        ax.invert_yaxis()
        ax.tick_params(axis="y", length=0)
    looked = "; ".join(
        f"head {head} most at {words[int(row.argmax())]} ({row.max():.2f})"
        for head, row in enumerate(weights)
    )
    describe(left, f"From {words[-1]} it looks: {looked}")
    describe(right, "Next: " + ", ".join(f"{word} {share:.2f}" for word, share in following.items()))
    return left
