"""Which submissions are alike beyond what the exercise makes alike: winnowing, by copydetect.

A text becomes fingerprints: hashes of pieces of code in which names and strings are all alike and comments
are gone. Taken away are all pieces that the notebook handed out holds, all of the course's own right answers,
and those that many of the class have. What two submissions still share is weighed by how few others
have it.

Source: Schleimer, Wilkerson and Aiken 2003, "Winnowing: local algorithms for document fingerprinting".
"""

import io
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from copydetect import CodeFingerprint, compare_files, utils

PIECE, WINDOW = 20, 6  # characters of code without names; any copy of PIECE + WINDOW - 1 is found
WORDS_PIECE = 40  # characters, of what is written in words
LONGEST = 20_000  # characters of one answer; what comes after isn't compared
COMMON, COMMON_SHARE, MANY = 5, 0.1, 15  # a piece that more submissions have is nobody's own
LEAST = 4.0  # a pair with less weight isn't shown: chance alone gives as much

# Which pieces are chosen follows from their hashes. Python's own differ from run to run, so pairs would, too.
vars(utils)["hash"] = lambda piece: zlib.crc32(piece.encode(errors="surrogatepass"))

Texts = Mapping[str, tuple[str, bool]]
"""A submission's answers by the name of their place: the text, and whether it is code."""


@dataclass(frozen=True)
class Place:
    """What two submissions share in one place: the texts, and where in each the shared parts are."""

    name: str
    texts: tuple[str, str]
    shared: tuple[list[tuple[int, int]], list[tuple[int, int]]]


@dataclass(frozen=True)
class Pair:
    """Two submissions that share something that few others have.

    Attributes:
        students: their ids.
        weight: how many pieces they share. A piece that only these two have counts 1, one that n have
            1 / (n - 1).
        shares: how much of each one's own pieces the other has as well, from 0 to 1.
        places: where, those with most of it first.
    """

    students: tuple[str, str]
    weight: float
    shares: tuple[float, float]
    places: tuple[Place, ...]


def pairs(handed_in: Mapping[str, Texts], forced: Mapping[str, Iterable[tuple[str, bool]]]) -> list[Pair]:
    """The pairs that are alike, those with most weight first.

    Args:
        handed_in: each student's answers.
        forced: by place, the texts that nobody is to be blamed for: what was handed out, right answers.
    """
    known = {
        place: {hash for text, code in texts for hash in _print(text, code, window=1).hashes}
        for place, texts in forced.items()
    }
    prints = {
        student: {place: _print(*told) for place, told in texts.items()}
        for student, texts in handed_in.items()
    }
    have: dict[tuple[str, int], list[str]] = defaultdict(list)
    for student, places in prints.items():
        for place, made in places.items():
            made.hashes -= known.get(place, set())
            for hash in made.hashes:
                have[place, hash].append(student)
    most = min(MANY, max(COMMON, int(COMMON_SHARE * len(handed_in))))
    own: Counter[str] = Counter()
    weights: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    counts: Counter[tuple[str, str]] = Counter()
    for (place, hash), students in have.items():
        if len(students) > most:
            for student in students:
                prints[student][place].hashes.discard(hash)
            continue
        own.update(students)
        for two in combinations(sorted(students), 2):
            weights[two][place] += 1 / (len(students) - 1)  # type: ignore[assignment]  # not a whole number
            counts[two] += 1
    found = [
        Pair(
            two,
            weight,
            (counts[two] / own[two[0]], counts[two] / own[two[1]]),
            tuple(_place(place, two, handed_in, prints) for place, _ in places.most_common()),
        )
        for two, places in weights.items()
        if (weight := float(sum(places.values()))) >= LEAST
    ]
    return sorted(found, key=lambda pair: (-pair.weight, pair.students))


def _print(text: str, code: bool, window: int = WINDOW) -> CodeFingerprint:
    """The fingerprints of a text, one of each window. Words are compared as they are, but for capitals."""
    text = text[:LONGEST]
    if code:
        return CodeFingerprint("answer.py", PIECE, window, fp=io.StringIO(text), language="python")
    lowered = text.lower() if len(text.lower()) == len(text) else text
    return CodeFingerprint("answer.txt", WORDS_PIECE, window, filter=False, fp=io.StringIO(lowered))


def _place(
    name: str,
    two: tuple[str, str],
    handed_in: Mapping[str, Texts],
    prints: Mapping[str, Mapping[str, CodeFingerprint]],
) -> Place:
    _, _, slices = compare_files(*(prints[student][name] for student in two))
    texts = handed_in[two[0]][name][0], handed_in[two[1]][name][0]
    return Place(name, texts, (_merged(slices[0]), _merged(slices[1])))


def _merged(slices: Sequence) -> list[tuple[int, int]]:
    """Starts and ends of what is shared, in order, without overlaps."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(zip(*([int(at) for at in row] for row in slices), strict=True)):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        elif end > start:
            merged.append((start, end))
    return merged
