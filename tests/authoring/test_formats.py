"""Exercises for other graders: each file judges as the exercise's own check does, by itself."""

import doctest
import functools
import io
import json
import math
import os
import subprocess
import sys
import types
from contextlib import redirect_stdout

import nbformat
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder import exercises
from autograder.authoring.formats import literals, runtime
from autograder.authoring.formats.core import NotCarried, core
from autograder.authoring.formats.exporting import FORMS
from autograder.commands.cli import main
from autograder.sheets import VISIBLE_SEED, make_cases, overlay
from helpers.checks import compare
from tests.support.other_kinds import ENTRIES
from tests.support.proved import follows_from

TRIED = (
    "attention.softmax", "attention.one_query", "attention.find_slip", "multihead.module",
    "multihead.switch_off", "masking.convert", "counting.linear", "pretraining.merge_pair",
)  # fmt: skip


def made(id, name="answer"):
    return core(exercises.load(id.partition(".")[0])[id], name, "def answer():\n    pass", "a seed")


def run_pytest(text, answer):
    room = {"__name__": "exported"}
    exec(text, room)
    for name, test in room.items():
        if name.startswith("test_"):
            test(answer)


def run_otter(text, answer):
    found = []

    def test_case(**facts):
        return found.append

    module = types.ModuleType("otter.test_files")
    module.test_case = test_case
    sys.modules["otter.test_files"] = sys.modules.setdefault("otter", types.ModuleType("otter")) and module
    try:
        exec(text, {})
    finally:
        del sys.modules["otter"], sys.modules["otter.test_files"]
    assert found
    for test in found:
        test({"answer": answer})


def run_ok(text, answer):
    room = {}
    exec(text, room)
    for case in room["test"]["suites"][0]["cases"]:
        test = doctest.DocTestParser().get_doctest(case["code"], {"answer": answer}, "q", None, None)
        with redirect_stdout(io.StringIO()):
            assert not doctest.DocTestRunner().run(test).failed


def run_nbgrader(text, answer):
    room = {"answer": answer}
    for cell in nbformat.reads(text, 4).cells:
        if cell.cell_type == "code" and not cell.metadata.nbgrader.solution:
            exec(cell.source, room)


RUN = {"pytest": run_pytest, "otter": run_otter, "ok": run_ok, "nbgrader": run_nbgrader}


def passes(form, text, answer):
    try:
        RUN[form](text, answer)
    except Exception:
        return False
    return True


def judges(exercise, exported):
    """Each format takes right answers and none of the wrong ones that are known; the first is tried on all."""
    right = [exercise.reference, *exercise.alternatives]
    wrong = [m.variant for m in exercise.misconceptions]
    if exercise.driver == "choice":
        wrong = [overlay(exercise.reference, each) for each in wrong]
    for number, (form, write) in enumerate(FORMS.items()):
        [text] = write(exported).values()
        for answer in right[: 1 if number else None]:
            assert passes(form, text.decode(), answer), (form, answer)
        for answer in wrong[: 1 if number else None]:
            assert not passes(form, text.decode(), answer), (form, answer)


@follows_from("autograder", "exercises", "helpers", "tests/support/other_kinds.py")
@pytest.mark.parametrize("id", TRIED)
def test_each_format_takes_every_right_answer_and_no_known_wrong_one(id):
    judges(exercises.load(id.partition(".")[0])[id], made(id))


@pytest.mark.parametrize("entry", [each for each in ENTRIES if each.record.id != "kinds.mirrored"])
def test_so_it_is_with_numpy_pandas_plain_python_classes_and_what_is_printed(entry):
    exercise = entry.record
    judges(exercise, core(exercise, "answer", "def answer():\n    pass", "a seed"))


def test_a_dataclass_of_the_notebook_is_left_out():
    [exercise] = [each.record for each in ENTRIES if each.record.id == "kinds.mirrored"]
    with pytest.raises(NotCarried, match="dataclass's instance"):
        core(exercise, "answer", "", "a seed")


def softmax(x, dim):
    shifted = x - x.amax(dim=dim, keepdim=True)
    return shifted.exp() / shifted.exp().sum(dim=dim, keepdim=True)


def in_place(x, dim):
    result = softmax(x, dim)
    x.zero_()
    return result


@functools.cache
def visible():
    cases = make_cases(exercises.load("attention")["attention.softmax"], VISIBLE_SEED)
    return {case.args[0].shape for case in cases}


def seen(x):
    return x.shape in visible()


