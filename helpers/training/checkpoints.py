"""Trained models, kept on this computer for a later lesson, and training runs that can be taken up again."""

import contextlib
import io
import pickle
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

import torch

from helpers.checking import progress
from helpers.figures.showing import Table
from helpers.storage import write_whole

UNREADABLE = (OSError, RuntimeError, ValueError, AttributeError, KeyError, TypeError, pickle.UnpicklingError)
PART = ".part"  # at the end of the name of what isn't finished


def keep(name: str, model: torch.nn.Module) -> Path:
    """Write a model's weights into `~/.headstart/models`, for a later lesson. Returns the file."""
    path, file = _model_path(name), io.BytesIO()
    torch.save(model.state_dict(), file)
    write_whole(path, file.getvalue())
    return path


def recall(name: str, model: torch.nn.Module) -> bool:
    """Load the weights kept under a name into a model. If none fit, the model stays as it was: False."""
    try:
        kept = torch.load(_model_path(name), map_location="cpu", weights_only=True)
        fits = _shapes(kept) == _shapes(model.state_dict())
    except UNREADABLE:
        return False  # none, cut off, or something else under that name
    if fits:
        model.load_state_dict(kept)
    return fits


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
        file = io.BytesIO()
        torch.save(
            {"step": step, "steps": steps, "states": states, "lines": seen, "chance": torch.get_rng_state()},
            file,
        )
        with contextlib.suppress(OSError):
            write_whole(_model_path(self.name + PART), file.getvalue())

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
    """The models and unfinished runs that are kept on this computer, with their sizes."""
    rows = []
    for path in sorted(_model_path("").parent.glob("*.pt")):
        name, unfinished = path.stem.removesuffix(PART), path.stem.endswith(PART)
        size, when = path.stat().st_size / 1e6, datetime.fromtimestamp(path.stat().st_mtime)
        state = "unfinished" if unfinished else "trained"
        rows.append([name, state, f"{size:.1f} MB", f"{when:%Y-%m-%d %H:%M}"])
    if not rows:
        return Table([], [["No model is kept on this computer."]], "No model is kept on this computer.")
    text = "\n".join(f"{name:<20} {state:<11} {size:>9} {when}" for name, state, size, when in rows)
    return Table(["model", "", "size", "from"], rows, text)


def forget(name: str) -> None:
    """Remove a model, finished or not, from this computer: the next run begins again."""
    for ending in ("", PART):
        _model_path(name + ending).unlink(missing_ok=True)


def _shapes(weights: Mapping[str, torch.Tensor]) -> dict[str, torch.Size]:
    return {name: tensor.shape for name, tensor in weights.items()}


def _model_path(name: str) -> Path:
    return progress.path().parent / "models" / f"{name}.pt"
