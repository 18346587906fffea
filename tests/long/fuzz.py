"""Mutated notebooks and mutated messages: whatever a stranger sends, the grader gives a verdict and goes on.

python -m tests.long.fuzz [--notebooks 2000] [--messages 100000] [--seed 0] [--fresh]

Seeds follow from each other, a hundred notebooks or ten thousand messages each, and a row of the table says what
came of one seed. A call that was stopped goes on where it was. `tests/grading/test_fuzz.py` runs a few of each.
"""

import argparse
import contextlib
import copy
import json
import random
import socket
import tempfile
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import nbformat

from autograder import lessons
from autograder.child import wire
from autograder.classroom.course import course_directory
from autograder.classroom.gradebook import Book
from autograder.grading.clean import clean_outputs
from autograder.grading.grader import Grader
from autograder.grading.handed_in import Submission
from autograder.grading.lesson import Lesson
from autograder.grading.outcomes import Stopped, read_outcomes
from helpers.checking.calling.drivers import run
from helpers.checks import assess
from tests.long.rows import Rows, add_option
from tests.support.course import LESSON, Course

# What JSON can hold and nobody expects.
ODD = (
    None, True, False, 0, -1, 1e308, -0.0, float("nan"), float("inf"), 2**63, 10**40, "", "\0", "\ud800", "ä" * 300,
    "attention-softmax", "passed", [], {}, [[]], {"": {}}, [None] * 50, "<script>alert(1)</script>", {"$tensor": "float32"},
    {"$tensor": "float32", "shape": [0], "data": []}, {"$tensor": "bool", "shape": [2], "data": [2, "x"]}, {"$type": 5},
    {"$type": "x" * 5000},
)  # fmt: skip


def mutate(value: Any, rng: random.Random, times: int = 3) -> Any:
    """A copy of a JSON value with some of its parts replaced, removed, doubled, swapped or nested."""
    value = copy.deepcopy(value)
    for _ in range(rng.randint(1, times)):
        places = list(_places(value))
        if not places:
            return rng.choice(ODD)
        holder, key = rng.choice(places)
        change = rng.randrange(6)
        if change == 0:
            holder[key] = copy.deepcopy(rng.choice(ODD))
        elif change == 1:
            del holder[key]
        elif change == 2 and isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        elif change == 3:
            other, place = rng.choice(places)
            if not (isinstance(other, list) and place >= len(other)) and place in (
                range(len(other)) if isinstance(other, list) else other
            ):
                holder[key] = copy.deepcopy(other[place])
        elif change == 4:
            for _ in range(rng.choice((1, 5, 40))):
                holder[key] = [holder[key]]
        elif isinstance(holder, dict):
            holder[rng.choice(("id", "$tensor", "cells", "outputs", "status", "é", "x" * 100))] = holder[key]
    return value


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Each place in a JSON value that holds another: its list or dict, and the index or key."""
    found, waiting = [], [value]
    while waiting and len(found) < 4000:
        holder = waiting.pop()
        keys = holder if isinstance(holder, dict) else range(len(holder)) if isinstance(holder, list) else ()
        for key in keys:
            found.append((holder, key))
            waiting.append(holder[key])
    return found


def damage(content: bytes, rng: random.Random) -> bytes:
    """Bytes with some changed, cut or repeated."""
    data = bytearray(content)
    for _ in range(rng.randint(1, 5)):
        at = rng.randrange(len(data) + 1)
        change = rng.randrange(4)
        if change == 0 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif change == 1:
            del data[at : at + rng.randrange(20)]
        elif change == 2:
            data[at:at] = rng.randbytes(rng.randrange(8))
        else:
            data[at:at] = data[at : at + rng.randrange(200)]
    return bytes(data)


# -- notebooks -------------------------------------------------------------------------------------------


class Notebooks:
    """Grades mutated notebooks of lesson 01, each as a submission, and records what comes of them."""

    def __init__(self, root: Path, seed: int) -> None:
        course = Course(root)
        self.root, self.rng, self.solved = root, random.Random(seed), course.solved()
        self.course, config = course_directory(root)
        lesson = Lesson.load(LESSON, root, config)
        self.lesson, self.grader = lesson, Grader(lesson, b"fuzz", cell_seconds=5)
        self.book = Book(self.course, LESSON, lesson.skeletons)
        self.came_of = Counter()

    def one(self, number: int) -> None:
        """Grade one. Raises what the grader raises: it shouldn't."""
        folder = self.root / "submitted" / f"student{number}" / LESSON
        folder.mkdir(parents=True)
        if self.rng.random() < 0.25:
            content = damage(nbformat.writes(self.solved).encode(), self.rng)
        else:
            content = json.dumps(mutate(self.solved, self.rng, 6)).encode()
        (folder / f"{LESSON}.ipynb").write_bytes(content)
        graded = self.grader.grade(Submission(f"student{number}", LESSON, folder))
        self.book.record(graded)
        assert set(self.lesson.exercises) == {verdict.exercise for verdict in graded.verdicts}
        written = nbformat.read(self.book.path(graded.student), as_version=4)
        nbformat.validate(written)
        checks = [lessons.exercise_of(cell) for cell in written.cells if lessons.kind(cell) == "check"]
        assert checks == list(self.lesson.exercises)
        passed = sum(verdict.status == "passed" for verdict in graded.verdicts)
        self.came_of["unreadable" if graded.problem else f"{passed} of {len(checks)} pass"] += 1

    def close(self) -> None:
        self.grader.close()
        self.book.close()


