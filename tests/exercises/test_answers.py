"""Wrong answers as edits of right ones: what an edit gives, and what is said of one that can't be made."""

import inspect
import traceback
from pathlib import Path

import pytest
import torch

from autograder.answers import SlipError, code, pasted, slip
from autograder.authoring.build import build
from autograder.entry import Entry
from autograder.exercise import Exercise
from tests.support.small_course import Course

HALF = 0.5


def _scaled(x: torch.Tensor) -> torch.Tensor:
    """Half of x."""
    return x * HALF


def halves(x: torch.Tensor, times: int = 2) -> list[torch.Tensor]:
    """Halves of x.

    Args:
        x: return x, [x] and times.
        times: how many.
    """
    made = [_scaled(x)]  # the first
    for _ in range(times - 1):
        made = [*made, _scaled(x)]
    return made


class Halves(torch.nn.Module):
    """Halves, as a module."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Half of x."""
        return _scaled(x)


HALVES_CODE = """\
def halves(x, times=2):
    made = [_scaled(x)]  # the first
    for _ in range(times - 1):
        made = [*made, _scaled(x)]
    return made
"""


def test_the_code_of_an_answer_has_no_docstring_and_no_annotation():
    assert code(halves) == HALVES_CODE
    assert code(Halves) == (
        "class Halves(torch.nn.Module):\n    def forward(self, x):\n        return _scaled(x)\n"
    )


def test_a_slip_runs_where_the_right_answer_runs():
    wrong = slip("too_many", halves, ["times - 1 → times"])
    assert [each.item() for each in wrong(torch.tensor(4.0))] == [2, 2, 2]
    assert len(halves(torch.tensor(4.0))) == 2


def test_a_class_can_have_a_slip():
    wrong = slip("doubled", Halves, ["_scaled(x) → 2 * x"])
    assert wrong()(torch.tensor(4.0)) == 8
    assert "2 * x" in code(wrong)
    assert "2 * x" not in code(Halves)


def test_edits_are_made_at_once_so_that_two_texts_can_change_places():
    wrong = slip(
        "swapped", halves, ["[_scaled(x)] → [*made, _scaled(x)]", "[*made, _scaled(x)] → [_scaled(x)]"]
    )
    assert "    made = [*made, _scaled(x)]  # the first\n" in code(wrong)
    assert "        made = [_scaled(x)]\n" in code(wrong)


def test_a_traceback_shows_the_line_of_a_slip():
    wrong = slip("by_zero", halves, ["[*made, _scaled(x)] → [*made, 1 / 0]"])
    with pytest.raises(ZeroDivisionError) as caught:
        wrong(torch.tensor(4.0))
    assert traceback.extract_tb(caught.tb)[-1].line == "made = [*made, 1 / 0]"
    assert "1 / 0" in inspect.getsource(wrong)


@pytest.mark.parametrize(
    ("edits", "said"),
    [
        (
            ["made = [] → made = [x]"],
            "`made = []` isn't in the code of `halves`; copy the text from there",
        ),
        (["Halves of x. →"], "isn't in the code of `halves`"),  # that is the docstring
        (
            ["_scaled(x) → x"],
            "`_scaled(x)` is 2 times in the code of `halves`; add what is beside the one",
        ),
        ([" → x"], "` → x` is no edit; write `old → new`"),
        (["times - 1, times"], "`times - 1, times` is no edit; write `old → new`"),
        (["# the first → # another"], "changes nothing; change its edits, or remove it"),
        (["times - 1 → times -"], "leaves no Python: invalid syntax in `for _ in range(times -):`"),
        (["times - 1 → count"], "`count` isn't known beside `halves`; import it, or change the edits"),
        (["times - 1 → times", "range(times - 1) → []"], "two of its edits overlap; make one of them"),
    ],
)
def test_an_edit_that_cannot_be_made_is_refused(edits, said):
    with pytest.raises(SlipError) as caught:
        slip("bad", halves, edits)
    assert str(caught.value).startswith('slip "bad"')
    assert said in str(caught.value)


