"""What each mutant gives on the visible cases, and what to say of an answer that gives exactly the same.

Mutants of the reference come first, then those of the alternatives: people make the same slip in other
idioms, and what is one change in the one can be several in the other.

What is said names the change, and quotes no more than its place: that an axis should be another, that a step
is missing, and with which of the exercise's arguments it happens. It is true by construction: with that
change, a right answer gives these numbers. Where several changes give them, all are said, if they are few.
"""

import ast
import itertools
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from autograder.answers import with_both
from autograder.authoring.mutating.changes import Change, own_layer
from autograder.authoring.mutating.mutants import is_code, mutants
from autograder.authoring.mutating.places import Place
from autograder.authoring.mutating.sharing import sharing
from autograder.authoring.mutating.trying import Limits
from autograder.authoring.mutating.words import describe
from autograder.exercise import Exercise
from autograder.sheets import VISIBLE_SEED, make_sheet
from helpers.checking.calling.drivers import judged
from helpers.checking.calling.outcome import CallStatus, Outcome
from helpers.checking.explaining.recognising import Failure, recognise
from helpers.checking.explaining.sketches import Seen, alike, to_text
from helpers.checking.explaining.telling import tells, tells_much
from helpers.checking.sheet import AND
from helpers.checks import Sheet

SHARE = 1.5  # of the length of the other text of a sheet: so much room single changes have
AT_MOST = 2  # things to say of the same numbers: of more, none is likely
CONFUSED = {
    "exp": ("exp2",), "sum": ("amax",), "amax": ("amin", "sum", "mean"), "mean": ("amax",), "log": ("log10",),
    "sqrt": ("square",), "cumsum": ("cumprod",), "var": ("norm",), "gelu": ("relu", "silu"),
    "silu": ("gelu", "relu"), "relu": ("gelu",), "sigmoid": ("silu",), "tanh": ("relu",),
}  # fmt: skip
SHARE_ALL = "all objects share a list or a dict: it belongs in `__init__`, and not in the class"
ACTIVATIONS = {"gelu", "silu", "relu", "tanh", "sigmoid"}


def slips(exercise: Exercise) -> dict[str, list[str]]:
    """What to say of small slips, each with the sketches of what it gives on the visible cases.

    Left out are slips that a known misconception describes, those that only raise, those that change inputs
    or gradients alone, and numbers that say nothing, such as zeros: much leads there.
    """
    sheet = make_sheet(exercise, VISIBLE_SEED)
    of_reference: dict[str, list[str]] = {}
    of_alternatives: dict[str, list[str]] = {}
    known: list[_Known] = []
    for answer in (exercise.reference, *filter(is_code, exercise.alternatives)):
        known += _of_mutants(exercise, answer, sheet, known)
    for found in known:
        told = of_alternatives if found.elsewhere else of_reference
        texts = found.texts()
        if texts and all(said and not (found.elsewhere and _vague(said + where)) for said, where in texts):
            told.setdefault(_told(texts), []).append(found.given)
    room = _length(sheet.to_json()) * SHARE
    kept = _that_fit(of_reference, room)  # first: most answers are written like it
    for said, each in _that_fit(of_alternatives, room - _length(kept)).items():
        kept.setdefault(said, []).extend(each)
    return of_two(exercise, sheet) | kept


def of_two(exercise: Exercise, sheet: Sheet) -> dict[str, list[str]]:
    """What two misconceptions give at once, by both their names, where neither hides or undoes the other."""
    found: dict[str, str] = {}
    with Limits() as limits:
        alone = {
            each.name: _wrong(sheet, limits.outcomes(exercise, each.variant, sheet))
            for each in exercise.misconceptions
        }
        for one, other in itertools.combinations(exercise.misconceptions, 2):
            if (answer := with_both(one.variant, other.variant)) is None:
                continue
            outcomes = limits.outcomes(exercise, answer, sheet)
            seen, _ = _sketches(sheet, outcomes)
            if seen and _wrong(sheet, outcomes) >= alone[one.name] | alone[other.name]:
                found[f"{one.name}{AND}{other.name}"] = to_text(seen)
    given = list(found.values())
    return {names: [text] for names, text in found.items() if given.count(text) == 1}


