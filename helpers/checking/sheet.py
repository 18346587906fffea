"""An exercise as numbers: all that a check needs, and nothing that solves it."""

import importlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from helpers.checking.calling.drivers import Case, Outcome
from helpers.checking.calling.values import encode
from helpers.checking.properties import PROPERTIES

AND = " + "  # between the names of two misconceptions in one answer


@dataclass(frozen=True)
class KnownMisconception:
    """What one misconception does on the cases of a sheet.

    Attributes:
        name: as in the exercise.
        sentence: what is said of it.
        gives: the sketches of its outcomes, as one text.
        chosen: where something is chosen, its wrong choices, by slot; they say more than a sketch.
    """

    name: str
    sentence: str
    gives: str = ""
    chosen: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict:
        """The misconception as data, without what is empty."""
        return {key: encode(value) for key, value in vars(self).items() if value}


@dataclass(frozen=True)
class Sheet:
    """An exercise as numbers: all that a check needs, and nothing that solves it.

    Attributes:
        exercise: its id; title, points, driver, returns, forbidden, properties, full_precision: as in the
            exercise.
        arguments: what the text calls the arguments of a case, where it has names for them.
        needs: the exercises it builds on, by id, with their titles.
        parts: of those whose answers it calls, the function's name and calls of it by right answers.
        look_at: the heading of the lesson that explains it.
        cases: the calls.
        expected: the outcome of each call that is right.
        misconceptions: what known misconceptions do.
        slips: by what to say of a small slip, what it gives: texts of a sketch for each case. Two known
            misconceptions at once have both their names there, joined by `AND`.
    """

    exercise: str
    title: str
    points: int
    driver: str
    returns: tuple[str, ...]
    forbidden: tuple[str, ...]
    properties: tuple[str, ...]
    arguments: tuple[str, ...]
    needs: Mapping[str, str]
    look_at: str
    cases: tuple[Case, ...]
    expected: tuple[Outcome, ...]
    misconceptions: tuple[KnownMisconception, ...]
    slips: Mapping[str, Sequence[str]] = field(default_factory=dict)
    full_precision: bool = False
    parts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def to_json(self) -> dict:
        """The sheet as data, for `checks.json`."""
        lists = ("cases", "expected", "misconceptions", "slips", "parts")
        return shortened(
            {
                **{
                    each.name: encode(getattr(self, each.name))
                    for each in fields(self)
                    if each.name not in lists
                },
                "cases": [
                    {**case.to_json(), "expected": expected.to_json()}
                    for case, expected in zip(self.cases, self.expected, strict=True)
                ],
                "misconceptions": [misconception.to_json() for misconception in self.misconceptions],
                "slips": dict(self.slips),
                "parts": dict(self.parts),
            }
        )

    @classmethod
    def from_json(cls, value: dict) -> "Sheet":
        """Read a sheet of `checks.json`."""
        plain = {key: item for key, item in value.items() if key not in ("cases", "misconceptions")}
        plain = {key: tuple(item) if isinstance(item, list) else item for key, item in plain.items()}
        expected = tuple(Outcome.from_json(case["expected"]) for case in value["cases"])
        return cls(
            **plain,
            cases=tuple(replace(Case.from_json(case), names=plain["arguments"]) for case in value["cases"]),
            expected=expected,
            misconceptions=tuple(KnownMisconception(**each) for each in value["misconceptions"]),
        )

    @property
    def wants_gradients(self) -> bool:
        return any(PROPERTIES[name].needs_gradients for name in self.properties)

    @cached_property
    def request(self) -> bytes:
        """What the grader asks of student code, in JSON: how to call it, and inputs. No expected value."""
        asked = {
            "driver": self.driver,
            "gradients": self.wants_gradients,
            "forbidden": list(self.forbidden),
            "cases": [case.to_json() for case in self.cases],
        }
        return json.dumps(asked).encode()


def shortened(value: Any) -> Any:
    """Data with the fewest digits that read back as the same float32: 0.279, and not 0.279000014."""
    if isinstance(value, list):
        return [shortened(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "float32" in (value.get("$tensor"), value.get("$array")):
        import numpy as np

        numbers = np.array(value["data"], dtype="float32")
        return {**value, "data": [float(str(number)) for number in numbers]}
    return {key: shortened(item) for key, item in value.items()}


def load_sheet(exercise: str, folder: Path | None = None) -> Sheet:
    """Read an exercise's sheet from the lesson's `checks.json`.

    Raises:
        FileNotFoundError: there is no `checks.json` beside the notebook.
        KeyError: the lesson has no such exercise.
    """
    for place in [folder] if folder else [Path.cwd(), Path(__file__).resolve().parents[2]]:
        if (path := place / "checks.json").is_file():
            text = path.read_text(encoding="utf-8")
            sheets = json.loads(text)
            break
    else:
        raise FileNotFoundError("no checks.json beside this notebook: keep the lesson's folder together")
    if '"$tensor"' in text:  # a lesson on tensors speaks of them in each of its checks
        importlib.import_module("torch")
    if exercise not in sheets:
        raise KeyError(f"{path} has no exercise {exercise!r}; it has {', '.join(sheets)}")
    return Sheet.from_json(sheets[exercise])
