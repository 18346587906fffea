"""Lesson 02's cases: what each exercise's answer is called with.

Every generator decides sizes and values afresh; tensors are small enough to be read.
"""

import math

import torch
from torch import Generator, Tensor

from helpers.checking.calling.drivers import Case

# -- splitting and merging -----------------------------------------------------------------------------------


def split_cases(g: Generator) -> list[Case]:
    """Without and with batch axes; H, T and D differ, so that a swap shows."""
    T, H, D = _sizes(g, 4, 5), 2, 3
    return [
        Case("one sentence", (_normal(g, T[0], H * D), H)),
        Case("a batch", (_normal(g, 2, T[1], 3 * 2), 3)),
        Case("one head", (_normal(g, 2, 3, 5), 1)),
        Case("float64", (_normal(g, 3, 2 * 4, dtype=torch.float64), 2)),
        Case("two batch axes", (_normal(g, 2, 1, 3, 4 * 2), 4)),
    ]


def merge_cases(g: Generator) -> list[Case]:
    """What splitting gives, in the same variety."""
    H, T, D = _sizes(g, 2, 3, 4)
    return [
        Case("one sentence", (_normal(g, H, T, D),)),
        Case("a batch", (_normal(g, 5, *_sizes(g, 2, 3, 4)),)),
        Case("one head", (_normal(g, 2, 1, 3, 4),)),
        Case("float64", (_normal(g, 3, 2, 4, dtype=torch.float64),)),
        Case("two batch axes", (_normal(g, 2, 1, 3, 5, 4),)),
    ]


# -- the module ----------------------------------------------------------------------------------------------


def module_cases(g: Generator) -> list[Case]:
    """Self and cross, without a mask and with two kinds; several heads and one."""
    T_k = 4 + int(torch.randint(2, (), generator=g))
    # As many sentences as heads, so that a mask may meet the wrong axis without any complaint.
    lengths = _shuffled(g, torch.tensor([[2], [3]]))
    shown = (torch.arange(3) < lengths)[:, None, None]
    return [
        Case("self-attention, two heads", (_settings(4, 2), _weights(g, 4), _normal(g, 1, 3, 4))),
        Case(
            "cross-attention, three heads",
            (_settings(6, 3), _weights(g, 6), _normal(g, 1, 2, 6), _normal(g, 1, T_k, 6)),
        ),
        Case(
            "self-attention of two sentences, a mask (B, 1, 1, T) that hides padding",
            (_settings(4, 2), _weights(g, 4), _normal(g, 2, 3, 4)),
            {"mask": shown},
        ),
        _hidden_best(g),
    ]


def _hidden_best(g: Generator) -> Case:
    """Scores near -256 for what may be seen and near 64 for the rest: a fill of -100 wins, -1e9 doesn't."""
    weights = _weights(g, 4, torch.float64)  # √4 is exact: a float32 √D is no mistake worth a point
    y, x = (_normal(g, 1, T, 4, dtype=torch.float64) for T in (2, 3))
    shown = _shuffled(g, torch.tensor([True, True, False]))
    x[..., 0] = torch.where(shown, 4.0, -1.0)
    weights["W_q.weight"][0], weights["W_q.bias"][0] = 0, -16
    weights["W_k.weight"][0], weights["W_k.bias"][0] = torch.tensor([8.0, 0, 0, 0]), 0
    title = "cross-attention, one head, a mask (T_q, T_k) that hides the highest scores, float64"
    return Case(title, (_settings(4, 1), weights, y, x), {"mask": shown.repeat(2, 1)})


def _settings(d_model: int, n_heads: int) -> dict[str, int]:
    return {"d_model": d_model, "n_heads": n_heads}


def _weights(g: Generator, C: int, dtype: torch.dtype = torch.float32) -> dict[str, Tensor]:
    """Values for four projections, large enough for attention weights that differ, with few digits."""
    made = {}
    for name in ("W_q", "W_k", "W_v", "W_o"):
        made[f"{name}.weight"] = _normal(g, C, C, spread=2 / math.sqrt(C), dtype=dtype)
        made[f"{name}.bias"] = _normal(g, C, spread=0.5, dtype=dtype)
    return {name: (16 * value).round() / 16 for name, value in made.items()}


