"""Lesson 03's cases: what each exercise's answer is called with.

The sizes within a tensor differ, so that a swapped axis can't hide, and tensors are small enough to read.
"""

import torch
from torch import Generator, Tensor

from helpers.checking.calling.drivers import Case

F64 = torch.float64

# -- sinusoidal ----------------------------------------------------------------------------------------------


def sinusoidal_cases(g: Generator) -> list[Case]:
    """Two features, several pairs, one row alone, and another base."""
    return [
        Case("one pair of features", (_integer(g, 5, 12), 2)),
        Case("several pairs", (_integer(g, 5, 7), 8)),
        Case("more positions", (_integer(g, 20, 30), 6)),
        Case("another base", (_integer(g, 5, 9), 4, float(_integer(g, 50, 200)))),
    ]


# -- adding --------------------------------------------------------------------------------------------------


def add_cases(g: Generator) -> list[Case]:
    """A table that is longer than the sentences, and batches small enough for a row of it each."""
    T, d, spare = _sizes(g, 3, 4, 5)
    rows = T + spare + 1
    return [
        Case("one sentence", (_normal(g, T, d), _normal(g, rows, d))),
        Case("a batch (B, T, d_model)", (_normal(g, 2, T, d), _normal(g, rows, d))),
        Case("more sentences than words", (_normal(g, 4, 3, 2), _normal(g, 7, 2))),
        Case("a table just long enough", (_normal(g, 2, 5, 3), _normal(g, 5, 3))),
        Case(
            "two batch axes, in float64", (_normal(g, 2, 1, T, d, dtype=F64), _normal(g, rows, d, dtype=F64))
        ),
    ]


# -- similarity ----------------------------------------------------------------------------------------------


def similarity_cases(g: Generator) -> list[Case]:
    """Tables without any pattern, so that each distance has another mean."""
    T, d = _sizes(g, 4, 6)
    return [
        Case("a few positions", (_normal(g, T, d),)),
        Case("more positions than features", (_normal(g, 9, 3),)),
        Case("float64", (_normal(g, 5, 7, dtype=F64),)),
    ]


# -- the shift -----------------------------------------------------------------------------------------------


def shift_cases(g: Generator) -> list[Case]:
    """One pair and several, forwards and back, and another base."""
    return [
        Case("one pair of features", (_integer(g, 1, 6), 2)),
        Case("several pairs", (_integer(g, 2, 9), 6)),
        Case("far away", (_integer(g, 20, 50), 8)),
        Case("back", (-_integer(g, 2, 9), 4)),
        Case("another base", (_integer(g, 2, 9), 4, float(_integer(g, 50, 200)))),
    ]


# -- learned positions ---------------------------------------------------------------------------------------


def learned_cases(g: Generator) -> list[Case]:
    """Words that come twice, and words whose number is no position."""
    T, d, spare = _sizes(g, 3, 4, 5)
    rows = T + spare + 1
    return [
        Case("one sentence", (_words(g, T), _normal(g, 9, d), _normal(g, rows, d))),
        Case("a batch (B, T)", (_words(g, 2, T), _normal(g, 9, d), _normal(g, rows, d))),
        Case("a small vocabulary", (_words(g, 3, 5, vocabulary=4), _normal(g, 4, 6), _normal(g, 8, 6))),
        Case("float64", (_words(g, 2, T), *_float64(g, (9, d), (rows, d)))),
    ]


def _words(g: Generator, *shape: int, vocabulary: int = 9) -> Tensor:
    """Ids, of which the last of each sentence repeats its first: a word's place isn't its number."""
    ids = torch.randint(vocabulary, shape, generator=g)
    ids[..., -1] = ids[..., 0]
    return ids


# -- relative positions --------------------------------------------------------------------------------------


def relative_cases(g: Generator) -> list[Case]:
    """Distances within the table and beyond it, one table and one for each head."""
    T_q, T_k = _sizes(g, 3, 4)
    long = _sizes(g, 6, 8)
    return [
        Case("every distance has its number", (_normal(g, 9), T_q, T_k)),
        Case("longer distances than the table has", (_normal(g, 5), *long)),
        Case("a table for each head", (_normal(g, 2, 7), *_sizes(g, 5, 6))),
        Case("two axes in front, in float64", (_normal(g, 2, 3, 5, dtype=F64), *_sizes(g, 4, 6))),
    ]


# -- rotary positions ----------------------------------------------------------------------------------------


