"""Requests that a model of book reviews can be asked, and the parser's verdict on its answers.

Two kinds. *Write*: "a favourable review of a ghost story by a woman": the parser reads off the answer whether
it is a review, and has each feature asked for. *Read*: a review and a question about it, of which one answer
is right. Requests and answers are words with spaces between them, as the reviews are.
"""

import functools
import random
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import torch

from helpers import corpora
from helpers.text import reviews
from helpers.text.grammar import Grammar, Tree
from helpers.text.vocabulary import SPECIALS, Vocabulary

SENTIMENTS, PERSONS = ("unfavourable", "favourable"), {"she": "woman", "he": "man"}
QUESTIONS = {
    "hero": "what is the hero called ?",
    "sentiment": "is it praise or blame ?",
    "author": "who wrote it ?",
}
NEW_WORDS = tuple(
    "review favourable unfavourable woman man what hero called ? praise or blame wrote".split()  # noqa: SIM905
)
MARKS = ("<request>", "<answer>", "<end>")
ASKED = 0.7  # the chance that a request names a feature
LONGEST = 100  # positions of lesson 08's model
REQUEST = re.compile(
    r"an? (?:(?P<sentiment>favourable|unfavourable) )?review"
    r"(?: of an? (?P<kind>.+?)| by a (?P<author>woman|man)| about a (?P<hero>woman|man))*"
)


class Special(NamedTuple):
    """The numbers of the three special tokens."""

    request: int
    answer: int
    end: int


class Request(NamedTuple):
    """What is asked.

    Attributes:
        text: the request.
        asked: the features that the answer must have, by name: a review's `sentiment`, `kind`, `author` and
            `hero`, or the `answer` to a question, of which there is one.
    """

    text: str
    asked: dict[str, str]

    @property
    def is_question(self) -> bool:
        """Whether it asks about a review, not for one."""
        return "answer" in self.asked


class Demonstration(NamedTuple):
    """A request, and an answer as it should be."""

    request: Request
    answer: str


class Verdict(NamedTuple):
    """What the parser says of an answer.

    Attributes:
        ended: whether the answer ends, with `<end>`.
        grammatical: whether it is a whole review, or for a question, whether the answer has the right form.
        features: for each feature asked for, whether the review has it; for a question, whether it is right.
    """

    ended: bool
    grammatical: bool
    features: dict[str, bool]

    @property
    def fulfilled(self) -> bool:
        """Whether nothing is wrong with it."""
        return self.ended and self.grammatical and all(self.features.values())


# -- words ---------------------------------------------------------------------------------------------------


@functools.cache
def vocabulary() -> Vocabulary:
    """The words of the reviews with their old numbers, then those that only requests have, then the marks."""
    return Vocabulary([*corpora.vocabulary().words[len(corpora.SPECIALS) :], *NEW_WORDS, *MARKS])


def special() -> Special:
    """The numbers of `<request>`, `<answer>` and `<end>`."""
    return Special(*(vocabulary().ids[mark] for mark in MARKS))


def encode(text: str) -> list[int]:
    """The numbers of a text's words. Whoever writes a text can't write special tokens.

    Raises:
        ValueError: a word isn't in the vocabulary, or is a special token.
    """
    if typed := [word for word in text.split() if word in (*MARKS, *SPECIALS)]:
        raise ValueError(f"{typed[0]!r} is a special token, which no text contains")
    return vocabulary().encode(text)


def decode(ids: Sequence[int] | torch.Tensor) -> str:
    """The words up to the first `<end>`, without the other marks."""
    numbers = ids.tolist() if isinstance(ids, torch.Tensor) else list(ids)
    if special().end in numbers:
        numbers = numbers[: numbers.index(special().end)]
    return vocabulary().decode([number for number in numbers if number not in special()])


# -- what a text says ----------------------------------------------------------------------------------------


def read(text: str) -> dict[str, str] | None:
    """The features of a review, read off its parse; None where it isn't one.

    Returns:
        `sentiment`, "favourable" or "unfavourable"; `kind`, such as "ghost story"; `author` and `hero`,
        "woman" or "man".
    """
    tree = reviews.parse(text)
    return None if tree is None else _features(tree)


