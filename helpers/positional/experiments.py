"""Small models that tell positions in one way each, trained side by side and read on longer texts.

A model is one layer of causal attention, or two. Of each kind, `SEEDS` models train along an extra first
axis, from different random numbers and on different texts. B texts, T tokens.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Generator, Tensor
from torch.nn.functional import cross_entropy, rms_norm

LENGTHS, TRAINED_TO, SEEDS = (16, 32, 64), 16, 5
WIDTH, HEADS, TOKENS = 32, 4, 8
IGNORED = -100  # as an answer: the loss leaves it out

Task = Callable[[tuple[int, ...], Generator], tuple[Tensor, Tensor]]


class Way(NamedTuple):
    """One way to tell positions, by the functions that a student writes.

    Attributes:
        vectors: adds positions to vectors (B, T, WIDTH), given them and a table.
        turned: turns queries or keys (SEEDS, B, HEADS, T, WIDTH / HEADS), given them and positions (T,).
        scores: what to add to scores, (..., HEADS, T, T), given what was learned or else HEADS, and T twice.
        table: the table for `vectors`, if none is learned, (T, WIDTH).
        learned: the shape of the numbers that each model learns, if any.
        layers: how many layers of attention.
    """

    vectors: Callable | None = None
    turned: Callable | None = None
    scores: Callable | None = None
    table: Tensor | None = None
    learned: tuple[int, ...] | None = None
    layers: int = 1


class Model(NamedTuple):
    """`SEEDS` models: their way to tell positions, and their weights by name."""

    way: Way
    weights: dict[str, Tensor]


# -- tasks: tokens in, and for each the right answer ---------------------------------------------------------


def speaking(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, Tensor]:
    """Who is speaking? Tokens 0 to 3 are names, about every fourth; the answer is the most recent one."""
    is_name = torch.rand(shape, generator=generator) < 0.25
    is_name[..., 0] = True
    tokens = torch.randint(4, TOKENS, shape, generator=generator)
    tokens = torch.where(is_name, tokens - 4, tokens)
    last_name = torch.where(is_name, torch.arange(shape[-1]), 0).cummax(dim=-1).values
    return tokens, tokens.gather(-1, last_name)


def looking_back(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, Tensor]:
    """Token n asks for the token n + 1 positions back."""
    tokens = torch.randint(TOKENS, shape, generator=generator)
    return tokens, _back(tokens, tokens + 1)


def three_back(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, Tensor]:
    """Every token asks for the token three positions back."""
    tokens = torch.randint(TOKENS, shape, generator=generator)
    return tokens, _back(tokens, torch.full_like(tokens, 3))


def _back(tokens: Tensor, steps: Tensor) -> Tensor:
    found = torch.arange(tokens.size(-1)) - steps
    return tokens.gather(-1, found.clamp(min=0)).masked_fill(found < 0, IGNORED)


# -- models --------------------------------------------------------------------------------------------------


def read(model: Model, tokens: Tensor, start: int = 0) -> tuple[Tensor, Tensor]:
    """Scores for the answers (SEEDS, B, T, TOKENS), and the last layer's weights (SEEDS, B, HEADS, T, T).

    Args:
        model: of which each reads its own texts.
        tokens: integers, (SEEDS, B, T).
        start: the position of the first token.
    """
    (way, w), T = model, tokens.size(-1)
    x = w["words"][torch.arange(SEEDS)[:, None, None], tokens]  # (SEEDS, B, T, WIDTH)
    if way.vectors:
        tables: Any = w.get("learned", [way.table] * SEEDS)
        x = torch.stack([way.vectors(own, table[start:]) for own, table in zip(x, tables, strict=True)])
    for layer in range(way.layers):
        normed = rms_norm(x, (WIDTH,))  # all vectors equally long: training is steadier
        q, k, v = (
            (normed @ w[f"{name}{layer}"]).unflatten(-1, (HEADS, -1)).transpose(-3, -2) for name in "qkv"
        )
        if way.turned:
            q, k = (way.turned(each, torch.arange(start, start + T)) for each in (q, k))
        scores = q @ k.transpose(-2, -1) / math.sqrt(WIDTH / HEADS)
        if way.scores:
            scores = scores + way.scores(w.get("learned", HEADS), T, T)
        later = torch.ones(T, T, dtype=torch.bool).triu(1)
        weights = scores.masked_fill(later, -math.inf).softmax(dim=-1)
        x = x + (weights @ v).transpose(-3, -2).flatten(-2) @ w[f"mix{layer}"]
    return rms_norm(x, (WIDTH,)) @ w["out"], weights


def train(way: Way, task: Task = speaking, steps: int = 300, seed: int = 0) -> Model:
    """Train `SEEDS` models on texts of `TRAINED_TO` tokens."""
    generator = torch.Generator().manual_seed(seed)
    model = Model(way, _new(way, generator))
    optimizer = torch.optim.Adam(model.weights.values(), lr=0.01)
    slower = torch.optim.lr_scheduler.LinearLR(optimizer, 1, 0.02, steps)
    for _ in range(steps):
        tokens, answers = task((SEEDS, 16, TRAINED_TO), generator)
        guesses, _ = read(model, tokens)
        # The models share no weight, so the gradient of the sum of their losses is each one's own.
        loss = SEEDS * cross_entropy(guesses.flatten(0, 2), answers.flatten(), ignore_index=IGNORED)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        slower.step()
    return model


def _new(way: Way, generator: Generator) -> dict[str, Tensor]:
    def normal(*shape: int, spread: float = 1.0) -> Tensor:
        return spread * torch.randn(SEEDS, *shape, generator=generator)

    w = {"words": normal(TOKENS, WIDTH), "out": normal(1, WIDTH, TOKENS, spread=WIDTH**-0.5)}
    for layer in range(way.layers):
        for name in ("q", "k", "v", "mix"):
            w[f"{name}{layer}"] = normal(1, WIDTH, WIDTH, spread=WIDTH**-0.5)
    if way.learned:
        w["learned"] = normal(*way.learned) if way.vectors else torch.zeros(SEEDS, 1, *way.learned)
    return {name: x.requires_grad_() for name, x in w.items()}


@torch.no_grad()
def accuracy(model: Model, T: int = TRAINED_TO, task: Task = speaking, start: int = 0) -> Tensor:
    """The share of right answers at the last 8 of T tokens of 128 new texts, for each model, (SEEDS,)."""
    tokens, answers = task((SEEDS, 128, T), torch.Generator().manual_seed(99))
    guesses, _ = read(model, tokens, start)
    right, asked = guesses.argmax(-1) == answers, answers != IGNORED
    return right[..., -8:].sum(dim=(1, 2)) / asked[..., -8:].sum(dim=(1, 2))


def accuracies(model: Model, task: Task = speaking) -> Tensor:
    """`accuracy` at each of `LENGTHS`, (len(LENGTHS), SEEDS)."""
    return torch.stack([accuracy(model, T, task) for T in LENGTHS])


def line(name: str, found: Tensor) -> str:
    """The means of `accuracies`, to be printed."""
    means = zip(LENGTHS, found.mean(dim=1).tolist(), strict=True)
    return f"{name:<18}" + "".join(f"{T:>6} tokens: {mean:.2f}" for T, mean in means)
