"""Lesson 01's cases: what each exercise's answer is called with.

Every generator decides sizes and values afresh. The sizes within a tensor differ, so that a swapped axis
can't hide, and tensors are small: a student who prints one should be able to read it.
"""

import torch
from torch import Generator, Tensor

from helpers.checking.calling.drivers import Case
from helpers.checking.calling.registry import make_layer

# -- softmax -------------------------------------------------------------------------------------------------


def softmax_cases(g: Generator) -> list[Case]:
    """Any axis, and scores that overflow exp."""
    n, m = _sizes(g, 3, 4, 5)[:2]
    apart = 1e4 * torch.tensor([1.0, -1.0, 0.5])[torch.randperm(3, generator=g)]
    rows = _normal(g, 3, 4, dtype=torch.float64) + apart.double().unsqueeze(1)
    # In each row both ends, and in between nothing near the upper one.
    wide = 1e4 * torch.stack([_shuffled(g, torch.tensor([1.0, -1.0, 0.3, -0.4, 0.0])) for _ in range(3)])
    return [
        Case("one row", (_normal(g, n, spread=2), 0)),
        Case("along the first of two axes", (_normal(g, n, m, spread=2), 0)),
        Case("along the last of two axes", (_normal(g, m, n, spread=2), 1)),
        Case("along the middle of three axes, in float64", (_normal(g, 2, n, m, dtype=torch.float64), -2)),
        Case("rows near +10⁴ and rows near -10⁴", (rows, -1)),
        Case("from -10⁴ to +10⁴ in one column", (wide.T.contiguous(), 0)),
        Case("from -10⁴ to +10⁴ in one row", (wide, 1)),
    ]


# -- scaled dot-product attention ----------------------------------------------------------------------------


def attention_cases(g: Generator) -> list[Case]:
    """With and without a mask, with none, one and two batch axes."""
    T_q, T_k, d_k, d_v = _sizes(g, 2, 3, 4, 5)
    # √9 is exact in every dtype: dividing by a float32 √d_k is no mistake worth a point.
    exact = _qkv(g, (), 2, 4, 9, 3, dtype=torch.float64)
    masked = _sizes(g, 2, 3, 4, 5, least=(1, 3))
    deep = _sizes(g, 3, 4, 5, least=(1, 4))
    deep = [*deep, deep[-1]]  # d_v = d_k, as it mostly is
    padded = [3, _sizes(g, 5, 6)[0], 4, 4]
    keep = torch.arange(padded[1]) < _shuffled(g, torch.tensor([2, 3]))[:, None, None]
    return [
        Case("a few queries and keys", _qkv(g, (), T_q, T_k, d_k, d_v)),
        Case("float64", exact),
        Case("a mask (T_q, T_k)", (*_qkv(g, (), *masked), _mask(g, masked[0], masked[1]))),
        Case(
            "a mask (B, 1, T_k) that hides padding, which scores highest",
            (*_hidden_best(g, padded, keep), keep),
        ),
        Case("two batch axes and a mask (T_q, T_k)", (*_qkv(g, (2, 1), *deep), _mask(g, deep[0], deep[1]))),
    ]


def _hidden_best(g: Generator, sizes: list[int], keep: Tensor) -> tuple[Tensor, ...]:
    """Scores near -256 for what may be seen and near 64 for the rest: a fill of -100 wins, -1e9 doesn't.

    In float64, where even an exponential without a maximum subtracted stays within bounds.
    """
    q, k, v = _qkv(g, (len(keep),), *sizes, dtype=torch.float64)
    q[..., 0] = -16
    k[..., 0] = torch.where(keep.squeeze(1), 32.0, -8.0)
    return q, k, v


# -- additive attention --------------------------------------------------------------------------------------


def additive_cases(g: Generator) -> list[Case]:
    """One query, and batches of queries."""
    return [
        Case("one query", _additive(g, ())),
        Case("float64", _additive(g, (), dtype=torch.float64)),
        Case("a batch of queries, each with keys of its own", _additive(g, (2,))),
        Case("two batch axes", _additive(g, (2, 1))),
    ]


