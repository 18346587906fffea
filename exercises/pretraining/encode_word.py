"""A word's tokens."""

from torch import Generator

from exercises.pretraining import shared
from headstart import Case, Entry, inputs_unchanged
from helpers import pretraining
from helpers.pretraining import merge_pair

exercise = Entry(
    id="pretraining.encode_word",
    title="A word's tokens",
    points=2,
    difficulty=2,
    minutes=6,
    reference=pretraining.encode_word,
    returns=("tokens",),
    properties=(inputs_unchanged,),
    needs=("pretraining.merge_pair",),
)


@exercise.cases
def encoding_cases(g: Generator) -> list[Case]:
    """Words of which some merges fit, with merges whose order matters."""
    a, b, c, d, e = shared.letters(g)
    merges = [f"{a} {b}", f"{b} {c}", f"{a}{b} {c}", f"{d} {a}", f"{d} {e}", f"{b}{c} {d}"]
    return [
        Case("the first merge takes what others need", (f"{d}{a}{b}{c}{e}", merges)),
        Case("a merge that doesn't fit, then some that do", (f"{b}{c}{d}{e}{d}{a}", merges)),
        Case("several at a time", (f"{a}{b}{c}{a}{b}{e}{d}{a}{b}{c}", merges)),
        Case("a longer token is known", (f"{e}{b}{c}{d}{a}{b}{c}", [*merges, f"{a} {b}{c}{d}"])),
        Case(
            "a longer token is known, and out of reach",
            (f"{d}{a}{b}{e}{a}{b}{c}", [f"{a} {b}", f"{d} {a}", f"{b} {c}", f"{a} {b}{c}"]),
        ),
        Case("no merges yet", (f"{a}{b}{c}{a}", [])),
        Case("one letter", (c, merges)),
        Case("the last one counts", (f"{e}{a}{d}{e}{c}", [f"{a} {b}", f"{d} {e}", f"{a} {d}{e}"])),
    ]


@exercise.alternative
def encode_by_rank(word, merges):
    tokens = list(word)
    while len(tokens) > 1:
        pairs = [f"{left} {right}" for left, right in zip(tokens[:-1], tokens[1:], strict=True)]
        known = [pair for pair in pairs if pair in merges]
        if not known:
            break
        best = min(known, key=merges.index)
        tokens = merge_pair(" ".join(tokens), best).split()
    return " ".join(tokens)


@exercise.alternative
def encode_by_reduce(word, merges):
    import functools

    return functools.reduce(lambda tokens, pair: merge_pair(tokens, pair), merges, " ".join(list(word)))


exercise.slip(
    "last_learned_first",
    "for pair in merges:\n"
    "        tokens = merge_pair(tokens, pair) → for pair in reversed(merges):\n"
    "        tokens = merge_pair(tokens, pair)",
).says("The merges are applied from the last one on: what was learned late is made of what came early.")
exercise.slip("not_split", 'return " ".join(tokens) → return word', of=encode_by_rank).says(
    "The word isn't split into letters first, so there is nothing to merge."
)
exercise.slip("letters_alone", 'return tokens → return " ".join(word)').says(
    "These are the letters: no merge was applied, or its result wasn't kept."
)


@exercise.misconception
def longest_first(word, merges):
    """This takes the longest known token from the left, as WordPiece does: byte-pair encoding applies its
    merges in the order in which they were learned.
    """
    known = {pair.replace(" ", "") for pair in merges} | set(word)
    tokens, at = [], 0
    while at < len(word):
        end = next(end for end in range(len(word), at, -1) if word[at:end] in known)
        tokens.append(word[at:end])
        at = end
    return " ".join(tokens)


@exercise.misconception
def left_to_right(word, merges):
    """This merges the first known pair from the left, again and again; the merge that was learned first comes
    first, wherever it fits.
    """
    tokens, at = list(word), 0
    while at + 1 < len(tokens):
        if f"{tokens[at]} {tokens[at + 1]}" in merges:
            tokens[at : at + 2] = ["".join(tokens[at : at + 2])]
            at = max(at - 1, 0)
        else:
            at += 1
    return " ".join(tokens)


exercise.slip(
    "stops_when_one_does_not_fit",
    "tokens = merge_pair(tokens, pair) → new = merge_pair(tokens, pair)",
    "return tokens →     if new == tokens:\n            break\n        tokens = new\n    return tokens",
).says("This stops at the first merge that changes nothing: a later one may fit again.")
exercise.slip(
    "one_merge_alone",
    "tokens = merge_pair(tokens, pair) → new = merge_pair(tokens, pair)",
    "return tokens →     if new != tokens:\n            return new\n    return tokens",
).says("This applies the first merge that fits, and returns: continue with those after it.")
exercise.slip("first_in_the_list_alone", "tokens = merge_pair → return merge_pair").says(
    "Only the first merge of the list is tried, fit or not, as when a `return` is inside the loop."
)
exercise.slip(
    "last_merge_missing",
    "for pair in merges:\n"
    "        tokens = merge_pair(tokens, pair) → for pair in merges[:-1]:\n"
    "        tokens = merge_pair(tokens, pair)",
).says("The last merge is missing.")
