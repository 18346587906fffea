"""A training run's steps, counted: with a progress bar, a live picture, and what the model writes meanwhile.

A lesson writes its own training step. The loop around it reads

    steps = training.steps(1500)
    live = training.Live(steps, "nats per token", limits={"entropy": 1.175})
    for step in live:
        live.add(training=...)
"""

import html
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import torch

from helpers.figures import plots
from helpers.figures.showing import image, show
from helpers.training import checkpoints
from helpers.training.checkpoints import Checkpoint
from helpers.training.display import Output, in_notebook, progress_bar
from helpers.training.stopping import Stopped, after_the_step

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POINTS = 120  # at most, on a line of a live picture
RECORDED = ("steps", "unit", "limits", "title", "bottom", "top", "apart")  # what makes the same picture again
SHARE = 0.04  # of the time may be spent on drawing
FIRST = 4  # the first quarter of the way so far may leave the picture at its top


def steps(count: int) -> int:
    """How many steps to train: `count`, divided by `HEADSTART_QUICK` where tests set it, but at least 4."""
    return max(4, count // int(share)) if (share := os.environ.get("HEADSTART_QUICK")) else count


def recall(name: str, model: torch.nn.Module, *, curve: bool = True) -> bool:
    """Load the weights kept under a name into a model, say when it was trained, and show its curve.

    Args:
        name: that it was kept under.
        model: of the same shapes. If no weights fit, it stays as it was.
        curve: whether to show the curve of its training.

    Returns:
        Whether there are such weights.
    """
    if not (found := checkpoints.load(name, model)):
        return False
    anew = f'training.forget("{name}")'
    print(f'The model "{name}" was trained here on {found.when:%Y-%m-%d at %H:%M}. {anew} removes it.')
    if curve and found.curve and in_notebook():
        show(replayed(found.curve).figure())
    return True


def replayed(curve: Mapping[str, Any]) -> "Live":
    """A finished run, from the record of its curve."""
    live = Live(**{name: curve[name] for name in RECORDED})
    live.step = live.steps
    live.lines = {
        name: [(int(step), y) for step, y in points.tolist()] for name, points in curve["lines"].items()
    }
    return live


class Live:
    """Counts the steps of a training run, with a progress bar and a picture of what was added so far.

    Drawing takes at most a twenty-fifth of the time. In a terminal there is only the bar.

    Args:
        steps: how many there will be.
        unit: of what is added: "nats per token", or "loss".
        limits: values to compare it with, such as an entropy: horizontal lines with names.
        title: beside the progress bar, and in the picture's description.
        bottom, top: of the picture's vertical axis; None to fit the limits and all values but the first.
        apart: lines in another unit than `unit`, which have axes of their own: the unit of each, by name.
        keep: what changes in the run. Twice a minute it is kept on this computer, and a run of that name that
            was interrupted goes on where it stopped.
        data: where the batches come from; of a run that goes on, those it has had are skipped.
    """

    def __init__(
        self,
        steps: int,
        unit: str,
        limits: Mapping[str, float] | None = None,
        title: str = "Training",
        bottom: float | None = None,
        top: float | None = None,
        apart: Mapping[str, str] | None = None,
        keep: Checkpoint | None = None,
        data: Iterator[object] | None = None,
    ) -> None:
        self.steps, self.unit, self.limits = steps, unit, dict(limits or {})
        self.title, self.bottom, self.top, self.apart = title, bottom, top, dict(apart or {})
        self.keep, self.data = keep, data
        self.lines: dict[str, list[tuple[int, float]]] = {}  # what was added under a name: step and value
        self.step = 0
        self.text = ""  # what the model writes

    def __iter__(self) -> Iterator[int]:
        """1, 2, ... steps; of a run that goes on, those that are left.

        Raises:
            Stopped: an interrupt came; the run is kept as it stands, and the last picture stays.
        """
        done = self._resume()
        with progress_bar(self.title, self.steps, " steps", done) as bar, after_the_step() as interrupted:
            picture = Output() if in_notebook() else None
            drawn, cost, saved = time.perf_counter(), 0.0, time.perf_counter()
            try:
                for step in range(done + 1, self.steps + 1):
                    self.step = step
                    yield step
                    bar.set_postfix_str(self._latest(), refresh=False)
                    bar.update()
                    begun = time.perf_counter()
                    if begun - drawn > max(1.0, cost / SHARE):
                        self._draw(picture)
                        drawn = time.perf_counter()
                        cost = drawn - begun
                    if interrupted() and step < self.steps:
                        raise Stopped(self._stop())
                    if self.keep and time.perf_counter() - saved > checkpoints.KEEP_SECONDS:
                        self.keep.save(step, self.steps, self.lines)
                        saved = time.perf_counter()
            finally:
                self._draw(picture)
        if self.keep:
            self.keep.forget()

    def _resume(self) -> int:
        """Take up a kept run. Returns how many steps it has made."""
        done = 0
        if self.keep:
            done, self.lines = self.keep.load(self.steps)
        if done:
            print(f"{self.title} goes on after {done:,} of {self.steps:,} steps.")
            for _ in zip(range(done), self.data or (), strict=False):
                """Batches that it has had."""
        return done

    def _stop(self) -> str:
        """Keep the run as it stands. Returns what to say."""
        said = f"Stopped after {self.step:,} of {self.steps:,} steps. "
        if not self.keep:
            return said + "Run the cell again to begin again."
        self.keep.save(self.step, self.steps, self.lines)
        anew = f'training.forget("{self.keep.name}")'
        return f"{said}Run the cell again to go on from there, or {anew} to begin again."

    def _draw(self, picture: Output | None) -> None:
        if picture is not None and self.lines:
            said = f'<p style="margin:4px 0;max-width:60em">{self.text}</p>' if self.text else ""
            picture.update(image(self.figure()) + said)

    def add(self, **values: float | torch.Tensor) -> None:
        """Remember values at this step, each under a name: `live.add(training=loss, held_out=other)`."""
        for name, value in values.items():
            self.lines.setdefault(name.replace("_", " "), []).append((self.step, float(value)))

    def record(self) -> dict[str, Any]:
        """The picture as plain data, for `recall`."""
        lines = {name: torch.tensor(points, dtype=torch.float64) for name, points in self.lines.items()}
        return {name: getattr(self, name) for name in RECORDED} | {"lines": lines}

    def write(self, text: str) -> None:
        """Show below the picture what the model writes at this step."""
        self.text = f"<i>After {self.step:,} steps it writes:</i> {html.escape(text)}"

    def figure(self) -> "Axes":
        """The picture of everything added so far."""
        units = list(dict.fromkeys([self.unit, *self.apart.values()]))
        axes = dict(
            zip(
                units,
                plots.panels(len(units), width=6.4 if len(units) == 1 else 4.4, height=3.2),
                strict=True,
            )
        )
        ax, said = axes[self.unit], []
        for (name, points), colour, marker in zip(
            self.lines.items(), plots.PALETTE, plots.MARKERS, strict=False
        ):
            x, y = _thinned(points)
            few = len(x) < 30
            there = axes[self.apart.get(name, self.unit)]
            there.plot(x, y, color=colour, marker=marker if few else None, markersize=4, label=name, lw=1.6)
            said.append(f"{name}: from {y[0]:.3f} to {y[-1]:.3f}")
        for name, value in self.limits.items():  # their names below the lines: a loss comes from above
            ax.axhline(value, color=plots.INK, linewidth=1, linestyle=(0, (5, 3)))
            ax.annotate(
                f"{name}: {value:.3f}", (1, value), xycoords=("axes fraction", "data"),
                xytext=(0, -3), textcoords="offset points", ha="right", va="top", fontsize=9,
            )  # fmt: skip
            said.append(f"a dashed line for {name} at {value:.3f}")
        for unit, each in axes.items():
            each.set(xlim=(0, 1.015 * self.steps), ylim=self._range(unit), xlabel="step", ylabel=unit)
            each.set_visible(bool(each.lines))
            if each.lines:
                each.legend(frameon=False, loc="upper right" if each is ax else "best")
        ax.set_label(f"{self.title}, {self.unit} after {self.step:,} steps: {'; '.join(said)}.")
        return ax

    def _range(self, unit: str) -> tuple[float | None, float | None]:
        """A unit's vertical axis: near its end, what a run still gains is small beside what it began with."""
        if unit == self.unit and (self.bottom, self.top) != (None, None):
            return self.bottom, self.top
        lines = [line for name, line in self.lines.items() if self.apart.get(name, self.unit) == unit]
        values = [value for line in lines for step, value in line if step >= self.step / FIRST]
        values += self.limits.values() if unit == self.unit else ()
        if not values:
            return None, None
        low, high = min(values), max(values)
        room = 0.08 * (high - low) or 0.1
        return low - 2 * room, high + room

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
