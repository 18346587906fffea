"""What is true of a tensor of wrong numbers: other places, a factor, an input too many, few of them wrong."""

import contextlib
import itertools
import math
from collections.abc import Callable, Iterator

import torch

from helpers.checking.calling.outcome import Case
from helpers.checking.explaining.closeness import ENDS, ENOUGH, MAX_AXES, SMALL, close, distinct, equal, near
from helpers.checking.explaining.relations_of_shapes import of_shapes


def of_tensors(case: Case, right: torch.Tensor, got: torch.Tensor) -> Iterator[tuple[str, str]]:
    """Words and sentences of what holds of a tensor in one case, the most telling first.

    Args:
        case: the call; its inputs may have to do with it.
        right: what should come back.
        got: what did, of any shape and dtype.
    """
    for name, given in case.inputs():
        if given.dim() and given.numel() >= ENOUGH and equal(given, got):
            yield name, f"What came back is {name}, unchanged."
        yield from _of_slices(name, given, got)
    if right.shape != got.shape:
        yield from of_shapes(case, right, got)
        return
    if close(right, got).all():
        return  # to a few digits only
    if right.dtype == torch.bool:
        if got.dtype == torch.bool and torch.equal(~right, got):
            yield "inverted", "Every True should be False, and every False should be True."
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
    if given.dim() != got.dim() + 1 or distinct(got) < ENOUGH:
        return
    for axis in range(-given.dim(), 0):
        for where, at in ENDS if given.shape[axis] > 1 else ():
            if equal(given.select(axis, at), got):
                yield (
                    f"{name} {where} {axis}",
                    f"What came back is {name} at the {where} position of axis {axis}.",
                )


def _of_order(right: torch.Tensor, got: torch.Tensor) -> Iterator[tuple[str, str]]:
    """The right numbers in other places."""
    if right.dim() == 0 or distinct(right) < ENOUGH:
        return
    for one, other in itertools.combinations(range(-min(right.dim(), MAX_AXES), 0), 2):
        if right.shape[one] == right.shape[other] and equal(right, got.transpose(one, other)):
            yield "transposed", f"The right numbers with axes {one} and {other} swapped."
    for axis in range(-right.dim(), 0):
        size, name = right.shape[axis], f"axis {axis}"
        if size < 2:
            continue
        if equal(right, got.flip(axis)):
            yield "reversed", f"The right numbers in reverse along {name}."
        if size > 2:
            later, earlier = got.narrow(axis, 1, size - 1), got.narrow(axis, 0, size - 1)
            if equal(right.narrow(axis, 0, size - 1), later):
                yield "late", f"The right numbers, one position too late along {name}."
            if equal(right.narrow(axis, 1, size - 1), earlier):
                yield "early", f"The right numbers, one position too early along {name}."
            order = _permutation(right.movedim(axis, 0), got.movedim(axis, 0))
            if order:
                yield "permuted", f"The right numbers, with the positions of {name} in a different order."
            elif right.dim() > 1 and equal(right.sort(axis).values, got.sort(axis).values):
                yield "jumbled", f"Each line along {name} has the right numbers, in a different order."
    if right.dim() > 1 and equal(*(numbers.flatten().sort().values for numbers in (right, got))):
        yield (
            "scattered",
            "All the right numbers, but in the wrong places.",
        )


def _permutation(right: torch.Tensor, got: torch.Tensor) -> bool:
    """Whether the slices of one tensor are those of the other in another order."""
    free = list(range(len(right)))
    for part in got:
        place = next((number for number in free if equal(right[number], part)), None)
        if place is None:
            return False
        free.remove(place)
    return True


def _of_scale(case: Case, a: torch.Tensor, b: torch.Tensor) -> Iterator[tuple[str, str]]:
    """Lines that only lack a division, by their sum or by their length; a factor with a name tells more."""
    factor = (b / a)[a.abs() > 1e-6].median() if (a.abs() > 1e-6).any() else torch.ones(())
    if near(a * factor, b) and any(_names(case, float(factor))):
        return
    for axis in range(-a.dim(), 0):
        total, length = b.sum(axis, keepdim=True), b.square().sum(axis, keepdim=True).sqrt()
        if axis in _sum_to_one(a) and (total > 0).all() and near(a, b / total):
            yield (
                f"undivided {axis}",
                f"Each line along axis {axis} still has to be divided by its sum.",
            )
        of_length_1 = a.shape[axis] > 1 and near(torch.ones(()).double(), a.square().sum(axis))
        if of_length_1 and near(a, b / length):
            yield (
                f"length {axis}",
                f"Each line along axis {axis} still has to be divided by its length.",
            )


