"""Lesson 11's misconceptions about BLEU and about alignments.

A function's docstring is the sentence that the student reads. Each stands alone, with `torch`, `math` and the
lesson's own earlier functions as its only names, so that the class simulator can paste it.
"""

# ruff: noqa: D205, D403  (a sentence may take two lines, and may begin with a name)

import math

import torch

from helpers.translation import brevity_penalty, clipped_matches

# -- n-grams -------------------------------------------------------------------------------------------------


def not_clipped(candidate, reference, n):
    """Nothing is clipped, so "the the the the" has four matches in a reference with one "the"."""
    ours = [tuple(candidate[at : at + n]) for at in range(len(candidate) - n + 1)]
    theirs = [tuple(reference[at : at + n]) for at in range(len(reference) - n + 1)]
    return sum(gram in theirs for gram in ours), len(ours)


def different_ones_only(candidate, reference, n):
    """Sets forget how often something occurs: an n-gram that both have twice counts two."""
    ours = {tuple(candidate[at : at + n]) for at in range(len(candidate) - n + 1)}
    theirs = {tuple(reference[at : at + n]) for at in range(len(reference) - n + 1)}
    return len(ours & theirs), len(ours)


def once_each(candidate, reference, n):
    """A match is counted once, however often both have it: it counts as often as the one that has it less
    often.
    """
    ours = [tuple(candidate[at : at + n]) for at in range(len(candidate) - n + 1)]
    theirs = {tuple(reference[at : at + n]) for at in range(len(reference) - n + 1)}
    return len({*ours} & theirs), len(ours)


def out_of_the_reference(candidate, reference, n):
    """The second number is the reference's n-grams: that would be recall, and BLEU measures precision, out
    of what the candidate says.
    """
    ours = [tuple(candidate[at : at + n]) for at in range(len(candidate) - n + 1)]
    theirs = [tuple(reference[at : at + n]) for at in range(len(reference) - n + 1)]
    return sum(min(ours.count(gram), theirs.count(gram)) for gram in {*ours}), len(theirs)


def single_words(candidate, reference, n):
    """n isn't used: these are single words, whatever their order."""
    return sum(min(candidate.count(w), reference.count(w)) for w in {*candidate}), len(candidate)


def last_one_missing(candidate, reference, n):
    """The last n-gram is missing: a sentence of T words has T - n + 1 of them."""
    ours = [tuple(candidate[at : at + n]) for at in range(len(candidate) - n)]
    theirs = [tuple(reference[at : at + n]) for at in range(len(reference) - n)]
    return sum(min(ours.count(gram), theirs.count(gram)) for gram in {*ours}), len(ours)


def at_least_one(candidate, reference, n):
    """A candidate with fewer than n words counts as having one n-gram, as in nltk: it has none, and such a
    sentence shouldn't weigh on the others.
    """
    ours = [tuple(candidate[at : at + n]) for at in range(len(candidate) - n + 1)]
    theirs = [tuple(reference[at : at + n]) for at in range(len(reference) - n + 1)]
    return sum(min(ours.count(gram), theirs.count(gram)) for gram in {*ours}), max(1, len(ours))


def fewer_than_none(candidate, reference, n):
    """A candidate with fewer than n words has a negative number of n-grams here: it has none."""
    ours = [tuple(candidate[at : at + n]) for at in range(len(candidate) - n + 1)]
    theirs = [tuple(reference[at : at + n]) for at in range(len(reference) - n + 1)]
    return sum(min(ours.count(gram), theirs.count(gram)) for gram in {*ours}), len(candidate) - n + 1


def at_the_same_place(candidate, reference, n):
    """Only n-grams at the same place count: one word more at the beginning and nothing matches any longer,
    so BLEU looks for them anywhere.
    """
    ours = [tuple(candidate[at : at + n]) for at in range(len(candidate) - n + 1)]
    theirs = [tuple(reference[at : at + n]) for at in range(len(reference) - n + 1)]
    return sum(a == b for a, b in zip(ours, theirs, strict=False)), len(ours)


def cut_into_pieces(candidate, reference, n):
    """The n-grams don't overlap: each word but the last n - 1 begins one."""
    ours = [tuple(candidate[at : at + n]) for at in range(0, len(candidate) - n + 1, n)]
    theirs = [tuple(reference[at : at + n]) for at in range(0, len(reference) - n + 1, n)]
    return sum(min(ours.count(gram), theirs.count(gram)) for gram in {*ours}), len(ours)


