"""Letters to sounds: words of the CMU Pronouncing Dictionary, as lesson 11 learns to say them.

Stress is left out, as in most published results: `AH0` and `AH1` are the sound AH. What then are the same
pronunciations of a word are one.
"""

import functools
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from helpers import corpora

LETTERS = "'abcdefghijklmnopqrstuvwxyz"
SOUNDS = (
    "AA", "AE", "AH", "AO", "AW", "AY", "B", "CH", "D", "DH", "EH", "ER", "EY", "F", "G", "HH", "IH", "IY",
    "JH", "K", "L", "M", "N", "NG", "OW", "OY", "P", "R", "S", "SH", "T", "TH", "UH", "UW", "V", "W", "Y",
    "Z", "ZH",
)  # fmt: skip
WORDS = ("apostrophe", "footnote", "goodbye", "planet", "rezoning", "trombones", "knight", "queue", "through")
LEFT_OUT = "Left out: the dictionary isn't here. SOUNDS = True in 11.20 fetches its 3.6 MB."
LOOKED_AT, TESTED = 200, 2_500  # words held out: for the picture while training, and for the result


class Dictionary(NamedTuple):
    """The words by use, and each word's pronunciations, the usual one first: sounds with spaces between."""

    learned: list[str]
    looked_at: list[str]
    tested: list[str]
    sounds: Mapping[str, list[str]]


@functools.cache
def vocabulary() -> corpora.Vocabulary:
    """One vocabulary for both sides: letters are lower-case, sounds upper-case."""
    return corpora.Vocabulary([*LETTERS, *SOUNDS])


def family(word: str) -> str:
    """What *king*, *king's*, *kings* and *kings'* have in common."""
    return re.sub(r"'?s?'?$", "", word) or word


@functools.cache
def dictionary() -> Dictionary:
    """The words that consist of letters and apostrophes, some of them held out with all their family.

    Raises:
        ConnectionError, FileNotFoundError, ValueError: as `corpora.load`.
    """
    sounds = {
        word: list(dict.fromkeys(re.sub(r"\d", "", said) for said in ways))
        for word, ways in corpora.load("cmudict").items()
        if not set(word) - set(LETTERS)
    }
    families: defaultdict[str, list[str]] = defaultdict(list)
    for word in sounds:
        families[family(word)].append(word)
    looked_at: list[str] = []
    tested: list[str] = []
    learned: list[str] = []
    for name in random.Random(1).sample(sorted(families), len(families)):
        part = looked_at if len(looked_at) < LOOKED_AT else tested if len(tested) < TESTED else learned
        part += families[name]
    return Dictionary(learned, looked_at[:LOOKED_AT], tested[:TESTED], sounds)


def numbered(words: Iterable[str]) -> list[tuple[list[int], list[int]]]:
    """Letters and sounds of words of the dictionary as numbers; of several pronunciations the usual one."""
    encode, sounds = vocabulary().encode, dictionary().sounds
    return [(encode(" ".join(word)), encode(sounds[word][0])) for word in words]


def sound_of_each_letter() -> dict[str, str]:
    """The most frequent sound of each letter, "" if it has none.

    Counted in the words learned that have as many sounds as letters, where the first letter is taken to stand
    for the first sound, and so on.
    """
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    found = dictionary()
    for word in found.learned:
        said = found.sounds[word][0].split()
        if len(said) == len(word):
            for letter, sound in zip(word, said, strict=True):
                counts[letter][sound] += 1
    return {letter: max(counts[letter], key=counts[letter].__getitem__, default="") for letter in LETTERS}


def verdict(written: Iterable[str], word: str) -> str:
    """What the dictionary says of a word, beside what was written: HTML."""
    found = dictionary()
    ways = found.sounds.get(word)
    if ways is None:
        return "<div aria-live='polite'>the dictionary doesn't have this word</div>"
    right = " ".join(sound for sound in written if sound != "<eos>") in ways
    seen = "learned" if word in found.learned else "held out"
    said = f"dictionary: <b>{' or '.join(ways)}</b>, so this is {'right' if right else 'wrong'}"
    return f"<div aria-live='polite'>{said}; the word was {seen}</div>"
