"""What a student reads: each kind of problem has its own message, and none tells more than it may."""

import json
import linecache
import math
import re
import sys
import threading
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.exercise import Exercise, Misconception
from autograder.exercises import load
from autograder.sheets import make_sheet
from helpers import checks
from helpers.checking import progress
from helpers.checking.calling.choosing import spelled
from helpers.checking.calling.drivers import Outcome, run
from helpers.checking.calling.outcome import CallStatus, Case
from helpers.checking.calling.registry import register
from helpers.checking.comparing import Difference
from helpers.checking.explaining.causes import SAME_EVERYWHERE
from helpers.checking.explaining.contrast import contrast, is_trivial
from helpers.checking.explaining.sketches import sketch, to_text
from helpers.checking.explaining.telling import in_part, tells, tells_much
from helpers.checking.problems import problem_of
from helpers.checks import (
    CheckFailed,
    Finding,
    Sheet,
    assess,
    compare,
    gradient_reaches_inputs,
    inputs_unchanged,
    rows_sum_to_one,
    whole_numbers_in_int64,
)

SECRET = 0.8414709  # stands in the cases, and in no message about a hidden one


# -- an exercise to fail -------------------------------------------------------------------------------------


def weigh(x, dim):
    return x.softmax(dim), x.sum()


def weigh_the_last_axis(x, dim):
    return x.softmax(-1), x.sum()


def weigh_the_negative(x, dim):
    return (-x).softmax(dim), x.sum()


def weigh_rows_only(x, dim):
    if dim == 0:
        raise RuntimeError(f"no rows in {tuple(x.shape)}")
    return x.softmax(dim), x.sum()


def weigh_in_place(x, dim):
    x += 1
    return x.softmax(dim), x.sum() - x.numel()


def cases(generator):
    x = torch.randn(2, 3, generator=generator) + SECRET
    return [Case("rows", (x, 1)), Case("columns", (x, 0)), Case("columns in float64", (x.double(), 0))]


EXERCISE = Exercise(
    id="topic.weigh",
    title="Weigh <scores>",
    points=3,
    reference=weigh,
    cases=cases,
    returns=("weights", "total"),
    properties=(inputs_unchanged, gradient_reaches_inputs, rows_sum_to_one),
    forbidden=("torch.exp", "torch.Tensor.exp"),
    misconceptions=(
        Misconception("last_axis", weigh_the_last_axis, "The softmax always runs over the last axis."),
        Misconception("negative", weigh_the_negative, "The sign of the scores is lost."),
        Misconception("rows_only", weigh_rows_only, "Only rows are weighed."),
        Misconception("in_place", weigh_in_place, "The scores are changed in place."),
    ),
)


def sheet_of(exercise=EXERCISE, **more) -> Sheet:
    sheet = make_sheet(exercise, "visible", look_at="1.2 Weights", **more)
    return Sheet.from_json(json.loads(json.dumps(sheet.to_json())))


def outcomes_of(answer, sheet):
    how = {"gradients": sheet.wants_gradients, "forbidden": sheet.forbidden}
    outcomes = [run(sheet.driver, answer, case, **how) for case in sheet.cases]
    return [Outcome.from_json(json.loads(json.dumps(outcome.to_json()))) for outcome in outcomes]


def find(answer, sheet=None, **how) -> Finding:
    sheet = sheet or sheet_of()
    return assess(sheet, outcomes_of(answer, sheet), **how)


def in_a_notebook(source: str):
    """The last function of a cell's text, with a traceback that shows its lines as a notebook does."""
    name = f"<ipython-input-1-{abs(hash(source))}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    names = {"torch": torch, "math": math, "numpy": numpy}
    exec(compile(source, name, "exec"), names)
    return list(names.values())[-1]


def weigher(*lines: str):
    return in_a_notebook("\n    ".join(["def f(x, dim):", *lines]))


# -- the whole message ---------------------------------------------------------------------------------------


def test_a_known_mistake_makes_four_lines():
    text = find(weigh_the_last_axis).text()
    assert re.fullmatch(
        r"✗ Weigh <scores> · case 2 of 3: columns\n"
        r"  returned       weights \(2, 3\); largest error 0\.\d+ at \[\d, \d\]: 0\.\d+, expected 0\.\d+\n"
        r"  likely cause   The softmax always runs over the last axis\.\n"
        r"  look at        1\.2 Weights",
        text,
    )


def test_a_pass_makes_one_line():
    assert find(weigh).text() == "✓ Weigh <scores> · 3 of 3 cases · 3 points"


def test_the_table_escapes_what_it_shows():
    page = find(weigher("raise ValueError('<script>alert(1)</script>')")).html()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert "Weigh &lt;scores&gt;" in page
    bundle = find(weigh)._repr_mimebundle_()
    assert bundle["text/plain"].startswith("✓")
    assert bundle["text/html"].startswith("<div")


def test_a_text_of_many_lines_stays_on_one():
    text = find(weigher(r"raise ValueError('one\n\x1b[31mtwo\n' + 'long ' * 200)")).text()
    assert len(text.split("\n")) == 4
    assert "ValueError: one [31mtwo long" in text
    assert len(text) < 900


# -- each kind of problem ------------------------------------------------------------------------------------

