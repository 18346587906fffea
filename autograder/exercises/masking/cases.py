"""Lesson 04's cases: what each exercise's answer is called with.

Masks of self-attention are square. So where a mask goes in, it belongs to T_q queries and T_k keys, or the
answer makes it from a size; `reach` alone takes a square one, and never one that is its own transpose.
"""

import math

import torch
from torch import Generator, Tensor

from helpers.checking.calling.drivers import Case

WORDS = ("the", "cat", "sat", "on", "a", "mat", "and", "slept")


# -- masks ---------------------------------------------------------------------------------------------------


def causal_cases(g: Generator) -> list[Case]:
    """Sentences of several lengths."""
    return [
        Case("a few words", (_between(g, 2, 4),)),
        Case("one word", (1,)),
        Case("a sentence", (_between(g, 5, 9),)),
        Case("a longer sentence", (_between(g, 10, 16),)),
    ]


def padding_cases(g: Generator) -> list[Case]:
    """Short, full and empty sentences."""
    return [
        Case("two sentences", (_lengths(g, 2, least=1, most=4), 5)),
        Case("four sentences", (_lengths(g, 4, least=1, most=6), 7)),
        Case("all shorter than T", (_lengths(g, 3, least=1, most=5), 8)),
        Case("one that fills all of T, and an empty one", (_shuffled(g, torch.tensor([0, 6, 3])), 6)),
    ]


def decoder_cases(g: Generator) -> list[Case]:
    """Padding at the end, in front, and both."""
    at_the_end = torch.arange(5) < _lengths(g, 3, least=1, most=4).unsqueeze(-1)
    in_front = torch.arange(6) >= _lengths(g, 4, least=1, most=5).unsqueeze(-1)
    one = torch.arange(5) >= _lengths(g, 1, least=1, most=3).unsqueeze(-1)
    lengths = _shuffled(g, torch.tensor([0, 6, 2])).unsqueeze(-1)
    return [
        Case("three sentences, filled up at their ends", (at_the_end,)),
        Case("four sentences, filled up in front", (in_front,)),
        Case("one sentence, filled up in front", (one,)),
        Case("a full sentence, a short one and an empty one", (torch.arange(6) < lengths,)),
    ]


# -- attention that survives empty rows ----------------------------------------------------------------------


def masked_cases(g: Generator) -> list[Case]:
    """Masks with and without rows in which nothing is allowed."""
    plain, empty, double = ([small[0], 5, *small[1:]] for small in (_sizes(g, 2, 3, 4) for _ in range(3)))
    one_empty, one_more = _mask(g, *empty[:2]), _mask(g, *double[:2])
    one_empty[_between(g, 0, empty[0] - 1)] = False
    one_more[_between(g, 0, double[0] - 1)] = False
    return [
        Case("something to look at for every query", (*_qkv(g, (), *plain), _mask(g, *plain[:2]))),
        Case("a query that may attend to nothing, a batch of one", (*_qkv(g, (1,), *empty), one_empty)),
        Case("the same in float64", (*_qkv(g, (), *double, dtype=torch.float64), one_more)),
        Case("an empty sentence, a mask (B, 1, T_k) that hides the highest scores", _hidden_best(g)),
    ]


def _hidden_best(g: Generator) -> tuple[Tensor, ...]:
    """Scores near -256 for what may be seen and near 64 for what may not: a fill of -100 wins, -1e9 doesn't.

    In float64, where even an exponential without a maximum subtracted stays within bounds.
    """
    q, k, v = _qkv(g, (2,), 3, 5, 4, _between(g, 3, 4), dtype=torch.float64)
    shown = torch.arange(5) < _shuffled(g, torch.tensor([0, 2])).unsqueeze(-1)
    q[..., 0], k[..., 0] = -16, torch.where(shown, 32.0, -8.0)
    return q, k, v, shown.unsqueeze(-2)


# -- leaks ---------------------------------------------------------------------------------------------------


