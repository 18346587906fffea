"""Figures of what was measured several times, drawn by seaborn: each run, their mean, and an interval.

A module of its own, so that a lesson without such a figure needs neither seaborn nor pandas. Both are
imported when a figure is drawn, not before: the grader draws none.
"""

from collections.abc import Callable, Mapping, Sequence
from statistics import mean
from typing import TYPE_CHECKING, Any

from helpers.figures import plots

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Interval = Callable[[Sequence[float]], tuple[float, float]]
Results = Mapping[
    str, Mapping[Any, Sequence[float]]
]  # by series and place (a number or a label): a value per run
LISTED = 12  # places of a line that its description lists
NUMBERED = 8  # rows that have room for their mean
APART, BESIDE = 0.034, 0.014  # from a series to the next, from an interval to its dots: shares of the axis


def whole(values: Sequence[float]) -> tuple[float, float]:
    """From the lowest to the highest. Of three runs that says more than an interval for their mean."""
    return min(values), max(values)


def curves(
    found: Results,
    interval: Interval = whole,
    told: str = "lowest to highest",
    *,
    xlabel: str,
    ylabel: str,
    title: str = "",
    log: bool = False,
    joined: bool = True,
    baseline: str | None = None,
    form: str = ".3g",
    ax: "Axes | None" = None,
) -> "Axes":
    """Means over x, with an interval around each, and every single run.

    Args:
        found: for each line and each x one value per run.
        interval: the lower and the upper end for the values at one x.
        told: what the description calls it.
        xlabel: what x is.
        ylabel: what was measured.
        title: over the figure.
        log: whether x is logarithmic.
        joined: True draws each run as a thin line and intervals as a band. False is for runs that differ from
            x to x: each is a dot beside its interval, which is a bar.
        baseline: the series that the others are compared with, in grey.
        form: of numbers, as in an f-string; with "%", the axis has per cent too.
        ax: where to draw; a new figure if None.
    """
    import seaborn
    from matplotlib.ticker import NullLocator, PercentFormatter

    ax = ax or plots.panels(width=6.4, height=3.4)[0]
    places = sorted({place for of in found.values() for place in of})
    low, high = places[0], places[-1]
    if log:
        ax.set_xscale("log")

    def at(place: float, number: int, more: float = 0.0) -> float:
        by = 0.0 if joined else APART * (number - (len(found) - 1) / 2) + more
        return place * (high / low) ** by if log else place + by * (high - low)

    colours, markers = _look(found, baseline)
    colours |= {"x": "at", "y": "value", "ax": ax}
    table = _table(found, at)
    if joined:
        seaborn.lineplot(
            table, **colours, units="run", estimator=None, linewidth=0.8, alpha=0.5, legend=False
        )
        bars: dict[str, Any] = {"err_style": "band"}
    else:
        dots = _table(found, lambda place, number: at(place, number, BESIDE))
        seaborn.scatterplot(dots, **colours, **markers, s=13, alpha=0.6, linewidth=0, legend=False)
        bars = {"err_style": "bars", "err_kws": {"capsize": 3, "elinewidth": 1.3}}
    seaborn.lineplot(
        table, **colours, **markers, **bars, errorbar=_around(interval), dashes=False, linewidth=1.7,
        markersize=6, markeredgewidth=0,
    )  # fmt: skip
    if not joined:
        ax.set_xticks(places, [f"{place:,}" for place in places])
        ax.xaxis.set_minor_locator(NullLocator())
    if "%" in form:
        ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
    ax.grid(axis="y", color=plots.BAND, linewidth=0.6)
    ax.set(xlabel=xlabel, ylabel=ylabel, title=title)
    ax.legend(frameon=False)
    shown = f"{title}: {ylabel}" if title else ylabel
    first = f"{shown} against {xlabel}, means of {_count(found)} runs ({told})"
    plots.describe(ax, first, *_said(found, interval, form))
    return ax


