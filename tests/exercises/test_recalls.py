"""Slips to catch. What each keeps to, the build checks: `tests/authoring/test_rules.py`."""

import pytest

from autograder.recall import recall


def test_a_slip_without_an_input_is_refused() -> None:
    with pytest.raises(ValueError, match="a slip has a line and an input"):
        recall("a.b", "c.d", title="", task="", code="x", inputs=("x",), hint="", line=1)
