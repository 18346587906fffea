"""The slips that benchmarks.truth_elsewhere tries: they exist, and stay what they are in the other form."""

import importlib.util

import pytest
import torch
from torch.nn.functional import layer_norm

from autograder.exercises import load
from autograder.sheets import VISIBLE_SEED, make_sheet
from benchmarks import truth_elsewhere
from benchmarks.slips import TASKS, variants

each = pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
WITH_PARTS = [task for task in TASKS if task.parts]


def exercise_of(part):
    return load(part.exercise.partition(".")[0])[part.exercise]


def adapted(task, kind: int) -> dict:
    """A task's slips (0) or right answers (1), in its form."""
    found = dict((task.slips, task.right)[kind])
    for part in task.parts:
        found |= {name: part.adapt(answer) for name, answer in variants(part)[kind].items()}
    return found


def right_answer(task):
    """What this project takes for right, in a task's form."""
    if not task.parts:
        return lambda x, gamma, beta: layer_norm(x, x.shape[-1:], gamma, beta)
    part = task.parts[0]
    return part.adapt(exercise_of(part).reference)


def inputs(task) -> list[tuple[torch.Tensor, ...]]:
    """A task's arguments, some of them large, and a row without variance for layer norm."""
    torch.manual_seed(0)
    if task.name == "layernorm":
        x = torch.randn(3, 5, 8)
        return [(x, torch.randn(8), torch.randn(8)), (x.clone().fill_(2), torch.ones(8), torch.ones(8)),
                (x / 100, torch.ones(8), torch.zeros(8))]  # fmt: skip
    count = {"rope": 2, "cross_attention": 2}.get(task.name, 3)
    return [tuple(scale * torch.randn(6, 5, 8) for _ in range(count)) for scale in (1, 30)]


def outcome(answer, args):
    """What an answer gives, or the exception it raises, as one tensor or None."""
    torch.manual_seed(1)  # modules begin with the same weights
    try:
        if isinstance(answer, type):
            answer = answer(8, 2)
        given = answer(*args)
    except RuntimeError:
        return None
    return torch.stack(given) if isinstance(given, tuple) else given


def same(given, expected) -> bool:
    return given is not None and given.shape == expected.shape and torch.allclose(given, expected, atol=1e-4)


@each
def test_right_answers_give_what_this_project_takes_for_right(task):
    for args in inputs(task):
        expected = outcome(right_answer(task), args)
        for name, answer in adapted(task, 1).items():
            assert same(outcome(answer, args), expected), name


@each
def test_slips_are_still_wrong_in_the_form_of_the_other_task(task):
    for name, answer in adapted(task, 0).items():
        right = right_answer(task)
        assert not all(same(outcome(answer, args), outcome(right, args)) for args in inputs(task)), name


@pytest.mark.parametrize("part", [part for task in WITH_PARTS for part in task.parts])
def test_right_answers_pass_here_and_slips_are_named(part):
    exercise = exercise_of(part)
    sheet = make_sheet(exercise, VISIBLE_SEED)
    wrong, right = variants(part)
    for name, answer in right.items():
        assert truth_elsewhere.judged(exercise, answer, sheet).status == "passed", name
    assert {
        name: truth_elsewhere.judged(exercise, answer, sheet).cause for name, answer in wrong.items()
    } == {name: name for name in part.slips}


def test_a_test_of_the_other_package_that_fails_never_ends_or_exits_is_told_apart(monkeypatch):
    monkeypatch.setattr(truth_elsewhere, "SECONDS", 0.5)
    tests = [
        "assert {fn}() == 2",
        "assert {fn}() == 3, 'not 3'",
        "while {fn}(): pass",
        "import os; os._exit(1)",
    ]
    said = [truth_elsewhere._in_a_fork("two", {"name": "", "code": code}, lambda: 2) for code in tests]
    assert said == [None, ["AssertionError", "not 3"], ["Timeout", "0 s"], ["Exit", "the process ended"]]


def test_without_the_other_package_it_says_how_to_install_it(monkeypatch, capsys):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr("sys.argv", ["truth_elsewhere"])
    assert truth_elsewhere.main() == 2
    assert "pip install --no-deps torch-judge" in capsys.readouterr().err
