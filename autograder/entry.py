"""An exercise as its file writes it: the entry, then its cases, right answers and wrong ones, as one reads them.

exercise = Entry(id="attention.softmax", title="Softmax", points=3, reference=attention.softmax, ...)

@exercise.cases
def cases(g): ...

@exercise.alternative
def by_logsumexp(x, dim): ...

exercise.slip("no_maximum", "What is wrong, and why it matters.", ("x - x.amax(dim)", "x"))

@exercise.misconception
def clamped(x, dim):
    \"\"\"What is wrong, where no edit of a right answer gives it.\"\"\"
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from autograder.exercise import Exercise, Misconception
from autograder.answers import Edit, slip
from helpers.checking.calling.outcome import Case

Answer = TypeVar("Answer", bound=Callable[..., Any])


class Entry:
    """What a file says of its exercise. `record` is the exercise.

    Args:
        fields: those of `Exercise` that are given at once. Cases, answers that are code and misconceptions
            follow, in the order in which students are told of them.
        options: for an exercise of choice, what may be chosen, by slot.
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
            TypeError: a field is missing, or there is none of that name.
        """
        return Exercise(
            **self._fields,
            alternatives=tuple(self._alternatives),
            misconceptions=tuple(self._misconceptions),
        )

    def reference(self, answer: Answer) -> Answer:
        """Mark the right answer, where no lesson's helpers have it."""
        self._fields["reference"] = answer
        return answer

    def cases(self, make: Answer) -> Answer:
        """Mark the function that makes the cases from a generator of random numbers."""
        self._fields["cases"] = make
        return make

    def alternative(self, answer: Answer) -> Answer:
        """Mark a right answer that is written differently from the reference."""
        self._alternatives.append(answer)
        return answer

    def misconception(self, answer: Answer) -> Answer:
        """Mark a wrong answer. Its docstring is the sentence to the student who made it."""
        sentence = " ".join((answer.__doc__ or "").split())
        self._misconceptions.append(Misconception(answer.__name__, answer, sentence))
        return answer

    def slip(self, name: str, sentence: str, *edits: Edit, of: Any = None) -> None:
        """Add a wrong answer that is a right one with edits.

        Args:
            name: unique in the exercise, a Python name.
            sentence: what is wrong and why it matters, to the student who made it.
            edits: as `(old, new)`, each a text that the right answer's code has once, and what replaces it.
            of: the right answer; None means the reference.

        Raises:
            SlipError: an edit can't be made.
        """
        variant = slip(name, of or self._fields["reference"], edits)
        self._misconceptions.append(Misconception(name, variant, sentence))

    def choice(self, name: str, sentence: str, chosen: Mapping[str, Any]) -> None:
        """Add wrong choices of an exercise of choice, as `{slot: option}`."""
        self._misconceptions.append(Misconception(name, chosen, sentence))