RIGHT = "return x.softmax(dim), x.sum()"
KINDS = {
    "a function that isn't one": (3, "unusable", "3, expected a function", "run the cell"),
    "nothing": (weigher("x.softmax(dim)"), "structure", "nothing (None), expected 2 values", "`return`"),
    "one of two": (weigher("return x.softmax(dim)"), "structure", "one tensor, expected 2 values", "docstring"),
    "three of two": (weigher("return x, x, x"), "structure", "3 values, expected 2 values", "docstring"),
    "a dict": (weigher("return {'w': x}"), "structure", "a dict, expected 2 values: weights, total", "docstring"),
    "a ragged list": (weigher("return [[1.0], [1.0, 2.0]], 1"), "structure", "2 values, expected one", "docstring"),
    "text in a list": (weigher("return ['a', 'b'], 1"), "structure", "2 values, expected one", "docstring"),
    "None for a tensor": (weigher("return x.softmax(dim), None"), "type", "total: nothing (None)", "tensor"),
    "numpy": (weigher("return x.numpy(), x.sum()"), "type", "weights: a numpy.ndarray, expected a", "tensor"),
    "a number for a tensor": (weigher("return 1.5, x.sum()"), "type", "weights: a number", "tensor"),
    "text for a tensor": (weigher("return 'a', x.sum()"), "type", "weights: a str", "tensor"),
    "a bool for a number": (weigher("return x.softmax(dim), True"), "type", "total: a bool", "tensor"),
    "a complex tensor": (weigher("return x.cfloat(), x.sum()"), "type", "a torch.Tensor of complex64", "tensor"),
    "an axis lost": (weigher("return x.sum(dim), x.sum()"), "shape", "weights (2,), expected (2, 3)", "shape"),
    "an axis swapped": (weigher("return x.T, x.sum()"), "shape", "(3, 2), expected (2, 3)", "different order"),
    "an axis of 1": (weigher("return x[None], x.sum()"), "shape", "(1, 2, 3), expected (2, 3)", "keepdim"),
    "not reduced": (weigher("return x.softmax(dim), x"), "shape", "total: (2, 3), expected one", "a sum"),
    "float64 lost": (
        weigher("return x.float().softmax(dim), x.float().sum()"),
        "dtype", "weights of float32, expected float64", "dtype of an input",
    ),
    "NaN everywhere": (weigher("return x.sqrt() * math.nan, x.sum()"), "nan", "NaN everywhere", "0/0"),
    "some NaN": (
        weigher("y = x.softmax(dim).clone()", "y[1, 2] = math.nan", "return y, x.sum()"),
        "nan", "weights (2, 3) with NaN in 1 of 6 places, the first at [1, 2]", "0/0",
    ),
    "a NaN number": (weigher("return x.softmax(dim), x.sum() * math.nan"), "nan", "total is NaN", "0/0"),
    "a wrong number": (
        weigher("return x.softmax(dim), x.sum() * 0 + 2"),
        "value", "total 2, expected ", 'None of the mistakes we know gives this result. To try it by hand, take the inputs from `case("topic.weigh", 1).args`',
    ),
    "weights that don't sum to 1": (
        weigher("return x.sigmoid(), x.sum()"), "value", "largest error", "don't sum to 1",
    ),
    "wrong numbers and inputs changed": (
        weigher("x.mul_(3)", "return x.sigmoid(), x.sum()"),
        "inputs_unchanged", "largest error", "The call changed `x`, too. An in-place step",
    ),
    "an exception": (
        weigher("y = 1", "return x @ x"),
        "raised", "nothing: it raised RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3), at "
        "line 3: return x @ x", "transpose",
    ),
    "an exit": (weigher("raise SystemExit(1)"), "raised", "it raised SystemExit: 1", "stopped"),
    "an exception that can't be shown": (
        in_a_notebook(
            "class Bad(Exception):\n    def __str__(self):\n        return 1\n\ndef f(x, dim):\n    raise Bad"
        ),
        "raised", "it raised Bad, at line 6: raise Bad", "stopped",
    ),
    "torch's own NotImplementedError": (
        weigher("return x.long().softmax(dim), 1"), "raised", "NotImplementedError: \"softmax", "into floats",
    ),
    "a forbidden function": (
        weigher("return torch.exp(x), x.sum()"),
        "forbidden", "nothing: it uses torch.exp, at line 2: return torch.exp(x), x.sum()", "without torch.exp",
    ),
    "a forbidden method": (weigher("return x.exp(), 1"), "forbidden", "torch.Tensor.exp", "is the point"),
    "a forbidden function itself": (torch.exp, "forbidden", "it uses torch.exp", "is the point"),
    "an interrupt": (weigher("raise KeyboardInterrupt"), "timeout", "the call was stopped", "loop"),
    "inputs changed": (
        weigher("x *= 1.5", "x /= 1.5", "x[0, 0] += 1", "y = x.clone()", "y[0, 0] -= 1",
                "return y.softmax(dim), y.sum()"),
        "inputs_unchanged", "the right values, but the call changed `x`", "in-place",
    ),
    "no gradient": (
        weigher("x = x.detach()", RIGHT),
        "gradient_reaches_inputs", "the right values, but no gradient reaches `x`", ".detach()",
    ),
    "no gradient through numpy": (
        weigher("x = torch.from_numpy(x.numpy().copy())", RIGHT),
        "gradient_reaches_inputs", "no gradient reaches `x`", ".numpy()",
    ),
    "no gradient after a change in place": (
        weigher("y = x.softmax(dim)", "y *= 1", "return y, x.sum()"),
        "gradient_reaches_inputs", "the right values, but no gradient reaches `x`", "/=",
    ),
    "half a gradient": (
        weigher("return x.detach().softmax(dim), x.sum()"),
        "gradient_reaches_inputs", "the gradient that reaches `x` is wrong", ".detach()",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("answer", "cause", "returned", "meaning"), KINDS.values(), ids=KINDS)
def test_each_kind_of_problem_has_its_message(answer, cause, returned, meaning):
    finding = find(answer)
    assert (finding.status, finding.cause) == ("failed", cause), finding.text()
    assert returned in finding.returned
    assert meaning in finding.meaning
    assert finding.look_at == "1.2 Weights"


@pytest.mark.promise(56)
@pytest.mark.parametrize("answer", [kind[0] for kind in KINDS.values()], ids=KINDS)
def test_a_hidden_case_keeps_its_numbers_and_texts(answer):
    sheet = sheet_of()
    shown = find(answer, sheet, reveal=False)
    assert shown.cause == find(answer, sheet).cause
    assert shown.case.startswith("a hidden case like: ")
    secrets = {f"{number:.3g}" for number in sheet.cases[0].args[0].flatten().tolist()}
    text = shown.text() + shown.html()
    assert not any(secret in text for secret in secrets)
    assert not re.search(r"\d\.\d\d|\(\d, |\[\d, |line \d|2x3", shown.returned)


def test_a_hidden_exception_shows_neither_its_text_nor_its_line():
    told = find(weigher("raise ValueError(f'the input was {x.tolist()}')"), reveal=False)
    assert told.returned == "nothing: it raised ValueError"


@pytest.mark.parametrize("kind", ["GeneratorExit", "type('Own', (BaseException,), {})", "SystemExit"])
def test_what_an_answer_raises_fails_it_and_stops_nothing_else(kind):
    finding = find(weigher(f"raise {kind}"))
    assert finding.status == "failed" and finding.returned.startswith("nothing: it raised ")


def test_a_message_is_the_same_at_each_time():
    """The place in memory of an object isn't."""
    told = [find(weigher("raise ValueError(object())")).returned for _ in range(2)]
    assert (
        told == ["nothing: it raised ValueError: <object object>, at line 2: raise ValueError(object())"] * 2
    )


@pytest.mark.promise(56)
@pytest.mark.parametrize("expected", [torch.zeros(2), [torch.zeros(2)] * 2, {"a": torch.zeros(2)}, "a", 1.5])
@pytest.mark.parametrize(
    "answer",
    [
        lambda: type("T723", (), {})(),
        lambda: [type("T723", (), {})()] * 2,
        lambda: {"a": torch.zeros(2), "k723": 1},
        lambda: [torch.zeros(2)] * 723,
        lambda: torch.zeros(723),
    ],
)
def test_a_hidden_case_keeps_what_an_answer_makes_of_its_numbers(answer, expected):
    """As the name of a type, as a key, as a size, or as how many values come back."""
    outcome = Outcome.from_json(json.loads(json.dumps(run("call", answer, Case("")).to_json())))
    assert "723" not in compare(expected, outcome.outputs).describe(False)


def test_a_hidden_exception_of_a_students_own_kind_has_no_name():
    own = weigher("raise type('E723', (Exception,), {})")
    assert find(own).returned.startswith("nothing: it raised E723")
    assert find(own, reveal=False).returned == "nothing: it raised an exception"


def test_a_hidden_case_hands_out_no_text_of_the_student_process():
    sheet = sheet_of()
    for status in ("raised", "forbidden", "unusable", "interrupted"):
        outcome = Outcome(status, error="x = 0.123 <b>", message="0.123", where="0.123")
        told = assess(sheet, [outcome] * len(sheet.cases), reveal=False)
        assert "0.123" not in told.text()


# -- not written yet -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", ["raise NotImplementedError()", "raise NotImplementedError('to do')"])
def test_a_stub_is_not_wrong(line):
    assert find(weigher(line)).text() == "○ Weigh <scores> · not written yet"


def test_an_answer_that_waits_for_another_says_so():
    answer = in_a_notebook(
        "def exponential(x):\n    raise NotImplementedError()\n\ndef f(x, dim):\n    return exponential(x)"
    )
    assert find(answer).text() == "○ Weigh <scores> · it calls exponential, which isn't written yet"


def test_a_wrong_first_case_is_told_before_a_missing_second():
    finding = find(weigher("if dim == 0:", "    raise NotImplementedError", "return x, x"))
    assert finding.status == "failed"


# -- recognising misconceptions ------------------------------------------------------------------------------------


def recognised(answer) -> str:
    finding = find(answer)
    return finding.cause if finding.cause in {m.name for m in EXERCISE.misconceptions} else ""


def test_a_mistake_is_known_again_by_what_it_does():
    assert recognised(weigher("return torch.softmax(x, 1), x.sum()")) == "last_axis"
    assert recognised(weigher("return torch.softmax(-1 * x, dim), x.sum()")) == "negative"


def test_a_mistake_that_changes_only_its_inputs_is_known_again():
    assert recognised(weigher("x.add_(1)", "return x.softmax(dim), (x - 1).sum()")) == "in_place"


def test_a_mistake_that_explains_one_case_and_not_the_others_is_not_named():
    """Wrong on rows as one misconception is; wrong on columns in a way of its own."""
    answer = weigher("s = (-x).softmax(dim)", "return (s if dim == 1 else s.sqrt()), x.sum()")
    assert recognised(answer) == ""
    assert "The sign of the scores" not in find(answer).meaning


def test_a_mistake_is_known_in_one_of_several_values_beside_another():
    for name, weights, where in (
        ("negative", "(-x).softmax(dim)", "`weights` shows exactly this"),
        ("last_axis", "x.softmax(-1)", "`weights` in cases 2 and 3 shows exactly this"),
    ):
        answer = weigher(f"return {weights}, x.sum() + 1")
        assert recognised(answer) == name
        assert where in find(answer).meaning


def test_a_mistake_that_a_second_one_hides_in_a_case_is_told_of_the_others():
    answer = weigher("s = (-x).softmax(dim)", "return (s.sqrt() if dim == 1 else s), x.sum()")
    finding = find(answer)
    assert finding.cause == "negative"
    assert (
        finding.case.startswith("case 2 of 3")
        and "`weights` in cases 2 and 3 shows exactly this" in finding.meaning
    )
    hidden = find(answer, reveal=False)
    assert hidden.cause == "negative" and "Some of the wrong cases show exactly this" in hidden.meaning


@pytest.mark.parametrize(
    ("sizes", "where", "sure"),
    [((30, 20, 9), [0, 1], True), ((9, 9, 14), [0, 1], False), ((20, 9, 9, 9), [0, 1], False)],
    ids=["most cases and numbers", "fewer than two thirds of the numbers", "half of the cases"],
)
def test_a_mistake_that_shows_in_part_is_certain_only_if_that_is_most(sizes, where, sure):
    assert seen_in_part(sizes, where) == ("mistake", sure)


@pytest.mark.parametrize("sizes", [(4, 5, 40), (3, 4, 27, 19, 58)])
def test_a_mistake_that_shows_in_small_cases_alone_is_not_named(sizes):
    """With two heads or one, most slopes of a head's own look like those of a known mistake."""
    assert seen_in_part(sizes, [0, 1]) is None


def seen_in_part(sizes, where):
    """What is found of a mistake that gives the same as an answer in some cases, and how sure it is."""
    seen, values, gives = outcomes_in_part(sizes, where)
    found = in_part(seen, values, [("mistake", [gives])], [])
    return found and (found[0], found[2])


def outcomes_in_part(sizes, where, draws=1):
    """An answer's wrong outcomes, with the right ones, and a mistake's that are the same in some cases."""
    g = torch.Generator().manual_seed(0)
    wrong, *drawn = ([torch.randn(size, generator=g) for size in sizes] for _ in range(1 + draws))
    others = drawn[-1]
    seen = [(sketch(Outcome("returned", each)),) for each in wrong]
    gives = to_text(
        [(sketch(Outcome("returned", (wrong if n in where else others)[n])),) for n in range(len(sizes))]
    )
    return seen, {n: [(torch.zeros(size), wrong[n])] for n, size in enumerate(sizes)}, gives


def test_what_is_only_likely_is_not_said_as_if_it_were_certain():
    lines = "s = (-x).softmax(dim)", "return (s.sqrt() if dim else s), x.sum() + (1.5 if dim else 0)"
    told = find(weigher(*lines))
    assert told.cause == "negative" and "fix it first" not in told.meaning
    assert told.meaning.startswith(
        "`weights` in cases 2 and 3 shows exactly what this mistake would give: The"
    )
    assert told.meaning.endswith("so first see whether your code does this.")


def test_a_list_of_rows_is_told_before_a_mistake_that_they_look_like():
    told = find(weigher("s = (-x).softmax(dim)", "return (list(s.sqrt()) if dim else list(s)), x.sum()"))
    assert told.cause == "type" and "A list or a tuple isn't a tensor" in told.meaning


def test_no_gradient_is_as_good_as_zeros_where_zeros_are_right():
    absorb = load("complexity")["complexity.absorb"]

    def with_a_first_step(largest, total, mixture, scores, values):
        new = torch.maximum(largest, scores.amax(-1))
        weights = (scores - new[..., None]).exp()
        if largest.isinf().all():
            return new, weights.sum(-1), weights @ values
        old = (largest - new).exp()
        return new, old * total + weights.sum(-1), old[..., None] * mixture + weights @ values

    assert find(with_a_first_step, sheet_of(absorb)).status == "passed"


def test_two_mistakes_that_are_as_likely_are_not_named():
    sheet = sheet_of()
    twice = (*sheet.misconceptions, replace(sheet.misconceptions[1], name="again"))
    answer = weigher("return (-x).softmax(dim), x.sum() + 1")
    assert find(answer, sheet).cause == "negative"
    assert find(answer, replace(sheet, misconceptions=twice)).cause == "value"


def test_a_small_change_that_shows_nowhere_else_is_a_known_mistake():
    seen, values, gives = outcomes_in_part((30, 20, 9), [0, 1])
    small = outcomes_in_part((30, 20, 9), [0, 1], 2)[2]
    found = in_part(seen, values, [("mistake", [gives])], [("change", [small])])
    assert found and found[0] == "mistake"
    assert in_part(seen, values, [("mistake", [gives]), ("again", [small])], []) is None


def is_small(n):
    return n < 3


def is_large(n):
    return n >= 3


def is_negative(n):
    return n < 0


def test_what_is_the_same_everywhere_is_told_as_one_mistake_of_several():
    """An answer that always gives False does what a known mistake does, and needn't make it."""
    large, negative = "This asks for large ones.", "This asks whether the sign is a minus."
    sheet = sheet_of(
        Exercise(
            id="topic.small",
            title="Small",
            points=1,
            reference=is_small,
            cases=lambda _: [Case("small", (2,)), Case("large", (5,))],
            misconceptions=(
                Misconception("is_large", is_large, large),
                Misconception("is_negative", is_negative, negative),
            ),
        )
    )
    assert find(lambda _: False, sheet).meaning == f"{SAME_EVERYWHERE} {negative}"
    assert find(is_negative, sheet).meaning == f"{SAME_EVERYWHERE} {negative}"
    assert find(is_large, sheet).meaning == large


x = torch.arange(1.0, 7).reshape(2, 3).sqrt()
SAYS_LITTLE = {
    "a constant": (x, x * 0 + 1.5), "NaN": (x, x * math.nan), "zeros": (x, x * 0), "infinity": (x, x / 0),
    "a boolean": (x > 1, x < 1), "booleans": (torch.ones(9).bool(), torch.zeros(9).bool()), "a count": (7, 8),
    "two wrong numbers": (x, x + (x > 2.3) * x), "what is right": (x, x.clone()), "a number": (2.5, 3.5),
    "marks": (torch.ones(4).long(), torch.tensor([0, 1, 2, 0])), "nothing": (x, None), "a letter": ("b", "a"),
    "one of many whole numbers": ([30, 31, 32, 33], [30, 31, 32, 99]),
    "what is as good as zeros": ([0.5, 1.5, 2.5], [1e-7, 2e-8, 3e-9]),
}  # fmt: skip


@pytest.mark.parametrize("pair", SAYS_LITTLE.values(), ids=SAYS_LITTLE)
def test_from_what_says_little_no_mistake_is_known(pair):
    assert not tells([pair, pair])


def test_numbers_texts_and_many_places_tell():
    for right, got in [
        (x, -x), (x, x.flatten()), ([0.5, 1.5, 2.5], [1.25, 2.25, 3.25]), ({"a": x}, {"a": 2 * x}),
        (["low", "er"], ["lowe", "rrr", "loo"]), (torch.arange(6), torch.arange(6).flip(0)),
        (torch.arange(3) * 100, torch.arange(3) * 100 + 50),
    ]:  # fmt: skip
        assert tells([(right, got)]), got


def test_counts_tell_less_than_many_fractions():
    assert tells_much([(x, -x)]) and not tells_much([(x[:1], -x[:1])])
    assert tells([([0, 0, 0], [120, 340, 560])]) and not tells_much([([0] * 9, [*range(120, 129)])])
    assert not tells_much([(0.0, sys.float_info.max)])  # which rounds to infinity


def test_a_mistake_that_does_nothing_wrong_explains_no_wrong_case():
    """Right numbers, and the scores changed in place: what is wrong with other numbers explains nothing."""
    answer = weigher("y = x.softmax(dim), x.sum()", "x.mul_(2)", "return y")
    assert (recognised(answer), find(answer).cause) == ("", "inputs_unchanged")


def test_what_a_mistake_would_get_wrong_and_the_answer_gets_right_speaks_against_it():
    answer = weigher("return x.softmax(1 if x.dtype == torch.float32 else dim), x.sum()")
    assert recognised(answer) == ""
    assert find(answer).cause == "value"


def test_a_mistake_is_known_by_where_it_raises():
    lines = ("if dim == 0:", "    raise RuntimeError('no rows in (7, 8)')", RIGHT)
    assert recognised(weigher(*lines)) == "rows_only"


def test_raising_something_else_is_no_known_mistake():
    for error in ("ValueError('no rows in (7, 8)')", "RuntimeError('out of memory')"):
        assert recognised(weigher("if dim == 0:", f"    raise {error}", RIGHT)) == ""
    assert recognised(weigher("raise RuntimeError('no rows in (2, 3)')")) == ""


def test_a_check_that_does_not_end_says_how_to_stop_it(tmp_path, monkeypatch):
    (tmp_path / "checks.json").write_text(
        json.dumps({"topic.weigh": make_sheet(EXERCISE, "visible").to_json()})
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HEADSTART_PROGRESS", str(tmp_path / "progress.json"))
    monkeypatch.setattr(checks, "PATIENCE_SECONDS", 0.01)
    said, texts = threading.Event(), []

    def told(*text, **_):
        texts.extend(text)
        said.set()

    monkeypatch.setattr("builtins.print", told)
    checks.check("topic.weigh", lambda x, dim: (said.wait(), weigh(x, dim))[1])
    assert "Kernel → Interrupt" in texts[0]
    said.clear()
    texts.clear()
    monkeypatch.setattr(checks, "PATIENCE_SECONDS", 60)
    checks.check("topic.weigh", weigh)
    assert all("Interrupt" not in text for text in texts)


def test_what_the_wrong_cases_have_in_common_is_told():
    assert "Wrong only where argument 2 is given" not in find(weigher("return x.sigmoid(), x.sum()")).meaning
    wrong = weigher(
        "return (x if dim == 1 and x.dtype == torch.float32 else x.sigmoid()).softmax(dim), x.sum()"
    )
    assert find(wrong).meaning.startswith("Wrong only where `dim` is 0. None of the mistakes")
    double = weigher("return (x.sigmoid() if x.dtype == torch.float64 else x).softmax(dim), x.sum()")
    assert find(double).meaning.startswith("Wrong only where an input is float64. None of the mistakes")


def test_of_one_case_among_several_wrong_ones_is_said_what_holds_there():
    wrong = weigher(
        "y = x.softmax(dim)", "return (-y if dim else y**2) + (x.dtype == torch.float64), x.sum()"
    )
    told = "Every wrong number has the wrong sign. That is certain of this case, not of the other wrong ones."
    assert find(wrong).meaning == told


def test_of_wrong_values_and_a_wrong_gradient_the_values_are_told_first():
    """Whatever case comes first: here the gradient is wrong where dim is 1, the values where it is 0."""
    finding = find(weigher("return x.softmax(1).sin() if dim == 0 else x.softmax(dim).detach(), x.sum()"))
    assert (finding.cause, finding.case[:6]) == ("value", "case 2")
    plain = find(weigher("return torch.tensor(x.softmax(dim).tolist()), x.sum()"))
    assert plain.cause == "gradient_reaches_inputs"  # which is float32 in the case in float64, too


X, MASK = torch.ones(2, 3), torch.ones(2, 3).bool()
CONTRASTS = {
    "more axes": (
        Case("", (X,)),
        Case("", (torch.ones(4, 2, 3),)),
        "more than 2 axes: count axes from the end",
    ),
    "a mask": (Case("", (X, None)), Case("", (X, MASK)), "where argument 2 is given"),
    "no mask": (Case("", (X, MASK)), Case("", (X, None)), "where argument 2 is None"),
    "a setting": (
        Case("", (X,), {"causal": False}),
        Case("", (X,), {"causal": True}),
        "where `causal` is True",
    ),
    "unequal sizes": (Case("", (torch.ones(3, 3),)), Case("", (X,)), "Right only where two sizes are equal"),
    "a size of 1": (
        Case("", (torch.ones(1, 2),), names=("x",)),
        Case("", (X,), names=("x",)),
        "Right only where `x` has a single row.",
    ),
    "a table of 1": (
        Case("", (torch.ones(1, 1),), names=("x",)),
        Case("", (torch.ones(3, 3),), names=("x",)),
        "Right only where `x` has a single row and a single column.",
    ),
    "two axes of 1": (
        Case("", (torch.ones(1, 2, 2), torch.ones(1, 2, 2)), names=("x", "y")),
        Case("", (torch.ones(3, 2, 2), torch.ones(3, 2, 2)), names=("x", "y")),
        "Right only where `x` and `y` have size 1 along axis -3.",
    ),
    "two single ones": (
        Case("", (X,), {"k": 1, "n": 1}),
        Case("", (X,), {"k": 2, "n": 3}),
        "Right only where `k` and `n` are 1.",
    ),
    "a single one": (Case("", (X,), {"k": 1}), Case("", (X,), {"k": 2}), "Right only where `k` is 1."),
    "fewer axes": (
        Case("", (torch.ones(4, 2, 3),)),
        Case("", (X,)),
        "Right only where input 1 has 3 axes: are axes counted from the end",
    ),
    "a number": (
        Case("", (X,), {"temperature": 1.0}),
        Case("", (X,), {"temperature": 0.0}),
        "where `temperature` is 0.0.",
    ),
    "two things at once": (
        Case("", (X,), {"temperature": 1.0}),
        Case("", (torch.ones(4, 2, 3),), {"temperature": 0.0}),
        "where an input has more than 2 axes and `temperature` is 0.0.",
    ),
    "two things at once, one of which is 0 where it is right": (
        Case("", (X,), {"decay": 0.0}),
        Case("", (torch.ones(4, 2, 3),), {"decay": 0.2}),
        "where an input has more than 2 axes and `decay` isn't 0.",
    ),
    "a choice": (Case("", (X,), {"by": "sum"}), Case("", (X,), {"by": "mean"}), "where `by` is 'mean'."),
}


@pytest.mark.parametrize("name", CONTRASTS)
def test_what_tells_wrong_cases_from_right_ones(name):
    right, wrong, sentence = CONTRASTS[name]
    assert sentence in contrast([right, right], [wrong])
    assert contrast([right, wrong], [wrong]) == contrast([], [wrong]) == contrast([right], []) == ""


@pytest.mark.parametrize("name", ["more axes", "fewer axes", "unequal sizes"])
def test_one_right_case_among_many_tells_nothing_of_axes(name):
    """By chance a wrong answer is right in one case, and that one is often the simplest."""
    right, wrong, sentence = CONTRASTS[name]
    assert sentence in contrast([right], [wrong, wrong])
    assert contrast([right], [wrong, wrong, wrong]) == ""
    assert sentence in contrast([right], [wrong, wrong, wrong], raised=True)


def test_texts_that_all_differ_are_no_choice():
    """Which of the drawn names or sentences it is tells nothing."""
    cases = [Case("", (X,), {"goal": name}) for name in ("Bonn", "Celle", "Gera")]
    assert contrast(cases[:2], cases[2:]) == ""
    again = Case("", (X,), {"goal": "Gera"})
    assert "where `goal` is 'Gera'." in contrast(cases[:2], [*cases[2:], again])


def test_what_is_right_whatever_the_code_does_tells_nothing_of_axes():
    """An input that comes back unchanged, or one number throughout, is right for other reasons."""
    right, wrong, _ = CONTRASTS["fewer axes"]
    assert contrast([right, right], [wrong], worked=0) == ""
    assert "axes" in contrast([right, right], [wrong], worked=1)
    assert (
        is_trivial(right, torch.ones(4, 2, 3))
        and is_trivial(right, torch.zeros(5))
        and is_trivial(wrong, X.clone())
    )
    assert not is_trivial(right, torch.arange(3.0)) and not is_trivial(right, (X, X))


HINTED = {
    "`|`": "return x.softmax(dim) or x, x.sum()",
    "is None": "return x and 1, x",
    "torch.where": "y = 0 if x == x.max() else 1",
    "are the copies made along the axis": "y = x + x.repeat_interleave(2, 0)",
    "counts from the end.": "return x[None] @ x[None].transpose(0, 1), x",
    "call it": "return x @ torch.nn.Linear(3, 3), x",
    "write `//`": "return x.view(2, 3 / 1), x.sum()",
    "`/` always gives a float": "n = x.size(1) / 1; return x.reshape(2, n), x",
    "A negative label": "return x[torch.tensor([-100])], x",
    "ask with `in` first": "n = x.tolist().index(3); return x, x",
    "has to be boolean: make one": "return x.masked_fill(torch.ones(2, 3), 0), x",
    "with .float()": "return torch.ones(3, 2).long() @ x, x",
    "isn't a function": "return x(3), x",
    "same size on every axis": "return torch.cat([x, x[:1]], 1), x",
    "Count that one from the end": "return torch.cat([x, x[:1]], dim=1), x",
    "Is the whole table added?": "table = x[0, :1].expand(9, 9); return x + table, x",
    "write down the shapes of q, k, v": "y, scaled_dot_product_attention = torch.ones(9), torch.mul; return scaled_dot_product_attention(x, y), x",
    "with a matrix that is (in, out) it is x @ W": "y = torch.ones(9, 9); return torch.nn.functional.linear(x, y), x",
    "is it the right argument?": "mask = x > 0; return torch.nn.Linear(x.size(1), 1)(mask), x",
    "called `keepdim`": "return x.sum(axis=0, keep_dims=True), x",
    "Are positions looked up by": "ids, positions = torch.tensor([9]), x[:2]; return positions[ids], x",
    "to be transposed there at all": "y = torch.ones(9, 9); return x @ y.T, x",
    "A tuple of several results": "return x + (x, x), x",
    "That axis has no entry": "return x[:0][-1], x",
    "isn't broadcast": "return x[x[:, :1] > 0], x",
    "followed for a gradient": "x.sum().backward(); return x, x",
    "uses up the graph": "y = torch.ones(2, requires_grad=True).sin().sum(); y.backward(); y.backward(); return x, x",
    "which has no entries": "y = 3.0; return y[0], x",
    "as long as it was made for": "self = torch.nn.Module(); self.W_q = torch.nn.Linear(9, 9); return self.W_q(x), x",
    "Python's max and min": "return max(x, x + 1), x",
    "Several endings come as one tuple": "return 'abc'.endswith('c', 'b'), x",
    "One of the two is empty": "return x[:0] + torch.ones(9, x.size(1)), x",
    "as many axes as the tensor": "return x.gather(-1, torch.tensor([0])), x",
    "A math function takes one number": "return math.sqrt(x.shape), x",
    "One number stands where": "return x.sum() @ x, x",
    "takes the blocks one by one": "return torch.block_diag(x[None]), x",
    "is another argument in its place": "raise ValueError('a mask is boolean, True means may attend')",
    "takes the size of a piece": "a, b, c = torch.split(torch.ones(9), 2); return x, x",
    "more parts than names": "a, b, c = torch.ones(9); return x, x",
    "no entry under that key": "return {}['a'], x",
    "a list of layers and can't be called": "return torch.nn.ModuleList()(x), x",
    "the tensor of its numbers is `.weight`": "return torch.nn.Linear(2, 2).T, x",
    "always gives a float": "n = 4 / 2; return x.repeat_interleave(n, dim=0), x",
    "Only an axis of size 1": "return x.expand(2, 9), x",
    "use the math module": "return (3.0).exp(), x",
    "nothing of that name": "return x.sofmax(dim), x",
    "super().__init__()": "raise AttributeError('cannot assign module before Module.__init__() call')",
    "the course's own packages": "import einopsy",
    "Something is None": "return None.shape, x",
    "the list holds something else": "return torch.stack([1.0, 2.0]), x",
    "the list holds None": "return torch.cat([x, {}.get('bias')]), x",
    "go into one list": "return torch.cat(x, x), x",
    "takes one index at a time": "return x.max(dim)[0, 0], x",
    "multiply out both": "return x.reshape(7, -1), x",
    ".permute names each axis once": "return x.permute(0, 2, 1, 3), x",
    "as an index holds whole numbers": "return x.gather(-1, x), x",
    "or a boolean mask": "return x[x], x",
    "taken of one number: sum": "x = x * 1; x.requires_grad_(); return torch.autograd.grad(x * x, x)",
    "A mean needs floats": "return torch.arange(4).mean(), x",
    "are for booleans": "return x * ~torch.ones(3), x",
    "is changed in place": "return torch.ones(3, requires_grad=True).add_(1), x",
    "There may be no GPU": "raise RuntimeError('No CUDA GPUs are available')",
    "gives one truth value": "return x.masked_fill(x == None, 0), x",
    "is missing its brackets": "return x.size[0], x",
    "is a value and takes square brackets": "return x.shape(0), x",
    "doesn't have a tensor's methods: turn it into one": "return [x].sum(), x",
    "can't be looped over": "a, b = x.sum(); return a, b",
    "that the formula doesn't allow": "import math; return math.log(0), x",
    "rows of one length": "return torch.tensor([[1], [1, 2]]), x",
    "These aren't probabilities": "return torch.multinomial(-x.abs() - 1, 1), x",
    "classes on the second axis": "F = torch.nn.functional; y = torch.zeros(1, 3, 4); return F.cross_entropy(y, y[:, :, 0].long()), x",
    "don't do arithmetic like tensors": "return [1, 2] * 2.0, x",
    "numpy knows no gradients": "return torch.ones(2, requires_grad=True).numpy(), x",
    "needs something to add to": "counts = {}; counts['a'] += 1; return x, x",
    "a dict gives its keys": "pairs = [a for a, b in {'xyz': 1}]; return x, x",
    "That is True or False": "return x.requires_grad(True), x",
    "go through it in a loop": "return torch.nn.Linear(2, 2).parameters().shape, x",
    "no room for fractions": "y = torch.zeros(2).long(); y += 0.5; return y, x",
    "onto a part of itself": "y = x[0] > 0; y[1:] = y[:-1]; return y, x",
    "classes from 0 on": "return torch.nn.functional.one_hot(torch.tensor([-100]), 3), x",
    "as in generator=generator": "return torch.min(1.0, 2.0), x",
    "has to be of its dtype": "return x.long().scatter(-1, torch.zeros(2, 1).long(), x), x",
    "and this one has several": "return x.item(), x",
    "make a tuple(...)": "return {[1]: 2}, x",
    "that looks at place i + 1": "return [1][3], x",
    "can't be unpacked or gone through": "a, b = None; return a, b",
    "joins tensors with as many axes": "return torch.cat([x, x[0]]), x",
    "gather and scatter want": "return x.scatter(-1, torch.zeros(2).long(), 1.0), x",
    "for each row of ends": "return torch.searchsorted(torch.ones(5, 4), torch.ones(5)), x",
    "from 0 on: is there": "return torch.bincount(torch.tensor([-1])), x",
    "A number becomes too large": "return math.exp(1e9), x",
    "more numbers than there are": "return x.topk(99), x",
    "first backward": "x.sum().item().backward(); return x, x",
    "make a layer and don't call it": "return torch.nn.SiLU(x) * x, x",
    "handed over with a star": "f = lambda a, b: a; return f(x), x",
    "Two matrices of the same size": "return x @ x, x",
    "tensors of one shape alone": "return torch.stack([x, x[0]]), x",
    "through the whole tensor": "return torch.nn.functional.one_hot(torch.tensor([9]), 3), x",
    "model.parameters() gives them": "torch.nn.utils.clip_grad_norm_(torch.nn.Linear(2, 2), 1.0); return x, x",
    "write down the shape of each part": "return x + x @ torch.ones(x.size(-1), 9), x",
    "the weights of one": "class M: norm = x; self = M(); return self.norm(x), x",
    "weights are as many": "return x * torch.ones(9), x  # as in rms_norm(x, weight)",
    "made for vectors of one width": "return torch.nn.LayerNorm(9)(x), x",
    "as many numbers in one": "return torch.ones(2) @ torch.ones(3), x",
    "a number for every axis": "return x.repeat(2), x",
    "left it empty": "return max([]), x",
    "puts texts together": "return ' '.join([1]), x",
    "here they hold a text": "y = [1]; return y['a'], x",
    "A text takes part": "return 'a' - 'b', x",
    "in two groups": "p = [torch.nn.Parameter(x)]; g = [{'params': p}, {'params': p}]; return torch.optim.SGD(g), x",
    "something to move": "return torch.optim.SGD([]), x",
    "pair by pair": "import numpy; return numpy.polyfit([1, 2], [1], 1), x",
    "one index that says where to": "return x.index_add(0, torch.tensor([0]), torch.ones(9, x.size(-1))), x",
    "or .to(x.dtype)": "return x @ torch.ones(3, 2).char(), x",
}


@pytest.mark.parametrize("hint", HINTED)
def test_an_exception_gets_the_hint_that_fits_its_line(hint):
    assert hint in find(weigher(*HINTED[hint].split("; "))).meaning


# Python words these differently from version to version.
SAME_HINT = {
    "that the formula doesn't allow": (
        "math.sqrt(-1)", "math.log(-1.0)", "math.log2(0)", "math.log1p(-1)", "math.acos(2)", "math.atanh(1)",
        "math.cos(math.inf)", "math.gamma(0)", "math.log(2, 1)", "1 / 0", "1 // 0", "1.0 % 0", "0.0**-1",
    ),
    "left it empty": ("max(())", "min([])"),
    "This is a single number": ("3 in 4", "[*3]", "len(1.5)"),
    "calls itself endlessly": ("(lambda g: g(g))(lambda g: g(g) + 1)",),
    "make a tuple(...)": ("{[1]}", "{}[[1]]", "hash({})"),
    "Each round has more or fewer parts": ("[a for a, b in [(1, 2, 3)]]", "[a for a, b, *c in [(1,)]]"),
    "Something is None": ("3 in None", "None + 1"),
    "can't be unpacked or gone through": ("[*None]", "[a for a in None]"),
}  # fmt: skip


@pytest.mark.parametrize("code", [code for codes in SAME_HINT.values() for code in codes])
def test_an_exception_gets_its_hint_however_python_words_it(code):
    [hint] = (hint for hint, codes in SAME_HINT.items() if code in codes)
    assert hint in find(weigher("import math", f"return {code}, x")).meaning


def test_a_layer_is_named_where_it_wasnt_called_and_not_where_a_text_names_it():
    said = "make a layer and don't call it"
    for code in (
        "torch.nn.SiLU(x) * x",
        "x * torch.nn.SiLU()",
        "torch.nn.SiLU().size",
        "len(torch.nn.Tanh())",
    ):
        assert said in find(weigher(f"return {code}, x")).meaning, code
    for code in ("raise ValueError('no layer: Softmax')", "return {'Softmax': x}['Tanh'], x"):
        assert said not in find(weigher(code)).meaning, code


def turned(x):
    return x.mT


def test_advice_on_axes_is_given_once():
    sheet = sheet_of(
        Exercise(
            id="topic.turn",
            title="Turn",
            points=1,
            reference=turned,
            cases=lambda g: [
                Case(f"{shape}", (torch.randn(shape, generator=g),))
                for shape in ((2, 3), (4, 2, 3), (5, 2, 3))
            ],
        )
    )
    meaning = find(in_a_notebook("def f(x):\n    return x.transpose(1, 2)"), sheet).meaning
    assert meaning == "Right only where `x` has 3 axes: are axes counted from the end, like dim=-1?"


def test_what_stands_in_backticks_is_code_in_a_notebook():
    finding = checks.Finding("T", "failed", meaning="see `a < b` and <b>")
    assert "see <code>a &lt; b</code> and &lt;b&gt;" in finding.html()


# -- choices -------------------------------------------------------------------------------------------------

CHOICE = Exercise(
    id="topic.choose",
    title="Choose",
    points=2,
    driver="choice",
    reference={"sky": {"day": "blue", "night": "black"}, "2 + 2": 4},
    cases=lambda generator: [
        Case("", ({"sky · day": ["blue", "black"], "sky · night": ["blue", "black"], "2 + 2": [4, 5]},))
    ],
    misconceptions=(
        Misconception("dark_day", {"sky · day": "black"}, "The day isn't black."),
        Misconception("blue_night", {"sky · night": "blue"}, "The night isn't blue."),
        Misconception("five", {"2 + 2": 5}, "2 + 2 isn't 5."),
    ),
)


def choose(day="blue", night="black", total=4):
    return find({"sky": {"day": day, "night": night}, "2 + 2": total}, sheet_of(CHOICE))


def test_right_choices_pass():
    assert choose().text() == "✓ Choose · every case · 2 points"
    assert choose(total=4.0).status == "passed"


def test_each_wrong_choice_gets_its_sentence():
    finding = choose(day="black", total=5)
    assert finding.returned == "not right: sky · day; 2 + 2"
    assert finding.meaning == "The day isn't black. 2 + 2 isn't 5."
    assert finding.headline == "✗ Choose"


def test_a_choice_left_open_is_not_written():
    finding = choose(day="black", night=...)
    assert (finding.status, finding.meaning) == ("not written", "still open: sky · night")
    assert choose(day=..., night=..., total=...).meaning == ""
    assert find(..., sheet_of(CHOICE)).status == "not written"


@pytest.mark.parametrize("odd", ["green", None, [], {}, {"blue"}, torch.ones(2), 7, numpy.ones(2)], ids=repr)
def test_what_is_no_option_is_told(odd):
    finding = choose(day=odd)
    assert (finding.status, finding.cause) == ("failed", "unusable")
    assert "'sky · day'" in finding.returned


def test_what_cannot_be_tried_out_says_why_to_the_end():
    why = "what came back can't be tried out (ValueError: two tensors are expected: the tokens to read, and the labels)"
    outcome = Outcome(CallStatus.UNUSABLE, error="what the docstring describes", message=why)
    assert why in problem_of(sheet_of(CHOICE), 0, outcome, reveal=True).returned


SPELLED = {
    "(b,1, 1,t_K)": "(B, 1, 1, T_k)",
    "N x n": "n × n",
    "'4'": 4,
    "4.0": 4,
    " blue": "blue",
    "0.50": 0.5,
}
OPTIONS = ["(B, 1, 1, T_k)", "(B, H, T, T)", "n × n", "n × d", 4, 40, "blue", "black", 0.5]


@pytest.mark.parametrize("given", SPELLED)
def test_an_option_may_be_spelled_in_another_way(given):
    assert spelled(given, OPTIONS) == SPELLED[given]


def test_numbers_of_all_kinds_are_options():
    assert [spelled(n, OPTIONS) for n in (Decimal("0.5"), Fraction(1, 2), 4.0, torch.tensor(4))] == [
        0.5,
        0.5,
        4,
        4,
    ]


@pytest.mark.parametrize("given", ["4 0 0", "b", "", True, None, [4], "n"])
def test_what_could_be_no_option_or_several_is_none(given):
    assert spelled(given, OPTIONS) is None
    assert spelled("K", ["k", "κ"]) == "k"
    assert spelled(True, [1, True]) is True
    assert spelled("Yes", ["yes", "YES"]) is None


def test_a_slot_that_is_gone_is_told():
    finding = find({"sky": {"day": "blue"}, "2 + 2": 4}, sheet_of(CHOICE))
    assert "expected a choice for 'sky · night'" in finding.returned
    assert "leave the names" in finding.meaning


def test_a_sheet_shows_no_right_choice():
    data = make_sheet(CHOICE, "visible").to_json()
    for case in data["cases"]:
        assert not {"blue", "black", 4, "4"} & set(case["expected"]["outputs"].values())


# -- comparing -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        (torch.tensor(2.0), 2.00001),
        (torch.tensor(2.0), 2),
        (3, 3.0),
        (3.0, 3),
        (3.0, torch.tensor([3.0])),
        (3.0, torch.tensor(3)),
        (torch.tensor([math.nan, 1.0]), torch.tensor([math.nan, 1.0])),
        (torch.tensor([math.inf, -math.inf]), torch.tensor([math.inf, -math.inf])),
        (torch.zeros(0, 2), torch.zeros(0, 2)),
        (torch.tensor([1.0]), torch.tensor([1.00005])),
        (torch.tensor([1.0]).half(), torch.tensor([1.01]).half()),
        ([1, [2, "a"]], (1, (2, "a"))),
        ({"a": None, "b": True}, {"b": True, "a": None}),
        ([1.0, 2.0], torch.tensor([1.0, 2.0])),
        ([torch.ones(3), torch.zeros(3)], torch.stack([torch.ones(3), torch.zeros(3)])),
        (2e-4, 2.00001e-4),
        (0.0, 1e-8),
    ],
    ids=str,
)
def test_what_counts_as_the_same(expected, got):
    assert compare(expected, got) is None


