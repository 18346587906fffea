"""Lesson 05's cases: what each exercise's answer is called with.

Sizes differ, so that none stands for another.
"""

import math
from collections.abc import Mapping, Sequence

import torch
from torch import Generator, Tensor

from helpers.checking.calling.drivers import Case

LAYER_KINDS = ("self-attention", "recurrent", "convolutional")
# Here math.log(n, k) is a little more than the whole number that it should be, so that rounding up adds one.
MISROUNDED = ((125, 5), (216, 6))


# -- counting ------------------------------------------------------------------------------------------------


def matmul_cases(g: Generator) -> list[Case]:
    """Two matrices, and batches of them."""
    m, k, n = _sizes(g, 3, 4, 5)
    B, T, d, e = _sizes(g, 2, 7, 11, 13)
    H, T_q, d_k, T_k = _sizes(g, 3, 5, 6, 10)
    wide = _between(g, 20, 60)
    return [
        Case("two small matrices", ((m, k), (k, n))),
        Case("a batch of sequences times one matrix", ((B, T, d), (d, e))),
        Case("two batch axes on both sides", ((2, H, T_q, d_k), (2, H, d_k, T_k))),
        Case("one row times a matrix", ((1, wide), (wide, 8 * n))),
    ]


def step_cases(g: Generator) -> list[Case]:
    """More positions than features, and fewer."""
    long, wide = _between(g, 20, 40), _between(g, 50, 90)
    return [
        Case("few positions and features", _sizes(g, 3, 5)),
        Case("more positions than features", (long, 8)),
        Case("more features than positions", (12, wide)),
    ]


def connecting_cases(g: Generator) -> list[Case]:
    """Steps of 1 and growing steps, lengths that fit exactly and lengths that don't."""
    n, k = _between(g, 20, 40), _between(g, 3, 6)
    exact = 1 + _between(g, 4, 9) * 3
    tight = 3 ** _between(g, 3, 5)
    cases = [
        Case("steps of 1", (n, k, False)),
        Case("steps of 1, an exact fit", (exact, 4, False)),
        Case("steps of 1, one position more than fits", (exact + 1, 4, False)),
        Case("growing steps", (10 * n, k, True)),
        Case("growing steps, one position more than fits", (tight + 1, 3, True)),
        Case("a kernel as wide as the sequence", (k, k, bool(_between(g, 0, 2)))),
    ]
    first, second = (MISROUNDED[i] for i in torch.randperm(2, generator=g).tolist())
    return [
        *cases[:4],
        Case("growing steps, an exact fit", (*first, True)),
        *cases[4:],
        Case("growing steps, another exact fit", (*second, True)),
    ]


def table_cases(g: Generator) -> list[Case]:
    """Each layer for a short sequence and for a long one, with kernels of different widths."""
    d = _between(g, 12, 18)
    long, short = (_between(g, 100, 140), 2), (_between(g, 7, 11), _between(g, 3, 5))
    return [
        Case(f"{kind}, {name}", (kind, n, d, k))
        for name, (n, k) in (("a long sequence", long), ("a short sequence", short))
        for kind in LAYER_KINDS
    ]


def crossover_cases(g: Generator) -> list[Case]:
    """Layers with few matrices and many, among them some that attention never beats."""
    d = 2 * _between(g, 20, 60)
    return [
        Case("no projections, two products a step: as table 1 counts", (d, 0, 2)),
        Case("three projections against an LSTM's eight products", (d, 3, 8)),
        Case("four projections against the six products of a GRU", (d + 2, 4, 6)),
        Case("three projections against a plain recurrent layer", (d, 3, 2)),
        Case("as many projections as products", (d, 4, 4)),
    ]


# -- measuring -----------------------------------------------------------------------------------------------


def exponent_cases(g: Generator) -> list[Case]:
    """Exact powers and scattered ones, over sizes that aren't evenly spaced."""
    p = 0.5 + 2 * float(torch.rand((), generator=g))
    sizes = torch.tensor([64.0, 100.0, 300.0, 1000.0])
    few = torch.tensor([10.0, 12.0, 40.0, 200.0, 230.0])
    return [
        Case("an exact power of the size", _power_law(g, sizes, p, 0)),
        Case("scattered times", _power_law(g, few, 1 + p / 2, 0.4)),
        Case("times in float64", _power_law(g, few.double() * 3, p, 0.5)),
        Case("a time that falls as the size grows", _power_law(g, sizes, -p, 0.3)),
        Case("two sizes", _power_law(g, sizes[[1, 3]], p, 0.1)),
    ]


def _power_law(g: Generator, sizes: Tensor, p: float, scatter: float) -> tuple[Tensor, Tensor]:
    noise = (scatter * torch.randn(len(sizes), generator=g)).exp().to(sizes.dtype)
    return sizes, (0.5 + torch.rand((), generator=g)) * (sizes / 50) ** p * noise


# -- attention in blocks -------------------------------------------------------------------------------------


def absorbing_cases(g: Generator) -> list[Case]:
    """The first block, blocks with larger and with smaller scores than before, large scores, a batch."""
    return [
        Case("the first block of all", _running(g, (), first=True)),
        Case("a block with larger scores than before", _running(g, (), above=3)),
        Case("a block with smaller scores than before", _running(g, (), above=-3)),
        Case("scores near 10³", _running(g, (), level=1e3, above=0.5)),
        Case("a batch, in float64", _running(g, (2,), above=0.3, dtype=torch.float64)),
    ]


