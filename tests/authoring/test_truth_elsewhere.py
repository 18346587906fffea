"""The answers of benchmarks.truth_elsewhere are what they are said to be, and its courses' tests are run as they are."""

import ast
import json
import subprocess
import sys
import textwrap

import pytest
import torch

from benchmarks.truth_elsewhere import __main__ as command
from benchmarks.truth_elsewhere import ours, runner
from benchmarks.truth_elsewhere.courses import deep_ml, torch_judge
from benchmarks.truth_elsewhere.tasks import Answer, changed, outcomes, same, tasks
from tests.support.proved import follows_from

TASKS = tasks()
each = pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
from_data = follows_from("benchmarks/truth_elsewhere")


@from_data
@each
def test_right_answers_agree_with_the_truth_and_wrong_ones_do_not(task):
    expected = list(outcomes(task, task.truth, "truth"))
    assert not [error for error in expected if isinstance(error, Exception)]
    for answer in task.answers:
        agrees = all(map(same, outcomes(task, answer.code, task.name), expected))
        assert agrees == answer.right, answer.name


@from_data
@each
def test_a_task_has_right_answers_in_three_idioms_and_six_wrong_ones(task):
    right, wrong = ([answer for answer in task.answers if answer.right == kind] for kind in (True, False))
    assert len(right) >= 3 and len(wrong) >= 6
    assert len({answer.code for answer in task.answers}) == len(task.answers)
    assert len({answer.about for answer in task.answers}) == len(task.answers)


@from_data
@each
def test_answers_need_nothing_of_this_project(task):
    for code in (task.truth, task.inputs, *(answer.code for answer in task.answers)):
        names = {
            alias.name
            for node in ast.walk(ast.parse(code))
            if isinstance(node, ast.Import)
            for alias in node.names
        }
        names |= {node.module for node in ast.walk(ast.parse(code)) if isinstance(node, ast.ImportFrom)}
        assert names <= {"re", "collections"}


@from_data
def test_what_a_course_is_asked_and_what_it_lacks_are_parts_of_tasks():
    parts = {task.name: {answer.needs for answer in task.answers} - {""} for task in TASKS}
    for course in (ours, torch_judge, deep_ml):
        assert set(course.FORMS) <= set(parts)
        assert all(lacking <= parts[task] for task, lacking in course.LACKS.items())
    assert set(ours.EXERCISES) <= set(parts)


@from_data
def test_readings_are_of_answers():
    known = {(task.name, answer.name) for task in TASKS for answer in task.answers if not answer.right}
    read = [(task, name) for task, names in ours._readings().items() for name in names]
    assert set(read) <= known
    verdicts = {verdict for names in ours._readings().values() for verdict, _ in names.values()}
    assert verdicts <= {"named", "true", "nothing", "misleading"}


def test_a_change_that_fits_no_place_or_two_is_refused():
    assert changed(["b", "c"], ["aa", "ab"], "x") == "ac"
    for change in (["c", ""], ["a", ""], ["aa", "b", "b", "c"]):
        with pytest.raises(ValueError, match="one place of one right answer"):
            changed(change, ["aa", "ab"], "x")


def test_a_message_is_read_only_as_long_as_it_begins_as_it_did(monkeypatch):
    task = next(task for task in TASKS if task.name == "softmax")
    answer = next(answer for answer in task.answers if answer.name == "no_maximum")
    for begins, expected in (("no_maximum: The exponentials", "named"), ("another", "unread")):
        monkeypatch.setattr(
            ours, "_readings", lambda begins=begins: {"softmax": {"no_maximum": ["named", begins]}}
        )
        got = ours.judged(task, answer)
        assert not got.passes and got.reading == expected


@pytest.fixture
def judge_with_two_tests(tmp_path):
    """A torch_judge of our own, whose softmax is tested for its sum, and for a value with words."""
    package = tmp_path / "torch_judge"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "tasks.py").write_text(
        textwrap.dedent("""
        def get_task(name):
            code = ["assert abs({fn}(torch.ones(4), -1).sum() - 1) < 1e-4", "assert {fn}(torch.ones(1), 0) == 1, 'one is all'"]
            return {"function_name": "my_" + name, "tests": [{"code": f"import torch\\n{each}"} for each in code]}
        """)
    )
    return tmp_path


