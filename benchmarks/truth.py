"""Whether grades and the causes that are named are true.

python -m benchmarks.truth [--fresh] [LESSON ...]

Mutants are the references with one small change each. Every one that isn't listed as right, too, has to fail
on the visible cases and on each of 32 hidden draws. Alternatives are right answers in other idioms. They have
to pass all of these, also on top of each other, where one exercise's answer calls another's, and with things
beside them that name what the exercise forbids. Two changes at once
show whether a cause that is named is one of the two.
"""

import argparse
import inspect
import json
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from random import Random
from statistics import median
from typing import Any

import torch
from rich.console import Console
from rich.table import Table

from autograder import exercises, lessons
from autograder.answers import code
from autograder.authoring.mutating.mutants import compounds, has_mutants, mutants
from autograder.authoring.mutating.trying import SECRET, Limits, drawn, tried
from autograder.authoring.mutating.verified import given, known_slips, listed, needless
from autograder.exercise import Exercise
from autograder.sheets import VISIBLE_SEED, HiddenSheets, failing_case, make_sheet
from benchmarks import results
from helpers.checking.calling.drivers import run
from helpers.checking.calling.outcome import Outcome
from helpers.checking.code.tracing import forbidden_use
from helpers.checking.explaining.causes import ONE_CHANGE
from helpers.checking.finding import Finding, Status
from helpers.checks import Sheet, assess
from tests.long.rows import Rows, add_option

IN_PLACE = ("inputs_unchanged", "gradient_reaches_inputs")
PAIRS = 40  # of changes, for each exercise
CAUSES = (
    "lesson", "mutants", "right, too", "pass somewhere", "in place, said so", "named", "slip named",
    "a relation", "two changes fail", "cause named", "one of the two",
)  # fmt: skip
ANSWERS = (
    "lesson", "alternatives", "pass 33 sheets", "on each other", "pass", "with clutter", "pass",
    "right check, CPU ms", "failed check, CPU ms",
)  # fmt: skip
SET_UP = "import math\nimport torch\nimport torch.nn.functional as F\nfrom torch import nn"
CLUTTER = (
    "print({used})",
    "help({used})",
    "def kept_for_comparison(*args):\n    return {used}(*args)",
    "class Mine:\n    def {word}(self):\n        return 1\n    def go(self):\n        return self.{word}()",
    "for _ in range(2):\n    result = {used}",
)


@dataclass
class Counts:
    """What was found in one lesson."""

    mutants: int = 0
    right_too: int = 0
    holes: int = 0
    in_place: int = 0
    in_place_named: int = 0
    named: int = 0
    slips: int = 0
    told: int = 0
    failed: int = 0
    alternatives: int = 0
    accepted: int = 0
    composed: int = 0
    composed_accepted: int = 0
    cluttered: int = 0
    free: int = 0
    pairs: int = 0
    firm: int = 0
    true: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))


def main() -> None:
    """Measure, print and write down."""
    torch.set_num_threads(1)
    parser = argparse.ArgumentParser("python -m benchmarks.truth")
    add_option(parser)
    parser.add_argument("lessons", nargs="*", metavar="LESSON")
    options = parser.parse_args()
    with Rows("truth", options) as rows:
        _measure(options.lessons, rows)


def _measure(named: list[str], rows: Rows) -> None:
    asked = [lessons.find(name) for name in named] or [name for name in lessons.names() if name[:2] != "00"]
    causes = Table(*CAUSES)
    answers = Table(*ANSWERS)
    total = Counts()
    for name in asked:
        counts, times = Counts(), Times([], [])
        for exercise in exercises.load(lessons.topic(name)).values():
            found, right, failed = rows(exercise.id, make=partial(_row, exercise))
            print(exercise.id, *found.items(), file=sys.stderr, flush=True)
            counts += Counts(**found)
            times.right += right
            times.failed += failed
        total += counts
        causes.add_row(*causes_of(name, counts))
        of_right, most = median(times.right) * 1000, max(times.right) * 1000
        numbers = (
            counts.alternatives,
            counts.accepted,
            counts.composed,
            counts.composed_accepted,
            counts.cluttered,
            counts.free,
        )
        checks = f"{of_right:.1f}, at most {most:.0f}", f"at most {max(times.failed) * 1000:.0f}"
        answers.add_row(name, *map(str, numbers), *checks)
    causes.add_row(*causes_of("all", total))
    Console(width=170).print(causes, answers)
    if not named:
        results.write("Truth", "python -m benchmarks.truth", " ".join(METHOD.split()), causes, answers)