@pytest.mark.parametrize(
    ("expected", "got", "cause", "full"),
    [
        (torch.tensor(2.0), 2.1, "value", "output 2.1, expected 2"),
        (988_402, 988_403, "value", "output 988403, expected 988402"),
        (988_402.0, 1_008_100, "value", "output 1008100, expected 988402"),
        (1.0, 1e-12, "value", "output 0, expected 1"),
        (1_990_000_000, 1.99, "value", "output 1.99, expected 1990000000"),
        (3.0, True, "type", "output: a bool, expected a number"),
        (True, 1, "value", "output 1, expected True"),
        ("a", "b", "value", "output 'b', expected 'a'"),
        (None, 1, "value", "output 1, expected None"),
        ({"a": 1}, {"b": 1}, "structure", "output: a dict without 'a' and with 'b'"),
        ({"a": 1, "b": 2}, {"a": 1}, "structure", "output: a dict without 'b'"),
        ({"a": 1}, 5, "structure", "output: a number, expected a dict with the keys 'a'"),
        (2e-4, 2.002e-4, "value", "output 0.0002002, expected 0.0002"),
        ({"a": 1}, {"a": 2}, "value", "output['a'] 2, expected 1"),
        ([1, 2], [1, 3], "value", "output[1] 3, expected 2"),
        (torch.tensor([1.0, 2.0]), [1.0, 2], "type", "output: a list, expected a tensor"),
        (torch.tensor([[1, 2], [3, 4]]), [[1, 2], [3, 4]], "type", "output: a list, expected a tensor"),
        (torch.tensor([[True], [False]]), [[True], [False]], "type", "output: a list, expected a tensor"),
        (torch.ones(2, 3), (torch.ones(3), torch.ones(3)), "type", "output: a list, expected a tensor"),
        ({"a": torch.ones(2)}, {"a": [1.0, 1.0]}, "type", "output['a']: a list, expected a tensor"),
        (torch.ones(3), torch.ones(3).int(), "dtype", "output of int32, expected float32"),
        (torch.tensor([1, 2]), torch.tensor([1, 3]), "value", "output (2,); largest error 1 at [1]: 3, expected 2"),
        (
            torch.tensor([[True, False]]), torch.tensor([[True, True]]), "value",
            "output (1, 2); 1 of 2 places wrong, one of them [0, 1]: True, expected False",
        ),
        (torch.ones(2), torch.tensor([1, math.inf]), "value", "output (2,); largest error inf at [1]: inf, expected 1"),
        (torch.tensor([math.nan]), torch.ones(1), "value", "output (1,); largest error inf at [0]: 1, expected nan"),
        (
            torch.ones(1).double(), torch.ones(1).double() + 1e-8, "value",
            "output (1,); largest error 1e-08 at [0]: 1.00000001, expected 1",
        ),
    ],
)  # fmt: skip
def test_how_a_difference_reads(expected, got, cause, full):
    difference = compare(expected, got)
    assert isinstance(difference, Difference)
    assert (difference.cause, difference.describe(True)) == (cause, full)


