"""Which exercises' mutants were tried, and which of them are right as well: a record for each topic.

`mutants.json` beside a topic's exercises has an entry for each exercise whose reference is code. An author
writes `equivalent`, the mutants that are right too, by the reason why. The build writes the rest once every
other mutant fails on the visible cases and on every hidden draw, with a digest of what decides that. So a
build tries again only the exercises in which something has changed since.

`slips` holds the sentences by which a failed check recognises a mutant, with sketches of what each gives. It
also has changes that people make and that are too often right to be listed: an argument or a layer taken for
another, a `reshape` for a transpose.
"""

import hashlib
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from autograder.answers import MARK, code
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


@dataclass(frozen=True)
class Record:
    """What is known of one exercise's mutants.

    Attributes:
        equivalent: names of mutants that are right as well, by the reason.
        mutants: how many there are, those among them.
        verified: the digest of what decided that all others fail; "" before that was tried.
        slips: what the others are recognised by, as `slips.py` makes it.
        made: the digest of what decided that.
    """

    equivalent: dict[str, list[str]] = field(default_factory=dict)
    mutants: int = 0
    verified: str = ""
    slips: dict[str, list[str]] = field(default_factory=dict)
    made: str = ""


def record_file(topic: str) -> str:
    """Where a topic's record lies, below the course's folder."""
    return f"autograder/exercises/{topic}/mutants.json"


def read(topic: str, root: Path = ROOT) -> dict[str, Record]:
    """A topic's record, by exercise; empty where it has none.

    Raises:
        MasterError: an author wrote into it what is no record.
    """
    path = root / record_file(topic)
    if not path.is_file():
        return {}
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return {exercise: Record(**entry) for exercise, entry in data.items()}
    except (ValueError, TypeError, AttributeError) as error:
        line = getattr(error, "lineno", 1)
        text = f"it can't be read: {error}; mend it, or take it from git"
        raise MasterError([Mistake(record_file(topic), line, text)]) from error


def written(records: Mapping[str, Record]) -> str:
    """A topic's record as text."""
    return (
        json.dumps({id: vars(record) for id, record in records.items()}, indent=2, ensure_ascii=False) + "\n"
    )


def in_step(topic: str, specs: Mapping[str, Exercise], root: Path = ROOT) -> dict[str, Record]:
    """A topic's record with today's digests. Mutants are to be tried where one differs from what is there."""
    records = read(topic, root)
    code = {id: exercise for id, exercise in specs.items() if has_mutants(exercise)}
    old = {id: records.get(id, Record()) for id in code}
    today = {id: digest(exercise, old[id]) for id, exercise in code.items()}
    return {id: replace(old[id], verified=today[id], made=_made(code[id], today[id])) for id in code}


def verify(topic: str, specs: Mapping[str, Exercise], root: Path = ROOT) -> dict[str, Record]:
    """Try the mutants of the exercises in which something has changed, and return the topic's new record.

    Raises:
        MasterError: mutants pass, or entries are wrong. What was tried of the other exercises is recorded all
            the same: that took minutes.
    """
    records: dict[str, Record] = read(topic, root)
    mistakes: list[Mistake] = []
    new = in_step(topic, specs, root)
    for id, record in new.items():
        if record.verified != records.get(id, Record()).verified:
            print(f"headstart: trying the mutants of {id}", file=sys.stderr)
            found, names = list(survivors(specs[id])), {mutant.name for mutant in mutants(specs[id])}
            new[id] = replace(record, mutants=len(names))
            if wrong := _mistakes(topic, specs[id], record, found, names, root):
                mistakes += wrong
                new[id] = records.get(id, Record())
                continue
        if record.made != records.get(id, Record()).made:
            new[id] = replace(new[id], slips=slips(specs[id]))
    if mistakes:
        write_whole(root / record_file(topic), written(new).encode())
        raise MasterError(mistakes)
    return new


def digest(exercise: Exercise, record: Record) -> str:
    """Of all that decides which mutants pass: the reference, the cases, the engine, and what is listed."""
    made = [(each.__module__, each.__name__) for each in (exercise.reference, exercise.cases)]
    properties = [(prop.__module__, prop.__name__) for prop in exercise.properties]
    texts = reached([*made, *properties], without=(MARK,))
    listed = sorted(name for names in record.equivalent.values() for name in names)
    parts = [exercise.id, exercise.driver, *exercise.returns, *texts.values(), *listed, _engine()]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def _made(exercise: Exercise, verified: str) -> str:
    """Of all that decides what mutants are recognised by."""
    variants = [m.variant for m in exercise.misconceptions if hasattr(m.variant, "__name__")]
    variants += [answer for answer in exercise.alternatives if hasattr(answer, "__name__")]
    names = [(variant.__module__, variant.__name__) for variant in variants]
    texts = reached([*SLIPS, *names], without=(MARK,))
    tools = [Path(__file__).with_name(name).read_text(encoding="utf-8") for name in RECOGNISERS]
    parts = [verified, *tools, *texts.values(), *map(code, variants)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def _engine() -> str:
    tools = [Path(__file__).with_name(name).read_text(encoding="utf-8") for name in TOOLS]
    return "\0".join([*reached(ENGINE, without=DECIDES_NOTHING).values(), *tools])


def _mistakes(
    topic: str, exercise: Exercise, record: Record, found: list[Survivor], names: set[str], root: Path
) -> list[Mistake]:
    """What is wrong with an exercise's cases, or with its list of equivalent mutants."""
    file = record_file(topic)
    reference = _below(reference_file(exercise), root)
    listed = {name for those in record.equivalent.values() for name in those}
    everywhere = {s.mutant.name for s in found if s.visible and len(s.draws) == HiddenSheets.DRAWS}
    mistakes = [
        Mistake(reference, s.mutant.line, f'"{exercise.id}": {_passes(s, file)}')
        for s in found
        if s.mutant.name not in listed & everywhere
    ]
    for name in sorted(listed - {s.mutant.name for s in found}):
        what = "fails" if name in names else "is no mutant of it any more"
        mistakes.append(Mistake(file, 1, f'"{exercise.id}" lists `{name}`, which {what}; remove it'))
    return mistakes


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
