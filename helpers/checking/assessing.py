"""From cases and outcomes to a finding: the one assessment, on both sides of the trust line.

It serves a student's notebook, where the cases come from `checks.json`, and the judge, where they are made
from a hidden seed. There is no reference code here: a sheet holds numbers only.

A misconception is named if the answer matches it in every case, or if it matches more wrong cases than any
other known mistake and contradicts none that is right; then the message says where it shows.
"""

import builtins
import functools
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from helpers.checking.calling.compiling import COMPILER
from helpers.checking.calling.drivers import judged
from helpers.checking.calling.outcome import CallStatus, Outcome
from helpers.checking.calling.values import map_tensors, tensors
from helpers.checking.comparing import ALMOST, GUESSES, Difference, compare, in_form
from helpers.checking.explaining.contrast import contrast
from helpers.checking.explaining.hints import explain
from helpers.checking.explaining.relations import relation
from helpers.checking.explaining.sketches import Seen, Sketch, alike, recognised, sketch, sketch_beside
from helpers.checking.explaining.telling import Pairs, in_part, tells
from helpers.checking.finding import Finding, Status, one_line
from helpers.checking.properties import PROPERTIES, gradient_reaches_inputs, inputs_unchanged
from helpers.checking.sheet import AND, KnownMisconception, Sheet


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
    if not any(problems):
        inherited = any(id in rounding for id in sheet.needs)
        rounded = not inherited and _is_rounded(sheet, outcomes)
        return replace(finding, remark=ROUNDED) if rounded else finding
    cause = _explain(sheet, outcomes, problems, reveal)
    if blamed:
        cause = _Cause("needs", cause.case, NEEDS.format(blamed))
    index = cause.case
    problem = problems[index]
    assert problem is not None
    # defence: message: what wrong hidden cases print
    finding = _with_prints(finding, sheet, outcomes, index) if reveal else finding
    where = f"case {index + 1} of {len(sheet.cases)}" if reveal else "a hidden case like"
    return replace(
        finding,
        status=Status.FAILED,
        case="" if sheet.driver == "choice" else f"{where}: {sheet.cases[index].title}",
        returned=problem.returned,
        meaning=cause.meaning,
        look_at=sheet.look_at,
        cause=cause.name,
        relation=cause.told,
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


@dataclass(frozen=True)
class _Cause:
    """What is said of a failure: its name, the case it is about, its meaning, what is true of the numbers."""

    name: str
    case: int
    meaning: str
    told: str = ""


def _explain(sheet: Sheet, outcomes: list[Outcome], problems: list[_Problem | None], reveal: bool) -> _Cause:
    """The known mistake that does the same in all cases, else in the most; then what is true of the numbers.

    Third comes what the wrong cases have in common, and last what is true of one of them.
    """
    wrong = [(number, problem) for number, problem in enumerate(problems) if problem]
    number, first = wrong[0]
    if first.cause not in RECOGNISABLE:
        return _Cause(first.cause, number, first.meaning)
    if misconceptions := recognise(sheet, outcomes):
        said = " ".join(misconception.sentence for misconception in misconceptions)
        return _Cause(misconceptions[0].name, number, said)
    unexplained = first.meaning == _unknown(sheet, number, reveal)
    more = _by_hand(sheet, number, reveal) if unexplained else ""
    triples = [(sheet.cases[n], sheet.expected[n], outcomes[n]) for n, _ in wrong]
    holds = functools.partial(relation, returns=sheet.returns, sums=unexplained or first.cause != "value")
    of_numbers = first.cause in ("value", "shape", "structure")
    if slip := recognised(sketches_of_slip(sheet, outcomes), sheet.slips):
        if both := _of_names(sheet, slip):
            said = " ".join(each.sentence for each in both)
            return _Cause(both[0].name, number, f"{TWO_MISTAKES} {said}")
        true = holds(triples) if of_numbers else ""
        told = f"{ONE_CHANGE} {slip}. {true}".strip()
        return _Cause(first.cause, number, told if true else f"{told} {more}".strip(), told)
    if found := _in_part(sheet, outcomes, problems, reveal):
        return found
    if first.meaning not in (*GUESSES, ALMOST):
        more = more or first.meaning  # a guess says less than what is known of the numbers
    if of_numbers and (told := holds(triples)):
        return _Cause(first.cause, number, f"{told} {more}".strip(), told)
    right = [case for case, problem in zip(sheet.cases, problems, strict=True) if not problem]
    if told := contrast(right, [case for case, _, _ in triples], ones=first.cause != "raised"):
        return _Cause(first.cause, number, f"{told} {first.meaning}", told)
    for (n, problem), triple in zip(wrong, triples, strict=True):
        alone = problem.cause == "value" and len(wrong) > 1 and tells(_values(sheet, *triple[1:]))
        if alone and (told := relation([triple], sheet.returns, sums=unexplained)):
            return _Cause(problem.cause, n, f"{told} {IN_ONE_CASE}", told)
    return _Cause(first.cause, number, first.meaning)


TWO_MISTAKES = "There are two mistakes."
IN_ONE_CASE = "That is so in this case; the other wrong cases look different."


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


def _in_part(
    sheet: Sheet, outcomes: list[Outcome], problems: list[_Problem | None], reveal: bool
) -> _Cause | None:
    """A known mistake that a second one hides in some cases or in some of the returned values."""
    values = {
        number: _values(sheet, sheet.expected[number], outcome)
        for number, outcome in enumerate(outcomes)
        if problems[number] and outcome.status == CallStatus.RETURNED
    }
    known: list[tuple[KnownMisconception | str, Sequence[str]]] = [
        *((each, [each.gives]) for each in sheet.misconceptions if each.gives),
        *(slip for slip in sheet.slips.items() if not _of_names(sheet, slip[0])),
    ]
    if sheet.driver == "choice" or not (
        found := in_part(_wordless(sketches(sheet, outcomes)), values, known)
    ):
        return None
    each, where = found
    case = where[0][0]
    shown = _shown_in(sheet, values, where) if reveal else "Some of the wrong cases show"
    fix = f"{shown} exactly this: fix it first, then look at the rest again."
    if isinstance(each, KnownMisconception):
        return _Cause(each.name, case, f"{each.sentence} {fix}")
    problem, told = problems[case], f"{ONE_CHANGE} {each}."
    return _Cause(problem.cause if problem else "value", case, f"{told} {fix}", told)


def _of_names(sheet: Sheet, said: str) -> list[KnownMisconception]:
    """The two misconceptions whose names these are; nothing if it is a sentence."""
    names = said.split(AND)
    return [each for each in sheet.misconceptions if each.name in names] if len(names) == 2 else []


def _shown_in(sheet: Sheet, values: Mapping[int, Pairs], where: list[tuple[int, int]]) -> str:
    """In which cases, or in which returned value of them, a mistake shows: the beginning of a sentence."""
    cases = [str(number + 1) for number in dict.fromkeys(number for number, _ in where)]
    places = {place for _, place in where}
    one = f"`{sheet.returns[places.pop()]}`" if len(places) == 1 and len(values[where[0][0]]) > 1 else ""
    if one and len(cases) == len(values):
        return f"{one} shows"
    listed = f"{', '.join(cases[:-1])} and {cases[-1]}" if len(cases) > 1 else cases[0]
    listed = f"case{'s' * (len(cases) > 1)} {listed}"
    if one:
        return f"{one} in {listed} shows"
    return f"C{listed[1:]} show{'s' * (len(cases) == 1)}"


def sketches(sheet: Sheet, outcomes: list[Outcome]) -> list[Seen]:
    """Outcomes in short, None for those that are right."""
    return [
        _sketched(sheet, expected, outcome) if _problem(sheet, number, outcome, True) else None
        for number, (expected, outcome) in enumerate(zip(sheet.expected, outcomes, strict=True))
    ]


def _sketched(sheet: Sheet, right: Outcome, outcome: Outcome) -> Seen:
    """What is wrong with an outcome, in short: value by value, where the exercise has names for several."""
    if outcome.status != CallStatus.RETURNED:
        return (sketch(outcome),)
    if _difference(sheet, right, outcome) is None:
        return (sketch_beside(outcome),)
    coarse = not sheet.full_precision
    return tuple(
        None
        if compare(ours, theirs, coarse=coarse) is None
        else _sketch_of(replace(right, outputs=ours), theirs)
        for ours, theirs in _values(sheet, right, outcome)
    )


def _values(sheet: Sheet, right: Outcome, outcome: Outcome) -> Pairs:
    """Right and returned values in pairs: several where the exercise has names for them, else one."""
    ours, theirs = right.outputs, in_form(right.outputs, outcome.outputs)
    several = isinstance(ours, list | tuple) and isinstance(theirs, list | tuple)
    fits = several and len(ours) == len(theirs) == len(sheet.returns) > 1
    return list(zip(ours, theirs, strict=True)) if fits else [(ours, theirs)]


def _sketch_of(right: Outcome, value: object) -> Sketch:
    """A wrong value in short.

    Who makes a mistake in float64 may have a step in float32 besides, and it is the same mistake. So digits
    beyond float32 count only where the others are right.
    """
    outcome = replace(right, outputs=value)
    if not any(t.is_floating_point() and t.element_size() > 4 for t in tensors(right.outputs)):
        return sketch(outcome)
    coarse = _in_float32(outcome)
    if compare(_in_float32(right).outputs, coarse.outputs) is None:
        return sketch(outcome, exact=True)
    return sketch(coarse)


def _in_float32(outcome: Outcome) -> Outcome:
    outputs = map_tensors(lambda t: t.float() if t.is_floating_point() else t, outcome.outputs)
    return replace(outcome, outputs=outputs)


ONE_CHANGE = "Your results are exactly those of a right answer in which"


def sketches_of_slip(sheet: Sheet, outcomes: list[Outcome]) -> list[Seen]:
    """The same without the words of exceptions, which differ between idioms; none if not values are wrong.

    Where values are right and gradients wrong, as with a factor of 0 in one case, others have to tell.
    """
    problems = [_problem(sheet, number, outcome, True) for number, outcome in enumerate(outcomes)]
    causes = {problem.cause for problem in problems if problem}
    if not causes & {*OF_VALUES} or causes - {*OF_VALUES, gradient_reaches_inputs.__name__}:
        return []
    return _wordless(sketches(sheet, outcomes))


def _wordless(seen: list[Seen]) -> list[Seen]:
    return [each and tuple(part and replace(part, message="") for part in each) for each in seen]


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
    return f"None of the mistakes we know gives this result. {_by_hand(sheet, index, reveal)}"


def _by_hand(sheet: Sheet, index: int, reveal: bool) -> str:
    call, what = f'case("{sheet.exercise}", {index + 1}).args', "the" if reveal else "similar"
    return f"To try it by hand, take {what} inputs from `{call}`."


AN_OPTION = "Choose one of the options listed here, and write it exactly as in the list."
FILL_IN = "Fill in each `...` and leave the names before it as they were."
OTHER_PARAMETERS = "The check loads weights of its own by name and shape: leave `__init__` as it was."
RESULT = "Compare what you return with the docstring: type, shape and order."
REDEFINE = "The name now means something else: run the cell with your function again, then this one."


def _not_returned(sheet: Sheet, outcome: Outcome, reveal: bool) -> _Problem:
    where = f", at {_line(outcome.where)}" if outcome.where and reveal else ""
    if outcome.status == CallStatus.FORBIDDEN:
        named = outcome.error in (*sheet.forbidden, COMPILER)
        name = outcome.error if named else "a forbidden function"
        meaning = f"Solve this exercise without {name}: writing it yourself is the point."
        return _Problem("forbidden", f"nothing: it uses {name}{where}", meaning)
    if outcome.status == CallStatus.INTERRUPTED:
        text = f"nothing: the call was stopped, because it didn't end{where}"
        return _Problem("timeout", text, "A loop never ends, or the code takes far more steps than it needs.")
    if outcome.status == CallStatus.UNUSABLE:
        text = f"{_line(outcome.message, 80)}, expected {_line(outcome.error)}"
        of_choice = AN_OPTION if outcome.error.startswith("one of") else FILL_IN
        meaning = of_choice if sheet.driver == "choice" else REDEFINE
        if "parameters" in outcome.error and sheet.driver == "module":
            meaning = OTHER_PARAMETERS
        if sheet.driver in ("draws", "use_result") and "docstring" in outcome.error:
            meaning = RESULT
        return _Problem("unusable", text if reveal else "not what the exercise asks for", meaning)
    text = f": {_line(outcome.message)}" if outcome.message and reveal else ""
    # defence: hidden: names of exceptions
    named = outcome.error.isidentifier() if reveal else hasattr(builtins, outcome.error)
    name = outcome.error if named else "an exception"
    return _Problem(
        "raised",
        f"nothing: it raised {name:.60}{text}{where}",
        explain(f"{outcome.error}: {outcome.message}", outcome.where),
    )


def _line(text: str, limit: int = 240) -> str:
    """A stranger's text as one line of printable characters; without addresses, which differ each time."""
    text = re.sub(r" at 0x[0-9a-fA-F]+", "", one_line(text))
    return text if len(text) <= limit else text[: limit - 1] + "…"