ROUNDS = weigher("return x.float().softmax(dim).to(x.dtype), x.float().sum().double()")
EXACT = replace(EXERCISE, full_precision=True)


def test_work_in_float32_costs_nothing_and_is_remarked_on():
    finding = find(ROUNDS)
    assert finding.status == "passed"
    assert finding.text().split("\n")[1].startswith("  note           The values are right, but less exact")
    assert not find(weigh).remark


def test_a_small_number_that_is_added_is_no_work_in_float32():
    finding = find(weigher("return x.softmax(dim) + 1e-9, x.sum()"))
    assert finding.status == "passed"
    assert "or adds a small number" in finding.remark


def test_work_in_float32_is_wrong_where_the_text_asks_for_full_precision():
    finding = find(ROUNDS, sheet_of(EXACT))
    assert (finding.status, finding.cause) == ("failed", "value")
    assert "in float32" in finding.meaning
    assert find(weigh, sheet_of(EXACT)).status == "passed"


def test_what_is_wrong_in_float32_is_wrong_in_float64():
    wrong = weigher("return x.softmax(dim) + 1e-3 * (x.dtype == torch.float64), x.sum()")
    assert find(wrong).status == "failed"
    assert find(weigher("return x.float().softmax(dim), x.sum()")).cause == "dtype"


