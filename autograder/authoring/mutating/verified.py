"""Which exercises were tried, and which mutants are right as well: two records for each topic.

`mutants.json` beside a topic's exercises is the author's: mutants that are right too, by exercise and reason.
`verified.json` is the build's, a line per exercise. It holds digests of everything that decides whether an
exercise keeps its promises, written once it has kept them. So a build tries again only what has changed.

The slips by which a failed check recognises a mutant lie in the lesson's `checks.json`, and nowhere else.
They also hold changes that people make and that are too often right to be listed: an argument or a layer
taken for another, a `reshape` for a transpose.
"""

import contextlib
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from autograder import exercises, lessons
from autograder.authoring.given import Given, given_by
from autograder.authoring.master import MasterError, Mistake, read_master
from autograder.authoring.mutating.around import OF_ALL
from autograder.authoring.mutating.digests import Listed, Slips, of_answers, of_mutants, of_slips
from autograder.authoring.mutating.mutants import Mutant, has_mutants, mutants, reference_file
from autograder.authoring.mutating.same import same
from autograder.authoring.mutating.slips import slips
from autograder.authoring.mutating.trying import Tried, drawn, tried
from autograder.authoring.promised import Docstring
from autograder.authoring.rules import place
from autograder.authoring.trials import Load, problems
from autograder.courses import current
from autograder.exercise import Exercise
from autograder.sheets import HiddenSheets
from helpers.checks import Sheet
from helpers.storage import write_whole

# Of changes around the code, what an exercise may ask for so that they fail.
ASKED = {
    ".detach()": ": if the answer should let gradients through, add the property gradient_reaches_inputs",
    ".clear()": ", in which the call empties what goes in, and fills arrays with 0: if the answer should "
    "leave that as it was, add the property inputs_unchanged",
    "the result.squeeze()": ", in which axes of length 1 are gone: let sizes of the result be 1 in a case",
    OF_ALL: ", in which all objects share what each should keep for itself: let a case before the last "
    "end while there is something in its object",
}
REASON = 15  # characters: a shorter one says nothing


@dataclass(frozen=True)
class Record:
    """What is known of one exercise.

    Attributes:
        answers: the digest of everything that decided that right answers pass and wrong ones are named.
        mutants: how many its reference has, those that are right as well among them.
        tried: the digest of everything that decided that all others fail; "" before they were tried.
        slips: the digest of what mutants are recognised by, and of everything that it is made from.
    """

    answers: str = ""
    mutants: int = 0
    tried: str = ""
    slips: str = ""


def record_file(topic: str) -> str:
    """Where the build's record of a topic lies, below the course's folder."""
    return f"exercises/{topic}/verified.json"


def listed_file(topic: str) -> str:
    """Where an author lists mutants that are right as well, below the course's folder."""
    return f"exercises/{topic}/mutants.json"


def read(topic: str, root: Path | None = None) -> dict[str, Record]:
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


def listed(topic: str, root: Path | None = None) -> dict[str, Listed]:
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


