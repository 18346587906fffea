"""Tests' limits count what a test uses, and end one that waits for what never comes."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.limits import crowded

ROOT = Path(__file__).parents[2]
CONFTEST = f"import sys\nsys.path.insert(0, {str(ROOT)!r})\nfrom tests.support.limits import pytest_timeout_set_timer\n"
WORK = "import time\nwhile time.thread_time() < 2: pass"
BELOW = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {WORK!r}], check=True)"


def said(folder: Path, body: str, limit: float, before: Sequence[str] = ()) -> str:
    """What pytest says of a test with a limit, in a process of its own."""
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "test_it.py").write_text("def test_it():\n" + "".join(f"    {x}\n" for x in body.splitlines()))
    command = [*before, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull]
    done = subprocess.run(
        [*command, f"--timeout={limit}", "test_it.py"], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.stdout


@pytest.mark.skipif(
    sys.platform != "linux", reason="elsewhere a busy machine isn't told from a test that waits"
)
@pytest.mark.parametrize("body", [WORK, BELOW], ids=["itself", "a process below it"])
def test_one_that_others_keep_waiting_gets_its_time(tmp_path: Path, body: str) -> None:
    """Two seconds of CPU time take eight here, and four are allowed. (Of two, others can have all.)"""
    with crowded(min(os.sched_getaffinity(0))) as before:
        assert "1 passed" in said(tmp_path, body, 4, before)


@pytest.mark.parametrize(
    "body",
    ["import time\ntime.sleep(10**6)", "import time\nwhile True: time.sleep(0.1)", "while True: pass",
     "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'while True: pass'])"],
    ids=["waits", "looks again and again", "loops", "waits for a loop"],
)  # fmt: skip
def test_one_that_never_ends_is_ended(tmp_path: Path, body: str) -> None:
    assert "from pytest-timeout" in said(tmp_path, body, 1)
