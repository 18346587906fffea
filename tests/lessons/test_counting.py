"""Lesson 07's formulas agree with real modules and published figures, and what its text claims holds."""

import math
import re

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode
from transformers import BertConfig, BertModel, GPT2Config, GPT2LMHeadModel, OpenAIGPTConfig

from autograder import exercises
from autograder.lessons import ROOT
from helpers import counting
from helpers.checking.calling.drivers import Case, run
from helpers.checking.calling.registry import make_layer
from helpers.counting import count, explorers, figures
from helpers.figures import showing
from tests.support.proved import COURSE, follows_from

pytestmark = follows_from(*COURSE)

SIZES = [(12, 3, 40), (20, 5, 7), (200, 2, 200), (512, 8, 2048)]


def on_meta(make):
    with torch.device("meta"):
        return make()


# -- parts and layers ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(("d_model", "n_heads", "d_ff"), SIZES)
def test_parts_agree_with_torch(d_model, n_heads, d_ff, bias):
    linear = on_meta(lambda: torch.nn.Linear(d_model, d_ff, bias=bias))
    attention = on_meta(lambda: torch.nn.MultiheadAttention(d_model, n_heads, bias=bias))
    assert counting.linear_parameters(d_model, d_ff, bias) == count(linear)
    assert counting.attention_parameters(d_model, n_heads, bias) == count(attention)
    assert counting.norm_parameters(d_model) == count(on_meta(lambda: torch.nn.LayerNorm(d_model)))
    assert counting.embedding_parameters(d_ff, d_model) == count(
        on_meta(lambda: torch.nn.Embedding(d_ff, d_model))
    )


@pytest.mark.parametrize(("d_model", "n_heads", "d_ff"), SIZES)
def test_layers_agree_with_torch(d_model, n_heads, d_ff):
    encoder = on_meta(lambda: torch.nn.TransformerEncoderLayer(d_model, n_heads, d_ff))
    decoder = on_meta(lambda: torch.nn.TransformerDecoderLayer(d_model, n_heads, d_ff))
    assert counting.encoder_layer_parameters(d_model, n_heads, d_ff) == count(encoder)
    assert counting.decoder_layer_parameters(d_model, n_heads, d_ff) == count(decoder)


def test_heads_must_divide_the_width():
    with pytest.raises(ValueError, match=r"^3 heads don't divide a width of 200$"):
        counting.attention_parameters(200, 3)


def test_a_tied_matrix_counts_once():
    words, scores = torch.nn.Embedding(7, 3), torch.nn.Linear(3, 7, bias=False)
    both = torch.nn.ModuleList([words, scores])
    assert count(both) == 42
    scores.weight = words.weight
    assert count(both) == 21


# -- models ----------------------------------------------------------------------------------------------------


def test_the_labs_model_has_the_totals_that_the_lesson_says():
    assert counting.lab_model_parameters(100, 200, 2, 200, 4, 2) == 988_402
    assert counting.lab_model_parameters(100, 200, 2, 200, 4, 100) == 1_008_100


def test_transformer_base_is_three_percent_below_the_published_65_million():
    base = counting.transformer_parameters(37_000, 512, 8, 2048, 6, True)
    assert base == 63_082_496
    layers = counting.transformer_parameters(0, 512, 8, 2048, 6, True)
    torchs = on_meta(lambda: torch.nn.Transformer(512, 8, 6, 6, 2048, batch_first=True))
    assert count(torchs) - layers == 2 * 2 * 512  # a last norm for each stack
    assert counting.transformer_parameters(37_000, 512, 8, 2048, 6, False) - base == 2 * 37_000 * 512


def test_table_3_of_the_paper_agrees_on_one_vocabulary_but_for_its_last_row():
    published = {
        (512, 8, 2048, 6): 65, (512, 8, 2048, 2): 36, (512, 8, 2048, 4): 50, (512, 8, 2048, 8): 80,
        (256, 8, 2048, 6): 28, (1024, 8, 2048, 6): 168, (512, 8, 1024, 6): 53, (512, 8, 4096, 6): 90,
    }  # fmt: skip

    def rounded(vocabulary, sizes):
        return round(counting.transformer_parameters(vocabulary, *sizes, True) / 1e6)

    assert all(rounded(41_000, sizes) == said for sizes, said in published.items())
    assert not any(rounded(37_000, sizes) == said for sizes, said in published.items())
    assert 213 not in (rounded(37_000, (1024, 16, 4096, 6)), rounded(41_000, (1024, 16, 4096, 6)))


