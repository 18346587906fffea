"""Slips to catch, and what may be chosen. What each keeps to, the build checks: `tests/authoring/test_rules.py`."""

import json

import pytest

from autograder.lessons import ROOT, names
from autograder.recall import recall


def test_a_slip_without_an_input_is_refused() -> None:
    with pytest.raises(ValueError, match="a slip has a line and an input"):
        recall("a.b", "c.d", title="", task="", code="x", inputs=("x",), hint="", line=1)


@pytest.mark.parametrize("lesson", names())
def test_no_answer_has_a_character_that_keyboards_lack(lesson) -> None:
    """Neither a text to choose nor a key of a dict to return: `nd²` would have to be copied."""
    sheets = json.loads((ROOT / "release" / lesson / "checks.json").read_text(encoding="utf-8"))
    typed = [
        (id, text)
        for id, sheet in sheets.items()
        for case in sheet["cases"]
        for text in (_chosen(case) if sheet["driver"] == "choice" else _keys(case["expected"]["outputs"]))
    ]
    assert [(id, text) for id, text in typed if not text.isascii()] == []


def _chosen(case: dict) -> list[str]:
    """The texts that may be put into a slot. What the slots are called is there already."""
    return [str(option) for options in case["args"][0].values() for option in options]


def _keys(outputs: object) -> list[str]:
    """The keys of the dicts to return."""
    parts = (
        outputs if isinstance(outputs, list) else list(outputs.values()) if isinstance(outputs, dict) else []
    )
    return [*(outputs if isinstance(outputs, dict) else ()), *(key for part in parts for key in _keys(part))]
