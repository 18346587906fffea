"""What is true of wrong numbers: how they relate to the right ones.

When no known mistake gives an answer's numbers, what can be said of them still helps: the input came back, a
factor is missing, two axes are swapped. Each relation is computed, and said only where it holds in every case
that is wrong, so it is true of the numbers, whatever led to them.
"""

import contextlib
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch

from helpers.checking.comparing import compare
from helpers.checking.outcome import CallStatus, Case, Outcome

ENOUGH = 3  # numbers that differ from each other: of fewer, something is true by chance
MAX_AXES = 4  # of which all orders are tried
MULTIPLES = 4  # of a product of sizes: more of them fit by chance
COUNT = "count "  # how the word of what a count is off by begins
SMALL = 10  # what one counts wrong by: a larger whole number says nothing


def relation(
    wrong: Sequence[tuple[Case, Outcome, Outcome]], returns: Sequence[str] = (), *, sums: bool = True
) -> str:
    """What holds in every wrong case, as a sentence; "" where nothing does.

    Args:
        wrong: the cases that are wrong, each with its right outcome and the answer's.
        returns: what to call returned values, where there are several.
        sums: whether to say that lines don't sum to 1, which may have been said.
    """
    if not wrong or any(outcome.status != CallStatus.RETURNED for _, _, outcome in wrong):
        return ""
    common: dict[str, str] | None = None
    for case, expected, outcome in wrong:
        found = dict(_relations(case, expected.outputs, outcome.outputs, returns))
        common = found if common is None else {w: s for w, s in common.items() if found.get(w) == s}
        if not common:
            return ""
    counts = [w for w in common or {} if w.startswith(COUNT)]
    if len(wrong) == 1 and len(counts) > 1:  # a single count is off by some product of sizes by chance
        common = {w: s for w, s in (common or {}).items() if w not in counts}
    said = [s for w, s in (common or {}).items() if sums or "sums" not in w]
    return next(iter(said), "")


def _relations(case: Case, right: Any, got: Any, names: Sequence[str] = ()) -> Iterator[tuple[str, str]]:
    """Words and sentences of what holds in one case, the most telling first."""
    if isinstance(right, list | tuple):
        if isinstance(got, list | tuple):
            yield from (
                _of_several(case, right, got, names) if len(got) == len(right) else _of_lengths(right, got)
            )
        return
    if isinstance(got, list | tuple):
        yield from _of_one_too_many(right, got)
        return
    if isinstance(right, Mapping):
        if isinstance(got, Mapping) and set(got) == set(right):
            values = list(right.values()), [got[key] for key in right]
            yield from _of_several(case, *values, [str(key) for key in right])
        return
    if isinstance(right, str) and isinstance(got, str):
        yield from _of_texts(case, right, got)
    if isinstance(right, bool | str | None) or isinstance(got, bool | str | None):
        return
    if isinstance(right, int) and isinstance(got, int):
        yield from _of_counts(case, got - right)
    if not isinstance(right, torch.Tensor):
        right = torch.tensor(right, dtype=torch.float64) if isinstance(right, int | float) else None
    if isinstance(got, int | float):
        got = torch.tensor(got, dtype=torch.float64)
    if isinstance(right, torch.Tensor) and isinstance(got, torch.Tensor):
        yield from _of_tensors(case, right, got)


def _of_one_too_many(right: Any, got: Sequence) -> Iterator[tuple[str, str]]:
    """Of several values where one is expected: the one that is right."""
    places = [n for n, value in enumerate(got[:SMALL]) if compare(right, value) is None]
    if len(got) > 1 and len(places) == 1:
        yield f"alone {places[0]}", f"The value at place [{places[0]}] of these is right: return it alone."