def _features(tree: Tree) -> dict[str, str]:
    (review,) = tree.parts
    assert isinstance(review, Tree)
    _, author, hero, y = review.symbol[len("Review[") : -1].split()
    kind = next(node for node in _nodes(review) if node.symbol.startswith("Kind["))
    return {
        "sentiment": SENTIMENTS[y == "good"],
        "kind": " ".join(kind.words()),
        "author": PERSONS[author],
        "hero": PERSONS[hero],
    }


def _nodes(tree: Tree) -> Iterator[Tree]:
    yield tree
    for part in tree.parts:
        if isinstance(part, Tree):
            yield from _nodes(part)


def answers(text: str) -> dict[str, str]:
    """The right answers to the questions about a review, by their names.

    Raises:
        ValueError: it isn't a review.
    """
    if (found := read(text)) is None:
        raise ValueError(f"no review: {text!r}")
    words = text.split()
    places = reviews._places()
    author = next(at for at, word in enumerate(words) if places.get(word, "").startswith("{author}"))
    hero = next(word for word in words if places.get(word, "").startswith("{hero}"))
    sentiment = "praise" if found["sentiment"] == "favourable" else "blame"
    return {"hero": hero, "sentiment": sentiment, "author": " ".join(words[author - 1 : author + 1])}


# -- requests ------------------------------------------------------------------------------------------------


def worded(asked: dict[str, str]) -> str:
    """The request for a review with these features."""
    words = ["an" if asked.get("sentiment") == "unfavourable" else "a"]
    words += [asked["sentiment"]] if "sentiment" in asked else []
    words += ["review"]
    if kind := asked.get("kind"):
        words += ["of", "an" if reviews._begins_with_vowel(kind) else "a", kind]
    words += ["by a", asked["author"]] if "author" in asked else []
    words += ["about a", asked["hero"]] if "hero" in asked else []
    return " ".join(words)


def understood(text: str, review: str = "") -> Request | str:
    """A typed request as the judge understands it; or in a sentence, why it doesn't.

    Capitals, commas, a full stop and the order of the features don't count, and American spelling is read:
    "A favorable review, by a woman, of a ghost story." is a request.

    Args:
        text: a request for a review, or a question.
        review: what a question is about.
    """
    plain = " ".join(re.sub(r"[,.]", " ", text.lower().replace("?", " ? ")).split())
    for variant, usual in (("what's", "what is"), ("what’s", "what is"), ("favorable", "favourable")):
        plain = plain.replace(variant, usual)
    for name, question in QUESTIONS.items():
        if plain.rstrip(" ?") == question.rstrip(" ?"):
            if not review:
                return "There is no review yet that the question could be about: ask for one first."
            return Request(f"{review} {question}", {"answer": answers(review)[name]})
    if (found := REQUEST.fullmatch(plain)) is None:
        return "The judge doesn't understand this request."
    asked = {name: value for name, value in found.groupdict().items() if value}
    if asked.get("kind", "mystery") not in kinds():
        return f"The judge knows no books of the kind {asked['kind']!r}."
    words = worded(asked)
    if len(words.split()) != len(plain.split()):
        return "The judge understands each feature only once."
    return Request(words, asked)


@functools.cache
def kinds() -> dict[str, str]:
    """The kinds of book that a review can name, each with its genre."""
    bodies = reviews.grammar().bodies
    return {
        " ".join(body): symbol[len("Kind[") : -len(" one]")]
        for symbol in bodies
        if symbol.startswith("Kind[") and symbol.endswith(" one]")
        for body in bodies[symbol]
    }


def to_write(n: int, seed: int) -> list[Demonstration]:
    """Requests for reviews, each with a review that fulfils it.

    A review is drawn from the grammar, and each of its features is asked for with probability `ASKED`. So the
    answers to a request are distributed as `grammar_of` says.
    """
    rng, found = random.Random(seed), []
    for _ in range(n):
        text = reviews.draw(rng).text
        features = read(text)
        assert features is not None
        asked = {name: value for name, value in features.items() if rng.random() < ASKED}
        found.append(Demonstration(Request(worded(asked), asked), text))
    return found