def _of_softmax(a: torch.Tensor, b: torch.Tensor) -> Iterator[tuple[str, str]]:
    """A softmax too many, or one too few."""
    if distinct(a) < ENOUGH or not a.isfinite().all():
        return
    for axis in range(-a.dim(), 0):
        if a.shape[axis] < 2:
            continue
        for word, of in (("softmax", torch.softmax), ("log_softmax", torch.log_softmax)):
            if near(of(a, axis), b):
                yield f"{word} {axis}", f"These numbers are the {word} of the right ones along axis {axis}."
        if near(a, b.softmax(axis)) and not near(a, b.exp()):
            yield (
                f"no softmax {axis}",
                f"A softmax along axis {axis} is still missing.",
            )


def _of_values(case: Case, a: torch.Tensor, b: torch.Tensor) -> Iterator[tuple[str, str]]:
    """The same thing done to every number."""
    finite = a.isfinite()
    a, b, rows_a, rows_b = a[finite], b[finite], a, b
    several = a.numel() >= ENOUGH and distinct(a) >= ENOUGH
    if a.numel() == 0:
        return
    if several and near(-a, b):
        yield "sign", "Every number has the wrong sign."
        return
    telling = a.abs() > 1e-6
    if telling.any() and (several or a.numel() == 1) and bool((b[~telling].abs() < 1e-5).all()):
        factor = (b[telling] / a[telling]).median()
        if factor.abs() > 1e-6 and near(a * factor, b):
            names = list(_names(case, float(factor)))
            yield from ((f"factor {text}", f"Every number is {text}.") for text in names)
            if several:
                yield "factor", "Every number is the right one times the same factor."
    if (several or a.numel() == 1) and near(a + (b - a).median(), b):
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
            if (changed := change(a)).isfinite().all() and near(changed, b):
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
        if factor.numel() > 1 and (factor.abs() > 1e-6).all() and near(a * factor, b):
            yield (
                f"factor along {axis}",
                f"Each line along axis {axis} is off by a factor of its own.",
            )
        if factor.numel() > 1 and near(a + (b - a).mean(axis, keepdim=True), b):
            yield (
                f"offset along {axis}",
                f"Each line along axis {axis} is off by a number of its own.",
            )


def _of_inputs(case: Case, a: torch.Tensor, b: torch.Tensor) -> Iterator[tuple[str, str]]:
    """An input that is missing in the right numbers, or in them once too often."""
    for name, given in case.inputs():
        if not given.is_floating_point() or given.shape != a.shape or distinct(given) < ENOUGH:
            continue
        x = given.double()
        for word, changed, sentence in (
            (
                "without",
                a - x,
                f"Every number is the right one minus {name}: {name} isn't added.",
            ),
            (
                "plus",
                a + x,
                f"Every number is the right one plus {name}: {name} is added too often.",
            ),
            ("times", a * x, f"Every number is the right one times {name}."),
        ):
            if changed.isfinite().all() and near(changed, b):
                yield f"{word} {name}", sentence


def _of_places(case: Case, right: torch.Tensor, got: torch.Tensor) -> Iterator[tuple[str, str]]:
    """Right in all places but some that have something in common; the fewest of those first."""
    if right.dim() == 0 or right.numel() < ENOUGH:
        return
    wrong = ~close(right, got)
    if wrong.all() or (right.is_floating_point() and _of_few_kinds(right, got[wrong])):
        return
    found = []
    for word, sentence, places in _places(case, right, wrong):
        if not (wrong & ~places).any() and _differ(right[~places]):
            found.append((int(places.sum()), word, sentence))
    yield from ((word, sentence) for _, word, sentence in sorted(found))


def _of_few_kinds(right: torch.Tensor, wrong: torch.Tensor) -> bool:
    """Whether wrong numbers are among a few that come again and again: so many are right by chance.

    A norm of two features, for one, leaves each with one of two numbers, or nearly.
    """
    numbers = right[(right != 0) & right.isfinite()].sort().values
    gap = (numbers[-1:] - numbers[:1]) / 1000  # less is the same again, whatever eps has done to it
    few = 2 * int((numbers.diff() > gap).sum()) < len(numbers)
    return few and bool(((wrong[:, None] - numbers).abs() <= gap).any(dim=1).all())


def _differ(right: torch.Tensor) -> bool:
    """Whether numbers tell that an answer is right there: what is 0 everywhere, anything may leave at 0."""
    return distinct(right) > (1 if right.dtype == torch.bool else 2)


