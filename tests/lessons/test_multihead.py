"""The helpers of lesson 02 do what they say and agree with torch; what the lesson claims holds."""

import math
import re
import subprocess
import sys

import pytest
import torch

from autograder.exercises import load
from helpers import multihead
from helpers.attention import scaled_dot_product_attention
from helpers.checking.calling.registry import make_layer
from helpers.multihead import MultiHeadAttention, experiments, explorers, merge_heads, split_heads
from tests.support.proved import COURSE, follows_from

pytestmark = follows_from(*COURSE)

DTYPES = (torch.float32, torch.float64)


def close(got, expected, **tolerances):
    torch.testing.assert_close(got, expected, **tolerances)


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


# -- splitting and merging -------------------------------------------------------------------------------


@pytest.mark.parametrize("front", [(), (2,), (2, 3)], ids=str)
def test_a_head_gets_its_run_of_channels_at_every_position(front):
    x = torch.randn(*front, 4, 6)
    heads = split_heads(x, 3)
    assert heads.shape == (*front, 3, 4, 2)
    for head in range(3):
        close(heads[..., head, :, :], x[..., 2 * head : 2 * head + 2])
    close(merge_heads(heads), x)


def test_a_round_trip_by_view_alone_comes_back_too():
    x = torch.arange(60).reshape(5, 12)
    assert torch.equal(x.view(3, 5, 4).reshape(5, 12), x)
    assert not torch.equal(x.view(3, 5, 4), split_heads(x, 3))


@pytest.mark.parametrize(
    "make", [lambda: split_heads(torch.randn(3, 8), 3), lambda: MultiHeadAttention(8, 3)]
)
def test_channels_that_cannot_be_shared_out_are_an_error(make):
    with pytest.raises(ValueError, match=r"^8 channels can't be shared among 3 heads$"):
        make()


# -- the module ------------------------------------------------------------------------------------------


def torch_module(d_model=12, n_heads=3, bias=True, dtype=torch.float32):
    module = torch.nn.MultiheadAttention(d_model, n_heads, bias=bias, batch_first=True, dtype=dtype)
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter, std=0.4)
    return module


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("bias", [True, False], ids=["bias", "no bias"])
@pytest.mark.parametrize("masked", [False, True], ids=["no mask", "mask"])
@pytest.mark.parametrize("cross", [False, True], ids=["self", "cross"])
def test_it_gives_the_numbers_of_torch_with_its_weights(cross, masked, bias, dtype):
    theirs = torch_module(bias=bias, dtype=dtype)
    ours = MultiHeadAttention.from_torch(theirs)
    y = torch.randn(2, 4, 12, dtype=dtype)
    x = torch.randn(2, 5, 12, dtype=dtype) if cross else y
    mask = torch.rand(2, 1, 4, x.size(1)) < 0.6 if masked else None
    if masked:
        mask[..., 1] = True
    hidden = ~mask.expand(2, 3, 4, x.size(1)).flatten(0, 1) if masked else None
    right = theirs(y, x, x, attn_mask=hidden, average_attn_weights=False)
    output, weights = ours(y, x if cross else None, mask)
    close(output, right[0])
    close(weights, right[1])
    close(ours(y, x, mask, need_weights=False)[0], output)
    assert ours(y, x, mask, need_weights=False)[1] is None


def test_its_gradients_are_those_of_torch():
    theirs = torch_module(dtype=torch.float64)
    ours = MultiHeadAttention.from_torch(theirs)
    x = torch.randn(2, 4, 12, dtype=torch.float64)
    for need_weights in (True, False):
        ours.zero_grad()
        theirs.zero_grad()
        ours(x, need_weights=need_weights)[0].square().sum().backward()
        theirs(x, x, x, need_weights=need_weights)[0].square().sum().backward()
        packed = torch.cat([getattr(ours, name).weight.grad for name in ("W_q", "W_k", "W_v")])
        close(packed, theirs.in_proj_weight.grad)
        close(ours.W_o.weight.grad, theirs.out_proj.weight.grad)


