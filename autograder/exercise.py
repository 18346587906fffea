"""What an exercise is: plain data, from which the checks, the judge, the tests and the simulator follow."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from helpers.checking.calling.drivers import Case, Outcome, run

__all__ = ["Case", "Exercise", "Misconception", "Outcome", "explained"]

# Answers of ours run one at a time: a driver seeds torch's generator, which all threads of a process share,
# and a grader's threads would take each other's random numbers.
_RUNNING = threading.Lock()


@dataclass(frozen=True)
class Misconception:
    """A mistake that people really make.

    Attributes:
        name: unique in its exercise.
        variant: the reference with the mistake in it. For the "choice" driver, the wrong choices alone,
            as `{slot: option}`.
        sentence: what is wrong and why it matters, for the one who made it. One sentence.
    """

    name: str
    variant: Callable | Mapping[str, Any]
    sentence: str


def explained(*variants: Callable) -> tuple[Misconception, ...]:
    """Misconceptions that are functions or classes: each has its sentence as its docstring."""
    return tuple(Misconception(v.__name__, v, " ".join((v.__doc__ or "").split())) for v in variants)


@dataclass(frozen=True)
class Exercise:
    """One graded exercise.

    Attributes:
        id: `topic.name`; the same word in the master's `exercise="..."` and `check="..."`.
        title: as a heading, for people.
        points: earned when every case passes.
        reference: what is right: a function, or for the "choice" driver a dict.
        cases: makes the calls, from a generator of random numbers that decides values and sizes. Sizes of
            one call are pairwise distinct, so that swapped axes can't hide.
        driver: how the answer is called, a key of `DRIVERS` (`helpers/checking/calling/drivers.py`).
        returns: names of the returned values, for messages.
        properties: functions of `helpers.checks` that hold beyond the values.
        forbidden: dotted names of functions to do without.
        misconceptions: what people get wrong.
        alternatives: two or more correct answers, each written differently from the reference.
        needs: ids of exercises whose answers this one builds on.
        difficulty: 1 to 5.
        minutes: what it takes a student who has read so far.
        square: why tensors of its cases have two axes of one size, where they must: "weights are d_model ×
            d_model". Their values, no symmetric ones, then have to show a swap of axes.
    """

    id: str
    title: str
    points: int
    reference: Any
    cases: Callable[[torch.Generator], list[Case]]
    driver: str = "call"
    returns: tuple[str, ...] = ("output",)
    properties: tuple[Callable, ...] = ()
    forbidden: tuple[str, ...] = ()
    misconceptions: tuple[Misconception, ...] = ()
    alternatives: tuple[Any, ...] = ()
    needs: tuple[str, ...] = ()
    difficulty: int = 1
    minutes: int = 5
    square: str = ""

    @property
    def topic(self) -> str:
        return self.id.partition(".")[0]

    @property
    def gradients(self) -> bool:
        return any(getattr(prop, "needs_gradients", False) for prop in self.properties)

    def outcome(self, answer: Any, case: Case) -> Outcome:
        """What an answer of ours does on a case, through the driver of students. Any thread may ask."""
        if self.driver == "choice" and answer is not self.reference:
            answer = overlay(self.reference, answer)
        with _RUNNING:
            return run(self.driver, answer, case, gradients=self.gradients, forbidden=())


def overlay(right: Mapping, wrong: Mapping) -> dict:
    """The right choices with some replaced. Slots of nested dicts are joined by ` · `, as in the driver."""
    flat = dict(wrong)

    def replace(node: Mapping, prefix: str) -> dict:
        joined = {key: f"{prefix} · {key}" if prefix else str(key) for key in node}
        return {
            key: replace(value, joined[key]) if isinstance(value, Mapping) else flat.get(joined[key], value)
            for key, value in node.items()
        }

    return replace(right, "")