def _row(exercise: Exercise) -> tuple[dict[str, int], list[float], list[float]]:
    """What is counted of one exercise, and the times of its right answer and of its mutants."""
    times = Times([], [])
    counts = of_exercise(exercise, times)
    return asdict(counts), times.right, times.failed


METHOD = """
A mutant is a reference with one small change; it should fail on the visible cases and on each of 32 hidden
draws, unless it is listed as right, too. In the last three columns two changes are made at once, at random
places (one seed): where a cause is named, it should be what one of the two changes gives by itself. The
others are printed, to be read: together, two changes can be a known mistake that neither is alone.
"Named", "slip named" and "a relation" are of the mutants that fail, each in one column: by a known
misconception, by the change itself, by what is true of the numbers.
"""


def causes_of(name: str, counts: Counts) -> list[str]:
    """A row of the first table."""
    return [
        name,
        f"{counts.mutants:,}",
        f"{counts.right_too:,}",
        f"{counts.holes:,}",
        f"{counts.in_place_named} of {counts.in_place}",
        f"{counts.named:,}",
        f"{counts.slips:,}",
        f"{counts.told:,}",
        f"{counts.failed:,} of {counts.pairs:,}",
        f"{counts.firm:,}",
        f"{counts.true:,}",
    ]


@dataclass
class Times:
    """CPU seconds of checks: of right answers, and of failing ones."""

    right: list[float]
    failed: list[float]


def of_exercise(exercise: Exercise, times: Times) -> Counts:
    """All that is counted of one exercise."""
    visible = make_sheet(exercise, VISIBLE_SEED)
    if has_mutants(exercise):
        visible = replace(visible, slips=known_slips(exercise.topic)[exercise.id])
    visible = Sheet.from_json(json.loads(json.dumps(visible.to_json())))
    times.right.append(cpu_seconds(exercise, exercise.reference, visible))
    counts = of_alternatives(exercise, visible)
    if has_mutants(exercise):
        counts += of_mutants(exercise, visible, times)
        counts += of_pairs(exercise, visible)
    return counts


def cpu_seconds(exercise: Exercise, answer: Any, sheet: Sheet) -> float:
    """What a check takes, without reading its file."""
    begun = time.process_time()
    outcomes = [run(exercise.driver, answer, case, gradients=sheet.wants_gradients) for case in sheet.cases]
    assess(sheet, [Outcome.from_json(json.loads(json.dumps(outcome.to_json()))) for outcome in outcomes])
    return time.process_time() - begun


def of_alternatives(exercise: Exercise, visible: Sheet) -> Counts:
    """Right answers in other idioms, on the visible cases and 32 draws, then with clutter beside them."""
    hidden = HiddenSheets(SECRET)
    sheets = [visible, *(hidden.draw(exercise, number) for number in range(HiddenSheets.DRAWS))]
    counts = Counts(alternatives=len(exercise.alternatives))
    for answer in composed(exercise):
        counts.composed += 1
        counts.composed_accepted += all(failing_case(exercise, answer, sheet) is None for sheet in sheets)
    for answer in exercise.alternatives:
        counts.accepted += all(failing_case(exercise, answer, sheet) is None for sheet in sheets)
        if exercise.forbidden and callable(answer):
            for cell in cluttered(exercise, answer):
                counts.cluttered += 1
                check = f'check("{exercise.id}", {answer.__name__})'
                counts.free += forbidden_use([SET_UP, cell, check], exercise.id, exercise.forbidden) is None
    return counts


