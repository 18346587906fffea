"""Exercises -> sheets: runs references and misconceptions on cases, so that a check needs only numbers."""

import contextlib
import functools
import hashlib
import hmac
import inspect
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from autograder.drawing import generator
from autograder.exercise import Exercise, Misconception
from autograder.fresh import as_defined
from autograder.kept import FitDraws
from helpers.checking.assessing import assess
from helpers.checking.calling.drivers import judged, run
from helpers.checking.calling.outcome import CallStatus, Case, Outcome
from helpers.checking.calling.surroundings import generators_kept
from helpers.checking.calling.values import MOST_DIGITS, arrays, is_huge, map_arrays, map_tensors, same
from helpers.checking.comparing import compare_gradients
from helpers.checking.explaining.recognising import Failure
from helpers.checking.explaining.sketches import to_text
from helpers.checking.finding import Status
from helpers.checking.kinds.arrays import dtype_name, in_dtype
from helpers.checks import KnownMisconception, Sheet, compare

VISIBLE_SEED = "visible"
DRAWS_AT_MOST = 30
CLEAR = 1.5  # how much more or less rounding leaves it clear which draw can be judged by
# Our answers run one at a time: a driver seeds torch's generator, which all threads of a process share, and a
# grader's threads would take each other's random numbers.
_RUNNING = threading.RLock()


@contextlib.contextmanager
def fresh(answer: Any) -> Iterator[None]:
    """While this lasts, an answer of ours runs on one sheet's cases; it begins as it was defined.

    Any thread may call it, and others wait.
    """
    with _RUNNING, as_defined(answer):
        yield


def outcome_of(exercise: Exercise, answer: Any, case: Case) -> Outcome:
    """What an answer of ours does on a case, through the driver that calls students' answers.

    Any thread may call it.
    """
    if exercise.driver == "choice" and answer is not exercise.reference:
        answer = overlay(exercise.reference, answer)
    with _RUNNING:
        return run(exercise.driver, answer, case, gradients=exercise.gradients, forbidden=())


