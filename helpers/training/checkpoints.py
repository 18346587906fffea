"""Trained models, kept on this computer for a later lesson, and training runs that can be taken up again."""

import contextlib
import hashlib
import io
import pickle
import threading
import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import torch

from helpers.checking import progress
from helpers.figures.showing import Table
from helpers.storage import write_whole

UNREADABLE = (OSError, RuntimeError, ValueError, AttributeError, KeyError, TypeError, pickle.UnpicklingError)
PART, RUNS = ".part", ".runs"  # at the end of the names of what isn't finished, and of results of runs
KEEP_SECONDS = 30.0  # from one time that a run is kept to the next


class Recorded(Protocol):
    """A training run whose curve can be kept."""

    def record(self) -> dict[str, Any]:
        """The curve, as plain data."""


class Found(NamedTuple):
    """A kept model: when its training ended, the record of its curve, if there is one, and its own tokens."""

    when: datetime
    curve: dict[str, Any] | None
    tokens: Sequence[str] = ()


def keep(name: str, model: torch.nn.Module, live: Recorded | None = None, tokens: Sequence[str] = ()) -> Path:
    """Write a model's weights into `~/.headstart/models`, for a later lesson. Returns the file.

    Args:
        name: to find it by.
        model: whose weights are kept.
        live: the run that trained it, whose curve is shown when the model is found again.
        tokens: what it reads, where these aren't the words of the reviews.
    """
    curve = live.record() if live else None
    found = {"weights": model.state_dict(), "curve": curve, "when": time.time(), "tokens": [*tokens]}
    return _write(name, found)


def load(name: str, model: torch.nn.Module) -> Found | None:
    """Load the weights kept under a name into a model. If none fit, the model stays as it was: None."""
    try:
        kept = torch.load(_model_path(name), map_location="cpu", weights_only=True)
        if not isinstance(kept.get("weights"), dict):  # kept by an older version: weights alone
            kept = {"weights": kept, "curve": None, "when": _model_path(name).stat().st_mtime}
        if _shapes(kept["weights"]) != _shapes(model.state_dict()):
            return None
        model.load_state_dict(kept["weights"])
        return Found(datetime.fromtimestamp(kept["when"]), kept["curve"], kept.get("tokens", ()))
    except UNREADABLE:
        return None  # none, cut off, or something else under that name


def shapes(name: str) -> dict[str, torch.Size]:
    """The shapes of the weights that are kept under a name, by their names; empty where there are none."""
    try:
        return _shapes(torch.load(_model_path(name), map_location="cpu", weights_only=True)["weights"])
    except UNREADABLE:
        return {}


class Runs:
    """Results of training runs, kept so that none is made twice, nor lost by an interrupt.

    Args:
        name: under which they are kept.
    """

    def __init__(self, name: str) -> None:
        self.name, self.lock, self.saved = name, threading.Lock(), time.monotonic()
        try:
            self.known = dict(torch.load(_model_path(name + RUNS), map_location="cpu", weights_only=True))
        except UNREADABLE:
            self.known = {}

    def add(self, mark: str, result: object, model: torch.nn.Module | None) -> None:
        """Keep a result, in plain numbers, under what it depends on; with the weights of a trained model."""
        weights = model and {name: value.clone() for name, value in model.state_dict().items()}
        with self.lock:
            self.known[_digest(mark)] = {"result": result, "weights": weights, "when": time.time()}
            if time.monotonic() - self.saved > KEEP_SECONDS:
                self.save()

    def find(self, mark: str, model: torch.nn.Module | None) -> dict[str, Any] | None:
        """What is kept under a mark, "result" and "when"; the model gets the weights it ended with."""
        kept = self.known.get(_digest(mark))
        if kept and model is not None:
            try:
                model.load_state_dict(kept["weights"])
            except UNREADABLE:
                return None
        return kept

    def save(self) -> None:
        """Write the file. A full disk costs that, not the results."""
        with contextlib.suppress(OSError):
            _write(self.name + RUNS, self.known)
        self.saved = time.monotonic()


def behaviour(loss: torch.Tensor, model: torch.nn.Module) -> str:
    """A model before its training, by its loss on something and the size of the loss's gradient.

    Whatever code of a student's it is made of: as long as it does the same, this is the same.
    """
    weights = [weight for weight in model.parameters() if weight.requires_grad]
    gradients = torch.autograd.grad(loss, weights, allow_unused=True)
    size = sum(float(gradient.norm()) for gradient in gradients if gradient is not None)
    return f"{loss.item():.4g} {size:.4g}"


