"""Functions of ours that a case can name, since functions can't travel as data.

A case holds a *recipe*, `{"layer": a name, "weights": [tensors]}`, from which the driver makes the function.
Each lesson registers what its cases name in a `recipes.py` of its own, which ships with the lesson: nothing
here knows a lesson.
"""

import functools
import importlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

HELPERS = Path(__file__).resolve().parents[2]

LAYERS: dict[str, Callable[..., Any]] = {}


def register(layers: Mapping[str, Callable[..., Any]]) -> None:
    """Make layers known by name. Each is called with a recipe's weights and returns the function.

    Raises:
        ValueError: another layer has one of these names.
    """
    for name, make in layers.items():
        if LAYERS.setdefault(name, make) is not make:
            raise ValueError(f"two recipes have the name {name!r}")


def is_recipe(value: object) -> bool:
    """Whether a case's argument stands for a function of ours."""
    return isinstance(value, Mapping) and "layer" in value


def make_layer(recipe: Mapping) -> Any:
    """What a recipe describes: a function mostly, or what a driver of training works on.

    Raises:
        KeyError: no lesson here registers it.
    """
    if recipe["layer"] not in LAYERS:
        load()
    return LAYERS[recipe["layer"]](*recipe.get("weights", ()))


def not_registered(values: Iterable[object]) -> str:
    """The name of a recipe among a case's arguments, or in one, that no lesson here registers; or ""."""
    parts = [part for value in values for part in (value, *_inside(value))]
    names = [str(part["layer"]) for part in parts if isinstance(part, Mapping) and is_recipe(part)]
    if not {*names} <= {*LAYERS}:
        load()
    return next((name for name in names if name not in LAYERS), "")


def _inside(value: object) -> Iterable[object]:
    return value.values() if isinstance(value, Mapping) else ()


@functools.cache
def load() -> None:
    """Import the recipes of every lesson that is here, once."""
    for path in sorted(HELPERS.glob("*/recipes.py")):
        importlib.import_module(f"helpers.{path.parent.name}.recipes")
