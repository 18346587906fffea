"""Docstrings and cases: what is promised of shapes is what the cases have, and hidden cases vary the rest."""

from dataclasses import replace
from typing import Any

import pytest
import torch

from autograder import exercises
from autograder.authoring import promised
from autograder.authoring.master import Cell
from autograder.authoring.mutating import verified
from autograder.authoring.promised import Call, Docstring
from autograder.drawing import pick
from autograder.sheets import VISIBLE_SEED, make_sheet
from helpers.checking.calling.outcome import Case
from tests.support.small_course import DOUBLE, Course

FUNCTION = '''
def attend(q, k, n_heads, mask=None):
    """Look things up.

    Args:
        q: queries, (..., T_q, d).
        k: keys,
            (..., T_k, 2d + 1).
        n_heads: H, a divisor of d.
        mask: boolean, broadcastable to (..., H, T_q, T_k).

    Returns:
        The outputs (..., T_q, H·d) and integers (T_k,).
    """
'''
CLASS = '''
class Model(torch.nn.Module):
    """Scores tokens.

    Args:
        vocabulary: V.
    """

    def __init__(self, vocabulary):
        pass

    def forward(self, ids, kinds):
        """Tokens and kinds, (B, T) each, to logits (B, T, V). The
        mask is boolean."""
'''


def said(source: str) -> Docstring:
    return promised.docstrings([Cell("exercise", source, 1, 1, "topic.name")])["topic.name"]


def numbers(*shape: int) -> torch.Tensor:
    return torch.zeros(shape)


ATTEND = {"q": numbers(5, 4, 3), "k": numbers(5, 2, 7), "n_heads": 6}
OUTPUTS = [numbers(5, 4, 18), torch.zeros(2, dtype=torch.long)]


def test_names_stand_for_one_size_in_one_call() -> None:
    call = Call(said(FUNCTION), ATTEND, OUTPUTS)
    assert call.problems == []
    assert call.sizes == {"n_heads": 6, "H": 6, "...": (5,), "T_q": 4, "d": 3, "T_k": 2}
    model = Call(
        said(CLASS), {"ids": numbers(2, 3), "kinds": numbers(2, 3), "vocabulary": 9}, numbers(2, 3, 9)
    )
    assert model.problems == []
    assert model.sizes == {"vocabulary": 9, "V": 9, "B": 2, "T": 3}


