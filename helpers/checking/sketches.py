"""Outcomes as a few characters each: enough to see that two are the same, too little to read one from.

`checks.json` keeps what thousands of small slips give on an exercise's cases. As numbers that would be
megabytes. A sketch is a hash of the outcome's form (types, shapes, texts, whole numbers) and one sum of all
its fractional numbers, each weighted by its position. Two outcomes that differ by more than rounding have the
same sum a few times in a million, and a slip is known by its sketches on all cases.
"""

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from helpers.checking.outcome import CallStatus, Outcome

RIGHT = "="  # in the place of the sketch of a case that is right
ROUNDING = 3e-6  # of the numbers' sizes added up: float32 rounds at 6e-8, a few times over
NAN, INFINITE = 0.6180, 1.4142  # what stands for them in a sum


@dataclass(frozen=True)
class Sketch:
    """An outcome in short.

    Attributes:
        form: a hash of all that is exact.
        total: the weighted sum of its fractional numbers.
        size: the sum of their weighted sizes, in which rounding is measured.
    """

    form: str
    total: float
    size: float

    def __str__(self) -> str:
        return f"{self.form}{self.total:+.8g}" if self.size else self.form

    def same(self, written: str) -> bool:
        """Whether this outcome is the one that a text stands for."""
        form, total = written[:6], float(written[6:] or 0)
        return form == self.form and abs(total - self.total) <= ROUNDING * self.size + 1e-9


def sketch(outcome: Outcome) -> Sketch:
    """An outcome in short."""
    if outcome.status != CallStatus.RETURNED:
        return Sketch(_hash([outcome.status, outcome.error]), 0.0, 0.0)
    form: list[str] = []
    numbers = torch.cat([torch.zeros(0, dtype=torch.float64), *_parts(outcome.outputs, form)])
    weights = _weights(len(numbers))
    numbers = numbers.nan_to_num(nan=NAN, posinf=INFINITE, neginf=-INFINITE)
    return Sketch(_hash(form), float(weights @ numbers), float(weights.abs() @ numbers.abs()))


def recognised(sketches: Sequence[Sketch | None], slips: Mapping[str, Sequence[str]]) -> str:
    """What is said of the slip that gives these outcomes, or "".

    Args:
        sketches: of an answer's outcomes, one for each case; None where a case is right.
        slips: by what is said of them, what they give: the sketches as texts, with spaces between.
    """
    return next((said for said, texts in slips.items() if any(alike(sketches, text) for text in texts)), "")


def written(sketches: Sequence[Sketch | None]) -> str:
    """Sketches as one text."""
    return " ".join(RIGHT if each is None else str(each) for each in sketches)


def alike(sketches: Sequence[Sketch | None], text: str) -> bool:
    """Whether sketches are those that a text holds."""
    return len(sketches) > 0 and all(
        theirs == RIGHT if ours is None else theirs != RIGHT and ours.same(theirs)
        for ours, theirs in zip(sketches, text.split(" "), strict=True)
    )


def _hash(form: Sequence[str]) -> str:
    return f"{zlib.crc32(chr(0).join(form).encode()) & 0xFFFFFF:06x}"


def _parts(value: Any, form: list[str]) -> Iterator[torch.Tensor]:
    """The fractional numbers in a value, in order; all else is appended to its form."""
    if isinstance(value, torch.Tensor) and value.dim() == 0:
        value = value.item()  # where one number is asked for, either will do
    if isinstance(value, torch.Tensor):
        form.append(f"{value.dtype} {tuple(value.shape)}")
        if value.is_floating_point():
            yield value.detach().double().reshape(-1)
        else:
            form.append(str(zlib.crc32(value.contiguous().reshape(-1).numpy().tobytes())))
    elif isinstance(value, float):
        form.append("float")
        yield torch.tensor([value], dtype=torch.float64)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            form.append(f"{key}:")
            yield from _parts(item, form)
    elif isinstance(value, list | tuple):
        form.append(f"[{len(value)}]")
        for item in value:
            yield from _parts(item, form)
    else:
        form.append(repr(value)[:1000])


def _weights(count: int) -> torch.Tensor:
    """Numbers between -1 and 1 without a pattern: a sum by these tells an order from another."""
    place = torch.arange(1, count + 1, dtype=torch.float64)
    return torch.cos(place * place * 1.7724539 + place * 0.5772157)
