"""A table of pairs."""

import torch
from torch import Generator

from exercises.pretraining import shared
from headstart import Case, Entry, inputs_unchanged, pick
from helpers import pretraining

exercise = Entry(
    id="pretraining.bigram",
    title="A table of pairs",
    points=2,
    difficulty=3,
    minutes=10,
    reference=pretraining.bigram_log_probabilities,
    returns=("log-probabilities",),
    properties=(inputs_unchanged,),
)


@exercise.cases
def bigram_cases(g: Generator) -> list[Case]:
    """Pairs that repeat, padding, tokens that never come, more and less smoothing."""

    def case(title: str, lengths: list[int], T: int, V: int, alpha: float) -> Case:
        targets = shared.targets(g, lengths, T, 3)
        inputs = torch.randint(0, 3, targets.shape, generator=g)
        return Case(title, (inputs, targets, V, alpha))

    one = torch.zeros(pick(g, 2, 1, 4), 3, dtype=torch.int64)
    return [
        case("a few pairs", pick(g, [6, 6], [6], [6, 6, 6, 6]), 6, pick(g, 4, 3, 5), 1.0),
        case(
            "padding", pick(g, [8, 3, 5], [3, 8], [5, 8, 2, 3]), 8, pick(g, 4, 5), pick(g, 0.5, 0.125, 0.75)
        ),
        case("tokens that never come", [9, 2], 9, pick(g, 6, 8, 7), 0.25),
        case("a single row", [pick(g, 5, 4, 6)], 7, 4, 0.5),
        Case("a vocabulary of one token", (one, one, 1, 1.0)),
    ]


@exercise.alternative
def pairs_in_a_loop(inputs, targets, vocabulary, alpha):
    counts = torch.full((vocabulary, vocabulary), float(alpha))
    for row, wanted in zip(inputs.tolist(), targets.tolist(), strict=True):
        for now, then in zip(row, wanted, strict=True):
            if then != -100:
                counts[now, then] += 1
    return (counts / counts.sum(dim=1, keepdim=True)).log()


@exercise.alternative
def pairs_by_index_put(inputs, targets, vocabulary, alpha):
    real = targets >= 0
    counts = torch.zeros(vocabulary, vocabulary)
    counts.index_put_((inputs[real], targets[real]), torch.ones(()), accumulate=True)
    counts += alpha
    return counts.log() - counts.sum(dim=-1, keepdim=True).log()


exercise.slip(
    "columns_for_now",
    "(counts / counts.sum(dim=-1, keepdim=True)).float().log() → (counts / counts.sum(dim=1, "
    "keepdim=True)).log().T",
).says("The table is transposed: rows are for the token now, columns for the next.")
exercise.slip("counted_by_next", "inputs[real] → targets[real]", "targets[real] → inputs[real]").says(
    "Pairs are counted as [next, now]: a row belongs to the token now, and says what comes next."
)
exercise.slip(
    "normalised_over_now",
    "(counts / counts.sum(dim=-1, keepdim=True)).float() → (counts / counts.sum(dim=0, keepdim=True))",
).says("Each column sums to 1, but each row should: the probabilities of all tokens after one token.")
exercise.slip(
    "the_whole_table_sums_to_one",
    "(counts / counts.sum(dim=-1, keepdim=True)).float() → (counts / counts.sum())",
).says(
    "The whole table sums to 1, which gives p(now and next): divide each row by its own sum for p(next | "
    "now)."
)


@exercise.misconception
def each_pair_once(inputs, targets, vocabulary, alpha):
    """counts[now, then] += 1 with tensors counts a pair once, however often it occurs: torch.bincount, a loop
    or index_put_ with accumulate=True count all.
    """
    real = targets != -100
    counts = torch.full((vocabulary, vocabulary), alpha)
    counts[inputs[real], targets[real]] += 1
    return (counts / counts.sum(dim=1, keepdim=True)).log()


@exercise.misconception
def padding_is_a_pair(inputs, targets, vocabulary, alpha):
    """-100 counts from the end or is moved to token 0, so that padding is counted as a next token: leave out
    pairs without a target.
    """
    counts = torch.full((vocabulary, vocabulary), alpha)
    for now, then in zip(inputs.flatten().tolist(), targets.clamp(min=0).flatten().tolist(), strict=True):
        counts[now, then] += 1
    return (counts / counts.sum(dim=1, keepdim=True)).log()


@exercise.misconception
def smoothed_after_dividing(inputs, targets, vocabulary, alpha):
    """Alpha is added to the numerator alone, so that rows sum to more than 1: add it to the counts before
    they are summed.
    """
    real = targets != -100
    counts = torch.zeros(vocabulary, vocabulary)
    for now, then in zip(inputs[real].tolist(), targets[real].tolist(), strict=True):
        counts[now, then] += 1
    return ((counts + alpha) / counts.sum(dim=1, keepdim=True).clamp(min=1)).log()


@exercise.misconception
def always_plus_one(inputs, targets, vocabulary, alpha):
    """1 is added to each count whatever alpha is."""
    real = targets != -100
    counts = torch.ones(vocabulary, vocabulary)
    for now, then in zip(inputs[real].tolist(), targets[real].tolist(), strict=True):
        counts[now, then] += 1
    return (counts / counts.sum(dim=1, keepdim=True)).log()


exercise.slip(
    "softmax_of_counts",
    "(counts / counts.sum(dim=-1, keepdim=True)).float().log() → counts.float().log_softmax(-1)",
).says(
    "This is a softmax of the counts, which raises e to each of them: counts are no scores, so divide each "
    "row by its sum."
)
exercise.slip("sums_without_keepdim", "counts.sum(dim=-1, keepdim=True) → counts.sum(dim=-1)").says(
    "Without keepdim the sums lie along the columns, so what is in column j is divided by the sum of row j: "
    "keepdim=True leaves each sum beside its own row."
)
exercise.slip(
    "no_logarithm",
    "(counts / counts.sum(dim=-1, keepdim=True)).float().log() → counts / counts.sum(dim=1, keepdim=True)",
).says("These are probabilities: the loss of the last exercise wants their logarithms.")


@exercise.misconception
def alpha_once_below(inputs, targets, vocabulary, alpha):
    """The sum of each row grows by one alpha, where each of its V counts got one: divide by the sum of the
    row after alpha was added.
    """
    real = targets != -100
    pairs = inputs[real] * vocabulary + targets[real]
    counts = torch.bincount(pairs, minlength=vocabulary**2).view(vocabulary, vocabulary)
    return ((counts + alpha) / (counts.sum(-1, keepdim=True) + alpha)).log()


exercise.slip(
    "alpha_above_alone", " + alpha →", "(counts / counts.sum → ((counts + alpha) / counts.sum"
).says(
    "Alpha is added to the numerator alone, so rows sum to more than 1, and one in which nothing was counted "
    "is divided by 0: add it to the counts before they are summed."
)
