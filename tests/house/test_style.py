"""The style that machines can check: ruff, and types by mypy."""

import subprocess
import sys

import pytest

from autograder.lessons import ROOT
from tests.support.proved import follows_from


@follows_from(
    "autograder/**/*.py",
    "exercises",
    "benchmarks",
    "deploy",
    "helpers",
    "notebooks",
    "tests/**/*.py",
    "*.py",
    "*.toml",
)
@pytest.mark.parametrize(
    "command", [("ruff", "check"), ("ruff", "format", "--check"), ("mypy",)], ids=" ".join
)
def test_nothing_is_found_by(command):
    done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
