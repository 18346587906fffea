"""The blocks and models agree with torch's and transformers', and look where they may."""

import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode
from transformers import BertConfig, BertModel, GPT2Config, GPT2LMHeadModel

from helpers import counting
from helpers.counting import count
from helpers.masking import causal_mask, padding_mask, sees
from helpers.models import linear
from helpers.models.blocks import (
    BERT,
    GPT2,
    PAPER,
    PRE_NORM,
    Block,
    CrossAttention,
    FeedForward,
    Parts,
    SelfAttention,
)
from helpers.models.encoder_decoder import DecoderBlock, EncoderDecoder, EncoderDecoderConfig
from helpers.models.linear import Linear
from helpers.models.transformer import Encoder, EncoderConfig, LanguageModel, LanguageModelConfig
from helpers.multihead import MultiHeadAttention
from tests.support.proved import COURSE, follows_from

pytestmark = follows_from(*COURSE)

STYLES = [PRE_NORM, GPT2, BERT, PAPER]
DTYPES = (torch.float32, torch.float64)
close = torch.testing.assert_close


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def shake(module):
    """Weights that hide nothing: biases aren't 0, norms aren't the identity."""
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return module


def renamed(state, names):
    """Their weights under our names. Each of ours is one of theirs, or several on top of each other."""
    found = {}
    for ours, theirs in names.items():
        for kind in ("weight", "bias"):
            keys = [f"{one}_{kind}" if one.endswith("in_proj") else f"{one}.{kind}" for one in theirs.split()]
            if keys[0] in state:
                found[f"{ours}.{kind}"] = torch.cat([state[key] for key in keys])
    return found


def in_layers(n_layers, names, ours, theirs):
    """The names of one layer, for all of them."""
    return {
        ours.format(n) + own: " ".join(theirs.format(n) + one for one in others.split())
        for n in range(n_layers)
        for own, others in names.items()
    }


# -- torch's layers ------------------------------------------------------------------------------------------

TORCHS = {
    "attention.W_qkv": "self_attn.in_proj",
    "attention.W_o": "self_attn.out_proj",
    "feed_forward.W_up": "linear1",
    "feed_forward.W_down": "linear2",
    "norm_1": "norm1",
    "norm_2": "norm2",
}


def torchs_encoder_layer(style, dtype=torch.float32):
    layer = torch.nn.TransformerEncoderLayer(
        12,
        3,
        20,
        0.0,
        activation="relu" if style.activation == "relu" else "gelu",
        layer_norm_eps=style.eps,
        batch_first=True,
        norm_first=style.norm_first,
        dtype=dtype,
    )
    return shake(layer)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("masked", [False, True], ids=["no mask", "padding"])
@pytest.mark.parametrize("causal", [False, True], ids=["both sides", "causal"])
@pytest.mark.parametrize("style", [PRE_NORM, BERT, PAPER], ids=str)
def test_a_block_is_torch_s_encoder_layer(style, causal, masked, dtype):
    theirs = torchs_encoder_layer(style, dtype)
    ours = Block(12, 3, 20, style=style).to(dtype)
    ours.load_state_dict(renamed(theirs.state_dict(), TORCHS))
    real = padding_mask(torch.tensor([5, 3]), 5)
    x = torch.randn(2, 5, 12, dtype=dtype, requires_grad=True)
    expected = theirs(
        x,
        src_mask=~causal_mask(5) if causal else None,
        src_key_padding_mask=~real if masked else None,
        is_causal=causal,
    )
    mask = real[:, None, None] if masked else None
    got, weights = ours(x, mask, causal), []
    close(got, expected)
    close(ours(x, mask, causal, weights=weights), expected)
    (wanted,) = torch.autograd.grad(expected.square().sum(), x)
    (found,) = torch.autograd.grad(got.square().sum(), x)
    close(found, wanted, rtol=1e-4, atol=1e-4)
    (shown,) = weights
    close(shown.sum(-1), torch.ones(2, 3, 5, dtype=dtype))
    assert not (causal and shown[..., ~causal_mask(5)].any())
    assert not (masked and shown[1, ..., 3:].any())


