"""The helpers of lesson 04 do what they say, and what the lesson claims is so."""

import base64
import math
import re

import pytest
import torch

from autograder import lessons
from helpers import masking
from helpers.attention import scaled_dot_product_attention
from helpers.figures import showing
from helpers.masking import experiments, explorers, figures, recipes
from tests.support.proved import COURSE, follows_from
from tests.support.shown import shown_in

pytestmark = follows_from(*COURSE)

SDPA = torch.nn.functional.scaled_dot_product_attention
DTYPES = (torch.float32, torch.float64)
BY_CHANCE = "positions that see each other by chance"
SUMS = "running sums whose features sum to 0"
ABOVE = "running sums of what lies above 5"
CLEAN = {"causal self-attention", "a window of two positions", SUMS, ABOVE}


def close(got, expected):
    torch.testing.assert_close(got, expected)


def normal(*shape, seed=0, dtype=torch.float32):
    return torch.randn(*shape, dtype=dtype, generator=torch.Generator().manual_seed(seed))


def layer(name, d=4):
    if name == ABOVE:
        return recipes.LAYERS[name](torch.tensor(0.0))
    seeds = (1,) if name == SUMS else (1, 2, 3)
    return recipes.LAYERS[name](*(normal(d, 3, seed=n) / 2 for n in seeds))


# -- masks ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("T", [1, 2, 5])
def test_the_causal_mask_is_what_torch_takes_for_causal(T):
    q, k, v = (normal(T, 4, seed=n) for n in range(3))
    close(SDPA(q, k, v, attn_mask=masking.causal_mask(T)), SDPA(q, k, v, is_causal=True))


def test_the_table_of_section_4_2():
    mask = masking.padding_mask(torch.tensor([2, 3]), 4)
    assert mask.tolist() == [[True, True, False, False], [True, True, True, False]]


def test_a_decoder_sees_what_both_masks_allow():
    real = torch.tensor([[False, True, True], [True, True, False]])
    assert masking.decoder_mask(real).tolist() == [
        [[False, False, False], [False, True, False], [False, True, True]],
        [[True, False, False], [True, True, False], [True, True, False]],
    ]


def test_with_padding_at_the_end_the_causal_mask_hides_it_from_every_word():
    lengths, T = torch.tensor([1, 3, 5]), 5
    real = masking.padding_mask(lengths, T)
    both = masking.decoder_mask(real)
    for sentence, words in zip(both, lengths.tolist(), strict=True):
        assert torch.equal(sentence[:words], masking.causal_mask(T)[:words])
    assert not torch.equal(masking.decoder_mask(real.flip(1))[0], masking.causal_mask(T))


def test_a_mask_without_an_axis_for_heads_is_taken_for_heads_where_their_number_fits():
    B = H = 2
    q = normal(B, H, 3, 4)
    mask = torch.stack([masking.causal_mask(3), torch.ones(3, 3, dtype=torch.bool)])  # one for each sentence
    meant, got = (scaled_dot_product_attention(q, q, q, m)[0] for m in (mask.unsqueeze(1), mask))
    assert not torch.allclose(meant, got)
    close(got, scaled_dot_product_attention(q, q, q, mask.expand(B, H, 3, 3))[0])
    with pytest.raises(RuntimeError, match="must match the size"):
        scaled_dot_product_attention(normal(B, 4, 3, 4), normal(B, 4, 3, 4), normal(B, 4, 3, 4), mask)


# -- attention that survives empty rows ----------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_masked_attention_agrees_with_torch_in_empty_rows_too(dtype):
    q, k, v = (normal(2, T, 4, seed=T, dtype=dtype).requires_grad_() for T in (3, 5, 5))
    mask = torch.rand(2, 3, 5, generator=torch.Generator().manual_seed(1)) < 0.6
    mask[0, 1] = False
    output, weights = masking.masked_attention(q, k, v, mask)
    close(output, SDPA(q, k, v, attn_mask=mask))
    assert (weights[0, 1] == 0).all()
    close(weights.sum(-1), mask.any(-1).to(dtype))
    ours = torch.autograd.grad(output.square().sum(), (q, k, v))
    theirs = torch.autograd.grad(SDPA(q, k, v, attn_mask=mask).square().sum(), (q, k, v))
    for a, b in zip(ours, theirs, strict=True):
        close(a, b)


def test_masked_attention_works_in_half_precision():
    q = normal(3, 4).half()
    output, _ = masking.masked_attention(q, q, q, torch.tensor([[True], [False], [True]]))
    assert output.isfinite().all() and (output[1] == 0).all()


