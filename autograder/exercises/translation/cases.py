"""Lesson 11's cases: what each exercise's answer is called with.

Every generator decides values, and sizes where they can vary; tensors are small enough to be read.
"""

import torch
from torch import Generator, Tensor

from helpers.checking.calling.drivers import Case

BOS, EOS, PAD = 1, 2, 0

# -- the decoder block ---------------------------------------------------------------------------------------


def block_cases(g: Generator) -> list[Case]:
    """Sequences of other and of the same lengths, padding in the memory, and a step with a cache."""
    real = (torch.arange(5) < _shuffled(g, torch.tensor([[2], [3]])))[:, None, None]
    return [
        Case("as many target as source positions", (_settings(4, 2), _weights(g, 4), *_two(g, 1, 3, 3, 4))),
        Case("more source than target positions", (_settings(6, 3), _weights(g, 6), *_two(g, 1, 2, 4, 6))),
        Case(
            "two sentences, padding in the memory",
            (_settings(4, 2), _weights(g, 4), *_two(g, 2, 2, 5, 4)),
            {"memory_mask": real},
        ),
        Case(
            "one new position after three in the cache",
            (_settings(4, 2), _weights(g, 4), *_two(g, 1, 1, 3, 4)),
            {"cache": [_kept(g, 3), _kept(g, 2)]},
        ),
    ]


def _settings(d_model: int, n_heads: int) -> dict[str, int]:
    return {"d_model": d_model, "n_heads": n_heads, "d_ff": d_model + 1}


def _two(g: Generator, B: int, T_q: int, T_k: int, C: int) -> tuple[Tensor, Tensor]:
    return _normal(g, B, T_q, C), _normal(g, B, T_k, C)


def _kept(g: Generator, T: int) -> dict[str, Tensor]:
    """Keys and values of T positions, two heads of two channels: (1, 2, T, 2)."""
    return {"k": _normal(g, 1, 2, T, 2), "v": _normal(g, 1, 2, T, 2)}


def _weights(g: Generator, C: int) -> dict[str, Tensor]:
    """Values for all parameters, large enough for attention that differs, with few digits."""
    F = C + 1
    linear = {
        "attention.W_qkv": (3 * C, C), "attention.W_o": (C, C), "cross_attention.W_q": (C, C),
        "cross_attention.W_kv": (2 * C, C), "cross_attention.W_o": (C, C), "feed_forward.W_up": (F, C),
        "feed_forward.W_down": (C, F),
    }  # fmt: skip
    made = {}
    for name, (out, into) in linear.items():
        made[f"{name}.weight"] = _normal(g, out, into, spread=1.5 / into**0.5)
        made[f"{name}.bias"] = _normal(g, out, spread=0.5)
    for number in (1, 2, 3):
        made[f"norm_{number}.weight"] = 1 + _normal(g, C, spread=0.3)
        made[f"norm_{number}.bias"] = _normal(g, C, spread=0.3)
    return {name: (16 * value).round() / 16 for name, value in made.items()}


# -- training ------------------------------------------------------------------------------------------------


def smoothing_cases(g: Generator) -> list[Case]:
    """With padding and without, some ε, and logits that are far from even."""

    def targets(B: int, T: int, V: int, hidden: int = 0) -> Tensor:
        made = torch.randint(V, (B, T), generator=g)
        made[-1, T - hidden :] = -100
        return made

    return [
        Case("ε = 0.1", (_normal(g, 2, 4, 5, spread=2), targets(2, 4, 5), 0.1)),
        Case("padding", (_normal(g, 2, 5, 7, spread=2), targets(2, 5, 7, 3), 0.1)),
        Case("ε = 0.3, padding", (_normal(g, 3, 4, 6, spread=4), targets(3, 4, 6, 2), 0.3)),
        Case("no smoothing", (_normal(g, 3, 2, 4), targets(3, 2, 4), 0.0)),
        Case(
            "float64, one token", (_normal(g, 1, 1, 9, spread=3, dtype=torch.float64), targets(1, 1, 9), 0.2)
        ),
    ]


