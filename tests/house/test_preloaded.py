"""The commands that tests run are forked from a process that has imported what takes them longest."""

import importlib
import sys

import pytest

from tests.support.course import PRELOADED


@pytest.mark.parametrize("name", PRELOADED)
def test_what_is_imported_for_all_commands_is_there(name):
    """Python's own server of forks says nothing of what it doesn't find: each test would wait for it again."""
    importlib.import_module(name)
    assert "torch" in sys.modules or name not in ("autograder.sheets", "autograder.grading.judge")