def test_an_answer_is_pasted_with_what_a_notebook_lacks():
    names: dict = {}
    exec(pasted(halves, known=()), names)
    assert names["halves"](torch.tensor(4.0)) == [2, 2]
    text = pasted(halves, known=("_scaled", "torch"))
    assert text == HALVES_CODE


# -- an exercise's file ----------------------------------------------------------------------------------

FILE = """\
from autograder.entry import Entry
from helpers.checking.calling.outcome import Case

exercise = Entry(id="attention.double", title="Double", points=3, difficulty=2, minutes=10)


@exercise.reference
def double(x):
    return 2 * x


@exercise.cases
def cases(g):
    return [Case("three", (3,))]


@exercise.alternative
def added(x):
    return x + x


exercise.slip("squared", "2 * x → x * x").says("x² is x times itself.")
exercise.slip("tripled", "x + x → x + x + x", of=added).says("This is three times x.")


@exercise.misconception
def two(x):
    \"\"\"This is 2
    for every x.
    \"\"\"
    return 2
"""


def made(text: str, path: Path) -> Exercise:
    import importlib.util
    import sys

    spec = importlib.util.spec_from_file_location(f"made_{path.parent.name}_{path.stem}", path)
    path.write_text(text)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules[spec.name]
    return module.exercise.record


def test_a_file_gives_an_exercise_in_the_order_of_its_lines(tmp_path):
    exercise = made(FILE, tmp_path / "double.py")
    assert [m.name for m in exercise.misconceptions] == ["squared", "tripled", "two"]
    assert [m.variant(5) for m in exercise.misconceptions] == [25, 15, 2]
    sentences = ["x² is x times itself.", "This is three times x.", "This is 2 for every x."]
    assert [m.sentence for m in exercise.misconceptions] == sentences
    assert [answer(5) for answer in (exercise.reference, *exercise.alternatives)] == [10, 10]
    assert code(exercise.alternatives[0]) == "def added(x):\n    return x + x\n"


def test_a_choice_has_its_options_as_its_only_case():
    entry = Entry(
        id="t.c", title="C", points=1, reference={"a": 1, "b": 2}, options={"a": [1, 2], "b": [1, 2]}
    )
    entry.choice("both_one", {"b": 1}).says("b is 2.")
    exercise = entry.record
    assert exercise.driver == "choice"
    assert [case.args for case in exercise.cases(torch.Generator())] == [({"a": [1, 2], "b": [1, 2]},)]
    assert exercise.misconceptions[0].variant == {"b": 1}


def test_an_entry_of_another_name_stops_the_build_with_its_file_and_line(tmp_path, capsys):
    """Its answer, of the same name, would take its place, and the file would have no exercise."""
    course = Course(tmp_path)
    place = tmp_path / "exercises/attention/double.py"
    place.parent.mkdir(parents=True)
    text = FILE.replace("exercise = ", "double = ").replace("exercise.", "double.")

    def load(topic: str) -> dict[str, Exercise]:
        return {"attention.double": made(text, place)}

    assert build([], False, root=course.root, load=load) == 1
    line = text.split("\n").index("@double.reference") + 1
    said = "the entry is called `double`; call it `exercise`, as every file does"
    assert f"exercises/attention/double.py:{line}: {said}" in capsys.readouterr().err


def test_a_slip_that_no_longer_fits_stops_the_build_with_its_file_and_line(tmp_path, capsys):
    course = Course(tmp_path)
    place = tmp_path / "exercises/attention/double.py"
    place.parent.mkdir(parents=True)

    def load(topic: str) -> dict[str, Exercise]:
        return {"attention.double": made(FILE.replace("return 2 * x", "return x * 2"), place)}

    assert build([], False, root=course.root, load=load) == 1
    line = FILE.split("\n").index(next(each for each in FILE.split("\n") if "squared" in each)) + 1
    assert (
        f'exercises/attention/double.py:{line}: slip "squared": `2 * x` isn\'t in the code of `double`'
        in capsys.readouterr().err
    )
