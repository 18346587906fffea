"""Figures of lesson 09: accuracies with their intervals."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from helpers.figures import plots

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Interval = tuple[float, float]


def curves(
    x: Sequence[float],
    series: Mapping[str, tuple[Sequence[float], Sequence[Interval]]],
    *,
    xlabel: str,
    title: str,
    log: bool = False,
) -> "Axes":
    """Accuracies over epochs or labels, each with a band for its interval, and a dotted line for guessing.

    Args:
        x: where they were measured.
        series: for each name the means and the intervals, as shares.
        xlabel: what x is.
        title: over the figure.
        log: whether x is logarithmic.
    """
    from matplotlib.ticker import NullLocator

    [ax] = plots.panels(1, width=6.4, height=3.6)
    said = []
    for number, (name, (means, intervals)) in enumerate(series.items()):
        colour, marker = plots.PALETTE[number], plots.MARKERS[number]
        low, high = zip(*intervals, strict=True)
        ax.fill_between(x, _percent(low), _percent(high), color=colour, alpha=0.18, linewidth=0)
        ax.plot(x, _percent(means), color=colour, marker=marker, markersize=5, label=name)
        ends = (0, len(x) - 1)
        told = (
            f"{100 * means[e]:.0f} % ({100 * low[e]:.0f} to {100 * high[e]:.0f}) at {x[e]:g}" for e in ends
        )
        said.append(f"{name}: {', '.join(told)}")
    ax.axhline(50, color=plots.FAINT, linestyle=":", linewidth=1)
    ax.annotate("guessing", (1, 50), xycoords=("axes fraction", "data"), xytext=(3, -3),
                textcoords="offset points", fontsize=9, color=plots.INK)  # fmt: skip
    if log:
        ax.set_xscale("log")
        ax.set_xticks(x, [f"{value:,}" for value in x])
        ax.xaxis.set_minor_locator(NullLocator())
    ax.set_ylim(30, 102)
    ax.set(xlabel=xlabel, ylabel="accuracy on test reviews, %", title=title)
    ax.grid(axis="y", color=plots.BAND, linewidth=0.6)
    ax.legend(frameon=False, loc="upper left" if log else "best")
    ax.set_label(f"{title}: accuracy against {xlabel}, with 95 % intervals. {'; '.join(said)}.")
    return ax


def forest(rows: Mapping[str, tuple[float, Interval]], *, title: str) -> "Axes":
    """Accuracies under each other, each a point with its interval as a line."""
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
    labels = {"ylabel": "nats per token", "title": "Loss as a language model"}
    ax = plots.bars(list(found), {"loss": list(found.values())}, **labels)
    ax.axhline(entropy, color=plots.INK, linestyle=(0, (5, 3)), linewidth=1)
    ax.set_xticks(range(len(found)), [name.replace(", ", ",\n") for name in found])
    ax.set_xlim(-0.6, 4.1)
    ax.text(4.08, entropy + 0.06, "entropy", ha="right", fontsize=9)
    return ax


def _percent(values: Sequence[float]) -> list[float]:
    return [100 * value for value in values]
