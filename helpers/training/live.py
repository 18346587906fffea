"""What stands around every training of the course: a live picture, all cores, a place to keep a model.

A lesson writes its own training step. The loop around it reads

    steps = training.steps(1500)
    live = training.Live(steps, "nats a token", limits={"entropy": 1.175})
    for step in live:
        live.add(training=...)

`B` batch, `T` positions.
"""

import functools
import os
import pickle
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import TypeVar

import torch

from helpers.checking import progress
from helpers.figures import plots
from helpers.figures.showing import image

Job, Result = TypeVar("Job"), TypeVar("Result")

MOST_CORES = 4  # a batch of 16 in more parts than that leaves little for each
POINTS = 120  # that a line of a live picture has at most
SHARE = 0.04  # of the time may go into drawing
QUICK = 20  # how many times fewer steps where HEADSTART_QUICK asks for it


def steps(count: int) -> int:
    """How many steps to train: `count`, or a twentieth where `HEADSTART_QUICK` is set, as tests do."""
    return max(4, count // QUICK) if os.environ.get("HEADSTART_QUICK") else count


def device() -> torch.device:
    """The GPU where there is one, else the CPU."""
    return torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")


def there(*tensors: torch.Tensor) -> list[torch.Tensor]:
    """The same tensors on `device()`."""
    place = device()
    return [tensor.to(place) for tensor in tensors]


# -- all cores -------------------------------------------------------------------------------------------


def cores() -> int:
    """How many threads a training is spread over: the cores that this process may use, at most four."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(usable, MOST_CORES)


def on_all_cores(loss: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """The same loss and the same gradients, with each core working on rows of its own.

    torch's own threads share out each single operation and wait for each other after it; where one core has
    other work, all wait. Here each core takes a part of the batch through the whole model and back, and they
    meet once a step.

    Args:
        loss: called with a model and the tensors of a batch, (B, ...) each. Gives the mean over all targets,
            the last tensor's entries, that aren't -100. Draws no random numbers (no dropout): threads would
            draw them in any order.

    Returns:
        A function of the same arguments. `backward` on its result fills the model's gradients. On a GPU, on
        one core and without gradients it is `loss` itself.
    """

    def spread(model: torch.nn.Module, *batch: torch.Tensor) -> torch.Tensor:
        parts = list(zip(*(tensor.chunk(cores()) for tensor in batch), strict=True))
        if len(parts) == 1 or batch[0].device.type != "cpu" or not torch.is_grad_enabled():
            return loss(model, *batch)
        weights = [parameter for parameter in model.parameters() if parameter.requires_grad]
        counted = [int((part[-1] != -100).sum()) for part in parts]

        def run(part: Sequence[torch.Tensor], count: int) -> tuple[torch.Tensor, Sequence]:
            if not count:  # a mean of nothing isn't a number
                return torch.zeros(()), [None] * len(weights)
            value = loss(model, *part) * (count / sum(counted))
            return value.detach(), torch.autograd.grad(value, weights, allow_unused=True)

        values, gradients = zip(*_threads(cores()).map(run, parts, counted), strict=True)
        summed = [_sum(those) for those in zip(*gradients, strict=True)]
        return _KnownGradients.apply(sum(values), summed, *weights)

    return spread


class _KnownGradients(torch.autograd.Function):
    """A loss whose gradients are known already: `backward` hands them out, once."""

    @staticmethod
    def forward(ctx: object, value: torch.Tensor, gradients: list, *weights: torch.Tensor) -> torch.Tensor:
        ctx.gradients = gradients
        return value.clone()

    @staticmethod
    def backward(ctx: object, outer: torch.Tensor) -> tuple:
        gradients, ctx.gradients = ctx.gradients, ()
        if outer != 1:
            gradients = [None if gradient is None else gradient * outer for gradient in gradients]
        return None, None, *gradients


def _sum(gradients: Sequence[torch.Tensor | None]) -> torch.Tensor | None:
    known = [gradient for gradient in gradients if gradient is not None]
    return sum(known[1:], known[0]) if known else None  # not in place: parameters may share a gradient


@functools.cache
def _threads(count: int) -> ThreadPoolExecutor:
    """Threads in which an operation isn't shared out once more. For steps of one training."""
    return ThreadPoolExecutor(count, initializer=torch.set_num_threads, initargs=(1,))


def each(function: Callable[[Job], Result], jobs: Iterable[Job], title: str) -> list[Result]:
    """`function(job)` of each job, in order, as many at once as there are cores, with a progress bar.

    For trainings that don't need each other, one a core. Random numbers must come from generators of the
    job's own: make its model before, where `torch.manual_seed` holds.

    Args:
        function: trains, measures; called in a thread.
        jobs: what it is called with.
        title: beside the bar.
    """
    jobs = list(jobs)
    bar = _Bar(title, len(jobs))
    with ThreadPoolExecutor(cores(), initializer=torch.set_num_threads, initargs=(1,)) as threads:
        running = [threads.submit(function, job) for job in jobs]
        try:
            for done, _ in enumerate(as_completed(running), start=1):
                bar.update(done)
        except BaseException:
            threads.shutdown(cancel_futures=True)
            raise
    return [run.result() for run in running]


# -- a live picture --------------------------------------------------------------------------------------


class Live:
    """Counts the steps of a training, with a progress bar and a picture of what was added so far.

    Drawing takes at most a twenty-fifth of the time. Outside of a notebook nothing is shown.

    Args:
        steps: how many there will be.
        unit: of what is added: "nats a token", or "loss".
        limits: values to know it by, such as an entropy: horizontal lines with names.
        title: beside the progress bar.
        bottom, top: of the picture, where not all of it is wanted.
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
        bar, picture = _Bar(self.title, self.steps), _Display()
        drawn, cost = time.perf_counter(), 0.0
        try:
            for step in range(1, self.steps + 1):
                self.step = step
                yield step
                bar.update(self.step, self._latest())
                begun = time.perf_counter()
                if picture.shown and self.lines and begun - drawn > max(1.0, cost / SHARE):
                    picture.update(image(self.figure()))
                    drawn = time.perf_counter()
                    cost = drawn - begun
        finally:
            if picture.shown and self.lines:
                picture.update(image(self.figure()))

    def add(self, **values: float | torch.Tensor) -> None:
        """Remember values at this step, each under a name: `live.add(training=loss, held_out=other)`."""
        for name, value in values.items():
            self.lines.setdefault(name.replace("_", " "), []).append((self.step, float(value)))

    def figure(self) -> "plots.Axes":
        """The picture of all that was added so far."""
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
    """Where there are too many points, averages of neighbours: steps, values."""
    size = -(-len(points) // POINTS)
    groups = [points[start : start + size] for start in range(0, len(points), size)]
    x, y = zip(*(map(_mean, zip(*group, strict=True)) for group in groups), strict=True)
    return list(x), list(y)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


class _Bar:
    """A progress bar in a notebook: how far, how long still, and a few words."""

    def __init__(self, title: str, total: int) -> None:
        self.title, self.total, self.display = title, total, _Display()
        self.begun = self.drawn = time.perf_counter()
        self.update(0)

    def update(self, done: int, words: str = "") -> None:
        """Show it, at most four times a second, and at the end."""
        now = time.perf_counter()
        if not self.display.shown or (0 < done < self.total and now - self.drawn < 0.25):
            return
        self.drawn, spent = now, now - self.begun
        left = spent * (self.total - done) / done if done else None
        rest = "" if left is None else f" · {_clock(spent)} of about {_clock(spent + left)}"
        if done == self.total:
            rest = f" · {_clock(spent)}"
        text = f"{self.title}: {done:,} of {self.total:,}{rest}{f' · {words}' if words else ''}"
        self.display.update(
            f'<label style="font-variant-numeric:tabular-nums"><progress value="{done}" max="{self.total}" '
            f'style="width:16em;vertical-align:middle"></progress> {text}</label>'
        )


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d} min"


class _Display:
    """A place in a notebook's output whose content can be replaced."""

    def __init__(self) -> None:
        self.handle = None
        try:
            from IPython import get_ipython
        except ImportError:
            self.shown = False
        else:
            self.shown = get_ipython() is not None

    def update(self, page: str) -> None:
        """Put this HTML there."""
        from IPython.display import display

        content = {"text/html": page, "text/plain": ""}
        if self.handle is None:
            self.handle = display(content, raw=True, display_id=True)
        else:
            self.handle.update(content, raw=True)


# -- keeping a model -------------------------------------------------------------------------------------


def keep(name: str, model: torch.nn.Module) -> Path:
    """Write a model's weights into `~/.headstart/models`, for a later lesson. Returns the file."""
    path = _model_path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        torch.save(model.state_dict(), file)
    os.replace(file.name, path)
    return path


def recall(name: str, model: torch.nn.Module) -> bool:
    """Fill a model with the weights kept under a name. False, and the model as it was, where none fit."""
    try:
        kept = torch.load(_model_path(name), map_location="cpu", weights_only=True)
        fits = _shapes(kept) == _shapes(model.state_dict())
    except (OSError, RuntimeError, ValueError, AttributeError, pickle.UnpicklingError):
        return False  # none, cut off, or something else under that name
    if fits:
        model.load_state_dict(kept)
    return fits


def _shapes(weights: Mapping[str, torch.Tensor]) -> dict[str, torch.Size]:
    return {name: tensor.shape for name, tensor in weights.items()}


def _model_path(name: str) -> Path:
    return progress.path().parent / "models" / f"{name}.pt"