def _additive(g: Generator, front: tuple, dtype: torch.dtype = torch.float32) -> tuple[Tensor, ...]:
    d_q, T, d_k, d_v, d_a = _sizes(g, 3, 4, 5, 6, 7)
    inputs = [(*front, d_q), (*front, T, d_k), (*front, T, d_v)]
    return (*_normals(g, inputs, dtype), *_normals(g, [(d_q, d_a), (d_k, d_a), (d_a,)], dtype, spread=0.6))


# -- cross-attention -----------------------------------------------------------------------------------------


def cross_cases(g: Generator) -> list[Case]:
    """Two sequences that differ in everything, and two that are alike."""
    sizes, masked = _sizes(g, 2, 3, 4, 5), _sizes(g, 2, 3, 4, 5, least=(1, 3))
    T, d = _sizes(g, 3, 4)
    batch = _sizes(g, 3, 4, 5, 6)
    padding = torch.arange(batch[1]) < torch.tensor([[[batch[1] - 1]], [[2]]])
    return [
        Case("y and x of different lengths and widths", _cross(g, (), *sizes)),
        Case("a mask (T_y, T_x) that hides the highest scores", _hidden_scores(g, masked)),
        # Here what belongs to y can be taken from x, and such slips give numbers instead of an exception.
        Case("y and x of one shape", _cross(g, (), T, T, d, d)),
        Case("float64", _cross(g, (), *sizes, d_k=9, dtype=torch.float64)),
        Case("a batch, and a mask (B, 1, T_x) that hides padding", (*_cross(g, (2,), *batch), padding)),
    ]


def _hidden_scores(g: Generator, sizes: list[int]) -> tuple[Tensor, ...]:
    """One key is hidden, with scores near 43, those of the others are near -171: a fill of -100 shows."""
    y, x, W_q, W_k, W_v = _cross(g, (), *sizes, d_k=9, dtype=torch.float64)
    shown = _shuffled(g, torch.arange(len(x)) > 0)
    y[:, 0], x[:, 0] = -16, torch.where(shown, 32.0, -8.0)
    mask = shown.repeat(len(y), 1)
    mask[0, shown.nonzero()[0]] = False  # the queries' rows aren't all alike
    for projection in (W_q, W_k):  # the first feature as it is, and nothing else of it
        projection[0] = projection[:, 0] = 0
        projection[0, 0] = 1
    return y, x, W_q, W_k, W_v, mask


def _cross(
    g: Generator, front: tuple, T_y: int, T_x: int, d_y: int, d_x: int, *, d_k: int = 7,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, ...]:  # fmt: skip
    inputs, weights = [(*front, T_y, d_y), (*front, T_x, d_x)], [(d_y, d_k), (d_x, d_k), (d_x, 8)]
    return (*_normals(g, inputs, dtype), *_normals(g, weights, dtype, spread=0.6))


# -- why √d_k ------------------------------------------------------------------------------------------------


def variance_cases(g: Generator) -> list[Case]:
    """Numbers of components far enough apart to tell d_k, its root and its square."""
    small, large = (int(torch.randint(*bounds, (), generator=g)) for bounds in ((5, 12), (100, 300)))
    return [Case("few components", (small,)), Case("64 components", (64,)), Case("many components", (large,))]


def saturation_cases(g: Generator) -> list[Case]:
    """Narrow and wide vectors, each scaled and not. The last key wins in some wide rows, in no narrow one."""
    N, T, d_k = _sizes(g, 2, 3, 5)
    narrow = _best_at(torch.randint(T - 1, (N,), generator=g), _normal(g, N, d_k), _normal(g, N, T, d_k))
    places = torch.tensor([3, *torch.randint(3, (2,), generator=g).tolist()])
    wide = _best_at(places, _normal(g, 3, 16), _normal(g, 3, 4, 16))
    return [
        Case("not scaled", (*narrow, False)),
        Case("scaled", (*narrow, True)),
        Case("wide vectors, scaled", (*wide, True)),
        Case("wide vectors, not scaled", (*wide, False)),
    ]