def sees_cases(g: Generator) -> list[Case]:
    """Layers that look ahead and layers that don't; some on which a careless detector is blind."""
    x, three = _clear_slopes(g, *_sizes(g, 4, 5))
    elsewhere = 1 - torch.eye(*three[0].shape)  # no feature of an output depends on the same of an input
    above, below = three[0].abs() * elsewhere, -three[0].abs() / 100_000
    used = torch.arange(x.size(1)).unsqueeze(1) != _between(g, 0, x.size(1) - 1)
    unused = [used * weight for weight in three]
    # Who sees whom, flat: a matrix would have two equal axes.
    by_chance = torch.randint(2, (len(x) ** 2,), generator=g)
    return [
        _layer("causal self-attention", three, x),
        _layer("self-attention", three, x, "self-attention without a mask"),
        _layer("a linear map of each position", [below], x, "a linear map with small slopes below 0"),
        _layer("positions that see each other by chance", [above, by_chance], x),
        _layer("a mask whose diagonal is one too high", three, x),
        _layer("a window of two positions", unused, x, "a window of two, one feature unused"),
        _layer("weights set to 0 after the softmax", three, x),
        _layer("causal self-attention whose features sum to 0", three, x),
        _layer("a first feature that looks at its own position alone", three, x),
    ]


def _clear_slopes(g: Generator, T: int, d: int) -> tuple[Tensor, list[Tensor]]:
    """An input and matrices for which no softmax saturates: every slope is either 0 or far from it."""
    while True:
        x, three = _normal(g, T, d), _normals(g, [(d, 3)] * 3, spread=0.5)
        q, k, v = (x @ matrix for matrix in three)
        if (q @ k.T).abs().max() < 4 and min(t.abs().amax(dim=-1).min() for t in (q, k, v)) > 0.3:
            return x, three


def prefix_cases(g: Generator) -> list[Case]:
    """Layers for which T passes are the same as one, and layers for which they aren't."""
    T, d = _sizes(g, 4, 5)
    three = _normals(g, [(d, 3)] * 3, spread=0.5)
    long, short = _between(g, 6, 7), 3
    x, batch, double = _normal(g, T, d), _normal(g, 2, long, d), _normal(g, short, d, dtype=torch.float64)
    return [
        _layer("a running sum", three[:1], x),
        _layer("causal self-attention", three, x),
        _layer("self-attention", three, x, "self-attention without a mask"),
        _layer("causal self-attention", three, batch, "causal self-attention, a batch"),
        _layer("the mean over positions", three[:1], batch, "the mean over positions, a batch"),
        _layer("a running sum", [three[0].double()], double, "a running sum, in float64"),
    ]


def _layer(name: str, weights: list[Tensor], x: Tensor, title: str = "") -> Case:
    return Case(title or name, ({"layer": name, "weights": weights}, x))


# -- one token at a time -------------------------------------------------------------------------------------


def cached_cases(g: Generator) -> list[Case]:
    """One new position and several, with little, much or nothing stored."""
    return [
        Case("one new position", _cached(g, (), past=2, new=1)),
        Case("the first position, an empty cache", _cached(g, (), past=0, new=1)),
        Case("one new position, in float64", _cached(g, (), past=2, new=1, dtype=torch.float64)),
        Case("two new positions at once, the highest score hidden", _hidden_ahead(g)),
        Case("a batch, one new position each", _cached(g, (2,), past=1, new=1)),
        Case("a first sentence, an empty cache", _cached(g, (), past=0, new=2)),
    ]


def _hidden_ahead(g: Generator) -> tuple:
    """The first new position may not see the second, which scores near 0 where the others do near -100."""
    shapes = [(1, 2, 4), (1, 2, 3), (1, 2, 5), (5, 4), (5, 4), (5, 3)]
    k, v, x, *weights = _normals(g, shapes, torch.float64, spread=0.5)
    W_q, W_k, _ = weights
    for projection, feature in ((W_q, 0), (W_k, 1)):  # of x's first two features one is q's first, one k's
        projection[:2] = projection[:, 0] = 0
        projection[feature, 0] = 1
    k[..., 0], x[..., 0], x[..., 1] = 12.5, -16, torch.tensor([12.5, 0.0])
    return ({"k": k, "v": v}, x, *weights)


def _cached(g: Generator, front: tuple, past: int, new: int, dtype: torch.dtype = torch.float32) -> tuple:
    d, d_k, d_v = _sizes(g, 3, 4, 5)
    cache = dict(zip("kv", _normals(g, [(*front, past, d_k), (*front, past, d_v)], dtype), strict=True))
    weights = _normals(g, [(d, d_k), (d, d_k), (d, d_v)], dtype, spread=0.5)
    return (cache, _normal(g, *front, new, d, dtype=dtype), *weights)