def _wrong(sheet: Sheet, outcomes: list[Outcome] | None) -> set[int]:
    """The cases that come out wrong; all of them where it took too long."""
    if outcomes is None:
        return {*range(len(sheet.cases))}
    pairs = zip(sheet.cases, outcomes, strict=True)
    return {*Failure.of(sheet, [judged(sheet.driver, *pair) for pair in pairs]).wrong}


Text = tuple[str, str]  # what is said of a change, and where it is
Texts = list[Text]


@dataclass
class _Known:
    """What some changes of one right answer give, as text, and what to say of it.

    Attributes:
        given: the sketches.
        elsewhere: whether the right answer is an alternative.
        much: whether it tells so much that changes of other right answers that give it are the same mistake.
        changes: each describes one.
        others: if not, what is said of those changes, without the place.
    """

    given: str
    elsewhere: bool
    much: bool
    changes: list[Callable[..., Text]]
    others: set[str] = field(default_factory=set)

    def texts(self) -> Texts:
        """What to say; nothing where it could be too much else."""
        texts = _few(self.changes)
        return texts if len({said for said, _ in texts} | self.others) <= AT_MOST else []


def _of_mutants(exercise: Exercise, answer: Any, sheet: Sheet, known: Sequence[_Known]) -> list[_Known]:
    """What one right answer's mutants give and isn't known; what is known learns that these give it, too."""
    found: list[_Known] = []
    tried: list[tuple[Any, Callable[..., Text]]] = [
        (each.answer, partial(describe, each, exercise)) for each in mutants(exercise, confusions, answer)
    ]
    if shared := sharing(replace(exercise, reference=answer), sheet):
        tried.append((shared, lambda exact: (SHARE_ALL, "")))
    with Limits() as limits:
        for changed, describe_it in tried:
            made, much = _sketches(sheet, limits.outcomes(exercise, changed, sheet))
            if before := next((each for each in known if made and alike(made, each.given)), None):
                if not before.much:
                    before.others.add(describe_it(exact=False)[0])
            elif same := next((each for each in found if made and alike(made, each.given)), None):
                same.changes.append(describe_it)
            elif made:
                elsewhere = answer is not exercise.reference
                found.append(_Known(to_text(made), elsewhere, much, [describe_it]))
    return found


def _few(changes: Sequence[Callable[..., Text]]) -> Texts:
    """What to say of changes that give the same: exactly, or else in words that many share; or nothing."""
    exact, plain = (_distinct([each(exact=how) for each in changes]) for how in (True, False))
    best = (
        plain if len(plain) == 1 < len(exact) else min(exact, plain, key=lambda texts: len(texts) > AT_MOST)
    )
    return best if len(best) <= AT_MOST else []


def _distinct(texts: Texts) -> Texts:
    """Texts without those that say in other words what another one says.

    Without its `dim`, a `cat` has axis 0; and where a `+ 1` is missing, the 1 is "0, which it shouldn't be".
    """
    said = [text for text, _ in texts]
    axes = {text.partition(" uses the wrong axis")[0] for text in said if " uses the wrong axis" in text}
    without = any(re.match(r"`[^`]*\d[^`]*` is missing", text) for text in said)
    return [
        (text, where)
        for text, where in dict.fromkeys(texts)
        if not (without and re.match("(a number|an exponent) is ", text))
        and text.partition(" is missing in ")[2] not in axes
    ]


def _vague(said: str) -> bool:
    """Whether what is said of an idiom that may not be the reader's would leave them searching."""
    named = r"the step with|the `return`|`\w+` is used in place of `|^`[^`]+` is missing"
    return not re.search(rf"{named}|: `|(before|only|with) `", said)


def _that_fit(told: dict[str, list[str]], room: float) -> dict[str, list[str]]:
    """As many as have room, in characters: the shortest, in their order."""
    kept = set()
    for said in sorted(told, key=lambda said: len(said) + sum(map(len, told[said]))):
        room -= _length({said: told[said]})
        if room >= 0:
            kept.add(said)
    return {said: given for said, given in told.items() if said in kept}


