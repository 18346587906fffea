"""Lesson 06's helpers agree with torch and with GPT-2, and what the lesson claims is so."""

import copy
import math

import pytest
import torch
from torch import nn

from helpers import block, corpora, masking, training
from helpers.block import experiments, explorers, figures
from helpers.checking.code import keeping
from helpers.models import blocks
from helpers.models.transformer import LanguageModel, LanguageModelConfig
from tests.support.proved import COURSE, follows_from
from tests.support.shown import shown_in

pytestmark = follows_from(*COURSE)


@pytest.fixture(autouse=True)
def seeded() -> None:
    torch.manual_seed(0)


def near(left: torch.Tensor, right: torch.Tensor) -> None:
    torch.testing.assert_close(left, right, atol=1e-5, rtol=1e-4)


# -- the same as others ----------------------------------------------------------------------------------


def test_norm_activation_and_dropout_are_torch_s() -> None:
    x, weight, bias = torch.randn(2, 3, 5), torch.randn(5), torch.randn(5)
    near(block.layer_norm(x, weight, bias, 1e-3), nn.functional.layer_norm(x, (5,), weight, bias, 1e-3))
    near(block.gelu(x), nn.functional.gelu(x))
    dropped = block.dropout(torch.ones(100_000), 0.3, True, torch.rand(100_000))
    assert dropped.unique().tolist() == pytest.approx([0, 1 / 0.7])
    assert dropped.mean() == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize("norm_first", [True, False])
def test_a_sublayer_is_added_as_torch_s_encoder_layer_adds_it(norm_first: bool) -> None:
    theirs = nn.TransformerEncoderLayer(
        12, 3, 24, dropout=0, activation="gelu", batch_first=True, norm_first=norm_first
    )
    ours = block.Block(12, 3, 24)
    theirs.load_state_dict(experiments.as_encoder_layer(ours.state_dict()))
    x, mask = torch.randn(2, 7, 12), masking.causal_mask(7)
    path = block.add_sublayer(x, lambda y: ours.attention(y, mask=mask)[0], ours.norm_1, norm_first)
    path = block.add_sublayer(path, ours.feed_forward, ours.norm_2, norm_first)
    near(path, theirs(x, src_mask=~mask))
    if norm_first:
        near(ours(x, mask), path)


def test_the_model_with_gpt2_s_weights_is_gpt2() -> None:
    theirs = experiments.small_gpt2(vocabulary=31, d_model=12, n_heads=3, n_layers=2, positions=9)
    ours = block.DecoderOnly(31, 12, 3, 2, 9)
    ours.load_state_dict(block.from_gpt2(theirs.state_dict(), 2))
    ids = torch.randint(31, (3, 9))
    near(ours(ids), theirs(ids).logits)


def test_first_weights_are_as_the_course_s_other_models_draw_them() -> None:
    model = LanguageModel(LanguageModelConfig(500, 64, 4, 3, 50))
    for name, weight in model.blocks.named_parameters():
        if weight.dim() == 2:
            wanted = block.initial_std(f"blocks.{name}", 3)
            assert weight.std().item() == pytest.approx(wanted, rel=0.05), name
    assert blocks.COURSE.add_sublayer is block.add_sublayer


# -- what the lesson claims ------------------------------------------------------------------------------


def test_attention_alone_makes_positions_alike_and_adding_keeps_them_apart() -> None:
    from helpers.multihead import MultiHeadAttention

    for seed in range(3):
        torch.manual_seed(seed)
        layers = [MultiHeadAttention(32, 2) for _ in range(12)]
        calls = [lambda x, layer=layer: layer(x)[0] for layer in layers]
        x = torch.randn(4, 10, 32)
        alone, added = (experiments.alikeness(x, calls, residual) for residual in (False, True))
        assert alone[0] < 0.1 and alone[2] > 0.99 and added[-1] < 0.7


