"""What decides whether an exercise keeps its promises, as digests: what has changed is tried again."""

import functools
import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from autograder.answers import MARK, code
from autograder.authoring.given import Given
from autograder.authoring.mutating.dependencies import Name, dependencies
from autograder.authoring.trials import Load
from autograder.exercise import Exercise

Listed = dict[str, list[str]]  # names of mutants that are right as well, by the reason
Slips = dict[str, list[str]]  # sketches of what a slip gives, by the sentence that describes it

# What decides, beside an exercise itself, how its answers are judged, and not what is said of an answer that
# matches no misconception.
JUDGING: tuple[Name, ...] = (("autograder.authoring.trials", "problems"),)
SAID_OF_OTHERS = ("relation", "contrast", "explain", "in_part", "unknown", "_not_written")
# Whether a mutant passes. What is said of a failure decides nothing, and mutants are forbidden nothing.
ENGINE: tuple[Name, ...] = (
    ("autograder.sheets", "_draw"),
    ("autograder.sheets", "failing_case"),
    ("helpers.checking.assessing", "assess"),
    ("helpers.checking.calling.drivers", "run"),
)
DECIDES_NOTHING = ("cause_of", "unknown", "explain", "Finding", "forbid", "current")
TOOLS = (
    "around.py",
    "mutants.py",
    "changes.py",
    "tables.py",
    "places.py",
    "trying.py",
    "same.py",
    "sharing.py",
)
# By what a mutant is recognised.
SLIPS: tuple[Name, ...] = (
    ("helpers.checking.explaining.recognising", "Failure"),
    ("helpers.checking.explaining.recognising", "recognise"),
    ("helpers.checking.explaining.telling", "tells"),
)
RECOGNISERS = ("slips.py", "words.py")
# Fields of an exercise that are neither code nor words for people.
FIELDS = (
    "id", "driver", "returns", "forbidden", "needs", "square", "fixed", "full_precision", "about", "code",
    "inputs",
)  # fmt: skip


def of_answers(exercise: Exercise, given: Given, load: Load) -> str:
    """Of everything that decides how an exercise's answers are judged, and whether its wrong ones are named.

    Args:
        exercise: the exercise.
        given: what its lesson's cells give it.
        load: where the exercises of a topic come from, for those that this one needs.
    """
    needed = [load(id.partition(".")[0]).get(id) for id in (*exercise.needs, *_about(exercise))]
    fields = [repr(vars(exercise).get(field)) for field in FIELDS]
    said = [text for each in exercise.misconceptions for text in (each.name, each.sentence)]
    beside = [exercise.cases, *exercise.properties, *(each.reference for each in needed if each)]
    answers = [exercise.reference, *exercise.alternatives, *(m.variant for m in exercise.misconceptions)]
    return _digest(
        *fields,
        *said,
        *_reached(beside),
        *_texts(answers),
        _judging(JUDGING, SAID_OF_OTHERS),
        given.code,
        repr(given.docstrings.get(exercise.id)),
        repr(given.solutions.get(exercise.id)),
    )


def _about(exercise: Exercise) -> list[str]:
    return [exercise.about] if hasattr(exercise, "about") else []


def of_mutants(exercise: Exercise, right: Listed, given: Given) -> str:
    """Of everything that decides which mutants pass, and which of these are right as well.

    Args:
        exercise: the exercise, whose reference is code.
        right: those that are listed as right as well.
        given: what its lesson's cells give it: shapes, in its docstring.
    """
    names = sorted(name for those in right.values() for name in those)
    texts = _reached([exercise.reference, exercise.cases, *exercise.properties])
    texts += _texts(exercise.alternatives)  # a draw has to suit them, and their conditions are changed
    engine = _judging(ENGINE, DECIDES_NOTHING)
    fields = (exercise.id, exercise.driver, *exercise.returns, str(exercise.full_precision))
    said = repr(given.docstrings.get(exercise.id))
    return _digest(*fields, *texts, *names, engine, *_files(TOOLS), said)


def of_slips(exercise: Exercise, mutants: str, found: Slips | None) -> str:
    """Of the slips that mutants are recognised by, and of everything that they are made from.

    Args:
        exercise: the exercise.
        mutants: what `of_mutants` makes of it.
        found: the slips; None where nothing is known of them.
    """
    answers = [*(m.variant for m in exercise.misconceptions), *exercise.alternatives]
    return _digest(mutants, *_files(RECOGNISERS), _judging(SLIPS, ()), *_texts(answers), json.dumps(found))


def _texts(answers: Iterable[Any]) -> list[str]:
    """What answers are: choices, or code with all that it reaches."""
    functions = [answer for answer in answers if hasattr(answer, "__name__")]
    choices = [repr(answer) for answer in answers if isinstance(answer, Mapping)]
    return [*choices, *map(code, functions), *_reached(functions)]


def _reached(code: Iterable[Any]) -> list[str]:
    names = [(each.__module__, each.__name__) for each in code if hasattr(each, "__name__")]
    return [*dependencies(names, without=(MARK,)).values()]


@functools.cache
def _judging(names: tuple[Name, ...], without: tuple[str, ...]) -> str:
    return "\0".join(dependencies(names, without=without).values())


def _files(names: Iterable[str]) -> list[str]:
    return [Path(__file__).with_name(name).read_text(encoding="utf-8") for name in names]


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
