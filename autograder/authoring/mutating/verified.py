"""Which exercises were tried, and which mutants are right as well: two records for each topic.

`mutants.json` beside a topic's exercises is the author's: mutants that are right too, by exercise and reason.
`verified.json` is the build's, a line per exercise. It holds digests of everything that decides whether an
exercise keeps its promises, written once it has kept them. So a build tries again only what has changed.

The slips by which a failed check recognises a mutant lie in the lesson's `checks.json`, and nowhere else.
They also hold changes that people make and that are too often right to be listed: an argument or a layer
taken for another, a `reshape` for a transpose.
"""

import contextlib
import hashlib
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from autograder import lessons
from autograder.authoring.master import MasterError, Mistake
from autograder.authoring.mutating.mutants import has_mutants, mutants, reference_file
from autograder.authoring.mutating.reach import reached
from autograder.authoring.mutating.slips import slips
from autograder.authoring.mutating.trying import Survivor, survivors
from autograder.exercise import Exercise
from autograder.lessons import ROOT
from autograder.sheets import HiddenSheets
from helpers.storage import write_whole

# What decides, beside an exercise itself, whether a mutant passes.
ENGINE = (
    ("autograder.sheets", "_draw"),
    ("autograder.sheets", "failing_case"),
    ("helpers.checking.assessing", "assess"),
    ("helpers.checking.calling.drivers", "run"),
)
SLIPS = (("helpers.checking.assessing", "sketches_of_slip"),)
RECOGNISERS = ("slips.py", "words.py")
# What is said of a failure decides nothing, and mutants are forbidden nothing.
DECIDES_NOTHING = ("_explain", "_unknown", "explain", "Finding", "forbid", "current")
TOOLS = ("mutants.py", "changes.py", "tables.py", "places.py", "trying.py")

Listed = dict[str, list[str]]  # names of mutants that are right as well, by the reason
Slips = dict[str, list[str]]  # sketches of what a slip gives, by the sentence that describes it


@dataclass(frozen=True)
class Record:
    """What is known of one exercise.

    Attributes:
        mutants: how many its reference has, those that are right as well among them.
        tried: the digest of everything that decided that all others fail; "" before they were tried.
        slips: the digest of what mutants are recognised by, and of everything that it is made from.
    """

    mutants: int = 0
    tried: str = ""
    slips: str = ""


def record_file(topic: str) -> str:
    """Where the build's record of a topic lies, below the course's folder."""
    return f"autograder/exercises/{topic}/verified.json"


def listed_file(topic: str) -> str:
    """Where an author lists mutants that are right as well, below the course's folder."""
    return f"autograder/exercises/{topic}/mutants.json"


def read(topic: str, root: Path = ROOT) -> dict[str, Record]:
    """What the build knows of a topic's exercises; empty where it has no record.

    Raises:
        MasterError: the file can't be read.
    """
    file = record_file(topic)
    try:
        return {id: Record(**entry) for id, entry in _read(file, root).items()}
    except (ValueError, TypeError, AttributeError) as error:
        text = f"it can't be read: {error}; remove it, and the build writes it anew"
        raise MasterError([Mistake(file, getattr(error, "lineno", 1), text)]) from error


def listed(topic: str, root: Path = ROOT) -> dict[str, Listed]:
    """The mutants that are right as well, by exercise and reason; empty where a topic lists none.

    Raises:
        MasterError: the file can't be read.
    """
    file = listed_file(topic)
    try:
        found = _read(file, root)
        names = [name for reasons in found.values() for those in reasons.values() for name in those]
        if not all(isinstance(name, str) for name in names):
            raise TypeError("a mutant's name is a text")
    except (ValueError, TypeError, AttributeError) as error:
        text = f'it can\'t be read: {error}; its form is {{"topic.name": {{"reason": ["mutant"]}}}}'
        raise MasterError([Mistake(file, getattr(error, "lineno", 1), text)]) from error
    return found


