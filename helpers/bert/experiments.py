"""The experiments of lesson 10: rows of passages, blanks by kind, sentences written in several ways.

Nothing here answers an exercise: models and the student's functions come in as arguments.
`B` batch, `T` positions, `V` vocabulary.
"""

import functools
import math
import random
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, cast

import torch

from helpers import corpora, pretraining
from helpers.models.transformer import Encoder, LanguageModel
from helpers.text.review_words import NAMES, WORDS
from helpers.text.vocabulary import BOS, CLS, EOS, MASK, ORDINARY, PAD, SEP
from helpers.training.muon import CombinedOptimizer, Muon

Document = tuple[list[int], list[int]]
Packed = tuple[list[int], list[int]]  # a row of tokens, and the segment of each
Words = Callable[[torch.Tensor], torch.Tensor]  # tokens (B, T) to logits (B, T, V)

PEAK, MATRIX_PEAK = 3e-3, 0.02  # learning rates of AdamW and of Muon


# -- rows ------------------------------------------------------------------------------------------------


def documents(count: int, seed: int) -> list[Document]:
    """Reviews as numbers, each cut in two after one of its sentences."""
    encode, generator = corpora.vocabulary().encode, random.Random(seed)
    found = []
    for review in corpora.reviews(count, seed):
        parts = corpora.sentences(review.text)
        at = generator.randrange(1, len(parts))
        found.append((encode(" ".join(parts[:at])), encode(" ".join(parts[at:]))))
    return found


def next_sentence_pairs(
    documents: Sequence[Document], generator: torch.Generator
) -> list[tuple[list[int], list[int], int]]:
    """A pair for each document: for a random half its own second part, for the others another document's.

    Args:
        documents: texts in two parts each; two or more.
        generator: of the random numbers.

    Returns:
        For each document its first part, a second part, and 1 where that is its own, 0 where it isn't.

    Source: Devlin et al. 2019, section 3.1.
    """
    pairs, count = [], len(documents)
    for number, (first, second) in enumerate(documents):
        own = bool(torch.rand((), generator=generator) < 0.5)
        if not own:
            step = int(torch.randint(1, count, (), generator=generator))  # never back to itself
            second = documents[(number + step) % count][1]
        pairs.append((first, second, int(own)))
    return pairs


def filled_up(rows: Sequence[Sequence[int]]) -> torch.Tensor:
    """Rows of numbers as one tensor, (B, T), with `<pad>` at their ends."""
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[PAD] * (longest - len(row))] for row in rows])