def test_a_row_of_nan_that_nobody_reads_ruins_the_gradient_of_all_values():
    q, k, v = (normal(4, 3, seed=n).requires_grad_() for n in range(3))
    mask = masking.causal_mask(4) & torch.tensor([False, False, True, True])
    output, _ = scaled_dot_product_attention(q, k, v, mask)
    for loss in (output[2:].sum(), output.nan_to_num().sum()):
        assert torch.autograd.grad(loss, v, retain_graph=True)[0].isnan().all()
    assert torch.autograd.grad(masking.masked_attention(q, k, v, mask)[0].sum(), v)[0].isfinite().all()


# -- leaks ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(recipes.LAYERS.keys() - {BY_CHANCE}))
def test_the_detector_and_the_prefixes_agree_on_who_leaks(name):
    x = normal(5, 4)
    looks_ahead = bool(masking.sees(layer(name), x).triu(1).any())
    gap = (layer(name)(x) - masking.prefix_passes(layer(name), x)).abs().max()
    assert looks_ahead == (name not in CLEAN)
    assert (gap > 1e-3) == looks_ahead


def test_sees_finds_any_table():
    table, x = torch.randint(2, (36,), generator=torch.Generator().manual_seed(0)), normal(6, 4)
    layer = recipes.LAYERS[BY_CHANCE](normal(4, 3, seed=1), table)
    assert torch.equal(masking.sees(layer, x), table.reshape(6, 6).bool())
    close(layer(x[:3]), table.reshape(6, 6)[:3, :3].float() @ (x[:3] @ normal(4, 3, seed=1)))


def test_sees_by_hand():
    x = normal(3, 2)
    assert torch.equal(masking.sees(lambda x: x.cumsum(0), x), masking.causal_mask(3))
    assert masking.sees(lambda x: x.mean(0, keepdim=True).expand(3, 2), x).all()


@pytest.mark.parametrize("name", ["weights set to 0 after the softmax", "a softmax over the queries"])
def test_a_triangle_of_weights_is_no_proof(name):
    x, w_q, w_k = (normal(4, 4, seed=n, dtype=torch.float64) for n in range(3))
    weights = recipes.LAYERS[name](w_q, w_k, x.inverse())(
        x
    )  # with the identity as values they are the output
    assert weights.triu(1).abs().max() < 1e-9
    assert masking.sees(recipes.LAYERS[name](w_q, w_k, normal(4, 3, dtype=torch.float64)), x).triu(1).any()


def test_one_masked_pass_has_the_outputs_and_gradients_of_all_prefixes():
    x = normal(2, 6, 4, dtype=torch.float64).requires_grad_()
    causal = recipes.causal(*(normal(4, 3, seed=n, dtype=torch.float64) for n in (1, 2, 3)))
    outputs = causal(x), masking.prefix_passes(causal, x)
    close(*outputs)
    close(*(torch.autograd.grad(output.square().sum(), x)[0] for output in outputs))


def test_a_leak_goes_below_the_entropy_in_training_and_is_worse_than_guessing_in_use():
    """Section 4.8, by the texts of the lesson."""
    lesson = lessons.master_path("04_masking").read_text(encoding="utf-8")
    code = lesson[lesson.index("VOCABULARY, LENGTH") : lesson.index('# %% predict="masking.leak"')]
    names = {"torch": torch, "math": math}
    exec(code, names)
    assert round(names["entropy"], 2) == 1.19
    sizes, T = (names["VOCABULARY"], names["WIDTH"]), names["LENGTH"]
    (clean, clean_in_use), (leaky, leaky_in_use) = (
        experiments.losses(
            mask, masking.masked_attention, masking.prefix_passes, names["texts"], sizes, seed=7, steps=150
        )
        for mask in (masking.causal_mask(T), torch.ones(T, T, dtype=torch.bool))
    )
    assert abs(clean - clean_in_use) < 1e-3
    assert names["entropy"] - 0.02 < clean < 1.5
    assert leaky < 0.5 < math.log(8) < leaky_in_use - 0.3


# -- one token at a time -------------------------------------------------------------------------------------


@pytest.mark.parametrize("pieces", [(1,) * 7, (7,), (3, 1, 2, 1)], ids=str)
@pytest.mark.parametrize("front", [(), (2,)], ids=str)
def test_with_a_cache_any_pieces_give_the_full_pass(pieces, front):
    x = normal(*front, 7, 4, dtype=torch.float64)
    weights = [normal(4, 3, seed=n, dtype=torch.float64) for n in (1, 2, 3)]
    cache = {name: x.new_zeros(*front, 0, 3) for name in "kv"}
    outputs = []
    for piece in x.split(pieces, dim=-2):
        before = {name: stored.clone() for name, stored in cache.items()}
        output, longer = masking.cached_step(cache, piece, *weights)
        assert all(torch.equal(cache[name], before[name]) for name in "kv")
        outputs, cache = [*outputs, output], longer
    close(torch.cat(outputs, dim=-2), recipes.causal(*weights)(x))
    assert cache["k"].shape == (*front, 7, 3)


