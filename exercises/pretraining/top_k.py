"""Top-k."""

import math

import torch
from torch import Generator

from exercises.pretraining import shared
from headstart import Case, Entry, inputs_unchanged, pick
from helpers import pretraining

exercise = Entry(
    id="pretraining.top_k",
    title="Top-k",
    points=2,
    difficulty=2,
    minutes=6,
    reference=pretraining.top_k,
    returns=("probabilities",),
    properties=(inputs_unchanged,),
)


@exercise.cases
def top_k_cases(g: Generator) -> list[Case]:
    """One token, a few, all of them. Rows differ in how sure they are, so each has a threshold of its own."""
    every = pick(g, 4, 5, 6)

    def case(title: str, k: int, *shape: int, dtype: torch.dtype = torch.float32) -> Case:
        logits = shared.logits(g, *shape, dtype=dtype)
        if len(shape) > 1:
            logits *= torch.linspace(1, 0.3, shape[-2], dtype=dtype).unsqueeze(-1)
        return Case(title, (logits.softmax(-1), k))

    return [
        case("two", 2, *pick(g, (5,), (4,), (7,))),
        case("three, a batch", 3, *pick(g, (2, 7), (3, 5), (4, 6))),
        case("one", 1, *pick(g, (3, 4), (2, 5), (4, 3))),
        case("all of them", every, *pick(g, (2,), (3,), (7,)), every),
        case("axes of length 1", 2, *pick(g, (1, 5), (3, 1, 4), (1, 2, 6))),
        case("float64", shared.one(g, 2, 5), *pick(g, (3, 6), (2, 7), (2, 3, 5)), dtype=torch.float64),
    ]


@exercise.alternative
def top_k_by_threshold(probabilities, k):
    least = probabilities.sort(dim=-1, descending=True).values[..., k - 1 : k]
    kept = torch.where(probabilities >= least, probabilities, 0.0)
    return kept / kept.sum(-1, keepdim=True)


@exercise.alternative
def top_k_by_ranks(probabilities, k):
    ranks = probabilities.argsort(dim=-1, descending=True).argsort(dim=-1)
    kept = probabilities * (ranks < k)
    return kept / kept.sum(dim=-1, keepdim=True)


@exercise.alternative
def top_k_by_softmax(probabilities, k):
    least = probabilities.topk(k).values[..., -1:]
    return probabilities.log().masked_fill(probabilities < least, -math.inf).softmax(-1)


exercise.slip(
    "top_k_not_renormalised",
    "kept / kept.sum(dim=-1, keepdim=True) → torch.zeros_like(probabilities).scatter(-1, best.indices, "
    "best.values)",
).says("What is kept doesn't sum to 1: divide by its sum.")
exercise.slip(
    "bottom_k", "probabilities.topk(k, dim=-1) → probabilities.topk(k, dim=-1, largest=False)"
).says("The k least probable tokens are kept instead of the k most probable ones.")
exercise.slip("k_dropped", "torch.zeros_like(probabilities) → probabilities", "best.values → 0").says(
    "The k most probable tokens are dropped, and the others kept."
)
exercise.slip(
    "one_fewer",
    "probabilities.topk(k, dim=-1) → probabilities.topk(k, dim=-1).values[..., -1:]",
    "torch.zeros_like(probabilities).scatter(-1, best.indices, best.values) → torch.where(probabilities > "
    "best, probabilities, 0)",
).says("The kth token itself is dropped: keep what is at least as probable as it, not only what is more so.")
exercise.slip(
    "one_more",
    "probabilities.topk(k, dim=-1) → probabilities.topk(min(k + 1, probabilities.size(-1)), dim=-1)",
).says("One token too many is kept.")
exercise.slip(
    "all_k_alike",
    "probabilities.topk(k, dim=-1) → probabilities.topk(k, dim=-1).indices",
    "    kept = torch.zeros_like(probabilities).scatter(-1, best.indices, best.values)\n →",
    "kept / kept.sum(dim=-1, keepdim=True) → torch.zeros_like(probabilities).scatter(-1, best, 1 / k)",
).says("Each of the k tokens gets 1/k: they keep their proportions, and only their sum becomes 1.")
exercise.slip(
    "softmax_of_probabilities",
    "kept / kept.sum(dim=-1, keepdim=True) → torch.zeros_like(probabilities).scatter(-1, best.indices, "
    "best.values.softmax(dim=-1))",
).says("A softmax of the probabilities that are kept: these are no logits, divide by their sum.")
exercise.slip(
    "still_sorted",
    "probabilities.topk(k, dim=-1) → probabilities.sort(dim=-1, descending=True).values",
    "torch.zeros_like(probabilities).scatter(-1, best.indices, best.values) → "
    "torch.where(torch.arange(best.size(-1)) < k, best, 0)",
).says("The probabilities come back sorted: each belongs in its token's own place.")


@exercise.misconception
def tokens_of_all_rows(probabilities, k):
    """Indexing with the places of all rows keeps in each row what any of them keeps: `scatter` puts each
    value into its own row.
    """
    best = probabilities.topk(k, dim=-1)
    kept = torch.zeros_like(probabilities)
    kept[..., best.indices] = best.values
    return kept / kept.sum(dim=-1, keepdim=True)


exercise.slip(
    "one_threshold_for_all",
    "values[..., k - 1 : k] → values[..., k - 1 : k].min()",
    of=top_k_by_threshold,
).says("The smallest threshold of all rows is used for each of them, so some keep more than k tokens.")
exercise.slip(
    "k_values_alone",
    "torch.where(probabilities >= least, probabilities, 0.0) → probabilities.topk(k, dim=-1).values",
    of=top_k_by_threshold,
).says(
    "The k largest come back alone: the others have the probability 0, and each token its own place, so a "
    "row still has V numbers."
)