@from_data
def test_an_answer_is_tried_in_the_course_s_own_form(judge_with_two_tests):
    codes = {
        "right": "def softmax(x, dim):\n    return torch.softmax(x, dim)",
        "zero": "def softmax(x, dim):\n    return 0 * x",
        "raises": "def softmax(x, dim):\n    return x.nothing",
        "exits": "import os\ndef softmax(x, dim):\n    os._exit(1)",
        "broken": "def softmax(x, dim",
    }
    known = [command.Task("softmax", "", "", "", tuple(Answer(name, "", code, True) for name, code in codes.items())),
             command.Task("bleu", "", "", "", (Answer("elsewhere", "", "", True),))]  # fmt: skip
    rows = {row.answer.name: row for row in command.elsewhere("torch_judge", judge_with_two_tests, known)}
    assert {name: (row.accepted, row.named) for name, row in rows.items()} == {
        "right": (True, False), "zero": (False, True), "raises": (False, False), "exits": (False, False),
        "broken": (False, False),
    }  # fmt: skip
    assert "one is all" in rows["zero"].said and rows["exits"].said == "Exit: the process ended"


def test_an_answer_that_never_ends_is_stopped(monkeypatch):
    class Course:
        @staticmethod
        def failures(task, answer):
            while True:
                answer()

    monkeypatch.setattr(runner, "SECONDS", 0.5)
    assert runner.tried(Course, "f", "def f(): pass") == [("Timeout", "0 s")]


def test_a_course_whose_tests_cannot_be_run_is_an_error_and_no_verdict(tmp_path):
    deep_ml.prepare(tmp_path)
    with pytest.raises(RuntimeError, match="softmax: ValueError"):
        runner.tried(deep_ml, "softmax", "def softmax(x, dim): pass")


def test_numbers_that_a_test_prints_are_compared():
    test = {"test": "print(f(np.ones(2)))", "expected_output": "[1.0, 2.e+00]"}
    assert deep_ml.failing(lambda: deep_ml._compare(test, {"f": lambda x: [1, 2.0004]})) == []
    for wrong in ([1, 2.1], [1], [1, float("nan")], [1, 2, 3]):
        assert deep_ml.failing(lambda wrong=wrong: deep_ml._compare(test, {"f": lambda x: wrong}))


@from_data
def test_tests_of_pytest_are_counted_and_none_is_an_error(tmp_path, monkeypatch):
    (tmp_path / "test_it.py").write_text(
        "import pytest\ndef test_a(): pass\ndef test_b(): assert 0, 'b fails'\ndef test_c(): pytest.skip('no')\n"
    )
    monkeypatch.chdir(tmp_path)
    code = "import json; from benchmarks.truth_elsewhere.courses.by_pytest import pytested\n"
    code += "print(json.dumps(pytested(['test_it.py'])))"
    assert json.loads(_python(code).stdout) == [["AssertionError", "b fails"]]
    assert "no test was run" in _python(code.replace("test_it.py", "test_it.py::test_d")).stderr


def _python(code):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={"PYTHONPATH": str(command.ROOT)}
    )


def test_the_tables_put_our_own_misses_first():
    right, wrong = Answer("r", "idiom", "", True), Answer("w", "fault", "", False)
    rows = [command.Row("gelu", right, False, False), command.Row("gelu", wrong, True, False),
            command.Row("bleu", wrong, False, True)]  # fmt: skip
    found = {"this project": rows, "other": [command.Row("gelu", wrong, False, False)]}
    cells = [list(column.cells) for column in command.summary(found).columns]
    assert cells[0] == ["this project", "other"]
    assert cells[2:5] == [["1 of 2", "0 of 1"], ["1 of 1", "0 of 0"], ["1 of 1", "0 of 1"]]
    assert [list(c.cells) for c in command.misses(found).columns][3] == ["refused", "accepted"]
    assert list(command.by_task(found).columns[2].cells) == ["–", "0 of 1"]


@from_data
def test_two_outcomes_are_the_same_only_in_kind_shape_and_numbers():
    ones = torch.ones(2, 3)
    assert (
        same(ones + 1e-6, ones)
        and same((ones, [1.0, "a"]), (ones, [1.0, "a"]))
        and same(torch.tensor(1.0), 1.0)
    )
    for given in (ones + 1e-2, ones.T, ones.bool(), None, ValueError(), ones * torch.nan):
        assert not same(given, ones)
    assert not same((1.0,), (1.0, 1.0)) and not same(True, 1.0 + 1) and not same(["ab"], ["a"])
