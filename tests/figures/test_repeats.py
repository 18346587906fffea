"""Figures of several runs show each of them, their mean, and an interval that they name."""

import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest
import torch
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.collections import FillBetweenPolyCollection, LineCollection, PathCollection

from autograder import lessons
from helpers import finetuning
from helpers.bert import figures as of_bert
from helpers.bert import published
from helpers.block import experiments
from helpers.block import figures as of_block
from helpers.figures import plots, repeats
from helpers.figures.showing import description, image
from helpers.finetuning import figures as of_finetuning
from helpers.modern import figures as of_modern
from helpers.positional.explorers import by_length

FOUND = {
    "one": {1: [0.5, 0.7, 0.9], 2: [0.4, 0.5, 0.6], 4: [0.2, 0.3, 0.7]},
    "two": {1: [0.1, 0.2, 0.6], 2: [0.3, 0.3, 0.3], 4: [0.8, 0.85, 0.9]},
}


def student(values: list[float]) -> tuple[float, float]:
    return finetuning.t_interval(values, finetuning.T_95)


def dots(ax: Axes, axis: int) -> list[float]:
    """The values of all dots, in order of size."""
    return sorted(
        float(at[axis])
        for each in ax.collections
        if isinstance(each, PathCollection)
        for at in each.get_offsets()
    )


def bars(ax: Axes, axis: int) -> list[tuple[float, float]]:
    """The ends of all intervals, in order."""
    lines = [
        line for each in ax.collections if isinstance(each, LineCollection) for line in each.get_segments()
    ]
    return sorted((float(line[0][axis]), float(line[-1][axis])) for line in lines)


def every(found: repeats.Results) -> list[list[float]]:
    return [list(values) for of in found.values() for values in of.values()]


@pytest.mark.parametrize("interval", [repeats.whole, student])
@pytest.mark.parametrize(
    ("draw", "axis"),
    [
        (lambda interval: repeats.curves(FOUND, interval, "so", xlabel="x", ylabel="y", joined=False), 1),
        (
            lambda interval: repeats.curves(
                FOUND, interval, "so", xlabel="x", ylabel="y", joined=False, log=True
            ),
            1,
        ),
        (lambda interval: repeats.rows(FOUND, interval, "so", xlabel="x"), 0),
    ],
)
def test_each_run_is_a_dot_and_each_interval_a_bar(
    draw: Callable, axis: int, interval: repeats.Interval
) -> None:
    ax = draw(interval)
    assert dots(ax, axis) == pytest.approx(sorted(value for values in every(FOUND) for value in values))
    ends = np.array(sorted(interval(values) for values in every(FOUND)))
    assert np.array(bars(ax, axis)) == pytest.approx(ends)


def test_runs_over_time_are_thin_lines_within_a_band() -> None:
    ax = repeats.curves(FOUND, student, "so", xlabel="x", ylabel="y")
    drawn = sorted(tuple(line.get_ydata()) for line in ax.lines if line.get_linewidth() < 1)
    assert drawn == sorted(tuple(at[run] for at in of.values()) for of in FOUND.values() for run in range(3))
    bands = [each for each in ax.collections if isinstance(each, FillBetweenPolyCollection)]
    for band, of in zip(bands, FOUND.values(), strict=True):
        heights = band.get_paths()[0].vertices[:, 1]
        ends = [student(values) for values in of.values()]
        assert (heights.min(), heights.max()) == pytest.approx((min(ends)[0], max(high for _, high in ends)))


def test_series_differ_in_colour_and_marker_and_the_baseline_is_grey() -> None:
    ax = repeats.curves(FOUND, xlabel="x", ylabel="y", joined=False, baseline="one")
    means = {line.get_color(): line.get_marker() for line in ax.get_legend().legend_handles}
    assert means == {plots.FAINT: "X", plots.PALETTE[0]: plots.MARKERS[0]}


