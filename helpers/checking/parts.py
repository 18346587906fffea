"""Whether an answer would pass if the ones it builds on were right.

A student's notebook has no right answers to try. What it has is the sheets: for each needed function, what
right answers call it with, in short, and what it then gives; of a class of modules, its `forward`, to which
the weights belong. Stand-ins that know this much take its place. An answer that calls a function with
anything else isn't shown to be right, so nothing else is blamed.
"""

import contextlib
import inspect
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from helpers.checking.assessing import assess, passes
from helpers.checking.calling.outcome import CallStatus, Outcome
from helpers.checking.calling.values import decode
from helpers.checking.explaining.sketches import Sketch, sketch
from helpers.checking.finding import Status
from helpers.checking.kinds import frames
from helpers.checking.kinds.arrays import is_array
from helpers.checking.properties import PROPERTIES
from helpers.checking.sheet import Sheet

DATA = (int, float, complex, str, bytes, list, tuple, type(None))
Calls = Sequence[
    Mapping[str, Any]
]  # each with what was "given", as the text of a sketch, and what it "returns"


def given(function: Callable, args: tuple, kwargs: Mapping[str, Any]) -> Sketch | None:
    """What a function is called with, in short, whether by place or by name; None if it isn't all data."""
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
    except (TypeError, ValueError):
        return None
    bound.apply_defaults()
    values = list(bound.arguments.values())
    if values and _is_module(values[0]):  # what a `forward` belongs to
        values[0] = [weight for _, weight in sorted(values[0].state_dict().items())]
    if not all(isinstance(value, DATA) or is_array(value) or frames.is_frame(value) for value in values):
        return None
    return sketch(Outcome(CallStatus.RETURNED, values))


def _is_module(value: object) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.nn.Module)


def at_fault(
    sheet: Sheet,
    outcomes: list[Outcome],
    failing: Collection[str],
    again: Callable[[Sheet, Mapping[str, Calls]], list[Outcome]],
) -> str:
    """The title of a needed exercise by whose fault alone an answer is wrong; "" where that isn't shown.

    Args:
        sheet: of the exercise.
        outcomes: of the answer, as it is.
        failing: ids of exercises whose answers are known not to pass.
        again: calls the answer on a sheet's cases, with stand-ins for functions by name.
    """
    parts = {id: sheet.parts[id] for id in sheet.needs if id in failing and id in sheet.parts}
    if not parts or any(outcome.status == CallStatus.INTERRUPTED for outcome in outcomes):
        return ""
    # The stand-ins let no gradient through.
    properties = tuple(name for name in sheet.properties if not PROPERTIES[name].needs_gradients)
    values = replace(sheet, properties=properties)
    if assess(values, outcomes).status != Status.FAILED:
        return ""
    right = again(values, {part["name"]: part["calls"] for part in parts.values()})
    return sheet.needs[next(iter(parts))] if passes(values, right) else ""


@contextlib.contextmanager
def in_place(answer: object, stand_ins: Mapping[str, Calls]) -> Iterator[None]:
    """Have what bears these names, where an answer looks for it, give what is known to be right."""
    module = sys.modules.get(getattr(answer, "__module__", None) or "__main__")
    room = getattr(answer, "__globals__", None) or (vars(module) if module else {})
    theirs = {name: room[name] for name in stand_ins if callable(room.get(name))}
    room.update({name: _stand_in(function, stand_ins[name]) for name, function in theirs.items()})
    try:
        yield
    finally:
        room.update(theirs)


def _stand_in(function: Callable, calls: Calls) -> Callable:
    if isinstance(function, type):
        forward = getattr(function, "forward", function)
        return type(function.__name__, (function,), {"forward": _stand_in(forward, calls)})

    def stand_in(*args: Any, **kwargs: Any) -> Any:
        found = given(function, args, kwargs)
        for call in calls:
            if found and found.same(call["given"]):
                return decode(call["returns"])
        raise LookupError("no right answer calls it with this")

    return stand_in
