"""Lesson 09's cases: what each exercise's answer is called with."""

import torch
from torch import Generator, Tensor

from helpers.checking.calling.drivers import Case
from helpers.finetuning import T_95


def choose(options: dict[str, list]) -> list[Case]:
    """The one case of a choice: its slots, and what may stand in each."""
    return [Case("", (options,))]


def last_cases(g: Generator) -> list[Case]:
    """Reviews of several lengths; none that is full, and one that is."""
    return [
        Case("two reviews, both shorter than T", (_normal(g, 2, 5, 3), _real(g, 2, 5, most=4))),
        Case("three reviews, one of them full", (_normal(g, 3, 6, 4), _real(g, 3, 6, least=2, full=True))),
        Case("one review", (_normal(g, 1, 6, 4), _real(g, 1, 6, least=3, most=4))),
        Case(
            "in float64",
            (_normal(g, 4, 7, 3, dtype=torch.float64), _real(g, 4, 7, least=2, most=6)),
        ),
    ]


def mean_cases(g: Generator) -> list[Case]:
    """The same, for a mean."""
    return last_cases(g)


def classifier_cases(g: Generator) -> list[Case]:
    """Bodies and heads of other sizes, with padding and without."""
    return [
        _classifier(g, "two classes", (8, 3, 5, 2), (3, 4), most=3),
        _classifier(g, "three classes, read at the mean", (9, 2, 4, 3), (2, 5), most=4, mean=True),
        _classifier(g, "one review, filled up", (7, 5, 3, 4), (1, 6), most=4),
        _classifier(g, "no padding at all", (9, 4, 6, 2), (1, 5), most=0),
    ]


def _classifier(
    g: Generator,
    title: str,
    sizes: tuple[int, int, int, int],
    shape: tuple[int, int],
    most: int,
    mean: bool = False,
) -> Case:
    V, E, C, K = sizes
    B, T = shape
    ids = torch.randint(1, V, (B, T), generator=g)
    if most:
        ids = ids.masked_fill(~_real(g, B, T, least=2, most=most), 0)
    weights = {
        "body.words.weight": _normal(g, V, E),
        "body.W.weight": _normal(g, C, E),
        "body.W.bias": _normal(g, C),
        "head.weight": _normal(g, K, C),
        "head.bias": _normal(g, K),
    }
    body = {"layer": "a small body", "weights": [V, E, C]}
    pool = {"layer": "reads the mean of the tokens" if mean else "reads the last token"}
    return Case(title, ({"body": body, "d_model": C, "n_classes": K, "pool": pool}, weights, ids))


def names_cases(g: Generator) -> list[Case]:
    """All fits; something has another shape; something is missing; the old head would fit."""
    return [
        Case("everything fits", _models(g)),
        Case("many layers", _many(g)),
        Case("longer reviews than before", _models(g, positions=5)),
        Case("one layer more than before", _models(g, missing=True)),
        Case("a head of the same shape", _models(g, alike=True)),
        Case("both at once, another prefix", _models(g, positions=5, missing=True, prefix="model.")),
        Case("a matrix that is turned, and names that begin with letters of the prefix", _turned(g)),
    ]


def _turned(g: Generator) -> tuple[dict[str, Tensor], dict[str, Tensor], str]:
    """As many numbers in another shape; and `body.` without each of its letters is less than the prefix."""
    old = {"blocks.weight": _normal(g, 3, 2), "down.weight": _normal(g, 2, 3), "bias": _normal(g, 2)}
    shapes = {"blocks.weight": (3, 2), "down.weight": (3, 2), "bias": (2,)}
    new = {f"body.{name}": _normal(g, *shape) for name, shape in shapes.items()}
    return old, new | {"head.weight": _normal(g, 3, 2)}, "body."


