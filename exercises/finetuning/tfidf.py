"""Words, weighted by rarity."""

import math

import torch
from torch import Generator, Tensor

from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick
from helpers import finetuning

exercise = Entry(
    id="finetuning.tfidf",
    title="Words, weighted by rarity",
    points=3,
    difficulty=3,
    minutes=8,
    reference=finetuning.tfidf,
    returns=("rows",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
)


@exercise.cases
def tfidf_cases(g: Generator) -> list[Case]:
    """Other texts than those trained on; a word that training never had; the training texts themselves."""
    train, other = _counts(g, pick(g, 5, 6), 4), _counts(g, pick(g, 3, 2), 4)
    train[:, 1] = 0
    other[0, 1] += 2
    own, V, few = _counts(g, pick(g, 4, 3, 5), 6), pick(g, 4, 7), pick(g, 3, 4, 5)
    return [
        Case("fewer texts than were trained on", (_counts(g, pick(g, 5, 6), V), _counts(g, 3, V))),
        Case("a word that training never had", (train, other)),
        Case("the training texts themselves", (own, own.clone())),
        Case("one text", (_counts(g, 7, few), _counts(g, 1, few))),
        Case("one word", (_counts(g, pick(g, 4, 5), 1), _counts(g, pick(g, 2, 3), 1))),
    ]


def _counts(g: Generator, texts: int, words: int) -> Tensor:
    """Counts with empty places, but no empty text: its first or second word is always there."""
    counts = torch.randint(0, 4, (texts, words), generator=g).float()
    counts *= torch.rand(texts, words, generator=g) < 0.7
    counts[:, 0] = torch.randint(1, 4, (texts,), generator=g).float()
    counts[0, -1] = 3.0
    counts[-1, -1] = 0.0 if texts > 1 and words > 1 else 3.0
    return counts


@exercise.alternative
def tfidf_with_normalize(train, counts):
    N = train.size(0)
    df = train.gt(0).to(counts.dtype).sum(0)
    idf = 1 + torch.log((N + 1) / (df + 1))
    return torch.nn.functional.normalize(counts * idf, dim=1)


@exercise.alternative
def tfidf_by_hand(train, counts):
    df = torch.count_nonzero(train, dim=0)
    weighted = counts * (math.log(len(train) + 1) - torch.log(df + 1.0).to(counts.dtype) + 1)
    return weighted / weighted.pow(2).sum(dim=1, keepdim=True).sqrt()


exercise.slip(
    "rarity_of_the_asked", "len(train) → len(counts)", "1 + in_texts → 1 + torch.sum(counts > 0, dim=0)"
).says(
    "Rarity was counted in the texts that rows are wanted for: count it in the training texts alone, "
    "since test texts must not affect it."
)
exercise.slip("occurrences_counted", "1 + in_texts → 1 + train.sum(0)").says(
    "This sums all occurrences: count the texts that contain a word, however often it occurs in each."
)
exercise.slip(
    "not_smoothed", "(1 + len(train)) / (1 + in_texts) → (len(train)) / ((train > 0).sum(dim=0))"
).says(
    "The two 1s that smooth the fraction are missing, so a word that no training text has causes a "
    "division by 0."
)
exercise.slip(
    "one_added_to_the_quotient",
    "((1 + len(train)) / (1 + in_texts)).log() + 1 → (1 + len(train) / (train > 0).sum(dim=0)).log()",
).says(
    "This is ln(1 + N / df): here it is ln((1 + N) / (1 + df)) + 1, with a 1 above the line, one below it, "
    "and one outside of the logarithm."
)
exercise.slip("one_inside_the_logarithm", ".log() + 1 → .log1p()").says(
    "The last 1 is inside the logarithm here: it should be added to the logarithm."
)
exercise.slip("brackets_forgotten_above", "(1 + len(train)) / (1 → 1 + len(train) / (1").says(
    "1 + N isn't in brackets, so only N is divided by 1 + df: / comes before +."
)
exercise.slip("brackets_forgotten", "(1 + len(train)) / (1 + in_texts) → 1 + len(train) / 1 + in_texts").says(
    "Brackets are missing: 1 + N and 1 + df are each in brackets, since / comes before +."
)
exercise.slip(
    "logarithm_forgotten",
    "((1 + len(train)) / (1 + in_texts)).log() → (1 + len(train)) / (1 + torch.sum(train > 0, dim=0))",
).says(
    "The logarithm is missing: a word in one of a thousand texts would count hundreds of times as much as "
    "a common one."
)
exercise.slip(
    "no_one_added",
    "((1 + len(train)) / (1 + in_texts)).log() + 1 → ((1 + len(train)) / (1 + (train > 0).sum(dim=0))).log()",
    "rows.norm(dim=-1, keepdim=True) → rows.norm(dim=-1, keepdim=True).clamp(min=1e-9)",
).says("The 1 after the logarithm is missing, so a word that is in every text counts nothing at all.")
exercise.slip(
    "length_not_one",
    "rows / rows.norm(dim=-1, keepdim=True) → counts * (((1 + len(train)) / (1 + (train > "
    "0).sum(dim=0))).log() + 1)",
).says("The rows aren't brought to length 1, so a long review counts more than a short one.")


@exercise.misconception
def columns_of_length_one(train, counts):
    """The columns are brought to length 1: each text, a row, should have length 1."""
    rows = counts * (((1 + len(train)) / (1 + (train > 0).sum(dim=0))).log() + 1)
    return rows / rows.norm(dim=0, keepdim=True).clamp(min=1e-9)


@exercise.misconception
def sums_to_one(train, counts):
    """The rows sum to 1: length means the root of the sum of squares."""
    rows = counts * (((1 + len(train)) / (1 + (train > 0).sum(dim=0))).log() + 1)
    return rows / rows.sum(dim=-1, keepdim=True)


exercise.slip("rarity_forgotten", "counts * rarity → counts").says(
    "The counts aren't multiplied by the words' rarity, so a word that is in every text counts as much as "
    "a rare one."
)
exercise.slip(
    "rarity_alone", "counts * rarity → torch.where(counts > 0, rarity, torch.zeros_like(counts))"
).says("This weights each word that occurs, whether once or often: multiply the counts themselves.")
exercise.slip(
    "logarithm_to_base_ten",
    "rarity = ((1 + len(train)) / (1 + in_texts)).log() + 1 → rows = counts * (((1 + len(train)) / (1 + "
    "(train > 0).sum(dim=0))).log10() + 1)",
    "    rows = counts * rarity\n →",
).says("The logarithm has base 10: ln is the natural one, `torch.log`.")
exercise.slip(
    "one_added_below_alone", "counts * rarity → counts * (len(train) / (1 + (train > 0).sum(dim=0))).log()"
).says(
    "The rarity is log(N / (1 + n)), smoothed below the line only: 1 is added to the number of texts "
    "above it too, and 1 to the logarithm."
)
exercise.slip(
    "shares_of_texts",
    "weighted = counts * (math.log(len(train) + 1) - torch.log(df + 1.0).to(counts.dtype) + 1) → rows = "
    "counts * (((1 + (train > 0).sum(dim=0)) / (1 + len(train))).log() + 1)",
    "weighted / weighted.pow(2).sum(dim=1, keepdim=True).sqrt() → rows / rows.norm(dim=-1, keepdim=True)",
    of=tfidf_by_hand,
).says(
    "The words are weighted by the share of the texts that they are in, so common words count most: "
    "rare ones should."
)
