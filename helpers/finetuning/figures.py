"""Figures of lesson 09: accuracies with their intervals."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from helpers.figures import plots, repeats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Interval = tuple[float, float]


def curves(
    found: Mapping[str, Mapping[float, Sequence[float]]],
    interval: repeats.Interval = repeats.whole,
    told: str = "lowest to highest",
    *,
    xlabel: str,
    title: str,
    joined: bool,
) -> "Axes":
    """Accuracies over epochs or labels: every run, the means, an interval for each, and a line for guessing.

    Args:
        found: for each name and x the shares of right answers, one per run.
        interval: the lower and the upper end for the shares at one x.
        told: what it is called.
        xlabel: what x is.
        title: over the figure.
        joined: whether the runs go on from x to x, as over epochs; if not, x is logarithmic.
    """
    ax = repeats.curves(
        found, interval, told, xlabel=xlabel, ylabel="accuracy on test reviews", title=title, log=not joined,
        joined=joined, form=".0%", ax=plots.panels(1, width=6.4, height=3.6)[0],
    )  # fmt: skip
    ax.axhline(0.5, color=plots.FAINT, linestyle=":", linewidth=1)
    ax.annotate("guessing", (1, 0.5), xycoords=("axes fraction", "data"), xytext=(3, -3),
                textcoords="offset points", fontsize=9, color=plots.INK)  # fmt: skip
    ax.set_ylim(0.3, 1.02)
    ax.legend(frameon=False, loc="lower right", ncols=len(found))
    return ax


def seeds(
    found: Mapping[str, Sequence[float]],
    interval: repeats.Interval = repeats.whole,
    told: str = "lowest to highest",
    *,
    title: str,
) -> "Axes":
    """Accuracies under each other: a dot for each seed, and the mean with an interval.

    Args:
        found: the shares of right answers, one per seed.
        interval: the lower and the upper end for some shares.
        told: what it is called.
        title: over the figure.
    """
    ax = repeats.rows(
        {"": found},
        interval,
        told,
        xlabel="accuracy (dotted: guessing)",
        title=title,
        form=".0%",
    )
    ax.set_xlim(0.35, 1)
    ax.axvline(0.5, color=plots.FAINT, linestyle=":", linewidth=1)
    return ax


def forest(rows: Mapping[str, tuple[float, Interval]], *, title: str) -> "Axes":
    """Accuracies that were measured once, under each other: each a point with its interval as a line."""
    [ax] = plots.panels(1, width=6.4, height=1.2 + 0.42 * len(rows))
    for place, (value, (low, high)) in enumerate(rows.values()):
        colour = plots.PALETTE[place % len(plots.PALETTE)]
        ax.plot(_percent((low, high)), (place, place), color=colour, linewidth=2.5, solid_capstyle="butt")
        ax.plot(100 * value, place, plots.MARKERS[place % len(plots.MARKERS)], color=colour, markersize=7)
        ax.annotate(f"{100 * value:.0f} %", (100 * value, place), xytext=(0, 7), textcoords="offset points",
                    ha="center", fontsize=9)  # fmt: skip
    ax.set_yticks(range(len(rows)), list(rows))
    ax.set_ylim(len(rows) - 0.5, -0.7)
    ax.set_xlim(35, 100)
    ax.axvline(50, color=plots.FAINT, linestyle=":", linewidth=1)
    ax.set(xlabel="accuracy, % (dotted: guessing)", title=title)
    said = (f"{name} {100 * v:.0f} % ({100 * a:.0f} to {100 * b:.0f})" for name, (v, (a, b)) in rows.items())
    ax.set_label(f"{title}, accuracies with 95 % intervals: {'; '.join(said)}.")
    return ax


def losses(found: Mapping[str, float], entropy: float) -> "Axes":
    """Losses as a language model, in nats per token, and the entropy as a line."""
    title = "Loss as a language model"
    ax = plots.bars(list(found), {"loss": list(found.values())}, ylabel="nats per token", title=title)
    ax.axhline(entropy, color=plots.INK, linestyle=(0, (5, 3)), linewidth=1)
    ax.set_xticks(range(len(found)), [name.replace(", ", ",\n") for name in found])
    ax.set_xlim(-0.6, 4.1)
    ax.text(4.08, entropy + 0.06, "entropy", ha="right", fontsize=9)
    return ax


def _percent(values: Sequence[float]) -> list[float]:
    return [100 * value for value in values]
