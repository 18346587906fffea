"""What the grammar says comes next: the exact probability of each next word after the beginning of a text.

A model can be compared with it word by word: the distance of two distributions over words is a sum, not an
estimate.
"""

import math
from collections.abc import Iterable, Mapping

import torch

from helpers.posttraining import requests
from helpers.text import reviews
from helpers.text.grammar import Grammar

Stack = tuple[str, ...]  # the symbols and words that are still to come
Ways = dict[Stack, float]  # each way in which the text may go on, with its probability


class Following:
    """A text that is being written by a grammar's rules, of which only the words so far are known.

    Args:
        grammar: of reviews, as `requests.grammar_of` gives it.
    """

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar
        self.firsts: dict[str, list[tuple[str, Stack, float]]] = {}
        self.ways: Ways = {(grammar.start,): 1.0}

    def next_words(self) -> dict[str, float]:
        """The probability of each next word; "" is the text's end. They sum to 1."""
        return {word: math.fsum(ways.values()) for word, ways in self._by_word().items()}

    def take(self, word: str) -> None:
        """Go on with a word, or with the end, "".

        Raises:
            ValueError: the grammar can't go on with it.
        """
        ways = self._by_word().get(word)
        if ways is None:
            raise ValueError(f"no review goes on with {word!r} here")
        total = math.fsum(ways.values())
        self.ways = {stack: p / total for stack, p in ways.items()}

    def _by_word(self) -> dict[str, Ways]:
        found: dict[str, Ways] = {}
        for (top, *rest), p in ((stack or ("",), p) for stack, p in self.ways.items()):
            for word, more, chance in self._first(top):
                stack = (*more, *rest)
                if word != "a":
                    _add(found, _named(word), stack, p * chance)
                    continue
                for after, last, again in self._first(stack[0]):  # "a" or "an": the next word decides
                    article = "an" if reviews._begins_with_vowel(after) else "a"
                    _add(found, article, (after, *last, *stack[1:]), p * chance * again)
        return found

    def _first(self, symbol: str) -> list[tuple[str, Stack, float]]:
        """Each word that a symbol can begin with, what of the symbol is still to come, and how probable."""
        if symbol not in self.grammar.bodies:
            return [(symbol, (), 1.0)]
        if symbol not in self.firsts:
            merged: dict[tuple[str, Stack], float] = {}
            rules = zip(self.grammar.probabilities[symbol], self.grammar.bodies[symbol], strict=True)
            for p, (head, *rest) in rules:
                for word, more, chance in self._first(head):
                    key = word, (*more, *rest)
                    merged[key] = merged.get(key, 0.0) + p * chance
            self.firsts[symbol] = [(word, stack, p) for (word, stack), p in merged.items()]
        return self.firsts[symbol]


def _add(found: dict[str, Ways], word: str, stack: Stack, p: float) -> None:
    ways = found.setdefault(word, {})
    ways[stack] = ways.get(stack, 0.0) + p


def _named(word: str) -> str:
    """The name that fills a place; each place has one."""
    if word not in reviews.NAMES:
        return word
    (name,) = reviews.names()[word]
    return name


def distributions(asked: Mapping[str, str], text: str) -> torch.Tensor:
    """What the grammar says after each word of a right answer, and before the first: (T + 1, V).

    Args:
        asked: the features that were asked for, so that all right answers have them.
        text: T words. The last row is `<end>` alone, or what else could have followed.

    Raises:
        ValueError: it isn't a right answer.
    """
    known, end = requests.vocabulary(), requests.special().end
    following, rows = Following(requests.grammar_of(dict(asked))), []
    for word in [*text.split(), ""]:
        row = torch.zeros(len(known), dtype=torch.float64)
        for then, p in following.next_words().items():
            row[known.ids[then] if then else end] = p
        rows.append(row)
        following.take(word)
    return torch.stack(rows)


def mean_of(numbers: Iterable[float]) -> tuple[float, float]:
    """The mean of numbers, and its standard error."""
    values = torch.tensor(list(numbers), dtype=torch.float64)
    return float(values.mean()), float(values.std() / math.sqrt(len(values)))