def test_a_remark_is_made_once_and_not_again_of_what_builds_on_the_answer():
    sheet = sheet_of(needs={"topic.exp": "Exponentials"})
    assert find(ROUNDS, sheet).remark
    assert not find(ROUNDS, sheet, rounding=["topic.exp"]).remark


# -- drivers -------------------------------------------------------------------------------------------------


def test_a_case_can_be_used_again():
    case = cases(torch.Generator().manual_seed(0))[0]
    before = case.args[0].clone()
    outcome = run("call", weigh_in_place, case, gradients=True)
    assert torch.equal(case.args[0], before)
    assert not case.args[0].requires_grad
    assert torch.equal(outcome.inputs_after[0][0], before + 1)


def test_random_answers_repeat_and_leave_the_notebook_its_numbers():
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    first, second = (run("call", lambda: torch.rand(2), Case("")) for _ in range(2))
    assert torch.equal(first.outputs, second.outputs)
    assert torch.equal(torch.rand(3), expected)


def test_forbidden_names_are_given_back_after_an_exception():
    before = torch.exp, torch.Tensor.exp
    run("call", weigher("raise ValueError"), Case("", (1, 2)), forbidden=EXERCISE.forbidden)
    assert (torch.exp, torch.Tensor.exp) == before
    assert "exp" not in vars(torch.Tensor)