def _places(case: Case, right: torch.Tensor, wrong: torch.Tensor) -> Iterator[tuple[str, str, torch.Tensor]]:
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
        spoiled = wrong.movedim(axis, 0).reshape(size, -1).any(dim=1)
        if size > 2:
            yield f"first {axis}", f"Right, except at the first position of axis {axis}.", index == 0
            yield f"last {axis}", f"Right, except at the last position of axis {axis}.", index == size - 1
        if size > 2 and spoiled[1:].all():
            yield f"but first {axis}", f"Right only at the first position of axis {axis}.", index > 0
        if size > 3 and spoiled[2:].all():
            yield f"but two {axis}", f"Right only at the first two positions of axis {axis}.", index > 1
    if right.dim() > 1 and right.shape[-1] == right.shape[-2] > 2:
        ones = torch.ones(right.shape, dtype=torch.bool)
        yield "diagonal", "Right, except on the diagonal.", ones.tril() & ones.triu()
        yield "above", "Right, except above the diagonal.", ones.triu(1)
        yield "below", "Right, except below the diagonal.", ones.tril(-1)


def _of_sums(a: torch.Tensor, b: torch.Tensor) -> Iterator[tuple[str, str]]:
    """Lines that should sum to 1 and don't, or along another axis; and lines that should differ."""
    ours, theirs = _sum_to_one(a), _sum_to_one(b)
    if len(ours) == 1 and not set(ours) & set(theirs):
        if len(theirs) == 1:
            yield (
                f"sums {theirs[0]}",
                f"These numbers sum to 1 along axis {theirs[0]}; the right ones do along axis {ours[0]}.",
            )
        elif not torch.isclose(b.sum(ours[0]), torch.ones(()).double(), atol=1e-4).any():
            yield "sums", f"The right numbers sum to 1 along axis {ours[0]}; these don't."
    for axis in range(-a.dim(), 0):
        if distinct(b) >= ENOUGH and _alike(b, axis) and not _alike(a, axis):
            yield (
                f"alike {axis}",
                f"All positions along axis {axis} have the same numbers; they should differ.",
            )


def _alike(numbers: torch.Tensor, axis: int) -> bool:
    """Whether all along an axis the numbers are those at its first position."""
    return bool(close(numbers.narrow(axis, 0, 1).expand(numbers.shape), numbers).all())


def _sum_to_one(numbers: torch.Tensor) -> list[int]:
    """The axes along which numbers of 0 or more sum to 1 everywhere."""
    if not numbers.isfinite().all() or (numbers < -1e-6).any():
        return []
    axes = [axis for axis in range(-numbers.dim(), 0) if numbers.shape[axis] > 1]
    return [axis for axis in axes if near(torch.ones(()).double(), numbers.sum(axis))]


def _of_zeros(right: torch.Tensor, got: torch.Tensor) -> Iterator[tuple[str, str]]:
    """Right but for what is 0, and what should be."""
    alike, ours, theirs = close(right, got), right != 0, got != 0
    telling = (alike & ours).sum()
    if telling >= ENOUGH and 2 * telling >= ours.sum() and (alike | ~ours | ~theirs).all():
        yield "zeros", "The right numbers, except that the zeros are in the wrong places."


NUMBERS = (
    ("2 times", 2.0),
    ("half of", 0.5),
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
    ("the right one times the square root of {}", math.sqrt),
    ("the right one divided by the square root of {}", lambda n: 1 / math.sqrt(n)),
    ("the right one times {}", float),
    ("the right one divided by {}", lambda n: 1 / n),
)


def _names(case: Case, factor: float) -> Iterator[str]:
    """What each number is, by what its factor may be: 2, or the root of an argument or of an axis's size."""
    for text, value in NUMBERS:
        if math.isclose(factor, value, rel_tol=1e-4):
            yield f"{text} the right one"
    sizes = [(name, value) for name, value in case.arguments() if _scales(value)]
    sizes += [
        (f"the size of axis {axis} of {name}", given.shape[axis])
        for name, given in case.inputs()
        for axis in range(-given.dim(), 0)
        if given.shape[axis] > 1
    ]
    for text, of in OF_SIZES:
        yield from (text.format(n) for n, value in sizes if math.isclose(factor, of(value), rel_tol=1e-4))


def _scales(value: object) -> bool:
    """Whether something can be what numbers are multiplied or divided by."""
    return isinstance(value, int | float) and 0 < value < math.inf and value != 1
