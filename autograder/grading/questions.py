"""What the judge is asked to decide: numbers, a way to get the hidden ones, and solutions as text."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from autograder.results import Verdict

if TYPE_CHECKING:
    from helpers.checking.calling.outcome import Outcome
    from helpers.checking.sheet import Sheet


@dataclass(frozen=True)
class Sheets:
    """The cases by which one answer of one submission is judged, with what is right for each.

    Attributes:
        visible: those that students have.
        hidden: makes those that decide. They have no misconceptions, which a right answer doesn't need.
        explained: makes those that decide what fails, with misconceptions, which name what is wrong. They are
            the same, unless a known right answer fails the others.
    """

    visible: "Sheet"
    hidden: "Callable[[], Sheet]"
    explained: "Callable[[], Sheet]"


@dataclass(frozen=True)
class Question:
    """One exercise, as it is put to one submission.

    Attributes:
        id: of the exercise.
        title: as a heading, for people.
        points: to be earned.
        sheets: the cases to judge by. A test of a foreign assignment has none: its own cell decides.
        solution: the cell that solves it, for what builds on it, where a student's doesn't pass.
        kept: the verdict of last time, if it still follows. Once the check runs, it needs no cases.
        witness: is shown each sheet that the answer was judged by, and what came back; the last one decided.
    """

    id: str
    title: str
    points: float
    sheets: Sheets | None = None
    solution: str = ""
    kept: Verdict | None = None
    witness: "Callable[[Sheet, list[Outcome]], None]" = lambda *_: None


def builds_on(needs: Mapping[str, Iterable[str]]) -> dict[str, frozenset[str]]:
    """By exercise, all others of the lesson that it builds on, those included on which these build.

    Args:
        needs: by exercise, in the lesson's order, on which it builds directly. Of others, nothing is said.
    """
    found: dict[str, frozenset[str]] = {}
    for id, direct in needs.items():
        known = [each for each in direct if each in found]
        found[id] = frozenset(known).union(*(found[each] for each in known))
    return found
