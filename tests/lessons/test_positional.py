"""The helpers of lesson 03 do what they say and what the papers say, and what its prose claims is so."""

import functools
import math

import pytest
import torch

from autograder.authoring.master import read_master
from autograder.lessons import master_path
from helpers import positional
from helpers.attention import permutation_gaps, scaled_dot_product_attention
from helpers.attention.reader import reader
from helpers.figures.showing import description
from helpers.positional import experiments, explorers
from helpers.positional.experiments import Way
from tests.support.proved import COURSE, follows_from
from tests.support.shown import shown_in

pytestmark = follows_from(*COURSE)

LESSON = "03_positional"


def close(got, expected, **tolerances):
    torch.testing.assert_close(got, expected, **tolerances)


def normal(*shape, seed=0, dtype=torch.float32):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


# -- absolute positions --------------------------------------------------------------------------------------


@pytest.mark.parametrize("base", [10_000.0, 100.0])
def test_the_table_follows_the_formula_entry_by_entry(base):
    table = positional.sinusoidal(7, 6, base)
    for p in range(7):
        for i in range(3):
            angle = p / base ** (2 * i / 6)
            close(table[p, 2 * i : 2 * i + 2], torch.tensor([math.sin(angle), math.cos(angle)]))


def test_the_lesson_s_table_by_hand():
    close(
        positional.sinusoidal(4, 4)[[0, 1, 3]],
        torch.tensor([[0, 1, 0, 1], [0.84, 0.54, 0.01, 1.00], [0.14, -0.99, 0.03, 1.00]]),
        atol=0.005,
        rtol=0,
    )


@pytest.mark.parametrize("front", [(), (2,), (2, 3)], ids=str)
def test_every_sentence_gets_the_same_rows(front):
    x, table = normal(*front, 4, 6), positional.sinusoidal(9, 6)
    close(positional.add_positions(x, table) - x, table[:4].expand(x.shape), atol=1e-6, rtol=0)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: positional.sinusoidal(3, 5), "pairs of sine and cosine, but d_model is 5"),
        (lambda: positional.rotary(normal(2, 3), torch.arange(2)), "in pairs, but there are 3"),
        (lambda: positional.add_positions(normal(4, 2), normal(3, 2)), "4 positions, but .* rows for 3"),
    ],
    ids=["odd width", "odd head", "too long"],
)
def test_errors_carry_the_values(call, said):
    with pytest.raises(ValueError, match=said):
        call()


def test_similarity_of_the_sinusoidal_table_is_a_sum_of_cosines():
    speeds = 10_000.0 ** (-torch.arange(0, 16, 2) / 16)
    expected = torch.cos(torch.arange(20).unsqueeze(1) * speeds).sum(dim=1)
    close(positional.similarity_by_distance(positional.sinusoidal(20, 16)), expected)
    by_hand = positional.similarity_by_distance(positional.sinusoidal(7, 4))[[0, 1, 3, 6]]
    close(by_hand, torch.tensor([2, 1.54, 0.01, 1.96]), atol=0.005, rtol=0)


def test_near_positions_are_similar_but_the_curve_has_humps():
    for width in (16, 128):
        curve = positional.similarity_by_distance(positional.sinusoidal(64, width))
        assert curve.argmax() == 0 and curve[1] == curve[1:].max()
        assert (curve.diff() > 0).any()


@pytest.mark.parametrize("k", [0, 1, 7, -3])
def test_one_matrix_moves_every_position(k):
    table, M = positional.sinusoidal(200, 12), positional.shift_matrix(k, 12)
    for p in (3, 50, 150):
        close(table[p] @ M, table[p + k], atol=2e-5, rtol=0)
    close(M @ M.T, torch.eye(12))


def test_no_matrix_moves_random_rows():
    rows = normal(1100, 32)
    best = torch.linalg.lstsq(rows[:-7], rows[7:]).solution
    assert (rows[:-7] @ best - rows[7:]).square().mean() > 0.9 * rows.square().mean()


def test_rows_of_a_learned_table_beyond_the_text_get_no_gradient():
    positions = normal(6, 4, seed=1).requires_grad_()
    positional.add_positions(normal(2, 3, 4), positions).square().sum().backward()
    assert (positions.grad.abs().sum(dim=1) > 0).tolist() == [True] * 3 + [False] * 3


# -- distances -----------------------------------------------------------------------------------------------


def test_the_lesson_s_bias_by_hand():
    bias = positional.relative_bias(torch.tensor([5, 4, 3, 2, 1]), 2, 4)
    assert bias.tolist() == [[3, 2, 1, 1], [4, 3, 2, 1]]


def test_each_head_has_a_bias_that_is_the_same_along_diagonals():
    bias = positional.relative_bias(normal(3, 5), 6, 7)
    assert bias.shape == (3, 6, 7)
    assert torch.equal(bias[:, 1:, 1:], bias[:, :-1, :-1])