def to_read(n: int, seed: int) -> list[Demonstration]:
    """Reviews with a question about each, and its answer."""
    rng, found = random.Random(seed), []
    for _ in range(n):
        text = reviews.draw(rng).text
        name = rng.choice(list(QUESTIONS))
        right = answers(text)[name]
        found.append(Demonstration(Request(f"{text} {QUESTIONS[name]}", {"answer": right}), right))
    return found


def judge(request: Request, ids: list[int]) -> Verdict:
    """The parser's verdict on an answer.

    Args:
        request: what was asked.
        ids: what the model wrote after `<answer>`.
    """
    found = reader(request)(ids[: ids.index(special().end)] if special().end in ids else ids)
    features = {name: found is not None and found[name] == value for name, value in request.asked.items()}
    return Verdict(special().end in ids, found is not None, features)


def reader(request: Request) -> Callable[[Sequence[int]], dict[str, str] | None]:
    """What takes the tokens of an answer, and gives its features; None where it has no right form."""
    return _read_answer if request.is_question else lambda ids: read(decode(ids))


def _read_answer(ids: Sequence[int]) -> dict[str, str] | None:
    text = decode(ids)
    return {"answer": text} if any(text in forms for forms in _forms()) else None


@functools.cache
def _forms() -> tuple[frozenset[str], ...]:
    """The answers that questions can have at all."""
    bodies, places = reviews.grammar().bodies, reviews._places()
    heroes = frozenset(name for name, place in places.items() if place.startswith("{hero}"))
    authors = frozenset(
        f"{given} {name}"
        for name, place in places.items()
        if place.startswith("{author}")
        for (given,) in bodies[f"Given[{place.split()[-1].rstrip(']')}]"]
    )
    return heroes, frozenset({"praise", "blame"}), authors


# -- the language of the right answers -----------------------------------------------------------------------


def grammar_of(asked: dict[str, str]) -> Grammar:
    """The grammar of the reviews that have these features: exactly the distribution of right answers.

    It is the reviews' grammar with fewer rules: `Review` keeps those with the features, and the opening's
    kind of book is the one asked for.
    """
    whole = reviews.grammar()
    kind = asked.get("kind")
    people = {word: pronoun for pronoun, word in PERSONS.items()}
    wanted = (
        kinds()[kind] if kind else None,
        people.get(asked.get("author", "")),
        people.get(asked.get("hero", "")),
        {"favourable": "good", "unfavourable": "bad"}.get(asked.get("sentiment", "")),
    )
    rules = {
        symbol: list(zip(whole.probabilities[symbol], bodies, strict=True))
        for symbol, bodies in whole.bodies.items()
    }
    rules["Review"] = [(p, body) for p, body in rules["Review"] if _agrees(body[0], wanted)]
    if kind:
        for symbol in list(rules):
            if symbol.startswith(("Opening[", "Reading[")) and kinds()[kind] in symbol:
                rules[symbol] = [(p, _with_kind(body)) for p, body in rules[symbol]]
        rules["Asked"] = [(1.0, tuple(kind.split()))]
    return Grammar(rules, "Review")


def _agrees(symbol: str, wanted: tuple[str | None, ...]) -> bool:
    values = symbol[len("Review[") : -1].split()
    return all(want in (None, value) for want, value in zip(wanted, values, strict=True))


def _with_kind(body: tuple[str, ...]) -> tuple[str, ...]:
    return tuple("Asked" if part.startswith("Kind[") else part for part in body)


def log_probability(request: Request, text: str) -> float:
    """The natural logarithm of a text's probability among a request's right answers; -inf of a wrong one."""
    found = reviews.underlying(text)
    return (
        _known(tuple(request.asked.items())).log_probability(found[0]) + found[1] if found else -float("inf")
    )


@functools.lru_cache(maxsize=256)
def _known(asked: tuple[tuple[str, str], ...]) -> Grammar:
    return grammar_of(dict(asked))
