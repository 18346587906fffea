"""From cases and outcomes to a finding: the one assessment, on both sides of the trust line.

It serves a student's notebook, where the cases come from `checks.json`, and the judge, where they are made
from a hidden seed. There is no reference code here: a sheet holds numbers only.

A misconception is named only if the answer matches it in every case. Naming one that matched in some cases
was right less than half of the time.
"""

import functools
from collections.abc import Collection
from dataclasses import dataclass, replace

from helpers.checking.calling.drivers import judged
from helpers.checking.calling.outcome import CallStatus, Outcome
from helpers.checking.calling.values import map_tensors, tensors
from helpers.checking.comparing import FEWER_AXES, MORE_AXES, Difference, compare, in_form
from helpers.checking.explaining.contrast import contrast
from helpers.checking.explaining.hints import explain
from helpers.checking.explaining.relations import relation
from helpers.checking.explaining.sketches import Sketch, alike, each_alike, recognised, sketch, sketch_beside
from helpers.checking.finding import Finding, Status, one_line
from helpers.checking.properties import PROPERTIES, gradient_reaches_inputs, inputs_unchanged
from helpers.checking.sheet import KnownMisconception, Sheet


def assess(
    sheet: Sheet,
    outcomes: list[Outcome],
    *,
    reveal: bool = True,
    blamed: str = "",
    rounding: Collection[str] = (),
) -> Finding:
    """Compare what a student's answer did on every case with what is right.

    Args:
        sheet: the exercise as numbers.
        outcomes: one for each case of the sheet, in order. They may come from a stranger.
        reveal: whether the message may carry numbers and texts of the case. The judge's hidden cases say no.
        blamed: the title of an earlier exercise by whose fault alone the answer is wrong.
        rounding: ids of those whose answers are known to round. What builds on them gets no remark.
    """
    outcomes = [judged(sheet.driver, *pair) for pair in zip(sheet.cases, outcomes, strict=True)]
    finding = Finding(sheet.title, Status.PASSED, sheet.points, len(sheet.cases))
    # defence: message: what hidden cases print
    finding = _with_prints(finding, sheet, outcomes, 0) if reveal else finding
    if stub := next((outcome for outcome in outcomes if outcome.status == CallStatus.NOT_WRITTEN), None):
        first = next(n for n, outcome in enumerate(outcomes) if outcome is stub)
        if not any(_problem(sheet, n, outcome, reveal) for n, outcome in enumerate(outcomes[:first])):
            return replace(finding, status=Status.NOT_WRITTEN, meaning=_not_written(sheet, stub))
    problems = [_problem(sheet, number, outcome, reveal) for number, outcome in enumerate(outcomes)]
    index = next((number for number, problem in enumerate(problems) if problem), None)
    if index is None:
        inherited = any(id in rounding for id in sheet.needs)
        rounded = not inherited and _is_rounded(sheet, outcomes)
        return replace(finding, remark=ROUNDED) if rounded else finding
    problem = problems[index]
    assert problem is not None
    # defence: message: what wrong hidden cases print
    finding = _with_prints(finding, sheet, outcomes, index) if reveal else finding
    where = f"case {index + 1} of {len(sheet.cases)}" if reveal else "a hidden case like"
    if blamed:
        cause, meaning, told = "needs", NEEDS.format(blamed), ""
    else:
        cause, meaning, told = _explain(sheet, outcomes, problems, reveal)
    return replace(
        finding,
        status=Status.FAILED,
        case="" if sheet.driver == "choice" else f"{where}: {sheet.cases[index].title}",
        returned=problem.returned,
        meaning=meaning,
        look_at=sheet.look_at,
        cause=cause,
        relation=told,
    )


def _with_prints(finding: Finding, sheet: Sheet, outcomes: list[Outcome], first: int) -> Finding:
    """The finding with what the answer printed in one case: in the one of this number, else in any other."""
    for number in (first, *range(len(outcomes))):
        if outcomes[number].printed.strip():
            case = f"case {number + 1} of {len(outcomes)}: {sheet.cases[number].title}"
            return replace(finding, printed=outcomes[number].printed, printed_in=case)
    return finding


