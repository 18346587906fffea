"""The same slips at torch-judge's tasks and at this project's exercises, side by side.

    python -m benchmarks.truth_elsewhere            the table, which goes into RESULTS.md
    python -m benchmarks.truth_elsewhere --each     what torch-judge says to each answer; writes nothing

torch-judge is no dependency: `pip install --no-deps torch-judge==0.1.1`.
"""

import argparse
import functools
import importlib.metadata
import importlib.util
import json
import multiprocessing
import os
import re
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import torch
from rich.table import Table

from autograder.exercise import Exercise
from autograder.exercises import load
from autograder.sheets import VISIBLE_SEED, HiddenSheets, failing_case, make_sheet
from benchmarks.results import write
from benchmarks.slips import TASKS, Part, Task, variants
from helpers.checking.calling.drivers import Outcome, run
from helpers.checking.finding import Finding
from helpers.checks import Sheet, assess

INSTALL = "torch-judge isn't there; install it with: pip install --no-deps torch-judge==0.1.1"
SECONDS = 20.0  # for one test
SECRET = b"the same slips elsewhere"
SAYS_LITTLE = re.compile(r"mismatch|shape|does not match|Assertion failed", re.IGNORECASE)


@dataclass(frozen=True)
class Verdict:
    """Whether an answer was accepted, whether a message named its slip, and what was said."""

    accepted: bool
    named: bool
    said: str = ""


def main() -> int:
    """Try everything on both sides and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--each", action="store_true", help="print every verdict of torch-judge's")
    options = parser.parse_args()
    if importlib.util.find_spec("torch_judge") is None:
        print(INSTALL, file=sys.stderr)
        return 2
    torch.set_num_threads(1)  # a fork has no threads but one
    with tempfile.TemporaryDirectory(prefix="headstart-elsewhere-") as folder:
        os.environ["PROGRESS_PATH"] = str(Path(folder) / "progress.json")
        theirs = {task.name: elsewhere(task) for task in TASKS}
    if options.each:
        for name, (slips, right) in theirs.items():
            for answer, verdict in (slips | right).items():
                print(f"{name:16} {answer:42} {'passes' if verdict.accepted else verdict.said}")
        return 0
    _write(theirs, {task.name: here(task) for task in TASKS if task.parts})
    return 0


Verdicts = tuple[dict[str, Verdict], dict[str, Verdict]]  # of the slips, and of the right answers


# -- torch-judge ---------------------------------------------------------------------------------------------


def elsewhere(task: Task) -> Verdicts:
    """What torch-judge's tests say to a task's slips and right answers."""
    from torch_judge.tasks import get_task

    entry = get_task(task.name)
    slips, right = dict(task.slips), dict(task.right)
    for part in task.parts:
        wrong, good = variants(part)
        slips |= {f"{part.exercise} {name}": part.adapt(answer) for name, answer in wrong.items()}
        right |= {f"{part.exercise} {name}": part.adapt(answer) for name, answer in good.items()}
    return tuple({n: _tested(entry, answer) for n, answer in kind.items()} for kind in (slips, right))


def _tested(entry: Mapping[str, Any], answer: Any) -> Verdict:
    """All tests of a task on one answer; the messages of those that fail are read together."""
    failed = [said for test in entry["tests"] if (said := _in_a_fork(entry["function_name"], test, answer))]
    named = any(kind == "AssertionError" and not SAYS_LITTLE.search(text) for kind, text in failed)
    return Verdict(not failed, named, "; ".join(f"{kind}: {text}" for kind, text in failed))


def _in_a_fork(name: str, test: Mapping[str, str], answer: Any) -> list[str] | None:
    """One test's exception, as its kind and message, or None; in a process of its own, with a limit."""
    forks = multiprocessing.get_context("fork")
    receiving, sending = forks.Pipe(duplex=False)
    process = forks.Process(target=_test, args=(name, test, answer, sending))
    process.start()
    sending.close()
    try:
        return json.loads(receiving.recv()) if receiving.poll(SECONDS) else ["Timeout", f"{SECONDS:.0f} s"]
    except EOFError:
        return ["Exit", "the process ended"]
    finally:
        process.kill()
        process.join()


def _test(name: str, test: Mapping[str, str], answer: Any, sending: Connection) -> None:
    """As torch_judge.engine.check runs a test, but without its record of progress, and from a fixed seed."""
    torch.manual_seed(0)
    said = None
    try:
        code = compile(test["code"].replace("{fn}", name), f"<test:{test['name']}>", "exec")
        exec(code, {name: answer})
    except AssertionError as error:
        said = ["AssertionError", str(error) or "Assertion failed"]
    except Exception as error:
        said = [type(error).__name__, str(error).partition("\n")[0]]
    sending.send(json.dumps(said))


