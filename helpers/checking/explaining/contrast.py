"""What the cases have in common in which an answer is wrong, and the others don't."""

from collections.abc import Iterator, Sequence
from typing import Any

from helpers.checking.calling.outcome import Case
from helpers.checking.explaining.closeness import distinct, equal
from helpers.checking.kinds.arrays import dtype_name, is_array, torch_is_there

AXES = "an input has more than {}"
FROM_THE_END = ": count axes from the end, like {}=-1"
NOT_0, NEGATIVE, POSITIVE = "isn't 0", "is negative", "is positive"
SAY_MORE = ((NOT_0, NEGATIVE), (POSITIVE, NOT_0))  # of two that are true, the second
PAIR = 2  # texts that differ may be a choice as long as there are no more
LONE = 2  # wrong cases at most, if a single right one is to tell what it is about its axes
IN_A_TABLE = {-2: "has a single row", -1: "has a single column"}  # of two axes
ONLY = "Right only where "
SIZES = f"{ONLY}two sizes are equal: are two axes mixed up?"


def contrast(
    right: Sequence[Case], wrong: Sequence[Case], *, worked: int | None = None, raised: bool = False
) -> str:
    """A sentence that is true of the cases; "" where nothing tells them apart, or none is right.

    `worked` is how many of the right cases aren't `plain`; None means all. Only these tell of shapes: the
    others may be right whatever the shape.

    `raised` is whether an answer raises where it is wrong. Shapes lead to that, mostly, so a single right
    case tells of them, and sizes of 1 tell nothing: many things have them that don't matter.

    Where two things tell them apart, both are said: nobody knows which of them it is.
    """
    if not right or not wrong:
        return ""
    # One among many may be right for another reason.
    worked = len(right) if worked is None else worked
    of_sizes = worked > 0 and (raised or worked > 1 or len(wrong) <= LONE)
    choices = _choices([*wrong, *right])
    features = [dict.fromkeys(_features(case, of_sizes, choices)) for case in (*wrong, *right)]
    ours, others = features[: len(wrong)], features[len(wrong) :]
    said = [
        feature
        for feature in ours[0]
        if all(feature in found for found in ours) and not any(feature in found for found in others)
    ]
    said = [each for each in said if not any(_by_sign(each, *pair) in said for pair in SAY_MORE)]
    of_axes = [feature for feature in said if feature.startswith(AXES.partition("{}")[0])]
    said = [feature for feature in said if feature not in of_axes[1:]]
    if said and said != [SIZES]:
        said = [feature for feature in said if feature != SIZES][:2]
        end = FROM_THE_END.format(_axis())
        return f"Wrong only where {' and '.join(said)}{end if said == of_axes[:1] else ''}."
    told = next(iter(said), "") or ("" if raised else _of_size_1(right, wrong))
    return told or (_number_of_axes(right, wrong) if of_sizes else "")


def _by_sign(feature: str, what: str, more: str) -> str | None:
    """What says more of the same number; None where a feature isn't of this kind."""
    return feature.removesuffix(what) + more if feature.endswith(f" {what}") else None


def is_trivial(case: Case, expected: Any) -> bool:
    """Whether what is right is an input unchanged, or one number throughout: wrong code gives that too."""
    if not is_array(expected):
        return False
    given = [tensor for _, tensor in case.inputs()]
    return distinct(expected) < 2 or any(equal(tensor, expected) for tensor in given)


