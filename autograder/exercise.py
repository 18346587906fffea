"""What an exercise is: a record, in which nothing runs. `sheets.py` runs its answers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from helpers.checking.calling.outcome import Case


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


@dataclass(frozen=True)
class Exercise:
    """One graded exercise.

    Attributes:
        id: `topic.name`; the same word in the master's `exercise="..."` and `check="..."`.
        title: as a heading, for people.
        points: earned when every case passes.
        reference: what is right: a function, or for the "choice" driver a dict.
        cases: makes the calls, from a generator of random numbers that decides values and sizes, by
            `headstart.pick`. Sizes of one call are pairwise distinct, so that swapped axes can't hide.
        driver: how the answer is called, one of those in `help(headstart)`.
        returns: names of the returned values, for messages.
        properties: what holds beyond the values, of those in `help(headstart)`.
        forbidden: dotted names of functions to do without.
        misconceptions: what people get wrong.
        alternatives: two or more correct answers, each written differently from the reference.
        needs: ids of exercises whose answers this one builds on.
        difficulty: 1 to 5.
        minutes: what it takes a student who has read so far.
        square: why tensors of its cases have two axes of one size, where they must: "weights are d_model ×
            d_model". Their values, no symmetric ones, then have to show a swap of axes.
        fixed: why a size that the docstring leaves open is never drawn, where it can't be.
        full_precision: whether the text asks for it: results for float64 inputs are then wrong where a step
            rounds to float32. Elsewhere that costs nothing, and the check remarks on it.
        draft: whether it is a first spec: then it needn't have all that an exercise should.
    """

    id: str
    title: str
    points: int
    reference: Any
    cases: "Callable[[Any], list[Case]]"
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
    fixed: str = ""
    full_precision: bool = False
    draft: bool = False

    @property
    def topic(self) -> str:
        return self.id.partition(".")[0]

    @property
    def gradients(self) -> bool:
        return any(getattr(prop, "needs_gradients", False) for prop in self.properties)


class Mistake(NamedTuple):
    """A misconception as reports show it: its name in the exercise, and what is said to who has it."""

    name: str
    sentence: str


@dataclass(frozen=True)
class Outline:
    """What reports tell of an exercise. It is read from a built lesson, so nothing is imported for it."""

    id: str
    title: str
    points: float
    misconceptions: tuple[Mistake, ...] = ()
