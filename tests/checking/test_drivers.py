"""How answers of other kinds than plain functions are called, and what is reported of them."""

import subprocess
import sys
from dataclasses import replace
from functools import partial
from types import FunctionType
from unittest.mock import Mock

import pytest
import torch
import torch.utils.checkpoint

from autograder.exercise import Exercise
from autograder.lessons import ROOT
from autograder.sheets import VISIBLE_SEED, make_sheet
from helpers import checks
from helpers.checking.calling import forbidding, forbidding_torch
from helpers.checking.calling.drivers import GENERATOR, Case, Outcome, judged, run
from helpers.checking.calling.outcome import AS_GIVEN
from helpers.checking.calling.registry import LAYERS
from helpers.checking.calling.values import decode, encode, tensors
from helpers.checking.comparing import compare
from helpers.checks import assess, stays_small

WEIGHTS = {"map.weight": torch.arange(6.0).reshape(2, 3), "map.bias": torch.tensor([1.0, -1.0])}


class Map(torch.nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.map = torch.nn.Linear(width, 2)
        self.register_buffer("table", torch.zeros(7))  # what isn't a parameter is the student's own affair

    def forward(self, x, double=False):
        return self.map(x) * (2 if double else 1)


class Stub(Map):
    def forward(self, x, double=False):
        raise NotImplementedError


class Fixed(Map):
    def forward(self, x, double=False):
        return self.map(x).detach()


class Other(torch.nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(width, 2)


def module_case(**kwargs) -> Case:
    return Case("", ({"width": 3}, WEIGHTS, torch.ones(4, 3)), kwargs)


# -- training steps --------------------------------------------------------------------------------------


def test_a_loss_that_comes_back_with_its_graph_is_no_number():
    weights = {"W": torch.ones(3, 2), "b": torch.zeros(2), "v": torch.ones(2)}
    recipe = {"layer": "a curve in training", "weights": [weights, 0.1]}
    case = Case("", (recipe, [[torch.ones(4, 3), torch.zeros(4)]]))

    def step(model, optimizer, loss, batch):
        return loss(model, *batch)

    def told(answer):
        (returned,), _ = run("train", answer, case).outputs
        return compare(1.0, returned, ("loss",), slack=1e6)

    assert told(lambda *given: step(*given).item()) is None
    assert told(lambda *given: step(*given).detach()) is None
    assert told(step).public == "loss: a tensor with its graph, expected a number"


# -- modules ---------------------------------------------------------------------------------------------


def test_a_module_gets_the_weights_and_keyword_arguments_of_the_case():
    expected = torch.ones(4, 3) @ WEIGHTS["map.weight"].T + WEIGHTS["map.bias"]
    torch.testing.assert_close(run("module", Map, module_case()).outputs, expected)
    torch.testing.assert_close(run("module", Map, module_case(double=True)).outputs, 2 * expected)


@pytest.mark.filterwarnings("ignore:None of the inputs have requires_grad")
@pytest.mark.parametrize("reentrant", [False, True])
def test_gradients_reach_weights_through_what_is_computed_again(reentrant):
    class Checkpointed(Map):
        def forward(self, x):
            return torch.utils.checkpoint.checkpoint(self.map, x, use_reentrant=reentrant).sin()

    class Plain(Map):
        def forward(self, x):
            return self.map(x).sin()

    found, right = (
        run("module", kind, module_case(), gradients=True).gradients for kind in (Checkpointed, Plain)
    )
    torch.testing.assert_close(found, right)


def test_a_shared_parameter_gets_its_weights_wherever_it_is():
    class Tied(Map):
        def __init__(self, width):
            super().__init__(width)
            self.again = self.map

        def forward(self, x):
            return self.again(x) + self.map(x)

    [weight, _, _] = run("module", Tied, module_case(), gradients=True).gradients
    [once, _, _] = run("module", Map, module_case(), gradients=True).gradients
    torch.testing.assert_close(weight, 2 * once)


def test_what_a_cell_has_set_for_all_of_torch_changes_no_outcome():
    class Scaled(Map):
        def forward(self, x):
            return self.map(x) * torch.full((2,), 0.5)

    case = module_case()
    expected = run("module", Scaled, case, gradients=True)
    torch.set_default_dtype(torch.float64)
    torch.set_default_device("meta")
    with torch.inference_mode():
        found = run("module", Scaled, case, gradients=True)
        assert torch.is_inference_mode_enabled()
    torch.set_grad_enabled(False)
    again = run("module", Scaled, case, gradients=True)
    left = torch.is_grad_enabled(), torch.get_default_dtype(), torch.get_default_device().type
    torch.set_grad_enabled(True)
    torch.set_default_device(None)
    torch.set_default_dtype(torch.float32)
    assert left == (False, torch.float64, "meta")
    for outcome in (found, again):
        torch.testing.assert_close(outcome.outputs, expected.outputs)
        torch.testing.assert_close(outcome.gradients, expected.gradients)


def test_a_device_that_is_not_here_changes_no_outcome():
    """A notebook that was written where there is a GPU may have all tensors made there."""
    sent = encode(torch.ones(2))
    torch.set_default_device("mps" if torch.cuda.is_available() else "cuda")
    try:
        found = run("call", lambda x: x + torch.ones(2), Case("one", (decode(sent),)))
    finally:
        torch.set_default_device(None)
    assert found.outputs.tolist() == [2, 2]


def test_what_a_module_puts_into_an_empty_list_is_a_result_too():
    class Noting(torch.nn.Module):
        def forward(self, x, seen=None):
            if seen is not None:
                seen.append(2 * x)
            return x + 1

    x = torch.ones(2)
    outcome = run("module", Noting, Case("", ({}, {}, x), {"seen": []}))
    assert [value.tolist() for value in (outcome.outputs[0], *outcome.outputs[1])] == [[2, 2], [2, 2]]
    assert run("module", Noting, Case("", ({}, {}, x))).outputs.tolist() == [2, 2]


def test_gradients_reach_a_module_s_parameters_and_inputs():
    gradients = run("module", Map, module_case(), gradients=True).gradients
    assert [tuple(gradient.shape) for gradient in gradients] == [(2, 3), (2,), (4, 3)]
    assert run("module", Fixed, module_case(), gradients=True).gradients == [None, None, None]


@pytest.mark.parametrize("mode", [True, False])
def test_a_module_that_differs_between_training_and_evaluation_shows(mode):
    """Dropout of its own, a ReLU in training alone: whichever mode it is that differs."""

    class Differs(Map):
        def forward(self, x, double=False):
            return self.map(x) * (2 if self.training == mode else 1)

    plain, found = (run("module", each, module_case(), gradients=True) for each in (Map, Differs))
    same = (
        torch.equal(plain.outputs, found.outputs),
        all(map(torch.equal, plain.gradients or [], found.gradients or [])),
    )
    assert same == ((False, True) if mode else (True, False))


def test_a_stub_of_a_module_is_not_written():
    outcome = run("module", Stub, module_case())
    assert (outcome.status, outcome.error) == ("not written", "")


def unwritten(x):
    raise NotImplementedError


def test_a_module_that_waits_for_another_answer_names_it():
    class Waiting(Map):
        def forward(self, x, double=False):
            return unwritten(self.map(x))

    outcome = run("module", Waiting, module_case())
    assert (outcome.status, outcome.error) == ("not written", "unwritten")


@pytest.mark.parametrize("answer", [3, lambda width: width, Other], ids=["3", "a function", "other names"])
def test_what_is_no_such_module_is_unusable(answer):
    assert run("module", answer, module_case()).status == "unusable"


def test_parameters_of_other_names_and_shapes_are_named():
    outcome = run("module", Other, module_case())
    assert outcome.error == "the parameters map.weight (2, 3), map.bias (2,)"
    assert outcome.message == "linear.weight (2, 3), linear.bias (2,)"
    wide = Case("", ({"width": 5}, WEIGHTS, torch.ones(4, 3)))
    assert run("module", Map, wide).message == "map.weight (2, 5)"


@pytest.mark.parametrize("use", ["derived", "inside"])
def test_a_forbidden_module_is_found_as_parent_and_as_part(use):
    class Derived(torch.nn.Bilinear):
        pass

    class Inside(Map):
        def __init__(self, width):
            super().__init__(width)
            self.other = torch.nn.Bilinear(1, 1, 1)

    answer = {"derived": Derived, "inside": Inside}[use]
    outcome = run("module", answer, module_case(), forbidden=("torch.nn.Bilinear",))
    assert (outcome.status, outcome.error) == ("forbidden", "torch.nn.Bilinear")
    assert isinstance(torch.nn.Bilinear, type)


def test_helpers_of_the_compiler_are_forbidden_with_what_they_help_to_define():
    """Their names say nothing: whose code they are does."""
    copied = FunctionType(torch._refs._normalize.__code__, torch._refs._normalize.__globals__)
    for normalize in (torch._refs._normalize, copied):
        call = partial(
            run, "call", lambda x, way=normalize: way(x, [-1], 1e-5)[0], Case("", (torch.randn(2, 4),))
        )
        assert call().status == "returned"
        outcome = call(forbidden=("torch.nn.functional.layer_norm",))
        assert (outcome.status, outcome.error) == ("forbidden", "code of torch's compiler")
        assert call().status == "returned"


def test_a_sheets_cases_share_one_watch_that_ends_with_them(monkeypatch):
    """Its set-up is most of what a forbidden function costs, and what is replaced is known by its own name."""
    replace_operators, begun = (
        Mock(side_effect=forbidding_torch._replace_operators),
        ("torch.exp", "torch.nn.Bilinear"),
    )
    monkeypatch.setattr(forbidding_torch, "_replace_operators", replace_operators)
    exp, case = torch.exp, Case("", (torch.ones(2),))
    with forbidding.forbid(begun):
        for answer in (exp, torch.exp, lambda x: exp(x), lambda x: x.exp()):
            assert run("call", answer, case, forbidden=begun).error == "torch.exp"
        for answer in (torch.sqrt, lambda x: x + 1):
            assert run("call", answer, case, forbidden=begun).status == "returned"
    assert replace_operators.call_count == 1
    assert torch.exp is exp and run("call", exp, case).status == "returned"


# What `torch.func.jvp` needs for this is compiled at the first call: what stood in its place then would stay.
FIRST_OF_ITS_KIND = """
import torch
from helpers.checking.calling.drivers import run
from helpers.checking.calling.outcome import Case

def twice(softmax, x):
    return torch.func.jvp(torch.func.grad(lambda y: softmax(y)[0]), (x,), (x,))[1]

x = torch.arange(3.0)
by_hand = lambda x: twice(lambda y: y.exp() / y.exp().sum(), x)
outcome = run("call", by_hand, Case("", (x,)), forbidden=("torch.softmax", "torch.log_softmax"))
assert outcome.status == "returned", outcome
assert torch.allclose(twice(lambda y: y.softmax(0), x), outcome.outputs)
"""


def test_derivatives_of_torch_s_own_functions_are_right_after_these_were_forbidden():
    done = subprocess.run([sys.executable, "-c", FIRST_OF_ITS_KIND], cwd=ROOT, capture_output=True, text=True)
    assert not done.returncode, done.stderr


# -- results that are used -------------------------------------------------------------------------------


def test_a_result_is_judged_by_what_it_does():
    use = {"layer": "a running sum", "weights": [torch.eye(2)]}
    case = Case("", (use, torch.ones(3, 2)))
    outcome = run("use_result", lambda x: x, case)
    assert torch.equal(outcome.outputs, torch.ones(3, 2))  # the student's side sends what came back
    assert torch.equal(judged("use_result", case, outcome).outputs[:, 0], torch.tensor([1.0, 2.0, 3.0]))
    assert torch.equal(outcome.outputs, torch.ones(3, 2))
    assert run("use_result", unwritten, case).status == "not written"
    assert run("use_result", 3, case).status == "unusable"


def test_a_result_that_cannot_be_used_is_an_outcome():
    case = Case("", ({"layer": "a running sum", "weights": [torch.eye(2)]}, torch.ones(3, 2)))
    outcome = judged("use_result", case, run("use_result", lambda x: "three", case))
    assert outcome.status == "unusable"  # and no exception of the student's
    assert "can't be tried out (TypeError" in outcome.message


@pytest.mark.parametrize(
    "wrong", [torch.optim.SGD([torch.ones(1)], 0.1), [{"params": ["W"], "lr": 1.0}], None]
)
def test_a_result_of_another_type_is_no_exception_of_the_students(wrong):
    case = Case("", ({"layer": "a classifier and its groups", "weights": [5, 3, 4, 2, "-"]}, 0.1, 0.2))
    outcome = run("prepare", lambda model, body_rate, head_rate: wrong, case)
    assert outcome.status == "unusable" and "can't be tried out" in outcome.message
    assert run("prepare", lambda model, *rates: model.bdy, case).status == "raised"


def draw_case(calls=3):
    return Case("", ({"layer": "what is drawn", "weights": []}, calls, torch.zeros(4), GENERATOR))


def test_draws_are_made_often_each_with_a_generator_of_its_own(monkeypatch):
    monkeypatch.setitem(
        LAYERS, "what is drawn", lambda: lambda results, zeros, _: (torch.stack(results), zeros)
    )
    outcome = run("draws", lambda x, generator: x + torch.rand(4, generator=generator), draw_case())
    drawn, zeros = judged("draws", draw_case(), outcome).outputs
    assert torch.equal(drawn[3], drawn[0])  # the first seed once more
    assert not any(torch.equal(drawn[0], other) for other in drawn[1:3])
    assert torch.equal(drawn[1], torch.rand(4, generator=torch.Generator().manual_seed(1)))
    assert torch.equal(zeros, torch.zeros(4))


def test_fewer_draws_than_were_asked_for_are_none(monkeypatch):
    monkeypatch.setitem(LAYERS, "what is drawn", lambda: lambda results, *_: torch.stack(results))
    outcome = run("draws", lambda x, generator: x + torch.rand(4, generator=generator), draw_case())
    assert judged("draws", draw_case(), outcome).status == "returned"
    fewer = replace(outcome, outputs=outcome.outputs[:3])
    assert judged("draws", draw_case(), fewer).message.endswith("other draws than were asked for)")


def test_draws_show_whether_the_inputs_were_changed():
    case = draw_case()
    before, after = case.args[2], run("draws", lambda x, g: x.add_(1), case).inputs_after
    assert not torch.equal(before, next(tensors(after)))
    assert run("draws", lambda x, g: x + 1, case).inputs_after == AS_GIVEN
    assert run("draws", lambda x, g: unwritten(x), case).status == "not written"
    assert run("draws", 3, case).status == "unusable"


# -- memory ----------------------------------------------------------------------------------------------


def in_rows(x):
    return torch.stack([(row @ x.T) @ x for row in x])


def all_at_once(x):
    return (x @ x.T) @ x


def hidden_in_a_mean(x):
    return (x @ x.T).mul(x.T.sum(0)).sum(-1, keepdim=True) * 0 + in_rows(x)


FRUGAL = Exercise(
    id="test.frugal",
    title="Frugal",
    points=1,
    driver="call_measured",
    reference=in_rows,
    properties=(stays_small,),
    cases=lambda generator: [Case("many rows", (torch.randn(50, 2, generator=generator).double(),))],
)


@pytest.mark.parametrize(
    ("answer", "cause"), [(in_rows, ""), (all_at_once, "stays_small"), (hidden_in_a_mean, "stays_small")]
)
def test_the_largest_tensor_on_the_way_decides(answer, cause):
    sheet = make_sheet(FRUGAL, VISIBLE_SEED)
    outcomes = [run(FRUGAL.driver, answer, case) for case in sheet.cases]
    finding = assess(sheet, [Outcome.from_json(outcome.to_json()) for outcome in outcomes])
    assert finding.cause == cause, finding.text()


def test_a_missing_size_does_not_pass():
    (case,) = FRUGAL.cases(torch.Generator())
    expected = run("call_measured", in_rows, case)
    assert stays_small(case, expected, Outcome("returned", expected.outputs)) is not None


def test_a_size_that_is_none_is_refused():
    with pytest.raises(ValueError, match="size"):
        Outcome.from_json({"status": "returned", "largest": "small"})


def test_a_check_without_the_helpers_of_its_lesson_says_so_and_blames_nobody(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = {"layer": "what a course has", "weights": []}
    exercise = Exercise(
        "course.step", "A step", 1, lambda model, *_: 0.0, lambda _: [Case("", (recipe, []))], "train"
    )
    with monkeypatch.context() as there:
        there.setitem(LAYERS, "what a course has", lambda: (torch.nn.Linear(1, 1), None, None))
        sheet = make_sheet(exercise, VISIBLE_SEED)
    monkeypatch.setattr(checks, "load_sheet", lambda _: sheet)
    checks.check("course.step", exercise.reference)
    said = capsys.readouterr().out
    assert "not run" in said and "“what a course has”: put the folder helpers/" in " ".join(said.split())