def test_by_hand() -> None:
    words, positions = torch.tensor([[1.0, 0, -1, 2]]), torch.full((1, 4), 0.5)
    assert block.embed(torch.tensor([0]), words, positions).tolist() == [[2.5, 0.5, -1.5, 4.5]]
    rows = torch.tensor([[1.0, 0], [0, 1], [1, 1]])
    assert block.unembed(torch.tensor([1.0, 2]), rows).tolist() == [1, 2, 3]
    normed = block.layer_norm(torch.tensor([1.0, 2, 6]), torch.ones(3), torch.zeros(3))
    assert normed.tolist() == pytest.approx([-0.93, -0.46, 1.39], abs=0.005)
    assert block.gelu(torch.tensor([0.0, 1, -1])).tolist() == pytest.approx([0, 0.841, -0.159], abs=0.0005)
    network = block.FeedForward(1, 2)
    with torch.no_grad():
        for weight, value in zip(
            network.parameters(), ([[1.0], [-1]], [0.0, 0], [[1.0, 1]], [0.0]), strict=True
        ):
            weight.copy_(torch.tensor(value))
    assert network(torch.ones(1)).item() == pytest.approx(0.683, abs=0.001)
    five = torch.tensor(5.0)
    first, last = (block.add_sublayer(five, lambda x: 2 * x, lambda x: x - 1, way) for way in (True, False))
    assert (first.item(), last.item()) == (13, 14)
    dropped = block.dropout(torch.arange(1.0, 5), 0.5, True, torch.tensor([0.9, 0.3, 0.5, 0.1]))
    assert dropped.tolist() == [2, 0, 6, 0]
    assert block.initial_std("blocks.3.attention.W_o.weight", 8) == pytest.approx(0.005)


def test_the_gradient_dies_without_path_and_norms_and_lives_with_either() -> None:
    found = experiments.gradient_sizes(block.add_sublayer)
    assert found["neither"][0] < 1e-9
    assert all(0.05 < found[kind][0] < 20 for kind in found if kind != "neither")


def test_without_a_path_no_depth_learns_in_the_lesson_s_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """And norms matter for deep stacks: of the lesson's runs the shallowest and the deepest, with one seed."""
    monkeypatch.delenv("HEADSTART_QUICK")
    monkeypatch.setattr(experiments, "DEPTHS", (2, 12))
    monkeypatch.setattr(experiments, "SEEDS", (0,))
    found = {(run.kind, run.depth): run.loss for run in experiments.depths(block.add_sublayer)}
    for depth in (2, 12):
        worst = max(found["residual and norm", depth], found["residual alone", depth])
        assert worst < min(found["norm alone", depth], found["neither", depth]) - 0.3
    assert found["residual alone", 2] - found["residual and norm", 2] < 0.15
    assert found["residual alone", 12] - found["residual and norm", 12] > 0.15


def test_an_untrained_model_is_as_unsure_as_a_guess_and_torch_s_first_weights_are_not() -> None:
    V = len(corpora.vocabulary())
    usual, ours = (block.DecoderOnly(V, 96, 4, 2, 100) for _ in range(2))
    experiments.draw_weights(ours, block.initial_std, 2)
    some = next(experiments.batches(1, 20, seed=3))
    with torch.no_grad():
        assert experiments.loss_of(ours, *some).item() == pytest.approx(math.log(V), abs=0.1)
        assert experiments.loss_of(usual, *some).item() > 5 * math.log(V)


def test_it_learns_and_speaks(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    monkeypatch.setenv("HEADSTART_PROGRESS", str(tmp_path / "progress.json"))
    monkeypatch.setenv("HEADSTART_QUICK", "20")
    model = block.DecoderOnly(len(corpora.vocabulary()), 96, 4, 2, 100)
    experiments.draw_weights(model, block.initial_std, 2)
    live = experiments.train(model)
    assert live.steps == training.steps(experiments.MODEL_STEPS)
    losses = [value for _, value in live.lines["held out"]]
    assert losses[-1] < losses[0] < math.log(len(corpora.vocabulary()))
    said = experiments.speak(model, "i read this", seed=0)
    assert said.startswith("i read this ") and said == experiments.speak(model, "i read this", seed=0)


OWN = """
class Own(torch.nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (torch.nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, y, x=None, mask=None):
        x = y if x is None else x
        q, k, v = (
            part.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
            for part in (self.W_q(y), self.W_k(x), self.W_v(x))
        )
        scores = q @ k.mT / math.sqrt(q.size(-1))
        weights = scores.masked_fill(~mask, -math.inf).softmax(-1)
        return self.W_o((weights @ v).transpose(1, 2).flatten(2)), weights
"""


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (OWN, "attention: yours, of lesson 2"),
        (OWN.replace(".masked_fill(~mask, -math.inf)", ""), "it gives other numbers than the course's)"),
        (OWN.replace("W_o = (", "W_p = ("), "in a model it stops with "),
        (OWN.replace("q @ k.mT", "gone"), "in a model it stops with NameError)"),
        ("", "(multihead.module: its check hasn't passed here yet)"),
    ],
)
def test_attention_in_the_model_that_speaks_is_the_student_s(
    code: str, said: str, monkeypatch: pytest.MonkeyPatch, tmp_path, capsys
) -> None:
    monkeypatch.setenv("HEADSTART_PROGRESS", str(tmp_path / "progress.json"))
    monkeypatch.delenv("HEADSTART_OWN_PARTS", raising=False)
    monkeypatch.setattr(experiments, "SLOWEST", 100.0)
    if code:
        cells = ["import math\nimport torch", code, 'check("multihead.module", Own)']
        keeping.keep("multihead.module", cells, "Own")
    model = block.DecoderOnly(len(corpora.vocabulary()), 96, 4, 2, 100)
    made = experiments.use_your_attention(model)
    assert said in capsys.readouterr().out
    own = [part for part in made.modules() if type(part).__name__ == "Own"]
    assert len(own) == (2 if "yours" in said else 0) and (made is model) != bool(own)
    assert made.state_dict().keys() == model.state_dict().keys()
    monkeypatch.setattr(experiments, "SLOWEST", 0.0)
    assert experiments.use_your_attention(model) is model


