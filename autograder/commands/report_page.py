"""What a class got right and wrong, as a page with pictures. It needs a browser, and no network."""

import html
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from statistics import mean, median

import torch

from autograder.commands import predicted
from autograder.commands.report import Row, most_common, unexplained
from autograder.exercise import Exercise
from autograder.lessons import counted
from helpers.checking.finding import Status
from helpers.figures import plots
from helpers.figures.showing import image

SHADES = {
    Status.PASSED: (plots.PALETTE[2], ""),
    Status.PARTLY: (plots.PALETTE[0], ""),
    Status.FAILED: (plots.PALETTE[1], ""),
    Status.NOT_WRITTEN: (plots.BAND, "//"),
    Status.NOT_RUN: (plots.BAND, "xx"),
}
DOTS = "<p>A dot for each student; the box is the middle half, and the line in it the median.</p>"
QUARTERS = torch.tensor([0, 0.25, 0.5, 0.75, 1], dtype=torch.float64)
STYLE = """
:root { color-scheme: light dark } img { background: white }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; margin: 1rem 0 } h2 { margin-top: 2.5rem }
td, th { text-align: left; vertical-align: top; padding: .3rem 1.2rem .3rem 0 }
td, th { border-bottom: 1px solid #8884 }
td.number { text-align: right } summary { cursor: pointer } img { max-width: 100%; height: auto }
"""


def page(
    lesson: str,
    rows: Iterable[Row],
    exercises: dict[str, Exercise],
    predictions: Mapping[str, Counter[str]] | None = None,
    looked: Sequence[tuple[str, str]] = (),
    waiting: str = "",
) -> str:
    """The page of a lesson.

    Args:
        lesson: its name.
        rows: student, problem and verdicts of every submission graded so far.
        exercises: what was asked, by id, in order.
        predictions: how many predicted what, by the prediction's id and the option's letter.
        looked: students whose submissions need a look, and why.
        waiting: how many answers are left to grade by hand, in words.
    """
    rows = list(rows)
    if not rows:
        return _whole(lesson, "<p>No submission has been graded.</p>")
    scores = [sum(verdict.points for verdict in verdicts) for _, _, verdicts in rows]
    best = sum(exercise.points for exercise in exercises.values())
    parts = [
        f"<p>{counted(len(rows), 'student')}. Points from checks, out of {best:g}: mean {mean(scores):.1f}, "
        f"median {median(scores):g}, from {min(scores):g} to {max(scores):g}. "
        f"{datetime.now():%Y-%m-%d %H:%M}.</p>",
        *([f"<p>{waiting}.</p>"] if waiting else []),
        "<h2>Points</h2>",
        DOTS,
        image(_points(scores, best)),
        "<h2>Exercises</h2>",
        image(_exercises(rows, exercises)),
        "<h2>Misconceptions recognised</h2>",
        _misconceptions(rows, exercises),
        "<h2>Unexplained</h2>",
        "<p>Wrong in ways that no known misconception explains in full.</p>",
        _unexplained(rows, exercises),
    ]
    if told := predicted.rows(lesson, dict(predictions or {})):
        header = ("Question", "Predicted", "Students", "Is it so?")
        lines = [(asked, option, str(number), "✓ yes" if so else "") for asked, option, number, so in told]
        parts += ["<h2>What was predicted</h2>", _table(header, lines)]
    if looked:
        parts += ["<h2>Submissions to look at</h2>", _table(("Student", "What happened"), looked)]
    return _whole(lesson, "\n".join(parts))


def spread(ax: "plots.Axes", found: Mapping[str, Sequence[float]]) -> list[str]:
    """Draw a row for each label: its values as dots, and the median and the middle half as a box.

    Args:
        ax: where to draw.
        found: by label, at least one value.

    Returns:
        The same in words, for each label.
    """
    import seaborn

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
    seaborn.stripplot(
        x=values, y=places, orient="y", native_scale=True, jitter=0.22, size=3.5, alpha=0.5, zorder=3,
        color=plots.PALETTE[0], ax=ax,
    )  # fmt: skip
    ax.set_yticks(range(len(rows)), list(found))
    ax.set_ylim(len(rows) - 0.5, -0.5)
    return [f"{label}: {_quartiles(row)}" if label else _quartiles(row) for label, row in found.items()]


def _quartiles(values: Sequence[float]) -> str:
    least, low, middle, high, most = torch.tensor(values, dtype=torch.float64).quantile(QUARTERS).tolist()
    return f"{least:.3g} to {most:.3g}, half of them {low:.3g} to {high:.3g}, median {middle:.3g}"


