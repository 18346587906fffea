"""An answer that passes with a right one in the place of an earlier one passes, and is told so."""

import json
import sys
from types import ModuleType

import pytest
import torch

from autograder import exercises
from autograder.parts import recorded
from autograder.sheets import VISIBLE_SEED, make_sheet
from helpers import checks
from helpers.checking import progress
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
NO_GRADIENT = RIGHT.replace("q @ k.mT", "q.detach() @ k.mT")
STUB = "def scaled_dot_product_attention(q, k, v, mask=None):\n    raise NotImplementedError"
WAYS = ("wrong", "raises", "not written", "without a gradient")
BLAMED = {
    "right": "return scaled_dot_product_attention(y @ W_q, x @ W_k, x @ W_v, mask)",
    "by name": "return scaled_dot_product_attention(k=x @ W_k, v=x @ W_v, q=y @ W_q, mask=mask)",
    "after a gradient of its own": "return scaled_dot_product_attention(2 * y @ W_q / 2, x @ W_k, x @ W_v, mask)",
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


@pytest.mark.parametrize("needed", [UNSCALED, RAISES, STUB, NO_GRADIENT], ids=WAYS)
@pytest.mark.parametrize("cross", BLAMED.values(), ids=BLAMED)
def test_an_answer_that_is_right_passes_beside_an_earlier_one_that_is_wrong(cross, needed, found):
    finding = found(cross, needed)
    assert finding.status == Status.PASSED
    assert finding.remark.startswith(f"“{TITLE}”, which this builds on, doesn't pass yet: fix that one.")


@pytest.mark.parametrize("cross", NOT_BLAMED.values(), ids=NOT_BLAMED)
def test_a_mistake_of_its_own_counts(cross, found):
    for needed in (UNSCALED, RIGHT):
        finding = found(cross, needed)
        assert finding.status == Status.FAILED
        assert TITLE not in finding.meaning


def test_an_answer_that_is_not_written_is_not_right_beside_any_other(found):
    assert found("raise NotImplementedError").status == Status.NOT_WRITTEN


def test_a_gradient_that_is_lost_here_counts_beside_a_wrong_answer_too(found):
    """The stand-ins know where gradients have to arrive."""
    lost = "return scaled_dot_product_attention((y @ W_q).detach(), x @ W_k, x @ W_v, mask)"
    assert found(lost, RIGHT).cause == "gradient_reaches_inputs"
    assert found(lost, UNSCALED).status == Status.FAILED


def test_what_builds_on_an_answer_that_passes_so_passes_too(sheet, tmp_path, monkeypatch):
    """And names the one that is wrong, until this one passes by itself."""
    monkeypatch.setenv("HEADSTART_PROGRESS", str(tmp_path / "progress.json"))
    monkeypatch.setattr(checks, "_leaning", {NEEDED: "Softmax"})
    progress.record(NEEDED, passed=True)
    finding = _found(sheet, answers(BLAMED["right"])["cross_attention"], [], "cross_attention")
    assert finding.remark.startswith("“Softmax”, which this builds on, doesn't pass yet")
    assert checks._leaning == {NEEDED: "Softmax", sheet.exercise: "Softmax"}
    finding = _found(sheet, answers(BLAMED["right"], RIGHT)["cross_attention"], [], "cross_attention")
    assert (finding.status, finding.remark) == (Status.PASSED, "")
    assert sheet.exercise not in checks._leaning


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
    ("activation", "norm", "status", "cause"),
    [
        ("relu", "norm_2", "passed", ""),
        ("relu", "norm_1", "failed", "value"),
        ("gelu", "norm_1", "failed", "FirstNormTwice"),
    ],
)
def test_a_class_of_modules_has_a_stand_in_as_a_function_has(
    activation, norm, status, cause, tmp_path, monkeypatch
):
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
    assert (finding.status, finding.cause) == (status, cause)
    assert bool(finding.remark) == (status == "passed")
