"""Figures of lesson 10."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from helpers.figures import plots

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Interval = tuple[float, float, float]  # a mean, and the lower and upper end of its 95 % interval


def by_labels(found: Mapping[str, Mapping[int, Interval]], *, title: str) -> "Axes":
    """Accuracies over the number of labels, each a point with its interval.

    Args:
        found: for each way, a mean with its interval by the number of labels; shares of 1.
        title: above the axes.
    """
    [ax] = plots.panels(1, width=6.6, height=3.6)
    places = {labels: at for at, labels in enumerate(sorted({n for of in found.values() for n in of}))}
    for number, (way, measured) in enumerate(found.items()):
        at = [places[labels] + 0.05 * (number - len(found) / 2) for labels in measured]
        means, lows, highs = ([100 * value for value in of] for of in zip(*measured.values(), strict=True))
        reach = [[mean - low for mean, low in zip(means, lows, strict=True)],
                 [high - mean for mean, high in zip(means, highs, strict=True)]]  # fmt: skip
        ax.errorbar(at, means, reach, color=plots.PALETTE[number % 4], marker=plots.MARKERS[number % 4],
                    capsize=3, label=way)  # fmt: skip
    ax.axhline(50, color=plots.FAINT, linestyle=":", linewidth=1)
    ax.set_xticks(list(places.values()), [f"{labels:,}" for labels in places])
    ax.set(xlabel="labelled sentences", ylabel="accuracy, % (dotted: guessing)", title=title)
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    said = "; ".join(
        f"{way}, " + ", ".join(f"{labels:,} labels {100 * of[0]:.1f} %" for labels, of in measured.items())
        for way, measured in found.items()
    )
    ax.set_label(f"{title}: {said}.")
    return ax


def by_kind(measured: Mapping[str, Sequence[tuple[float, float]]], ways: Sequence[str]) -> "Axes":
    """Mean probabilities of the true word.

    Args:
        measured: by kind of blank, for each way a mean and half of its 95 % interval.
        ways: their names.
    """
    series = {way: [of_kind[number][0] for of_kind in measured.values()] for number, way in enumerate(ways)}
    title = "Mean probability of the true word"
    ax = plots.bars(
        [kind.replace(" ", "\n", 1) for kind in measured], series, ylabel="probability", title=title
    )
    ax.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.22), ncols=3, fontsize=9)
    return ax


def grammatical(counted: Mapping[str, Interval], others: Sequence[str]) -> "Axes":
    """Shares of grammatical sentences, each with its interval.

    Args:
        counted: by way of writing.
        others: those ways that are no BERT's, in a colour of their own.
    """
    ax = plots.panels(1, width=7.0, height=3.0)[0]
    for number, (way, (share, low, high)) in enumerate(counted.items()):
        other = way in others
        ax.barh(number, share, color=plots.PALETTE[other], hatch="//" if other else "", edgecolor="white")
        ax.errorbar(share, number, xerr=[[share - low], [high - share]], color=plots.INK, capsize=3)
    ax.set_yticks(range(len(counted)), counted)
    ax.invert_yaxis()
    ax.set(xlim=(0, 1), xlabel="share of grammatical sentences, with 95 % interval")
    listed = "; ".join(f"{way} {share:.0%}" for way, (share, *_) in counted.items())
    ax.set_label(f"Share of grammatical sentences: {listed}.")
    return ax
