"""Lesson 11's cases about BLEU and alignments: what each exercise's answer is called with."""

import torch
from torch import Generator, Tensor

from helpers.checking.calling.drivers import Case

# -- measuring -----------------------------------------------------------------------------------------------

NOUNS = ("king", "girl", "book", "ship", "tree", "lamp", "road", "bird", "rain", "door")


def match_cases(g: Generator) -> list[Case]:
    """A word too often, other orders, sentences that are too short."""
    a, b, c, d, e = _pick(g, 5)
    return [
        Case("one word again and again", ([a] * 5 + [b], [a, c, a, b], 1)),
        Case("pairs of words", ([a, b, a, b, c], [a, b, c, d, a, b], 2)),
        Case("a pair too often", ([a, b] * 3, [d, a, b, e], 2)),
        Case("triples, another order", ([a, b, c, d, e], [e, a, b, c, d, a], 3)),
        Case("shorter than n by two", ([a, b], [a, b, c, d, e], 4)),
        Case("words at random", (_drawn(g, [a, b, c, d]), _drawn(g, [a, b, c, d]), 2)),
    ]


def brevity_cases(g: Generator) -> list[Case]:
    """Shorter, equal, longer."""
    r = int(torch.randint(20, 3000, (), generator=g))
    return [
        Case("shorter", (r - r // 8 - 1, r)),
        Case("half as long", (r, 2 * r)),
        Case("as long", (r, r)),
        Case("longer", (r + 7, r)),
    ]


def bleu_cases(g: Generator) -> list[Case]:
    """Sentences of unlike lengths and qualities, so that sums and means of sentences differ."""
    w = _pick(g, 10)
    long = " ".join(w)
    swapped = " ".join([*w[:5], w[6], w[5], *w[7:]])
    repeated = " ".join([*w[:5], w[2], w[2], w[2]])
    some = " ".join(w[3:9])
    cut = " ".join(w[3:8])
    return [
        Case("all right", ([long, some], [long, some])),
        Case("two words exchanged, one sentence cut short", ([swapped, cut], [long, some])),
        Case("a word again and again", ([repeated, swapped], [" ".join([*w[:5], w[7], w[8], w[2]]), long])),
        Case("longer than the references", ([long, f"{some} {w[0]} {w[1]}"], [swapped, some])),
        Case(
            "a sentence of two words among longer ones",
            ([f"{w[0]} {w[1]}", swapped], [f"{w[0]} {w[2]}", long]),
        ),
        Case("words at random", ([" ".join(_drawn(g, w[:2]))], [" ".join(_drawn(g, w[:2]))])),
        Case("four words in a row, once", ([" ".join([*w[:4], w[5], w[4]])], [" ".join(w[:6])])),
        Case("no four words in a row", ([" ".join([w[0], w[1], w[2], w[4], w[5]])], [" ".join(w[:6])])),
    ]


def _drawn(g: Generator, words: list[str]) -> list[str]:
    """So many words, and so few different ones, that two draws of cases hardly have the same answer."""
    count = int(torch.randint(15, 60, (), generator=g))
    return [words[i] for i in torch.randint(len(words), (count,), generator=g)]


def _pick(g: Generator, count: int) -> list[str]:
    return [NOUNS[i] for i in torch.randperm(len(NOUNS), generator=g)[:count]]


def alignment_cases(g: Generator) -> list[Case]:
    """Heads that disagree, and sources whose end counts for nothing but gets much weight."""

    def one(H: int, T_t: int, T_s: int, hidden: int) -> tuple[Tensor, Tensor]:
        logits = 1.5 * torch.randn(H, T_t, T_s, generator=g)
        logits[..., T_s - hidden :] += 2.0
        weights = logits.softmax(dim=-1)
        return weights, torch.arange(T_s) < T_s - hidden

    return [
        Case("two heads", one(2, 4, 6, 1)),
        Case("four heads, two positions hidden", one(4, 5, 7, 2)),
        Case("one head", one(1, 3, 5, 1)),
        Case("five heads, many words", one(5, 8, 9, 2)),
        Case("the first place and one in between hidden", _hidden_in_front(*one(3, 6, 8, 1))),
    ]


def _hidden_in_front(weights: Tensor, real: Tensor) -> tuple[Tensor, Tensor]:
    """What is hidden needn't stand at the end: a place keeps its number whatever is hidden before it."""
    places = torch.arange(len(real))
    return weights, real & (places != 0) & (places != 3)
