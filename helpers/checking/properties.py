"""What must hold beyond the values. Each property is judged from tensors, on either side of the sandbox.

A property takes a case, its right outcome and an answer's outcome, and returns what is wrong, or None.
"""

from collections.abc import Callable, Mapping
from typing import Any

from helpers.checking.calling.drivers import Case, Outcome
from helpers.checking.calling.outcome import AS_GIVEN
from helpers.checking.calling.values import arrays, map_arrays, same
from helpers.checking.comparing import compare, compare_gradients
from helpers.checking.kinds.arrays import (
    Array,
    double,
    dtype_name,
    is_array,
    is_floating,
    is_tensor,
    torch_is_there,
)

PROPERTIES: dict[str, Any] = {}


def _property(
    meaning: str, elsewhere: str = "", *, needs_gradients: bool = False, explains_values: bool = False
) -> Callable:
    """Register a property.

    Args:
        meaning: what usually breaks it.
        elsewhere: the same where no torch is.
        needs_gradients: whether the driver must send gradients back.
        explains_values: whether it may say why values are wrong; otherwise it is asked of right values only.
    """

    def register(function: Any) -> Any:
        function.meaning, function.elsewhere = meaning, elsewhere or meaning
        function.needs_gradients = needs_gradients
        function.explains_values = explains_values
        PROPERTIES[function.__name__] = function
        return function

    return register


@_property(
    "An in-place step (+=, x[0] = ..., a method whose name ends in _, .append and .pop of a list) writes "
    "into what the caller has: `x = x - m` makes a new tensor, `x -= m` doesn't.",
    "A step in place (+= on an array, .append, .sort, .pop or d[key] = ...) writes into what the caller "
    "has: work "
    "on a copy, as list(x), dict(d) or x.copy() make it, or `x = x - m` where it was `x -= m`.",
)
def inputs_unchanged(case: Case, expected: Outcome, outcome: Outcome) -> str | None:
    """The call leaves its arguments as they were, plain lists and dicts among them."""
    if outcome.inputs_after == AS_GIVEN:
        return None
    after = outcome.inputs_after if isinstance(outcome.inputs_after, list) else []
    left = list(arrays(after))
    for number, (name, tensor) in enumerate(case.inputs()):
        if number >= len(left) or compare(tensor, left[number]) is not None:
            return f"the call changed {name}"
    if same(map_arrays(lambda _: None, case.given), map_arrays(lambda _: None, after)):
        return None
    return _changed(case, after)


def _changed(case: Case, after: list) -> str:
    """Which of the arguments isn't as it was, where its name is known."""
    args, kwargs = after if len(after) == 2 else ([], {})
    left = [*args, *kwargs.values()] if isinstance(args, list) and isinstance(kwargs, Mapping) else []
    for (name, value), now in zip(case.arguments(), left, strict=False):
        if name.startswith("`") and not same(value, now):
            return f"the call changed {name}"
    return "the call changed a list or a dict that it was given"


@_property(
    "The check changes what came back, and looks whether what it gave stays the same: `.clone()` copies. "
    "Or is something written into what was given?",
    "The check changes what came back, and looks whether what it gave stays the same: `.copy()` copies. "
    "Or is something written into what was given?",
)
def shares_nothing(case: Case, expected: Outcome, outcome: Outcome) -> str | None:
    """What came back shares no memory with the arguments, and these are as they were: for "copies"."""
    changed = inputs_unchanged(case, expected, outcome)
    return f"{changed}, or the check did when it changed what came back" if changed else None


@_property(
    "Where none arrives, or too little, some step lets no gradient through: .detach(), .data, .item(), "
    ".numpy(), torch.tensor(...), torch.nn.Parameter(...), torch.no_grad(), or an in-place step such as /= "
    "on a tensor that the gradient needs. Where NaN arrives, a number on the way is infinite or 0/0, even if "
    "what comes out is right.",
    needs_gradients=True,
)
def gradient_reaches_inputs(case: Case, expected: Outcome, outcome: Outcome) -> str | None:
    """Every input that matters gets the gradient that it should."""
    got = outcome.gradients if isinstance(outcome.gradients, list) else []
    names = [name for name, tensor in case.inputs() if is_tensor(tensor) and is_floating(tensor)]
    for number, right in enumerate(expected.gradients or []):
        arrived = got[number] if number < len(got) else None
        name = names[number] if number < len(names) else f"input {number + 1}"
        if right is not None and arrived is None:
            if not right.any():
                continue  # none is as good as zeros: a first step that leaves out what is multiplied by 0
            return f"no gradient reaches {name}"
        if right is not None and (difference := compare_gradients(right, arrived)):
            wrong = "NaN" if difference.cause == "nan" else "wrong"
            return f"the gradient that reaches {name} is {wrong}"
    return None


@_property(
    "The weights of a row don't sum to 1, so this is no average: is the softmax over the right axis, and "
    "does nothing change the weights after it?",
    explains_values=True,
)
def rows_sum_to_one(case: Case, expected: Outcome, outcome: Outcome) -> str | None:
    """Wherever the right weights sum to 1 over the last axis, the answer's do too."""
    got = outcome.outputs if isinstance(outcome.outputs, list) else [outcome.outputs]
    right = expected.outputs if isinstance(expected.outputs, list) else [expected.outputs]
    for ours, theirs in zip(right, got, strict=False):
        if not (is_array(ours) and is_array(theirs) and len(ours.shape)):
            continue
        if tuple(ours.shape) == tuple(theirs.shape) and _sums_to_one(ours) and not _sums_to_one(theirs):
            return "the weights don't sum to 1"
    return None


@_property("The text names int64, which .long() makes; .int() makes int32.")
def whole_numbers_in_int64(case: Case, expected: Outcome, outcome: Outcome) -> str | None:
    """Where int64 is expected, nothing narrower came back: for texts that name it."""
    for right, got in zip(arrays(expected.outputs), arrays(outcome.outputs), strict=False):
        if dtype_name(right) == "int64" != dtype_name(got):
            return f"the whole numbers are {dtype_name(got)}"
    return None


@_property("Along the way a tensor is made that is larger than any that is needed: that costs the memory.")
def stays_small(case: Case, expected: Outcome, outcome: Outcome) -> str | None:
    """No tensor that is made on the way has more than twice the numbers of the reference's largest."""
    if outcome.largest is not None and outcome.largest <= 2 * (expected.largest or 0):
        return None
    return "a tensor along the way is far larger than needed"


def _sums_to_one(rows: Array) -> bool:
    total = double(rows).sum(axis=-1)
    return bool((abs(total - 1) <= 1e-4).all())


def meaning_of(prop: Any, case: Case) -> str:
    """What usually breaks a property in a case, in the words of what is there."""
    given = [list(case.args), dict(case.kwargs)]
    plain = prop is inputs_unchanged and not any(map(is_tensor, arrays(given)))
    return prop.elsewhere if plain or not torch_is_there() else prop.meaning
