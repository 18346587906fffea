"""The helpers of lesson 05 agree with torch and with published figures, and the lesson claims what is so."""

import json
import math
import os
import re
import subprocess
import sys

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from autograder.lessons import ROOT
from helpers import attention, complexity
from helpers.complexity import explorers as widgets
from helpers.figures import showing
from tests.support.limits import crowded
from tests.support.proved import follows_from

SDPA = torch.nn.functional.scaled_dot_product_attention


def close(got, expected):
    torch.testing.assert_close(got, expected)


def qkv(*front, T_q=5, T_k=7, d_k=4, d_v=3, dtype=torch.float64):
    torch.manual_seed(0)
    return [torch.randn(*front, *size, dtype=dtype) for size in ((T_q, d_k), (T_k, d_k), (T_k, d_v))]


# -- counting ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b"), [((2, 3), (3, 4)), ((2, 5, 3), (3, 4)), ((2, 6, 5, 3), (2, 6, 3, 4))], ids=str
)
def test_a_matrix_product_is_counted_as_torch_counts_it(a, b):
    with FlopCounterMode(display=False) as counter:
        torch.randn(a) @ torch.randn(b)
    assert complexity.matmul_flops(a, b) == counter.get_total_flops()


def test_the_products_of_attention_are_counted_as_torch_counts_them():
    x, W = torch.randn(7, 5), torch.randn(5, 5)
    with FlopCounterMode(display=False) as counter:
        attention.cross_attention(x, x, W, W, W)
    steps = complexity.attention_flops(7, 5)
    assert sum(steps.values()) - steps["softmax"] == counter.get_total_flops()


def test_attention_by_hand():
    steps = {"projections": 108, "scores": 24, "softmax": 24, "mixture": 24}
    assert complexity.attention_flops(2, 3) == steps


