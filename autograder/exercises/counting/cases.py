"""Lesson 07's cases: sizes of layers and models, and of training runs.

Every generator decides the sizes afresh, and those of one call differ, so that swapped roles can't hide. No
case has 2 heads alone: that is where one report's formula is right by coincidence.
"""

import torch
from torch import Generator

from helpers.checking.calling.drivers import Case

COUNTS = "the two counts' layers against torch's"


def choose(slots: dict[str, list]) -> list[Case]:
    """The case of a choice: its slots and what may stand in each."""
    return [Case("", (slots,))]


def _one(g: Generator, low: int, high: int) -> int:
    return int(torch.randint(low, high, (), generator=g))


def _distinct(g: Generator, count: int, low: int, high: int) -> list[int]:
    """Different numbers from low to high - 1."""
    return (low + torch.randperm(high - low, generator=g)[:count]).tolist()


def _pick(g: Generator, options: list[int]) -> int:
    return options[_one(g, 0, len(options))]


def _body(g: Generator) -> tuple[int, int, int]:
    """A width, a number of heads that divides it, and a hidden width that is no multiple of the width."""
    n_heads = _pick(g, [3, 5, 6, 7])
    d_model = n_heads * _pick(g, [4, 8, 9, 10])
    return d_model, n_heads, 3 * d_model + _one(g, 1, 8)


# -- parts ---------------------------------------------------------------------------------------------------


def linear_cases(g: Generator) -> list[Case]:
    """With a bias, without, and as the default has it."""
    (a, b), (c, d), (e, f) = (_distinct(g, 2, 5, 60) for _ in range(3))
    return [
        Case("with a bias", (a, b, True)),
        Case("without a bias", (c, d, False)),
        Case("the bias left to its default", (e, f)),
    ]


def attention_cases(g: Generator) -> list[Case]:
    """One head and several, with biases and without."""
    (d, h, _), (wide, heads, _) = _body(g), _body(g)
    return [
        Case("one head", (_one(g, 10, 50), 1)),
        Case("several heads", (d, h)),
        Case("several heads without biases", (wide, heads, False)),
        Case("width 512 with 8 heads", (512, 8, True)),
    ]


# -- layers and models ---------------------------------------------------------------------------------------


def layer_cases(g: Generator) -> list[Case]:
    """Several heads, one head, and the sizes of the lab model."""
    d, h, f = _body(g)
    alone, _, hidden = _body(g)
    return [
        Case("several heads", (d, h, f)),
        Case("one head", (alone, 1, hidden)),
        Case("width 512, 8 heads, hidden width 2048", (512, 8, 2048)),
    ]


def lab_cases(g: Generator) -> list[Case]:
    """The lab's classifier and language model, and another model."""
    d, h, f = _body(g)
    vocabulary, n_layers, n_out = _one(g, 500, 900), _one(g, 5, 9), _one(g, 10, 20)
    return [
        Case("a classifier of its own sizes", (vocabulary, d, h, f, n_layers, n_out)),
        Case("the lab's classifier", (100, 200, 2, 200, 4, 2)),
        Case("the lab's language model", (100, 200, 2, 200, 4, 100)),
    ]


def transformer_cases(g: Generator) -> list[Case]:
    """Tied and not."""
    d, h, f = _body(g)
    vocabulary, n_layers = _one(g, 500, 900), _one(g, 3, 8)
    return [
        Case("one matrix for all three", (vocabulary, d, h, f, n_layers, True)),
        Case("a matrix for each", (vocabulary + 7, d, h, f, n_layers + 1, False)),
        Case("Transformer-base", (37_000, 512, 8, 2048, 6, True)),
    ]


def gpt2_cases(g: Generator) -> list[Case]:
    """A small one, and GPT-2 small."""
    d, h, _ = _body(g)
    return [
        Case("a small one", (_one(g, 500, 900), d, h, _one(g, 3, 8), _one(g, 50, 90))),
        Case("GPT-2 small", (50_257, 768, 12, 12, 1024)),
    ]


def exposing_cases(g: Generator) -> list[Case]:
    """The lab's width, one that 3 divides and 4 doesn't, and a prime."""
    odd = 6 * (2 * _one(g, 4, 50) + 1)
    prime = _pick(g, [n for n in range(50, 500) if all(n % k for k in range(2, n))])
    titles = {200: "width 200", odd: "a width that 4 doesn't divide", prime: "a width that is a prime number"}
    return [Case(title, ({"layer": COUNTS, "weights": [d]}, d)) for d, title in titles.items()]


# -- what training takes -------------------------------------------------------------------------------------


def state_cases(g: Generator) -> list[Case]:
    """Each optimizer."""
    sizes = _distinct(g, 3, 1000, 9000)
    names = ("sgd", "momentum", "adam")
    return [Case(f"with {name}", (size, name)) for name, size in zip(names, sizes, strict=True)]


def activation_cases(g: Generator) -> list[Case]:
    """One sequence in one layer, several in several, and one so long that its square leads."""
    (d, h, f), (narrow, heads, hidden) = _body(g), _body(g)
    batch, positions, n_layers = _one(g, 8, 12), _one(g, 13, 30), _one(g, 4, 7)
    return [
        Case("one sequence, one layer", (1, positions, d, h, f, 1)),
        Case("a batch, several layers", (batch, positions + 2, d, h, f, n_layers)),
        Case("a long sequence", (2, _one(g, 900, 1100), narrow, heads, hidden, n_layers + 1)),
    ]


def flops_cases(g: Generator) -> list[Case]:
    """Short and long sequences."""
    n_layers, d = _one(g, 3, 9), 8 * _one(g, 10, 30)
    return [
        Case("a short sequence", (_one(g, 10**6, 10**7), n_layers, _one(g, 10, 50), d)),
        Case("a long sequence", (_one(g, 10**5, 10**6), n_layers + 1, _one(g, 1000, 3000), d)),
    ]
