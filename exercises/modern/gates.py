"""The router."""

import math

import torch
from torch import Generator, Tensor

from exercises.modern import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick
from helpers import modern

exercise = Entry(
    id="modern.gates",
    title="The router",
    points=3,
    difficulty=3,
    minutes=10,
    reference=modern.gates,
    returns=("gates",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
)


@exercise.cases
def gates_cases(g: Generator) -> list[Case]:
    """Biases and none, one token and many, the best alone, all experts, scores far apart."""

    def case(title: str, logits: Tensor, k: int, *, biased: bool = True) -> Case:
        bias = 2 * shared.scores(g, logits.size(-1), dtype=logits.dtype)  # large enough to change the choice
        return Case(title, (logits, k, bias if biased else torch.zeros_like(bias)))

    several, E = pick(g, (2, 3), (3,), (3, 1, 2)), pick(g, 3, 5, 7)
    return [
        case("no biases", shared.scores(g, pick(g, 3, 5), pick(g, 4, 6, 7), spread=1.5), 2, biased=False),
        case("biases", shared.scores(g, pick(g, 4, 5), pick(g, 6, 7)), pick(g, 2, 3)),
        case("one token", shared.scores(g, 6), pick(g, 3, 2)),
        case("one token in a batch", shared.scores(g, *pick(g, (1,), (1, 1), (2, 1)), 4), 2),
        case("the best alone", shared.scores(g, *several, 5), 1),
        case("all of them", shared.scores(g, 4, E), E),
        case("far from 0", shared.scores(g, 2, 5) + pick(g, -30, 30), pick(g, 2, 3)),
        case("float64", shared.scores(g, 2, 6, dtype=torch.float64), pick(g, 4, 3)),
    ]


@exercise.alternative
def gates_by_renormalising(logits, k, bias):
    p = torch.softmax(logits, dim=-1)
    chosen = torch.topk(logits + bias, k, dim=-1)[1]
    kept = torch.zeros_like(p).scatter_(-1, chosen, p.gather(-1, chosen))
    return kept / kept.sum(-1, keepdim=True)


@exercise.alternative
def gates_by_a_mask(logits, k, bias):
    sums = logits + bias
    least = sums.topk(k, dim=-1).values[..., -1:]
    return logits.masked_fill(sums < least, -math.inf).softmax(dim=-1)


@exercise.alternative
def gates_by_sorting(logits, k, bias):
    rank = (logits + bias).argsort(dim=-1, descending=True).argsort(dim=-1)
    raised = torch.where(rank < k, (logits - logits.max(dim=-1, keepdim=True).values).exp(), 0.0)
    return raised / raised.sum(dim=-1, keepdim=True)


exercise.slip("biases_weigh_too", "logits.gather → (logits + bias).gather").says(
    "The biases are in the gates, too: they only choose, and the softmax is of the scores alone."
)
exercise.slip("biases_ignored", "(logits + bias).topk → logits.topk").says(
    "The biases are ignored: the k experts with the largest sums of score and bias are chosen."
)
exercise.slip("bias_taken_off", "logits + bias → logits - bias").says(
    "The biases are subtracted: a larger bias makes an expert likelier to be chosen."
)
exercise.slip("bias_alone", "(logits + bias).topk → (0 * logits + bias).topk").says(
    "Only the biases choose, so all tokens go to the same experts: the sum of score and bias should choose."
)
exercise.slip(
    "not_made_up_for", "logits.gather(-1, places).softmax(dim=-1) → logits.softmax(dim=-1).gather(-1, places)"
).says(
    "The softmax goes over all experts, and what the others had is lost: the k chosen share all of it, so "
    "that a row sums to 1."
)
exercise.slip(
    "all_experts", "torch.zeros_like(logits).scatter(-1, places, shares) → logits.softmax(dim=-1)"
).says("Every expert gets a share: only the k chosen count, all others are 0.")
exercise.slip("scores_as_gates", ".softmax(dim=-1) →").says(
    "The scores themselves are the gates: they become shares by a softmax over the chosen ones."
)
exercise.slip(
    "alike",
    "logits.gather(-1, places).softmax(dim=-1) → torch.full_like(logits.gather(-1, places), 1 / k)",
).says("The chosen experts count alike: a softmax over their scores says how much each counts.")
exercise.slip("the_worst", "topk(k, dim=-1) → topk(k, dim=-1, largest=False)").says(
    "The k experts with the smallest sums are chosen: choose those with the largest."
)
exercise.slip(
    "zeros_for_the_others",
    "logits.masked_fill(sums < least, -math.inf) → torch.where(sums >= least, logits, 0.0)",
    of=gates_by_a_mask,
).says("The others' scores are set to 0 before the softmax, where e⁰ = 1 counts: hide them with -∞.")
exercise.slip("kth_best_hidden", "sums < least → sums <= least", of=gates_by_a_mask).says(
    "The last of the k chosen is hidden as well: only sums below its own are."
)
exercise.slip("sigmoids", "softmax(dim=-1) → sigmoid()").says(
    "Each chosen gate is a sigmoid of its own score, so a row doesn't sum to 1: take a softmax over the k."
)
exercise.slip("best_alone", "topk(k, dim=-1) → topk(1, dim=-1)").says(
    "Only the first expert gets anything: k of them share."
)


@exercise.misconception
def shares_in_order(logits, k, bias):
    """The shares are in the order of the choice: each belongs at the place of its expert."""
    places = (logits + bias).topk(k, dim=-1).indices
    gates = torch.zeros_like(logits)
    gates[..., :k] = logits.gather(-1, places).softmax(dim=-1)
    return gates


exercise.slip(
    "shares_of_the_scores",
    "logits.gather(-1, places).softmax(dim=-1) → logits.gather(-1, places) / logits.gather(-1, "
    "places).sum(dim=-1, keepdim=True)",
).says(
    "The chosen scores are divided by their sum: scores may be negative or sum to 0, so turn them into "
    "shares by a softmax."
)
exercise.slip("best_of_all_rows", "sums.topk(k, dim=-1) → sums.flatten().topk(k)", of=gates_by_a_mask).says(
    "The k best of all rows together are chosen: each row, a token, has its own k."
)
exercise.slip(
    "biases_beside_shares", "torch.topk(logits + bias, k → torch.topk(p + bias, k", of=gates_by_renormalising
).says(
    "The biases are added to probabilities, where they weigh far more: they are added to the scores, and "
    "only to choose."
)
exercise.slip(
    "sigmoids_shared_out", "torch.softmax(logits, dim=-1) → torch.sigmoid(logits)", of=gates_by_renormalising
).says(
    "The gates are the chosen scores' sigmoids, divided by their sum, as in some models: here they are a "
    "softmax over the chosen scores."
)
exercise.slip("always_two", "topk(k → topk(2").says("Two experts are chosen, whatever k says.")
