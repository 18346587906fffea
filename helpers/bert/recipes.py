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
FEW = 0.03  # of chosen words: as many stay by chance where each becomes another, but far from a tenth
ENOUGH = 10  # calls in which two words agree by chance: of 4 words, all of them do once in a million times
FATES = 36  # of pairs of chosen words: 68 % of them share a fate by chance, all once in a million times
EACH = 14  # draws for each word: one is missing by chance once in a million times

Findings = dict[str, bool | str]


def _near(hits: int, count: int, share: float, least: float | None = None, most: float | None = None) -> bool:
    """Whether a number of hits agrees with a share, or with one from `least` to `most`, up to chance."""
    if not count:
        return False
    room = SIGMAS * math.sqrt(share * (1 - share) / count)
    low, high = (share if end is None else end for end in (least, most))
    return low - room <= hits / count <= high + room


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
    # Who gives labels to words that have changed alone has a tenth fewer: that shows in what stays, and isn't
    # said again, by numbers so near to the right ones that chance would decide.
    missing = other.any() and stayed.sum() < FEW * total
    part = 0.9 if missing else 1
    words = word[..., :-1:2] & word[..., 1::2]  # neighbours, each place in one pair alone
    sizes = word[0].sum(-1).tolist(), words[0].sum(-1).tolist()
    least, least_both = _of_each_row(share, *sizes, math.floor)
    most, most_both = _of_each_row(share, *sizes, math.ceil)
    chance = chosen[..., :-1:2] & chosen[..., 1::2] & words
    rows = list(combinations(range(ids.size(0)), 2))
    others = [call[there].tolist() for call, there in zip(read, other, strict=True) if there.sum() > 1]
    own = len(others) < ENOUGH or any(len(set(words)) > 1 for words in others)
    same = 1 / (vocabulary - ORDINARY)  # of the random words are the word that was there
    return {
        "as many words are chosen as they should": _near(total, count, share, part * least, most),
        "about 80 of 100 chosen ones become <mask>": _compared(int(hidden.sum()), total, 0.8),
        "about 10 of 100 become a different word": _compared(int(other.sum()), total, 0.1 * (1 - same)),
        "about 10 of 100 stay": _compared(int(stayed.sum()), total, 0.1 * (1 + same)),
        "nearly any word can be the other word": len(set(read[other].tolist())) > (vocabulary - ORDINARY) / 2,
        "the other word is never a special token": bool((read[other] >= ORDINARY).all()),
        "each of them has an other word of its own": own,
        "the first word and the last can be the other word": not own
        or all(_drawn(read, ids, other, end, vocabulary) for end in (ORDINARY, vocabulary - 1)),
        "a word is chosen whether or not its neighbour is": _near(
            int(chance.sum()), int(words.sum()), share**2, part**2 * least_both, most_both
        ),
        "each row has draws of its own": all(
            bool(((chosen[:, i] != chosen[:, j]) & word[:, i] & word[:, j]).any()) for i, j in rows
        ),
        "each chosen word has a fate of its own": hidden.sum() in (0, total)
        or (
            _differ(hidden[..., :-1:2], hidden[..., 1::2], chance)
            and all(_differ(hidden[:, i], hidden[:, j], chosen[:, i] & chosen[:, j]) for i, j in rows)
        ),
        "each call has draws of its own": not bool((chosen == chosen[:1]).all()),
    }


def _differ(some: torch.Tensor, others: torch.Tensor, both: torch.Tensor) -> bool:
    """Whether the fates of two words differ where both are chosen, or may be alike by chance."""
    return int(both.sum()) < FATES or bool((some != others)[both].any())


def _of_each_row(share: float, words: list[int], pairs: list[int], to: Callable) -> tuple[float, float]:
    """The shares of words and of neighbours that are chosen, where each row's number is made whole.

    So BERT's own code does it: it draws that many words of each row, rather than each word by itself.
    """
    chosen = [to(share * n) for n in words]
    both = [k * (k - 1) / (n * (n - 1)) if n > 1 else 0 for k, n in zip(chosen, words, strict=True)]
    together = sum(p * many for p, many in zip(both, pairs, strict=True))
    return sum(chosen) / sum(words), together / max(sum(pairs), 1)


def _drawn(read: torch.Tensor, ids: torch.Tensor, other: torch.Tensor, word: int, vocabulary: int) -> bool:
    """Whether a word was drawn as the other word, or may be missing by chance."""
    could = read[other & (ids != word)]
    return bool((could == word).any()) or len(could) < EACH * (vocabulary - ORDINARY)


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
        "a small language model": _small_language_model,
    }
)