def test_slopes_for_8_heads_are_those_of_the_paper():
    """Press et al. 2022, section 3: 1/2, 1/4, ..., 1/256."""
    penalty = positional.linear_penalty(8, 3, 5)
    assert penalty[:, 0, 1].tolist() == [-(0.5**h) for h in range(1, 9)]
    assert positional.linear_penalty(4, 3, 4)[0, 2].tolist() == [-0.5, -0.25, 0, -0.25]


def test_rotary_keeps_lengths_and_makes_scores_depend_on_distance_alone():
    q, k = normal(1, 8, dtype=torch.float64), normal(1, 8, seed=1, dtype=torch.float64)

    def score(i, j):
        return positional.rotary(q, torch.tensor([i])) @ positional.rotary(k, torch.tensor([j])).T

    close(positional.rotary(q, torch.tensor([9])).norm(), q.norm())
    close(score(2, 5), score(102, 105), atol=1e-4, rtol=0)
    assert (score(2, 5) - score(2, 6)).abs() > 1e-2
    one = torch.tensor([[1.0, 0.0]])
    by_hand = positional.rotary(one, torch.tensor([2])) @ positional.rotary(one, torch.tensor([5])).T
    close(by_hand.item(), math.cos(3), atol=1e-6, rtol=0)


def test_the_sinusoidal_table_is_an_arrow_turned_by_each_position():
    turned = positional.rotary(torch.tensor([1.0, 0.0]).repeat(64, 4), torch.arange(64))
    close(turned.unflatten(-1, (4, 2)).flip(-1).flatten(-2), positional.sinusoidal(64, 8), atol=1e-5, rtol=0)


def test_pairing_feature_i_with_i_plus_half_is_the_same_up_to_the_order_of_features():
    x, positions = normal(5, 8), torch.arange(5)
    angles = positions[:, None] * 10_000.0 ** (-torch.arange(0, 8, 2) / 8)
    a, b = x[:, :4], x[:, 4:]
    halves = torch.cat([a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()], dim=1)
    woven = torch.arange(8).reshape(2, 4).T.flatten()  # 0, 4, 1, 5, ...
    close(positional.rotary(x[:, woven], positions), halves[:, woven])


def test_rotary_attention_doesn_t_see_where_a_sentence_stands_and_sinusoidal_does():
    sentence, strange = normal(5, 8), normal(3, 8, seed=1)
    longer, seen = torch.cat([strange, sentence]), torch.arange(8) >= 3
    here, _ = positional.rotary_attention(sentence, sentence, sentence)
    there, _ = positional.rotary_attention(longer, longer, longer, seen)
    close(there[3:], here, atol=1e-5, rtol=0)
    x, y = (positional.add_positions(z, positional.sinusoidal(8, 8)) for z in (sentence, longer))
    here, there = scaled_dot_product_attention(x, x, x)[0], scaled_dot_product_attention(y, y, y, seen)[0]
    assert (there[3:] - here).abs().max() > 0.1


# -- what the lesson measures --------------------------------------------------------------------------------


def test_a_reader_without_positions_can_t_tell_the_lesson_s_two_texts_apart():
    first, second = "sadly", "luckily"
    text = "{} , the plot is gripping . {} , the jokes are"
    for kind, alike in (("", False), ("without positions", True)):
        each = [reader(kind=kind).read(text.format(*order)) for order in ((first, second), (second, first))]
        here, there = (reading.following for reading in each)
        assert torch.allclose(here, there, atol=1e-6) is alike
        if not alike:
            likely = [next(iter(reader().most_likely(reading, 1))) for reading in each]
            assert likely == ["wonderful", "boring"]


WAYS = {
    "learned table": Way(vectors=positional.add_positions, learned=(64, 32)),
    "sinusoidal": Way(vectors=positional.add_positions, table=positional.sinusoidal(64, 32)),
    "relative bias": Way(scores=positional.relative_bias, learned=(4, 31)),
    "rotary": Way(turned=positional.rotary),
    "linear penalty": Way(scores=positional.linear_penalty),
}


@functools.cache
def trained(name, task=experiments.speaking):
    """A third of the lesson's training, from another seed: what fails and what holds must be the same."""
    return experiments.train(WAYS[name], task, steps=100, seed=7)


def copied_code():
    """The lesson's own cell with the slip."""
    cells, _ = read_master(master_path(LESSON), LESSON)
    (source,) = [cell.source for cell in cells if cell.source.lstrip("\n").startswith("def copied_code")]
    exec(source, names := {"torch": torch})
    return names["copied_code"]


