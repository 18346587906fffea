"""Lesson 08's cases: sequences with padding, logits, a tiny language model, a tiny training.

Sizes of one call differ, so that swapped axes can't hide. Parameters are sixteenths: short sheets.
"""

import math

import torch
from torch import Generator, Tensor

from helpers.checking.calling.drivers import Case


def choose(slots: dict[str, list]) -> list[Case]:
    """The case of a choice: its slots and what may stand in each."""
    return [Case("", (slots,))]


def _one(g: Generator, low: int, high: int) -> int:
    return int(torch.randint(low, high, (), generator=g))


def _some(g: Generator, *shape: int, spread: float = 1.0, dtype: torch.dtype = torch.float32) -> Tensor:
    """Normal numbers, rounded to sixteenths."""
    return (16 * spread * torch.randn(shape, generator=g)).round().to(dtype) / 16


# -- batches, loss, perplexity ---------------------------------------------------------------------------


def _padded(g: Generator, lengths: list[int], longest: int, pad: int = 0) -> Tensor:
    """Rows of tokens from 6 to 30, between 1 and 2 as `<bos>` and `<eos>`, then padding."""
    rows = []
    for length in lengths:
        words = torch.randint(6, 31, (length - 2,), generator=g).tolist()
        rows.append([1, *words, 2] + [pad] * (longest - length))
    return torch.tensor(rows)


def batch_cases(g: Generator) -> list[Case]:
    """Without padding, with some, and with another number for it."""
    n = _one(g, 7, 9)
    return [
        Case("no padding", (_padded(g, [6, 6, 6], 6),)),
        Case("three lengths", (_padded(g, [n, n - 3, n - 1], n),)),
        Case("padding has another number", (_padded(g, [4, 7], 7, pad=31),), {"pad": 31}),
        Case("a row far shorter than the others", (_padded(g, [3, n, n, n - 1], n),)),
    ]


def loss_cases(g: Generator) -> list[Case]:
    """All targets real; some left out; a row without any; scores far apart; float64."""
    return [
        Case("every target counts", (_some(g, 2, 4, 5), _targets(g, [4, 4], 4, 5))),
        Case("padding left out", (_some(g, 3, 5, 4, spread=1.5), _targets(g, [5, 1, 3], 5, 4))),
        Case("a row without a target", (_some(g, 3, 4, 6), _targets(g, [2, 0, 4], 4, 6))),
        # A mean over tokens differs from one over rows, and e to these scores overflows.
        Case("scores far apart", (_some(g, 2, 3, 7, spread=120.0), _targets(g, [3, 1], 3, 7))),
        Case("float64", (_some(g, 3, 2, 5, dtype=torch.float64), _targets(g, [2, 1, 2], 2, 5))),
    ]


def _targets(g: Generator, lengths: list[int], T: int, V: int) -> Tensor:
    targets = torch.randint(0, V, (len(lengths), T), generator=g)
    return targets.masked_fill(torch.arange(T) >= torch.tensor(lengths)[:, None], -100)


def perplexity_cases(g: Generator) -> list[Case]:
    """Batches of one size and of several; one batch; float64."""

    def losses(*, count: int, dtype: torch.dtype = torch.float32) -> Tensor:
        return (2 + torch.rand(count, generator=g, dtype=dtype)) / 1.5

    return [
        Case("one batch", (losses(count=1), torch.tensor([_one(g, 50, 90)]))),
        Case("batches of one size", (losses(count=3), torch.full((3,), _one(g, 20, 40)))),
        Case(
            "a short last batch", (losses(count=3), torch.tensor([_one(g, 300, 400), _one(g, 300, 400), 17]))
        ),
        Case("float64", (losses(count=4, dtype=torch.float64), torch.randint(5, 90, (4,), generator=g))),
    ]


def bigram_cases(g: Generator) -> list[Case]:
    """Pairs that repeat, padding, tokens that never come, more and less smoothing."""

    def case(title: str, lengths: list[int], T: int, V: int, alpha: float) -> Case:
        targets = _targets(g, lengths, T, 3)
        inputs = torch.randint(0, 3, targets.shape, generator=g)
        return Case(title, (inputs, targets, V, alpha))

    return [
        case("a few pairs", [6, 6], 6, 4, 1.0),
        case("padding", [8, 3, 5], 8, 4, 0.5),
        case("tokens that never come", [9, 2], 9, 6, 0.25),
    ]


# -- the model -------------------------------------------------------------------------------------------


def cost_cases(g: Generator) -> list[Case]:
    """Small models, and one with a vocabulary that outweighs all else."""

    def sizes(vocabulary: int) -> tuple[int, ...]:
        heads = _one(g, 3, 6)
        layers, positions = _one(g, 2, 5), _one(g, 30, 60)
        return vocabulary, heads * _one(g, 7, 12), heads, layers, positions, _one(g, 1000, 5000)

    return [
        Case("a small model", sizes(_one(g, 100, 200))),
        Case("another", sizes(_one(g, 200, 400))),
        Case("a large vocabulary", sizes(_one(g, 20_000, 30_000))),
    ]