def _points(scores: list[float], best: float) -> "plots.Axes":
    """How many students have how many points; above that each student, their median and middle half."""
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    with matplotlib.rc_context(plots.STYLE):
        figure = Figure(figsize=(6.0, 3.2), layout="constrained")
        above, ax = figure.subplots(2, 1, sharex=True, height_ratios=(1, 3.2))
    [said] = spread(above, {"": scores})
    above.set(xlabel="", ylabel="", yticks=[])
    above.spines[:].set_visible(False)
    above.tick_params(length=0)
    width = max(1, round(best / 20))
    bins = int(best // width) + 1
    counts = torch.histc(torch.tensor(scores, dtype=torch.float64), bins, 0, bins * width).tolist()
    left = [width * number for number in range(bins)]
    ax.bar(left, counts, width=0.9 * width, align="edge", color=plots.PALETTE[0])
    ax.set_xlabel("points from checks" + (f", {width} per bar" if width > 1 else ""))
    ax.set_ylabel("students")
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    told = ", ".join(f"{int(n)} from {low}" for low, n in zip(left, counts, strict=True) if n)
    ax.set_label(f"Students by points, in bars of {width}: {told}. Their points: {said}.")
    return ax


def _exercises(rows: list[Row], exercises: dict[str, Exercise]) -> "plots.Axes":
    """How each exercise went, in the lesson's order."""
    from matplotlib.ticker import MaxNLocator

    verdicts = [verdict for _, _, verdicts in rows for verdict in verdicts]
    counts = {id: Counter(v.status for v in verdicts if v.exercise == id) for id in exercises}
    students = len(rows)
    used = [name for name in SHADES if any(count[name] for count in counts.values())]
    [ax] = plots.panels(1, width=9.0, height=1.2 + 0.32 * len(exercises))
    titles = [exercise.title for exercise in exercises.values()]
    places = list(range(len(titles)))
    left = [0] * len(titles)
    for name in used:
        color, hatch = SHADES[name]
        values = [counts[id][name] for id in exercises]
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
        for id, exercise in exercises.items()
    )
    ax.set_label(f"How each exercise went. {said}.")
    return ax


def _misconceptions(rows: list[Row], exercises: dict[str, Exercise]) -> str:
    """Each misconception with those who made it, the most frequent first."""
    known = {(id, m.name): m.sentence for id, exercise in exercises.items() for m in exercise.misconceptions}
    made: dict[tuple[str, str], list[str]] = defaultdict(list)
    for student, _, verdicts in rows:
        for verdict in verdicts:
            if verdict.status == Status.FAILED and (verdict.exercise, verdict.cause) in known:
                made[verdict.exercise, verdict.cause].append(student)
    ranked = sorted(made.items(), key=lambda item: -len(item[1]))
    lines = [(exercises[key[0]].title, known[key], students) for key, students in ranked]
    return _table(("Exercise", "Misconception", "Students"), lines) if lines else "<p>None.</p>"


def _unexplained(rows: list[Row], exercises: dict[str, Exercise]) -> str:
    """The failures that no misconception explains: what most of them have in common, and whose they are."""
    found = unexplained([verdict for _, _, verdicts in rows for verdict in verdicts], exercises)
    whose = {
        id: [student for student, _, verdicts in rows if any(verdict in failed for verdict in verdicts)]
        for id, failed in found.items()
    }
    lines = [(exercises[id].title, most_common(failed), whose[id]) for id, failed in found.items()]
    return _table(("Exercise", "Most common", "Students"), lines) if lines else "<p>None.</p>"


def _table(heads: tuple[str, ...], lines: Iterable[tuple]) -> str:
    body = "\n".join(f"<tr>{''.join(map(_cell, line))}</tr>" for line in lines)
    return f"<table><tr>{''.join(f'<th scope=col>{head}</th>' for head in heads)}</tr>\n{body}</table>"


def _cell(value: str | list[str]) -> str:
    if isinstance(value, list):
        names = html.escape(", ".join(value))
        return f'<td class="number"><details><summary>{len(value)}</summary>{names}</details></td>'
    return f"<td>{html.escape(value)}</td>"


def _whole(lesson: str, body: str) -> str:
    name = html.escape(lesson)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{name}: report</title>'
        f"<style>{STYLE}</style></head>\n<body><h1>{name}</h1>\n{body}\n</body></html>\n"
    )