def overlay(right: Mapping, wrong: Mapping) -> dict:
    """The right choices with some replaced. Slots of nested dicts are joined by ` · `, as in the driver."""
    flat = dict(wrong)

    def replace(node: Mapping, prefix: str) -> dict:
        joined = {key: f"{prefix} · {key}" if prefix else str(key) for key in node}
        return {
            key: replace(value, joined[key]) if isinstance(value, Mapping) else flat.get(joined[key], value)
            for key, value in node.items()
        }

    return replace(right, "")


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Let torch use one thread: sums then come out the same on any machine, and small ones sooner."""
    if not (torch := sys.modules.get("torch")):
        yield
        return
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def make_sheet(
    exercise: Exercise,
    seed: str,
    *,
    look_at: str = "",
    needs: Mapping[str, str] | None = None,
    misconceptions: bool = True,
) -> Sheet:
    """Run an exercise's reference, and its misconceptions, on the cases that a seed gives.

    Args:
        exercise: the exercise.
        seed: any text. `VISIBLE_SEED` gives the cases that students see.
        look_at: the lesson's heading over the exercise.
        needs: the exercises it builds on, by id, with their titles.
        misconceptions: whether to run the misconceptions too; a passing answer needs none.
    """
    cases, expected = _draw(exercise, seed)
    names = _arguments(exercise)
    sheet = Sheet(
        exercise=exercise.id,
        title=exercise.title,
        points=exercise.points,
        driver=exercise.driver,
        returns=exercise.returns,
        forbidden=exercise.forbidden,
        properties=tuple(prop.__name__ for prop in exercise.properties),
        arguments=names,
        needs=needs or {},
        look_at=look_at,
        cases=tuple(replace(case, names=names) for case in cases),
        expected=tuple(expected),
        misconceptions=(),
        full_precision=exercise.full_precision,
    )
    return with_misconceptions(sheet, exercise) if misconceptions else sheet


def _arguments(exercise: Exercise) -> tuple[str, ...]:
    """What the text calls the arguments of a case, where it has names for them."""
    if exercise.driver == "module":
        return ("sizes", "weights", *list(inspect.signature(exercise.reference.forward).parameters)[1:])
    if exercise.driver not in ("call", "call_measured", "copies", "call_with_layer", "iterate", "printed"):
        return ()
    first = ("number of items",) if exercise.driver == "iterate" else ()
    return (*first, *inspect.signature(exercise.reference).parameters)


def with_misconceptions(sheet: Sheet, exercise: Exercise) -> Sheet:
    """The sheet with what each misconception gives on its cases."""

    def known(each: Misconception) -> KnownMisconception:
        with fresh(each.variant):
            outcomes = [_judged(exercise, each.variant, case) for case in sheet.cases]
        if exercise.driver == "choice":
            [right], [chosen] = sheet.expected, outcomes
            wrong = {slot: option for slot, option in chosen.outputs.items() if option != right.outputs[slot]}
            return KnownMisconception(each.name, each.sentence, chosen=wrong)
        return KnownMisconception(each.name, each.sentence, to_text(Failure.of(sheet, outcomes).sketches))

    return replace(sheet, misconceptions=tuple(map(known, exercise.misconceptions)))


def failing_case(exercise: Exercise, answer: Any, sheet: Sheet, first: int = 0) -> int | None:
    """The number of a case on which an answer of ours fails, or None: it passes, as a student's would.

    Args:
        exercise: the exercise.
        answer: what is called, as the reference is.
        sheet: a sheet of the exercise.
        first: the case to begin with. The first failure ends it, so where it failed before is a good guess.
    """
    values = replace(exercise, properties=())  # wrong ones are seen sooner than wrong gradients
    numbers = [*range(first, len(sheet.cases)), *range(first)]
    for fails in (functools.partial(_wrong_values, values), functools.partial(_fails, exercise)):
        with fresh(answer):
            for number in numbers:
                if fails(answer, sheet, number):
                    return number
    return None


def _wrong_values(exercise: Exercise, answer: Any, sheet: Sheet, number: int) -> bool:
    case, expected = sheet.cases[number], sheet.expected[number]
    outcome = judged(exercise.driver, case, outcome_of(exercise, answer, case))
    coarse = not exercise.full_precision
    returned = outcome.status == CallStatus.RETURNED
    return not returned or compare(expected.outputs, outcome.outputs, coarse=coarse) is not None


def _fails(exercise: Exercise, answer: Any, sheet: Sheet, number: int) -> bool:
    case, expected = sheet.cases[number], sheet.expected[number]
    one = replace(sheet, cases=(case,), expected=(expected,), misconceptions=())
    outcome = Outcome.from_json(outcome_of(exercise, answer, case).to_json())
    return assess(one, [outcome]).status != Status.PASSED


class HiddenSheets:
    """The hidden sheets of a course: a few dozen for each exercise, all from one secret.

    Which of them a submission gets follows from its content and the secret, so what one attempt saw is of
    little use to the next. A judge makes each of them once, when the first submission needs it.

    A draw by which a known misconception would pass is drawn again, so no mark depends on it. One by which a
    known right answer would fail, because it rounds differently, gives nobody no mark: who fails is judged by
    the first draw on which no such answer does. That is looked at once somebody fails, which is seldom.

    Args:
        secret: the course's.
        fit: what is known of its draws. Without it, each is looked at when it is first made.
    """

    DRAWS = 32

    def __init__(self, secret: bytes, fit: FitDraws | None = None) -> None:
        self._secret, self._fit = secret, fit
        self._made: dict[tuple[str, int, bool], Sheet] = {}
        self._failed: dict[tuple[str, str], int] = {}
        self._making = threading.Lock()

    def of(self, exercise: Exercise, digest: str) -> Sheet:
        """A submission's hidden sheet of an exercise, without misconceptions: right answers need none.

        Who passes it is right. Who fails is judged by `explained`.
        """
        return self.draw(exercise, self.number(digest), fair=False)

    def number(self, digest: str) -> int:
        """Which draw a submission gets, from 0 on, the same for all exercises."""
        return int.from_bytes(hmac.digest(self._secret, digest.encode(), "sha256")[:4], "big") % self.DRAWS

    def draw(self, exercise: Exercise, number: int, *, fair: bool = True) -> Sheet:
        """One of an exercise's hidden sheets, without misconceptions.

        Args:
            exercise: the exercise.
            number: of the draw, from 0 on.
            fair: whether all known right answers have to pass it. No misconception does.

        Raises:
            ValueError: a misconception passes, or an alternative fails, whatever is drawn.
        """
        key = (exercise.id, number, fair)
        # Who comes second waits, instead of making it again.
        with self._making, _RUNNING, generators_kept():
            if key not in self._made:
                self._made[key] = self._make(exercise, number, fair)
            return self._made[key]

    def _make(self, exercise: Exercise, number: int, fair: bool) -> Sheet:
        seed = hmac.digest(self._secret, b"draw %d" % number, "sha256").hex()
        name = f"{number}-fair" if fair else f"{number}"
        known = self._fit.known(exercise.id, name) if self._fit else None
        for attempt in range(known or 0, DRAWS_AT_MOST):
            sheet = make_sheet(exercise, f"{seed} {attempt}" if attempt else seed, misconceptions=False)
            if known == attempt:
                return sheet
            misjudged = self._misjudged(exercise, sheet, fair)
            if not misjudged:
                if self._fit:
                    self._fit.keep(exercise.id, name, attempt)
                return sheet
        raise ValueError(f"{exercise.id}: by each of {DRAWS_AT_MOST} draws {misjudged}")

    def _misjudged(self, exercise: Exercise, sheet: Sheet, fair: bool) -> str:
        """Which misconception passes a sheet, or which alternative fails a fair one; "" if none does."""
        if exercise.driver == "choice":  # nothing in its case is drawn
            return ""
        for misconception in exercise.misconceptions:
            key = (exercise.id, misconception.name)
            failed = failing_case(exercise, misconception.variant, sheet, self._failed.get(key, 0))
            if failed is None:
                return f"{misconception.name} passes"
            self._failed[key] = failed
        for alternative in exercise.alternatives if fair else ():
            # Once for each case, where `failing_case` calls an answer twice to see a wrong one sooner.
            with fresh(alternative):
                outcomes = [outcome_of(exercise, alternative, case) for case in sheet.cases]
            if assess(sheet, outcomes).status != Status.PASSED:
                return f"{alternative.__name__} fails"
        return ""

    def explained(self, exercise: Exercise, digest: str, visible: Sheet) -> Sheet:
        """The sheet that decides what fails: it's `of`'s unless a right answer fails that.

        It has the misconceptions, which name what is wrong, and what the visible sheet points to.
        """
        sheet = self.draw(exercise, self.number(digest))
        return with_misconceptions(replace(sheet, look_at=visible.look_at, needs=visible.needs), exercise)


def make_cases(exercise: Exercise, seed: str) -> list[Case]:
    """The cases of an exercise for a seed: the same text gives the same cases.

    Some draws are too delicate to judge by: a layer norm of four nearly equal numbers, two hypotheses that
    score the same. There the rounding of float32 decides, and a right answer that adds in another order would
    be wrong. Such cases are drawn again.
    """
    return _draw(exercise, seed)[0]


def is_clear(exercise: Exercise) -> bool:
    """Whether every processor draws the same visible cases, though each rounds a little differently."""
    strict, lenient = (_draw(exercise, VISIBLE_SEED, margin)[0] for margin in (1 / CLEAR, CLEAR))
    return same(*([case.to_json() for case in cases] for cases in (strict, lenient)))


def _draw(exercise: Exercise, seed: str, margin: float = 1) -> tuple[list[Case], list[Outcome]]:
    """Cases that can be judged by, and what is right for each; `margin` widens what rounding may do."""
    digest = hashlib.sha256(f"{exercise.id}/{seed}".encode()).digest()
    drawn_from = generator(
        int.from_bytes(digest[:7], "big"), hidden=seed != VISIBLE_SEED, cases=exercise.cases
    )
    for _ in range(DRAWS_AT_MOST):
        cases = exercise.cases(drawn_from)
        with fresh(exercise.reference):
            expected = [_expected(exercise, case) for case in cases]
        values = [[each.args, each.kwargs] for each in cases], [each.outputs for each in expected]
        if any(map(is_huge, values)):
            text = f"a whole number has over {MOST_DIGITS} digits, too many to compare"
            raise ValueError(f"{exercise.id}: {text}")
        if all(_steady(exercise, *pair, margin) for pair in zip(cases, expected, strict=True)):
            return cases, expected
    text = f"of {DRAWS_AT_MOST} draws, float32 rounding decides each"
    too = "a recipe whose model isn't in the dtype of its weights does that, too"
    raise ValueError(f"{exercise.id}: {text} ({too})")


def _steady(exercise: Exercise, case: Case, expected: Outcome, margin: float) -> bool:
    """Whether the reference gives the same, to a part of what a comparison allows, in the other precision.

    Unless the text asks for full precision, answers may compute in float32 what is given in float64.
    """
    inputs = [case.args, case.kwargs]
    dtypes = {dtype_name(array) for array in arrays(inputs)}
    wide, narrow = "float64", "float32"
    if wide in dtypes and not exercise.full_precision:
        args, kwargs = _cast(inputs, wide, narrow)
        coarse = _expected(exercise, replace(case, args=args, kwargs=kwargs))
        if not _agree(expected, coarse, (narrow, wide), slack=0.5 * margin, coarse=True):
            return False
    if narrow not in dtypes:
        return True
    args, kwargs = _cast(inputs, narrow, wide)
    exact = _expected(exercise, replace(case, args=args, kwargs=kwargs))
    return _agree(expected, exact, (wide, narrow), slack=0.1 * margin)


def _agree(
    expected: Outcome, other: Outcome, dtypes: tuple[str, str], *, slack: float, coarse: bool = False
) -> bool:
    """Whether another outcome has the same values and gradients, once one of the dtypes is the other."""
    outputs, gradients = _cast([other.outputs, other.gradients], *dtypes)
    if compare(expected.outputs, outputs, slack=slack, coarse=coarse):
        return False
    pairs = zip(expected.gradients or [], gradients or [], strict=True)
    return not any(right is not None and compare_gradients(right, each, slack=slack) for right, each in pairs)


def _cast(value: Any, old: str, new: str) -> Any:
    """The value with its arrays of one dtype in another."""
    return map_arrays(lambda array: in_dtype(array, new) if dtype_name(array) == old else array, value)


def _expected(exercise: Exercise, case: Case) -> Outcome:
    outcome = judged(exercise.driver, case, outcome_of(exercise, exercise.reference, case))
    outputs = map_tensors(lambda tensor: tensor.detach(), outcome.outputs)
    # The inputs are to stay as the case has them, which needn't be said again.
    return replace(outcome, outputs=outputs, inputs_after=None)


def _judged(exercise: Exercise, variant: Any, case: Case) -> Outcome:
    """The outcome as it reads after a trip through data, which every student's outcome makes too."""
    outcome = Outcome.from_json(outcome_of(exercise, variant, case).to_json())
    return judged(exercise.driver, case, outcome)