def test_the_exercise_s_reference_and_the_helper_agree():
    helper, plain = MultiHeadAttention(6, 2), load("multihead")["multihead.module"].reference(6, 2)
    plain.load_state_dict(helper.state_dict())
    y, x, mask = torch.randn(2, 3, 6), torch.randn(2, 4, 6), torch.ones(3, 4).tril().bool()
    for arguments in ((y,), (y, x), (y, x, mask)):
        for a, b in zip(helper(*arguments), plain(*arguments), strict=True):
            close(a, b)


def test_one_head_is_lesson_01_s_attention():
    module = MultiHeadAttention(6, 1)
    y, x = torch.randn(2, 3, 6), torch.randn(2, 4, 6)
    attended, weights = scaled_dot_product_attention(module.W_q(y), module.W_k(x), module.W_v(x))
    close(module(y, x)[0], module.W_o(attended))
    close(module(y, x)[1], weights[:, None])


def test_the_example_by_hand():
    module = MultiHeadAttention(2, 2)
    for layer in module.children():
        torch.nn.init.eye_(layer.weight)
        torch.nn.init.zeros_(layer.bias)
    output, weights = module(torch.eye(2)[None])
    close(output, torch.tensor([[[0.73, 0.5], [0.5, 0.73]]]), rtol=0, atol=0.005)
    close(weights[0, 0, 0], torch.tensor([0.73, 0.27]), rtol=0, atol=0.005)


@pytest.mark.parametrize(
    ("mask", "said"),
    [
        (torch.ones(3, 3), "a mask is boolean, True means may attend, but this one is torch.float32"),
        (torch.ones(2, 3, 3).bool(), r"a mask \(2, 3, 3\) of three axes says nothing about heads"),
    ],
)
def test_masks_that_mean_something_else_are_errors(mask, said):
    with pytest.raises(ValueError, match=f"^{said}"):
        MultiHeadAttention(6, 2)(torch.randn(2, 3, 6), mask=mask)


@pytest.mark.parametrize("other", [{"kdim": 5, "vdim": 5}, {"add_bias_kv": True}, {"add_zero_attn": True}])
def test_what_ours_has_not_is_refused(other):
    with pytest.raises(ValueError, match=r"^no kdim"):
        MultiHeadAttention.from_torch(torch.nn.MultiheadAttention(6, 2, **other))


# -- costs -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_heads", [1, 2, 4])
def test_costs_are_what_torch_counts(n_heads):
    from torch.utils.flop_counter import FlopCounterMode

    module, x = MultiHeadAttention(16, n_heads), torch.randn(1, 10, 16)
    with FlopCounterMode(display=False) as counter:
        _, weights = module(x)
    parameters, multiplications, numbers = multihead.costs(10, 16, n_heads)
    assert parameters == sum(parameter.numel() for parameter in module.parameters())
    assert 2 * multiplications == counter.get_total_flops()
    assert numbers == weights.numel()


def test_the_costs_by_hand():
    assert multihead.costs(10, 4, 2) == (80, 1440, 200)


# -- two places at once ----------------------------------------------------------------------------------


def test_two_heads_bring_home_both_neighbours():
    numbers = torch.tensor([[7.0, 2.0, 5.0, 4.0], [-1.0, 8.0, 0.0, 3.0]])
    found = make_layer({"layer": "two heads at a round table", "weights": [numbers]})(
        multihead.both_neighbours()
    )
    close(found[..., 0], numbers.roll(-1, dims=1))
    close(found[..., 1], numbers.roll(1, dims=1))
    assert (found[..., 2:] == 0).all()


def test_a_matrix_of_another_shape_is_named():
    use = make_layer({"layer": "two heads at a round table", "weights": [torch.randn(2, 4)]})
    W_q, W_k, W_v, W_o = multihead.both_neighbours()
    with pytest.raises(ValueError, match=r"^W_k has the shape \(4, 2\), but it should have \(4, 4\)$"):
        use((W_q, W_k[:, :2], W_v, W_o))
    with pytest.raises(ValueError, match=r"^give four tensors: W_q, W_k, W_v, W_o$"):
        use((W_q, W_k, W_v))