def _of_lengths(right: Sequence, got: Sequence) -> Iterator[tuple[str, str]]:
    """Of lists of different lengths: the right values, with some missing or too many at an end."""
    common = min(len(right), len(got))
    if common < 2:
        return  # so few are alike by chance
    begin = all(compare(*pair) is None for pair in zip(right, got, strict=False))
    end = all(compare(*pair) is None for pair in zip(right[-common:], got[-common:], strict=True))
    for there, where, beyond in ((begin, "end", "behind"), (end, "beginning", "in front of")):
        if there and len(got) < len(right):
            yield f"no {where}", f"The right values, with some missing at the {where}."
        elif there:
            yield f"more {where}", f"The right values, and more {beyond} them."


def _of_texts(case: Case, right: str, got: str) -> Iterator[tuple[str, str]]:
    for name, value in case.arguments():
        if isinstance(value, str) and value == got != right:
            yield name, f"What came back is {name}, unchanged."
    if 0 < len(got) < len(right):
        if right.startswith(got):
            yield "no end", "The right text, with its end missing."
        if right.endswith(got):
            yield "no beginning", "The right text, with its beginning missing."
    if len(got) > len(right) > 0 and got.startswith(right):
        yield "more behind", "The right text, and more behind it."
    if got != right and got.replace(" ", "") == right.replace(" ", ""):
        yield "spaces", "The right letters, with spaces in other places."


def _of_counts(case: Case, excess: int) -> Iterator[tuple[str, str]]:
    """What a count is off by, as a product of arguments; the simplest first."""
    sizes = [(n, v) for n, v in case.arguments() if isinstance(v, int) and not isinstance(v, bool) and v > 1]
    for degree in range(1, 4):
        for factors in itertools.combinations_with_replacement(sizes, degree):
            times, rest = divmod(abs(excess), math.prod(value for _, value in factors))
            if rest == 0 and 0 < times <= MULTIPLES:
                names = [name for name, _ in factors]
                powers = [name + ("", "²", "³")[names.count(name) - 1] for name in dict.fromkeys(names)]
                what = " · ".join([str(times)] * (times > 1) + powers)
                yield f"{COUNT}{what}", f"Too {'large' if excess > 0 else 'small'} by {what}."


