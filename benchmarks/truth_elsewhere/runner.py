"""Tries answers against a course's tests, in that course's own Python and each in a process of its own.

    python -m benchmarks.truth_elsewhere.runner COURSE FOLDER < answers.json

The input is a list of [task, name, needs, code]. For each answer that the course's tests are about there is
a line of output, [task, name, failures]: a failure is an exception's kind and the first line of its message.
"""

import contextlib
import importlib
import json
import os
import sys
from collections.abc import Callable, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from benchmarks.truth_elsewhere.tasks import defined

SECONDS = 60.0  # for all tests of one answer
Failure = tuple[str, str]


def main(argv: Sequence[str]) -> None:
    """Try all answers that standard input has."""
    torch.set_num_threads(1)  # a fork has no threads but one
    course = importlib.import_module(f"benchmarks.truth_elsewhere.courses.{argv[0]}")
    course.prepare(Path(argv[1]).resolve())
    for task, name, needs, code in json.load(sys.stdin):
        if task in course.FORMS and needs not in course.LACKS.get(task, ()):
            print(json.dumps([task, name, tried(course, task, code)]), flush=True)


def tried(course: ModuleType, task: str, code: str) -> list[Failure]:
    """What the course's tests say to one answer; nothing if all pass.

    Raises:
        RuntimeError: the tests couldn't be run.
    """
    forks = get_context("fork")
    receiving, sending = forks.Pipe(duplex=False)
    process = forks.Process(target=_try, args=(course, task, code, sending))
    process.start()
    sending.close()
    try:
        found = receiving.recv() if receiving.poll(SECONDS) else [("Timeout", f"{SECONDS:.0f} s")]
    except EOFError:
        return [("Exit", "the process ended")]
    finally:
        process.kill()
        process.join()
    if isinstance(found, str):
        raise RuntimeError(f"{task}: {found}")
    return found


def _try(course: ModuleType, task: str, code: str, sending: Connection) -> None:
    torch.manual_seed(0)
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        os.dup2(nowhere.fileno(), 2)
        try:
            found = failing(lambda: defined(code, task)) or course.failures(task, defined(code, task))
        except Exception as error:  # of the course's files, not of the answer
            found = f"{type(error).__name__}: {error}"
    sending.send(found)


def failing(call: Callable[[], Any]) -> list[Failure]:
    """What a call raises, if anything."""
    try:
        call()
    except Exception as error:
        return [failure(error)]
    return []


def failure(error: BaseException) -> Failure:
    """An exception's kind, and the first line of its message."""
    return type(error).__name__, str(error).strip().partition("\n")[0]


if __name__ == "__main__":
    from benchmarks.truth_elsewhere import runner  # the courses import it by this name

    runner.main(sys.argv[1:])
