"""nbgrader's own tests of its autograde pass with our engine, or a row of docs/nbgrader.md says why not."""

import subprocess
import sys

import pytest

from autograder.lessons import ROOT
from tests.long.conformance import EXPLAINED
from tests.support.proved import ENGINE, follows_from


@pytest.mark.needs_bubblewrap
@pytest.mark.timeout(600)
@follows_from(*ENGINE)
def test_nbgraders_own_tests_pass() -> None:
    """Some of them, and the course of its guide; `python -m tests.long.conformance` runs all, in all ways."""
    command = [sys.executable, "-m", "tests.long.conformance", "--quick", "--say"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("row", sorted({*EXPLAINED.values()}))
def test_each_difference_stands_in_the_table_for_teachers(row) -> None:
    assert f"\n| {row} |" in (ROOT / "docs/nbgrader.md").read_text(encoding="utf-8")