# -- brevity -------------------------------------------------------------------------------------------------


def long_ones_punished(candidate_length, reference_length):
    """Long candidates are punished, and short ones not: a long one has a low precision already, which is
    what a short one is tempted to avoid.
    """
    c, r = candidate_length, reference_length
    return 1.0 if c <= r else math.exp(1 - c / r)


def plain_ratio(candidate_length, reference_length):
    """This is the plain ratio of the lengths, with 1 as the most: the penalty is e to the power
    1 - reference/candidate.
    """
    return min(1.0, candidate_length / reference_length)


def fraction_upside_down(candidate_length, reference_length):
    """The fraction is upside down: 1 - candidate/reference is positive for a short candidate, so that it is
    rewarded.
    """
    c, r = candidate_length, reference_length
    return 1.0 if c >= r else math.exp(1 - c / r)


def long_ones_rewarded(candidate_length, reference_length):
    """Longer candidates get more than 1: the penalty is 1 from equal length on."""
    return math.exp(1 - reference_length / candidate_length)


def one_forgotten(candidate_length, reference_length):
    """The 1 in the exponent is missing, so that the penalty jumps from 0.37 to 1 at equal length."""
    c, r = candidate_length, reference_length
    return 1.0 if c >= r else math.exp(-r / c)


# -- BLEU ----------------------------------------------------------------------------------------------------


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
        scores.append(100 * brevity_penalty(len(a), len(b)) * value)
    return sum(scores) / len(scores)


def mean_of_precisions(candidates, references):
    """The precisions are averaged over the sentences, so that a short sentence counts as much as a long one:
    matches and n-grams are summed first, and divided once.
    """
    pairs = [(a.split(), b.split()) for a, b in zip(candidates, references, strict=True)]
    value = 1.0
    for n in (1, 2, 3, 4):
        found = [clipped_matches(a, b, n) for a, b in pairs]
        value *= (sum(m / t for m, t in found if t) / len(found)) ** 0.25
    return 100 * value * brevity_penalty(sum(len(a) for a, _ in pairs), sum(len(b) for _, b in pairs))


def arithmetic_mean(candidates, references):
    """The four precisions are averaged arithmetically: the geometric mean is meant, which is small as soon
    as one of them is.
    """
    pairs = [(a.split(), b.split()) for a, b in zip(candidates, references, strict=True)]
    value = 0.0
    for n in (1, 2, 3, 4):
        found = [clipped_matches(a, b, n) for a, b in pairs]
        value += sum(m for m, _ in found) / sum(t for _, t in found) / 4
    return 100 * value * brevity_penalty(sum(len(a) for a, _ in pairs), sum(len(b) for _, b in pairs))


def product_without_root(candidates, references):
    """The four precisions are multiplied, and no fourth root is taken: a geometric mean lies between the
    smallest and the largest.
    """
    pairs = [(a.split(), b.split()) for a, b in zip(candidates, references, strict=True)]
    value = 1.0
    for n in (1, 2, 3, 4):
        found = [clipped_matches(a, b, n) for a, b in pairs]
        value *= sum(m for m, _ in found) / sum(t for _, t in found)
    return 100 * value * brevity_penalty(sum(len(a) for a, _ in pairs), sum(len(b) for _, b in pairs))


def short_ones_go_free(candidates, references):
    """Short translations pay nothing, so that leaving out whatever is uncertain pays: the brevity penalty is
    missing, or its two lengths aren't numbers of words.
    """
    pairs = [(a.split(), b.split()) for a, b in zip(candidates, references, strict=True)]
    value = 1.0
    for n in (1, 2, 3, 4):
        found = [clipped_matches(a, b, n) for a, b in pairs]
        value *= (sum(m for m, _ in found) / sum(t for _, t in found)) ** 0.25
    return 100 * value


def at_least_one_each(candidates, references):
    """A sentence with fewer than n words counts as having one n-gram, as in nltk: it has none, and adds
    nothing to the sum that the matches are divided by.
    """
    pairs = [(a.split(), b.split()) for a, b in zip(candidates, references, strict=True)]
    value = 1.0
    for n in (1, 2, 3, 4):
        found = [clipped_matches(a, b, n) for a, b in pairs]
        value *= (sum(m for m, _ in found) / sum(max(1, t) for _, t in found)) ** 0.25
    return 100 * value * brevity_penalty(sum(len(a) for a, _ in pairs), sum(len(b) for _, b in pairs))