@pytest.mark.parametrize(
    ("changed", "outputs", "problem"),
    [
        ({"q": numbers(3)}, OUTPUTS, "`q` is (3,), but the docstring says (..., T_q, d)"),
        ({"k": numbers(5, 2, 6)}, OUTPUTS, "says (..., T_k, 2d + 1), and ... is (5,), d is 3"),
        ({"k": numbers(1, 2, 7)}, OUTPUTS, "`k` is (1, 2, 7), but the docstring says"),
        ({"mask": torch.ones(3, 2, dtype=torch.bool)}, OUTPUTS, "`mask` is (3, 2), but"),
        ({"mask": torch.ones(4, 1)}, OUTPUTS, "`mask` is torch.float32, but the docstring says boolean"),
        ({}, [numbers(5, 4, 17), OUTPUTS[1]], "the result is (5, 4, 17), but the docstring says (..., T_q, H·d)"),
        ({"n_heads": 5}, OUTPUTS, "(..., T_q, H·d), and ... is (5,), T_q is 4, H is 5, d is 3"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_said_with_what_is_known(changed: dict, outputs: Any, problem: str) -> None:
    found = Call(said(FUNCTION), {**ATTEND, **changed}, outputs).problems
    assert len(found) == 1 and problem in found[0]


CONVOLVE = '''
def convolve(x, weights, gradients):
    """Slide a kernel along.

    Args:
        x: (B, L).
        weights: a kernel of any length.
        gradients: a list of tensors, of any shape.

    Returns:
        (B, L - K + 1).
    """
'''


@pytest.mark.parametrize("kernel", [1, 5, 7])
def test_a_size_that_only_a_difference_has_may_be_larger_than_what_is_left(kernel: int) -> None:
    call = Call(said(CONVOLVE), {"x": numbers(2, 7)}, numbers(2, 7 - kernel + 1))
    assert (call.problems, call.sizes["K"]) == ([], kernel)
    assert Call(said(CONVOLVE), {"x": numbers(2, 7)}, numbers(2, 9)).problems


def test_each_tensor_of_a_list_of_any_shape_has_its_own() -> None:
    call = Call(said(CONVOLVE), {"gradients": [numbers(2, 3), numbers(4), numbers()]}, None)
    assert call.problems == []


def test_a_mask_may_be_smaller_where_it_is_broadcast() -> None:
    for shape in ((4, 2), (1, 2), (2,), (5, 6, 4, 2), (1, 1, 4, 1), (6, 4, 2)):
        mask = torch.ones(shape, dtype=torch.bool)
        assert Call(said(FUNCTION), {**ATTEND, "mask": mask}, OUTPUTS).problems == []


ROWS = '"""Return twice x.\n\n    Args:\n        x: (..., C).\n\n    Returns:\n        (..., C).\n    """'


def drawn(*shapes: tuple[int, ...]) -> Any:
    return lambda g: [Case("numbers", (torch.randn(pick(g, *shapes), generator=g),))]


def mistakes(course: Course, capsys: Any, **fields: Any) -> list[str]:
    course.write("exercises/attention/double.py", '"""Doubling."""\n\nexercise = "attention.double"\n')
    course.edit('"""Return twice x."""', ROWS)
    course.specs["attention.double"] = replace(DOUBLE, **fields)
    course.build()
    lines = capsys.readouterr().err.split("\n")
    return [line for line in lines if "docstring" in line or "`fixed`" in line]


GOOD = ((3, 2), (1,), (1, 4), (2, 1, 5), (6,))


def test_a_case_outside_the_documented_domain_stops_the_build(tmp_path, capsys) -> None:
    [found] = mistakes(
        Course(tmp_path), capsys, cases=lambda g: [Case("one number", (torch.randn((), generator=g),))]
    )
    assert found == (
        'exercises/attention/double.py:3: "attention.double": in case "one number", on the visible '
        "cases, `x` is (), but the docstring says (..., C); change the case, or the docstring"
    )


@pytest.mark.parametrize(
    ("shapes", "lacking"),
    [
        (GOOD, []),
        (((3, 2), (1, 4), (2, 1, 5)), ["no axis in front"]),
        (((3, 2), (5,), (3, 4), (2, 3, 5)), ["an axis of 1 in front"]),
        (((3, 2), (5,), (1, 4)), ["several axes in front"]),
        (((3, 2), (2,), (1, 2), (2, 1, 2)), ["`C` is 2 in all hidden draws"]),
        (((3, 2), (3, 2)), ["no axis in front", "an axis of 1", "several axes", "`C` is 2"]),
    ],
)
def test_what_a_docstring_leaves_open_varies_on_hidden_draws(tmp_path, capsys, shapes, lacking) -> None:
    found = mistakes(Course(tmp_path), capsys, cases=drawn(*shapes))
    assert len(found) == len(lacking)
    for line, part in zip(found, lacking, strict=True):
        assert part in line and "draw it with `pick`, or say in `fixed` why it can't be" in line


def test_an_entry_can_say_why_sizes_are_fixed(tmp_path, capsys) -> None:
    assert mistakes(Course(tmp_path), capsys, cases=drawn((3, 2), (4, 2)), fixed="rows of two numbers") == []


def test_a_changed_docstring_is_compared_again(tmp_path, capsys) -> None:
    course = Course(tmp_path)
    assert mistakes(course, capsys, cases=drawn(*GOOD)) == []
    course.edit("x: (..., C).", "x: (B, C).")
    assert course.build() == 1
    assert "but the docstring says (B, C)" in capsys.readouterr().err


def test_most_of_the_course_is_compared() -> None:
    """A rule that reads no shape says nothing."""
    # Named in the lesson, and in one call of each exercise.
    for topic, name, sizes in (
        ("attention", "additive", {"...", "T", "d_a", "d_k", "d_q", "d_v"}),
        ("multihead", "module", {"B", "C", "H", "T_k", "T_q", "d_model", "n_heads"}),
        ("masking", "cache", {"...", "N", "P", "d", "d_k", "d_v"}),
        ("modern", "quantized", {"in", "out"}),
    ):
        exercise = exercises.load(topic)[f"{topic}.{name}"]
        sheet = make_sheet(exercise, VISIBLE_SEED, misconceptions=False)
        found = promised.call(
            exercise, verified.given(topic).docstrings[exercise.id], sheet.cases[0], sheet.expected[0]
        )
        assert found.sizes.keys() >= sizes


@pytest.mark.parametrize("text", ["A number, (n,).", "A number, (n,), float64 where x is."])
def test_full_precision_is_asked_for_by_the_docstring(text: str) -> None:
    exercise = replace(exercises.load("pretraining")["pretraining.adamw"], fixed="for this test")
    found = [
        list(promised.faults(replace(exercise, full_precision=full), Docstring(returns=text), []))
        for full in (False, True)
    ]
    assert found[0] == []
    assert ["full_precision" in fault for fault in found[1]] == [True] * ("float64" not in text)