def test_stacks_are_made_once_for_the_same_behaviour(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    monkeypatch.setenv("HEADSTART_PROGRESS", str(tmp_path / "progress.json"))
    monkeypatch.setattr(experiments, "DEPTHS", (1, 2))
    monkeypatch.setattr(experiments, "SEEDS", (0,))
    made = []
    monkeypatch.setattr(experiments, "_learn", lambda *of: made.append(of) or [1.5])
    found = experiments.depths(block.add_sublayer)
    assert len(made) == len(found) == 8 and found[0] == ("residual and norm", 1, 0, 1.5)

    def written_differently(x, sublayer, norm, first=True):
        return sublayer(norm(x)) + x if first else norm(sublayer(x) + x)

    assert experiments.depths(written_differently) == found and len(made) == 8
    experiments.depths(lambda x, sublayer, norm, first=True: sublayer(norm(x)))
    assert len(made) > 8, "a wrong one isn't taken for it"


# -- figures and explorers -------------------------------------------------------------------------------


def test_figures_say_what_they_show() -> None:
    assert "How alike" in figures.alike({"a": [0.0, 1.0], "b": [0.0, 0.5]}).get_label()
    assert "block" in figures.gradients({"a": [0.1, 1.0]}).get_xlabel()
    runs = [
        experiments.Learned(kind, depth, seed, 5.0)
        for kind in experiments.KINDS
        for depth in experiments.DEPTHS
        for seed in experiments.SEEDS
    ]
    said = figures.losses(runs, {"a guess": 6.8}).get_label()
    assert "residual alone: 2: 5 (5 to 5)" in said and "3 runs" in said and "a guess: 6.80" in said


def test_the_norm_explorer_follows_its_sliders_and_waits_for_the_student() -> None:
    box = explorers.norm_explorer(block.layer_norm, "Exercise 6.4")
    scale, _, picture = box.children
    before = picture.value
    scale.value = 0
    assert picture.value != before and "after: channel 0: 0, channel 1: 0" in picture.value

    def unwritten(*_: object) -> None:
        raise NotImplementedError

    assert "Exercise 6.4" in explorers.norm_explorer(unwritten, "Exercise 6.4").children[-1].value


def test_the_stream_explorer_names_words_and_says_which_it_does_not_know() -> None:
    model = block.DecoderOnly(len(corpora.vocabulary()), 16, 2, 2, 100)
    state = copy.deepcopy(model.state_dict())
    box = explorers.stream_explorer(model, block.unembed, "the training in 6.14")
    prompt, words, picture = box.children
    numbers = shown_in(picture.value)
    assert numbers["word"] == "lonely" and numbers["steps"] == [
        "before the blocks",
        "after block 1",
        "after block 2",
    ]
    assert "before the blocks" in box.still and "after block 2" in box.still
    prompt.value = "i read this zeppelin"
    assert "zeppelin" in words.value
    assert all(torch.equal(tensor, state[name]) for name, tensor in model.state_dict().items())
    assert not model.blocks[0]._forward_hooks, "nothing is left hanging in the model"
    waiting = explorers.stream_explorer(None, block.unembed, "the training in 6.14")
    assert "not done yet" in waiting.children[-1].value