def _running(
    g: Generator, front: tuple, *, first: bool = False, level: float = 0, above: float = 0,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, ...]:  # fmt: skip
    """A running softmax after some keys, and the block that comes next, its scores `above` those before."""
    T_q, b, d_v = _sizes(g, 3, 4, 5)
    earlier = level + torch.randn(*front, T_q, 6, generator=g, dtype=dtype)
    values = torch.randn(*front, 6, d_v, generator=g, dtype=dtype)
    block = level + above + torch.randn(*front, T_q, b, generator=g, dtype=dtype)
    block_values = torch.randn(*front, b, d_v, generator=g, dtype=dtype)
    largest = earlier.amax(dim=-1)
    powers = (earlier - largest.unsqueeze(-1)).exp()
    total, mixture = powers.sum(dim=-1), powers @ values
    if first:
        largest, total, mixture = torch.full_like(largest, -math.inf), 0 * total, torch.zeros_like(mixture)
    return largest, total, mixture, block, block_values


def block_cases(g: Generator) -> list[Case]:
    """Blocks that fit and blocks that don't, one at a time and all at once, large scores, a batch."""
    low = _qkv(g, 3, 5, 9, 2, dtype=torch.float64)
    low[0][:, 0], low[1][:, 0] = -64, 96  # every score is about -2000
    rising = _qkv(g, 3, 7, 4, 5)
    # Each block's scores are larger than those before: the last ones are near 10³.
    ramp = torch.linspace(1, 300, 7).unsqueeze(-1) * torch.ones(7, 4)
    steep = (1 + rising[0].abs(), ramp + rising[1], rising[2])
    return [
        Case("two blocks of three keys", (*_qkv(g, 2, 6, 4, 5), 3)),
        Case("a last block that is shorter", (*_qkv(g, 3, 7, 4, 5), 3)),
        Case("one key at a time, in float64, scores near -2000", (*low, 1)),
        Case("one block for all keys, a batch", (*_qkv(g, 3, 4, 5, 6, front=(2,)), 10)),
        Case("scores that rise to 10³ and more", (*steep, 2)),
        Case("a batch with two axes", (*_qkv(g, 2, 5, 4, 7, front=(3, 1)), 2)),
        Case("many positions, small blocks", (*_qkv(g, 19, 23, 2, 3), 4)),
    ]


# -- writing one word at a time ------------------------------------------------------------------------------


def cache_cases(g: Generator) -> list[Case]:
    """As many heads of keys as of queries, fewer, and one."""
    n = _between(g, 100, 200)
    layers, width = _sizes(g, 3, 5)
    return [
        Case("a head of keys for each head", (layers, 7, 7, 8 * width, n, 2)),
        Case("groups that share a head", (layers, 12, 4, 8 * width, n + 1, 2)),
        Case("one head of keys for all", (layers + 1, 6, 1, 16, n + 2, 4)),
    ]


def grouped_cases(g: Generator) -> list[Case]:
    """Groups of two and of three, one group, a group for each head, a batch; often with one query."""
    T_k, d_k, d_v = _sizes(g, 3, 5, 6)
    return [
        Case("four heads, two of keys, one query", _grouped(g, (), 4, 2, 1, T_k, d_k, d_v)),
        Case("six heads, two of keys, in float64", _grouped(g, (), 6, 2, 1, 3, 4, 5, torch.float64)),
        Case("four heads, one of keys", _grouped(g, (), 4, 1, 3, T_k, 2, d_v)),
        Case("a head of keys for each head", _grouped(g, (), 2, 2, 4, T_k, 7, d_v)),
        Case("a batch of six heads, three of keys", _grouped(g, (2,), 6, 3, 1, 5, 4, 7)),
    ]


def _grouped(
    g: Generator, front: tuple, heads: int, groups: int, T_q: int, T_k: int, d_k: int, d_v: int,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    q = 1.2 * torch.randn(*front, heads, T_q, d_k, generator=g, dtype=dtype)
    k = torch.randn(*front, groups, T_k, d_k, generator=g, dtype=dtype)
    return q, k, torch.randn(*front, groups, T_k, d_v, generator=g, dtype=dtype)


# -- building blocks -----------------------------------------------------------------------------------------


def choose(options: Mapping[str, Sequence[object]]) -> list[Case]:
    """The one case of a choice: its slots, and what may stand in each."""
    return [Case("", (options,))]


def _sizes(g: Generator, *sizes: int) -> tuple[int, ...]:
    """The sizes in some order."""
    return tuple(sizes[i] for i in torch.randperm(len(sizes), generator=g))


def _between(g: Generator, low: int, high: int) -> int:
    """A whole number from low to high - 1."""
    return int(torch.randint(low, high, (), generator=g))


def _qkv(
    g: Generator, T_q: int, T_k: int, d_k: int, d_v: int, *, front: tuple = (),
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    shapes = ((T_q, d_k), (T_k, d_k), (T_k, d_v))
    q, k, v = (1.2 * torch.randn(*front, *shape, generator=g, dtype=dtype) for shape in shapes)
    return q, k, v