def _read(file: str, root: Path) -> dict[str, dict]:
    path = root / file
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def written(records: Mapping[str, Record]) -> str:
    """A topic's record as text, a line per exercise."""
    lines = [f" {json.dumps(id)}: {json.dumps(vars(record))}" for id, record in records.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n" if lines else "{}\n"


def known_slips(topic: str, root: Path = ROOT) -> dict[str, Slips]:
    """The slips of a topic's exercises, from the lesson as it was last released."""
    for lesson in lessons.names(root):
        path = lessons.release_path(lesson, root).with_name("checks.json")
        if lessons.topic(lesson) == topic and path.is_file():
            with contextlib.suppress(ValueError, AttributeError, KeyError):
                sheets = json.loads(path.read_text(encoding="utf-8"))
                return {id: sheet["slips"] for id, sheet in sheets.items()}
    return {}


def in_step(topic: str, specs: Mapping[str, Exercise], root: Path = ROOT) -> dict[str, Record]:
    """A topic's record with today's digests. What differs from what is there has to be tried."""
    records, right, slips = read(topic, root), listed(topic, root), known_slips(topic, root)
    code = {id: exercise for id, exercise in specs.items() if has_mutants(exercise)}
    return {
        id: replace(
            records.get(id, Record()),
            tried=(tried := digest(exercise, right.get(id, {}))),
            slips=_of_slips(exercise, tried, slips.get(id)),
        )
        for id, exercise in code.items()
    }


def verify(
    topic: str, specs: Mapping[str, Exercise], root: Path = ROOT
) -> tuple[dict[str, Record], dict[str, Slips]]:
    """Try the mutants of the exercises in which something has changed.

    Returns:
        The topic's new record, and the slips of each exercise.

    Raises:
        MasterError: mutants pass, or entries are wrong. What was tried of the other exercises is recorded all
            the same: that took minutes.
    """
    old, right, told = read(topic, root), listed(topic, root), known_slips(topic, root)
    new = in_step(topic, specs, root)
    mistakes = [
        Mistake(
            listed_file(topic), _line_of(topic, id, root), f'"{id}" is no exercise with mutants; remove it'
        )
        for id in right
        if id not in new
    ]
    for id, record in new.items():
        before = old.get(id, Record())
        if record.tried != before.tried:
            print(f"headstart: trying the mutants of {id}", file=sys.stderr)
            found, names = list(survivors(specs[id])), {mutant.name for mutant in mutants(specs[id])}
            new[id] = replace(record, mutants=len(names))
            if wrong := _mistakes(topic, specs[id], right.get(id, {}), found, names, root):
                mistakes += wrong
                new[id] = before
                continue
        if record.slips != before.slips or id not in told:
            told[id] = slips(specs[id])
            new[id] = replace(new[id], slips=_of_slips(specs[id], record.tried, told[id]))
    if mistakes:
        unreleased = {id: replace(record, slips=old.get(id, Record()).slips) for id, record in new.items()}
        write_whole(root / record_file(topic), written(unreleased).encode())
        raise MasterError(mistakes)
    return new, {id: told[id] for id in new}


def digest(exercise: Exercise, right: Listed) -> str:
    """Of all that decides which mutants pass: the reference, the cases, the engine, and what is listed."""
    made = [(each.__module__, each.__name__) for each in (exercise.reference, exercise.cases)]
    texts = reached([*made, *((prop.__module__, prop.__name__) for prop in exercise.properties)])
    names = sorted(name for those in right.values() for name in those)
    return _digest(exercise.id, exercise.driver, *exercise.returns, *texts.values(), *names, _engine())


def _of_slips(exercise: Exercise, tried: str, found: Slips | None) -> str:
    """Of the slips that mutants are recognised by, and of all that decides them."""
    variants = [m.variant for m in exercise.misconceptions if hasattr(m.variant, "__name__")]
    variants += [answer for answer in exercise.alternatives if hasattr(answer, "__name__")]
    texts = reached([*SLIPS, *((variant.__module__, variant.__name__) for variant in variants)])
    tools = [Path(__file__).with_name(name).read_text(encoding="utf-8") for name in RECOGNISERS]
    return _digest(tried, *tools, *texts.values(), json.dumps(found))


def _engine() -> str:
    tools = [Path(__file__).with_name(name).read_text(encoding="utf-8") for name in TOOLS]
    return "\0".join([*reached(ENGINE, without=DECIDES_NOTHING).values(), *tools])


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _mistakes(
    topic: str, exercise: Exercise, right: Listed, found: list[Survivor], names: set[str], root: Path
) -> list[Mistake]:
    """What is wrong with an exercise's cases, or with its list of equivalent mutants."""
    file = listed_file(topic)
    reference = _below(reference_file(exercise), root)
    named = {name for those in right.values() for name in those}
    everywhere = {s.mutant.name for s in found if s.visible and len(s.draws) == HiddenSheets.DRAWS}
    mistakes = [
        Mistake(reference, s.mutant.line, f'"{exercise.id}": {_passes(s, file)}')
        for s in found
        if s.mutant.name not in named & everywhere
    ]
    for name in sorted(named - {s.mutant.name for s in found}):
        what = "fails" if name in names else "is no mutant of it any more"
        mistakes.append(
            Mistake(
                file, _line_of(topic, name, root), f'"{exercise.id}" lists `{name}`, which {what}; remove it'
            )
        )
    return mistakes


def _line_of(topic: str, name: str, root: Path) -> int:
    """The line of an author's list on which something stands, or 1."""
    path, wanted = root / listed_file(topic), json.dumps(name, ensure_ascii=False)
    lines = path.read_text(encoding="utf-8").split("\n") if path.is_file() else []
    return next((number for number, line in enumerate(lines, 1) if wanted in line), 1)


def _below(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()


def _passes(survivor: Survivor, file: str) -> str:
    """Where a mutant passes, and what to do about it."""
    what, draws = f"the mutant `{survivor.mutant.name}` passes", survivor.draws
    if survivor.visible and len(draws) == HiddenSheets.DRAWS:
        return f"{what}; add a case on which it fails, or list it in {file} with why it is right as well"
    where = f"{len(draws)} of {HiddenSheets.DRAWS} hidden draws, such as draw {draws[0]}" if draws else ""
    where = " and ".join(filter(None, ["the visible cases" if survivor.visible else "", where]))
    return (
        f"{what} {where} alone, so a grade would depend on the draw; change the cases so that it always fails"
    )