def test_the_description_has_means_intervals_their_name_and_how_many_runs() -> None:
    few = {"one": {1: [0.5, 0.75], 2: [1.0, 1.0, 1.0]}}
    said = description(repeats.curves(few, student, "t-interval", xlabel="x", ylabel="y"))
    assert "means of 2 or 3 runs (t-interval)" in said and "2: 1 (1 to 1)" in said
    ends = " to ".join(f"{end:.0%}".rstrip("%") for end in student([0.5, 0.75]))
    told = repeats.rows({"": few["one"]}, student, "t-interval", xlabel="x", form=".0%").get_label()
    assert f"1: 62 % ({ends} %)" in told
    long = {"one": {x: [x, x + 2.0] for x in range(20)}}
    assert "one: 0: 1 (0 to 2), 19: 20 (19 to 21)." in description(
        repeats.curves(long, xlabel="x", ylabel="y")
    )


@pytest.mark.parametrize("joined", [True, False])
def test_equal_runs_and_single_ones_can_be_drawn(joined: bool) -> None:
    """The mean of three times 0.1 is a little more than 0.1, and Matplotlib refuses a negative bar."""
    alike = {"one": {1: [0.1] * 3, 2: [0.2]}}
    for found in (alike, {"one": {1: [0.1]}}):
        ax = repeats.curves(found, xlabel="x", ylabel="y", joined=joined)
        assert "0.1 (0.1 to 0.1)" in ax.get_label() and image(ax)
        assert image(repeats.rows(found, xlabel="x"))


def test_they_leave_no_figure_of_pyplots_behind_which_a_notebook_would_show_once_more() -> None:
    repeats.curves(FOUND, xlabel="x", ylabel="y")
    repeats.rows(FOUND, xlabel="x")
    assert pyplot.get_fignums() == []


# -- the lessons' own ----------------------------------------------------------------------------------------


def stacks() -> Axes:
    runs = [
        experiments.Learned(kind, depth, seed, 4.0 + seed + 0.1 * depth)
        for kind in experiments.KINDS
        for depth in experiments.DEPTHS
        for seed in experiments.SEEDS
    ]
    return of_block.losses(runs, {"a guess": 6.8})


def lengths() -> Axes:
    shares = torch.rand(3, 5, generator=torch.Generator().manual_seed(0))
    return by_length({"panel": {"none": shares, "rotary": shares / 2}})


@pytest.mark.parametrize(
    ("draw", "runs", "places", "axis"),
    [
        (stacks, 3 * 12, 12, 1),
        (lengths, 5 * 6, 6, 1),
        (lambda: of_bert.by_labels(published.MEASURED, title="A"), 5 * 12, 12, 1),
        (of_modern.ladder, 3 * 20, 20, 0),
        (lambda: of_bert.by_kind({"left": {"a or an": [0.1, 0.9], "is or are": [0.5, 0.6]}}), 4, 2, 0),
        (
            lambda: of_finetuning.seeds({"a": [0.5, 0.6, 0.9], "b": [0.7, 0.7, 0.8]}, student, title="A"),
            6,
            2,
            0,
        ),
    ],
)
def test_the_lessons_figures_over_seeds_show_them_all(
    draw: Callable, runs: int, places: int, axis: int
) -> None:
    ax = draw()
    assert len(dots(ax, axis)) == runs
    assert len(bars(ax, axis)) == places and all(low < high for low, high in bars(ax, axis))


def test_student_intervals_of_five_seeds_are_drawn_where_the_text_says_so() -> None:
    ax = of_bert.by_labels(published.MEASURED, title="A")
    ends = sorted(published.student_interval(values)[1:] for values in every(published.MEASURED))
    assert np.array(bars(ax, 1)) == pytest.approx(np.array(ends))
    assert "fine-tuned: 50: 60.2 % (55.1 to 65.4 %), 200: 73.1 % (70.9 to 75.3 %)" in ax.get_label()


# -- what needs seaborn --------------------------------------------------------------------------------------

NOBODY = """
import builtins, importlib, pathlib, sys
from traitlets.config import Config
builtins.get_config = Config  # nbgrader gives it to its files of settings
for folder in ("helpers", "autograder/child", "autograder/grading", "autograder/commands"):
    for path in sorted(pathlib.Path(folder).rglob("[!_]*.py")):
        importlib.import_module(".".join(path.with_suffix("").parts))
print(sorted({"seaborn", "pandas"} & {*sys.modules}))
"""


def test_nothing_that_a_check_or_grading_imports_imports_seaborn_or_pandas() -> None:
    """As the worker does it, and a second later for each of its starts."""
    said = subprocess.check_output([sys.executable, "-c", NOBODY], cwd=lessons.ROOT, text=True)
    assert said.strip() == "[]"