def batches(
    rows: Sequence[tuple[Packed, int]], size: int, seed: int
) -> Iterator[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
    """Endless batches of packed rows of about the same length: tokens and segments (B, T), labels (B,)."""
    for group in pretraining.neighbours(rows, size, seed, lambda row: len(row[0][0])):
        packed, labels = zip(*group, strict=True)
        ids, segments = map(filled_up, zip(*packed, strict=True))
        yield ids, segments, torch.tensor(labels)


def interval(hits: float, count: int) -> tuple[float, float, float]:
    """A share and its 95 % interval: share, lower and upper end. Source: Wilson 1927."""
    z, share = 1.96, hits / count
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * math.sqrt(share * (1 - share) / count + (z / (2 * count)) ** 2)
    return share, min(share, max(0.0, middle - half)), max(share, min(1.0, middle + half))  # rounding


# -- models and batches ----------------------------------------------------------------------------------

SIZES = {"d_model": 128, "n_heads": 4, "d_ff": 512, "n_layers": 2, "positions": 100}


def new_bert(bert: Callable[..., torch.nn.Module], seed: int) -> torch.nn.Module:
    """An untrained BERT for the reviews, its embedding multiplied as in `LanguageModel`.

    Args:
        bert: the class, made from vocabulary, d_model, n_heads, d_ff, n_layers, positions.
        seed: of its initial weights.
    """
    torch.manual_seed(seed)
    model = bert(len(corpora.vocabulary()), **SIZES)
    encoder = cast(Encoder, model.encoder)
    assert encoder.segments is not None  # a BERT has two kinds
    encoder.scale = math.sqrt(SIZES["d_model"])
    for table in (encoder.positions, encoder.segments):  # as large as the words beside them
        torch.nn.init.normal_(table.weight, std=0.02 * encoder.scale)
    return model


def optimizer_of(model: torch.nn.Module, share: float = 1.0) -> CombinedOptimizer:
    """Muon for the matrices of an encoder's blocks, AdamW for all else, as for the language model.

    Args:
        model: with an `encoder`, a `helpers.models.transformer.Encoder`.
        share: of the learning rates.
    """
    inside = [weight for weight in model.get_submodule("encoder.blocks").parameters() if weight.dim() == 2]
    known = set(map(id, inside))
    rest = [weight for weight in model.parameters() if id(weight) not in known]
    adam = pretraining.optimizer_of(rest, share * PEAK)
    return CombinedOptimizer(Muon(inside, lr=share * MATRIX_PEAK), adam)


def same_genre(count: int, seed: int) -> list[tuple[list[int], list[int], int]]:
    """First sentences of reviews of two books by two authors: 1 where both are of one genre, half of them."""
    encode, rng = corpora.vocabulary().encode, random.Random(seed)
    genres = _genres()
    by_author: dict[str, list[list[int]]] = {}
    for review in corpora.reviews(2 * count + 100, seed):
        first = corpora.sentences(review.text)[0]
        by_author.setdefault(next(word for word in first.split() if word in genres), []).append(encode(first))
    found = []
    for number in range(count):
        one = rng.choice(list(by_author))
        alike = [a for a in by_author if a != one and (genres[a] == genres[one]) == bool(number % 2)]
        found.append((rng.choice(by_author[one]), rng.choice(by_author[rng.choice(alike)]), number % 2))
    return found


@functools.cache
def _genres() -> dict[str, str]:
    """The genre of each author: places for names are written {author}[genre pronoun]."""
    places = (
        (place.partition("[")[2].split()[0], names) for place, names in NAMES.items() if "author" in place
    )
    return {name: genre for genre, names in places for name in names}


# -- blanks ----------------------------------------------------------------------------------------------


class Blank(NamedTuple):
    """A word to guess: a review in two passages, which word is hidden, and what kind it is."""

    first: list[int]
    second: list[int]
    place: int  # in first + second
    kind: str

    @property
    def words(self) -> list[int]:
        return self.first + self.second


ARTICLE, BOOK, AGAIN, VERB, MOOD = (
    "a or an", "the kind of book", "the author, again", "is or are", "luckily or sadly",
)  # fmt: skip


@functools.cache
def candidates() -> dict[str, torch.Tensor]:
    """For each kind of blank, the words that fit there, (N,)."""
    moods = ["luckily", "happily", "sadly", "unfortunately"]
    words = {ARTICLE: ["a", "an"], BOOK: _books(), AGAIN: list(_genres()), VERB: ["is", "are"], MOOD: moods}
    ids = corpora.vocabulary().ids
    return {kind: torch.tensor([ids[word] for word in those]) for kind, those in words.items()}


def _books() -> list[str]:
    """What a book can be, in one word: mystery, legend, memoir, ..."""
    lines = [line for line in WORDS.splitlines() if line.startswith("Kind[")]
    pairs = [pair.split("/")[0] for line in lines for pair in line.split("~")[1].split()]
    return [word for word in pairs if "_" not in word]


def blanks(count: int, seed: int) -> list[Blank]:
    """Blanks, `count` of each kind, at most one of a kind in a review."""
    rng, drawn = random.Random(seed), 0
    found: dict[str, list[Blank]] = {kind: [] for kind in candidates()}
    sets = {kind: set(those.tolist()) for kind, those in candidates().items()}
    while min(map(len, found.values())) < count:
        for first, second in documents(count, seed + drawn):
            words = first + second
            for kind, those in sets.items():
                # An author is asked for where named before, a kind of book where not.
                wanted = {AGAIN: (True,), BOOK: (False,)}.get(kind, (True, False))
                places = [
                    at for at, word in enumerate(words) if word in those and (word in words[:at]) in wanted
                ]
                if places and len(found[kind]) < count:
                    found[kind].append(Blank(first, second, rng.choice(places), kind))
        drawn += 1
    return [blank for those in found.values() for blank in those]


def mean_interval(values: Sequence[float]) -> tuple[float, float]:
    """A mean, and half the width of its 95 % interval."""
    numbers = torch.tensor(values, dtype=torch.float64)
    return float(numbers.mean()), 1.96 * float(numbers.std()) / math.sqrt(len(values))


def by_kind(
    blanks: Sequence[Blank], guesses: Sequence[Sequence[float]], ways: Sequence[str]
) -> dict[str, dict[str, list[float]]]:
    """The probabilities of the true words, by way and by kind of blank.

    Args:
        blanks: what was guessed.
        guesses: for each blank, the probability of the true word by each way.
        ways: their names.
    """
    found: dict[str, dict[str, list[float]]] = {way: {kind: [] for kind in candidates()} for way in ways}
    for blank, guess in zip(blanks, guesses, strict=True):
        for way, probability in zip(ways, guess, strict=True):
            found[way][blank.kind].append(probability)
    return found


# -- writing ---------------------------------------------------------------------------------------------


def left_to_right(model: LanguageModel, count: int, seed: int, temperature: float = 1.0) -> list[str]:
    """Texts sampled from a language model word by word, until `<eos>` or its last position."""
    generator, cache = torch.Generator().manual_seed(seed), model.new_cache()
    ids = torch.full((count, 1), BOS)
    with torch.no_grad():
        for _ in range(len(model.positions.weight)):
            logits = model(ids[:, -1:], cache=cache)[:, -1] / temperature
            ids = torch.cat([ids, torch.multinomial(logits.softmax(dim=-1), 1, generator=generator)], dim=1)
            if (ids == EOS).any(dim=1).all():
                break
    return [corpora.vocabulary().decode(row[1:]) for row in ids]


def empty_rows(count: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """`[CLS]` `<mask>`... `[SEP]` `<mask>`... `[SEP]`, as long as the passages of real reviews.

    Returns:
        Tokens and segments, (B, T) each.
    """
    lengths = [(len(first), len(second)) for first, second in documents(count, seed)]
    lengths = [(m, n) for m, n in lengths if m + n < SIZES["positions"] - 3]
    rows = [[CLS, *[MASK] * m, SEP, *[MASK] * n, SEP] for m, n in lengths]
    return filled_up(rows), filled_up([[0] * (m + 2) + [1] * (n + 1) for m, n in lengths])


def all_at_once(words: Words, ids: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Draw every blank from one pass."""
    drawn = _draw(words(ids), generator)
    return torch.where(ids == MASK, drawn, ids)


def one_by_one(
    words: Words, ids: torch.Tensor, generator: torch.Generator, shuffled: bool = False
) -> torch.Tensor:
    """Draw one blank of each row per pass, from the left or in random order."""
    ids, blank = ids.clone(), ids == MASK
    order = torch.rand(ids.shape, generator=generator) if shuffled else torch.arange(ids.size(1)) / 1e3
    order = order.expand(ids.shape).masked_fill(~blank, 2.0).argsort(dim=1)
    for turn in range(int(blank.sum(dim=1).max())):
        _redraw(words, ids, order[:, turn], blank, generator)
    return ids


def drawn_again(
    words: Words, ids: torch.Tensor, blank: torch.Tensor, sweeps: int, generator: torch.Generator
) -> torch.Tensor:
    """Gibbs sampling: hide one word of each row, draw it again, and so on through the row, several times.

    Source: Wang and Cho 2019.
    """
    ids = ids.clone()
    for _ in range(sweeps):
        order = torch.rand(ids.shape, generator=generator).masked_fill(~blank, 2.0).argsort(dim=1)
        for turn in range(int(blank.sum(dim=1).max())):
            at = order[:, turn, None]
            ids.scatter_(1, at, torch.where(blank.gather(1, at), MASK, ids.gather(1, at)))
            _redraw(words, ids, at[:, 0], blank, generator)
    return ids


def ways_to_write(
    bert: Callable[..., tuple], segments: torch.Tensor, empty: torch.Tensor, mask_predict: Callable
) -> dict[str, Callable[[], torch.Tensor]]:
    """Five ways in which BERT fills empty rows, by name; each gives tokens (B, T) when it is called.

    Args:
        bert: tokens and segments to logits (B, T, V), and more.
        segments: of the rows, (B, T).
        empty: the rows, (B, T).
        mask_predict: a way of the student's, from logits' function and rows.
    """

    @torch.no_grad()
    def words(ids: torch.Tensor) -> torch.Tensor:
        return bert(ids, segments)[0]

    def seeded(seed: int = 0) -> torch.Generator:
        return torch.Generator().manual_seed(seed)

    def gibbs() -> torch.Tensor:
        return drawn_again(words, all_at_once(words, empty, seeded()), empty == MASK, 2, seeded(1))

    return {
        "BERT, all at once": lambda: all_at_once(words, empty, seeded()),
        "BERT, mask-predict, 10 rounds": lambda: mask_predict(words, empty),
        "BERT, one by one, any order": lambda: one_by_one(words, empty, seeded(), shuffled=True),
        "BERT, one by one, from the left": lambda: one_by_one(words, empty, seeded()),
        "BERT, Gibbs, 2 sweeps": gibbs,
    }


def _redraw(
    words: Words, ids: torch.Tensor, at: torch.Tensor, blank: torch.Tensor, generator: torch.Generator
) -> None:
    """Draw the word of each row at one place, where that is a blank."""
    rows = torch.arange(len(ids))
    drawn = _draw(words(ids)[rows, at], generator)
    ids[rows, at] = torch.where(blank[rows, at], drawn, ids[rows, at])


def _draw(logits: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    p = logits[..., ORDINARY:].softmax(dim=-1)
    drawn = torch.multinomial(p.flatten(0, -2), 1, generator=generator)
    return drawn.view(p.shape[:-1]) + ORDINARY


def texts_of(ids: torch.Tensor) -> list[str]:
    """The words of packed rows, both passages together."""
    vocabulary = corpora.vocabulary()
    return [vocabulary.decode([word for word in row.tolist() if word >= ORDINARY]) for row in ids]


def grammatical(texts: Sequence[str]) -> tuple[float, float, float]:
    """The share of grammatical sentences, a text's mean, and the ends of its 95 % interval over texts."""
    parsed = [[corpora.is_grammatical(sentence) for sentence in corpora.sentences(text)] for text in texts]
    mean, half = mean_interval([sum(found) / len(found) if found else 0.0 for found in parsed])
    return mean, max(0.0, mean - half), min(1.0, mean + half)
