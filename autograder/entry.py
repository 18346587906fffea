"""An exercise as its file writes it: the entry, then cases, right answers and wrong ones, in this order.

```
exercise = Entry(id="attention.softmax", title="Softmax", points=3, reference=attention.softmax, ...)

@exercise.cases
def cases(g): ...

@exercise.alternative
def by_logsumexp(x, dim): ...

exercise.slip("no_maximum", "x - x.amax(dim=dim, keepdim=True) → x").says("What is wrong, and why.")

@exercise.misconception
def clamped(x, dim):
    'What is wrong, and why it matters: of an answer that is no edit of a right one.'
```
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from autograder.answers import MARK, SlipError, slip
from autograder.exercise import Exercise, Misconception
from helpers.checking.calling.outcome import Case

Answer = TypeVar("Answer", bound=Callable[..., Any])


class Entry:
    """What a file says of its exercise; `record` is the exercise.

    Args:
        options: what may be chosen, by slot, in an exercise of choice.
        fields: those of `Exercise` that are known at once. Whatever is code follows.
    """

    def __init__(self, *, options: Mapping[str, Sequence[object]] | None = None, **fields: Any) -> None:
        self._fields = fields
        if options is not None:
            self._fields |= {"driver": "choice", "cases": lambda _: [Case("", (options,))]}
        self._alternatives: list[Any] = []
        self._misconceptions: list[Misconception] = []

    @property
    def record(self) -> Exercise:
        """The exercise.

        Raises:
            TypeError: a field is missing, or `Exercise` has none of that name.
        """
        return Exercise(
            **self._fields,
            alternatives=tuple(self._alternatives),
            misconceptions=tuple(self._misconceptions),
        )

    def reference(self, answer: Answer) -> Answer:
        """Mark the right answer, where no lesson's helpers have it."""
        self._is_known()
        self._fields["reference"] = answer
        return answer

    def cases(self, make: Answer) -> Answer:
        """Mark the function that makes the cases from a generator of random numbers."""
        self._is_known()
        self._fields["cases"] = make
        return make

    def alternative(self, answer: Answer) -> Answer:
        """Mark a right answer that is written differently from the reference."""
        self._alternatives.append(answer)
        return answer

    def misconception(self, answer: Answer) -> Answer:
        """Mark a wrong answer that is no edit of a right one. Its docstring is what it says."""
        self._wrong(answer.__name__, answer).says(" ".join((answer.__doc__ or "").split()))
        return answer

    def slip(self, name: str, *edits: str, of: Any = None) -> "Wrong":
        """Add a wrong answer that is a right one with edits.

        Args:
            name: unique in the exercise, a Python name.
            edits: each as `old → new`, where the right answer's code has the old text once; `old →` takes it
                out.
            of: the right answer; None means the reference.

        Raises:
            SlipError: an edit can't be made.
        """
        return self._wrong(name, slip(name, of or self._fields["reference"], edits))

    def choice(self, name: str, chosen: Mapping[str, Any]) -> "Wrong":
        """Add wrong choices of an exercise of choice, as `{slot: option}`."""
        self._is_known()
        return self._wrong(name, chosen)

    def _is_known(self) -> None:
        """Refuse a file that calls its entry something else: what is marked would be in no exercise."""
        room = sys._getframe(2).f_globals  # of the file, which calls the mark
        names = [name for name, value in room.items() if value is self]
        if names and MARK not in names:
            raise SlipError(f"the entry is called `{names[0]}`; call it `{MARK}`, as every file does")

    def _wrong(self, name: str, variant: Any) -> "Wrong":
        self._misconceptions.append(Misconception(name, variant, ""))
        return Wrong(self._misconceptions, len(self._misconceptions) - 1)


@dataclass(frozen=True)
class Wrong:
    """A wrong answer that waits for its sentence."""

    among: list[Misconception]
    number: int

    def says(self, sentence: str) -> None:
        """Say what is wrong and why it matters, in one sentence to the student who made it."""
        self.among[self.number] = replace(self.among[self.number], sentence=sentence)
