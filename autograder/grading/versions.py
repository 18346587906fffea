"""Digests of what decides a verdict: while an exercise's is the same, verdicts on it stand.

Its hidden cases are part of it: a changed reference or case generator shows in a draw of them. Drawing takes
torch and all exercises, seconds to import, so what was drawn is kept beside the course's secret
(`KeptDigests`), as long as the code that it follows from stays the same.
"""

import hashlib
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from autograder import lessons
from autograder.courses import ENGINE, current
from autograder.exercise import Exercise
from autograder.grading.questions import builds_on
from autograder.kept import KeptDigests

ENGINE_VERSION = "10"  # raised when a change of the engine can change a grade


def digest(*parts: str | bytes) -> str:
    """One digest of several parts, in which none can pass for the end of the one before."""
    whole = hashlib.sha256()
    for part in parts:
        whole.update(hashlib.sha256(part.encode() if isinstance(part, str) else part).digest())
    return whole.hexdigest()


def contents(paths: Iterable[Path]) -> Iterator[bytes]:
    """What the files hold, in turn."""
    return (path.read_bytes() for path in paths)


def installation() -> str:
    """A digest of the engine's code and the course's, and of the helpers' data, as the files are now.

    Two machines need the same to grade alike.
    """
    globs = ("exercises/**/*.py", "helpers/**/*"), ("autograder/**/*.py", "helpers/**/*")
    found = {
        path.relative_to(root).as_posix(): path
        for root, names in zip((current().root, ENGINE), globs, strict=True)
        for glob in names
        for path in root.glob(glob)
        if path.is_file() and "__pycache__" not in path.parts
    }
    names = sorted(found)
    return digest(*names, *contents(found[name] for name in names))


RUNNING = installation()  # what this process has imported, or will unless the files change


def of_exercises(
    ours: Iterable[str],
    lesson: str,
    sheets: Mapping[str, dict],
    hidden: Mapping[str, str],
    solutions: Mapping[str, str],
) -> dict[str, str]:
    """By exercise, a digest of what decides its verdict, but for the submission and the hidden seed.

    That is the course's code, all of which may run before a check, its numbers, and the same of what it
    builds on: if an earlier answer doesn't pass, the solution takes its place.

    Args:
        ours: the code cells of the lesson as released.
        lesson: its name, such as `01_attention`.
        sheets: the visible numbers of each exercise, as `checks.json` has them.
        hidden: what `hidden_digests` gives.
        solutions: the cells that solve the exercises.
    """
    helpers = contents(lessons.helper_files(lessons.number(lesson)).values())
    around = digest(ENGINE_VERSION, *ours, *helpers)
    own = {id: digest(around, json.dumps(sheets[id]), drawn) for id, drawn in hidden.items()}
    needs = builds_on({id: sheets[id]["needs"] for id in own})
    return {
        id: digest(version, *(part for each in sorted(needs[id]) for part in (own[each], solutions[each])))
        for id, version in own.items()
    }


def hidden_digests(
    lesson: str, ids: list[str], exercises: Callable[[], Mapping[str, Exercise]], kept: KeptDigests | None
) -> dict[str, str]:
    """By exercise, a digest of a draw of its hidden cases and of what is right for them.

    Args:
        lesson: its name.
        ids: its exercises.
        exercises: imports them. Not called if their digests are known.
        kept: where a course keeps what was drawn before.
    """
    code = digest(RUNNING, sys.version, *map(_version, ("torch", "numpy", "pandas")))
    # Where files have changed since they were imported, as in a server, what runs isn't what the files say.
    if kept and installation() == RUNNING and (known := kept.read(lesson, code, ids)):
        return known
    found = {id: _drawn(exercise) for id, exercise in exercises().items()}
    if kept and installation() == RUNNING:
        kept.write(lesson, code, found)
    return found


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:  # a course may do without
        return ""


_draws: dict[str, tuple[Exercise, str]] = {}


def _drawn(exercise: Exercise) -> str:
    """A digest of a draw of its cases, and of the right answers that draws have to suit, made once."""
    from autograder.answers import code
    from autograder.sheets import make_sheet

    known, drawn = _draws.get(exercise.id, (None, ""))
    if known is not exercise:
        sheet = make_sheet(exercise, "version", misconceptions=False)
        drawn = digest(json.dumps(sheet.to_json()), *map(code, exercise.alternatives))
        _draws[exercise.id] = exercise, drawn
    return drawn
