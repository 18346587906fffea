"""Answers to tasks that courses share, tried on this project's checks and on other courses' tests.

python -m benchmarks.truth_elsewhere [--torch-judge FOLDER] [--cs336 FOLDER] [--tiny-llm FOLDER]
    [--deep-ml FOLDER] [--each]

A FOLDER is a checkout of that course; its tests run in FOLDER/.venv, if it has one, and nothing is copied
from it. The tables go into RESULTS.md. --each prints what is said of every answer, and writes nothing.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import torch
from rich.table import Table

from autograder.lessons import ROOT
from benchmarks import results
from benchmarks.truth_elsewhere import ours
from benchmarks.truth_elsewhere.tasks import Answer, Task, tasks

COURSES = {
    "torch_judge": "torch-judge 0.1.1",
    "cs336": "CS336, assignment 1",
    "tiny_llm": "tiny-llm, week 1",
    "deep_ml": "Deep-ML",
}
# What a message says that says no more than that something differs.
SAYS_LITTLE = re.compile(
    r"mismatch|shape|does not match|not equal|differ$|Assertion failed|^assert |^$", re.IGNORECASE
)
ABOUT = (
    "Right answers in several idioms, and wrong ones, about a quarter of them after bugs that people "
    "reported: the same code everywhere, in the form that each course asks for. A course is asked only "
    "about what its tasks promise: a fault in a mask isn't counted where there is no mask. Here, a wrong "
    "answer is **accepted** if it passes the cases that students see and any of 32 hidden draws, and a "
    "right one **refused** if it fails any of these; there, the course's tests decide. **Named truly** "
    "here means that the message gives the fault as the cause, judged by reading it; there, generously, "
    "that an assertion that fails says more than that shapes or values differ. An *unread* message has "
    "changed since it was read."
)
MISSES, NO_MISSES = "What goes wrong here comes first:", "Nothing goes wrong here."


@dataclass(frozen=True)
class Row:
    """What a course's tests, or ours, gave for one answer."""

    task: str
    answer: Answer
    accepted: bool
    named: bool
    misleading: bool = False
    said: str = ""


def main() -> None:
    """Try every answer here and in the courses whose folders are named."""
    parser = argparse.ArgumentParser(
        "python -m benchmarks.truth_elsewhere", description=__doc__.partition("\n")[0]
    )
    for course, title in COURSES.items():
        parser.add_argument(f"--{course.replace('_', '-')}", type=Path, metavar="FOLDER", help=f"of {title}")
    parser.add_argument(
        "--each", action="store_true", help="print what is said of each answer, and write nothing"
    )
    options = vars(parser.parse_args())
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")  # of answers that are wrong
    known = tasks()
    found = {"this project": list(here(known))}
    for course, title in COURSES.items():
        if options[course]:
            found[title] = list(elsewhere(course, options[course], known))
    if options["each"]:
        for title, row in ((title, row) for title, rows in found.items() for row in rows):
            kind = "right" if row.answer.right else "wrong"
            verdict = "passes" if row.accepted else "named" if row.named else "fails"
            print(
                f"{title}: {row.task}, {kind}, {row.answer.name}: {verdict}. {row.answer.about}\n  {row.said}"
            )
        return
    title = "The same answers elsewhere"
    missed = [MISSES, table] if (table := misses(found)).row_count else [NO_MISSES]
    parts = ABOUT, *missed, summary(found), by_task(found)
    results.write(title, "python -m benchmarks.truth_elsewhere", *parts)


def here(known: Iterable[Task]) -> Iterable[Row]:
    """What this project's checks say to all answers that fit an exercise."""
    for task in known:
        for answer in task.answers:
            if task.name in ours.EXERCISES and answer.needs not in ours.LACKS.get(task.name, ()):
                got = ours.judged(task, answer)
                flags = got.reading == "named", got.reading in ("misleading", "unread")
                yield Row(task.name, answer, got.passes, *flags, ours.message(got.finding))


def elsewhere(course: str, folder: Path, known: Iterable[Task]) -> Iterable[Row]:
    """What a course's tests say to all answers that fit one of its tasks.

    Raises:
        subprocess.CalledProcessError: its tests couldn't be run; what it printed says why.
    """
    own = folder.absolute() / ".venv" / "bin" / "python"
    command = [
        str(own if own.exists() else sys.executable),
        "-m",
        "benchmarks.truth_elsewhere.runner",
        course,
    ]
    answers = {(task.name, answer.name): answer for task in known for answer in task.answers}
    handed_in = json.dumps([[*key, answer.needs, answer.code] for key, answer in answers.items()])
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "OMP_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    ran = subprocess.run(
        [*command, str(folder.absolute())], input=handed_in, stdout=subprocess.PIPE, text=True, check=True,
        cwd=ROOT, env=environment,
    )  # fmt: skip
    for task, name, failures in map(json.loads, ran.stdout.splitlines()):
        named = any(kind == "AssertionError" and not SAYS_LITTLE.search(text) for kind, text in failures)
        said = "; ".join(f"{kind}: {text}" for kind, text in failures)
        yield Row(task, answers[task, name], not failures, named, said=said)


def summary(found: dict[str, list[Row]]) -> Table:
    """Three numbers for each course, and how often our checks mislead."""
    table = _table(
        "course", "tasks", "wrong accepted", "right refused", "cause named truly", "misleading or unread"
    )
    for title, rows in found.items():
        wrong, right = _split(rows)
        rejected = [row for row in wrong if not row.accepted]
        table.add_row(
            title,
            str(len({row.task for row in rows})),
            f"{sum(row.accepted for row in wrong)} of {len(wrong)}",
            f"{sum(not row.accepted for row in right)} of {len(right)}",
            f"{sum(row.named for row in rejected)} of {len(rejected)}",
            str(sum(row.misleading for row in wrong)) if title == "this project" else "–",
        )
    return table


def by_task(found: dict[str, list[Row]]) -> Table:
    """Wrong answers accepted, by task and course; a dash where a course has no such task."""
    table = _table("wrong answers accepted", *found)
    for task in sorted({row.task for rows in found.values() for row in rows}):
        cells = []
        for rows in found.values():
            wrong = [row for row in rows if row.task == task and not row.answer.right]
            cells.append(f"{sum(row.accepted for row in wrong)} of {len(wrong)}" if wrong else "–")
        table.add_row(f"`{task}`", *cells)
    return table


def misses(found: dict[str, list[Row]]) -> Table:
    """Our own misses, one by one."""
    table = Table("task", "answer", "fault or idiom", "what happens here")
    for row in found["this project"]:
        if row.answer.right and not row.accepted:
            happens = "refused"
        elif not row.answer.right and row.accepted:
            happens = "accepted"
        elif row.misleading:
            happens = "a misleading message"
        else:
            continue
        table.add_row(f"`{row.task}`", row.answer.name, row.answer.about.replace("|", "\\|"), happens)
    return table


def _split(rows: list[Row]) -> tuple[list[Row], list[Row]]:
    """Wrong answers, and right ones."""
    return [row for row in rows if not row.answer.right], [row for row in rows if row.answer.right]


def _table(*columns: str) -> Table:
    table = Table(*columns)
    for column in table.columns[1:]:
        column.justify = "right"
    return table


if __name__ == "__main__":
    main()