@pytest.mark.parametrize("masked", [False, True], ids=["no mask", "padding"])
@pytest.mark.parametrize("style", [PRE_NORM, PAPER], ids=str)
def test_a_decoder_block_is_torch_s_decoder_layer(style, masked):
    theirs = torch.nn.TransformerDecoderLayer(
        12, 3, 20, 0.0, style.activation, style.eps, batch_first=True, norm_first=style.norm_first
    )
    state = shake(theirs).double().state_dict()
    for kind in ("weight", "bias"):
        state[f"cross_q.{kind}"] = state[f"multihead_attn.in_proj_{kind}"][:12]
        state[f"cross_kv.{kind}"] = state[f"multihead_attn.in_proj_{kind}"][12:]
    names = TORCHS | {
        "norm_3": "norm3",
        "cross_attention.W_q": "cross_q",
        "cross_attention.W_kv": "cross_kv",
        "cross_attention.W_o": "multihead_attn.out_proj",
    }
    ours = DecoderBlock(12, 3, 20, style=style).double()
    ours.load_state_dict(renamed(state, names))
    y, memory = torch.randn(2, 5, 12).double(), torch.randn(2, 4, 12).double()
    real = padding_mask(torch.tensor([4, 2]), 4)
    expected = theirs(
        y,
        memory,
        tgt_mask=~causal_mask(5),
        tgt_is_causal=True,
        memory_key_padding_mask=~real if masked else None,
    )
    mask, weights = real[:, None, None] if masked else None, []
    close(ours(y, memory, mask), expected)
    close(ours(y, memory, mask, cross_weights=weights), expected)
    assert [tuple(found.shape) for found in weights] == [(2, 3, 5, 4)]


def test_self_attention_is_lesson_03_s_with_its_maps_in_one():
    plain, fused = MultiHeadAttention(12, 3), SelfAttention(12, 3)
    fused.load_state_dict(renamed(plain.state_dict(), {"W_qkv": "W_q W_k W_v", "W_o": "W_o"}))
    x, weights = torch.randn(2, 5, 12), []
    expected = plain(x, mask=causal_mask(5))
    close(fused(x, causal=True, weights=weights), expected[0])
    close(weights[0], expected[1])


# -- transformers' models ------------------------------------------------------------------------------------