def _many(g: Generator) -> tuple[dict[str, Tensor], dict[str, Tensor], str]:
    """Twelve layers, each of which fits, has another shape, is missing or is left over, by chance."""
    kinds = torch.randint(4, (12,), generator=g).tolist()
    old = {f"W{n}.weight": _normal(g, 3, 2) for n, kind in enumerate(kinds) if kind != 2}
    new = {f"body.W{n}.weight": _normal(g, 3 + (kind == 1), 2) for n, kind in enumerate(kinds) if kind != 3}
    return old, new, "body."


def _models(
    g: Generator, positions: int = 3, *, missing: bool = False, alike: bool = False, prefix: str = "body."
) -> tuple[dict[str, Tensor], dict[str, Tensor], str]:
    def body(length: int) -> dict[str, Tensor]:
        return {
            "words.weight": _normal(g, 4, 2),
            "positions.weight": _normal(g, length, 2),
            "W.weight": _normal(g, 3, 2),
        }

    old = {**body(3), "head.weight": _normal(g, 4, 2)}
    new = {prefix + name: tensor for name, tensor in body(positions).items()}
    if missing:  # before W, so that places in the two models part there
        last = new.popitem()
        new |= {f"{prefix}norm.weight": _normal(g, 2), last[0]: last[1]}
    new |= {"head.weight": _normal(g, 4 if alike else 3, 2), "head.bias": _normal(g, 4 if alike else 3)}
    return old, new, prefix


def freeze_cases(g: Generator) -> list[Case]:
    """Models of several sizes."""
    return [Case(title, (_recipe("a classifier to freeze", g),)) for title in ("a model", "another")]


def trainable_cases(g: Generator) -> list[Case]:
    """All of it trains, the head alone, the body alone, all but the words."""
    name = "a small classifier"
    return [
        Case("all of it trains", (_recipe(name, g),)),
        Case("the body is frozen", (_recipe(name, g, "body"),)),
        Case("the head is frozen", (_recipe(name, g, "head"),)),
        Case("the embedding is frozen", (_recipe(name, g, "body.words"),)),
    ]


def groups_cases(g: Generator) -> list[Case]:
    """Two rates; a frozen body; one frozen part."""
    name = "a classifier and its groups"
    return [
        Case("all of it trains", (_recipe(name, g), *_rates(g))),
        Case("the body is frozen", (_recipe(name, g, "body"), *_rates(g))),
        Case("the embedding is frozen", (_recipe(name, g, "body.words"), *_rates(g))),
    ]


def _rates(g: Generator) -> tuple[float, float]:
    a, b = (1 + torch.randperm(8, generator=g)[:2]).tolist()
    return a / 10_000, b / 1_000


def _recipe(name: str, g: Generator, frozen: str = "-") -> dict:
    sizes = (3 + torch.randperm(6, generator=g)[:3]).tolist()
    return {"layer": name, "weights": [*sizes, 2, frozen]}


