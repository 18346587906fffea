"""Figures of lesson 10."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from helpers.bert import experiments, published
from helpers.figures import plots, repeats

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def by_kind(found: Mapping[str, Mapping[str, Sequence[float]]]) -> "Axes":
    """The probability of the true word: a dot for each blank, and the mean with its 95 % interval.

    Args:
        found: for each way and kind of blank, the probabilities.
    """

    def interval(values: Sequence[float]) -> tuple[float, float]:
        average, half = experiments.mean_interval(values)
        return average - half, average + half

    ax = repeats.rows(
        found, interval, "with 95 % intervals", xlabel="probability of the true word", each="blanks",
        form=".2f", title="A dot for each blank, and the mean with its 95 % interval",
    )  # fmt: skip
    ax.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.45, -0.12), ncols=len(found), fontsize=9)
    return ax


def by_labels(
    found: Mapping[str, Mapping[int, Sequence[float]]],
    *,
    title: str,
    yours: Mapping[str, Mapping[int, Sequence[float]]] | None = None,
) -> "Axes":
    """Accuracies over the number of labels: a dot for each seed, and the mean with its 95 % interval.

    Args:
        found: for each way and number of labels, the share of right answers for each seed.
        title: above the axes.
        yours: the student's own runs, of some ways and numbers.
    """
    ax = repeats.curves(
        found, lambda shares: published.student_interval(shares)[1:], "with 95 % intervals",
        xlabel="labelled sentences", ylabel="accuracy (dotted: guessing)", title=title, log=True,
        joined=False, form=".1%", ax=plots.panels(1, width=7.4, height=3.6)[0],
    )  # fmt: skip
    ax.axhline(0.5, color=plots.FAINT, linestyle=":", linewidth=1)
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    for way, of in (yours or {}).items():
        points = [(labels, share) for labels, shares in of.items() for share in shares]
        told = ", ".join(f"{share:.1%} with {labels:,} labels" for labels, share in points)
        x, y = zip(*points, strict=True)
        colour = plots.PALETTE[list(found).index(way)]
        plots.yours(ax, x, y, f"Yours, {way}: {told.replace('%', ' %')}", colour=colour)
    return ax


def grammatical(counted: Mapping[str, tuple[float, float, float]], others: Sequence[str]) -> "Axes":
    """Shares of grammatical sentences, each with its interval.

    Args:
        counted: by way of writing, a mean and the ends of its 95 % interval.
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