# -- polarities ----------------------------------------------------------------------------------------------


def convert_cases(g: Generator) -> list[Case]:
    """Each kind is read and written."""
    return [
        _conversion(g, "may attend", "hidden", (3, 4)),
        _conversion(g, "hidden", "may attend", (2, 5)),
        _conversion(g, "may attend", "additive", (4, 3)),
        _conversion(g, "additive", "may attend", (2, 1, 4)),
        _conversion(g, "may attend", "integer", (2, 6)),
        _conversion(g, "integer", "may attend", (2, 4)),
        _conversion(g, "integer", "hidden", (3, 5)),
        _conversion(g, "hidden", "additive", (3, 2)),
        _conversion(g, "additive", "integer", (2, 3)),
        _conversion(g, "may attend", "may attend", (3, 2)),
    ]


def _conversion(g: Generator, source: str, target: str, shape: tuple) -> Case:
    may = _mask(g, math.prod(shape[:-1]), shape[-1]).reshape(shape)
    written = {
        "may attend": may,
        "hidden": ~may,
        "additive": torch.zeros(shape).masked_fill(~may, -math.inf),
        "integer": may.long(),
    }
    return Case(f"{source} → {target}", (written[source], source, target))


# -- several layers ------------------------------------------------------------------------------------------


def reach_cases(g: Generator) -> list[Case]:
    """Chains, in which each layer carries one step further, among other masks."""
    chain = torch.zeros(6, 6, dtype=torch.bool)
    order = torch.randperm(6, generator=g)
    chain[order[1:], order[:-1]] = True  # each sees the one before it in some order, and not itself
    sparse = torch.zeros(5, 5, dtype=torch.bool)
    ring = torch.randperm(5, generator=g)
    sparse[ring, ring.roll(1)] = True
    sparse[ring[0], ring[2]] = True
    window = torch.ones(7, 7, dtype=torch.bool).tril().triu(-1)
    return [
        Case("one layer", (chain, 1)),
        Case("two layers", (chain, 2)),
        Case("three layers, a window of two", (window, 3)),
        Case("four layers", (chain, 4)),
        Case("no layer", (sparse, 0)),
        Case("two layers, a ring with a short cut", (sparse, 2)),
    ]


# -- choices -------------------------------------------------------------------------------------------------


def choose(options: dict[str, list]) -> list[Case]:
    """The one case of a choice: its slots, and what may stand in each."""
    return [Case("", (options,))]


# -- building blocks -----------------------------------------------------------------------------------------


def _between(g: Generator, least: int, most: int) -> int:
    return int(torch.randint(least, most + 1, (), generator=g))


def _sizes(g: Generator, *sizes: int) -> list[int]:
    """The sizes in some order."""
    return [sizes[i] for i in torch.randperm(len(sizes), generator=g)]


def _lengths(g: Generator, count: int, *, least: int, most: int) -> Tensor:
    """Different lengths, in some order."""
    return least + torch.randperm(most - least + 1, generator=g)[:count]


def _shuffled(g: Generator, row: Tensor) -> Tensor:
    return row[torch.randperm(len(row), generator=g)]


def _normal(g: Generator, *shape: int, spread: float = 1, dtype: torch.dtype = torch.float32) -> Tensor:
    return spread * torch.randn(*shape, generator=g, dtype=dtype)


def _normals(
    g: Generator, shapes: list[tuple], dtype: torch.dtype = torch.float32, spread: float = 1
) -> list[Tensor]:
    return [_normal(g, *shape, spread=spread, dtype=dtype) for shape in shapes]


def _qkv(
    g: Generator, front: tuple, T_q: int, T_k: int, d_k: int, d_v: int, *, dtype: torch.dtype = torch.float32
) -> list[Tensor]:
    return _normals(g, [(*front, T_q, d_k), (*front, T_k, d_k), (*front, T_k, d_v)], dtype, spread=1.2)


def _mask(g: Generator, T_q: int, T_k: int) -> Tensor:
    """In each row something to attend to and something hidden."""
    shown = torch.randint(1, T_k, (T_q,), generator=g)
    return torch.stack([_shuffled(g, torch.arange(T_k) < n) for n in shown])