WRONG = {
    "no gradient": lambda x, dim: softmax(x.detach(), dim),
    "another gradient": lambda x, dim: softmax(x, dim).detach() + x - x.detach(),
    "an argument written into": in_place,
    "a forbidden function": torch.softmax,
    "a forbidden method": lambda x, dim: x.softmax(dim),
    "a list": lambda x, dim: softmax(x, dim).tolist(),
    "another dtype": lambda x, dim: softmax(x, dim).double(),
    "another shape": lambda x, dim: softmax(x, dim)[None],
    "the visible cases alone": lambda x, dim: softmax(x, dim) if seen(x) else x,
    "nothing": lambda x, dim: None,
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_asked_beyond_values_is_asked_by_an_export_too(what):
    exported = made("attention.softmax")
    assert exported.passes(softmax)
    assert not exported.passes(WRONG[what])


def test_what_an_export_lacks_is_said_in_it():
    exported = made("complexity.blockwise_attention")
    for write in FORMS.values():
        [content] = write(exported).values()
        text = content.decode()
        assert "No sandbox" in text and "No hidden draws" in text and "No diagnosis" in text
        assert "Known wrong answers that pass here: all_scores_at_once." in text


def test_an_exercise_that_needs_the_courses_own_code_is_left_out_with_the_reason(tmp_path, capsys):
    with pytest.raises(NotCarried, match="call_with_layer"):
        made("attention.permutation")
    words = ["export", "attention", "softmax", "permutation", "--as", "otter", "--to", str(tmp_path)]
    assert main(words) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["softmax.py"]
    told = capsys.readouterr()
    assert "attention.permutation is left out: it is checked by the course's own code" in told.err
    assert "--seed " in told.out


def test_the_same_seed_gives_the_same_file_and_another_seed_other_hidden_cases():
    exercise = exercises.load("attention")["attention.one_query"]
    one, same, other = (core(exercise, "f", "", seed).calls for seed in ("1", "1", "2"))
    assert one == same
    shown = [call for call in one if not call.hidden]
    assert shown == [call for call in other if not call.hidden]
    assert shown and len(shown) < len(one) and one != other


RIGHT = "import torch\n\n\ndef softmax(x, dim):\n    e = (x - x.amax(dim, keepdim=True)).exp()\n    return e / e.sum(dim, keepdim=True)\n"


@pytest.mark.parametrize(
    ("code", "status"), [(RIGHT, 0), (RIGHT.replace("(x - x.amax(dim, keepdim=True))", "x"), 1)]
)
def test_pytest_alone_runs_the_file_on_a_students_notebook(tmp_path, code, status):
    [(name, content)] = FORMS["pytest"](made("attention.softmax", "softmax")).items()
    (tmp_path / name).write_bytes(content)
    cells = ["%matplotlib inline\n!ls", "%%time\nsoftmax", "1 / 0", code]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(each) for each in cells])
    (tmp_path / "mine.ipynb").write_text(json.dumps(notebook))
    argv = [sys.executable, "-I", "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run(
        argv, cwd=tmp_path, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"}
    )
    assert done.returncode == status, done.stdout


# -- values -------------------------------------------------------------------------------------------------

NUMBERS = st.floats(width=32) | st.integers(-3, 3) | st.booleans()
TENSORS = st.builds(
    lambda values, kind, axis: torch.tensor(values, dtype=kind)[(None,) * axis],
    st.lists(st.integers(-3, 3) | st.floats(-2, 2, width=16), max_size=4),
    st.sampled_from([torch.float32, torch.float64, torch.int64, torch.int32, torch.bool, torch.bfloat16]),
    st.integers(0, 1),
)
SCALARS = st.builds(
    lambda value, kind: torch.tensor(value, dtype=kind),
    st.integers(-2, 2),
    st.sampled_from([torch.float32, torch.float64, torch.int64]),
)
LEAVES = NUMBERS | TENSORS | SCALARS | st.none() | st.sampled_from(["", "a", "b"])
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=4,
)


def nudged(value, by):
    """The value a little off, as another order of operations might give it."""
    if isinstance(value, torch.Tensor):
        return value * (1 + by) if value.is_floating_point() else value
    if isinstance(value, list):
        return [nudged(each, by) for each in value]
    if isinstance(value, dict):
        return {key: nudged(each, by) for key, each in value.items()}
    return value * (1 + by) if isinstance(value, float) else value


@settings(deadline=None, max_examples=150)
@given(VALUES, VALUES, st.sampled_from([0, 1e-12, 1e-8, 3e-5, 1e-3]), st.booleans())
def test_an_export_compares_as_the_check_does(expected, other, by, coarse):
    for got in (other, nudged(expected, by), [expected], (other, other)):
        ours = compare(expected, got, ("output",), coarse=coarse) is None
        assert (runtime.differs(expected, got, coarse) == "") == ours, (expected, got)


@settings(deadline=None)
@given(VALUES)
def test_a_literal_makes_the_value_again(value):
    text = literals.literal(value)
    room = {}
    exec(literals.preamble(text), room)
    again = eval(text, room)
    assert runtime.differs(value, again, False) == "" == runtime.differs(again, value, False)


@pytest.mark.parametrize(
    "value",
    [
        np.array([[1.5, np.nan]]), np.array([], dtype="int32"), np.zeros((0, 3)), np.array(["a", "bc"]), np.float64(2.5),
        np.bool_(True), (1,), (), {1, 2}, set(), frozenset({3}), b"ab", {(1, 2): [None]}, 10**30, 1 + 2j, -0.0, float("inf"),
    ],
    ids=repr,
)  # fmt: skip
def test_numpy_and_plain_python_have_literals_too(value):
    text = literals.literal(value)
    room = {}
    exec(literals.preamble(text), room)
    again = eval(text, room)
    assert type(again) is type(value) and repr(again) == repr(value)


def test_a_frame_has_a_literal():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1, 2], "b": ["x", None]}, index=["p", "q"])
    again = eval(literals.literal(frame), {"pd": pandas, "nan": math.nan})
    pandas.testing.assert_frame_equal(again, frame)


def test_what_no_literal_makes_is_refused_by_its_type():
    with pytest.raises(literals.NoLiteral, match=r"builtins\.object"):
        literals.literal([object()])