@pytest.mark.parametrize("sizes", [(30_522, 768, 12, 3072, 12, 512, 2), (50, 12, 3, 40, 2, 9, 4)])
def test_bert_agrees_with_the_real_one(sizes):
    vocabulary, d_model, n_heads, d_ff, n_layers, positions, segments = sizes
    settings = BertConfig(
        vocab_size=vocabulary,
        hidden_size=d_model,
        num_attention_heads=n_heads,
        intermediate_size=d_ff,
        num_hidden_layers=n_layers,
        max_position_embeddings=positions,
        type_vocab_size=segments,
    )
    assert counting.bert_parameters(*sizes) == count(on_meta(lambda: BertModel(settings)))


def test_bert_base_has_110_million():
    assert counting.bert_parameters(30_522, 768, 12, 3072, 12, 512, 2) == 109_482_240


@pytest.mark.parametrize("sizes", [(50_257, 768, 12, 12, 1024), (50, 12, 3, 2, 9)])
def test_gpt2_agrees_with_the_real_one(sizes):
    vocabulary, d_model, n_heads, n_layers, positions = sizes
    settings = GPT2Config(
        vocab_size=vocabulary, n_embd=d_model, n_head=n_heads, n_layer=n_layers, n_positions=positions
    )
    assert counting.gpt2_parameters(*sizes) == count(on_meta(lambda: GPT2LMHeadModel(settings)))


def test_the_sizes_in_gpt2_s_paper_are_those_with_the_vocabulary_of_gpt1():
    assert OpenAIGPTConfig().vocab_size == 40_478
    published = {(768, 12, 12): 117, (1024, 16, 24): 345, (1280, 20, 36): 762, (1600, 25, 48): 1542}
    for sizes, said in published.items():
        assert round(counting.gpt2_parameters(40_478, *sizes, 1024) / 1e6) == said
        assert round(counting.gpt2_parameters(50_257, *sizes, 1024) / 1e6) != said
    assert counting.gpt2_parameters(50_257, 768, 12, 12, 1024) == 124_439_808


def test_the_rules_of_thumb_hold():
    layer = counting.encoder_layer_parameters(512, 8, 2048)
    assert 0 < layer - 12 * 512**2 < 0.003 * layer
    gpt3 = counting.gpt2_parameters(50_257, 12_288, 96, 96, 2048)
    assert round(gpt3 / 1e9) == 175
    assert 0.003 < 1 - 96 * 12 * 12_288**2 / gpt3 < 0.005


# -- a count with a slip ---------------------------------------------------------------------------------------


def test_the_count_with_a_slip_is_right_for_two_heads_alone():
    """Section 7.8, by the lesson's own count."""
    lesson = (ROOT / "notebooks/07_counting.py").read_text(encoding="utf-8")
    names: dict = {}
    exec(lesson[lesson.index("def slipped_count(") :].partition("\n\n\n")[0], names)
    for n_out in (2, 100):
        right = [
            h
            for h in (1, 2, 4, 5, 8, 10)
            if names["slipped_count"](100, 200, h, 4, n_out)
            == counting.lab_model_parameters(100, 200, h, 200, 4, n_out)
        ]
        assert right == [2]


@pytest.mark.parametrize(
    ("configuration", "expected"),
    [
        ({"n_heads": 2, "d_ff": 12}, (True, True, True)),
        ({"n_heads": 3, "d_ff": 12}, (True, True, False)),
        ({"n_heads": 5, "d_ff": 12}, (False, True, False)),
        ({"n_heads": 2, "d_ff": 48}, (True, False, False)),
    ],
)
def test_a_configuration_is_judged_by_what_it_shows(configuration, expected):
    judge = make_layer({"layer": "a count with a slip against torch's layer", "weights": [12]})
    assert tuple(judge(configuration).values()) == expected


@pytest.mark.parametrize("answer", [None, (1, 12), {"heads": 1, "d_ff": 12}, {"n_heads": 1}])
def test_what_isn_t_a_configuration_is_refused(answer):
    judge = make_layer({"layer": "a count with a slip against torch's layer", "weights": [12]})
    with pytest.raises(ValueError, match='give a dict with "n_heads" and "d_ff"'):
        judge(answer)


@pytest.mark.parametrize("size", [0, -2, 2.0, True, 10**9, "2"])
def test_a_configuration_of_anything_but_sizes_is_refused(size):
    judge = make_layer({"layer": "a count with a slip against torch's layer", "weights": [12]})
    with pytest.raises(ValueError, match="positive integers"):
        judge({"n_heads": 2, "d_ff": size})


