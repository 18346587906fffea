"""Judges of answers that draw random numbers: from the results of many calls, they tell what is true of them.

No two right answers draw the same numbers, so statements are compared. Each leaves room for five standard
deviations: a right answer fails once in a million times, and the numbers are the same at each check.
"""

import math
from collections.abc import Callable, Sequence
from itertools import combinations

import torch

from helpers.checking.calling.registry import register
from helpers.text.vocabulary import MASK, ORDINARY

SIGMAS = 5

Findings = dict[str, bool | str]


def _near(hits: int, count: int, share: float) -> bool:
    """Whether a number of hits agrees with a share, up to chance."""
    return bool(count) and abs(hits / count - share) <= SIGMAS * math.sqrt(share * (1 - share) / count)


def _compared(hits: int, count: int, share: float) -> str:
    """The same, and on which side it is where it doesn't."""
    if _near(hits, count, share):
        return "yes"
    return "no, more" if hits > share * count else "no, fewer"


# -- masking -----------------------------------------------------------------------------------------------


def masking(vocabulary: int, share: float | None = None) -> Callable[..., Findings]:
    """What is true of the results of `answer(ids, vocabulary, generator)`, or with a share as well.

    The last result has the first generator's seed again, as the driver "draws" makes them.
    """

    def use(results: Sequence, ids: torch.Tensor, *_: object) -> Findings:
        before = ids
        *drawn, again = [_masked(result, before) for result in results]
        read, labels = (torch.stack(parts) for parts in zip(*drawn, strict=True))  # (calls, B, T)
        chosen, word = labels != -100, (before >= ORDINARY).expand_as(labels)
        found = {
            "special tokens are left alone": not bool(((chosen | (read != before)) & ~word).any()),
            "a label is the word that was there": bool((labels == before)[chosen & word].all()),
            "a word that isn't chosen stays": bool((read == before)[~chosen & word].all()),
            "the same generator gives the same draws": all(map(torch.equal, drawn[0], again)),
        }
        return found | (
            _shares(read, before, chosen & word, word, vocabulary, share or 0.15) if word.any() else {}
        )

    return use


def _masked(result: object, ids: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    if not isinstance(result, tuple | list) or len(result) != 2:
        raise ValueError("two tensors are expected: the tokens to read, and the labels")
    for name, tensor in zip(("tokens to read", "labels"), result, strict=True):
        if not isinstance(tensor, torch.Tensor) or tensor.shape != ids.shape or tensor.dtype != ids.dtype:
            raise ValueError(f"the {name} should be integers (int64) of the shape {tuple(ids.shape)}")
    return result[0], result[1]


def _shares(
    read: torch.Tensor,
    ids: torch.Tensor,
    chosen: torch.Tensor,
    word: torch.Tensor,
    vocabulary: int,
    share: float,
) -> Findings:
    hidden = chosen & (read == MASK)
    other = chosen & (read != ids) & ~hidden
    stayed = chosen & (read == ids)
    total, count = int(chosen.sum()), int(word.sum())
    words = word[..., :-1:2] & word[..., 1::2]  # neighbours, each place in one pair alone
    chance = chosen[..., :-1:2] & chosen[..., 1::2] & words
    rows = list(combinations(range(ids.size(0)), 2))
    return {
        "as many words are chosen as they should": _near(total, count, share),
        "about 80 of 100 chosen ones become <mask>": _compared(int(hidden.sum()), total, 0.8),
        "about 10 of 100 become a different word": _compared(int(other.sum()), total, 0.1),
        "about 10 of 100 stay": _compared(int(stayed.sum()), total, 0.1),
        "nearly any word can be the other word": len(set(read[other].tolist())) > (vocabulary - ORDINARY) / 2,
        "the other word is never a special token": bool((read[other] >= ORDINARY).all()),
        "a word is chosen whether or not its neighbour is": _near(
            int(chance.sum()), int(words.sum()), share**2
        ),
        "each row has draws of its own": all(
            bool(((chosen[:, i] != chosen[:, j]) & word[:, i] & word[:, j]).any()) for i, j in rows
        ),
        "each call has draws of its own": not bool((chosen == chosen[:1]).all()),
    }


# -- pairs -------------------------------------------------------------------------------------------------


def pairing() -> Callable[..., Findings]:
    """What is true of the results of `answer(documents, generator)`. No two passages may be the same."""

    def use(results: Sequence, documents: Sequence, *_: object) -> Findings:
        *drawn, again = [_pairs(result, len(documents)) for result in results]
        place = {tuple(second): number for number, (_, second) in enumerate(documents)}
        firsts = [list(first) for first, _ in documents]
        rows = [(n, place.get(tuple(s)), y) for pairs in drawn for n, (_, s, y) in enumerate(pairs)]
        strangers = {(n, at) for n, at, y in rows if not y}
        labels = torch.tensor([[y for _, _, y in pairs] for pairs in drawn])  # (calls, documents)
        alike = labels[:, :-1:2] == labels[:, 1::2]
        drawn_apart = (labels.amin(dim=0) < labels.amax(dim=0)).all()
        found: Findings = {
            "a pair for each document, begun by its own first part": all(
                [first for first, _, _ in pairs] == firsts for pairs in drawn
            ),
            "about half are labelled 1": _near(int(labels.sum()), labels.numel(), 0.5),
            "with label 1, the second part is the document's own": all(at == n for n, at, y in rows if y),
            "with label 0, it is another document's second part": all(
                at is not None and at != n for n, at, y in rows if not y
            ),
            "any other document can give it": len({s for s in strangers if None not in s and s[0] != s[1]})
            > 0.6 * len(documents) * (len(documents) - 1),
            "each document is true at times and false at others": bool(drawn_apart),
            "the same generator gives the same pairs": again == drawn[0],
        }
        if len(documents) > 2:  # of two, exactly one may be true each time, or both
            found["one call has both kinds"] = bool(
                (labels.amin(dim=1) < labels.amax(dim=1)).float().mean() > 0.5
            )
            found["a pair's label says nothing of the next one's"] = _near(
                int(alike.sum()), alike.numel(), 0.5
            )
        return found

    return use


def _pairs(result: object, count: int) -> list[tuple[list, list, int]]:
    if not isinstance(result, tuple | list) or len(result) != count:
        raise ValueError(f"a list of {count} pairs is wanted, one for each document")
    if any(not isinstance(pair, tuple | list) or len(pair) != 3 for pair in result):
        raise ValueError("each pair has three parts: first, second, label")
    if any(not isinstance(part, tuple | list) for first, second, _ in result for part in (first, second)):
        raise ValueError("the parts of a pair are lists of tokens")
    if any(label not in (0, 1) for _, _, label in result):
        raise ValueError("a label is 1 or 0")
    return [(list(first), list(second), int(label)) for first, second, label in result]


def _small_language_model(words: torch.Tensor, inner: torch.Tensor, out: torch.Tensor) -> Callable:
    """Scores for the next token, (B, T) to (B, T, V), that depend on all tokens so far."""

    def model(ids: torch.Tensor) -> torch.Tensor:
        if ids.dim() != 2:  # as the lesson's own model would
            raise ValueError(f"the model takes tokens (B, T), and these are {tuple(ids.shape)}")
        return (words[ids].cumsum(dim=-2) @ inner).tanh() @ out

    return model


register(
    {
        "statistics of a masking": masking,
        "statistics of pairs": pairing,
        "a small language model": _small_language_model,
    }
)