def _of_several(
    case: Case, right: Sequence, got: Sequence, names: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Of several values: another order, what holds of all that are wrong, or of the last of them that tells.

    Of the last, since those before may be made of it.
    """
    if len(right) == 2 and compare(list(right), [got[1], got[0]]) is None:
        yield "swapped", "The right values, in the other order."
    wrong = [number for number, pair in enumerate(zip(right, got, strict=True)) if compare(*pair)]
    if (
        len(right) > 2
        and 1 < len(wrong) <= SMALL
        and (place := _place_of_another(right, got, wrong)) is not None
    ):
        where = f" of `{names[wrong[0]]}` and `{names[place]}`" if len(names) == len(right) else ""
        yield "exchanged", f"The right values, but in each other's places: look at those{where}."
        yield "exchanged anyhow", "The right values, but in each other's places."
    if len(wrong) == 1 and len(right) > 1:
        yield from _relations(case, right[wrong[0]], got[wrong[0]])
    elif wrong:
        each = [dict(_relations(case, right[number], got[number])) for number in wrong]
        yield from ((w, s) for w, s in each[0].items() if all(other.get(w) == s for other in each[1:]))
        for number, found in reversed(list(zip(wrong, each, strict=True))):
            if number < len(names):
                yield from (
                    (f"{number} {w}", f"In `{names[number]}`: {s[0].lower()}{s[1:]}")
                    for w, s in found.items()
                )


def _place_of_another(right: Sequence, got: Sequence, wrong: Sequence[int]) -> int | None:
    """Where the first wrong value belongs, if each of them is right in the place of another."""
    free, places = list(wrong), []
    for number in wrong:
        place = next((other for other in free if compare(right[other], got[number]) is None), None)
        if place is None:
            return None
        free.remove(place)
        places.append(place)
    return places[0]


def _of_tensors(case: Case, right: torch.Tensor, got: torch.Tensor) -> Iterator[tuple[str, str]]:
    for name, given in case.inputs():
        if given.dim() and given.numel() >= ENOUGH and _equal(given, got):
            yield name, f"What came back is {name}, unchanged."
        yield from _of_slices(name, given, got)
    if right.shape != got.shape:
        yield from _of_shapes(case, right, got)
        return
    if _close(right, got).all():
        return  # to a few digits only
    if right.dtype == torch.bool:
        if got.dtype == torch.bool and torch.equal(~right, got):
            yield "inverted", "Every place has the opposite of what is right."
        yield from _of_places(case, right, got)
        return
    a, b = right.double(), got.double()
    if not (b.isfinite() | ~a.isfinite()).all():
        yield from _of_places(case, right, got)
        return
    if b.numel() >= ENOUGH and not b.any():
        yield "zero", "Every number is 0."
    yield from _of_order(right, got)
    yield from _of_scale(case, a, b)
    yield from _of_softmax(a, b)
    yield from _of_values(case, a, b)
    yield from _of_inputs(case, a, b)
    yield from _of_places(case, right, got)
    yield from _of_sums(a, b)
    yield from _of_zeros(right, got)


def _of_slices(name: str, given: torch.Tensor, got: torch.Tensor) -> Iterator[tuple[str, str]]:
    """An input at one end of an axis."""
    if given.dim() != got.dim() + 1 or got.unique().numel() < ENOUGH:
        return
    for axis in range(-given.dim(), 0):
        for where, at in ENDS if given.shape[axis] > 1 else ():
            if _equal(given.select(axis, at), got):
                yield (
                    f"{name} {where} {axis}",
                    f"What came back is {name} at the {where} position of axis {axis}.",
                )


ENDS = (("first", 0), ("last", -1))


def _of_zeros(right: torch.Tensor, got: torch.Tensor) -> Iterator[tuple[str, str]]:
    """Right but for what is 0, and what should be."""
    close, ours, theirs = _close(right, got), right != 0, got != 0
    telling = (close & ours).sum()
    if telling >= ENOUGH and 2 * telling >= ours.sum() and (close | ~ours | ~theirs).all():
        yield "zeros", "Right, except for which numbers are 0."


def _of_inputs(case: Case, a: torch.Tensor, b: torch.Tensor) -> Iterator[tuple[str, str]]:
    """An input that is missing in the right numbers, or in them once too often."""
    for name, given in case.inputs():
        if not given.is_floating_point() or given.shape != a.shape or given.unique().numel() < ENOUGH:
            continue
        x = given.double()
        for word, changed, sentence in (
            ("without", a - x, f"Every number is the right one minus {name}: should it be added?"),
            ("plus", a + x, f"Every number is the right one plus {name}: it is added once too often."),
            ("times", a * x, f"Every number is the right one times {name}."),
        ):
            if changed.isfinite().all() and _near(changed, b):
                yield f"{word} {name}", sentence


def _of_scale(case: Case, a: torch.Tensor, b: torch.Tensor) -> Iterator[tuple[str, str]]:
    """Lines that only lack a division, by their sum or by their length; a factor with a name tells more."""
    factor = (b / a)[a.abs() > 1e-6].median() if (a.abs() > 1e-6).any() else torch.ones(())
    if _near(a * factor, b) and any(_names(case, float(factor))):
        return
    for axis in range(-a.dim(), 0):
        total, length = b.sum(axis, keepdim=True), b.square().sum(axis, keepdim=True).sqrt()
        if axis in _sum_to_one(a) and (total > 0).all() and _near(a, b / total):
            yield f"undivided {axis}", f"Each line along axis {axis} would be right, divided by its sum."
        of_length_1 = a.shape[axis] > 1 and _near(torch.ones(()).double(), a.square().sum(axis))
        if of_length_1 and _near(a, b / length):
            yield f"length {axis}", f"Each line along axis {axis} would be right, divided by its length."


def _of_softmax(a: torch.Tensor, b: torch.Tensor) -> Iterator[tuple[str, str]]:
    """A softmax too many, or one too few."""
    if a.unique().numel() < 2 or not a.isfinite().all():
        return
    for axis in range(-a.dim(), 0):
        if a.shape[axis] < 2:
            continue
        for word, of in (("softmax", torch.softmax), ("log_softmax", torch.log_softmax)):
            if _near(of(a, axis), b):
                yield f"{word} {axis}", f"These numbers are the {word} of the right ones along axis {axis}."
        if _near(a, b.softmax(axis)) and not _near(a, b.exp()):
            yield f"no softmax {axis}", f"A softmax of these numbers along axis {axis} would be right."


def _of_sums(a: torch.Tensor, b: torch.Tensor) -> Iterator[tuple[str, str]]:
    """Lines that should sum to 1 and don't, or along another axis; and lines that should differ."""
    ours, theirs = _sum_to_one(a), _sum_to_one(b)
    if len(ours) == 1 and not set(ours) & set(theirs):
        if len(theirs) == 1:
            yield (
                f"sums {theirs[0]}",
                f"These numbers sum to 1 along axis {theirs[0]}, the right ones along axis {ours[0]}.",
            )
        elif not torch.isclose(b.sum(ours[0]), torch.ones(()).double(), atol=1e-4).any():
            yield "sums", f"The right numbers sum to 1 along axis {ours[0]}, these don't."
    for axis in range(-a.dim(), 0):
        if b.unique().numel() >= ENOUGH and _alike(b, axis) and not _alike(a, axis):
            yield f"alike {axis}", f"The numbers are the same all along axis {axis}, the right ones differ."


def _alike(numbers: torch.Tensor, axis: int) -> bool:
    """Whether all along an axis the numbers are those at its first position."""
    return bool(_close(numbers.narrow(axis, 0, 1).expand(numbers.shape), numbers).all())


def _sum_to_one(numbers: torch.Tensor) -> list[int]:
    """The axes along which numbers of 0 or more sum to 1 everywhere."""
    if not numbers.isfinite().all() or (numbers < -1e-6).any():
        return []
    axes = [axis for axis in range(-numbers.dim(), 0) if numbers.shape[axis] > 1]
    return [axis for axis in axes if _near(torch.ones(()).double(), numbers.sum(axis))]


def _of_shapes(case: Case, right: torch.Tensor, got: torch.Tensor) -> Iterator[tuple[str, str]]:
    """The right numbers in another shape, or some of them, or what another size is the size of."""
    yield from _of_numbers_in_another_shape(right, got)
    yield from _of_axes(right, got)
    if got.dim() == 1 and ENOUGH <= got.numel() < right.numel() and _in_order(right.flatten(), got):
        yield "gaps", "Some of the right numbers are missing: the others have moved up."
    if right.dim() == got.dim() and sorted(right.shape) != sorted(got.shape):
        differing = [axis for axis in range(-right.dim(), 0) if right.shape[axis] != got.shape[axis]]
        for axis in differing if len(differing) == 1 else ():
            yield from _of_length(axis, right, got)
            for theirs, ours in itertools.product(
                _sizes(case, got.shape[axis]), _sizes(case, right.shape[axis])
            ):
                yield (
                    f"size {axis} {theirs} {ours}",
                    f"Axis {axis} has the size of {theirs}, where it should have that of {ours}.",
                )


def _of_length(axis: int, right: torch.Tensor, got: torch.Tensor) -> Iterator[tuple[str, str]]:
    """An axis that is too long or too short, with the right numbers as far as it goes."""
    excess = got.shape[axis] - right.shape[axis]
    size = min(got.shape[axis], right.shape[axis])
    for missing, beyond, of in (
        ("end", "behind", lambda n: 0),
        ("beginning", "in front of", lambda n: n - size),
    ):
        ours, theirs = (t.narrow(axis, of(t.shape[axis]), size) for t in (right, got))
        if ours.unique().numel() >= ENOUGH and _equal(ours, theirs):
            yield (
                f"{missing} of {axis}",
                f"The right numbers, and more {beyond} them along axis {axis}."
                if excess > 0
                else f"The right numbers, but the {missing} of axis {axis} is missing.",
            )
    times, rest = divmod(got.shape[axis], max(right.shape[axis], 1))
    if right.shape[axis] > 1 and rest == 0 and 1 < times <= MULTIPLES:
        joined = "Are tensors joined along it that belong in one?"
        yield f"times {axis} {times}", f"Axis {axis} is {times} times as long as it should be. {joined}"
    if abs(excess) == 1:
        yield f"length {axis}", f"Axis {axis} is 1 too {'long' if excess > 0 else 'short'}."


def _of_axes(right: torch.Tensor, got: torch.Tensor) -> Iterator[tuple[str, str]]:
    """One axis too many, with the right numbers at one of its ends, in its sum or mean; or one too few."""
    enough = 2 if right.is_floating_point() else ENOUGH  # two fractions are hardly the same by chance
    if abs(right.dim() - got.dim()) != 1 or min(right.unique().numel(), got.unique().numel()) < enough:
        return
    many, few = (got, right) if got.dim() > right.dim() else (right, got)
    for axis in range(-many.dim(), 0):
        if many.shape[axis] < 2:
            continue
        for word, what, part in (
            *((where, f"{where} position of axis {axis}", many.select(axis, at)) for where, at in ENDS),
            ("sum", f"sum over axis {axis}", many.double().sum(axis)),
            ("mean", f"mean over axis {axis}", many.double().mean(axis)),
        ):
            if _equal(few, part):
                yield (
                    f"{word} {axis} {many is got}",
                    f"One axis is too many: the {what} has the right numbers."
                    if many is got
                    else f"One axis is missing: this is the {what} of the right numbers.",
                )


def _in_order(right: torch.Tensor, got: torch.Tensor) -> bool:
    """Whether all numbers of one tensor are in another, in the same order."""
    places = iter(right)
    return all(any(bool(_close(number, place)) for place in places) for number in got)


def _sizes(case: Case, size: int) -> Iterator[str]:
    """What of the arguments is so large. Many things are 1, so a size of 1 tells nothing."""
    if size < 2:
        return
    for name, value in case.arguments():
        if isinstance(value, int) and not isinstance(value, bool) and value == size:
            yield name
    for name, given in case.inputs():
        yield from (f"axis {axis} of {name}" for axis in range(-given.dim(), 0) if given.shape[axis] == size)


def _of_numbers_in_another_shape(right: torch.Tensor, got: torch.Tensor) -> Iterator[tuple[str, str]]:
    if right.numel() != got.numel() or right.numel() < ENOUGH:
        return
    if right.dim() == got.dim() <= MAX_AXES:
        for order in itertools.permutations(range(got.dim())):
            if got.permute(order).shape == right.shape and _equal(right, got.permute(order)):
                moved = [axis - got.dim() for axis, old in enumerate(order) if axis != old]
                yield "axes", f"The right numbers, with axes {_listed(moved)} in another order."
                return
    if _equal(right, got.reshape(right.shape)):
        yield "reshaped", "The right numbers in the right order, in another shape."


def _of_order(right: torch.Tensor, got: torch.Tensor) -> Iterator[tuple[str, str]]:
    """The right numbers in other places."""
    if right.dim() == 0 or right.unique().numel() < ENOUGH:
        return
    for one, other in itertools.combinations(range(-min(right.dim(), MAX_AXES), 0), 2):
        if right.shape[one] == right.shape[other] and _equal(right, got.transpose(one, other)):
            yield "transposed", f"The right numbers with axes {one} and {other} swapped."
    for axis in range(-right.dim(), 0):
        size, name = right.shape[axis], f"axis {axis}"
        if size < 2:
            continue
        if _equal(right, got.flip(axis)):
            yield "reversed", f"The right numbers in reverse along {name}."
        if size > 2:
            later, earlier = got.narrow(axis, 1, size - 1), got.narrow(axis, 0, size - 1)
            if _equal(right.narrow(axis, 0, size - 1), later):
                yield "late", f"The right numbers, one position too late along {name}."
            if _equal(right.narrow(axis, 1, size - 1), earlier):
                yield "early", f"The right numbers, one position too early along {name}."
            order = _permutation(right.movedim(axis, 0), got.movedim(axis, 0))
            if order:
                yield "permuted", f"The right numbers, with the positions of {name} in another order."
            elif right.dim() > 1 and _equal(right.sort(axis).values, got.sort(axis).values):
                yield "jumbled", f"Each line along {name} has the right numbers, in another order."
    if right.dim() > 1 and _equal(*(numbers.flatten().sort().values for numbers in (right, got))):
        yield (
            "scattered",
            "All the right numbers, in other places: look at the order of axes at each stack and reshape.",
        )


def _permutation(right: torch.Tensor, got: torch.Tensor) -> bool:
    """Whether the slices of one tensor are those of the other in another order."""
    free = list(range(len(right)))
    for part in got:
        place = next((number for number in free if _equal(right[number], part)), None)
        if place is None:
            return False
        free.remove(place)
    return True


def _of_values(case: Case, a: torch.Tensor, b: torch.Tensor) -> Iterator[tuple[str, str]]:
    """The same thing done to every number."""
    finite = a.isfinite()
    a, b, rows_a, rows_b = a[finite], b[finite], a, b
    several = a.numel() >= ENOUGH and a.unique().numel() >= ENOUGH
    if a.numel() == 0:
        return
    if several and _near(-a, b):
        yield "sign", "Every number has the other sign."
        return
    telling = a.abs() > 1e-6
    if telling.any() and (several or a.numel() == 1) and bool((b[~telling].abs() < 1e-5).all()):
        factor = (b[telling] / a[telling]).median()
        if factor.abs() > 1e-6 and _near(a * factor, b):
            names = list(_names(case, float(factor)))
            for name, what in names:
                yield f"factor {name}{what}", f"Every number is {name} the right one{what}."
            if several:
                yield "factor", "Every number is the right one times one factor."
    if (several or a.numel() == 1) and _near(a + (b - a).median(), b):
        offset = float((b - a).median())
        if abs(offset - round(offset)) < 1e-6 and 0 < abs(offset) <= SMALL:
            yield (
                f"offset {offset:+.0f}",
                f"Every number is {abs(offset):.0f} too {'large' if offset > 0 else 'small'}.",
            )
        elif several:
            yield "offset", "Every number is off by the same amount."
    if several:
        for word, change, sentence in CHANGES:
            if (changed := change(a)).isfinite().all() and _near(changed, b):
                yield word, sentence
        yield from _of_rows(rows_a, rows_b)


CHANGES: tuple[tuple[str, Callable[[torch.Tensor], torch.Tensor], str], ...] = (
    ("logarithm", torch.log, "Every number is the logarithm of the right one."),
    ("exponential", torch.exp, "Every number is e to the power of the right one."),
    ("square", torch.square, "Every number is the square of the right one."),
    ("root", torch.sqrt, "Every number is the square root of the right one."),
    ("reciprocal", torch.reciprocal, "Every number is 1 divided by the right one."),
    ("complement", lambda a: 1 - a, "Every number is 1 minus the right one."),
)


def _of_rows(a: torch.Tensor, b: torch.Tensor) -> Iterator[tuple[str, str]]:
    """A factor for each row, which divisions by another sum leave."""
    for axis in (-1, -2):
        if a.dim() < -axis or a.shape[axis] < ENOUGH or not a.isfinite().all() or not (a.abs() > 1e-9).any():
            continue
        weight = a.square().sum(axis, keepdim=True)
        factor = (a * b).sum(axis, keepdim=True) / weight.clamp(min=1e-30)
        if factor.numel() > 1 and (factor.abs() > 1e-6).all() and _near(a * factor, b):
            yield f"factor along {axis}", f"Right along axis {axis}, except for one factor per line."
        if factor.numel() > 1 and _near(a + (b - a).mean(axis, keepdim=True), b):
            yield f"offset along {axis}", f"Right along axis {axis}, except for one number added per line."


def _of_places(case: Case, right: torch.Tensor, got: torch.Tensor) -> Iterator[tuple[str, str]]:
    """Right in all places but some that have something in common; the fewest of those first."""
    if right.dim() == 0 or right.numel() < ENOUGH:
        return
    wrong = ~_close(right, got)
    if wrong.all():
        return
    found = []
    for word, sentence, places in _places(case, right):
        if not (wrong & ~places).any() and not places.all():
            found.append((int(places.sum()), word, sentence))
    yield from ((word, sentence) for _, word, sentence in sorted(found))


def _places(case: Case, right: torch.Tensor) -> Iterator[tuple[str, str, torch.Tensor]]:
    """Sets of places in a tensor, with what to say where all others are right."""
    for name, given in case.inputs():
        if given.dtype == torch.bool and given.dim():
            with contextlib.suppress(RuntimeError):  # it is of another shape
                for value in (True, False):
                    places = (given == value).expand(right.shape)
                    yield f"{name} {value}", f"Right, except where {name} is {value}.", places
    for axis in range(-right.dim(), 0):
        size = right.shape[axis]
        index = torch.arange(size).reshape([size] + [1] * (-axis - 1)).expand(right.shape)
        if size > 2:
            yield f"first {axis}", f"Right, except at the first position of axis {axis}.", index == 0
            yield f"last {axis}", f"Right, except at the last position of axis {axis}.", index == size - 1
            yield f"but first {axis}", f"Right only at the first position of axis {axis}.", index > 0
        if size > 3:
            yield f"but two {axis}", f"Right only at the first two positions of axis {axis}.", index > 1
    if right.dim() > 1 and right.shape[-1] == right.shape[-2] > 2:
        ones = torch.ones(right.shape, dtype=torch.bool)
        yield "diagonal", "Right, except on the diagonal.", ones.tril() & ones.triu()
        yield "above", "Right, except above the diagonal.", ones.triu(1)
        yield "below", "Right, except below the diagonal.", ones.tril(-1)


NUMBERS = (
    ("2 times", 2.0),
    ("half", 0.5),
    ("10 times", 10.0),
    ("a tenth of", 0.1),
    ("100 times", 100.0),
    ("a hundredth of", 0.01),
    ("4 times", 4.0),
    ("a quarter of", 0.25),
    ("ln 2 times", math.log(2)),
    ("1/ln 2 times", 1 / math.log(2)),
    ("ln 10 times", math.log(10)),
    ("1/ln 10 times", 1 / math.log(10)),
)
OF_SIZES: tuple[tuple[str, Callable[[float], float]], ...] = (
    ("√n", math.sqrt),
    ("1/√n", lambda n: 1 / math.sqrt(n)),
    ("n", float),
    ("1/n", lambda n: 1 / n),
)


def _names(case: Case, factor: float) -> Iterator[tuple[str, str]]:
    """What a factor may be: 2, or √n where n is the size of an axis of an input."""
    for text, value in NUMBERS:
        if math.isclose(factor, value, rel_tol=1e-4):
            yield text, ""
    for text, of in OF_SIZES:
        for name, value in case.arguments():
            if _scales(value) and math.isclose(factor, of(value), rel_tol=1e-4):
                yield f"{text} times", f", where n is {name}"
        for name, given in case.inputs():
            for axis in range(-given.dim(), 0):
                if given.shape[axis] > 1 and math.isclose(factor, of(given.shape[axis]), rel_tol=1e-4):
                    yield f"{text} times", f", where n is the size of axis {axis} of {name}"


def _scales(value: object) -> bool:
    """Whether something can be what numbers are multiplied or divided by."""
    return isinstance(value, int | float) and 0 < value < math.inf and value != 1


def _equal(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.shape == b.shape and bool(_close(a, b).all())


def _close(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.isclose(a.double(), b.double(), rtol=1e-4, atol=1e-6, equal_nan=True)


def _near(a: torch.Tensor, b: torch.Tensor) -> bool:
    return bool(torch.isclose(b, a, rtol=1e-4, atol=1e-6).all())


def _listed(axes: list[int]) -> str:
    return f"{', '.join(map(str, axes[:-1]))} and {axes[-1]}"
