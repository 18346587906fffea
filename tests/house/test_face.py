"""`import headstart`: what is public is documented there, and costs nothing until it is used."""

import inspect
import re
import subprocess
import sys

import pytest

import headstart
from autograder.authoring.case_forms import FORMS
from autograder.courses import ENGINE as ROOT
from autograder.entry import Entry
from autograder.exercise import Exercise
from helpers import checks
from helpers.checking.calling.drivers import DRIVERS
from helpers.checking.properties import PROPERTIES

TEXT = headstart.__doc__ or ""


@pytest.mark.parametrize("name", headstart.__all__)
def test_what_is_public_is_there_and_told_by_its_name(name: str) -> None:
    assert getattr(headstart, name).__doc__
    assert re.search(rf"[`@.]{name}\b", TEXT)


def test_nothing_else_is_public() -> None:
    assert [name for name in dir(headstart) if not name.startswith("_")] == headstart.__all__
    with pytest.raises(AttributeError, match="'headstart' has no attribute 'Sheet'; it has Case, "):
        _ = headstart.Sheet  # type: ignore[attr-defined]


def test_every_driver_and_every_property_has_a_row() -> None:
    rows = re.findall(r'^\| `"?(\w+)"?` \|', TEXT, re.MULTILINE)
    assert sorted(rows) == sorted([*DRIVERS, *PROPERTIES, *FORMS])
    assert {*PROPERTIES} < {*headstart.__all__}


def test_every_mark_of_an_entry_has_a_row() -> None:
    marks = {name for name in vars(Entry) if not name.startswith("_")} - {"record"}
    assert {*re.findall(r"^\| `@?exercise\.(\w+)", TEXT, re.MULTILINE)} == marks


def test_every_field_of_an_exercise_is_explained() -> None:
    told = re.findall(r"^ {4}(\w+):", inspect.getdoc(Exercise) or "", re.MULTILINE)
    assert sorted(told) == sorted(Exercise.__dataclass_fields__)


def test_a_check_that_is_replaced_is_replaced_here_too(monkeypatch) -> None:
    """As the grader does: a notebook that imports it from here is graded like any other."""
    assert headstart.check is checks.check
    monkeypatch.setattr(checks, "check", another := object())
    assert headstart.check is another


def test_it_imports_nothing_until_a_name_is_used() -> None:
    code = "import sys, headstart; print(*(name for name in sys.modules if name.partition('.')[0] in ('autograder', 'helpers')))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
