"""Book reviews from a grammar: as many as you like, their sentiment, and the exact probability of each.

The rules are in `review_rules.py`, the words in `review_words.py`. Two things are done to what the rules
yield, and undone before parsing: names fill the places held for them, and "a" becomes "an" before a vowel.
Both can be undone in one way only, so probabilities stay exact.
"""

import functools
import itertools
import math
import random
import re
from bisect import bisect
from typing import NamedTuple

from helpers.text.grammar import Grammar, Tree
from helpers.text.notation import read_rules
from helpers.text.review_rules import FEATURES, RULES
from helpers.text.review_words import NAMES, WORDS

SPOKEN_WITH_Y = ("uni", "uto", "use")  # "a utopia": the letter is a vowel, the sound isn't


class Review(NamedTuple):
    """A review: its words with spaces between them, and 1 if it is favourable, 0 if it isn't."""

    text: str
    label: int


@functools.cache
def grammar() -> Grammar:
    """The rules of the reviews. Built on first use, in about a tenth of a second."""
    return Grammar(read_rules(f"{RULES.strip()}\n{WORDS.strip()}", FEATURES), "Review")


@functools.cache
def syntax() -> Grammar:
    """The rules without what they say about sentiment and subject: word order and agreement are left."""
    rules: dict[str, dict[tuple[str, ...], float]] = {}
    for symbol, bodies in grammar().bodies.items():
        found = rules.setdefault(_of_any_meaning(symbol), {})
        found.update({tuple(map(_of_any_meaning, body)): 1.0 for body in bodies})
    return Grammar(
        {symbol: [(w, body) for body, w in found.items()] for symbol, found in rules.items()}, "Review"
    )


def _of_any_meaning(part: str) -> str:
    symbol, bracket, values = part.partition("[")
    return symbol + bracket + re.sub("good|bad|craft|matter", "any", values)


@functools.cache
def names() -> dict[str, dict[str, float]]:
    """For each place held for a name, the probability of each name, by rank as in Zipf's law."""
    tables = {}
    for place, known in NAMES.items():
        weights = {name: 1 / (rank + 1) for rank, name in enumerate(known)}
        total = math.fsum(weights.values())
        tables[place] = {name: weight / total for name, weight in weights.items()}
    return tables


@functools.cache
def _places() -> dict[str, str]:
    return {name: place for place, table in names().items() for name in table}


@functools.cache
def _ladder(place: str) -> tuple[list[str], list[float]]:
    table = names()[place]
    return list(table), list(itertools.accumulate(table.values()))[:-1]


def draw(generator: random.Random) -> Review:
    """Draw one review, by the grammar's probabilities."""
    tree = grammar().sample(generator)
    chosen: dict[str, str] = {}
    words = tree.words()
    for at, word in enumerate(words):
        if word in NAMES:
            if word not in chosen:
                known, bounds = _ladder(word)
                chosen[word] = known[bisect(bounds, generator.random())]
            words[at] = chosen[word]
        if at and words[at - 1] == "a" and _begins_with_vowel(words[at]):
            words[at - 1] = "an"
    return Review(" ".join(words), label_of(tree))


def label_of(tree: Tree) -> int:
    """The sentiment of a derivation: the feature that its first rule chose and all others obeyed."""
    (review,) = tree.parts
    assert isinstance(review, Tree)  # of the one rule of the start symbol, `Review = Review[g w v y]`
    return int(review.symbol.endswith(" good]"))


def _begins_with_vowel(word: str) -> bool:
    return word[0] in "aeiou" and not word.startswith(SPOKEN_WITH_Y)


def underlying(text: str) -> tuple[list[str], float] | None:
    """A text as the rules yield it, and the log-probability of its names.

    Returns:
        The words, with places for names and without "an", and the sum of log p over the names, each counted
        once. None where two names claim one place, or "a" and "an" are confused.
    """
    words = text.split()
    claimed: dict[str, str] = {}
    for at, (word, following) in enumerate(itertools.pairwise([*words, "."])):
        if place := _places().get(word):
            if claimed.setdefault(place, word) != word:
                return None
            words[at] = place
        elif word in ("a", "an"):
            if (word == "an") != _begins_with_vowel(following):
                return None
            words[at] = "a"
    return words, math.fsum(math.log(names()[place][name]) for place, name in claimed.items())


def log_probability(text: str) -> float:
    """The natural logarithm of the probability of a whole review; -inf where the grammar can't produce it."""
    found = underlying(text)
    return grammar().log_probability(found[0]) + found[1] if found else -math.inf


def parse(text: str) -> Tree | None:
    """How a review can come about; None where it can't."""
    found = underlying(text)
    return grammar().parse(found[0]) if found else None


def sentiment(text: str) -> int | None:
    """1 for a favourable review, 0 for another, read off its parse; None if it isn't a review."""
    tree = parse(text)
    return None if tree is None else label_of(tree)


def sentences(text: str) -> list[str]:
    """The sentences of a text, each with its full stop. What follows the last one counts as a sentence."""
    parts = [part.strip() for part in text.split(" .")]
    return [f"{part} ." for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def is_grammatical(text: str) -> bool:
    """Whether each sentence of a text has its words in order and agreeing in number, gender and genre.

    What it says is another matter. "luckily , the plot is dull ." is grammatical, but in no review. Whether a
    text makes sense as one review of one book is for `log_probability` to say.
    """
    found = [underlying(sentence) for sentence in sentences(text)]
    return bool(found) and all(one and syntax().parse(one[0], "Sentence") for one in found)


@functools.cache
def entropy() -> float:
    """The entropy of a review, in nats: no text has two derivations, so it is that of a derivation."""
    of_names = {
        place: -math.fsum(p * math.log(p) for p in table.values()) for place, table in names().items()
    }
    return grammar().entropy() + math.fsum(grammar().presence(place) * h for place, h in of_names.items())


@functools.cache
def expected_length() -> float:
    """The expected number of words of a review, full stops and commas included."""
    return grammar().length()


@functools.cache
def words() -> tuple[str, ...]:
    """All words of the reviews, sorted."""
    ordinary = set(grammar().words()) - NAMES.keys()
    return tuple(sorted(ordinary | _places().keys() | {"an"}))