GPT2S_LAYER = {
    "attention.W_qkv": "attn.c_attn",
    "attention.W_o": "attn.c_proj",
    "feed_forward.W_up": "mlp.c_fc",
    "feed_forward.W_down": "mlp.c_proj",
    "norm_1": "ln_1",
    "norm_2": "ln_2",
}
GPT2S = {"words": "wte", "positions": "wpe", "norm": "ln_f", "head": "wte"}
BERTS_LAYER = {
    "attention.W_qkv": "attention.self.query attention.self.key attention.self.value",
    "attention.W_o": "attention.output.dense",
    "norm_1": "attention.output.LayerNorm",
    "feed_forward.W_up": "intermediate.dense",
    "feed_forward.W_down": "output.dense",
    "norm_2": "output.LayerNorm",
}
BERTS = {
    "words": "embeddings.word_embeddings",
    "positions": "embeddings.position_embeddings",
    "segments": "embeddings.token_type_embeddings",
    "first_norm": "embeddings.LayerNorm",
}


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_language_model_is_gpt2(dtype):
    settings = GPT2Config(
        vocab_size=50, n_embd=12, n_head=3, n_layer=2, n_positions=9, attn_implementation="eager",
        bos_token_id=None, eos_token_id=None,
    )  # fmt: skip
    theirs = shake(GPT2LMHeadModel(settings)).to(dtype).eval()
    state = {  # theirs keep their matrices the other way round
        name: tensor.T if "c_" in name and "weight" in name else tensor
        for name, tensor in theirs.transformer.state_dict().items()
    }
    ours = LanguageModel(LanguageModelConfig(50, 12, 3, 2, 9, style=GPT2, scale=1)).to(dtype)
    ours.load_state_dict(renamed(state, GPT2S | in_layers(2, GPT2S_LAYER, "blocks.{}.", "h.{}.")))
    ids = torch.randint(50, (2, 8))
    expected = theirs(ids, labels=ids, output_attentions=True)
    weights = []
    close(ours(ids), expected.logits)
    close(ours(ids, weights=weights), expected.logits)
    close(tuple(weights), expected.attentions)
    close(ours.loss(ids[:, :-1], ids[:, 1:]).float(), expected.loss)


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_encoder_is_bert_s_body(dtype):
    settings = BertConfig(
        vocab_size=50, hidden_size=12, num_attention_heads=3, intermediate_size=20, num_hidden_layers=2,
        max_position_embeddings=9, type_vocab_size=2, attn_implementation="eager",
    )  # fmt: skip
    theirs = shake(BertModel(settings)).to(dtype).eval()
    ours = Encoder(EncoderConfig(50, 12, 3, 20, 2, 9, 2)).to(dtype)
    names = BERTS | in_layers(2, BERTS_LAYER, "blocks.{}.", "encoder.layer.{}.")
    ours.load_state_dict(renamed(theirs.state_dict(), names))
    ids, segments = torch.randint(50, (2, 8)), torch.randint(2, (2, 8))
    real = padding_mask(torch.tensor([8, 5]), 8)
    for given, mask in ((segments, real), (segments, None), (None, real)):
        attend = torch.ones(2, 8) if mask is None else mask.long()
        expected = theirs(ids, attend, given, output_attentions=True)
        weights = []
        close(ours(ids, mask, given), expected.last_hidden_state)
        close(ours(ids, mask, given, weights), expected.last_hidden_state)
        close(tuple(weights), expected.attentions)


# -- who sees whom -------------------------------------------------------------------------------------------


def language_model(style=PRE_NORM, **options):
    return shake(LanguageModel(LanguageModelConfig(50, 12, 3, 2, 9, style=style, **options))).double()


def encoder_decoder(style=PRE_NORM, **options):
    return shake(
        EncoderDecoder(EncoderDecoderConfig(50, 12, 3, 20, 2, positions=9, style=style, **options))
    ).double()


@pytest.mark.parametrize("style", STYLES, ids=str)
def test_no_position_sees_a_later_one(style):
    block = shake(Block(12, 3, 20, style=style)).double()
    decoder = shake(DecoderBlock(12, 3, 20, style=style)).double()
    x, memory = torch.randn(5, 12).double(), torch.randn(1, 4, 12).double()
    assert torch.equal(sees(lambda x: block(x[None], causal=True)[0], x), causal_mask(5))
    assert torch.equal(sees(lambda x: block(x[None], causal=True, weights=[])[0], x), causal_mask(5))
    assert torch.equal(sees(lambda x: decoder(x[None], memory)[0], x), causal_mask(5))
    assert sees(lambda x: block(x[None])[0], x).all()


def test_the_language_model_s_past_does_not_depend_on_its_future():
    model, ids = language_model(), torch.randint(50, (2, 8))
    changed = ids.clone()
    changed[:, 5:] = (changed[:, 5:] + 1) % 50
    before, after = model(ids), model(changed)
    close(before[:, :5], after[:, :5])
    assert not torch.isclose(before[:, 5:], after[:, 5:]).all(-1).any()


def test_what_stands_at_padding_changes_nothing():
    real = padding_mask(torch.tensor([8, 5]), 8)
    ids = torch.randint(50, (2, 8))
    changed = torch.where(real, ids, (ids + 7) % 50)
    encoder = shake(Encoder(EncoderConfig(50, 12, 3, 20, 2, 9))).double()
    close(encoder(ids, real)[real], encoder(changed, real)[real])
    close(encoder(ids, real)[1, :5], encoder(ids[1:, :5])[0])
    model, target = encoder_decoder(), torch.randint(50, (2, 4))
    close(model(ids, target, real), model(changed, target, real))
    close(model(ids, target, real)[1], model(ids[1:, :5], target[1:])[0])