def _not_written(sheet: Sheet, outcome: Outcome) -> str:
    """What isn't written yet, where that isn't the whole of the answer itself."""
    if sheet.driver == "choice":
        return f"still open: {_line(outcome.message)}" if outcome.message else ""
    other = outcome.error if outcome.error.isidentifier() else ""
    return f"it calls {other:.60}, which isn't written yet" if other else ""


NEEDS = (
    "“{}”, which this builds on, doesn't pass yet: fix that first. With a right answer in its place, "
    "this one passes."
)
ROUNDED = (
    "The values are right, but some step rounds them to float32 although the inputs are float64: .float(), "
    "say, or torch.tensor of a plain number. That costs no points."
)


def _is_rounded(sheet: Sheet, outcomes: list[Outcome]) -> bool:
    """Whether values that are right could be more exact."""
    pairs = zip(sheet.expected, outcomes, strict=True)
    return sheet.driver != "choice" and any(compare(right.outputs, got.outputs) for right, got in pairs)


# Problems that a known misconception can explain. The others explain themselves.
OF_VALUES = ("type", "structure", "shape", "dtype", "nan", "value", "raised")
RECOGNISABLE = (*OF_VALUES, *PROPERTIES)


@dataclass(frozen=True)
class _Problem:
    """What is wrong with one outcome: its cause, what came back, what that usually means."""

    cause: str
    returned: str
    meaning: str = ""


def _explain(
    sheet: Sheet, outcomes: list[Outcome], problems: list[_Problem | None], reveal: bool
) -> tuple[str, str, str]:
    """The cause and meaning of the first problem: of the known misconceptions, where one does the same.

    Else, and third, what is true of the numbers, or what the wrong cases have in common.
    """
    wrong = [(number, problem) for number, problem in enumerate(problems) if problem]
    number, first = wrong[0]
    if first.cause not in RECOGNISABLE:
        return first.cause, first.meaning, ""
    if misconceptions := recognise(sheet, outcomes):
        return (
            misconceptions[0].name,
            " ".join(misconception.sentence for misconception in misconceptions),
            "",
        )
    triples = [(sheet.cases[n], sheet.expected[n], outcomes[n]) for n, _ in wrong]
    of_numbers = first.cause in ("value", "shape", "structure")
    unexplained = first.meaning == _unknown(sheet, number, reveal)
    more = _by_hand(sheet, number, reveal) if unexplained else first.meaning
    if of_numbers and first.meaning in (FEWER_AXES, MORE_AXES):
        more = ""  # guesses, beside what is known
    holds = functools.partial(relation, returns=sheet.returns, sums=unexplained or first.cause != "value")
    slip = _slip(sheet, outcomes) or _nearly(sheet, outcomes)
    if told := " ".join(filter(None, [slip, holds(triples) if of_numbers else ""])):
        return first.cause, f"{told} {more}".strip(), told
    right = [case for case, problem in zip(sheet.cases, problems, strict=True) if not problem]
    if told := contrast(right, [case for case, _, _ in triples], ones=first.cause != "raised"):
        return first.cause, f"{told} {first.meaning}", told
    if of_numbers and len(wrong) > 1 and _several(triples[0][1]) and (told := holds(triples[:1])):
        told = f"In this case, not in all: {told[0].lower()}{told[1:]}"
        return first.cause, f"{told} {more}".strip(), told
    return first.cause, first.meaning, ""


def _several(outcome: Outcome) -> bool:
    """Whether there are several numbers: of a single one in a single case, anything may hold by chance."""
    return sum(tensor.numel() for tensor in tensors(outcome.outputs)) > 1


def recognise(sheet: Sheet, outcomes: list[Outcome]) -> list[KnownMisconception]:
    """The known misconception in an answer, or none; of choices, several can be wrong, and each has its own.

    A misconception is recognised when it does the same in every case: wrong where the answer is wrong, in the
    same way, and right where it is right.
    """
    if sheet.driver == "choice":
        return [each for each in sheet.misconceptions if _chosen(each, outcomes)]
    # Different slips easily raise the same exception, so one that only raises tells nothing.
    if all(outcome.status != CallStatus.RETURNED for outcome in outcomes):
        return []
    made = sketches(sheet, outcomes)
    return [each for each in sheet.misconceptions if alike(made, each.gives)][:1]


