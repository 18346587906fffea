"""Text for the lessons: the course's own corpus, whose entropy is known, and real text on request.

The course's own corpus needs no network. Its book reviews come from a grammar (`text/reviews.py`), so
there is as much of it as you like, each text has an exact probability, and no language model can do better
than `entropy_per_token()`. Its translation pairs (`text/pairs.py`) are in English and in an
invented language.

    >>> from helpers import corpora
    >>> corpora.reviews(1, seed=0)[0].label
    1
"""

import functools
import random
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from helpers.text import pairs as _pairs
from helpers.text import reviews as _reviews
from helpers.text.pairs import Pair, translate
from helpers.text.real_text import is_here, load
from helpers.text.reviews import Review, is_grammatical, log_probability, sentences, sentiment
from helpers.text.vocabulary import BOS, CLS, EOS, MASK, PAD, SEP, SPECIALS, Vocabulary

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = [
    "BOS", "CLS", "EOS", "MASK", "PAD", "SEP", "SPECIALS", "Pair", "Review", "SentencePair", "Vocabulary",
    "entropy_per_review", "entropy_per_token", "is_grammatical", "is_here", "library_merges",
    "load", "log_probability", "pair_vocabularies",
    "pairs", "reviews", "sentence_pairs", "sentences", "sentiment", "subwords", "translate", "vocabulary",
]  # fmt: skip


class SentencePair(NamedTuple):
    """Two passages, and 1 if the second continues the review of the first, 0 if it doesn't."""

    first: str
    second: str
    label: int


def reviews(n: int, seed: int) -> list[Review]:
    """Draw book reviews: `review.text`, words with spaces between them, and `review.label`, 1 or 0.

    Args:
        n: how many. 20,000 have about 900,000 words and take a few seconds.
        seed: the same seed gives the same reviews on every machine, and the first of them for a smaller n.
    """
    generator = random.Random(seed)
    return [_reviews.draw(generator) for _ in range(n)]


def sentence_pairs(n: int, seed: int) -> list[SentencePair]:
    """Draw pairs of passages, each of one or more sentences, as BERT was trained to tell apart.

    A review is cut in two after any of its sentences. In half of the pairs the second passage is the
    review's own; in the others it is from another review, cut the same way.
    """
    generator = random.Random(seed)
    drawn = []
    for _ in range(n):
        (first, own), (_, strange) = (_cut(_reviews.draw(generator).text, generator) for _ in range(2))
        label = generator.randrange(2)
        drawn.append(SentencePair(first, own if label else strange, label))
    return drawn


def _cut(text: str, generator: random.Random) -> tuple[str, str]:
    parts = sentences(text)
    at = generator.randrange(1, len(parts))
    return " ".join(parts[:at]), " ".join(parts[at:])


@functools.cache
def vocabulary() -> Vocabulary:
    """The words of the reviews, after the special tokens."""
    return Vocabulary(_reviews.words())


def entropy_per_review() -> float:
    """The average of -log p over all reviews, in nats."""
    return _reviews.entropy()


def entropy_per_token() -> float:
    """The least loss that a language model can have on reviews, in nats per token.

    A review of T words has T + 1 tokens to predict: its words and the `<eos>` after them.
    """
    return _reviews.entropy() / (_reviews.expected_length() + 1)


def pairs(n: int, seed: int) -> list[Pair]:
    """Draw sentences in English, `pair.source`, with the same in the invented language, `pair.target`."""
    generator = random.Random(seed)
    return [_pairs.draw(generator) for _ in range(n)]


@functools.cache
def pair_vocabularies() -> tuple[Vocabulary, Vocabulary]:
    """The words of `pairs`: English, and the invented language."""
    english, other = _pairs.words()
    return Vocabulary(english), Vocabulary(other)


def subwords(texts: Iterable[str], size: int = 4000) -> "Tokenizer":
    """Learn sub-word tokens from real text: byte-pair encoding, so that no word is unknown.

    Args:
        texts: what to learn from.
        size: how many tokens, special ones and the 256 bytes included.

    Returns:
        A tokenizer with `encode(text).ids` and `decode(ids)`. The special tokens have the same numbers as in
        `vocabulary()`.

    Source: Sennrich et al. 2016, over bytes as in Radford et al. 2019.
    """
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers  # slow to import

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=list(SPECIALS),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def library_merges(texts: Iterable[str], count: int) -> list[str]:
    """The merges that the library `tokenizers` learns by byte-pair encoding of words, `l o`, in order.

    Args:
        texts: words with spaces between them; their letters are the first tokens.
        count: how many merges.
    """
    import json

    from tokenizers import Tokenizer, models, pre_tokenizers, trainers  # slow to import

    texts = list(texts)
    letters = set().union(*texts) - set(" ")
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.BpeTrainer(vocab_size=len(letters) + count, special_tokens=[], show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    return [" ".join(pair) for pair in json.loads(tokenizer.to_str())["model"]["merges"]]