@pytest.mark.parametrize("weights", [None, []], ids=["fused", "with weights"])
def test_a_query_that_may_attend_to_nothing_gets_zeros_and_finite_gradients(weights):
    attention = shake(SelfAttention(12, 3))
    x = torch.randn(2, 5, 12, requires_grad=True)
    real = torch.tensor([[0, 0, 1, 1, 1], [1, 1, 1, 1, 1]]).bool()
    output = attention(x, real[:, None, None], causal=True, weights=weights)
    close(output[0, :2], attention.W_o.bias.expand(2, 12))
    output.square().sum().backward()
    assert x.grad.isfinite().all()


# -- step by step --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("steps", [[1] * 8, [5, 1, 1, 1], [3, 2, 3], [8]], ids=str)
@pytest.mark.parametrize("style", [PRE_NORM, PAPER], ids=str)
def test_cached_steps_give_what_the_full_pass_gives(style, steps):
    model, ids = language_model(style), torch.randint(50, (2, 8))
    cache = model.new_cache()
    parts = [model(part, cache) for part in ids.split(steps, dim=1)]
    close(torch.cat(parts, dim=1), model(ids))
    assert [layer["k"].shape for layer in cache] == [(2, 3, 8, 4)] * 2


@pytest.mark.parametrize("steps", [[1] * 8, [3, 2, 3]], ids=str)
@pytest.mark.parametrize("style", [PRE_NORM, PAPER], ids=str)
def test_cached_decoding_of_a_source_gives_what_the_full_pass_gives(style, steps):
    model, source, target = encoder_decoder(style), torch.randint(50, (2, 6)), torch.randint(50, (2, 8))
    real = padding_mask(torch.tensor([6, 4]), 6)
    memory, cache = model.encode(source, real), model.new_cache()
    parts, weights = [], []
    for part in target.split(steps, dim=1):
        weights.append([])
        parts.append(model.decode(part, memory, real, cache, weights[-1]))
        memory = torch.full_like(memory, torch.nan)  # it is in the cache from the first step on
    close(torch.cat(parts, dim=1), model(source, target, real))
    assert [tuple(found.shape) for found in weights[0]] == [(2, 3, steps[0], 6)] * 2


def test_too_many_positions_are_an_error_in_one_pass_and_step_by_step():
    model, ids = language_model(), torch.randint(50, (2, 10))
    with pytest.raises(ValueError, match=r"^10 positions, but the model has vectors for 9$"):
        model(ids)
    cache = model.new_cache()
    model(ids[:, :9], cache)
    with pytest.raises(ValueError, match=r"^10 positions, but the model has vectors for 9$"):
        model(ids[:, 9:], cache)


# -- counting ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("style", STYLES, ids=str)
def test_the_modules_are_as_large_as_lesson_06_says(style):
    last = counting.norm_parameters(12)
    assert count(FeedForward(12, 20)) == counting.feed_forward_parameters(12, 20)
    assert count(SelfAttention(12, 3)) == counting.attention_parameters(12, 3)
    assert count(Block(12, 3, 20, style=style)) == counting.encoder_layer_parameters(12, 3, 20)
    assert count(DecoderBlock(12, 3, 20, style=style)) == counting.decoder_layer_parameters(12, 3, 20)
    sizes = (50, 12, 3, 2, 9)
    lacking = 0 if style.norm_first else last
    assert (
        count(LanguageModel(LanguageModelConfig(*sizes, style=style)))
        == counting.gpt2_parameters(*sizes) - lacking
    )
    sizes = (50, 12, 3, 20, 2, 9, 2)
    pooler = counting.linear_parameters(12, 12)
    assert count(Encoder(EncoderConfig(*sizes, style=style))) == counting.bert_parameters(*sizes) - pooler
    for tied in (True, False):
        sizes = (50, 12, 3, 20, 2, tied)
        more = 2 * last if style.norm_first else 0  # for each stack
        assert (
            count(EncoderDecoder(EncoderDecoderConfig(*sizes, style=style)))
            == counting.transformer_parameters(*sizes) + more
        )


