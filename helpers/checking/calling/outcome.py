"""What goes into a student's object and what comes out of it, as data: a case and an outcome."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from helpers.checking.calling.values import arrays, decode, encode
from helpers.checking.kinds.arrays import is_array


@dataclass(frozen=True)
class Case:
    """One call of a student's object.

    Attributes:
        title: for people.
        args: for the driver.
        kwargs: the same, by name.
        names: what the exercise's text calls the first of `args`, where it does.
    """

    title: str
    args: tuple = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    names: tuple[str, ...] = ()

    @property
    def given(self) -> list:
        """The positional and the keyword arguments."""
        return [[*self.args], {**self.kwargs}]

    def arguments(self) -> Iterator[tuple[str, Any]]:
        """Each argument with what to call it."""
        for number, value in enumerate(self.args):
            yield (f"`{self.names[number]}`" if number < len(self.names) else f"argument {number + 1}"), value
        for key, value in self.kwargs.items():
            yield f"`{key}`", value

    def inputs(self) -> Iterator[tuple[str, Any]]:
        """Each array in the arguments with what to call it."""
        number = 0
        for name, value in self.arguments():
            entries = value.items() if isinstance(value, Mapping) else [(name.strip("`"), value)]
            known = isinstance(value, Mapping) or name.startswith("`")
            for key, entry in entries:
                for array in arrays(entry):
                    number += 1
                    named = known and is_array(entry)
                    yield (f"`{key}`" if named else f"input {number}"), array

    def to_json(self) -> dict:
        return {
            "title": self.title,
            "args": encode(list(self.args), tuples=True),
            "kwargs": encode(dict(self.kwargs), tuples=True),
        }

    @classmethod
    def from_json(cls, value: dict) -> "Case":
        return cls(value["title"], tuple(decode(value["args"])), decode(value["kwargs"]))


AS_GIVEN = "as given"  # stands for arguments that a call left as they were: most do, and they are long


class CallStatus(StrEnum):
    """How one call ended."""

    RETURNED = "returned"
    RAISED = "raised"
    NOT_WRITTEN = "not written"
    FORBIDDEN = "forbidden"
    UNUSABLE = "unusable"
    INTERRUPTED = "interrupted"


# After these no further case is called: one Ctrl-C is enough, and what isn't written stays unwritten.
ENDS = (CallStatus.INTERRUPTED, CallStatus.NOT_WRITTEN)


@dataclass(frozen=True)
class Outcome:
    """What one call did.

    Attributes:
        status: how it ended.
        outputs: what was returned: arrays, numbers, text, or lists and dicts of them.
        inputs_after: the positional and the keyword arguments, as the call left them; or `AS_GIVEN`.
        gradients: for each floating-point tensor among the arguments, the gradient of a fixed weighted sum
            of all outputs, or None where none arrived. None altogether where no gradients were asked for.
        largest: the number of elements of the largest tensor that was made. None where none was asked for.
        error: the exception's type, the forbidden function's name, what makes the object unusable, or the
            function that isn't written yet, where it is another one.
        message: the exception's text.
        where: the line of the student's code that raised.
        printed: what the call printed and displayed, or the beginning and the end of it.
        seconds: the CPU time that a call had used when it was interrupted, where somebody asks for it.
    """

    status: CallStatus
    outputs: Any = None
    inputs_after: list | str | None = None
    gradients: list | None = None
    largest: int | None = None
    error: str = ""
    message: str = ""
    where: str = ""
    printed: str = ""
    seconds: float | None = None

    def to_json(self) -> dict:
        """What there is to tell: empty texts and what is None are left out."""
        told = {
            k: v
            for k, v in vars(self).items()
            if v is not None and (not (isinstance(v, str) and not v) or k == "outputs")
        }
        return {key: encode(value) for key, value in told.items()}

    @classmethod
    def from_json(cls, value: dict) -> "Outcome":
        """Read an outcome back.

        Raises:
            ValueError: it isn't one. It may come from a stranger.
        """
        # defence: outcome: a dict of known parts
        if not isinstance(value, dict) or not set(value) <= set(cls.__dataclass_fields__):
            raise ValueError("not an outcome")
        texts = [value.get(key, "") for key in ("status", "error", "message", "where", "printed")]
        after, gradients = value.get("inputs_after", []), value.get("gradients", [])
        # defence: outcome: texts
        if value.get("status") not in [*CallStatus] or not all(isinstance(text, str) for text in texts):
            raise ValueError("an outcome with no status or with something else where text belongs")
        # defence: outcome: lists
        if not (isinstance(after, list) or after == AS_GIVEN) or not isinstance(gradients, list):
            raise ValueError("an outcome with something else where a list of tensors belongs")
        # defence: outcome: size
        if not isinstance(value.get("largest", 0), int):
            raise ValueError("an outcome with something else where a size belongs")
        # defence: outcome: seconds
        if not isinstance(value.get("seconds", 0.0), float):
            raise ValueError("an outcome with something else where seconds belong")
        told = {key: decode(item) for key, item in value.items()}
        return cls(**{**told, "status": CallStatus(value["status"])})