def composed(exercise: Exercise) -> Iterator[Any]:
    """Alternatives that call an earlier exercise's answer, on top of each alternative of that one."""
    known = {id: exercises.load(id.partition(".")[0])[id] for id in exercise.needs}
    names = {spec.reference.__name__: spec.reference for spec in known.values() if has_mutants(spec)}
    for spec in filter(has_mutants, known.values()):
        name = spec.reference.__name__
        for answer in filter(callable, exercise.alternatives):
            source = code(answer)
            if re.search(rf"\b{name}\b", source):
                for below in filter(callable, spec.alternatives):
                    pasted = {**vars(inspect.getmodule(answer)), **names, name: below}
                    exec(source, pasted)
                    yield pasted[answer.__name__]


def cluttered(exercise: Exercise, answer: Any) -> Iterator[str]:
    """An answer's cell with something beside it that names what is forbidden."""
    for used in [name for name in exercise.forbidden if name.count(".")][:3]:
        for clutter in CLUTTER:
            beside = clutter.format(used=used, word=used.rpartition(".")[2])
            yield f"{code(answer)}\n\n{beside}"


def of_mutants(exercise: Exercise, visible: Sheet, times: Times) -> Counts:
    """One change at a time: does it fail everywhere, and what is said of it?"""
    reasons = listed(exercise.topic).get(exercise.id, {})
    right_too = {name for names in reasons.values() for name in names}
    sheets = drawn(exercise)
    passing = [each for each in tried(exercise, sheets) if each.survives]
    right_too |= needless(exercise, passing, given(exercise.topic), sheets)[0]
    holes = [each for each in passing if each.mutant.name not in right_too]
    counts = Counts(right_too=len(right_too), holes=len(holes))
    known = {misconception.name for misconception in exercise.misconceptions}
    with Limits() as limits:
        for mutant in mutants(exercise):
            counts.mutants += 1
            finding = found(limits, exercise, mutant.answer, visible, times)
            if finding is None or finding.status != Status.FAILED:
                continue
            cause = firm(finding, known)
            counts.named += cause in known
            counts.slips += bool(cause) and cause not in known
            counts.told += not cause and bool(finding.relation)
            if mutant.kind == "in place" and finding.cause != "raised":
                counts.in_place += 1
                counts.in_place_named += finding.cause in IN_PLACE or cause in known or "in place" in cause
    return counts


def of_pairs(exercise: Exercise, visible: Sheet) -> Counts:
    """Two changes at once: is the cause that is named one of the two?"""
    counts = Counts()
    known = {misconception.name for misconception in exercise.misconceptions}
    with Limits() as limits:
        for alone in compounds(exercise, PAIRS, Random(exercise.id)):
            counts.pairs += 1
            findings = [found(limits, exercise, answer, visible) for answer in alone]
            causes = [firm(finding, known) for finding in findings]
            if findings[2] is not None and findings[2].status == Status.FAILED:
                counts.failed += 1
                counts.firm += bool(causes[2])
                counts.true += bool(causes[2]) and causes[2] in causes[:2]
                if causes[2] and causes[2] not in causes[:2]:  # to be read: both together may be just that
                    print(exercise.id, *causes, sep="\n  ", file=sys.stderr)
    return counts


def firm(finding: Finding | None, known: set[str]) -> str:
    """What is said to be the cause: a known misconception, or the sentence on a slip; "" where neither is."""
    if finding is None or finding.status != Status.FAILED:
        return ""
    if finding.cause in known:
        return finding.cause
    told = finding.relation.partition(". ")[0].rstrip(".")
    return told if told.startswith(ONE_CHANGE) else ""


def found(
    limits: Limits, exercise: Exercise, answer: Any, visible: Sheet, times: Times | None = None
) -> Finding | None:
    """What a check of an answer says; None where it took too long."""
    outcomes = limits.outcomes(exercise, answer, visible)
    if outcomes is None:
        return None
    begun = time.process_time()
    finding = assess(visible, outcomes)
    if times and finding.status == Status.FAILED:
        times.failed.append(time.process_time() - begun)
    return finding


if __name__ == "__main__":
    main()