# -- training --------------------------------------------------------------------------------------------


def schedule_cases(g: Generator) -> list[Case]:
    """Steps on the way up, at the peak, on the way down and at the end."""
    warmup = 5 * _one(g, 4, 9)
    steps, peak = warmup * _one(g, 5, 9) + _one(g, 1, 9), 0.001 * _one(g, 2, 9)
    rest = (steps, warmup, peak)
    return [
        Case("the first step", (1, *rest)),
        Case("on the way up", (2 * warmup // 5, *rest)),
        Case("the peak", (warmup, *rest)),
        Case("just behind the peak", (warmup + 1, *rest)),
        Case("on the way down", (warmup + 3 * (steps - warmup) // 5, *rest)),
        Case("the last step but one", (steps - 1, *rest)),
        Case("the last step", (steps, *rest)),
    ]


def step_cases(g: Generator) -> list[Case]:
    """Long gradients, short ones, momentum and decay: one step and two, three batches in one case."""

    def recipe(*settings: float) -> dict:
        shapes = {"W": (3, 2), "b": (2,), "v": (2,)}
        weights = {name: _some(g, *shape) + 0.5 for name, shape in shapes.items()}
        return {"layer": "a curve in training", "weights": [weights, *settings]}

    def batches(count: int, far: float) -> list:
        made = []
        for _ in range(count):
            x = _some(g, 4, 3)
            made.append([x, far * (1.5 + torch.rand(4, generator=g))])
        return made

    return [
        Case("one step, long gradients", (recipe(0.125), batches(1, 8.0))),
        Case("two steps, long gradients", (recipe(0.125), batches(2, 8.0))),
        Case("two steps, short gradients", (recipe(0.0625), batches(2, 1.0)), {"max_norm": 100.0}),
        Case(
            "three steps with momentum and decay",
            (recipe(0.0625, 0.5, 0.25), batches(3, 4.0)),
            {"max_norm": 2.0},
        ),
    ]


# -- writing ---------------------------------------------------------------------------------------------


def _logits(g: Generator, *shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    """Scores of which no two in a row are nearly alike, the largest neither at an end nor in one place."""
    V = shape[-1]
    rows = [torch.randperm(V, generator=g) for _ in range(math.prod(shape[:-1]))]
    places = [1 + number % max(1, V - 2) for number in range(len(rows))]
    rows = [row.roll(place - int(row.argmax())) for row, place in zip(rows, places, strict=True)]
    ranks = torch.stack(rows).reshape(shape)
    return 0.7 * ranks.to(dtype) + 0.2 * torch.rand(shape, generator=g, dtype=dtype) - 2


def temperature_cases(g: Generator) -> list[Case]:
    """Cold, hot, as it is, greedy; one row and several."""
    cold, hot = 0.25 * _one(g, 2, 4), 0.25 * _one(g, 6, 9)
    return [
        Case("temperature 1", (_logits(g, 5), 1.0)),
        Case("cold", (_logits(g, 2, 4), cold)),
        Case("hot", (_logits(g, 3, 5), hot)),
        Case("temperature 0 is greedy", (_logits(g, 2, 3, 6), 0)),
        Case("float64", (_logits(g, 2, 3, dtype=torch.float64), cold)),
    ]


def top_k_cases(g: Generator) -> list[Case]:
    """One token, a few, all of them."""
    return [
        Case("two of five", (_logits(g, 5).softmax(-1), 2)),
        Case("three of seven, a batch", (_logits(g, 2, 7).softmax(-1), 3)),
        Case("one", (_logits(g, 3, 4).softmax(-1), 1)),
        Case("all of them", (_logits(g, 2, 4).softmax(-1), 4)),
        Case("float64", (_logits(g, 3, 6, dtype=torch.float64).softmax(-1), _one(g, 2, 5))),
    ]


def nucleus_cases(g: Generator) -> list[Case]:
    """P between what one token reaches and what the next does; one token that reaches it alone; p = 1."""

    def between(row: Tensor, count: int) -> float:
        sums = row.double().sort(descending=True).values.cumsum(0)
        return float(sums[count - 2] + sums[count - 1]) / 2 if count > 1 else float(sums[0]) / 2

    one, many = _logits(g, 5).softmax(-1), (0.4 * _logits(g, 2, 7)).softmax(-1)
    sure = (3 * _logits(g, 4)).softmax(-1)
    exact = (0.5 * _logits(g, 3, 6, dtype=torch.float64)).softmax(-1)
    eighths = torch.tensor([0.5, 0.25, 0.125, 0.125])
    return [
        Case("two tokens are needed", (one, between(one, 2))),
        Case("a batch", (many, between(many[0], 4))),
        Case("the first token is enough", (sure, between(sure, 1))),
        Case("all of them", (many.flip(0), 1.0)),
        Case("float64", (exact, between(exact[1], 3))),
        # Sums without any rounding: two tokens reach exactly p.
        Case("a sum that is exactly p", (eighths[torch.randperm(4, generator=g)], 0.75)),
    ]


def draw_cases(g: Generator) -> list[Case]:
    """Numbers in the middle of a token's share, zeros among the probabilities, batches."""

    def case(title: str, *shape: int, zeros: int = 0, dtype: torch.dtype = torch.float32) -> Case:
        p = (0.5 * _logits(g, *shape, dtype=dtype)).softmax(-1)
        if zeros:
            p[..., :zeros] = 0
            p = p / p.sum(-1, keepdim=True)
        chosen = torch.randint(zeros, shape[-1], shape[:-1], generator=g)
        ends = p.double().cumsum(-1)
        middles = ends - p.double() / 2
        uniform = middles.gather(-1, chosen[..., None])[..., 0].to(dtype)
        if zeros:
            uniform[0] = 0  # no impossible token gets it
        return Case(title, (p, uniform))

    return [
        case("one row", 5),
        case("a batch", 7, 4),
        case("the first two are impossible", 4, 6, zeros=2),
        case("two batch axes, float64", 2, 3, 5, dtype=torch.float64),
        Case("a number beyond a sum that rounding has left below 1", _beyond_the_last(g)),
    ]


def _beyond_the_last(g: Generator) -> tuple[Tensor, Tensor]:
    """Probabilities that lack a little of 1, the largest number below 1, and one in the middle of all."""
    p = (0.5 * _logits(g, 2, 6)).softmax(-1)
    p = torch.where(p == p.amax(-1, keepdim=True), p - 2**-21, p)
    middle = p[1].cumsum(-1)[2] - p[1, 2] / 2
    return p, torch.stack([torch.tensor(1 - 2**-24), middle])


# -- tokens --------------------------------------------------------------------------------------------------


def pair_cases(g: Generator) -> list[Case]:
    """Words of letters and of longer tokens; pairs that several words share, or that a word has twice."""
    a, b, c, d, e = _letters(g)
    return [
        Case("two words", ({f"{a} {b} {c}": _one(g, 2, 9), f"{a} {b} {d} {e}": _one(g, 11, 19)},)),
        Case("a pair twice in a word", ({f"{a} {b} {c} {a} {b}": _one(g, 2, 9), f"{b} {c}": _one(g, 2, 9)},)),
        Case("three alike, and one token", ({f"{d} {d} {d} {e}": _one(g, 2, 9), c: _one(g, 2, 9)},)),
        Case(
            "tokens of several letters",
            (
                {
                    f"{a}{b} {c} {d}{e}": _one(g, 2, 9),
                    f"{c} {d}{e} {c} {a}{b}": _one(g, 11, 19),
                    f"{a} {b} {c}": _one(g, 21, 29),
                },
            ),
        ),
    ]


def merge_cases(g: Generator) -> list[Case]:
    """A pair once, twice, three of a kind, not there, and where other tokens end or begin like it."""
    a, b, c, d, e = _letters(g)
    return [
        Case("once", (f"{c} {a} {b} {d}", f"{a} {b}")),
        Case("twice, and the other way round", (f"{a} {b} {c} {b} {a} {d} {a} {b}", f"{a} {b}")),
        Case("three and five alike", (f"{a} {a} {a} {b} {a} {a} {a} {a} {a}", f"{a} {a}")),
        Case("tokens that end or begin like it", (f"{c}{a} {b} {d} {a} {b}{e} {a} {b}", f"{a} {b}")),
        Case("longer tokens", (f"{a}{b} {c} {d} {a}{b} {c} {e}", f"{a}{b} {c}")),
        Case("not there", (f"{a} {c} {b} {d}", f"{a} {b}")),
    ]


def encoding_cases(g: Generator) -> list[Case]:
    """Words of which some merges fit, with merges whose order matters."""
    a, b, c, d, e = _letters(g)
    merges = [f"{a} {b}", f"{b} {c}", f"{a}{b} {c}", f"{d} {a}", f"{d} {e}", f"{b}{c} {d}"]
    return [
        Case("the first merge takes what others need", (f"{d}{a}{b}{c}{e}", merges)),
        Case("a merge that doesn't fit, then some that do", (f"{b}{c}{d}{e}{d}{a}", merges)),
        Case("several at a time", (f"{a}{b}{c}{a}{b}{e}{d}{a}{b}{c}", merges)),
        Case("a longer token is known", (f"{e}{b}{c}{d}{a}{b}{c}", [*merges, f"{a} {b}{c}{d}"])),
        Case("the last one counts", (f"{e}{a}{d}{e}{c}", [f"{a} {b}", f"{d} {e}", f"{a} {d}{e}"])),
    ]


def _letters(g: Generator) -> list[str]:
    """Five different letters."""
    return [chr(ord("a") + int(number)) for number in torch.randperm(26, generator=g)[:5]]
