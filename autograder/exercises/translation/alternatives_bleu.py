"""Other right answers to lesson 11's exercises on BLEU and alignments, each written differently."""

# ruff: noqa: D103  (their names say it)

import math

import torch

from helpers.translation import brevity_penalty, clipped_matches

# -- measuring -----------------------------------------------------------------------------------------------


def matches_with_counts(candidate, reference, n):
    ours = [" ".join(candidate[i : i + n]) for i in range(len(candidate) - n + 1)]
    theirs = [" ".join(reference[i : i + n]) for i in range(len(reference) - n + 1)]
    return sum(min(ours.count(gram), theirs.count(gram)) for gram in set(ours)), len(ours)


def matches_by_crossing_out(candidate, reference, n):
    left = [reference[i : i + n] for i in range(len(reference) - n + 1)]
    matches = possible = 0
    for i in range(len(candidate) - n + 1):
        possible += 1
        if candidate[i : i + n] in left:
            left.remove(candidate[i : i + n])
            matches += 1
    return matches, possible


def brevity_by_min(candidate_length, reference_length):
    return math.exp(min(0.0, 1 - reference_length / candidate_length))


def brevity_by_tensors(candidate_length, reference_length):
    return float(
        torch.tensor(1 - reference_length / candidate_length, dtype=torch.float64).clamp(max=0).exp()
    )


def bleu_as_a_product(candidates, references):
    product, a, b = 1.0, [c.split() for c in candidates], [r.split() for r in references]
    for n in range(1, 5):
        counts = torch.tensor([clipped_matches(one, other, n) for one, other in zip(a, b, strict=True)])
        matches, possible = counts.sum(dim=0).tolist()
        product *= matches / possible
    return 100 * brevity_penalty(sum(map(len, a)), sum(map(len, b))) * product**0.25


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
    return 100.0 * mean * brevity_penalty(c, r)


def aligned_by_sums(weights, real):
    return (weights.sum(dim=-3) * real).argmax(dim=-1)


def aligned_by_where(weights, real):
    average = torch.einsum("hts->ts", weights) / len(weights)
    return torch.where(real, average, -math.inf).max(dim=1).indices


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
