"""Running a course's tests by pytest, inside a process that has imported what they import."""

import contextlib
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np  # noqa: F401  (imported once, before the forks)
import pytest

from benchmarks.truth_elsewhere.runner import Failure, failure


def work_in(folder: Path, replaced: str, module: str) -> None:
    """Work in a checkout in which one of our modules takes the place of one that students write."""
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    sys.modules[replaced] = sys.modules[module]


def pytested(tests: Sequence[str]) -> list[Failure]:
    """What fails of some tests, by their ids from the working folder.

    Raises:
        RuntimeError: none was run.
    """
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