def wilson_cases(g: Generator) -> list[Case]:
    """Ordinary accuracies, all right, all wrong, another z."""
    n = _between(g, 200, 600)
    return [
        Case("some hundred reviews", (_between(g, n // 2, 9 * n // 10), n, 1.96)),
        Case("few reviews", (_between(g, 3, 7), 10, 1.96)),
        Case("all of them right", (few := _between(g, 8, 30), few, 1.96)),
        Case("none of them right", (0, _between(g, 8, 30), 1.96)),
        Case("an interval for 99 %", (_between(g, 40, 60), 80, 2.576)),
    ]


def t_cases(g: Generator) -> list[Case]:
    """Five seeds, three, two, ten; and one that they all agree on."""
    quantiles = list(T_95)
    return [
        Case(f"{name} seeds", (_accuracies(g, count), quantiles))
        for name, count in (("five", 5), ("three", 3), ("two", 2), ("ten", 10))
    ]


def _accuracies(g: Generator, count: int) -> list[float]:
    return [round(value, 3) for value in (0.5 + 0.4 * torch.rand(count, generator=g)).tolist()]


def tfidf_cases(g: Generator) -> list[Case]:
    """Other texts than those trained on; a word that training never had; the training texts themselves."""
    train, other = _counts(g, 5, 4), _counts(g, 3, 4)
    train[:, 1] = 0
    other[0, 1] += 2
    own = _counts(g, 4, 6)
    return [
        Case("three texts, by five others", (_counts(g, 5, 4), _counts(g, 3, 4))),
        Case("a word that training never had", (train, other)),
        Case("the training texts themselves", (own, own.clone())),
        Case("one text", (_counts(g, 7, 3), _counts(g, 1, 3))),
    ]


def _counts(g: Generator, texts: int, words: int) -> Tensor:
    """Counts with empty places, but no empty text: its first or second word is always there."""
    counts = torch.randint(0, 4, (texts, words), generator=g).float()
    counts *= torch.rand(texts, words, generator=g) < 0.7
    counts[:, 0] = torch.randint(1, 4, (texts,), generator=g).float()
    counts[0, -1] = 3.0
    counts[-1, -1] = 0.0 if texts > 1 else 3.0
    return counts


def _real(
    g: Generator, B: int, T: int, *, least: int = 2, most: int | None = None, full: bool = False
) -> Tensor:
    """Which places hold tokens, (B, T): lengths from least to most, not all alike; one T where asked."""
    most = T if most is None else most
    lengths = torch.randint(least, most + 1, (B,), generator=g)
    if B > 1:
        lengths[0], lengths[1] = most, least  # so that no single length does for all
    if full:
        lengths[0], lengths[-1] = T, T - 2
    return torch.arange(T) < lengths[torch.randperm(B, generator=g), None]


def _normal(g: Generator, *shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.randn(*shape, generator=g, dtype=dtype).round(decimals=3)


def _between(g: Generator, least: int, most: int) -> int:
    return int(torch.randint(least, most + 1, (), generator=g))


def adapter_cases(g: Generator) -> list[Case]:
    """Maps of several sizes, one of them square, and an adapter that has learned nothing yet."""
    return [
        _adapter(g, "rank 2", (5, 4, 2), 3.0, (3, 5)),
        _adapter(g, "rank 1, a square map, batches", (4, 4, 1), 8.0, (2, 3, 4)),
        _adapter(g, "rank 3, one vector", (6, 5, 3), 2.0, (6,)),
        _adapter(g, "B is 0, as at the beginning", (3, 6, 2), 4.0, (2, 3), new=True),
    ]


def _adapter(
    g: Generator,
    title: str,
    sizes: tuple[int, int, int],
    alpha: float,
    shape: tuple[int, ...],
    new: bool = False,
) -> Case:
    d_in, d_out, r = sizes
    weights = {
        "linear.weight": _normal(g, d_out, d_in),
        "linear.bias": _normal(g, d_out),
        "A": _normal(g, r, d_in),
        "B": torch.zeros(d_out, r) if new else _normal(g, d_out, r),
    }
    linear = {"layer": "a linear map", "weights": [d_in, d_out]}
    return Case(title, ({"linear": linear, "rank": r, "alpha": alpha}, weights, _normal(g, *shape)))


def merged_cases(g: Generator) -> list[Case]:
    """Matrices of several sizes, one of them square."""
    return [
        Case("rank 2", (*_thin(g, 5, 4, 2), 3.0)),
        Case("rank 1, a square matrix", (*_thin(g, 4, 4, 1), 8.0)),
        Case("rank 3, alpha an integer", (*_thin(g, 6, 5, 3), 2)),
        Case("in float64", (*(each.double() for each in _thin(g, 3, 6, 2)), 5.0)),
    ]


def _thin(g: Generator, d_in: int, d_out: int, r: int) -> tuple[Tensor, Tensor, Tensor]:
    return _normal(g, d_out, d_in), _normal(g, r, d_in), _normal(g, d_out, r)