def rotary_cases(g: Generator) -> list[Case]:
    """One pair, several, and positions that don't begin at 0."""
    T, d = _sizes(g, 3, 4)[0], 6
    start = _integer(g, 4, 20)
    apart = torch.randperm(30, generator=g)[:T] + 1
    return [
        Case("one pair of features", (_normal(g, 4, 2), torch.arange(4))),
        Case("several pairs", (_normal(g, T, d), torch.arange(T))),
        Case("positions from the middle of a text", (_normal(g, T, d), start + torch.arange(T))),
        Case("positions in any order", (_normal(g, T, 8), apart)),
        Case("a batch and heads (B, H, T, d)", (_normal(g, 2, 3, 5, 4), torch.arange(5))),
        Case("another base", (_normal(g, T, d), torch.arange(T), float(_integer(g, 50, 200)))),
    ]


def rotary_attention_cases(g: Generator) -> list[Case]:
    """Sentences of different lengths, a batch, and queries that are fewer than keys."""
    first, second, third = _sizes(g, 3, 5, 7)
    T_q, T_k = [(3, 5), (5, 7), (3, 7)][_integer(g, 0, 2)]
    return [
        Case("one sentence", _qkv(g, (), first, first, 6, 8)),
        Case("values as wide as keys", _qkv(g, (), second, second, 4, 4)),
        Case("a batch and heads (B, H, T, d)", _qkv(g, (2, 1), third, third, 4, 6)),
        Case(
            "a mask (T_q, T_k), fewer queries than keys", (*_qkv(g, (), T_q, T_k, 4, 6), _mask(g, T_q, T_k))
        ),
        Case("a mask that leaves only the key with the lowest scores", _lowest_left(g)),
    ]


def _lowest_left(g: Generator) -> tuple[Tensor, ...]:
    """One key may be seen, with scores near -99, and those of the others are near 45: a fill of -100 shows.

    With one key, no rounding of such scores shows. The last pair of features, which makes them what they are,
    hardly turns at all.
    """
    q, k, v = _qkv(g, (), 2, 3, 8, 4)
    shown = torch.arange(3) == _integer(g, 0, 2)
    q[:, -2], k[:, -2] = -16, torch.where(shown, 17.5, -8.0)
    return q, k, v, shown.repeat(2, 1)


def _qkv(g: Generator, front: tuple, T_q: int, T_k: int, d_k: int, d_v: int) -> tuple[Tensor, ...]:
    shapes = ((*front, T_q, d_k), (*front, T_k, d_k), (*front, T_k, d_v))
    return tuple(_normal(g, *shape, spread=1.2) for shape in shapes)


def _mask(g: Generator, T_q: int, T_k: int) -> Tensor:
    """At least two keys to attend to for each query, at least one hidden."""
    shown = torch.randint(2, T_k, (T_q,), generator=g)
    return torch.stack([(torch.arange(T_k) < n)[torch.randperm(T_k, generator=g)] for n in shown])


# -- the penalty ---------------------------------------------------------------------------------------------


def penalty_cases(g: Generator) -> list[Case]:
    """Numbers of heads that are powers of two, as in the paper."""
    few, some, many = _sizes(g, 2, 3, 4), _sizes(g, 3, 5, 6), _sizes(g, 5, 6, 7, 8)
    return [
        Case("8 heads", (8, *few[:2])),
        Case("4 heads", (4, *some[:2])),
        Case("2 heads, more keys than queries", (2, *sorted(many[:2]))),
        Case("16 heads, more queries than keys", (16, 4, _integer(g, 2, 3))),
    ]


# -- choices -------------------------------------------------------------------------------------------------


def choose(options: dict[str, list]) -> list[Case]:
    """The one case of a choice: its slots, and what may stand in each."""
    return [Case("", (options,))]


# -- building blocks -----------------------------------------------------------------------------------------


def _sizes(g: Generator, *sizes: int) -> list[int]:
    return [sizes[i] for i in torch.randperm(len(sizes), generator=g)]


def _integer(g: Generator, low: int, high: int) -> int:
    """From low to high, both included."""
    return int(torch.randint(low, high + 1, (), generator=g))


def _normal(g: Generator, *shape: int, spread: float = 1, dtype: torch.dtype = torch.float32) -> Tensor:
    return spread * torch.randn(*shape, generator=g, dtype=dtype)


def _float64(g: Generator, *shapes: tuple) -> tuple[Tensor, ...]:
    return tuple(_normal(g, *shape, dtype=F64) for shape in shapes)