def sketches(sheet: Sheet, outcomes: list[Outcome]) -> list[Sketch | None]:
    """Outcomes in short, None for those that are right."""
    return [
        _sketched(sheet, expected, outcome) if _problem(sheet, number, outcome, True) else None
        for number, (expected, outcome) in enumerate(zip(sheet.expected, outcomes, strict=True))
    ]


def _sketched(sheet: Sheet, right: Outcome, outcome: Outcome) -> Sketch:
    """What is wrong with an outcome, in short.

    Who makes a mistake in float64 may have a step in float32 besides, and it is the same mistake. So digits
    beyond float32 count only where the others are right.
    """
    if outcome.status != CallStatus.RETURNED:
        return sketch(outcome)
    if _difference(sheet, right, outcome) is None:
        return sketch_beside(outcome)
    outcome = replace(outcome, outputs=in_form(right.outputs, outcome.outputs))
    if not any(t.is_floating_point() and t.element_size() > 4 for t in tensors(right.outputs)):
        return sketch(outcome)
    coarse = _in_float32(outcome)
    if compare(_in_float32(right).outputs, coarse.outputs) is None:
        return sketch(outcome, exact=True)
    return sketch(coarse)


def _in_float32(outcome: Outcome) -> Outcome:
    outputs = map_tensors(lambda t: t.float() if t.is_floating_point() else t, outcome.outputs)
    return replace(outcome, outputs=outputs)


NEARLY = "All cases but one look like this mistake:"
ENOUGH = 3  # wrong cases that look like it


def _nearly(sheet: Sheet, outcomes: list[Outcome]) -> str:
    """The one misconception that does the same in all cases but one, which has some corner of its own.

    Nothing firm follows from that, and the class report doesn't count it.
    """
    if sheet.driver == "choice":
        return ""
    made, found = sketches(sheet, outcomes), []
    for misconception in sheet.misconceptions:
        same = list(each_alike(made, misconception.gives))
        telling = sum(
            each and ours is not None and outcome.status == CallStatus.RETURNED
            for each, ours, outcome in zip(same, made, outcomes, strict=True)
        )
        if same.count(False) == 1 and telling >= ENOUGH:
            found.append(misconception.sentence)
    return f"{NEARLY} {found[0]}" if len(found) == 1 else ""


ONE_CHANGE = "A right answer with one change gives exactly the same"


def _slip(sheet: Sheet, outcomes: list[Outcome]) -> str:
    """The one change to a right answer that gives exactly these outcomes, in a sentence, if one is known."""
    said = recognised(sketches_of_slip(sheet, outcomes), sheet.slips)
    return f"{ONE_CHANGE}: {said}." if said else ""


def sketches_of_slip(sheet: Sheet, outcomes: list[Outcome]) -> list[Sketch | None]:
    """The same without the words of exceptions, which differ between idioms; none if not values are wrong.

    Where values are right and gradients wrong, as with a factor of 0 in one case, others have to tell.
    """
    problems = [_problem(sheet, number, outcome, True) for number, outcome in enumerate(outcomes)]
    causes = {problem.cause for problem in problems if problem}
    if not causes & {*OF_VALUES} or causes - {*OF_VALUES, gradient_reaches_inputs.__name__}:
        return []
    return [each and replace(each, message="") for each in sketches(sheet, outcomes)]


def _chosen(misconception: KnownMisconception, outcomes: list[Outcome]) -> bool:
    got = [outcome.outputs if isinstance(outcome.outputs, dict) else {} for outcome in outcomes]
    return all(each.get(slot) == option for each in got for slot, option in misconception.chosen.items())