def _read(file: str, root: Path | None) -> dict[str, dict]:
    path = (root or current().root) / file
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def to_json(records: Mapping[str, Record]) -> str:
    """A topic's record as text, a line per exercise."""
    known = {id: {key: value for key, value in vars(it).items() if value} for id, it in records.items()}
    lines = [f" {json.dumps(id)}: {json.dumps(entry)}" for id, entry in known.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n" if lines else "{}\n"


def known_slips(topic: str, root: Path | None = None) -> dict[str, Slips]:
    """The slips of a topic's exercises, from the lesson as it was last released."""
    for lesson in lessons.names(root):
        path = lessons.release_path(lesson, root).with_name("checks.json")
        if lessons.topic(lesson) == topic and path.is_file():
            with contextlib.suppress(ValueError, AttributeError, KeyError):
                sheets = json.loads(path.read_text(encoding="utf-8"))
                return {id: sheet["slips"] for id, sheet in sheets.items()}
    return {}


def in_step(
    topic: str, specs: Mapping[str, Exercise], root: Path | None = None, load: Load = exercises.load
) -> dict[str, Record]:
    """A topic's record with today's digests. What differs from what is there has to be tried."""
    records, right, told = read(topic, root), listed(topic, root), known_slips(topic, root)
    cells = given(topic, root)
    new = {}
    for id, exercise in specs.items():
        new[id] = replace(records.get(id, Record()), answers=of_answers(exercise, cells, load))
        if has_mutants(exercise):
            digest = of_mutants(exercise, right.get(id, {}), cells)
            new[id] = replace(new[id], tried=digest, slips=of_slips(exercise, digest, told.get(id)))
    return new


def verify(
    topic: str, specs: Mapping[str, Exercise], root: Path | None = None, load: Load = exercises.load
) -> tuple[dict[str, Record], dict[str, Slips]]:
    """Try the answers and mutants of the exercises in which something has changed.

    Returns:
        The topic's new record, and the slips of each exercise that has mutants.

    Raises:
        MasterError: an answer isn't judged as it should be, mutants pass, or entries are wrong. What was
            tried of the other exercises is recorded all the same: that took minutes.
    """
    root = root or current().root
    old, right, told = read(topic, root), listed(topic, root), known_slips(topic, root)
    new, cells = in_step(topic, specs, root, load), given(topic, root)
    mistakes = _of_lists(topic, right, new, root)
    for id, record in new.items():
        before = old.get(id, Record())
        if record.answers != before.answers and (wrong := _of_answers(specs[id], cells, root, load)):
            mistakes += wrong
            new[id] = before
            continue
        if record.tried != before.tried:
            if wrong := _of_mutants(specs[id], right.get(id, {}), cells, root):
                mistakes += wrong
                new[id] = replace(before, answers=record.answers)
                continue
            new[id] = replace(record, mutants=sum(1 for _ in mutants(specs[id])))
        if record.tried and (record.slips != before.slips or id not in told):
            told[id] = slips(specs[id])
            new[id] = replace(new[id], slips=of_slips(specs[id], record.tried, told[id]))
    if mistakes:
        unreleased = {id: replace(record, slips=old.get(id, Record()).slips) for id, record in new.items()}
        write_whole(root / record_file(topic), to_json(unreleased).encode())
        raise MasterError(mistakes)
    return new, {id: told[id] for id, record in new.items() if record.tried}


def given(topic: str, root: Path | None = None) -> Given:
    """What the cells of a topic's lesson give its exercises; nothing where there is no such lesson."""
    root = root or current().root
    for lesson in lessons.names(root):
        if lessons.topic(lesson) == topic:
            cells, _ = read_master(lessons.master_path(lesson, root), lesson)
            return given_by(cells, lessons.master_path(lesson, root).relative_to(root).as_posix())
    return Given()


def _of_lists(
    topic: str, right: Mapping[str, Listed], known: Mapping[str, Record], root: Path
) -> list[Mistake]:
    """What is wrong with the list of mutants that are right as well, whatever the mutants do."""
    file = listed_file(topic)
    mistakes = []
    for id, reasons in right.items():
        if id not in known or not known[id].tried:
            mistakes.append(
                Mistake(file, _line_of(topic, id, root), f'"{id}" is no exercise with mutants; remove it')
            )
        names = [name for those in reasons.values() for name in those]
        for name in dict.fromkeys(name for name in names if names.count(name) > 1):
            mistakes.append(
                Mistake(file, _line_of(topic, name, root), f'"{id}" lists `{name}` twice; remove one')
            )
        for reason in reasons:
            if len(reason) <= REASON or reason.endswith("."):
                text = (
                    f'"{id}" has the reason "{reason}"; say in {REASON + 1} characters or more why those '
                    "are right, without a period at the end"
                )
                mistakes.append(Mistake(file, _line_of(topic, reason, root), text))
    return mistakes


def _of_answers(exercise: Exercise, given: Given, root: Path, load: Load) -> list[Mistake]:
    print(f"headstart: trying the answers of {exercise.id}", file=sys.stderr)
    found = problems(exercise, given, load)
    return [
        Mistake(
            *((given.master, each.line) if each.line else place(exercise.id, root, each.name)),
            f'"{exercise.id}": {each.text}',
        )
        for each in found
    ]


def needless(
    exercise: Exercise, found: Iterable[Tried], given: Given, sheets: Sequence[Sheet]
) -> tuple[set[str], set[str]]:
    """Which mutants needn't be listed, as `same` says it.

    Args:
        exercise: the exercise.
        found: its mutants that pass.
        given: what its lesson's cells give it.
        sheets: those that they were tried on.
    """
    passing = [each.mutant for each in found if each.everywhere and isinstance(each.mutant, Mutant)]
    return same(exercise, passing, given.docstrings.get(exercise.id, Docstring()), sheets)


def _of_mutants(exercise: Exercise, right: Listed, given: Given, root: Path) -> list[Mistake]:
    """What is wrong with an exercise's cases, or with its list of mutants that are right as well."""
    print(f"headstart: trying the mutants of {exercise.id}", file=sys.stderr)
    topic, file = exercise.topic, listed_file(exercise.topic)
    reference = _below(reference_file(exercise), root)
    sheets = drawn(exercise)
    every = list(tried(exercise, sheets))
    names, found = {each.mutant.name for each in every}, [each for each in every if each.survives]
    equal, equal_if_said = needless(exercise, found, given, sheets)
    found = [each for each in found if each.mutant.name not in equal]
    if exercise.draft:
        print(
            f"headstart: {exercise.id} is a draft: {len(found)} of {len(every)} mutants pass", file=sys.stderr
        )
        return []
    named = {name for those in right.values() for name in those}
    everywhere = {s.mutant.name for s in found if s.everywhere}
    mistakes = [
        Mistake(
            reference, s.mutant.line, f'"{exercise.id}": {_passes(s, file, s.mutant.name in equal_if_said)}'
        )
        for s in found
        if s.mutant.name not in named & everywhere
    ]
    for name in sorted(named - equal - {s.mutant.name for s in found}):
        what = "fails" if name in names else "is no longer a mutant of it"
        text = f'"{exercise.id}" lists `{name}`, which {what}; remove it'
        mistakes.append(Mistake(file, _line_of(topic, name, root), text))
    if len(named) > 1 + len(names) / 4:
        text = f'"{exercise.id}" lists {len(named)} of {len(names)} mutants; add cases on which they fail'
        mistakes.append(Mistake(file, _line_of(topic, exercise.id, root), text))
    return mistakes


def _line_of(topic: str, name: str, root: Path) -> int:
    """The line of an author's list on which something stands, or 1."""
    path, wanted = root / listed_file(topic), json.dumps(name, ensure_ascii=False)
    lines = path.read_text(encoding="utf-8").split("\n") if path.is_file() else []
    return next((number for number, line in enumerate(lines, 1) if wanted in line), 1)


def _below(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()


def _passes(survivor: Tried, file: str, axes: bool) -> str:
    """Where a mutant passes, and what to do about it.

    Args:
        survivor: the mutant.
        file: the author's list.
        axes: whether it would be right as well if the docstring said how many axes everything has.
    """
    what, draws = f"the mutant `{survivor.mutant.name}` passes", survivor.draws
    if survivor.everywhere:
        if axes:
            what += (
                ": if arrays always have so many axes, write their shapes into the docstring, as in (N, D)"
            )
            return f"{what}; if not, add a case with more axes"
        what += next((said for change, said in ASKED.items() if survivor.mutant.name.endswith(change)), "")
        return f"{what}; add a case on which it fails, or list it in {file} with why it is right as well"
    if survivor.visible and not draws:
        return (
            f"{what} the visible cases, and fails on all hidden ones: these have sizes or values that no "
            "visible case has; give one of them such a size or value"
        )
    where = f"{len(draws)} of {HiddenSheets.DRAWS} hidden draws, such as draw {draws[0]}" if draws else ""
    where = " and ".join(filter(None, ["the visible cases" if survivor.visible else "", where]))
    return (
        f"{what} {where} alone, so a grade would depend on the draw; change the cases so that it always fails"
    )
