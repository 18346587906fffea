"""Probabilistic grammars: texts drawn from rules, the exact probability of any text, and the entropy.

A rule replaces a symbol with symbols and words, and has a probability; once only words are left, they are a
text. Since every probability is known, so is the limit to how well anything can predict such texts.
"""

import itertools
import math
import random
from bisect import bisect
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

Rules = Mapping[str, Sequence[tuple[float, tuple[str, ...]]]]
Parts = tuple["Tree | str", ...]

MAX_SWEEPS = 10_000
HOPELESS = 1e9  # nobody has texts of that many words


class Tree(NamedTuple):
    """How a text was derived: a symbol, which of its rules was used, and what became of the rule's parts."""

    symbol: str
    rule: int
    parts: Parts

    def words(self) -> list[str]:
        """The text."""
        found: list[str] = []
        todo: list[Tree | str] = [self]
        while todo:
            part = todo.pop()
            if isinstance(part, str):
                found.append(part)
            else:
                todo.extend(reversed(part.parts))
        return found


class Reading(NamedTuple):
    """A stretch of words read as one symbol: its probability over all readings, and the likeliest reading."""

    probability: float
    best: float
    tree: Tree


class Grammar:
    """A probabilistic context-free grammar.

    Args:
        rules: symbol -> its alternatives, each a weight and a body. Anything that isn't a key is a word. The
            weights of a symbol are scaled to sum to 1.
        start: the symbol that every text begins as.

    Raises:
        ValueError: a body is empty, a weight isn't positive, or a symbol can begin with itself, which would
            send the parser round in circles.
    """

    def __init__(self, rules: Rules, start: str):
        self.start = start
        self.bodies = {symbol: [body for _, body in choices] for symbol, choices in rules.items()}
        self.probabilities = {}
        for symbol, choices in rules.items():
            if not choices or any(weight <= 0 or not body for weight, body in choices):
                raise ValueError(
                    f"{symbol} needs rules with words in them and weights above 0, got {choices}"
                )
            total = math.fsum(weight for weight, _ in choices)
            self.probabilities[symbol] = [weight / total for weight, _ in choices]
        self._bounds = {
            symbol: list(itertools.accumulate(p))[:-1] for symbol, p in self.probabilities.items()
        }
        self._first: dict[str, frozenset[str]] = {}
        self.symbols: list[str] = []  # reachable ones; parts before wholes, where possible
        for symbol in self.bodies:
            self._begins_with(symbol, ())
        self._put_in_order()
        self.choices = {symbol: self._by_first_word(symbol) for symbol in self.bodies}

    def _begins_with(self, symbol: str, above: tuple[str, ...]) -> frozenset[str]:
        """The words that a symbol can begin with."""
        if symbol not in self.bodies:
            return frozenset([symbol])
        if symbol in above:
            raise ValueError(f"{symbol} can begin with itself: {' > '.join((*above, symbol))}")
        if symbol not in self._first:
            heads = {body[0] for body in self.bodies[symbol]}
            first = frozenset().union(*(self._begins_with(head, (*above, symbol)) for head in heads))
            self._first[symbol] = first
        return self._first[symbol]

    def _put_in_order(self) -> None:
        seen = set()

        def visit(symbol: str) -> None:
            seen.add(symbol)
            for part in itertools.chain(*self.bodies[symbol]):
                if part in self.bodies and part not in seen:
                    visit(part)
            self.symbols.append(symbol)

        visit(self.start)

    def _by_first_word(self, symbol: str) -> dict[str, list[int]]:
        """By a text's first word, the rules of a symbol that can begin with it."""
        choices: dict[str, list[int]] = {}
        for rule, body in enumerate(self.bodies[symbol]):
            for word in self._first.get(body[0], (body[0],)):
                choices.setdefault(word, []).append(rule)
        return choices

    def words(self) -> list[str]:
        """All words that texts are made of, sorted."""
        parts = {part for symbol in self.symbols for body in self.bodies[symbol] for part in body}
        return sorted(parts - self.bodies.keys())

    def sample(self, generator: random.Random) -> Tree:
        """Draw a derivation at random, by the rules' probabilities."""
        return self._draw(self.start, generator.random)

    def _draw(self, symbol: str, uniform: Callable[[], float]) -> Tree:
        bodies = self.bodies
        rule = bisect(self._bounds[symbol], uniform())
        parts = [self._draw(part, uniform) if part in bodies else part for part in bodies[symbol][rule]]
        return Tree(symbol, rule, tuple(parts))

    def derivation_log_probability(self, tree: Tree) -> float:
        """The natural logarithm of the probability of one derivation."""
        own = math.log(self.probabilities[tree.symbol][tree.rule])
        return own + sum(
            self.derivation_log_probability(part) for part in tree.parts if isinstance(part, Tree)
        )

    def log_probability(self, words: Sequence[str], start: str | None = None) -> float:
        """The natural logarithm of a text's probability over all its derivations; -inf where there is none.

        Args:
            words: the text.
            start: the symbol to derive it from; by default the grammar's start.
        """
        reading = self._inside(words, start or self.start)
        return math.log(reading.probability) if reading else -math.inf

    def parse(self, words: Sequence[str], start: str | None = None) -> Tree | None:
        """The likeliest derivation of a text; None where there is none."""
        reading = self._inside(words, start or self.start)
        return reading.tree if reading else None

    def _inside(self, words: Sequence[str], start: str) -> Reading | None:
        return _Chart(self, words).readings(start, 0).get(len(words))

    def entropy(self) -> float:
        """The entropy of a derivation, in nats; it is a text's too, if no text has two derivations."""
        return self._expected(lambda p: -math.log(p), 0.0)

    def length(self) -> float:
        """The expected number of words of a text."""
        return self._expected(lambda p: 0.0, 1.0)

    def _expected(self, of_rule: Callable[[float], float], of_word: float) -> float:
        """What a derivation's rules and words add up to, on average."""

        def step(symbol: str, value: dict[str, float]) -> float:
            return math.fsum(
                p * (of_rule(p) + sum(value.get(part, of_word) for part in body))
                for p, body in zip(self.probabilities[symbol], self.bodies[symbol], strict=True)
            )

        return self._solve(step)

    def presence(self, word: str) -> float:
        """The probability that a text has a word in it."""

        def step(symbol: str, value: dict[str, float]) -> float:
            return math.fsum(
                p * math.prod(value.get(part, float(part != word)) for part in body)
                for p, body in zip(self.probabilities[symbol], self.bodies[symbol], strict=True)
            )

        return 1 - self._solve(step)

    def _solve(self, step: Callable[[str, dict[str, float]], float]) -> float:
        """The least solution of one equation per symbol, by repeated substitution from 0.

        Where no symbol contains itself, one sweep is enough, since parts come before wholes.

        Raises:
            ValueError: there is none: derivations are infinitely long on average.
        """
        value = dict.fromkeys(self.symbols, 0.0)
        for _ in range(MAX_SWEEPS):
            change = 0.0
            for symbol in self.symbols:
                new = step(symbol, value)
                change = max(change, abs(new - value[symbol]))
                value[symbol] = new
            if change <= 1e-13 * max(1.0, abs(value[self.start])):
                return value[self.start]
            if change > HOPELESS:
                break
        raise ValueError(f"after many sweeps it is {value[self.start]:.3g} and growing: it may be infinite")