def test_the_size_of_a_cache_in_section_4_9():
    assert round(2 * 12 * 1024 * 768 * 2 / 1e6, 1) == 37.7


# -- polarities ----------------------------------------------------------------------------------------------

KINDS = ("may attend", "hidden", "additive", "integer")


@pytest.mark.parametrize("target", KINDS)
@pytest.mark.parametrize("source", KINDS)
def test_there_and_back(source, target):
    written = masking.convert(normal(3, 4) > 0, "may attend", source)
    there = masking.convert(written, source, target)
    back = masking.convert(there, target, source)
    assert back.dtype == written.dtype and torch.equal(back, written)


def test_an_unknown_kind_is_named():
    with pytest.raises(ValueError, match="'upside down' isn't a kind of mask"):
        masking.convert(torch.ones(2).bool(), "upside down", "hidden")
    with pytest.raises(ValueError, match="'upside down' isn't a kind of mask"):
        masking.convert(torch.ones(2).bool(), "hidden", "upside down")


def multihead():
    module = torch.nn.MultiheadAttention(4, num_heads=1, bias=False, batch_first=True)
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.eye(4).repeat(3, 1))
        module.out_proj.weight.copy_(torch.eye(4))
    return module


@pytest.mark.parametrize("asked", [True, False])
@pytest.mark.parametrize("in_front", [True, False])
def test_the_module_of_torch_takes_hidden_masks_and_makes_nan_of_empty_rows_when_asked_for_weights(
    in_front, asked
):
    x, real = normal(2, 5, 4), masking.padding_mask(torch.tensor([5, 3]), 5)
    real = real.flip(1) if in_front else real
    masks = {
        "attn_mask": masking.convert(masking.causal_mask(5), "may attend", "hidden"),
        "key_padding_mask": masking.convert(real, "may attend", "hidden"),
    }
    theirs = multihead()(x, x, x, **masks, need_weights=asked)[0].detach()
    ours = masking.masked_attention(x, x, x, masking.decoder_mask(real))[0]
    assert bool(theirs.isnan().any()) == (in_front and asked)
    close(theirs[real], ours[real])


@pytest.mark.parametrize("kind", ["may attend", "additive"])
def test_the_function_of_torch_takes_boolean_and_additive_masks(kind):
    x, mask = normal(5, 4), masking.causal_mask(5)
    close(
        SDPA(x, x, x, attn_mask=masking.convert(mask, "may attend", kind)),
        masking.masked_attention(x, x, x, mask)[0],
    )


# -- a bias --------------------------------------------------------------------------------------------------


def biased_attention(q, k, v, bias):
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1)) + bias).softmax(-1)
    return weights @ v, weights


def attention_with_the_slip(q, k, v, bias):
    weights = ((q @ k.transpose(-2, -1) + bias) / math.sqrt(q.size(-1))).softmax(-1)
    return weights @ v, weights


def test_biased_attention_agrees_with_torch():
    q, k, v = (normal(2, T, 4, seed=T) for T in (3, 5, 5))
    bias = normal(3, 5)
    close(biased_attention(q, k, v, bias)[0], SDPA(q, k, v, attn_mask=bias))


@pytest.mark.parametrize(
    ("hides", "same"), [(-math.inf, True), (-1e9, True), (-5.0, False), ("distance", False)]
)
def test_which_biases_may_be_added_inside_the_fraction(hides, same):
    q, k, v = (normal(6, 64, seed=n) for n in range(3))
    places = torch.arange(6.0)
    bias = -(places - places[:, None]).abs()
    if hides != "distance":
        bias = torch.zeros(6, 6).masked_fill(~masking.causal_mask(6), hides)
    gap = (biased_attention(q, k, v, bias)[1] - attention_with_the_slip(q, k, v, bias)[1]).abs().max()
    assert gap < 1e-6 if same else gap > 0.02


def test_the_weights_by_hand_of_a_bias():
    q, k, bias = torch.zeros(1, 64), torch.zeros(2, 64), torch.tensor([0.0, -2.0])
    assert biased_attention(q, k, k, bias)[1].tolist() == [pytest.approx([0.88, 0.12], abs=0.005)]
    assert attention_with_the_slip(q, k, k, bias)[1].tolist() == [pytest.approx([0.56, 0.44], abs=0.005)]


