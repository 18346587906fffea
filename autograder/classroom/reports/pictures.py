"""What reports draw. Each picture says the same in words, as its label."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from autograder.classroom.reports.tables import Row
from autograder.exercise import Outline
from helpers.checking.finding import Status
from helpers.figures import plots

SHADES = {
    Status.PASSED: (plots.PALETTE[2], ""),
    Status.PARTLY: (plots.PALETTE[0], ""),
    Status.FAILED: (plots.PALETTE[1], ""),
    Status.NOT_WRITTEN: (plots.BAND, "//"),
    Status.NOT_RUN: (plots.BAND, "xx"),
}
PHONE = 5.2  # inches: with letters that can be read, it gets as narrow as a phone
QUARTERS = (0, 0.25, 0.5, 0.75, 1)


def points(scores: list[float], best: float) -> "plots.Axes":
    """How many students have how many points; above that each student, their median and middle half."""
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    with matplotlib.rc_context(plots.STYLE):
        figure = Figure(figsize=(PHONE, 2.8), layout="constrained")
        above, ax = figure.subplots(2, 1, sharex=True, height_ratios=(1, 3.2))
    [said] = spread(above, {"": scores})
    above.set(xlabel="", ylabel="", yticks=[])
    above.spines[:].set_visible(False)
    above.tick_params(length=0)
    width = max(1, round(best / 20))
    bins = int(best // width) + 1
    counts = np.histogram(scores, bins, (0, bins * width))[0].tolist()
    left = [width * number for number in range(bins)]
    ax.bar(left, counts, width=0.9 * width, align="edge", color=plots.PALETTE[0])
    ax.set_xlabel("points from checks" + (f", {width} per bar" if width > 1 else ""))
    ax.set_ylabel("students")
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    told = ", ".join(f"{int(n)} from {low}" for low, n in zip(left, counts, strict=True) if n)
    ax.set_label(f"Students by points, in bars of {width}: {told}. Their points: {said}.")
    return ax


def exercises(rows: list[Row], asked: Mapping[str, Outline]) -> "plots.Axes":
    """How each exercise went, in the lesson's order."""
    from matplotlib.ticker import MaxNLocator

    verdicts = [verdict for _, _, verdicts in rows for verdict in verdicts]
    counts = {id: Counter(v.status for v in verdicts if v.exercise == id) for id in asked}
    students = len(rows)
    used = [name for name in SHADES if any(count[name] for count in counts.values())]
    [ax] = plots.panels(1, width=9.0, height=1.2 + 0.32 * len(asked))
    titles = [exercise.title for exercise in asked.values()]
    places = list(range(len(titles)))
    left = [0] * len(titles)
    for name in used:
        color, hatch = SHADES[name]
        values = [counts[id][name] for id in asked]
        bars = ax.barh(places, values, left=left, color=color, hatch=hatch, edgecolor="white", label=name)
        numbers = [str(value) if value > 0.04 * students else "" for value in values]
        ax.bar_label(bars, numbers, label_type="center", fontsize=8, color=plots.INK if hatch else "white")
        left = [a + b for a, b in zip(left, values, strict=True)]
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_yticks(places, titles)
    ax.invert_yaxis()
    ax.set_xlabel("students")
    ax.legend(frameon=False, ncols=len(used), loc="lower left", bbox_to_anchor=(0, 1))
    said = "; ".join(
        f"{exercise.title}: " + ", ".join(f"{counts[id][name]} {name}" for name in used if counts[id][name])
        for id, exercise in asked.items()
    )
    ax.set_label(f"How each exercise went. {said}.")
    return ax


def points_by_lesson(shares: Mapping[str, Sequence[float]]) -> "plots.Axes | None":
    """The class in each lesson.

    Args:
        shares: by the lesson's label, each student's points in per cent of what the lesson has.

    Returns:
        None where nobody has any.
    """
    from matplotlib.ticker import PercentFormatter

    if not shares:
        return None
    [ax] = plots.panels(1, width=PHONE, height=1.0 + 0.42 * len(shares))
    said = spread(ax, shares)
    low, high = (end(value for row in shares.values() for value in row) for end in (min, max))
    ax.set(xlim=(min(0, low) - 2, max(100, high) + 2), xlabel="share of the lesson's points")
    ax.xaxis.set_major_formatter(PercentFormatter(symbol=" %"))
    ax.set_label(
        f"Points by lesson, as a percentage of its maximum, for those who handed it in. {'; '.join(said)}."
    )
    return ax


def spread(ax: "plots.Axes", found: Mapping[str, Sequence[float]]) -> list[str]:
    """Draw a row for each label: its values as dots, and the median and the middle half as a box.

    Args:
        ax: where to draw.
        found: by label, at least one value.

    Returns:
        The same in words, for each label.
    """
    rows = list(found.values())
    box = {"facecolor": plots.BAND, "edgecolor": plots.FAINT}
    # Matplotlib's own box: seaborn's draws it by an argument that Matplotlib is about to remove.
    ax.boxplot(
        rows, positions=range(len(rows)), widths=0.62, orientation="horizontal", whis=(0, 100),
        showcaps=False, patch_artist=True, manage_ticks=False, boxprops=box,
        whiskerprops={"color": plots.FAINT}, medianprops={"color": plots.PALETTE[1], "linewidth": 2.2},
    )  # fmt: skip
    values = [value for row in rows for value in row]
    places = [place for place, row in enumerate(rows) for _ in row]
    # Side by side at random, yet each time alike: the same class gets the same picture.
    aside = np.random.default_rng(0).random(len(values)) - 0.5
    beside = [place + 0.44 * float(by) for place, by in zip(places, aside, strict=True)]
    ax.scatter(values, beside, s=3.5**2, linewidths=0, alpha=0.5, zorder=3, color=plots.PALETTE[0])
    ax.set_yticks(range(len(rows)), list(found))
    ax.set_ylim(len(rows) - 0.5, -0.5)
    return [f"{label}: {_quartiles(row)}" if label else _quartiles(row) for label, row in found.items()]


def _quartiles(values: Sequence[float]) -> str:
    least, low, middle, high, most = np.quantile(values, QUARTERS)
    return f"{least:.3g} to {most:.3g}, half of them {low:.3g} to {high:.3g}, median {middle:.3g}"