# -- memory and operations -------------------------------------------------------------------------------------


def layer(x, weights, n_heads):
    """The lesson's layer, written once more."""
    B, T, d = x.shape
    q, k, v = ((x @ W).view(B, T, n_heads, d // n_heads).transpose(1, 2) for W in weights[:3])
    attention = (q @ k.transpose(-2, -1) / math.sqrt(d // n_heads)).softmax(dim=-1)
    found = (attention @ v).transpose(1, 2).reshape(B, T, d)
    x = torch.nn.functional.layer_norm(x + found @ weights[3], (d,))
    bent = torch.nn.functional.gelu(x @ weights[4])
    return torch.nn.functional.layer_norm(x + bent @ weights[5], (d,))


def tensors(B, T, d, d_ff, device):
    shapes = [(B, T, d), *[(d, d)] * 4, (d, d_ff), (d_ff, d)]
    x, *weights = (torch.rand(s, device=device, requires_grad=True) for s in shapes)
    return x, weights


@pytest.mark.parametrize("device", ["cpu", "meta"])
@pytest.mark.parametrize("sizes", [(1, 3, 4, 2, 8), (2, 7, 12, 3, 40)])
def test_activations_are_what_autograd_keeps_but_for_the_norms_statistics(sizes, device):
    B, T, d, H, d_ff = sizes
    x, weights = tensors(B, T, d, d_ff, device)
    known, kept = {w.untyped_storage()._cdata for w in weights}, {}

    def put_aside(tensor):
        storage = tensor.untyped_storage()
        if storage._cdata not in known:
            kept[storage._cdata] = (storage.nbytes() // 4, tensor)
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(put_aside, lambda tensor: tensor):
        result = layer(layer(x, weights, H), weights, H)
    assert result.shape == x.shape
    numbers = sum(size for size, _ in kept.values())
    assert numbers - counting.activation_numbers(B, T, d, H, d_ff, 2) == 2 * 4 * B * T


def test_activations_are_korthikanti_s_without_dropout():
    """Their 34 bytes, less the bytes of two masks, at 2 bytes a number; and one T × T matrix."""
    B, T, d, H = 3, 5, 12, 2
    assert counting.activation_numbers(B, T, d, H, 4 * d, 1) == B * T * d * (34 - 2) // 2 + B * H * T**2


@pytest.mark.parametrize("sizes", [(1, 3, 4, 2, 8), (2, 70, 12, 3, 40)])
def test_operations_are_what_torch_counts(sizes):
    B, T, d, H, d_ff = sizes
    x, weights = tensors(B, T, d, d_ff, "meta")
    with FlopCounterMode(display=False) as counter:
        y = layer(x, weights, H)
        y.backward(torch.empty_like(y))
    n_weights = sum(weight.numel() for weight in weights)
    assert counter.get_total_flops() == B * T * counting.training_flops_per_token(n_weights, 1, T, d)


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("sgd", lambda w: torch.optim.SGD(w, lr=0.1)),
        ("momentum", lambda w: torch.optim.SGD(w, lr=0.1, momentum=0.9)),
        ("adam", lambda w: torch.optim.Adam(w, lr=0.1)),
    ],
)
def test_the_state_is_what_an_optimizer_holds(name, make):
    weight = torch.nn.Parameter(torch.ones(3, 5))
    optimizer = make([weight])
    weight.sum().backward()
    optimizer.step()
    own = [t for t in optimizer.state[weight].values() if torch.is_tensor(t) and t.dim()]
    held = sum(t.nbytes for t in [weight, weight.grad, *own])
    assert counting.training_state_bytes(15, name) == held


def test_transformer_base_takes_a_1050_ti_two_to_three_weeks():
    base = counting.transformer_parameters(37_000, 512, 8, 2048, 6, True)
    run = counting.training_flops_per_token(base, 18, 30, 512) * 25_000 * 100_000
    could = 8 * 12 * 3600 * 9.5e12
    assert could == pytest.approx(3.3e18, rel=0.01)  # Table 2 of the paper
    assert 0.25 < run / could < 1 / 3
    assert counting.training_days(run, 8, 9.5e12, run / could) == pytest.approx(0.5)
    assert 14 < counting.training_days(run, 1, 2.14e12, run / could) < 21
    assert 1.0e9 < counting.training_state_bytes(base, "adam") < 1.1e9


# -- figures and explorers -------------------------------------------------------------------------------------

FUNCTIONS = explorers.Functions(
    counting.embedding_parameters,
    counting.attention_parameters,
    counting.feed_forward_parameters,
    counting.lab_model_parameters,
    counting.transformer_parameters,
    counting.bert_parameters,
    counting.gpt2_parameters,
)
COSTS = (
    counting.training_state_bytes,
    counting.activation_numbers,
    counting.training_flops_per_token,
    counting.training_days,
)


def controls(explorer) -> dict:
    return {
        getattr(child, "description", "") or f"html {n}": child for n, child in enumerate(explorer.children)
    }


def unwritten(*_):
    raise NotImplementedError


@pytest.mark.parametrize("name", explorers.MODELS)
def test_parts_add_up_to_the_whole_and_only_norms_and_heads_are_left(name):
    model = explorers.MODELS[name]
    parts = FUNCTIONS.parts(model)
    assert sum(parts.values()) == FUNCTIONS.total(model)
    assert 0 < parts["norms and heads"] < 0.01 * FUNCTIONS.total(model)


def test_the_size_explorer_follows_presets_and_sliders():
    found = controls(explorers.size_explorer(FUNCTIONS))
    picture = found["html 8"]
    assert "63,082,496" in picture.value
    found["start from"].value = "GPT-2 small (2019)"
    assert "124,439,808" in picture.value
    assert found["d_ff, in widths"].disabled and not found["positions"].disabled
    found["layers"].value = 24
    assert "209,494,272" in picture.value and "GPT-2 small (2019) · 124 M" in picture.value
    before = picture.value
    found["heads"].value = 8
    assert picture.value == before  # heads don't count
    found["heads"].value = 25
    assert "25 heads don&#x27;t divide" in picture.value


def test_the_training_explorer_follows_its_controls():
    found = controls(explorers.training_explorer(FUNCTIONS, *COSTS))
    picture, numbers = found["html 8"], found["html 9"]
    found["model"].value = "Transformer-base (2017)"
    assert "fits into 4 GB" in picture.value
    found["sequences per GPU"].value, found["tokens in each"].value = 128, 256
    assert "is too much for 4 GB" in picture.value
    slow = numbers.value
    found["GPUs"].value = 8
    assert numbers.value != slow and "hours" not in slow


def test_explorers_wait_kindly():
    nothing = explorers.Functions(*[unwritten] * 7)
    pages = [controls(explorers.size_explorer(nothing))["html 8"].value]
    trained = controls(explorers.training_explorer(FUNCTIONS, *[unwritten] * 4))
    pages += [trained["html 8"].value, trained["html 9"].value]
    for page in pages:
        assert "xercises" in page and "not written yet" in page


@pytest.mark.parametrize(
    ("number", "said"),
    [(100, "100"), (20_100, "20.1 k"), (988_402, "988 k"), (124_439_808, "124 M"), (174.6e9, "175 B")],
)
def test_sizes_are_said_in_three_digits(number, said):
    assert explorers.millions(number) == said


@pytest.mark.parametrize(
    "figure",
    [
        lambda: figures.matrices(
            [[("$W_q$", 4, 4, 2, "columns")], [(r"$W_2^\top$", 4, 16)]], title="To scale"
        ),
        lambda: figures.intervals({"a": (1.0, 2.0)}, {"here": 3.0}, xlabel="x", title="Ranges"),
        lambda: figures.stacked(
            {"a": {"p": 1.0, "q": 3.0}}, xlabel="x", unit=str, title="Parts", shares=True
        ),
        lambda: figures.stacked({"a": {"p": 1.0}}, xlabel="x", unit=str, title="Parts", mark=("4 GB", 4.0)),
    ],
)
def test_figures_say_what_they_show(figure):
    said = showing.description(figure())
    assert re.search(r"\d", said) and not re.search(r"[$\\]", said)
    assert "<img" in showing.image(figure())


def test_no_module_of_torch_counts_for_a_student():
    """A convolution of width 1 is a linear map by another name."""

    def by_convolution(n_in, n_out, bias=True):
        return count(torch.nn.Conv1d(n_in, n_out, 1, bias=bias))

    assert by_convolution(3, 2) == counting.linear_parameters(3, 2)
    forbidden = exercises.load("counting")["counting.linear"].forbidden
    assert run("call", by_convolution, Case("", (3, 2)), forbidden=forbidden).status == "forbidden"
