"""The lessons are built, every right and wrong answer is judged as it should be, and the solutions pass."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def headstart(*arguments):
    command = [sys.executable, "-m", "autograder", "--course", str(ROOT), *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def test_the_course_builds():
    done = headstart("build")
    assert done.returncode == 0, done.stderr


def test_the_solutions_in_the_notebooks_get_all_points():
    assert headstart("build").returncode == 0
    for folder in sorted((ROOT / "source").iterdir()):
        done = headstart("grade", folder.name, "--once", str(folder), "--json", "--no-sandbox")
        found = json.loads(done.stdout)
        wrong = [each["message"] for each in found["exercises"] if each["points"] < each["max_points"]]
        assert not wrong and not found["problem"], (folder.name, found["problem"], *wrong)