def as_a_share(candidates, references):
    """This is between 0 and 1: BLEU is given from 0 to 100."""
    pairs = [(a.split(), b.split()) for a, b in zip(candidates, references, strict=True)]
    value = 1.0
    for n in (1, 2, 3, 4):
        found = [clipped_matches(a, b, n) for a, b in pairs]
        value *= (sum(m for m, _ in found) / sum(t for _, t in found)) ** 0.25
    return value * brevity_penalty(sum(len(a) for a, _ in pairs), sum(len(b) for _, b in pairs))


def four_in_a_row_alone(candidates, references):
    """Only four words in a row count here: BLEU takes the mean of the precisions for one, two, three and four
    words.
    """
    pairs = [(a.split(), b.split()) for a, b in zip(candidates, references, strict=True)]
    found = [clipped_matches(a, b, 4) for a, b in pairs]
    value = sum(m for m, _ in found) / sum(t for _, t in found)
    return 100 * value * brevity_penalty(sum(len(a) for a, _ in pairs), sum(len(b) for _, b in pairs))


def empty_ones_left_out(candidates, references):
    """A precision of 0 is left out of the mean, so that a translation without any four right words in a row
    gains by it: the geometric mean is then 0.
    """
    pairs = [(a.split(), b.split()) for a, b in zip(candidates, references, strict=True)]
    logs = []
    for n in (1, 2, 3, 4):
        found = [clipped_matches(a, b, n) for a, b in pairs]
        matches = sum(m for m, _ in found)
        logs += [math.log(matches / sum(t for _, t in found))] if matches else []
    value = math.exp(sum(logs) / len(logs))
    return 100 * value * brevity_penalty(sum(len(a) for a, _ in pairs), sum(len(b) for _, b in pairs))


def the_other_way_round(candidates, references):
    """Candidates and references are swapped, so that this measures how much of the reference was said, and
    punishes long candidates.
    """
    pairs = [(b.split(), a.split()) for a, b in zip(candidates, references, strict=True)]
    value = 1.0
    for n in (1, 2, 3, 4):
        found = [clipped_matches(a, b, n) for a, b in pairs]
        value *= (sum(m for m, _ in found) / sum(t for _, t in found)) ** 0.25
    return 100 * value * brevity_penalty(sum(len(a) for a, _ in pairs), sum(len(b) for _, b in pairs))


# -- alignment -----------------------------------------------------------------------------------------------


def over_the_target(weights, real):
    """The largest is looked for along the target, which says which word looks most at each source position:
    take the largest along the last axis instead.
    """
    return weights.mean(dim=0).masked_fill(~real, -1.0).argmax(dim=0)


def end_and_padding_too(weights, real):
    """Nothing is left out, so that words are aligned with `<eos>` or padding, where attention often rests
    when it has nothing to look for.
    """
    return weights.mean(dim=0).argmax(dim=-1)


def first_head_alone(weights, real):
    """Only the first head is asked: another may be the one that aligns, so the average of all is taken."""
    return weights[0].masked_fill(~real, -1.0).argmax(dim=-1)


def largest_of_any_head(weights, real):
    """The most that any head gives counts here, so that one sure head overrules all others: the average over
    the heads is meant.
    """
    return weights.amax(dim=0).masked_fill(~real, -1.0).argmax(dim=-1)


def each_head_for_itself(weights, real):
    """Each head has a result of its own here: the heads are averaged first, and the largest is taken then."""
    return weights.masked_fill(~real, -1.0).argmax(dim=-1)


def only_hidden_ones(weights, real):
    """The mask is the wrong way round, so that only what may not be aligned is left."""
    return weights.mean(dim=0).masked_fill(real, -1.0).argmax(dim=-1)


def least_looked_at(weights, real):
    """The least that is looked at is returned: `argmin` where `argmax` is meant."""
    return weights.mean(dim=0).masked_fill(~real, math.inf).argmin(dim=-1)


def weight_returned(weights, real):
    """The largest weight itself is returned: the exercise asks where it is."""
    return torch.amax(weights.mean(dim=0).masked_fill(~real, -1.0), dim=-1)