@pytest.mark.parametrize("d", [64, 4096])
def test_doubling_costs_2_to_4_times_as_much_and_3_at_one_and_a_half_d(d):
    def ratio(n):
        long, short = (complexity.attention_flops(m, d) for m in (2 * n, n))
        return sum(v for k, v in long.items() if k != "softmax") / sum(
            v for k, v in short.items() if k != "softmax"
        )

    assert ratio(3 * d // 2) == pytest.approx(3)
    assert 2 < ratio(d // 16) < 2.2
    assert 3.8 < ratio(32 * d) < 4


@pytest.mark.parametrize("dilated", [False, True])
@pytest.mark.parametrize(("n", "k"), [(2, 2), (9, 3), (10, 3), (17, 4), (125, 5), (126, 5)])
def test_the_first_position_is_seen_with_so_many_layers_and_not_with_fewer(n, k, dilated):
    def sees_first(layers):
        x = torch.ones(1, 1, n, requires_grad=True)
        y = x
        for layer in range(layers):
            step = k**layer if dilated else 1
            y = torch.nn.functional.pad(y, ((k - 1) * step, 0))
            y = torch.nn.functional.conv1d(y, torch.full((1, 1, k), 1 / k), dilation=step)
        return bool(torch.autograd.grad(y[0, 0, -1], x)[0][0, 0, 0] != 0)

    layers = complexity.layers_to_connect(n, k, dilated)
    assert sees_first(layers)
    assert not sees_first(layers - 1)


def test_a_logarithm_would_round_up_where_the_cases_say_so():
    from exercises.complexity import layers_to_connect as cases

    for logarithm, sizes in (
        (math.log, cases.MISROUNDED),
        (math.log2, cases.MISROUNDED_IN_BASE_2),
        (math.log10, cases.MISROUNDED_IN_BASE_10),
    ):
        for n, k in sizes:
            layers = complexity.layers_to_connect(n, k, True)
            assert math.ceil(logarithm(n) / logarithm(k)) == layers + 1


def test_table_1_of_the_paper():
    assert complexity.layer_cost("self-attention", 50, 512, 3) == (50**2 * 512, 1, 1)
    assert complexity.layer_cost("recurrent", 50, 512, 3) == (50 * 512**2, 50, 50)
    assert complexity.layer_cost("convolutional", 81, 512, 3) == (3 * 81 * 512**2, 1, 4)
    with pytest.raises(ValueError, match="not 'pooling'"):
        complexity.layer_cost("pooling", 1, 1, 1)


@pytest.mark.parametrize(("projections", "recurrent"), [(0, 2), (3, 8), (4, 6)])
def test_at_the_crossing_both_layers_take_as_many_flops(projections, recurrent):
    d = 64
    n = int(complexity.crossover_length(d, projections, recurrent))
    products = complexity.matmul_flops((n, d), (d, n)) + complexity.matmul_flops((n, n), (n, d))
    attention_takes = projections * complexity.matmul_flops((n, d), (d, d)) + products
    assert attention_takes == n * recurrent * complexity.matmul_flops((1, d), (d, d))


def test_attention_with_projections_is_never_cheaper_than_a_plain_recurrent_layer():
    assert complexity.crossover_length(1000, 3, 2) == 0
    assert complexity.crossover_length(1000, 3, 8) == 2500
    assert complexity.crossover_length(1000, 0, 2) == 1000


# -- measuring -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("p", [-1.0, 0.5, 2.0])
def test_the_exponent_of_a_power_law_is_found_whatever_the_units(p):
    sizes = torch.tensor([3.0, 10.0, 40.0, 1000.0], dtype=torch.float64)
    for unit in (1e-6, 1.0, 3600.0):
        close(complexity.fitted_exponent(sizes, unit * sizes**p), torch.tensor(p, dtype=torch.float64))


def test_the_slope_is_that_of_least_squares():
    torch.manual_seed(0)
    sizes, times = torch.rand(2, 6, dtype=torch.float64) + 0.1
    x = torch.stack([sizes.log(), torch.ones(6)], dim=1)
    solution = torch.linalg.lstsq(x, times.log().unsqueeze(1)).solution
    close(complexity.fitted_exponent(sizes, times), solution[0, 0])


def test_additive_attention_holds_d_times_as_much_as_the_dot_product():
    x, W, v = torch.randn(40, 8), torch.randn(8, 8), torch.randn(8)
    held = widgets.largest_tensor(lambda x: attention.additive_attention(x, x[None], x[None], W, W, v)[0], x)
    assert held == 8 * widgets.largest_tensor(attention.scaled_dot_product_attention, x, x, x)


# -- attention in blocks -------------------------------------------------------------------------------------


@pytest.mark.parametrize("blocks", [(12,), (5, 4, 3), (1,) * 12], ids=str)
def test_a_running_softmax_ends_where_a_softmax_over_all_keys_does(blocks):
    torch.manual_seed(0)
    scores, values = 300 * torch.randn(2, 5, 12), torch.randn(2, 12, 3)
    state = torch.full((2, 5), -math.inf), torch.zeros(2, 5), torch.zeros(2, 5, 3)
    for part, rows in zip(scores.split(blocks, -1), values.split(blocks, -2), strict=True):
        state = complexity.absorb(*state, part, rows)
    largest, total, mixture = state
    close(largest, scores.amax(-1))
    close(largest + total.log(), scores.logsumexp(-1))
    close(mixture / total.unsqueeze(-1), scores.softmax(-1) @ values)


def test_absorbing_by_hand():
    state = torch.tensor([math.log(2)]), torch.tensor([1.5]), torch.tensor([[25.0]])
    largest, total, mixture = complexity.absorb(*state, torch.tensor([[math.log(4)]]), torch.tensor([[30.0]]))
    close(largest, torch.tensor([math.log(4)]))
    close(total, torch.tensor([1.75]))
    close(mixture, torch.tensor([[42.5]]))


@pytest.mark.parametrize("front", [(), (2,), (2, 3)], ids=str)
@pytest.mark.parametrize("block", [1, 3, 7, 100])
def test_attention_in_blocks_is_attention(front, block):
    tensors = [t.requires_grad_() for t in qkv(*front)]
    ours, theirs = complexity.blockwise_attention(*tensors, block), SDPA(*tensors)
    close(ours, theirs)
    for a, b in zip(
        torch.autograd.grad(ours.square().sum(), tensors),
        torch.autograd.grad(theirs.square().sum(), tensors),
        strict=True,
    ):
        close(a, b)


def test_in_blocks_memory_grows_with_the_length_and_at_once_with_its_square():
    sizes = [64, 128, 256]
    inputs = [torch.randn(n, 8) for n in sizes]
    blocked = [widgets.largest_tensor(complexity.blockwise_attention, x, x, x, 16) for x in inputs]
    full = [widgets.largest_tensor(attention.scaled_dot_product_attention, x, x, x) for x in inputs]
    assert blocked == [16 * n for n in sizes]
    assert full == [n * n for n in sizes]


# -- writing one word at a time ------------------------------------------------------------------------------


def test_the_cache_of_llama_2_70b_takes_320_kib_a_position():
    """Section 5.14, by the lesson's own count."""
    lesson = (ROOT / "notebooks/05_complexity.py").read_text(encoding="utf-8")
    names: dict = {}
    exec(lesson[lesson.index("def cache_bytes(") :].partition("\n\n\n")[0], names)
    assert names["cache_bytes"](80, 8, 128, 1, 2) == 320 * 1024
    assert round(names["cache_bytes"](80, 64, 128, 100_000, 2) / 1e9) == 262


@pytest.mark.parametrize("groups", [1, 2, 3, 6])
@pytest.mark.parametrize("front", [(), (2,)], ids=str)
def test_grouped_attention_agrees_with_torch(groups, front):
    q, _, _ = qkv(*front, 6)
    _, k, v = qkv(*front, groups)
    close(complexity.grouped_attention(q, k, v), SDPA(q, k, v, enable_gqa=True))


def test_heads_that_cannot_be_shared_out_are_refused():
    q, k, v = qkv(6)[0], *qkv(4)[1:]
    with pytest.raises(ValueError, match="6 query heads can't share 4"):
        complexity.grouped_attention(q, k, v)


# -- explorers and gauges ------------------------------------------------------------------------------------


def unwritten(*_):
    raise NotImplementedError


def won(units, k=3):
    """Which layer is done first, at each point of the plane."""
    return {
        (n, d): widgets._first_done(
            {layer: complexity.layer_cost(layer, n, d, k) for layer in widgets.LAYERS}, units
        )
        for n in widgets.LENGTHS
        for d in widgets.WIDTHS
    }


def test_with_one_calculator_the_border_is_n_equals_d():
    for (n, d), layer in won(1).items():
        assert layer == ("self-attention" if n <= d else "recurrent")


@pytest.mark.parametrize("k", [3, 17])
def test_with_very_many_calculators_recurrence_is_left_behind_and_the_border_is_n_equals_kd(k):
    for (n, d), layer in won(10**12, k).items():
        assert layer == ("self-attention" if n <= k * d else "convolutional")


def test_more_calculators_leave_the_recurrent_layer_less_of_the_plane():
    counts = [list(won(units).values()).count("recurrent") for units in widgets.UNITS]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > 0 == counts[-1]


@pytest.mark.parametrize(
    ("explorer", "function", "picture"),
    [
        (widgets.layer_explorer, complexity.layer_cost, 4),
        (widgets.running_softmax_explorer, complexity.absorb, 2),
    ],
)
def test_an_explorer_follows_each_control_and_waits_kindly(explorer, function, picture):
    box = explorer(function)
    shown = box.children[picture]
    for control in box.children[:picture]:
        before = shown.value
        assert re.search("<img alt=.{40}|data-numbers=.{40}", before)
        if hasattr(control, "options"):
            control.index = len(control.options) - 1
        else:
            control.value += 1
        assert shown.value != before
    assert "not written yet" in explorer(unwritten).children[picture].value
    assert "Now it stops with" in explorer(lambda *_: 1 / 0).children[picture].value


def test_reading_all_keys_ends_at_the_softmax_whatever_the_block():
    box = widgets.running_softmax_explorer(complexity.absorb)
    read, size, _, numbers = box.children
    for keys in (1, 2, 3, 4, 6, 12):
        size.value = keys
        read.value = read.max
        found, right = re.findall(
            r"total <b>([\d.]+)</b> \(over all keys at once: ([\d.]+)\)", numbers.value
        )[0]
        assert found == right
    read.value = 0
    assert "Nothing is read yet" in numbers.value


@pytest.mark.parametrize(("dilated", "layers", "seen"), [(False, 4, 9), (True, 2, 9), (False, 2, 5)])
def test_the_stack_says_how_far_it_sees(dilated, layers, seen):
    said = showing.description(widgets.stack_of_convolutions(9, 3, dilated, layers))
    sees = "sees" if seen == 9 else "doesn't see"
    assert f"the last position {sees} the first" in said
    assert f"{seen} positions in all" in said


def test_the_gauges_measure_and_leave_threads_as_they_were():
    before = torch.get_num_threads()
    assert widgets.milliseconds(torch.randn, 10) > 0
    assert torch.get_num_threads() == before
    assert widgets.largest_tensor(lambda x: (x[:, None] * x).sum(), torch.randn(6)) == 36
    with pytest.raises(NotImplementedError):
        widgets.largest_tensor(unwritten)
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        widgets.largest_tensor(lambda: 1 / 0)


@pytest.mark.parametrize(("n", "k", "dilated"), [(9, 3, False), (9, 3, True), (125, 5, True), (2, 4, False)])
def test_a_gradient_arrives_with_as_many_layers_as_are_counted_and_not_with_fewer(n, k, dilated):
    layers = complexity.layers_to_connect(n, k, dilated)
    assert widgets.gradient_arrives(n, k, dilated, layers)
    assert not widgets.gradient_arrives(n, k, dilated, layers - 1)


def test_what_ways_of_computing_take_is_measured_for_each_input():
    ways = {"table": lambda x: (x[:, None] * x).sum(), "row": lambda x: (x * x).sum()}
    held, took = widgets.measured(ways, [[torch.ones(n)] for n in (10, 20)], laps=1)
    assert held == {"table": [1e-4, 4e-4], "row": [1e-5, 2e-5]}
    assert all(len(took[name]) == 2 and min(took[name]) > 0 for name in ways)


# -- 5.9 -------------------------------------------------------------------------------------------------

MEASURED = """
import json, math
import torch
import jupytext
from helpers.attention import scaled_dot_product_attention
from helpers.complexity import explorers
from helpers.complexity.reference import fitted_exponent

for cell in jupytext.read("notebooks/05_complexity.py").cells:
    if cell.cell_type == "code" and ("def attention_layer(" in cell.source or "by_width = series(" in cell.source):
        exec(cell.source)
print(json.dumps({
    layer: [float(fitted_exponent(torch.tensor(sizes).float(), torch.tensor(times))) for sizes, times in (
        (lengths[2:6], by_length[layer][2:6]), (widths[1:], by_width[layer][1:]))] for layer in LAYERS
}))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only there is a process kept to a core")
@follows_from("helpers/complexity", "helpers/timing.py")
def test_measured_exponents_are_near_the_counted_ones_on_a_busy_machine():
    """By the clock on the wall, with a quarter of a core, attention's exponent of n is nearer to 3 than to 2."""
    with crowded(min(os.sched_getaffinity(0))) as before:
        command = [*before, sys.executable, "-c", MEASURED]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    counted = {"self-attention": (2, 1), "recurrent": (1, 2), "convolutional": (1, 2)}
    assert found == {layer: pytest.approx(exponents, abs=0.4) for layer, exponents in counted.items()}