def test_the_slip_leaves_attention_deaf_to_order_and_takes_sentences_apart():
    def layer(add):
        def attend(x):
            x = add(x, positional.sinusoidal(20, 8))
            return scaled_dot_product_attention(x, x, x)[0]

        return attend

    twice, order = normal(6, 8).expand(2, 6, 8), torch.tensor([2, 0, 5, 1, 4, 3])
    slip, right = layer(copied_code()), layer(positional.add_positions)
    assert permutation_gaps(slip, twice, order)[0] < 1e-5 < 0.1 < permutation_gaps(right, twice, order)[0]
    assert (slip(twice)[0] - slip(twice)[1]).abs().max() > 0.1
    assert torch.equal(*right(twice))


def test_who_is_speaking_is_the_last_name():
    tokens, speaker = experiments.speaking((3, 20), torch.Generator().manual_seed(1))
    for row, answers in zip(tokens.tolist(), speaker.tolist(), strict=True):
        for place, answer in enumerate(answers):
            assert answer == [token for token in row[: place + 1] if token < 4][-1]


@pytest.mark.parametrize("task", [experiments.looking_back, experiments.three_back])
def test_the_answer_is_as_many_positions_back_as_the_token_says(task):
    tokens, answers = task((3, 20), torch.Generator().manual_seed(1))
    for row, found in zip(tokens.tolist(), answers.tolist(), strict=True):
        for place, answer in enumerate(found):
            back = 3 if task is experiments.three_back else row[place] + 1
            assert answer == (row[place - back] if place >= back else experiments.IGNORED)


def test_what_extrapolates_and_what_does_not_is_as_the_lesson_says():
    found = {name: experiments.accuracies(trained(name)).mean(dim=1).tolist() for name in WAYS}
    assert min(at_16 for at_16, _, _ in found.values()) > 0.75
    for kind in ("learned table", "sinusoidal"):
        assert max(found[kind][1:]) < 0.65
    assert found["rotary"][1] > 0.75 > 0.6 > found["rotary"][2]
    assert abs(found["linear penalty"][2] - found["linear penalty"][0]) < 0.05
    assert found["linear penalty"][2] > found["relative bias"][2] > max(found["sinusoidal"][2], 0.52)


def test_only_tables_care_where_the_numbering_starts():
    for name in WAYS:
        here, there = (experiments.accuracy(trained(name), start=start).mean() for start in (0, 8))
        assert here - there > 0.1 if WAYS[name].vectors else abs(here - there) < 0.01


@pytest.mark.parametrize(
    ("task", "fail", "succeeds"),
    [
        (experiments.looking_back, ("relative bias", "linear penalty"), "rotary"),
        (experiments.three_back, ("linear penalty",), "relative bias"),
    ],
    ids=["the word decides how far", "three back"],
)
def test_what_a_way_can_t_express(task, fail, succeeds):
    right = {name: experiments.accuracy(trained(name, task), task=task).mean() for name in (*fail, succeeds)}
    assert max(right[name] for name in fail) < 0.5 < 0.75 < right[succeeds]


# -- explorers -----------------------------------------------------------------------------------------------

EXPLORERS = {
    "positions": (explorers.positions_explorer, positional.sinusoidal),
    "rotary": (explorers.rotary_explorer, positional.rotary),
}


@pytest.mark.parametrize("name", EXPLORERS)
def test_an_explorer_s_picture_follows_every_control(name):
    make, answer = EXPLORERS[name]
    *controls, picture = make(answer).children
    for control in controls:
        before = picture.value
        if hasattr(control, "options"):
            control.index -= 1
        else:
            control.value += 1
        assert picture.value != before
        assert shown_in(picture.value)


@pytest.mark.parametrize("name", EXPLORERS)
def test_an_explorer_waits_kindly_for_its_function(name):
    def unwritten(*_, **__):
        raise NotImplementedError

    make, _ = EXPLORERS[name]
    assert "not written yet" in make(unwritten).children[-1].value
    assert "Now it stops with" in make(lambda *_: torch.zeros(2, 2)).children[-1].value


def test_moving_query_and_key_together_leaves_the_score_alone():
    apart, start, picture = explorers.rotary_explorer(positional.rotary).children
    before = shown_in(picture.value)["scores"]
    start.value = 17
    numbers = shown_in(picture.value)
    assert numbers["i"] == explorers.FARTHEST + 17 and numbers["scores"] == pytest.approx(before, abs=1e-4)
    apart.value = 9
    assert shown_in(picture.value)["key"] != numbers["key"]


def test_a_table_picture_and_a_grid_describe_themselves():
    assert "3 positions by 4 features" in description(explorers.table_picture(normal(3, 4)))
    grid = explorers.grid(torch.tensor([[1.0, -0.5]]), ["a"], ["b", "c"], title="two")
    assert "two. a: 1.00, -0.50." in description(grid)


def test_weights_are_averaged_along_their_distance():
    weights = torch.zeros(2, 3, 12, 12)
    weights[..., range(1, 12), range(11)] = 1.0  # each query looks at what stands just before
    close(explorers.by_distance(weights), torch.tensor([0.0, 1.0, 0.0, 0.0, 0.0]))