# -- here ----------------------------------------------------------------------------------------------------


def here(task: Task) -> Verdicts:
    """What this project's exercises say to the same."""
    slips, right = {}, {}
    for part in task.parts:
        wrong, good = variants(part)
        slips |= {f"{part.exercise} {name}": _graded(part, name, answer) for name, answer in wrong.items()}
        right |= {f"{part.exercise} {name}": _graded(part, name, answer) for name, answer in good.items()}
    return slips, right


@functools.cache
def _sheets(exercise_id: str) -> tuple[Exercise, Sheet, list[Sheet]]:
    """An exercise, its visible sheet, and all its hidden ones."""
    exercise = load(exercise_id.partition(".")[0])[exercise_id]
    hidden = HiddenSheets(SECRET)
    draws = [hidden.draw(exercise, number) for number in range(HiddenSheets.DRAWS)]
    return exercise, make_sheet(exercise, VISIBLE_SEED), draws


def _graded(part: Part, name: str, answer: Callable) -> Verdict:
    """A wrong answer is accepted if it passes the visible cases or any draw; a right one has to pass all."""
    exercise, visible, draws = _sheets(part.exercise)
    found = judged(exercise, answer, visible)
    passed = [found.status == "passed", *(failing_case(exercise, answer, draw) is None for draw in draws)]
    accepted = any(passed) if name in part.slips else all(passed)
    return Verdict(accepted, found.cause == name, found.meaning)


def judged(exercise: Exercise, answer: Any, sheet: Sheet) -> Finding:
    """What a student reads who hands in this answer."""
    how = {"gradients": exercise.gradients, "forbidden": exercise.forbidden}
    outcomes = [run(exercise.driver, answer, case, **how) for case in sheet.cases]
    return assess(sheet, [Outcome.from_json(outcome.to_json()) for outcome in outcomes])


# -- the table -----------------------------------------------------------------------------------------------


def _write(theirs: Mapping[str, Verdicts], ours: Mapping[str, Verdicts]) -> None:
    version = importlib.metadata.version("torch-judge")
    about = (
        f"torch-judge {version} beside this project: mistakes from this project's own list, and right "
        "answers in other idioms, brought into the form of both by an adapter (four rotary slips and layer "
        f"norm, which is no exercise here, are written anew); {_twice(ours)} slips are tried at two tasks. "
        "A slip passes here if it passes the visible "
        "cases or any of 32 hidden draws, and is named if the cause given is that slip; there it is named, "
        "generously, if an assertion that fails says more than that a shape or value differs. This project's "
        "cases were made to catch these very mistakes, and a draw that one passes is drawn again, so its "
        "columns show that it keeps its promise, not how it does on unknown mistakes."
    )
    columns = ("task", "slips", "pass torch-judge", "named there", "pass here", "named here",
               "right accepted there", "right accepted here")  # fmt: skip
    table = Table(*columns)
    for column in table.columns[1:]:
        column.justify = "right"
    for name in theirs:
        table.add_row(name, *_row(theirs[name], ours.get(name)))
    total = [tuple({(t, n): v for t in side for n, v in side[t][kind].items()} for kind in (0, 1))
             for side in (theirs, ours)]  # fmt: skip
    # Layer norm has no other side, so it is left out of both totals.
    known = tuple({key: v for key, v in kind.items() if key[0] in ours} for kind in total[0])
    table.add_row("all but layernorm", *_row(known, total[1]))
    write("The same slips elsewhere", "python -m benchmarks.truth_elsewhere", about, table)


def _twice(ours: Mapping[str, Verdicts]) -> int:
    """How many misconceptions are tried at a second task, too."""
    tried = [name for slips, _ in ours.values() for name in slips]
    return len(tried) - len(set(tried))


def _row(theirs: Verdicts, ours: Verdicts | None) -> list[str]:
    """A line of the table, without its name."""
    slips, right = theirs

    def count(verdicts: Mapping[str, Verdict], what: str) -> str:
        return str(sum(getattr(verdict, what) for verdict in verdicts.values()))

    def accepted(verdicts: Mapping[str, Verdict]) -> str:
        return f"{count(verdicts, 'accepted')} of {len(verdicts)}"

    mine = [count(ours[0], "accepted"), count(ours[0], "named")] if ours else ["–", "–"]
    last = accepted(ours[1]) if ours else "–"
    return [str(len(slips)), count(slips, "accepted"), count(slips, "named"), *mine, accepted(right), last]


if __name__ == "__main__":
    sys.exit(main())