def test_gradients_are_of_a_sum_that_no_output_cancels_in():
    x = torch.randn(4, dtype=torch.float64)
    outcome = run("call", lambda x: (2 * x, x.sum(), [3 * x]), Case("", (x,)), gradients=True)
    ramp = torch.linspace(0.5, 1.5, 9, dtype=torch.float64)
    torch.testing.assert_close(outcome.gradients[0], 2 * ramp[:4] + ramp[4] + 3 * ramp[5:])


@pytest.mark.parametrize(
    "wrong", [lambda grad: grad + 3 * grad.mean(), lambda grad: grad * torch.tensor([1, 1, 100, 1, 1])]
)
def test_a_gradient_that_is_wrong_at_the_middle_number_or_by_the_same_everywhere_shows(wrong):
    x = torch.randn(5, dtype=torch.float64)

    def answer(x):
        if x.requires_grad:
            x.register_hook(wrong)
        return 2 * x

    found, right = (
        run("call", each, Case("", (x,)), gradients=True).gradients[0] for each in (answer, lambda x: 2 * x)
    )
    assert not torch.allclose(found, right, rtol=0.1)


def test_values_and_one_tensor_that_holds_them_get_the_same_gradients():
    case = Case("", (torch.randn(4),))
    apart, together = lambda x: (2 * x, x**2), lambda x: torch.stack([2 * x, x**2])
    one, other = (run("call", answer, case, gradients=True).gradients[0] for answer in (apart, together))
    torch.testing.assert_close(one, other)


