"""From cases and outcomes to a finding: the one assessment, on both sides of the trust line.

It serves a student's notebook, where the cases come from `checks.json`, and the judge, where they are made
from a hidden seed. There is no reference code here: a sheet holds numbers only.
"""

from collections.abc import Collection
from dataclasses import replace

from helpers.checking.calling.drivers import judged
from helpers.checking.calling.outcome import CallStatus, Case, Outcome
from helpers.checking.comparing import compare
from helpers.checking.explaining.causes import cause_of
from helpers.checking.finding import Finding, Status
from helpers.checking.kinds.arrays import torch_is_there
from helpers.checking.problems import line_of, problem_of
from helpers.checking.sheet import Sheet


def assess(
    sheet: Sheet,
    outcomes: list[Outcome],
    *,
    reveal: bool = True,
    rounding: Collection[str] = (),
) -> Finding:
    """Compare what a student's answer did on every case with what is right.

    Args:
        sheet: the exercise as numbers.
        outcomes: one for each case of the sheet, in order. They may come from a stranger.
        reveal: whether the message may carry numbers and texts of the case. The judge's hidden cases say no.
        rounding: ids of those whose answers are known to round. What builds on them gets no remark.
    """
    outcomes = _to_compare(sheet, outcomes)
    finding = Finding(sheet.title, Status.PASSED, sheet.points, len(sheet.cases))
    # defence: message: what hidden cases print
    finding = _with_prints(finding, sheet, outcomes, 0) if reveal else finding
    problems = [problem_of(sheet, number, outcome, reveal) for number, outcome in enumerate(outcomes)]
    for outcome, problem in zip(outcomes, problems, strict=True):
        if outcome.status == CallStatus.NOT_WRITTEN:
            return replace(finding, status=Status.NOT_WRITTEN, meaning=_not_written(sheet, outcome))
        if problem:
            break
    if not any(problems):
        inherited = any(id in rounding for id in sheet.needs)
        rounded = not inherited and _is_rounded(sheet, outcomes)
        return (
            replace(finding, remark=ROUNDED if torch_is_there() else ROUNDED_ARRAYS) if rounded else finding
        )
    cause = cause_of(sheet, outcomes, problems, reveal)
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


def beside(sheet: Sheet, needed: str) -> Finding:
    """What is found of an answer that passes once a right one is in the place of the one it needs.

    Args:
        sheet: the exercise as numbers.
        needed: the title of the exercise whose answer is wrong. That fault counts there alone.
    """
    return Finding(sheet.title, Status.PASSED, sheet.points, len(sheet.cases), remark=BESIDE.format(needed))


def passes(sheet: Sheet, outcomes: list[Outcome]) -> bool:
    """Whether an answer passes, as in `assess`, which also looks for what is wrong if it doesn't."""
    outcomes = _to_compare(sheet, outcomes)
    return not any(problem_of(sheet, number, outcome, False) for number, outcome in enumerate(outcomes))


def _to_compare(sheet: Sheet, outcomes: list[Outcome]) -> list[Outcome]:
    """Outcomes in the form in which the sheet has those that are right."""
    outcomes = [judged(sheet.driver, *pair) for pair in zip(sheet.cases, outcomes, strict=True)]
    return _as_asked(sheet, outcomes) if sheet.driver == "object" else outcomes


def _as_asked(sheet: Sheet, outcomes: list[Outcome]) -> list[Outcome]:
    """Outcomes without what a method gives, such as self, that gives nothing in any right call."""
    rights = zip(sheet.cases, sheet.expected, strict=True)
    pairs = [pair for case, right in rights for pair in _given(case, right)]
    asked = {name for name, value in pairs if value is not None}
    return [
        replace(outcome, outputs=[value if name in asked else None for name, value in _given(case, outcome)])
        if isinstance(outcome.outputs, list)
        else outcome
        for case, outcome in zip(sheet.cases, outcomes, strict=True)
    ]


def _given(case: Case, outcome: Outcome) -> list[tuple[str, object]]:
    """Each method that a case calls, with what it gave."""
    return [(name, value) for (name, *_), value in zip(case.args[1], outcome.outputs or (), strict=False)]


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
        return f"still open: {line_of(outcome.message)}" if outcome.message else ""
    other = outcome.error if outcome.error.isidentifier() else ""
    return f"it calls {other:.60}, which isn't written yet" if other else ""


BESIDE = (
    "“{}”, which this builds on, doesn't pass yet: fix that one. With a right answer in its place, this one "
    "passes, so it loses no points."
)
ROUNDED = (
    "The values are right, but less exact than float64 inputs allow: some step rounds to float32, as "
    ".float() and torch.tensor of a plain number do, or adds a small number, such as 1e-8. That costs no "
    "points."
)
ROUNDED_ARRAYS = (
    "The values are right, but less exact than NumPy's usual float64 allows: some step rounds to float32, as "
    ".astype(np.float32) does, or adds a small number, such as 1e-8. That costs no points."
)
ROUNDS = (ROUNDED, ROUNDED_ARRAYS)


def _is_rounded(sheet: Sheet, outcomes: list[Outcome]) -> bool:
    """Whether values that are right could be more exact."""
    pairs = zip(sheet.expected, outcomes, strict=True)
    return sheet.driver != "choice" and any(compare(right.outputs, got.outputs) for right, got in pairs)
