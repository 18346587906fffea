"""Catching a slip: a few lines on an earlier lesson, right or with one slip in them, as one entry of data.

The answer says which line has the slip and which input shows it. What each input gives is tried by
the build (`authoring/trials.py`), on these lines and on the reference of the exercise that they are about.
"""

from dataclasses import dataclass

from autograder.exercise import Exercise, Misconception
from helpers.checking.calling.outcome import Case

LINE, INPUT, NONE = "line with the slip", "input that shows it", "none"
LETTERS = "abcdefgh"


@dataclass(frozen=True)
class Recall(Exercise):
    """An exercise that shows code and asks what is wrong with it, if anything is.

    Attributes:
        about: the id of the earlier exercise that the code should solve.
        task: what it should do, in one sentence.
        code: defines a function that is called as the reference of `about`.
        inputs: calls of that function, as Python expressions.
    """

    about: str = ""
    task: str = ""
    code: str = ""
    inputs: tuple[str, ...] = ()

    @property
    def lines(self) -> list[str]:
        """The code's lines, without blank ones at its ends."""
        return self.code.strip("\n").split("\n")


def recall(
    id: str,
    about: str,
    *,
    title: str,
    task: str,
    code: str,
    inputs: tuple[str, ...],
    hint: str,
    line: int = 0,
    shows: int = 0,
) -> Recall:
    """One item.

    Args:
        id: `topic.name`, of the lesson that asks.
        about: the id of the earlier exercise.
        title: as a heading, for people.
        task: what the code should do, in one sentence.
        code: defines a function that is called as the reference of `about`.
        inputs: calls of that function, as Python expressions.
        hint: what those should look at who overlook the slip, or see one where none is; part of a sentence.
        line: the line with the slip, from 1; 0 if the code is right.
        shows: which of the inputs shows it, from 1; 0 if the code is right.

    Raises:
        ValueError: there is a slip but no input that shows it, or the other way round.
    """
    if bool(line) != bool(shows):
        raise ValueError(f"{id}: a slip has a line and an input that shows it; right code has neither")
    letters = LETTERS[: len(inputs)]
    options: dict[str, list] = {
        LINE: [*range(1, len(code.strip("\n").split("\n")) + 1), NONE],
        INPUT: [*letters, NONE],
    }
    reference = {LINE: line or NONE, INPUT: letters[shows - 1] if shows else NONE}
    wrong = [
        Misconception(
            f"{slot.partition(' ')[0]}_{option}", {slot: option}, _sentence(slot, option, hint, line)
        )
        for slot, allowed in options.items()
        for option in allowed
        if option != reference[slot]
    ]
    return Recall(
        id=id, title=title, points=1, difficulty=1, minutes=2, driver="choice", reference=reference,
        cases=lambda generator: [Case("", (options,))], misconceptions=tuple(wrong),
        about=about, task=task, code=code, inputs=inputs,
    )  # fmt: skip


def _sentence(slot: str, option: object, hint: str, line: int) -> str:
    """What to say of a wrong choice."""
    if slot == INPUT:
        shown = "One of these inputs shows the slip."
        return shown if option == NONE else f"On input {option} the code gives what it should."
    if option == NONE:
        return f"One line has a slip: {hint}."
    return f"Line {option} does what it should: " + ("the slip is in another." if line else f"{hint}.")
