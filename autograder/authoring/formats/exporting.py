"""The exercises of a lesson, written for other graders."""

import ast
import secrets
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from autograder import exercises, lessons
from autograder.authoring.formats.as_nbgrader import as_nbgrader
from autograder.authoring.formats.as_otter import as_ok, as_otter
from autograder.authoring.formats.as_pytest import as_pytest
from autograder.authoring.formats.core import Core, NotCarried, core
from autograder.authoring.master import Cell, MasterError, did_you_mean, read_master
from autograder.courses import current
from autograder.lessons import counted
from helpers.storage import write_whole

FORMS: dict[str, Callable[[Core], Mapping[str, bytes]]] = {
    "pytest": as_pytest,
    "otter": as_otter,
    "ok": as_ok,
    "nbgrader": as_nbgrader,
}


def export(lesson: str, wanted: list[str], form: str, folder: Path, seed: str) -> int:
    """Write exercises of a lesson for another grader, and say which can't be.

    Args:
        lesson: its name, as `lessons.find` takes it.
        wanted: ids of exercises, or the part after the dot; none means all.
        form: a key of `FORMS`.
        folder: where to; what is there under the same name is replaced.
        seed: of the hidden cases; "" for a new one.

    Returns:
        The exit code: 1 if an exercise was left out.

    Raises:
        LookupError: there is no such lesson or exercise.
        MasterError: the lesson's master can't be read.
    """
    root = current().root
    found = lessons.find(lesson, root)
    cells, mistakes = read_master(lessons.master_path(found, root), f"notebooks/{found}.py")
    if mistakes:
        raise MasterError(mistakes)
    specs = exercises.load(lessons.topic(found))
    stubs = {cell.id: cell.source for cell in cells if cell.kind == "exercise" and cell.id in specs}
    names = {cell.id: _checked(cell) for cell in cells if cell.kind == "check"}
    seed, left_out = seed or secrets.token_hex(8), 0
    for id in _chosen(wanted, list(stubs), found):
        try:
            made = FORMS[form](core(specs[id], names[id], stubs[id], seed))
        except NotCarried as error:
            left_out += 1
            print(f"headstart: {id} is left out: {error}", file=sys.stderr)
            continue
        for name, content in made.items():
            write_whole(folder / name, content)
            print(folder / name)
    print(f"headstart: the hidden cases are those of --seed {seed}: who knows it can make them")
    if left_out:
        print(f"headstart: {counted(left_out, 'exercise')} left out", file=sys.stderr)
    return int(left_out > 0)


def _checked(cell: Cell) -> str:
    """What a check cell checks: the name of the answer."""
    calls = [node for node in ast.walk(ast.parse(cell.source)) if isinstance(node, ast.Call)]
    return next(ast.unparse(call.args[1]) for call in calls if ast.unparse(call.func) == "check")


def _chosen(wanted: list[str], known: list[str], lesson: str) -> list[str]:
    short = {id.partition(".")[2]: id for id in known} | {id: id for id in known}
    for name in wanted:
        if name not in short:
            near = did_you_mean(name, list(short))
            hint = f"did you mean {near}?" if near else f"there are: {', '.join(known)}"
            raise LookupError(f"no exercise {name!r} in {lesson}; {hint}")
    return list(dict.fromkeys(short[name] for name in wanted)) or known