class _Chart:
    """The inside algorithm, top down: each symbol is read once at each place of a text."""

    def __init__(self, grammar: Grammar, words: Sequence[str]):
        self.grammar, self.words = grammar, words
        self.known: dict[tuple[str, int], dict[int, Reading]] = {}

    def readings(self, symbol: str, place: int) -> dict[int, Reading]:
        """The readings of a symbol that begins at a place, by where it ends."""
        if (symbol, place) not in self.known:
            ends: dict[int, Reading] = {}
            next_word = self.words[place] if place < len(self.words) else ""
            for rule in self.grammar.choices[symbol].get(next_word, ()):
                p = self.grammar.probabilities[symbol][rule]
                for end, whole, best, parts in self.ways(self.grammar.bodies[symbol][rule], place):
                    new = Reading(p * whole, p * best, Tree(symbol, rule, parts))
                    ends[end] = _together(ends[end], new) if end in ends else new
            self.known[symbol, place] = ends
        return self.known[symbol, place]

    def ways(self, body: tuple[str, ...], place: int) -> list[tuple[int, float, float, Parts]]:
        """Each way to read a body from a place onwards: end, probability, the likeliest's, parts."""
        ways: list[tuple[int, float, float, Parts]] = [(place, 1.0, 1.0, ())]
        for part in body:
            if part in self.grammar.bodies:
                ways = [
                    (end, whole * reading.probability, best * reading.best, (*parts, reading.tree))
                    for at, whole, best, parts in ways
                    for end, reading in self.readings(part, at).items()
                ]
            else:
                ways = [
                    (at + 1, whole, best, (*parts, part))
                    for at, whole, best, parts in ways
                    if at < len(self.words) and self.words[at] == part
                ]
        return ways


def _together(one: Reading, other: Reading) -> Reading:
    """Two readings of the same stretch as one."""
    likelier = max(one, other, key=lambda reading: reading.best)
    return Reading(one.probability + other.probability, likelier.best, likelier.tree)