def test_gpt2_small_has_124_million():
    with torch.device("meta"):
        assert count(LanguageModel(LanguageModelConfig(50_257, 768, 12, 12, 1024))) == 124_439_808


def test_the_operations_of_training_are_those_of_lesson_06():
    model, ids = LanguageModel(LanguageModelConfig(50, 12, 3, 2, 9)), torch.randint(50, (2, 8))
    weights = sum(weight.numel() for name, weight in model.named_parameters() if weight.dim() == 2)
    weights -= model.positions.weight.numel()  # looked up; that of the words multiplies, as the head
    with FlopCounterMode(display=False) as counter:
        model(ids, weights=[]).sum().backward()  # the counter doesn't know the fused kernel of CPUs
    assert counter.get_total_flops() == 16 * counting.training_flops_per_token(weights, 2, 8, 12)


# -- training ------------------------------------------------------------------------------------------------


def models():
    ids = torch.randint(50, (2, 9))
    for style in STYLES:
        yield language_model(style), lambda model: model(ids)
        yield (
            shake(Encoder(EncoderConfig(50, 12, 3, 20, 2, 9, 2, style=style))),
            lambda model: model(ids, segments=ids % 2),
        )
        for tied in (True, False):
            yield encoder_decoder(style, tied=tied), lambda model: model(ids, ids)


def test_gradients_reach_all_parameters():
    for model, run in models():
        run(model).square().sum().backward()
        for name, parameter in model.named_parameters():
            assert parameter.grad is not None and parameter.grad.any(), name


def test_the_tied_matrix_learns_as_embedding_and_as_output():
    model, ids = language_model(), torch.zeros(1, 3, dtype=torch.long)
    model(ids)[..., 1].sum().backward()
    assert model.words.weight is model.head.weight
    assert model.words.weight.grad[0].any() and model.words.weight.grad[1].any()
    assert not model.words.weight.grad[2:].any()


def test_the_loss_starts_at_the_entropy_of_the_vocabulary_and_skips_what_is_not_asked():
    model, ids = LanguageModel(LanguageModelConfig(50, 32, 4, 4, 9)), torch.randint(50, (16, 9))
    uniform = torch.tensor(50.0).log()
    close(model.loss(ids[:, :-1], ids[:, 1:]), uniform, rtol=0, atol=0.1)
    source = EncoderDecoder(EncoderDecoderConfig(50, 32, 4, 64, 2))(ids, ids[:, :-1]).flatten(0, 1)
    close(torch.nn.functional.cross_entropy(source, ids[:, 1:].flatten()), uniform, rtol=0, atol=0.1)
    targets = ids[:, 1:].clone()
    targets[:, 3:] = -100
    close(model.loss(ids[:, :-1], targets), model.loss(ids[:, :3], ids[:, 1:4]))


def test_what_writes_on_the_residual_path_starts_smaller():
    model = LanguageModel(LanguageModelConfig(50, 64, 4, 8, 9))
    for name, weight in model.named_parameters():
        if weight.dim() == 2:
            expected = (
                0.02 / 4
                if name.endswith(("W_o.weight", "W_down.weight"))
                else 0.02 * (8 if "positions" in name else 1)
            )
            close(weight.std(), torch.tensor(expected), rtol=0.1, atol=0)
        else:
            expected = float("norm" in name and name.endswith("weight"))
            close(weight, torch.full_like(weight, expected))


