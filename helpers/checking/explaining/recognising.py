"""Whether an answer that fails makes a mistake that is known: told by the numbers alone."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from helpers.checking.calling.outcome import CallStatus, Outcome
from helpers.checking.calling.values import arrays, map_arrays
from helpers.checking.comparing import compare, in_form
from helpers.checking.explaining.sketches import RIGHT, Seen, Sketch, alike, sketch, sketch_beside
from helpers.checking.explaining.telling import Pairs
from helpers.checking.kinds.arrays import dtype_name, in_dtype, is_floating
from helpers.checking.problems import Problem, difference_of, problem_of
from helpers.checking.properties import PROPERTIES, gradient_reaches_inputs
from helpers.checking.sheet import KnownMisconception, Sheet

# Problems that a known misconception can explain. The others explain themselves.
OF_VALUES = ("type", "structure", "shape", "dtype", "nan", "value", "raised")
RECOGNISABLE = (*OF_VALUES, *PROPERTIES)


@dataclass(frozen=True)
class Failure:
    """What an answer that doesn't pass did on the cases of a sheet.

    Attributes:
        sheet: the exercise as numbers.
        outcomes: one for each of its cases.
        problems: what is wrong with each; None where one is right.
        reveal: whether a message may carry numbers and texts of a case.
    """

    sheet: Sheet
    outcomes: Sequence[Outcome]
    problems: Sequence[Problem | None]
    reveal: bool = True

    @classmethod
    def of(cls, sheet: Sheet, outcomes: Sequence[Outcome]) -> "Failure":
        """The failure of an answer whose outcomes haven't been looked at yet."""
        problems = [problem_of(sheet, number, outcome, True) for number, outcome in enumerate(outcomes)]
        return cls(sheet, outcomes, problems)

    @functools.cached_property
    def wrong(self) -> dict[int, Problem]:
        """What is wrong, by the number of the case."""
        return {number: problem for number, problem in enumerate(self.problems) if problem}

    @functools.cached_property
    def sketches(self) -> list[Seen]:
        """Outcomes in short, None for those that are right."""
        pairs = enumerate(zip(self.outcomes, self.problems, strict=True))
        return [
            _sketched(self.sheet, number, outcome) if problem else None
            for number, (outcome, problem) in pairs
        ]

    @property
    def wordless(self) -> list[Seen]:
        """The same without the words of exceptions, which differ between idioms."""
        return [each and tuple(part and replace(part, message="") for part in each) for each in self.sketches]

    @property
    def of_slip(self) -> list[Seen]:
        """The same again, to find a small slip by; empty if it isn't values that are wrong.

        Where values are right and gradients wrong, as with a factor of 0 in one case, others have to tell.
        """
        causes = {problem.cause for problem in self.wrong.values()}
        of_values = causes & {*OF_VALUES} and not causes - {*OF_VALUES, gradient_reaches_inputs.__name__}
        return self.wordless if of_values else []

    def values(self, number: int) -> Pairs:
        """Right and returned values of a case, in pairs."""
        return _values(self.sheet, self.sheet.expected[number], self.outcomes[number])


def recognise(failure: Failure) -> list[KnownMisconception]:
    """The known misconception in an answer, or none; of choices, several can be wrong, and each has its own.

    A misconception is recognised when it does the same in every case: wrong where the answer is wrong, in the
    same way, and right where it is right.
    """
    known, outcomes = failure.sheet.misconceptions, failure.outcomes
    if failure.sheet.driver == "choice":
        return [each for each in known if _chosen(each, outcomes)]
    # Different slips easily raise the same exception, so one that only raises tells nothing.
    if all(outcome.status != CallStatus.RETURNED for outcome in outcomes):
        return []
    found = [each for each in known if alike(failure.sketches, each.gives)]
    return (found or [each for each in known if _alike_in_values(failure, each.gives)])[:1]


def _alike_in_values(failure: Failure, gives: str) -> bool:
    """Whether a misconception gives the same wrong values, and differs only in a gradient beside right ones.

    At a kink idioms have gradients of their own: `relu` has 0 at 0, and `clamp(min=0)` has 1.
    """
    beside = {n for n, wrong in failure.wrong.items() if wrong.cause == gradient_reaches_inputs.__name__}
    words = gives.split(" ")
    if not beside or len(beside) == len(failure.wrong) or any(words[number] == RIGHT for number in beside):
        return False
    others = [number for number in range(len(words)) if number not in beside]
    return alike([failure.sketches[number] for number in others], " ".join(words[n] for n in others))


def _chosen(misconception: KnownMisconception, outcomes: Sequence[Outcome]) -> bool:
    got = [outcome.outputs if isinstance(outcome.outputs, dict) else {} for outcome in outcomes]
    return all(each.get(slot) == option for each in got for slot, option in misconception.chosen.items())


def _sketched(sheet: Sheet, number: int, outcome: Outcome) -> Seen:
    """What is wrong in a case, in short: value by value, where the exercise has names for several."""
    right = sheet.expected[number]
    if outcome.status != CallStatus.RETURNED:
        return (sketch(outcome),)
    if difference_of(sheet, right, outcome) is None:
        return (sketch_beside(sheet.cases[number], outcome),)
    if isinstance(outcome.outputs, str) and not outcome.outputs:  # an empty text is as good as None
        return (sketch(replace(outcome, outputs=None)),)
    coarse = not sheet.full_precision
    return tuple(
        None
        if compare(ours, theirs, coarse=coarse) is None
        else _sketch_of(replace(right, outputs=ours), theirs)
        for ours, theirs in _values(sheet, right, outcome)
    )


def _values(sheet: Sheet, right: Outcome, outcome: Outcome) -> Pairs:
    """Right and returned values in pairs: several where the exercise has names for them, else one."""
    ours, theirs = right.outputs, in_form(right.outputs, outcome.outputs)
    several = isinstance(ours, list | tuple) and isinstance(theirs, list | tuple)
    fits = several and len(ours) == len(theirs) == len(sheet.returns) > 1
    return list(zip(ours, theirs, strict=True)) if fits else [(ours, theirs)]


def _sketch_of(right: Outcome, value: object) -> Sketch:
    """A wrong value in short.

    Who makes a mistake in float64 may have a step in float32 besides, and it is the same mistake. So digits
    beyond float32 count only where the others are right.
    """
    outcome = replace(right, outputs=value)
    if not any(dtype_name(each) == "float64" for each in arrays(right.outputs)):
        return sketch(outcome)
    coarse = _in_float32(outcome)
    if compare(_in_float32(right).outputs, coarse.outputs) is None:
        return sketch(outcome, exact=True)
    return sketch(coarse)


def _in_float32(outcome: Outcome) -> Outcome:
    outputs = map_arrays(
        lambda array: in_dtype(array, "float32") if is_floating(array) else array, outcome.outputs
    )
    return replace(outcome, outputs=outputs)