def test_integers_and_masks_get_no_gradient():
    arguments = (torch.ones(2, dtype=torch.bool), torch.arange(2), torch.ones(2))
    outcome = run("call", lambda mask, index, x: x[index] * mask, Case("", arguments), gradients=True)
    assert len(outcome.gradients) == 1


@pytest.mark.parametrize(
    ("name", "used"),
    [
        ("self-attention", 3), ("self-attention after adding positions", 4),
        ("a linear map of each position", 1), ("the mean over positions", 1), ("a running sum", 1),
    ],
)  # fmt: skip
def test_layers_of_lesson_01_map_positions_to_positions(name, used):
    weights = [torch.randn(3, 2), torch.randn(3, 2), torch.randn(3, 2), torch.randn(4, 3)]
    case = Case("", ({"layer": name, "weights": weights[:used]}, torch.randn(5, 4, 3)))
    outcome = run("call_with_layer", lambda layer, x: layer(x), case)
    assert outcome.outputs.shape == (5, 4, 2)
    assert inputs_unchanged(case, Outcome("returned"), outcome) is None


def test_whole_numbers_may_be_narrow_unless_the_text_names_int64() -> None:
    """`(ids == 5).int()` is right where the text says "integers", and wrong where it says int64."""
    whole = torch.tensor([1, 2])
    for dtype in (torch.int32, torch.int16, torch.uint8):
        assert compare(whole, whole.to(dtype)) is None
        assert compare(whole, (whole + 1).to(dtype)).cause == "value"
        returned = Outcome("returned", whole.to(dtype))
        said = whole_numbers_in_int64(Case("", ()), Outcome("returned", whole), returned)
        assert said == f"the whole numbers are {str(dtype).removeprefix('torch.')}"
    assert (
        whole_numbers_in_int64(Case("", ()), Outcome("returned", whole), Outcome("returned", whole)) is None
    )
    assert compare(whole.to(torch.int8), whole).cause == "dtype"  # the text says int8
    assert compare(whole, whole.float()).cause == compare(whole, whole.bool()).cause == "dtype"