def _length(data: Any) -> int:
    """How many characters of `checks.json` some data take."""
    return len(json.dumps(data, ensure_ascii=False))


def _told(texts: Texts) -> str:
    """What is said, then where: each once, where it is the same."""
    said, places = (list(dict.fromkeys(parts)) for parts in zip(*texts, strict=True))
    if len(places) == 1:
        return _either(said) + places[0]
    if len(said) == 1:
        return f"{said[0]} ({', or '.join(where[2:-1] for where in places)})" if all(places) else said[0]
    return ", or ".join(said + where for said, where in texts)


def _either(said: list[str]) -> str:
    """One or the other, and what both begin with once: "a maximum uses the wrong axis, -2 or 0"."""
    beginnings = {text.rpartition(", ")[0] for text in said}
    if len(said) > 1 and len(beginnings) == 1 and all(beginnings):
        return f"{beginnings.pop()}, {' or '.join(text.rpartition(', ')[2] for text in said)}"
    return " or ".join(said)


def confusions(place: Place) -> Iterator[Change]:
    """What people take for something else: too often right as well to be listed as mutants."""
    node: Any = place.node
    within = next((each for each in place.around if isinstance(each, ast.FunctionDef)), None)
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and within:
        arguments = [each.arg for each in ast.walk(within) if isinstance(each, ast.arg)]
        for other in dict.fromkeys(arguments) if node.id in arguments and not _of_type(place) else ():
            if other not in (node.id, "self"):
                yield Change("name", ast.Name(other, ast.Load()))
    holder: Any = place.around[0]
    if own_layer(node) and isinstance(holder, ast.Call) and holder.func is node:
        whole = next(each for each in place.around if isinstance(each, ast.ClassDef))
        called_there: list[Any] = [each.func for each in ast.walk(whole) if isinstance(each, ast.Call)]
        for other in dict.fromkeys(each.attr for each in called_there if own_layer(each)):
            if other != node.attr:
                yield Change("name", ast.Attribute(node.value, other, ast.Load()))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        functional = ast.Attribute(
            ast.Attribute(ast.Name("torch", ast.Load()), "nn", ast.Load()), "functional", ast.Load()
        )
        for other in CONFUSED.get(node.func.id, ()) if node.func.id in ACTIVATIONS else ():
            yield Change(
                "call", ast.Call(ast.Attribute(functional, other, ast.Load()), node.args, node.keywords)
            )
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        receiver, called = node.func.value, node.func.attr
        for other in CONFUSED.get(called, ()):
            yield Change(
                "call", ast.Call(ast.Attribute(receiver, other, ast.Load()), node.args, node.keywords)
            )
        if called in ("transpose", "permute", "movedim"):
            shape = ast.Attribute(node, "shape", ast.Load())
            yield Change("reshaped", ast.Call(ast.Attribute(receiver, "reshape", ast.Load()), [shape], []))


def _of_type(place: Place) -> bool:
    """Whether a name gives a dtype alone, as in `y.to(x)` or `x.dtype`: zeros, say, may come of it."""
    holder: Any = place.around[0]
    if isinstance(holder, ast.Attribute):
        return holder.attr in ("dtype", "device")
    called = getattr(holder.func, "attr", "") if isinstance(holder, ast.Call) else ""
    return called in ("to", "type_as") and place.node in holder.args


def _sketches(sheet: Sheet, outcomes: list[Outcome] | None) -> tuple[list[Seen], bool]:
    """By what a change is known, and whether that tells much; empty if it tells too little.

    So do exceptions alone, what a misconception gives, too, and what many changes give, as NaN or a count.
    """
    if outcomes is None:  # it took too long
        return [], False
    outcomes = [judged(sheet.driver, *pair) for pair in zip(sheet.cases, outcomes, strict=True)]
    failure = Failure.of(sheet, outcomes)
    pairs = zip(sheet.expected, outcomes, strict=True)
    returned = [(right.outputs, got.outputs) for right, got in pairs if got.status == CallStatus.RETURNED]
    told = failure.of_slip if tells(returned) and not recognise(failure) else []
    return told, tells_much(returned)