def rate_cases(g: Generator) -> list[Case]:
    """The first step, the way up, the peak, the way down; other widths."""
    d = 4 * int(torch.randint(20, 60, (), generator=g))
    warmup = int(torch.randint(200, 600, (), generator=g))
    return [
        Case("the first step", (1, d, warmup)),
        Case("on the way up", (warmup // 3, d, warmup)),
        Case("the peak", (warmup, d, warmup)),
        Case("long after the peak", (7 * warmup, d, warmup)),
        Case("the paper's width and warm-up", (1000 + int(torch.randint(9000, (), generator=g)), 512, 4000)),
    ]


# -- decoding ------------------------------------------------------------------------------------------------

TABLE = "what comes next, by a table"


def _table(logits: Tensor) -> dict:
    """A recipe; logits (B, P, V, V): by sentence, position and last token."""
    log_p = logits.log_softmax(dim=-1)
    return {"layer": TABLE, "weights": [log_p.flatten(-2).round(decimals=5)]}


def greedy_cases(g: Generator) -> list[Case]:
    """Rows that finish at different steps, one that never does, and a limit that cuts."""

    def one(B: int, stops: list[int], P: int = 5, V: int = 6) -> dict:
        logits = _normal(g, B, P, V, V, spread=2)
        logits[..., EOS] -= 30
        logits[..., [PAD, BOS]] -= 2
        for row, stop in enumerate(_shuffled(g, torch.tensor(stops)).tolist()):
            logits[row, stop, :, EOS] += 60
        return _table(logits)

    return [
        Case("one sentence", (one(1, [2]), 1, 5)),
        Case("three sentences, each finished at another step", (one(3, [1, 2, 3]), 3, 5)),
        Case("a sentence that doesn't end", (one(2, [1, 4]), 2, 3)),
        Case("finished at once", (one(1, [0]), 1, 4)),
        Case("other numbers for the special tokens", (_renamed(one(2, [1, 2])), 2, 4, 4, 2, 5)),
    ]


def _renamed(recipe: dict) -> dict:
    """The same, with `<bos>` 4 and `<pad>` 5: row and column of 1 moved to 4, and those of 0 to 5."""
    (table,) = recipe["weights"]
    size = round(table.size(-1) ** 0.5)
    order = [4, 5, 2, 3, 1, 0][:size]
    square = table.unflatten(-1, (size, size))[..., order, :][..., order]
    return {**recipe, "weights": [square.flatten(-2)]}


def work_cases(g: Generator) -> list[Case]:
    """Short enough to count by hand, and long."""
    some, long = int(torch.randint(4, 9, (), generator=g)), int(torch.randint(50, 900, (), generator=g))
    return [Case("one token", (1,)), Case("three tokens", (3,)), Case("some", (some,)), Case("many", (long,))]


def normalised_cases(g: Generator) -> list[Case]:
    """Some lengths and α, 0 among them."""
    values = (-5 * torch.rand(3, generator=g) - 1).tolist()
    return [
        Case("one token", (values[0], 1, 0.6)),
        Case("seven tokens, the paper's α", (values[1], 7, 0.6)),
        Case("fifteen tokens, α = 1", (values[2], 15, 1.0)),
        Case("no normalisation", (-2.5, int(torch.randint(3, 30, (), generator=g)), 0.0)),
    ]


# Tokens of the beam's small tables: 0 is <pad>, 1 <bos>, 2 <eos>; A, B, C are 3, 4, 5.
A, B, C = 3, 4, 5


def beam_cases(g: Generator) -> list[Case]:
    """A trap for greedy decoding, one for sums without normalisation, and tables drawn at random."""
    return [
        Case("greedy decoding is wrong here", (_trap(g), 2, 4, 0.0)),
        Case("the same with one beam", (_trap(g), 1, 4, 0.0)),
        Case("a short and a long translation", (_short_and_long(g), 3, 4, 1.0)),
        Case("three beams, all alive to the end", (_drawn(g, -30.0, V=7), 3, 3, 0.6)),
        Case("more beams than tokens", (_drawn(g, 1.0), 8, 3, 0.6)),
        Case("other numbers for `<bos>` and `<eos>`", (_other_specials(g), 2, 3, 0.6, 5, 0)),
    ]


def _near(g: Generator, rows: dict[tuple[int, int], dict[int, float]], P: int = 4, V: int = 6) -> Tensor:
    """Probabilities by position and last token, a little different each time; the rest share what is left."""
    table = torch.full((1, P, V, V), 1e-4)
    table[..., EOS] = 1.0
    for (position, last), chances in rows.items():
        table[0, position, last] = 1e-4
        for token, chance in chances.items():
            table[0, position, last, token] = chance
    table = table * (1 + 0.05 * torch.rand(table.shape, generator=g))
    return (table / table.sum(-1, keepdim=True)).log()


def _trap(g: Generator) -> dict:
    """A looks better than B, but everything after A is uncertain."""
    return _table(
        _near(
            g,
            {
                (0, BOS): {A: 0.55, B: 0.4, C: 0.05},
                (1, A): {A: 0.36, B: 0.3, C: 0.24, EOS: 0.1},
                (1, B): {C: 0.9, A: 0.07, EOS: 0.03},
                (2, C): {EOS: 0.9, A: 0.1},
                (2, A): {EOS: 0.6, B: 0.4},
            },
        )
    )


def _short_and_long(g: Generator) -> dict:
    """The short one is a little likelier as a whole, and less likely a token."""
    return _table(
        _near(
            g,
            {
                (0, BOS): {EOS: 0.01, A: 0.62, B: 0.37},
                (1, A): {EOS: 0.45, A: 0.55},
                (1, B): {EOS: 0.7, C: 0.3},
                (2, A): {B: 0.8, C: 0.1, EOS: 0.1},
                (2, C): {EOS: 0.9, C: 0.1},
                (3, B): {EOS: 0.95, A: 0.05},
                (3, C): {EOS: 0.95, A: 0.05},
            },
        )
    )


def _drawn(g: Generator, eos: float, V: int = 6) -> dict:
    logits = _normal(g, 1, 4, V, V, spread=1.5)
    logits[..., [PAD, BOS]] -= 30
    logits[..., EOS] += eos
    return _table(logits)


def _other_specials(g: Generator) -> dict:
    logits = _normal(g, 1, 4, 6, 6, spread=1.5)
    logits[..., 0] += 0.7
    return _table(logits)


# -- choices, building blocks --------------------------------------------------------------------------------


def choose(options: dict[str, list]) -> list[Case]:
    """The one case of a choice: its slots, and what may stand in each."""
    return [Case("", (options,))]


def _normal(g: Generator, *shape: int, spread: float = 1, dtype: torch.dtype = torch.float32) -> Tensor:
    return spread * torch.randn(*shape, generator=g, dtype=dtype)


def _shuffled(g: Generator, row: Tensor) -> Tensor:
    return row[torch.randperm(len(row), generator=g)]
