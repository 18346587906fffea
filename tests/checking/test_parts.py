"""An earlier answer is blamed only where an answer passes with a right one in its place."""

import json
import sys
from types import ModuleType, SimpleNamespace

import pytest
import torch

from autograder import exercises
from autograder.child import worker
from autograder.parts import recorded
from autograder.sheets import VISIBLE_SEED, make_sheet
from helpers.checking import progress
from helpers.checking.calling.values import decode
from helpers.checking.comparing import compare
from helpers.checking.sheet import Sheet
from helpers.checks import Finding, Status, _found

NEEDED = "attention.scaled_dot_product"
TITLE = "Scaled dot-product attention"
RIGHT = """
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.mT / q.size(-1) ** 0.5
    scores = scores if mask is None else scores.masked_fill(~mask, -torch.inf)
    return scores.softmax(-1) @ v, scores.softmax(-1)
"""
UNSCALED = RIGHT.replace(" / q.size(-1) ** 0.5", "")
RAISES = RIGHT.replace("q @ k.mT", "q @ k")
BLAMED = {
    "right": "return scaled_dot_product_attention(y @ W_q, x @ W_k, x @ W_v, mask)",
    "by name": "return scaled_dot_product_attention(k=x @ W_k, v=x @ W_v, q=y @ W_q, mask=mask)",
    "unpacked": "out, w = scaled_dot_product_attention(y @ W_q, x @ W_k, x @ W_v, mask); return out, w",
}
NOT_BLAMED = {
    "a mistake of its own": "return scaled_dot_product_attention(x @ W_q, x @ W_k, x @ W_v, mask)",
    "a mistake afterwards": "out, w = scaled_dot_product_attention(y @ W_q, x @ W_k, x @ W_v, mask); return w, out",
    "it isn't called": "return (y @ W_q @ (x @ W_k).mT).softmax(-1) @ (x @ W_v), torch.ones(3)",
    "too often": "return scaled_dot_product_attention(y @ W_q, x @ W_k, "
    "scaled_dot_product_attention(x @ W_v, x @ W_v, x @ W_v)[0], mask)",
    "an exception": "return scaled_dot_product_attention(y @ W_q, x @ W_k, x @ W_v, mask) / 0 / None",
}


@pytest.fixture(scope="module")
def sheet() -> Sheet:
    """As students have it."""
    specs = exercises.load("attention")
    made = make_sheet(specs["attention.cross"], VISIBLE_SEED, needs={NEEDED: TITLE})
    parts = recorded(specs["attention.cross"], made.cases, [specs[NEEDED]])
    return Sheet.from_json(json.loads(json.dumps({**made.to_json(), "parts": parts})))


def answers(cross: str, needed: str = UNSCALED) -> dict:
    room: dict = {"torch": torch}
    exec(f"{needed}\ndef cross_attention(y, x, W_q, W_k, W_v, mask=None):\n    {cross}", room)
    return room


@pytest.fixture
def found(sheet, tmp_path, monkeypatch):
    """What is found of an answer while the one that it needs doesn't pass."""
    monkeypatch.setenv("HEADSTART_PROGRESS", str(tmp_path / "progress.json"))
    progress.record(NEEDED, passed=False)

    def found(cross: str, needed: str = UNSCALED) -> Finding:
        room = answers(cross, needed)
        function = room["scaled_dot_product_attention"]
        finding = _found(sheet, room["cross_attention"], [], "cross_attention")
        assert room["scaled_dot_product_attention"] is function
        return finding

    return found


@pytest.mark.parametrize("needed", [UNSCALED, RAISES], ids=["wrong", "raises"])
@pytest.mark.parametrize("cross", BLAMED.values(), ids=BLAMED)
def test_an_earlier_answer_is_blamed_where_this_one_is_right(cross, needed, found):
    finding = found(cross, needed)
    assert (finding.status, finding.cause) == (Status.FAILED, "needs")
    assert finding.meaning.startswith(f"“{TITLE}”, which this builds on, doesn't pass yet: fix that first.")


@pytest.mark.parametrize("cross", NOT_BLAMED.values(), ids=NOT_BLAMED)
def test_an_earlier_answer_is_not_blamed_for_a_mistake_of_this_one(cross, found):
    for needed in (UNSCALED, RIGHT):
        finding = found(cross, needed)
        assert finding.status == Status.FAILED
        assert TITLE not in finding.meaning
        assert finding.cause != "needs"


def test_a_gradient_that_is_lost_here_is_not_blamed_on_an_earlier_answer(found):
    """The stand-ins let none through, and so can't tell."""
    lost = "return scaled_dot_product_attention((y @ W_q).detach(), x @ W_k, x @ W_v, mask)"
    assert found(lost, RIGHT).cause == "gradient_reaches_inputs"


def test_an_answer_that_passes_is_told_nothing_of_earlier_ones(found):
    assert found(BLAMED["right"], RIGHT).status == Status.PASSED


MODULES = """
import torch
from helpers.block import LayerNorm, add_sublayer
from helpers.multihead import MultiHeadAttention

class FeedForward(torch.nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_up, self.W_down = torch.nn.Linear(d_model, d_ff), torch.nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.W_down(torch.nn.functional.ACTIVATION(self.W_up(x)))

class Block(torch.nn.Module):
    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.attention, self.feed_forward = MultiHeadAttention(d_model, n_heads), FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = LayerNorm(d_model), LayerNorm(d_model)

    def forward(self, x, mask=None):
        x = x + self.attention(self.norm_1(x), mask=mask)[0]
        return x + self.feed_forward(self.NORM(x))
"""


@pytest.mark.parametrize(
    ("activation", "norm", "cause"),
    [("relu", "norm_2", "needs"), ("relu", "norm_1", "not needs"), ("gelu", "norm_1", "FirstNormTwice")],
)
def test_a_class_of_modules_is_blamed_as_a_function_is(activation, norm, cause, tmp_path, monkeypatch):
    monkeypatch.setenv("HEADSTART_PROGRESS", str(tmp_path / "progress.json"))
    progress.record("block.feed_forward", passed=False)
    block, needed = (exercises.load("block")[f"block.{name}"] for name in ("block", "feed_forward"))
    made = make_sheet(block, VISIBLE_SEED, needs={needed.id: needed.title})
    parts = recorded(block, made.cases, [needed])
    sheet = Sheet.from_json(json.loads(json.dumps({**made.to_json(), "parts": parts})))
    cell = ModuleType("a_notebook")
    monkeypatch.setitem(sys.modules, cell.__name__, cell)
    exec(MODULES.replace("ACTIVATION", activation).replace("NORM", norm), vars(cell))
    finding = _found(sheet, cell.Block, [], "Block")
    assert (finding.cause == "needs") == (cause == "needs")
    assert cause in (finding.cause, "not needs")


def test_the_grader_s_child_calls_with_stand_ins_too(sheet):
    room = answers(BLAMED["right"])
    request = json.loads(sheet.request_with({part["name"]: part["calls"] for part in sheet.parts.values()}))
    outcomes = worker._outcomes(request, room["cross_attention"], SimpleNamespace(run=lambda call: call()))
    for outcome, expected in zip(outcomes, sheet.expected, strict=True):
        assert compare(expected.outputs, decode(outcome["outputs"])) is None