# -- several layers ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layers", [0, 1, 2, 3])
@pytest.mark.parametrize("name", explorers.presets())
def test_reach_by_counting_is_what_the_gradients_of_a_stack_say(name, layers):
    mask = explorers.presets()[name]
    stack = [[normal(4, 4, seed=10 * n + m) / 2 for m in range(3)] for n in range(layers)]

    def run(x):
        for w_q, w_k, w_v in stack:
            x = x + masking.masked_attention(x @ w_q, x @ w_k, x @ w_v, mask)[0]
        return x

    assert torch.equal(masking.reach(mask, layers), masking.sees(run, normal(6, 4, seed=99)))


def test_a_window_reaches_back_one_less_than_its_width_in_each_layer():
    places = torch.arange(12)
    back = places[:, None] - places
    for width, layers in ((2, 3), (3, 4), (4, 2)):
        reached = masking.reach((back >= 0) & (back < width), layers)
        assert torch.equal(reached, (back >= 0) & (back <= layers * (width - 1)))


def test_one_word_that_sees_all_and_is_seen_by_all_connects_everybody_in_two_layers():
    hub = torch.zeros(6, 6, dtype=torch.bool)
    hub[0] = hub[:, 0] = True
    assert masking.reach(hub, 2).all()
    assert not masking.reach(hub, 1).all()


# -- explorers and figures -----------------------------------------------------------------------------------


def alt(page: str) -> str:
    return re.search('alt="([^"]*)"', page)[1]


def heard(picture) -> list[str]:
    """Of which words the followed one may hold something."""
    numbers = shown_in(picture.value)
    row = numbers["found"][numbers["follow"]]
    return [word for word, may in zip(numbers["words"], row, strict=True) if may]


@pytest.fixture
def explorer():
    return explorers.reach_explorer(masking.reach).children


def test_more_layers_reach_further(explorer):
    layers, _, _, _, picture = explorer
    assert sum(map(sum, shown_in(picture.value)["found"])) == 11
    assert heard(picture) == ["was", "tired"]
    layers.value = 5
    assert shown_in(picture.value)["layers"] == 5
    assert heard(picture) == ["the", "cat", "that", "slept", "was", "tired"]


def test_where_nothing_computes_there_is_a_picture_of_the_masks_reach():
    still = explorers.reach_explorer(masking.reach).still
    assert "After 1 layer 11 of 36" in alt(still) and alt(still).endswith("can know of: was, tired.")
    assert b"<svg" in base64.b64decode(still.split("base64,")[1].split('"')[0])


def test_a_pressed_button_makes_a_mask_of_your_own(explorer):
    _, follow, choice, grid, picture = explorer
    choice.value = "only itself"
    follow.value = 2
    assert heard(picture) == ["that"]
    button = next(cell for cell in grid.children if getattr(cell, "tooltip", "") == "may that look at the?")
    assert button.description == "–"
    button.value = True
    assert (choice.value, button.description) == (explorers.OWN, "✓")
    assert heard(picture) == ["the", "that"]


@pytest.mark.parametrize(
    ("raised", "said"), [(NotImplementedError(), "not written yet"), (TypeError("x"), "TypeError: x")]
)
def test_the_explorer_waits_for_the_students_function(raised, said):
    def reach(mask, layers):
        raise raised

    picture = explorers.reach_explorer(reach).children[-1].value
    assert "Exercise 4.12" in picture and said in picture


def test_an_answer_of_another_shape_is_no_picture():
    picture = explorers.reach_explorer(lambda mask, layers: torch.ones(2, 3)).children[-1].value
    assert "a tensor (6, 6)" in picture


def test_a_cache_leaves_one_row_to_compute():
    words, cached, picture, numbers = explorers.cache_explorer(masking.cached_step).children
    words.value = 8
    assert alt(picture.value).startswith("Word 8, with a cache: 8 scores are computed now. So far 36 with")
    cached.value = False
    assert "Word 8, without a cache: 36 scores" in alt(picture.value)
    assert re.search("<b>8</b> keys and <b>8</b> values.*<b>0.000000</b>", numbers.value)


def test_the_cache_explorer_waits_for_the_students_function():
    def cached_step(cache, x, W_q, W_k, W_v):
        raise NotImplementedError

    *_, picture, numbers = explorers.cache_explorer(cached_step).children
    assert "<img" in picture.value
    assert "Exercise 4.9a, not written yet" in numbers.value


def test_masks_say_who_sees_whom():
    ax = figures.masks({"causal": masking.causal_mask(2), "none": torch.zeros(1, 2)}, "ab", "ab")
    assert showing.description(ax) == "causal: a → a; b → a, b. none: a → nothing; b → nothing."
    assert "data:image/svg+xml" in showing.image(ax)
