"""What all tests share."""

import functools
import os
import sys
from pathlib import Path

import pytest

from autograder import programs

# nbgrader calls alembic by its bare name: an environment that is only named, not activated, must do too.
os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
# Two files are tested at a time, and threads of torch that wait for a core make others wait.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Lessons that train models take a twentieth of their steps: `helpers.training.steps`.
os.environ["HEADSTART_QUICK"] = "1"

NEEDS = {
    "needs_bubblewrap": programs.sandbox_problem,
    "needs_chromium": functools.partial(programs.missing, programs.CHROMIUM),
    "needs_postgresql": functools.partial(programs.missing, programs.POSTGRESQL),
}


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what can't run on this machine, and say why. Under CI all of it has to run."""
    for marker, problem in NEEDS.items():
        if item.get_closest_marker(marker) and (line := problem()):
            if os.environ.get("CI") == "true":
                pytest.fail(line, pytrace=False)
            pytest.skip(line)
