"""Tries answers against a course's tests, in that course's own Python and each in a process of its own.

    python -m benchmarks.truth_elsewhere.runner COURSE FOLDER < answers.json

The input is a list of [task, name, needs, code]. For each answer that the course's tests are about there is
a line of output, [task, name, failures]: a failure is an exception's kind and the first line of its message.
"""

import contextlib
import importlib
import io
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
    """What the course's tests say to one answer; nothing if all pass."""
    forks = get_context("fork")
    receiving, sending = forks.Pipe(duplex=False)
    process = forks.Process(target=_try, args=(course, task, code, sending))
    process.start()
    sending.close()
    try:
        return receiving.recv() if receiving.poll(SECONDS) else [("Timeout", f"{SECONDS:.0f} s")]
    except EOFError:
        return [("Exit", "the process ended")]
    finally:
        process.kill()
        process.join()


def _try(course: ModuleType, task: str, code: str, sending: Connection) -> None:
    torch.manual_seed(0)
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        os.dup2(nowhere.fileno(), 2)
        found = failing(lambda: defined(code, task)) or course.failures(task, defined(code, task))
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


def pytested(tests: Sequence[str]) -> list[Failure]:
    """What fails of some tests of pytest's, by their ids from the working folder.

    Raises:
        RuntimeError: none was run.
    """
    import pytest

    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    failures, calls = [], []

    class Listener:
        def pytest_runtest_makereport(self, call: Any) -> None:
            calls.append(call)
            if call.excinfo and not isinstance(call.excinfo.value, pytest.skip.Exception):
                failures.append(failure(call.excinfo.value))

    options = ["-q", "-p", "no:cacheprovider", "-o", "addopts="]
    with contextlib.redirect_stdout(io.StringIO()) as said:
        pytest.main([*options, *tests], plugins=[Listener()])
    if not calls:
        raise RuntimeError(f"no test was run: {said.getvalue()[-2000:]}")
    return failures


if __name__ == "__main__":
    from benchmarks.truth_elsewhere import runner  # the courses import it by this name

    runner.main(sys.argv[1:])