def rows(
    found: Results,
    interval: Interval = whole,
    told: str = "lowest to highest",
    *,
    xlabel: str,
    title: str = "",
    form: str = ".3g",
    each: str = "runs",
    ax: "Axes | None" = None,
) -> "Axes":
    """Means one below the other, each with an interval as a line, and on it a dot for every single run.

    Args:
        found: for each series and each row one value per run; a single series needs no name.
        interval: the lower and the upper end for a row's values.
        told: what the description calls it.
        xlabel: what was measured.
        title: over the figure.
        form: of numbers, as in an f-string; with "%", the axis has per cent too.
        each: what the description calls the runs, where it was something else.
        ax: where to draw; a new figure if None.
    """
    import seaborn
    from matplotlib.ticker import PercentFormatter

    labels = list(dict.fromkeys(label for of in found.values() for label in of))
    numbered = len(labels) * len(found) <= NUMBERED
    pitch = 0.36 if numbered else 0.2  # inches
    ax = ax or plots.panels(width=6.4, height=1.1 + pitch * (len(found) + 0.4) * len(labels))[0]

    def at(label: str, number: int) -> float:
        return labels.index(label) + (number - (len(found) - 1) / 2) / (len(found) + 0.4)

    colours, markers = _look(found)
    table = _table(found, at)
    colours |= {"x": "value", "y": "at", "ax": ax}
    seaborn.lineplot(
        table, **colours, orient="y", errorbar=_around(interval), err_style="bars", linestyle="",
        err_kws={"elinewidth": 1.4}, marker="|", markersize=12, markeredgewidth=2.2, markeredgecolor=None,
        legend=False,
    )  # fmt: skip
    seaborn.scatterplot(table, **colours, **markers, s=24, alpha=0.6, linewidth=0, zorder=3)
    for number, of in enumerate(found.values()):
        for label, values in of.items() if numbered else ():
            ax.annotate(
                _written(mean(values), form), (mean(values), at(label, number)), xytext=(0, 7),
                textcoords="offset points", ha="center", fontsize=9,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6},
            )  # fmt: skip
    if "%" in form:
        ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
    ax.set_yticks(range(len(labels)), labels)
    ax.set_ylim(len(labels) - 0.5, -0.6)
    ax.set(xlabel=xlabel, ylabel="", title=title)
    if len(found) > 1:
        ax.legend(frameon=False)
    elif legend := ax.get_legend():
        legend.remove()
    plots.describe(
        ax, f"{title or xlabel}, means of {_count(found)} {each} ({told})", *_said(found, interval, form)
    )
    return ax


def _look(found: Results, baseline: str | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
    """What tells the series apart: colours, and markers."""
    others = [name for name in found if name != baseline]
    colours = {baseline: plots.FAINT} | dict(zip(others, plots.PALETTE, strict=False))
    markers = {baseline: "X"} | dict(zip(others, plots.MARKERS, strict=False))
    return {"hue": "name", "palette": colours}, {"style": "name", "markers": markers}


def _table(found: Results, at: Callable[[Any, int], float]) -> dict[str, list]:
    """The results as seaborn takes them, one line for each."""
    lines = [
        (at(place, number), float(value), name, run)
        for number, (name, of) in enumerate(found.items())
        for place, values in of.items()
        for run, value in enumerate(values)
    ]
    return dict(zip(("at", "value", "name", "run"), map(list, zip(*lines, strict=True)), strict=True))


def _around(interval: Interval) -> Callable[[Any], tuple[float, float]]:
    """The interval of a column of pandas', no narrower than its mean, which rounding may move out of it."""

    def ends(values: Any) -> tuple[float, float]:
        low, high = interval(values.tolist())
        return min(low, values.mean()), max(high, values.mean())

    return ends


def _said(found: Results, interval: Interval, form: str) -> list[str]:
    """A sentence for each series: its means, each with its interval; of a long line, those at its ends."""
    said = []
    for name, of in found.items():
        told = []
        for place in [*of] if len(of) <= LISTED else [*of][:: len(of) - 1]:
            average, low, high = mean(of[place]), *interval(of[place])
            ends = f"{f'{low:{form}}'.rstrip('%')} to {_written(high, form)}"
            at = place if isinstance(place, str) else f"{place:g}"
            told.append(f"{at}: {_written(average, form)} ({ends})")
        said.append((f"{name}: " if name else "") + ", ".join(told))
    return said


def _written(value: float, form: str) -> str:
    return f"{value:{form}}".replace("%", " %")


def _count(found: Results) -> str:
    counts = sorted({len(values) for of in found.values() for values in of.values()})
    return " or ".join(map(str, counts))