# -- messages --------------------------------------------------------------------------------------------


class Messages:
    """Sends mutated messages through the wire to what the judge does with them."""

    def __init__(self, seed: int) -> None:
        self.rng, self.came_of = random.Random(seed), Counter()
        self.sheets, self.right = [], []
        _, config = course_directory(lessons.ROOT)
        lesson = Lesson.load(LESSON, lessons.ROOT, config)
        for id, exercise in lesson.exercises.items():
            sheet = lesson.visible[id]
            outcomes = [
                run(exercise.driver, exercise.reference, case, gradients=exercise.gradients)
                for case in sheet.cases
            ]
            self.sheets.append(sheet)
            self.right.append({"outcomes": [outcome.to_json() for outcome in outcomes]})
        stream = {"output_type": "stream", "name": "stdout", "text": "1"}
        shown = {"output_type": "display_data", "data": {"text/html": "<b>1</b>"}, "metadata": {}}
        failed = {"output_type": "error", "ename": "E", "evalue": "", "traceback": ["a"]}
        self.done = {"done": [stream, shown, failed]}

    def one(self, number: int) -> None:
        """Send one, and do with it what the judge does."""
        which = number % (len(self.sheets) + 1)
        message = self.right[which] if which < len(self.sheets) else self.done
        body = json.dumps(mutate(message, self.rng) if self.rng.random() < 0.7 else message).encode()
        frame = len(body).to_bytes(4, "big") + body
        if self.rng.random() < 0.3:
            frame = damage(frame, self.rng)
        try:
            received = self._through(frame)
            if which == len(self.sheets):
                self._as_outputs(received)
                self.came_of["outputs"] += 1
                return
            sheet = self.sheets[which]
            finding = assess(sheet, read_outcomes(received, len(sheet.cases)))
            assert len(finding.html()) < 100_000
            unhurt = json.dumps(received) == json.dumps(self.right[which])
            assert finding.status == "passed" or not unhurt
            self.came_of[finding.status] += 1
        except (wire.WireError, Stopped) as refused:
            self.came_of[type(refused).__name__] += 1

    @staticmethod
    def _through(frame: bytes) -> Any:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 21)
            theirs.sendall(frame[: 1 << 20])
            theirs.shutdown(socket.SHUT_WR)
            return wire.receive(ours)

    @staticmethod
    def _as_outputs(received: Any) -> None:
        if not isinstance(received, dict) or "done" not in received:
            raise Stopped("a message out of turn")
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("")])
        notebook.cells[0].outputs = [nbformat.from_dict(o) for o in clean_outputs(received["done"])]
        nbformat.validate(json.loads(nbformat.writes(notebook).encode()))


def main() -> None:
    """Run both, and print what came of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, number in (("--notebooks", 2000), ("--messages", 100_000), ("--seed", 0)):
        parser.add_argument(name, type=int, default=number)
    add_option(parser)
    options = parser.parse_args()
    with Rows("fuzz", options) as rows:
        for kind, number, at_once in (
            ("notebooks", options.notebooks, 100),
            ("messages", options.messages, 10_000),
        ):
            total: Counter[str] = Counter()
            for begin in range(0, number, at_once):
                count, seed = min(at_once, number - begin), options.seed + begin // at_once
                found = rows(kind, str(seed), make=partial(some, kind, count, seed))
                print(f"{kind}, seed {seed}: {found}", flush=True)
                total.update(found)
            print(f"{kind}: {number}", dict(total), flush=True)


def some(kind: str, number: int, seed: int) -> dict[str, int]:
    """Run so many of a kind, and count what comes of them."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        fuzzed = Notebooks(Path(folder, "course"), seed) if kind == "notebooks" else Messages(seed)
        if isinstance(fuzzed, Notebooks):
            stack.callback(fuzzed.close)
        for each in range(number):
            fuzzed.one(each)
        return {str(what): count for what, count in fuzzed.came_of.items()}


if __name__ == "__main__":
    main()
