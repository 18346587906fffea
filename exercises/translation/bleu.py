"""BLEU."""

import math

import torch
from torch import Generator

from exercises.translation import shared
from headstart import Case, Entry, inputs_unchanged
from helpers import translation
from helpers.translation import clipped_matches

exercise = Entry(
    id="translation.bleu",
    title="BLEU",
    points=3,
    difficulty=3,
    minutes=11,
    reference=translation.bleu,
    forbidden=shared.LIBRARIES,
    returns=("BLEU",),
    properties=(inputs_unchanged,),
    needs=("translation.clipped_matches",),
)


@exercise.cases
def bleu_cases(g: Generator) -> list[Case]:
    """Sentences of unlike lengths and qualities, so that sums and means of sentences differ."""
    w = shared.pick(g, 10)
    long = " ".join(w)
    swapped = " ".join([*w[:5], w[6], w[5], *w[7:]])
    repeated = " ".join([*w[:5], w[2], w[2], w[2]])
    some = " ".join(w[3:9])
    cut = " ".join(w[3:8])
    return [
        Case("all right", ([long, some], [long, some])),
        Case("two words swapped, one sentence cut short", ([swapped, cut], [long, some])),
        Case("a word again and again", ([repeated, swapped], [" ".join([*w[:5], w[7], w[8], w[2]]), long])),
        Case("longer than the references", ([long, f"{some} {w[0]} {w[1]}"], [swapped, some])),
        Case(
            "a sentence of two words among longer ones",
            ([f"{w[0]} {w[1]}", swapped], [f"{w[0]} {w[2]}", long]),
        ),
        Case("words at random", ([" ".join(shared.drawn(g, w[:2]))], [" ".join(shared.drawn(g, w[:2]))])),
        Case("four words in a row, once", ([" ".join([*w[:4], w[5], w[4]])], [" ".join(w[:6])])),
        Case(
            "no candidate has four words",
            ([f"{w[0]} {w[1]} {w[2]}", f"{w[4]} {w[5]}"], [" ".join(w[:3]), " ".join(w[4:7])]),
        ),
        Case("no four words in a row", ([" ".join([w[0], w[1], w[2], w[4], w[5]])], [" ".join(w[:6])])),
    ]


@exercise.alternative
def bleu_as_a_product(candidates, references):
    product, a, b = 1.0, [c.split() for c in candidates], [r.split() for r in references]
    for n in range(1, 5):
        counts = torch.tensor([clipped_matches(one, other, n) for one, other in zip(a, b, strict=True)])
        matches, possible = counts.sum(dim=0).tolist()
        if not matches:
            return 0.0
        product *= matches / possible
    c, r = sum(map(len, a)), sum(map(len, b))
    return 100 * (1.0 if c >= r else math.exp(1 - r / c)) * product**0.25


@exercise.alternative
def bleu_in_one_pass(candidates, references):
    matches, possible, c, r = [0] * 4, [0] * 4, 0, 0
    for candidate, reference in zip(candidates, references, strict=True):
        one, other = candidate.split(), reference.split()
        c, r = c + len(one), r + len(other)
        for n in range(4):
            hit, total = clipped_matches(one, other, n + 1)
            matches[n] += hit
            possible[n] += total
    if min(matches) == 0:
        return 0.0
    mean = math.exp(sum(math.log(m / t) for m, t in zip(matches, possible, strict=True)) / 4)
    return 100.0 * mean * math.exp(min(0.0, 1 - r / c))


@exercise.alternative
def bleu_from_scratch(candidates, references):
    logs, c, r = [], 0, 0
    for n in range(1, 5):
        matches = possible = 0
        for candidate, reference in zip(candidates, references, strict=True):
            ours, theirs = candidate.split(), reference.split()
            if n == 1:
                c, r = c + len(ours), r + len(theirs)
            left = [theirs[at : at + n] for at in range(len(theirs) - n + 1)]
            for at in range(len(ours) - n + 1):
                possible += 1
                if ours[at : at + n] in left:
                    left.remove(ours[at : at + n])
                    matches += 1
        if not matches:
            return 0.0
        logs.append(math.log(matches) - math.log(possible))
    return 100 * math.exp(sum(logs) / 4 + min(0, 1 - r / c))


@exercise.misconception
def mean_of_sentences(candidates, references):
    """This is a mean of sentences' BLEUs, in which one sentence without four words in a row counts 0:
    counts are summed over the whole set before they are divided.
    """
    scores = []
    for one, other in zip(candidates, references, strict=True):
        a, b, value = one.split(), other.split(), 1.0
        for n in (1, 2, 3, 4):
            found, possible = clipped_matches(a, b, n)
            value *= (found / possible if possible else 0.0) ** 0.25
        scores.append(100 * min(1.0, math.exp(1 - len(b) / len(a))) * value)
    return sum(scores) / len(scores)


