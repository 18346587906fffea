"""Trained models, kept on this computer for a later lesson."""

import io
import pickle
from collections.abc import Mapping
from pathlib import Path

import torch

from helpers.checking import progress
from helpers.storage import write_whole


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
    except (OSError, RuntimeError, ValueError, AttributeError, pickle.UnpicklingError):
        return False  # none, cut off, or something else under that name
    if fits:
        model.load_state_dict(kept)
    return fits


def _shapes(weights: Mapping[str, torch.Tensor]) -> dict[str, torch.Size]:
    return {name: tensor.shape for name, tensor in weights.items()}


def _model_path(name: str) -> Path:
    return progress.path().parent / "models" / f"{name}.pt"
