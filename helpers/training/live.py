"""A training run's steps, counted: with a progress bar and a live picture.

A lesson writes its own training step. The loop around it reads

    steps = training.steps(1500)
    live = training.Live(steps, "nats per token", limits={"entropy": 1.175})
    for step in live:
        live.add(training=...)
"""

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import torch

from helpers.figures import plots
from helpers.figures.showing import image
from helpers.training.display import Output, in_notebook, progress_bar

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POINTS = 120  # at most, on a line of a live picture
SHARE = 0.04  # of the time may be spent on drawing
QUICK = 20  # HEADSTART_QUICK divides the number of steps by this


def steps(count: int) -> int:
    """How many steps to train: `count`, or a twentieth where `HEADSTART_QUICK` is set, as tests do."""
    return max(4, count // QUICK) if os.environ.get("HEADSTART_QUICK") else count


class Live:
    """Counts the steps of a training run, with a progress bar and a picture of what was added so far.

    Drawing takes at most a twenty-fifth of the time. In a terminal there is only the bar.

    Args:
        steps: how many there will be.
        unit: of what is added: "nats per token", or "loss".
        limits: values to compare it with, such as an entropy: horizontal lines with names.
        title: beside the progress bar, and in the picture's description.
        bottom, top: of the picture's vertical axis; None to fit the values.
    """

    def __init__(
        self,
        steps: int,
        unit: str,
        limits: Mapping[str, float] | None = None,
        title: str = "Training",
        bottom: float | None = None,
        top: float | None = None,
    ) -> None:
        self.steps, self.unit, self.limits = steps, unit, dict(limits or {})
        self.title, self.bottom, self.top = title, bottom, top
        self.lines: dict[str, list[tuple[int, float]]] = {}  # what was added under a name: step and value
        self.step = 0

    def __iter__(self) -> Iterator[int]:
        """1, 2, ... steps. An interrupt leaves the last picture standing."""
        with progress_bar(self.title, self.steps, " steps") as bar:
            picture = Output() if in_notebook() else None
            drawn, cost = time.perf_counter(), 0.0
            try:
                for step in range(1, self.steps + 1):
                    self.step = step
                    yield step
                    bar.set_postfix_str(self._latest(), refresh=False)
                    bar.update()
                    begun = time.perf_counter()
                    if begun - drawn > max(1.0, cost / SHARE):
                        self._draw(picture)
                        drawn = time.perf_counter()
                        cost = drawn - begun
            finally:
                self._draw(picture)

    def _draw(self, picture: Output | None) -> None:
        if picture is not None and self.lines:
            picture.update(image(self.figure()))

    def add(self, **values: float | torch.Tensor) -> None:
        """Remember values at this step, each under a name: `live.add(training=loss, held_out=other)`."""
        for name, value in values.items():
            self.lines.setdefault(name.replace("_", " "), []).append((self.step, float(value)))

    def figure(self) -> "Axes":
        """The picture of everything added so far."""
        [ax] = plots.panels(1, width=6.4, height=3.2)
        said = []
        for (name, points), colour, marker in zip(
            self.lines.items(), plots.PALETTE, plots.MARKERS, strict=False
        ):
            x, y = _thinned(points)
            few = len(x) < 30
            ax.plot(x, y, color=colour, marker=marker if few else None, markersize=4, label=name, lw=1.6)
            said.append(f"{name}: from {y[0]:.3f} to {y[-1]:.3f}")
        for name, value in self.limits.items():  # their names below the lines: a loss comes from above
            ax.axhline(value, color=plots.INK, linewidth=1, linestyle=(0, (5, 3)))
            ax.annotate(
                f"{name}: {value:.3f}", (1, value), xycoords=("axes fraction", "data"),
                xytext=(0, -3), textcoords="offset points", ha="right", va="top", fontsize=9,
            )  # fmt: skip
            said.append(f"a dashed line for {name} at {value:.3f}")
        ax.set_xlim(0, self.steps)
        ax.set_ylim(self.bottom, self.top)
        ax.set_xlabel("step")
        ax.set_ylabel(self.unit)
        ax.legend(frameon=False, loc="upper right")
        ax.set_label(f"{self.title}, {self.unit} after {self.step:,} steps: {'; '.join(said)}.")
        return ax

    def _latest(self) -> str:
        return ", ".join(f"{name} {points[-1][1]:.3f}" for name, points in self.lines.items())


def _thinned(points: Sequence[tuple[int, float]]) -> tuple[list[float], list[float]]:
    """Steps and values; if there are too many points, averages of neighbours."""
    size = -(-len(points) // POINTS)
    groups = [points[start : start + size] for start in range(0, len(points), size)]
    x, y = zip(*(map(_mean, zip(*group, strict=True)) for group in groups), strict=True)
    return list(x), list(y)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
