"""Clipped matches."""

from torch import Generator

from exercises.translation import shared
from headstart import Case, Entry, inputs_unchanged
from helpers import translation

exercise = Entry(
    id="translation.clipped_matches",
    title="Clipped matches",
    points=2,
    difficulty=2,
    minutes=8,
    reference=translation.clipped_matches,
    forbidden=shared.LIBRARIES,
    returns=("matches", "n-grams"),
    properties=(inputs_unchanged,),
)


@exercise.cases
def match_cases(g: Generator) -> list[Case]:
    """A word too often, other orders, sentences that are too short, words that contain others."""
    a, b, c, d, e = shared.pick(g, 5)
    return [
        Case("one word again and again", ([a] * 5 + [b], [a, c, a, b], 1)),
        Case("pairs of words", ([a, b, a, b, c], [a, b, c, d, a, b], 2)),
        Case("a pair too often", ([a, b] * 3, [d, a, b, e], 2)),
        Case("triples, a different order", ([a, b, c, d, e], [e, a, b, c, d, a], 3)),
        Case("shorter than n by two", ([a, b], [a, b, c, d, e], 4)),
        Case("words within longer ones", ([a, b, c], [a + b, c, d], 1)),
        Case("the same letters, other words", ([a + b, c, d, e], [a, b + c, d, e], 2)),
        Case("words at random", (shared.drawn(g, [a, b, c, d]), shared.drawn(g, [a, b, c, d]), 2)),
    ]


@exercise.alternative
def matches_with_counts(candidate, reference, n):
    ours = [" ".join(candidate[i : i + n]) for i in range(len(candidate) - n + 1)]
    theirs = [" ".join(reference[i : i + n]) for i in range(len(reference) - n + 1)]
    return sum(min(ours.count(gram), theirs.count(gram)) for gram in set(ours)), len(ours)


@exercise.alternative
def matches_by_crossing_out(candidate, reference, n):
    left = [reference[i : i + n] for i in range(len(reference) - n + 1)]
    matches = possible = 0
    for i in range(len(candidate) - n + 1):
        possible += 1
        if candidate[i : i + n] in left:
            left.remove(candidate[i : i + n])
            matches += 1
    return matches, possible


exercise.slip(
    "not_clipped",
    "(min(ours.count(gram), theirs.count(gram)) for gram in set(ours)) → (gram in theirs for gram in ours)",
).says('Nothing is clipped, so "the the the the" has four matches in a reference with one "the".')


@exercise.misconception
def different_ones_only(candidate, reference, n):
    """Sets forget how often something occurs: an n-gram that both have twice counts two."""
    ours = {tuple(candidate[at : at + n]) for at in range(len(candidate) - n + 1)}
    theirs = {tuple(reference[at : at + n]) for at in range(len(reference) - n + 1)}
    return len(ours & theirs), len(ours)


exercise.slip(
    "once_each",
    "return sum(min(ours.count(gram), theirs.count(gram)) for gram in set(ours)), len(ours) → theirs = "
    "{tuple(reference[at : at + n]) for at in range(len(reference) - n + 1)}\n"
    "    return len({*ours} & theirs), len(ours)",
).says(
    "A match is counted once, however often both have it: it counts as often as the one that has it less "
    "often."
)
exercise.slip("out_of_the_reference", "len(ours) → len(theirs)").says(
    "The second number is the reference's n-grams: that would be recall, and BLEU measures precision, out "
    "of what the candidate says."
)
exercise.slip(
    "single_words",
    "matches, possible → sum(min(candidate.count(w), reference.count(w)) for w in {*candidate}), "
    "len(candidate)",
    of=matches_by_crossing_out,
).says("n isn't used: these are single words, whatever their order.")
exercise.slip(
    "last_one_missing",
    '[" ".join(candidate[i : i + n]) for i in range(len(candidate) - n + 1)] → [tuple(candidate[at : at + '
    "n]) for at in range(len(candidate) - n)]",
    '[" ".join(reference[i : i + n]) for i in range(len(reference) - n + 1)] → [tuple(reference[at : at + '
    "n]) for at in range(len(reference) - n)]",
    of=matches_with_counts,
).says("The last n-gram is missing: a sentence of T words has T - n + 1 of them.")
exercise.slip("at_least_one", "len(ours) → max(1, len(ours))").says(
    "A candidate with fewer than n words counts as having one n-gram, as in nltk: it has none, and such a "
    "sentence shouldn't weigh on the others."
)
exercise.slip("fewer_than_none", "len(ours) → len(candidate) - n + 1").says(
    "A candidate with fewer than n words has a negative number of n-grams here: it has none."
)
exercise.slip(
    "at_the_same_place",
    "(min(ours.count(gram), theirs.count(gram)) for gram in set(ours)) → (a == b for a, b in zip(ours, "
    "theirs, strict=False))",
).says(
    "Only n-grams at the same place count: one word more at the beginning and nothing matches any longer, "
    "so BLEU looks for them anywhere."
)
exercise.slip(
    "cut_into_pieces",
    '[" ".join(candidate[i : i + n]) for i in range(len(candidate) - n + 1)] → [tuple(candidate[at : at + '
    "n]) for at in range(0, len(candidate) - n + 1, n)]",
    '[" ".join(reference[i : i + n]) for i in range(len(reference) - n + 1)] → [tuple(reference[at : at + '
    "n]) for at in range(0, len(reference) - n + 1, n)]",
    of=matches_with_counts,
).says("The n-grams don't overlap: each word but the last n - 1 begins one.")
exercise.slip(
    "joined_without_a_space",
    '" ".join(candidate → "".join(candidate',
    '" ".join(reference → "".join(reference',
    of=matches_with_counts,
).says(
    'Words are joined without a space, so "now here" and "no where" are the same: tuples keep words apart.'
)
exercise.slip(
    "looked_for_in_the_text",
    "theirs.count(gram) → ' '.join(reference).count(gram)",
    of=matches_with_counts,
).says(
    'N-grams are looked for in the reference as a text, where "the" is also in "them": compare whole words.'
)