exercise.slip(
    "mean_of_precisions",
    "(sum(column) for column in zip(*found, strict=True)) → sum(m / t for m, t in found if t), len(found)",
).says(
    "The precisions are averaged over the sentences, so that a short sentence counts as much as a long "
    "one: matches and n-grams are summed first, and divided once."
)
exercise.slip(
    "arithmetic_mean",
    "if matches == 0:\n"
    "            return 0.0\n"
    "        logs += math.log(matches / possible) / 4 → logs += matches / max(1, possible) / 4",
    "math.exp(logs) → logs",
).says(
    "This is the arithmetic mean of the four precisions: take the geometric mean, which is small as soon "
    "as one of them is."
)
exercise.slip("product_without_root", " / 4 →").says(
    "The four precisions are multiplied, and no fourth root is taken: a geometric mean lies between the "
    "smallest and the largest."
)
exercise.slip("short_ones_go_free", "penalty * →").says(
    "Short translations pay nothing, so that leaving out whatever is uncertain pays: the brevity penalty "
    "is missing, or its two lengths aren't numbers of words."
)
exercise.slip("at_least_one_each", "matches / possible → matches / sum(max(1, t) for _, t in found)").says(
    "A sentence with fewer than n words counts as having one n-gram, as in nltk: it has none, and adds "
    "nothing to the sum that the matches are divided by."
)
exercise.slip("as_a_share", "100 * →").says("This is between 0 and 1: BLEU is given from 0 to 100.")
exercise.slip("four_in_a_row_alone", "range(1, 5) → [4]", " / 4 →").says(
    "Only four words in a row count here: BLEU takes the mean of the precisions for one, two, three and "
    "four words."
)
exercise.slip(
    "empty_ones_left_out",
    "logs = 0.0 → logs = []",
    "if matches == 0:\n"
    "            return 0.0\n"
    "        logs += math.log(matches / possible) / 4 → logs += [math.log(matches / possible)] if matches "
    "else []",
    "math.exp(logs) → math.exp(sum(logs) / len(logs))",
).says(
    "A precision of 0 is left out of the mean, so that a translation without any four right words in a row "
    "gains by it: the geometric mean is then 0."
)
exercise.slip(
    "divided_by_no_words", "        if not matches:\n            return 0.0\n →", of=bleu_as_a_product
).says(
    "Where no candidate has four words, this divides by 0: BLEU is 0 as soon as there is no match, so ask "
    "for that first."
)
exercise.slip(
    "lengths_without_ngrams_left_out",
    "if not matches:\n            return 0.0 → if not possible:\n            continue",
    of=bleu_as_a_product,
).says(
    "Where no candidate has four words, their precision is left out, as if it were 1: without a match of "
    "some length BLEU is 0."
)
exercise.slip("the_other_way_round", "one.split(), other.split() → other.split(), one.split()").says(
    "Candidates and references are swapped, so that this measures how much of the reference was said, and "
    "punishes long candidates."
)
exercise.slip("letters_for_words", "(one.split(), other.split()) → (one, other)").says(
    "The texts aren't split, so these are n-grams of letters: split() gives the words."
)
exercise.slip("letters_and_words", "in pairs → in zip(candidates, references, strict=True)").says(
    "The lengths are in words, but the n-grams are of letters: split() the texts for both."
)
exercise.slip("long_ones_punished", "r / c → c / r").says(
    "Long candidates are punished and short ones aren't: a long one has a low precision already, which is "
    "what a short one is tempted to avoid."
)
exercise.slip("long_ones_rewarded", "min(1.0, math.exp(1 - r / c)) → math.exp(1 - r / c)").says(
    "Candidates that are longer than their references get a factor above 1: it is 1 from equal length on."
)
exercise.slip("plain_ratio", "math.exp(1 - r / c) → c / r").says(
    "The factor is the plain ratio of the lengths: it is e to the power 1 - reference/candidate."
)
exercise.slip("one_forgotten", "min(1.0, math.exp(1 - r / c)) → 1.0 if c >= r else math.exp(-r / c)").says(
    "The 1 in the penalty's exponent is missing, so that it jumps from 0.37 to 1 at equal length."
)
exercise.slip(
    "by_the_references",
    "matches / possible → matches / sum(max(0, len(other) - n + 1) for other in b)",
    of=bleu_as_a_product,
).says(
    "Matches are divided by the n-grams of the references, which is recall: for a precision, divide by those "
    "of the candidates."
)
exercise.slip("up_to_three", "range(1, 5) → range(1, 4)").says(
    "Only n-grams of up to three words count: BLEU takes the precisions of one to four."
)
exercise.slip(
    "arithmetic_mean_of_matches",
    "math.exp(sum(math.log(m / t) for m, t in zip(matches, possible, strict=True)) / 4) → "
    "sum(m / t for m, t in zip(matches, possible, strict=True)) / 4",
    of=bleu_in_one_pass,
).says("The four precisions are added and divided by 4: BLEU takes the fourth root of their product.")
exercise.slip(
    "lengths_swapped_in_the_exponent",
    "min(1.0, math.exp(1 - r / c)) → 1.0 if c >= r else math.exp(1 - c / r)",
).says(
    "The two lengths are swapped in the penalty's exponent, so that short translations get a factor above 1: "
    "it is 1 - r/c, below 0."
)


@exercise.misconception
def one_long_text(candidates, references):
    """The sentences are joined into one long text, in which n-grams reach across their ends and match in
    other sentences: count sentence by sentence, then sum.
    """
    one, other = " ".join(candidates).split(), " ".join(references).split()
    logs = 0.0
    for n in range(1, 5):
        matches, possible = clipped_matches(one, other, n)
        if matches == 0:
            return 0.0
        logs += math.log(matches / possible) / 4
    return 100 * min(1.0, math.exp(1 - len(other) / len(one))) * math.exp(logs)
