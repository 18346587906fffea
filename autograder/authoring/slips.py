"""What each mutant gives on the visible cases, and what to say of an answer that gives exactly the same.

What is said names the change, not the code: that an axis should be another, that a step is missing, and with
which of the exercise's arguments it happens. It is true by construction: with that change, a right answer
gives these numbers.
"""

import ast
import json
from collections.abc import Iterator, Sequence
from typing import Any

from autograder.authoring.mutants import mutants
from autograder.authoring.mutation_testing import Limits
from autograder.authoring.mutations import Change
from autograder.authoring.places import Place
from autograder.authoring.slip_words import describe
from autograder.exercise import Exercise
from autograder.sheets import VISIBLE_SEED, make_sheet
from helpers.checking.assessing import recognise, sketches
from helpers.checking.drivers import judged
from helpers.checking.outcome import CallStatus, Outcome
from helpers.checking.sketches import Sketch, alike, written
from helpers.checking.values import tensors
from helpers.checks import Sheet

SHARE = 0.45  # of a sheet: so much longer it may become
AT_MOST = 2  # things to say of the same numbers: of more, none is likely
CONFUSED = {
    "exp": ("exp2",), "sum": ("amax",), "amax": ("amin", "sum", "mean"), "mean": ("amax",), "log": ("log10",),
    "sqrt": ("square",), "cumsum": ("cumprod",), "var": ("norm",),
}  # fmt: skip


def slips(exercise: Exercise) -> dict[str, list[str]]:
    """What to say of small slips, each with the sketches of what it gives on the visible cases.

    Left out are slips that a known misconception describes, those that only raise, those that change inputs
    or gradients alone, and numbers that say nothing, such as zeros: much leads there.
    """
    sheet = make_sheet(exercise, VISIBLE_SEED)
    found: list[tuple[str, list[tuple[str, str]]]] = []
    with Limits() as limits:
        for mutant in mutants(exercise, confusions):
            outcomes = limits.outcomes(exercise, mutant.answer, sheet) or []
            outcomes = [judged(exercise.driver, *pair) for pair in zip(sheet.cases, outcomes, strict=False)]
            made = sketches(sheet, outcomes)
            if not made or not _tells(sheet, outcomes, made) or recognise(sheet, outcomes):
                continue
            said = describe(mutant, exercise)
            texts = next((said_of for each, said_of in found if alike(made, each)), None)
            if texts is None:
                found.append((written(made), [said]))
            elif said not in texts:
                texts.append(said)
    told: dict[str, list[str]] = {}
    for given, texts in found:
        if len(texts) <= AT_MOST and all(said for said, _ in texts):
            told.setdefault(_told(texts), []).append(given)
    return _that_fit(told, len(json.dumps(sheet.to_json(), ensure_ascii=False)) * SHARE)


def _that_fit(told: dict[str, list[str]], room: float) -> dict[str, list[str]]:
    """As many as have room, in characters: the shortest, in their order."""
    kept = set()
    for said in sorted(told, key=lambda said: len(said) + sum(map(len, told[said]))):
        room -= len(json.dumps({said: told[said]}, ensure_ascii=False))
        if room >= 0:
            kept.add(said)
    return {said: given for said, given in told.items() if said in kept}


def _told(texts: list[tuple[str, str]]) -> str:
    """What is said, then where; the place once, where it is the same."""
    if len({where for _, where in texts}) == 1:
        return f"{' or '.join(said for said, _ in texts)}{texts[0][1]}"
    return ", or ".join(said + where for said, where in texts)


def confusions(place: Place) -> Iterator[Change]:
    """What people take for something else: too often right as well to be listed as mutants."""
    node: Any = place.node
    within = next((each for each in place.around if isinstance(each, ast.FunctionDef)), None)
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and within:
        arguments = [each.arg for each in ast.walk(within) if isinstance(each, ast.arg)]
        for other in dict.fromkeys(arguments) if node.id in arguments else ():
            if other not in (node.id, "self"):
                yield Change("name", ast.Name(other, ast.Load()))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        receiver, called = node.func.value, node.func.attr
        for other in CONFUSED.get(called, ()):
            yield Change(
                "call", ast.Call(ast.Attribute(receiver, other, ast.Load()), node.args, node.keywords)
            )
        if called in ("transpose", "permute", "movedim"):
            shape = ast.Attribute(node, "shape", ast.Load())
            yield Change("reshaped", ast.Call(ast.Attribute(receiver, "reshape", ast.Load()), [shape], []))


def _tells(sheet: Sheet, outcomes: list[Outcome], made: Sequence[Sketch | None]) -> bool:
    """Whether what is wrong is more than exceptions, NaN or one number everywhere."""
    wrong = [
        (outcome, right) for outcome, right, each in zip(outcomes, sheet.expected, made, strict=True) if each
    ]
    returned = [outcome for outcome, _ in wrong if outcome.status == CallStatus.RETURNED]
    return bool(returned) and not all(map(_dull, returned))


def _dull(outcome: Outcome) -> bool:
    found = list(tensors(outcome.outputs))
    return bool(found) and all(
        tensor.numel() > 1 and (bool(tensor.isnan().all()) or bool((tensor == tensor.reshape(-1)[0]).all()))
        for tensor in found
    )