class HasState(Protocol):
    """A model, an optimizer, a running mean: what can be written down and read again."""

    def state_dict(self) -> dict[str, Any]:
        """All that it holds."""

    def load_state_dict(self, state: dict[str, Any]) -> object:
        """Hold that again."""


class Chance:
    """A generator of random numbers, as a part of a `Checkpoint`."""

    def __init__(self, generator: torch.Generator) -> None:
        self.generator = generator

    def state_dict(self) -> dict[str, Any]:
        """Where it stands."""
        return {"state": self.generator.get_state()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from there."""
        self.generator.set_state(state["state"])


class Checkpoint:
    """A training run as it stands, kept so that it can be taken up after an interrupt or a restart.

    Args:
        name: of the run; the finished model may be kept under the same.
        parts: all that changes in it: the model, the optimizer, a running mean of the weights.
    """

    def __init__(self, name: str, **parts: HasState) -> None:
        self.name, self.parts = name, parts

    def save(self, step: int, steps: int, lines: Mapping[str, list[tuple[int, float]]]) -> None:
        """Keep the run after a step, with what was drawn so far. A full disk costs that, not the run."""
        states = {name: part.state_dict() for name, part in self.parts.items()}
        seen = {name: torch.tensor(points, dtype=torch.float64) for name, points in lines.items()}
        with contextlib.suppress(OSError):
            _write(
                self.name + PART,
                {
                    "step": step,
                    "steps": steps,
                    "states": states,
                    "lines": seen,
                    "chance": torch.get_rng_state(),
                },
            )

    def load(self, steps: int) -> tuple[int, dict[str, list[tuple[int, float]]]]:
        """Take the kept run up again.

        Args:
            steps: that the run has in all; one of another length is no such run.

        Returns:
            The step after which it was kept, and what was drawn until then; 0 and nothing where none is kept
            that fits.
        """
        before = {name: part.state_dict() for name, part in self.parts.items()}
        try:
            kept = torch.load(_model_path(self.name + PART), map_location="cpu", weights_only=True)
            if kept["steps"] != steps or kept["states"].keys() != self.parts.keys():
                return 0, {}
            for name, part in self.parts.items():
                part.load_state_dict(kept["states"][name])
            torch.set_rng_state(kept["chance"])
            lines = {
                name: [(int(step), value) for step, value in points.tolist()]
                for name, points in kept["lines"].items()
            }
            return int(kept["step"]), lines
        except UNREADABLE:
            for name, part in self.parts.items():
                with contextlib.suppress(*UNREADABLE):
                    part.load_state_dict(before[name])
            return 0, {}

    def forget(self) -> None:
        """Keep it no longer: the run is finished, or is to begin again."""
        _model_path(self.name + PART).unlink(missing_ok=True)


def kept() -> Table:
    """The models, unfinished runs and results that are kept on this computer, with their sizes."""
    rows = []
    for path in sorted(_model_path("").parent.glob("*.pt")):
        states = {PART: "unfinished", RUNS: "runs"}
        state = states.get(Path(path.stem).suffix, "trained")
        name = path.stem if state == "trained" else Path(path.stem).stem
        size, when = path.stat().st_size / 1e6, datetime.fromtimestamp(path.stat().st_mtime)
        rows.append([name, state, f"{size:.1f} MB", f"{when:%Y-%m-%d %H:%M}"])
    if not rows:
        return Table([], [["No model is kept on this computer."]], "No model is kept on this computer.")
    text = "\n".join(f"{name:<20} {state:<11} {size:>9} {when}" for name, state, size, when in rows)
    return Table(["model", "", "size", "from"], rows, text)


def forget(name: str) -> None:
    """Remove a model, finished or not, or the results of runs: the next time they are made again."""
    for ending in ("", PART, RUNS):
        _model_path(name + ending).unlink(missing_ok=True)


def _shapes(weights: Mapping[str, torch.Tensor]) -> dict[str, torch.Size]:
    return {name: tensor.shape for name, tensor in weights.items()}


def _digest(mark: str) -> str:
    return hashlib.sha256(mark.encode()).hexdigest()[:16]


def _write(name: str, content: dict[str, Any]) -> Path:
    file = io.BytesIO()
    torch.save(content, file)
    write_whole(path := _model_path(name), file.getvalue())
    return path


def _model_path(name: str) -> Path:
    return progress.path().parent / "models" / f"{name}.pt"