def test_one_head_brings_home_one_number_whatever_its_matrices():
    """The proof of 2.8: with huge numbers, both channels are fixed multiples of one and the same average."""
    directions = torch.tensor([[0.0, 1.0], [1.0, 0.0], [0.0, -1.0], [-1.0, 0.0]], dtype=torch.float64)
    W_q, W_k, W_v, W_o = torch.randn(4, 4, 4, dtype=torch.float64)
    ratios = []
    for _ in range(5):
        numbers = 1e9 * torch.randn(4, 1, dtype=torch.float64)
        x = torch.cat([directions, numbers, torch.zeros(4, 1)], dim=-1)
        output = scaled_dot_product_attention(x @ W_q, x @ W_k, x @ W_v)[0] @ W_o
        ratios.append(output[:, 0] / output[:, 1])
    close(torch.stack(ratios), ratios[0][0].expand(5, 4), rtol=1e-4, atol=0)


# -- single heads ----------------------------------------------------------------------------------------


def test_the_output_is_a_sum_over_heads():
    module, x = MultiHeadAttention(6, 3), torch.randn(2, 4, 6)
    output, _ = module(x)
    alone = []
    for head in range(3):
        weight = multihead.switch_off(module.W_o.weight, torch.arange(3) == head)
        found, _ = torch.func.functional_call(module, {"W_o.weight": weight}, (x,))
        alone.append(found - module.W_o.bias)
    close(sum(alone) + module.W_o.bias, output)


def test_importance_is_what_the_loss_grows_by():
    loss = {(True, True): 0.20, (False, True): 0.90, (True, False): 0.15}
    found = multihead.head_importance(lambda keep: torch.tensor(loss[tuple(keep.tolist())]), 2)
    close(found, torch.tensor([0.70, -0.05]))


# -- the sentences and the explorers ---------------------------------------------------------------------


def test_the_answers_are_the_nouns_on_both_sides_of_the_verb():
    tokens, who, whom = explorers.sentences(50, seed=3)
    words = [[explorers.WORDS[token] for token in row] for row in tokens.tolist()]
    assert (tokens[:, -1] == 0).all() and not (tokens == 1).all()
    for row, place in (who >= 0).nonzero().tolist():
        nouns = [n for n, word in enumerate(words[row]) if word in explorers.NOUNS]
        before, after = max(n for n in nouns if n < place), min(n for n in nouns if n > place)
        assert words[row][place] in explorers.VERBS
        assert words[row][before] == explorers.NOUNS[who[row, place]]
        assert words[row][after] == explorers.NOUNS[whom[row, place]]
    assert torch.equal(who >= 0, whom >= 0)


def test_an_unknown_word_is_the_unknown_one():
    assert explorers.encode(["the", "purple", "cat"]).tolist() == [2, 1, 3]


def alt(html) -> list[str]:
    return re.findall(r'alt="([^"]+)"', html)


def test_bars_of_shares_leave_room_for_their_legend():
    ax = explorers.shares(["a", "b"], {"who": [1.0, 0.5], "whom": [1.0, 1.0]}, title="Shares")
    assert max(bar.get_height() for bar in ax.patches) < 0.8 * ax.get_ylim()[1]
    assert "who: a: 1, b: 0.5" in ax.get_label()


def test_the_split_explorer_shows_who_gets_what_and_follows_its_slider():
    heads, picture = explorers.split_explorer(split_heads).children
    (said,) = alt(picture.value)
    assert "view alone, 3 heads: position 0 goes to head 0; position 1 goes to head 0, 1" in said
    assert "your split_heads, 3 heads: position 0 goes to head 0, 1, 2" in said
    heads.value = 12
    assert "12 heads" in alt(picture.value)[0]


def not_written(*_):
    raise NotImplementedError


def read(tokens, keep):
    """Scores that say `cat`, and heads that look at word 0 and at everything alike."""
    count, nouns = tokens.size(1), len(explorers.NOUNS)
    first = torch.eye(count)[:1].expand(count, count)
    weights = torch.stack([first, torch.full((count, count), 1 / count)] * 2)[None]
    scores = 9.0 * (torch.arange(nouns) == 0).expand(1, count, nouns) * keep.any()
    return scores, scores, weights


