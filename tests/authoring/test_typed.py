"""What students have to type to the letter can be typed, or the build stops."""

import json
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.authoring.master import read_master
from autograder.authoring.source import SpecError, make_checks, typed
from autograder.exercise import Misconception
from autograder.lessons import ROOT, names
from autograder.sheets import VISIBLE_SEED, make_sheet
from helpers.checking.calling.outcome import CallStatus, Case, Outcome
from helpers.checks import Sheet
from tests.support.small_course import DOUBLE, WHO, Course

MASTER = "notebooks/01_attention.py"


@pytest.mark.parametrize(("key", "stops"), [("nd²", True), ("größe", False), ("size", False)])
def test_a_key_to_return_is_refused_if_keyboards_lack_it(tmp_path: Path, key: str, stops: bool) -> None:
    """Letters pass, as a course may be in any language."""
    course = Course(tmp_path)
    cells, _ = read_master(course.root / MASTER, MASTER)
    keyed = replace(DOUBLE, reference=lambda x: [{"in": {key: x}}], properties=())
    specs = course.specs | {DOUBLE.id: keyed}
    said = "asks for a text, 'nd²', with a character that keyboards lack, '²'; write it in letters"
    with pytest.raises(SpecError, match=said) if stops else nullcontext():
        make_checks(cells, specs, {id: spec.title for id, spec in specs.items()}, {})


def test_an_option_is_refused_if_keyboards_lack_it(tmp_path: Path, capsys) -> None:
    course = Course(tmp_path)
    course.edit('# "x" or "y"', '# "x", "y" or "x²"')
    squared = Misconception("squared", {"query": "x²"}, "The query isn't squared before it is compared.")
    course.specs[WHO.id] = replace(
        WHO,
        cases=lambda generator: [Case("all", ({"query": ["x", "y", "x²"]},))],
        misconceptions=(*WHO.misconceptions, squared),
    )
    assert course.build() == 1
    said = "\"attention.who\" asks for a text, 'x²', with a character that keyboards lack, '²'"
    assert f"exercises/attention/who.py:1: {said}" in capsys.readouterr().err


@pytest.mark.parametrize("lesson", names())
def test_in_this_course_it_is_ascii(lesson: str) -> None:
    """The build lets letters of any language pass: in this one, `λ` would have to be copied."""
    sheets = json.loads((ROOT / "release" / lesson / "checks.json").read_text(encoding="utf-8"))
    texts = [(id, text) for id, sheet in sheets.items() for text in typed(Sheet.from_json(sheet))]
    assert [(id, text) for id, text in texts if not text.isascii()] == []


def test_keys_that_come_from_what_is_given_need_not_be_typed() -> None:
    counts = Outcome(CallStatus.RETURNED, {"—": 1, "a²": 2})
    sheet = make_sheet(DOUBLE, VISIBLE_SEED)
    assert typed(replace(sheet, cases=(Case("a dash", ("a — b",)),), expected=(counts,))) == ["a²"]
