"""Figures of lesson 10."""

from collections.abc import Mapping
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