def test_dropout_acts_in_training_alone():
    ids = torch.randint(50, (2, 9))
    for model, run in (
        (language_model(dropout=0.5), lambda model: model(ids)),
        (encoder_decoder(dropout=0.5), lambda model: model(ids, ids)),
        (shake(Encoder(EncoderConfig(50, 12, 3, 20, 2, 9, dropout=0.5))), lambda model: model(ids)),
    ):
        assert not torch.isclose(run(model), run(model)).all()
        model.eval()
        close(run(model), run(model), rtol=0, atol=0)


def test_a_few_steps_learn_a_sequence_by_heart():
    model, ids = LanguageModel(LanguageModelConfig(20, 32, 4, 2, 12)), torch.randint(20, (4, 13))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in range(60):
        optimizer.zero_grad()
        loss = model.loss(ids[:, :-1], ids[:, 1:])
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.5


# -- errors --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [SelfAttention, CrossAttention])
def test_channels_that_cannot_be_shared_out_are_an_error(make):
    with pytest.raises(ValueError, match=r"^8 channels can't be shared among 3 heads$"):
        make(8, 3)


def test_segments_that_were_not_learned_are_an_error():
    ids = torch.zeros(1, 3, dtype=torch.long)
    with pytest.raises(ValueError, match=r"^this encoder was made without segments$"):
        Encoder(EncoderConfig(50, 12, 3, 20, 2, 9))(ids, segments=ids)


def test_a_mask_where_one_boolean_for_each_token_belongs_is_an_error():
    ids = torch.ones(2, 3, dtype=torch.long)
    with pytest.raises(ValueError, match=r"\(B, T\): this is \(2, 1, 1, 3\), where the tokens are \(2, 3\)$"):
        Encoder(EncoderConfig(50, 12, 3, 20, 2, 9))(ids, (ids > 0)[:, None, None, :])


@pytest.mark.parametrize("weights", [None, []], ids=["fused", "with weights"])
@pytest.mark.parametrize(
    ("mask", "said"),
    [
        (torch.ones(5, 5), "a mask is boolean, True means may attend, but this one is torch.float32"),
        (torch.ones(2, 5, 5).bool(), r"a mask \(2, 5, 5\) of three axes says nothing about heads"),
    ],
)
def test_masks_that_mean_something_else_are_errors(mask, said, weights):
    for causal in (True, False):
        with pytest.raises(ValueError, match=f"^{said}"):
            Block(12, 3, 20)(torch.randn(2, 5, 12), mask, causal, weights=weights)


# -- the faster of two matrix products -----------------------------------------------------------------------


@pytest.mark.parametrize("bias", [True, False])
def test_a_large_linear_map_gives_torchs_numbers_and_gradients_whichever_library_multiplies(
    bias: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch.manual_seed(0)
    ours, theirs = Linear(96, 200, bias), nn.Linear(96, 200, bias)
    theirs.load_state_dict(ours.state_dict())
    x, ramp = torch.randn(4, 50, 96, requires_grad=True), torch.randn(4, 50, 200)
    asked = []
    monkeypatch.setattr(linear, "mkl_is_slow", lambda: asked.append(True) or True)
    found = []
    for layer in (ours, theirs):
        x.grad = None
        output = layer(x)
        (output * ramp).sum().backward()
        found.append([output, x.grad, *(parameter.grad for parameter in layer.parameters())])
    assert asked, "it was large enough"
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other, atol=1e-3, rtol=1e-4)
    with torch.no_grad():
        assert torch.equal(ours(x[:1, :2]), theirs(x[:1, :2])), "small ones are torch's own"
        torch.testing.assert_close(ours.double()(x.double()), theirs.double()(x.double()))


def test_a_feed_forward_network_of_the_student_s_own_multiplies_as_fast() -> None:
    class Own(nn.Module):
        def __init__(self, d_model: int, d_ff: int) -> None:
            super().__init__()
            self.W_up, self.W_down = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    own = Block(8, 2, 16, parts=Parts(feed_forward=Own)).feed_forward
    assert isinstance(own, Own)
    assert type(own.W_up) is type(own.W_down) is Linear