def _problem(sheet: Sheet, index: int, outcome: Outcome, reveal: bool) -> _Problem | None:
    """The first thing wrong with the outcome of one case."""
    case, expected = sheet.cases[index], sheet.expected[index]
    if outcome.status != CallStatus.RETURNED:
        return _not_returned(sheet, outcome, reveal)
    if sheet.driver == "choice":
        got = outcome.outputs if isinstance(outcome.outputs, dict) else {}
        wrong = [slot for slot, value in expected.outputs.items() if got.get(slot) != value]
        slots = "; ".join(filter(None, wrong))
        return _Problem("value", f"not right: {slots}" if slots else "not right") if wrong else None
    properties = [PROPERTIES[name] for name in sheet.properties]
    if difference := _difference(sheet, expected, outcome):
        may_explain = [prop for prop in properties if prop.explains_values]
        explained = (prop.meaning for prop in may_explain if prop(case, expected, outcome))
        meaning = difference.meaning or next(explained, _unknown(sheet, index, reveal))
        described = difference.describe(reveal)
        if difference.cause == "value" and (shape := _shape_too(sheet, index, outcome, reveal)):
            described = f"{described}; {shape}"
        if inputs_unchanged in properties and (changed := inputs_unchanged(case, expected, outcome)):
            said = f"{changed[0].upper()}{changed[1:]}, too. {inputs_unchanged.meaning}"
            return _Problem(inputs_unchanged.__name__, described, said)
        return _Problem(difference.cause, described, meaning)
    for prop in properties:
        if not prop.explains_values and (wrong := prop(case, expected, outcome)):
            return _Problem(prop.__name__, f"the right values, but {wrong}", prop.meaning)
    return None


def _difference(sheet: Sheet, right: Outcome, outcome: Outcome) -> Difference | None:
    """Where an outcome's values differ by more than the exercise lets pass."""
    return compare(right.outputs, outcome.outputs, sheet.returns, coarse=not sheet.full_precision)


def _shape_too(sheet: Sheet, index: int, outcome: Outcome, reveal: bool) -> str:
    """Which of several results has another shape, where one before it has wrong values: it says more."""
    right, got = sheet.expected[index].outputs, outcome.outputs
    several = isinstance(right, list | tuple) and isinstance(got, list | tuple)
    if not several or len(right) != len(sheet.returns):
        return ""
    names = ((name,) for name in sheet.returns)
    found = (compare(*each) for each in zip(right, got, names, strict=False))
    shapes = (each.describe(reveal) for each in found if each and each.cause == "shape")
    return next(shapes, "")


def _unknown(sheet: Sheet, index: int, reveal: bool) -> str:
    return f"None of the mistakes we know gives these numbers. {_by_hand(sheet, index, reveal)}"


def _by_hand(sheet: Sheet, index: int, reveal: bool) -> str:
    call, what = f'case("{sheet.exercise}", {index + 1}).args', "the" if reveal else "similar"
    return f"`{call}` has {what} inputs, to try by hand."


FILL_IN = "Fill in the `...` and leave the rest as it was."
OTHER_PARAMETERS = "The check loads weights of its own by name and shape: leave `__init__` as it was."
RESULT = "Look at what the docstring says is returned: its type, its shape, its order."
REDEFINE = "The name now stands for something else: run the cell with your function again, then this one."


def _not_returned(sheet: Sheet, outcome: Outcome, reveal: bool) -> _Problem:
    where = f", at {_line(outcome.where)}" if outcome.where and reveal else ""
    if outcome.status == CallStatus.FORBIDDEN:
        name = outcome.error if outcome.error in sheet.forbidden else "a forbidden function"
        meaning = f"Solve this exercise without {name}: writing it yourself is the point."
        return _Problem("forbidden", f"nothing: it uses {name}{where}", meaning)
    if outcome.status == CallStatus.INTERRUPTED:
        text = f"nothing: the call was stopped, because it didn't end{where}"
        return _Problem("timeout", text, "An endless loop, or far more steps than needed.")
    if outcome.status == CallStatus.UNUSABLE:
        text = f"{_line(outcome.message, 80)}, expected {_line(outcome.error)}"
        meaning = FILL_IN if sheet.driver == "choice" else REDEFINE
        if "parameters" in outcome.error and sheet.driver == "module":
            meaning = OTHER_PARAMETERS
        if sheet.driver in ("draws", "use_result") and "docstring" in outcome.error:
            meaning = RESULT
        return _Problem("unusable", text if reveal else "not what the exercise asks for", meaning)
    text = f": {_line(outcome.message)}" if outcome.message and reveal else ""
    name = outcome.error if outcome.error.isidentifier() else "an exception"
    return _Problem(
        "raised",
        f"nothing: it raised {name:.60}{text}{where}",
        explain(f"{outcome.error}: {outcome.message}", outcome.where),
    )


def _line(text: str, limit: int = 240) -> str:
    """A stranger's text as one line of printable characters."""
    text = one_line(text)
    return text if len(text) <= limit else text[: limit - 1] + "…"