def _best_at(places: Tensor, q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
    """Queries, and their keys in an order by which the one that scores highest stands at its place."""
    best = (k @ q.unsqueeze(-1)).squeeze(-1).argmax(dim=-1)
    rows = [row.roll(int(place - at), dims=0) for row, place, at in zip(k, places, best, strict=True)]
    return q, torch.stack(rows)


# -- permutations --------------------------------------------------------------------------------------------


def permutation_cases(g: Generator) -> list[Case]:
    """Layers that are equivariant, invariant and neither."""
    T, d = _sizes(g, 4, 5)
    p, x, batch = _permutation(g, T), _normal(g, T, d), _normal(g, 2, T, d)
    matrices, positions = list(_normals(g, [(d, 3)] * 3, spread=0.6)), _normal(g, T, d)
    change = (x[p] - x) @ matrices[0]
    if change.max() > -change.min():  # so that forgetting the absolute value shows
        x = -x
    gap = _equivariance_gap("a running sum", matrices[:1], x, p)
    falling = -x if gap.max() > -gap.min() else x
    return [
        _layer("self-attention", matrices, x, p),
        _layer("a linear map of each position", matrices[:1], x, p),
        _layer("a running sum", matrices[:1], falling, p),
        _layer("the mean over positions", matrices[:1], x, p),
        _layer("self-attention", matrices, batch, p, "self-attention, a batch"),
        _layer("self-attention after adding positions", [*matrices, positions], batch, p),
    ]


def _layer(name: str, weights: list[Tensor], x: Tensor, permutation: Tensor, title: str = "") -> Case:
    return Case(title or name, ({"layer": name, "weights": weights}, x, permutation))


def _equivariance_gap(name: str, weights: list[Tensor], x: Tensor, permutation: Tensor) -> Tensor:
    layer = make_layer({"layer": name, "weights": weights})
    return layer(x[permutation]) - layer(x)[permutation]


def _permutation(g: Generator, T: int) -> Tensor:
    """An order of T positions that isn't its own inverse and leaves none in place."""
    order = torch.randperm(T, generator=g)
    return order[(torch.argsort(order) + 1) % T]  # one cycle through all positions


# -- choices -------------------------------------------------------------------------------------------------


def choose(options: dict[str, list]) -> list[Case]:
    """The one case of a choice: its slots, and what may stand in each."""
    return [Case("", (options,))]


# -- building blocks -----------------------------------------------------------------------------------------


def _sizes(g: Generator, *sizes: int, least: tuple[int, int] = (0, 0)) -> list[int]:
    """The sizes in some order. `least`, a place and a size, asks for so much at that place."""
    place, size = least
    while True:
        order = [sizes[i] for i in torch.randperm(len(sizes), generator=g)]
        if order[place] >= size:
            return order


def _normal(g: Generator, *shape: int, spread: float = 1, dtype: torch.dtype = torch.float32) -> Tensor:
    return spread * torch.randn(*shape, generator=g, dtype=dtype)


def _normals(
    g: Generator, shapes: list[tuple], dtype: torch.dtype = torch.float32, spread: float = 1
) -> tuple[Tensor, ...]:
    return tuple(_normal(g, *shape, spread=spread, dtype=dtype) for shape in shapes)


def _shuffled(g: Generator, row: Tensor) -> Tensor:
    return row[torch.randperm(len(row), generator=g)]


def _qkv(
    g: Generator, front: tuple, T_q: int, T_k: int, d_k: int, d_v: int, *, dtype: torch.dtype = torch.float32
) -> tuple[Tensor, ...]:
    return _normals(g, [(*front, T_q, d_k), (*front, T_k, d_k), (*front, T_k, d_v)], dtype, spread=1.2)


def _mask(g: Generator, T_q: int, T_k: int) -> Tensor:
    """At least two keys to attend to for each query, at least one hidden."""
    shown = torch.randint(2, T_k, (T_q,), generator=g)
    return torch.stack([_shuffled(g, torch.arange(T_k) < n) for n in shown])