def _of_size_1(right: Sequence[Case], wrong: Sequence[Case]) -> str:
    """Where an answer is right only with a single something: one head, one row."""
    ours, others = ([_ones(case) for case in cases] for cases in (wrong, right))
    common = [one for one in others[0] if all(one in found for found in others)]
    said = [one for one in common if not any(one in found for found in ours)][:2]
    # Words that fit each of the cases: some may have an axis for a batch in front.
    whats = ({found[one] for found in others} for one in said)
    told = {
        one: what.pop() if len(what) == 1 else _of_axis(one[1]) for one, what in zip(said, whats, strict=True)
    }
    if len(said) > 1 and len({*told.values()}) == 1:
        verb, _, rest = told[said[0]].partition(" ")
        what = f"{'are' if verb == 'is' else 'have'} {rest}"
        return f"{ONLY}{' and '.join(name for name, _ in said)} {what}."
    if len({name for name, _ in said}) < len(said):
        parts = [f"{said[0][0]} {told[said[0]]}", *(told[one].removeprefix("has ") for one in said[1:])]
    else:
        parts = [f"{name} {what}" for (name, _), what in told.items()]
    return f"{ONLY}{' and '.join(parts)}." if said else ""


def _ones(case: Case) -> dict[tuple[str, int], str]:
    """What of a case is 1, by its name and axis, with the words to say it; 0 stands for a number itself."""
    found = {}
    for name, value in case.arguments():
        if isinstance(value, int) and not isinstance(value, bool) and value == 1:
            found[name, 0] = "is 1"
    for name, tensor in case.inputs():
        for axis in range(-len(tensor.shape), 0) if name.startswith("`") else ():
            if tensor.shape[axis] == 1:
                found[name, axis] = (
                    IN_A_TABLE[axis] if len(tensor.shape) == len(IN_A_TABLE) else _of_axis(axis)
                )
    return found


def _of_axis(axis: int) -> str:
    return f"has size 1 along axis {axis}"


def _number_of_axes(right: Sequence[Case], wrong: Sequence[Case]) -> str:
    """Where an answer is right for one number of axes alone, and wrong with fewer, or with fewer and more."""
    ours, others = (
        [{name: len(tensor.shape) for name, tensor in case.inputs()} for case in cases]
        for cases in (wrong, right)
    )
    for name, axes in others[0].items():
        alike = all(found.get(name) == axes for found in others)
        if alike and axes > 1 and all(found.get(name, axes) != axes for found in ours):
            return f"{ONLY}{name} has {axes} axes: are axes counted from the end, like {_axis()}=-1?"
    return ""


def _axis() -> str:
    """What an axis is called where it is an argument."""
    return "dim" if torch_is_there() else "axis"


def _choices(cases: Sequence[Case]) -> set[str]:
    """The arguments whose texts are one of a few, such as "mean" and "sum".

    Texts that differ from case to case are drawn like any numbers, and which of them it is tells nothing.
    """
    given: dict[str, list[str]] = {}
    for name, value in (pair for case in cases for pair in case.arguments()):
        if isinstance(value, str):
            given.setdefault(name, []).append(value)
    return {name for name, texts in given.items() if len({*texts}) < max(len(texts), PAIR + 1)}


def _features(case: Case, of_sizes: bool, choices: set[str]) -> Iterator[str]:
    """What is true of a case, each as the words to say if it is true of the wrong ones alone."""
    given = [tensor for _, tensor in case.inputs()]
    most = max((len(tensor.shape) for tensor in given), default=0)
    for axes in range(1, most) if of_sizes else ():
        yield AXES.format("1 axis" if axes == 1 else f"{axes} axes")
    for name, value in case.arguments():
        if is_array(value):
            yield f"{name} is given"
        elif value is None or isinstance(value, bool) or (isinstance(value, int | float) and value == 0):
            yield f"{name} is {value}"
        elif isinstance(value, int | float):
            # Where the right cases have 0, that may be why they are right.
            yield from (f"{name} {NOT_0}", f"{name} {NEGATIVE if value < 0 else POSITIVE}")
        elif isinstance(value, str) and name in choices:
            yield f"{name} is {value!r:.40}"
    if of_sizes and not any(len(set(tensor.shape)) < len(tensor.shape) for tensor in given):
        yield SIZES
    for dtype in sorted({dtype_name(tensor) for tensor in given} - ORDINARY):
        yield f"an input is {dtype}"


ORDINARY = {"float32", "int64", "bool"}  # what most cases have: it tells nothing
