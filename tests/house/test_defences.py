"""The list of the grader's defences fits the code: `python -m tests.long.defences` takes them out one by one."""

import subprocess
import sys
from collections import Counter

import pytest

from autograder.lessons import ROOT
from tests.long.defences import DEFENCES, problem


@pytest.mark.parametrize("defence", DEFENCES, ids=lambda defence: defence.name)
def test_a_defence_stands_where_it_is_said_to(defence):
    assert not problem(defence)


def test_each_defence_has_a_name_of_its_own():
    assert not [name for name, times in Counter(defence.name for defence in DEFENCES).items() if times > 1]


def test_the_tests_of_all_defences_are_there():
    tests = sorted({test for defence in DEFENCES for test in defence.tests})
    collect = [
        sys.executable,
        "-m",
        "pytest",
        "-n0",
        "-q",
        "--collect-only",
        "-p",
        "no:cacheprovider",
        *tests,
    ]
    done = subprocess.run(collect, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
