"""Whether an answer would pass if the ones it builds on were right.

A student's notebook has no right answers to try. What it has is the sheets: for each needed function, what
right answers call it with, in short, and what it then gives; of a class of modules, its `forward`, to which
the weights belong. Stand-ins that know this much take its place. An answer that calls a function with
anything else isn't shown to be right, so nothing else is blamed.
"""

import contextlib
import inspect
import itertools
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from helpers.checking.assessing import passes
from helpers.checking.calling.outcome import CallStatus, Outcome
from helpers.checking.calling.values import decode, map_tensors
from helpers.checking.explaining.sketches import Sketch, sketch
from helpers.checking.kinds import frames
from helpers.checking.kinds.arrays import is_array, is_floating, is_tensor
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
    """The id of a needed exercise by whose fault alone an answer is wrong; "" where that isn't shown.

    Args:
        sheet: of the exercise.
        outcomes: of the answer, as it is.
        failing: ids of exercises whose answers are known not to pass.
        again: calls the answer on a sheet's cases, with stand-ins for functions by name.
    """
    parts = {id: sheet.parts[id] for id in sheet.needs if id in failing and id in sheet.parts}
    if not parts or any(outcome.status == CallStatus.INTERRUPTED for outcome in outcomes):
        return ""
    if passes(sheet, outcomes):
        return ""
    beside = again(sheet, {part["name"]: part["calls"] for part in parts.values()})
    # Of gradients, a stand-in knows which inputs they should reach, and not how large they are.
    properties = tuple(name for name in sheet.properties if not PROPERTIES[name].needs_gradients)
    right = passes(replace(sheet, properties=properties), beside)
    right = right and (not sheet.wants_gradients or all(map(_arrive, sheet.expected, beside)))
    return next(iter(parts)) if right else ""


def _arrive(expected: Outcome, outcome: Outcome) -> bool:
    """Whether a gradient reaches each input that it should reach, whatever it is."""
    wanted, arrived = expected.gradients or [], outcome.gradients or []
    pairs = itertools.zip_longest(wanted, arrived)
    return all(each is not None for right, each in pairs if right is not None)


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


def _with_gradients(returns: Any, arguments: list) -> Any:
    """What a stand-in returns, with a way for gradients back to all tensors that it was given."""
    if (torch := sys.modules.get("torch")) is None:
        return returns
    weights = [weight for each in arguments if _is_module(each) for weight in each.parameters()]
    given = [each for each in (*arguments, *weights) if is_tensor(each) and each.requires_grad]
    if not given or not torch.is_grad_enabled():
        return returns
    total = torch.stack([each.nan_to_num(0, 0, 0).sum() for each in given]).sum()
    nothing = total - total.detach()
    return map_tensors(lambda each: each + nothing.to(each.dtype) if is_floating(each) else each, returns)


def _stand_in(function: Callable, calls: Calls) -> Callable:
    if isinstance(function, type):
        forward = getattr(function, "forward", function)
        return type(function.__name__, (function,), {"forward": _stand_in(forward, calls)})

    def stand_in(*args: Any, **kwargs: Any) -> Any:
        found = given(function, args, kwargs)
        for call in calls:
            if found and found.same(call["given"]):
                return _with_gradients(decode(call["returns"]), [*args, *kwargs.values()])
        raise LookupError("no right answer calls it with this")

    return stand_in