def test_the_heads_explorer_shows_each_head_and_the_answers():
    sentence, place, switches, answers, picture = explorers.heads_explorer(read).children
    assert "head 0: chased looks most at the (1.00)" in alt(picture.value)[0]
    assert re.search(r"chased.*who\? <b>cat</b> \(100 %\).*saw.*whom\?", answers.value)
    before = picture.value
    place.value += 1
    assert "head 0: the looks most at the (1.00)" in alt(picture.value)[0]
    assert picture.value != before
    switches.children[0].value = False
    assert "head 0, off" in alt(picture.value)[0]
    for switch in switches.children:
        switch.value = False
    assert "(5 %)" in answers.value
    sentence.value = "the purple cat sat"
    assert "no verb here that the model knows" in answers.value and "seen purple, sat" in answers.value


@pytest.mark.parametrize("words", ["", "cat", "the cat " * 20, "<b>chased</b> the cat"])
def test_the_heads_explorer_takes_any_sentence(words):
    sentence, _, _, answers, picture = explorers.heads_explorer(read).children
    sentence.value = words
    assert ("<img" in picture.value) == (len(words.split()) > 1)
    assert "<b>chased" not in answers.value


@pytest.mark.parametrize(
    ("explorer", "exercise"),
    [
        (lambda: explorers.split_explorer(not_written), "Exercise 2.2a"),
        (lambda: explorers.heads_explorer(not_written), "Exercises 2.5 and 2.10"),
    ],
)
def test_explorers_wait_kindly_for_what_is_not_written(explorer, exercise):
    pictures = "".join(child.value for child in explorer().children if type(child).__name__ == "HTML")
    assert f"This needs {exercise}, not written yet" in pictures
    assert "<img" not in pictures


def test_importing_the_explorers_loads_neither_matplotlib_nor_ipywidgets():
    code = "import sys; from helpers.multihead import explorers; print({'matplotlib', 'ipywidgets'} & set(sys.modules))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "set()"


# -- what the lesson says of training --------------------------------------------------------------------


@pytest.mark.parametrize(("n_heads", "low", "high"), [(1, 0.3, 1.0), (2, 0.0, 0.15)])
def test_two_heads_learn_what_one_cannot(n_heads, low, high):
    directions = torch.tensor([[0.0, 1.0], [1.0, 0.0], [0.0, -1.0], [-1.0, 0.0]])
    torch.manual_seed(1)
    layer, losses = MultiHeadAttention(4, n_heads), []
    optimizer = torch.optim.Adam(layer.parameters(), lr=0.03)
    for _ in range(300):
        numbers = torch.randn(64, 4)
        number = numbers[..., None]
        x = torch.cat([directions.expand(64, 4, 2), number, torch.zeros_like(number)], dim=-1)
        right = torch.stack([numbers.roll(-1, 1), numbers.roll(1, 1)], dim=-1)
        loss = (layer(x)[0][..., :2] - right).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert low <= math.fsum(losses[-50:]) / 50 <= high


def test_the_module_is_compared_with_torch_s_and_a_swapped_weight_shows():
    def swapped(weight, bias):
        found = multihead.unpack_projections(weight, bias)
        return found | {"W_q.weight": found["W_k.weight"], "W_k.weight": found["W_q.weight"]}

    right = experiments.against_torch(MultiHeadAttention, multihead.unpack_projections)
    assert list(right) == ["self-attention", "cross-attention", "mask"]
    assert max(max(gaps) for gaps in right.values()) < 1e-5
    wrong = experiments.against_torch(MultiHeadAttention, swapped)
    assert min(gaps[1] for gaps in wrong.values()) > 1e-2


def test_one_head_learns_half_of_what_two_heads_learn():
    def table(numbers):
        places = torch.tensor([[0.0, 1.0], [1.0, 0.0], [0.0, -1.0], [-1.0, 0.0]]).expand(*numbers.shape, 2)
        return torch.cat([places, numbers.unsqueeze(-1), torch.zeros(*numbers.shape, 1)], dim=-1)

    one, two = (experiments.neighbours_learned(MultiHeadAttention, heads, table) for heads in (1, 2))
    assert list(one) == list(two) == list(range(50, 401, 50))
    assert min(one[400]) > 0.35 and max(two[400]) < 0.15