def unpack_cases(g: Generator) -> list[Case]:
    """Packed weights of some widths."""
    C, D = _sizes(g, 3, 4)
    return [
        Case("a few channels", (_normal(g, 3 * C, C), _normal(g, 3 * C))),
        Case("other channels", (_normal(g, 3 * D, D), _normal(g, 3 * D))),
        Case("float64", (_normal(g, 6, 2, dtype=torch.float64), _normal(g, 6, dtype=torch.float64))),
    ]


# -- costs ---------------------------------------------------------------------------------------------------


def cost_cases(g: Generator) -> list[Case]:
    """Sizes that are far apart, the same ones with other numbers of heads among them."""
    T = int(torch.randint(20, 60, (), generator=g))
    d = 24 * int(torch.randint(4, 9, (), generator=g))
    return [
        Case("one head", (T, d, 1)),
        Case("the same with four heads", (T, d, 4)),
        Case("the same with twelve heads", (T, d, 12)),
        Case("a long sentence and few channels", (10 * T, 32, 2)),
    ]


# -- two places at once --------------------------------------------------------------------------------------


def round_table_cases(g: Generator) -> list[Case]:
    """Numbers at four places, all different and none 0, so that each tells where it comes from.

    They are even, so that no average of two or four of them lies where rounding to one decimal is a toss-up.
    """
    even = 2.0 * torch.arange(1, 10)
    once = _shuffled(g, even)[:4].unsqueeze(0)
    signs = 2.0 * torch.randint(2, (3, 4), generator=g) - 1
    more = signs * torch.stack([_shuffled(g, even)[:4] for _ in range(3)])
    table = {"layer": "two heads at a round table"}
    return [
        Case("numbers at four places", ({**table, "weights": [once]},)),
        Case("three tables, with negative numbers", ({**table, "weights": [more]},)),
    ]


# -- switching heads off -------------------------------------------------------------------------------------


def switch_off_cases(g: Generator) -> list[Case]:
    """Some heads on, some off."""
    first = torch.tensor([True, False, True])
    return [
        Case("one of three heads off", (_normal(g, 4, 6), first[torch.randperm(3, generator=g)])),
        Case("the first of two heads off", (_normal(g, 5, 8), torch.tensor([False, True]))),
        Case("all heads on", (_normal(g, 3, 4), torch.tensor([True, True]))),
        Case("all but one off, float64", (_normal(g, 5, 8, dtype=torch.float64), _shuffled(g, _one_of(4)))),
    ]


def _one_of(count: int) -> Tensor:
    return torch.arange(count) == 0


def importance_cases(g: Generator) -> list[Case]:
    """Heads that are needed, that do nothing, that do harm and that double for each other."""
    three = _normal(g, 3, 5)
    idle = torch.cat([_normal(g, 2, 4), torch.zeros(1, 4)])[torch.randperm(3, generator=g)]
    harm = torch.stack([*_normal(g, 2, 5), 0.5 * _normal(g, 5)])
    twins = _normal(g, 1, 6).repeat(2, 1) / 2
    both = torch.cat([twins, _normal(g, 2, 6)])

    def case(title: str, parts: Tensor, target: Tensor) -> Case:
        return Case(title, ({"layer": "the loss with some heads", "weights": [parts, target]}, len(parts)))

    return [
        case("three heads", three, three.sum(0) + 0.3 * _normal(g, 5)),
        case("a head that does nothing", idle, idle.sum(0) + 0.2 * _normal(g, 4)),
        case("a head that does harm", harm, harm[:2].sum(0) - 0.2 * harm[2]),
        case("four heads, two of them alike", both, both.sum(0) + 0.1 * _normal(g, 6)),
    ]


# -- choices -------------------------------------------------------------------------------------------------


def choose(options: dict[str, list]) -> list[Case]:
    """The one case of a choice: its slots, and what may stand in each."""
    return [Case("", (options,))]


# -- building blocks -----------------------------------------------------------------------------------------


def _sizes(g: Generator, *sizes: int) -> list[int]:
    return [sizes[i] for i in torch.randperm(len(sizes), generator=g)]


def _normal(g: Generator, *shape: int, spread: float = 1, dtype: torch.dtype = torch.float32) -> Tensor:
    return spread * torch.randn(*shape, generator=g, dtype=dtype)


def _shuffled(g: Generator, row: Tensor) -> Tensor:
    return row[torch.randperm(len(row), generator=g)]