def test_a_layer_of_ours_begins_with_the_same_weights_each_time():
    """Else a wrong answer that depends on them is known by sketches that nobody's can be like."""
    register({"a new layer": torch.nn.Linear})
    case = Case("", ({"layer": "a new layer", "weights": [2, 3]},))
    one, other = (run("call_with_layer", lambda layer: layer.weight, case) for _ in range(2))
    assert torch.equal(one.outputs, other.outputs)


def test_an_outcome_survives_its_trip():
    outcome = Outcome(
        "returned", (torch.ones(2), {"a": [None, 1.5]}), [torch.zeros(1)], [None, torch.ones(1)]
    )
    back = Outcome.from_json(json.loads(json.dumps(outcome.to_json())))
    assert compare(outcome.outputs, back.outputs) is None
    assert back.gradients[0] is None
    assert torch.equal(back.gradients[1], torch.ones(1))
    assert Outcome.from_json(Outcome("not written").to_json()) == Outcome("not written")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)
TENSORS = st.fixed_dictionaries(
    {"$tensor": st.sampled_from(["float32", "float64", "int64", "bool", "nonsense"])},
    optional={"shape": st.lists(st.integers(-1, 4), max_size=3), "data": st.lists(st.floats(), max_size=12)},
)
STRANGE = JSON | TENSORS | st.lists(TENSORS, max_size=3)


@pytest.mark.promise(17)
@settings(max_examples=300, deadline=None)
@given(
    st.fixed_dictionaries(
        {"status": st.sampled_from(["returned", "returned", "raised", "unusable", "forbidden", "odd"])},
        optional={
            "outputs": STRANGE,
            "inputs_after": STRANGE,
            "gradients": STRANGE,
            "error": st.text() | st.none(),
            "message": st.text(),
            "where": st.text(),
        },
    )
)
def test_whatever_a_stranger_sends_is_judged_or_refused(data):
    for sheet in SHEETS:
        try:
            outcome = Outcome.from_json(data)
        except ValueError:
            return
        finding = assess(sheet, [outcome] * len(sheet.cases), reveal=False)
        assert finding.status == "failed"
        assert len(finding.text().split("\n")) <= 4
        finding.html().encode()


SHEETS = [sheet_of(), sheet_of(CHOICE)]


# -- check() itself ------------------------------------------------------------------------------------------


@pytest.fixture
def lesson(tmp_path, monkeypatch):
    """A folder like a student's, and a home of their own."""
    sheets = {e.id: make_sheet(e, "visible", look_at="1.2 Weights").to_json() for e in (EXERCISE, CHOICE)}
    (tmp_path / "checks.json").write_text(json.dumps(sheets), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HEADSTART_PROGRESS", str(tmp_path / "progress.json"))
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    monkeypatch.delitem(sys.modules, "IPython", raising=False)  # nothing to display with
    return tmp_path


def test_check_prints_its_message_and_remembers(lesson, capsys):
    checks.check("topic.weigh", weigh_the_last_axis)
    assert "The softmax always runs over the last axis." in capsys.readouterr().out
    assert progress.load() == {"topic.weigh": False}
    checks.check("topic.weigh", weigh)
    assert capsys.readouterr().out == "✓ Weigh <scores> · 3 of 3 cases · 3 points\n"
    assert progress.load() == {"topic.weigh": True}


def test_check_raises_its_message_alone_under_nbgrader(lesson, monkeypatch, capsys):
    monkeypatch.setenv("NBGRADER_EXECUTION", "validate")
    with pytest.raises(CheckFailed) as caught:
        checks.check("topic.weigh", weigh_the_last_axis)
    lines = caught.value._render_traceback_()
    assert " ".join(lines).split() == find(weigh_the_last_axis).text().split()
    assert max(map(len, lines)) <= 66  # nbgrader cuts what is wider
    checks.check("topic.weigh", weigh)
    assert capsys.readouterr().out == ""
    assert progress.load() == {}


def test_one_interrupt_ends_a_check(lesson, capsys):
    calls = []

    def endless(x, dim):
        calls.append(dim)
        raise KeyboardInterrupt

    checks.check("topic.weigh", endless)
    assert calls == [1]
    assert "it didn't end" in capsys.readouterr().out


def test_case_hands_out_what_the_check_calls_with(lesson):
    first = checks.case("topic.weigh", 1)
    assert first.title == "rows"
    weights, _ = weigh(*first.args)
    assert weights.shape == (2, 3)
    with pytest.raises(ValueError, match=r"^topic\.weigh has cases 1 to 3, not 4$"):
        checks.case("topic.weigh", 4)


def test_a_case_with_a_layer_hands_out_the_layer(lesson):
    def apply(layer, x):
        return layer(x)

    def layer_cases(generator):
        recipe = {"layer": "a running sum", "weights": [torch.eye(2)]}
        return [Case("sums", (recipe, torch.ones(3, 2)))]

    exercise = Exercise("topic.apply", "Apply", 1, apply, layer_cases, driver="call_with_layer")
    sheets = {"topic.apply": make_sheet(exercise, "visible").to_json()}
    (lesson / "checks.json").write_text(json.dumps(sheets))
    layer, x = checks.case("topic.apply", 1).args
    assert layer(x)[:, 0].tolist() == [1, 2, 3]


def test_a_check_that_can_not_find_its_sheet_says_what_to_do(lesson):
    with pytest.raises(KeyError, match=r"no exercise 'topic\.other'; it has topic\.weigh, topic\.choose"):
        checks.check("topic.other", weigh)
    (lesson / "checks.json").unlink()
    with pytest.raises(FileNotFoundError, match="keep the lesson's folder together"):
        checks.check("topic.weigh", weigh)


@pytest.mark.promise(53)
def test_a_message_has_its_own_lines_and_no_others():
    """Some of its text is an answer's, such as the name of a type."""
    forged = "a tensor\n✓ T · 7 of 7 cases\n  likely cause   none\u202e\x1b[2J"
    finding = checks.Finding("T", "failed", case="case 1", returned=forged, meaning="why")
    assert finding.text().split("\n") == [
        "✗ T · case 1",
        "  returned       a tensor ✓ T · 7 of 7 cases likely cause none [2J",
        "  likely cause   why",
    ]
    assert "\u202e" not in finding.html()
