"""Pairs of tokens."""

from torch import Generator

from exercises.pretraining import shared
from headstart import Case, Entry, inputs_unchanged
from helpers import pretraining

exercise = Entry(
    id="pretraining.count_pairs",
    title="Pairs of tokens",
    points=2,
    difficulty=2,
    minutes=7,
    reference=pretraining.count_pairs,
    returns=("counts",),
    properties=(inputs_unchanged,),
)


@exercise.cases
def pair_cases(g: Generator) -> list[Case]:
    """Words of letters and of longer tokens; pairs that several words share, or that a word has twice."""
    a, b, c, d, e = shared.letters(g)
    return [
        Case(
            "two words", ({f"{a} {b} {c}": shared.one(g, 2, 9), f"{a} {b} {d} {e}": shared.one(g, 11, 19)},)
        ),
        Case(
            "a pair twice in a word",
            ({f"{a} {b} {c} {a} {b}": shared.one(g, 2, 9), f"{b} {c}": shared.one(g, 2, 9)},),
        ),
        Case(
            "three alike, and one token", ({f"{d} {d} {d} {e}": shared.one(g, 2, 9), c: shared.one(g, 2, 9)},)
        ),
        Case("one token each", ({a: shared.one(g, 2, 9), f"{b}{c}": shared.one(g, 2, 9)},)),
        Case(
            "tokens of several letters",
            (
                {
                    f"{a}{b} {c} {d}{e}": shared.one(g, 2, 9),
                    f"{c} {d}{e} {c} {a}{b}": shared.one(g, 11, 19),
                    f"{a} {b} {c}": shared.one(g, 21, 29),
                },
            ),
        ),
    ]


@exercise.alternative
def pairs_with_counter(words):
    from collections import Counter

    found = Counter()
    for word, n in words.items():
        parts = word.split(" ")
        for i in range(len(parts) - 1):
            found[parts[i] + " " + parts[i + 1]] += n
    return found


@exercise.alternative
def pairs_of_all_places(words):
    places = []
    for word in words:
        tokens = word.split()
        places += [(f"{tokens[i - 1]} {tokens[i]}", words[word]) for i in range(1, len(tokens))]
    counts = {pair: 0 for pair, _ in places}
    for pair, times in places:
        counts[pair] += times
    return counts


@exercise.misconception
def words_not_weighted(words):
    """Each word counts once here: its pairs occur as often as the word does in the text."""
    counts = {}
    for word in words:
        tokens = word.split()
        for left, right in zip(tokens[:-1], tokens[1:], strict=True):
            counts[f"{left} {right}"] = counts.get(f"{left} {right}", 0) + 1
    return counts


exercise.slip(
    "once_a_word",
    'for at in range(len(tokens) - 1): → pairs = [f"{left} {right}" for left, right in zip(tokens[:-1], '
    "tokens[1:], strict=True)]\n"
    "        for pair in dict.fromkeys(pairs):",
    '            pair = f"{tokens[at]} {tokens[at + 1]}"\n →',
).says("A pair that occurs twice in a word is counted once there: count every occurrence.")


@exercise.misconception
def last_word_counts(words):
    """A pair's count is overwritten by the next word that has it: add to it."""
    counts = {}
    for word, times in words.items():
        tokens = word.split()
        for left, right in zip(tokens[:-1], tokens[1:], strict=True):
            counts[f"{left} {right}"] = times
    return counts


@exercise.misconception
def letters_counted(words):
    """These are pairs of letters: a token may have several, and ends at a space."""
    counts = {}
    for word, times in words.items():
        letters = word.replace(" ", "")
        for left, right in zip(letters[:-1], letters[1:], strict=True):
            counts[f"{left} {right}"] = counts.get(f"{left} {right}", 0) + times
    return counts


exercise.slip(
    "tokens_counted",
    "for at in range(len(tokens) - 1):\n"
    '            pair = f"{tokens[at]} {tokens[at + 1]}"\n'
    "            counts[pair] = counts.get(pair, 0) + times → for pair in word.split():\n"
    "            counts[pair] = counts.get(pair, 0) + times",
).says("These are counts of single tokens: two side by side are one pair.")
exercise.slip(
    "every_second_pair",
    "for at in range(len(tokens) - 1):\n"
    '            pair = f"{tokens[at]} {tokens[at + 1]}"\n'
    "            counts[pair] = counts.get(pair, 0) + times → for left, right in zip(tokens[::2], "
    "tokens[1::2], strict=False):\n"
    '            counts[f"{left} {right}"] = counts.get(f"{left} {right}", 0) + times',
).says(
    "Only every second pair is counted: a token in the middle belongs to two, one to its left and one to "
    "its right."
)


@exercise.misconception
def across_words(words):
    """The last token of a word is counted with the first of the next: pairs end with the word."""
    counts = {}
    before = None
    for word, times in words.items():
        for token in word.split():
            if before is not None:
                counts[f"{before} {token}"] = counts.get(f"{before} {token}", 0) + times
            before = token
    return counts


@exercise.misconception
def order_ignored(words):
    """The two tokens of a pair are sorted: `l o` and `o l` are different pairs."""
    counts = {}
    for word, times in words.items():
        tokens = word.split()
        for pair in zip(tokens[:-1], tokens[1:], strict=True):
            key = " ".join(sorted(pair))
            counts[key] = counts.get(key, 0) + times
    return counts


exercise.slip("last_pair_missing", "- 1 → - 2").says(
    "The last pair of each word is missing: n tokens have n - 1 pairs."
)
