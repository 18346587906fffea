"""The router."""

import math

import torch
from torch import Generator

from autograder.drawing import pick
from autograder.entry import Entry
from autograder.exercises.modern import shared
from helpers import modern
from helpers.checking.calling.drivers import Case
from helpers.checks import gradient_reaches_inputs, inputs_unchanged

exercise = Entry(
    id="modern.gates",
    title="The router",
    points=3,
    difficulty=3,
    minutes=8,
    reference=modern.gates,
    returns=("gates",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
)


@exercise.cases
def gates_cases(g: Generator) -> list[Case]:
    """One token and many, the best alone, all experts, scores far apart."""
    several, E = pick(g, (2, 3), (3,), (3, 1, 2)), pick(g, 3, 5, 7)
    return [
        Case("some of the experts", (shared.scores(g, pick(g, 3, 5), pick(g, 4, 6, 7), spread=1.5), 2)),
        Case("one token", (shared.scores(g, 6), pick(g, 3, 2))),
        Case("one token in a batch", (shared.scores(g, *pick(g, (1,), (1, 1), (2, 1)), 4), 2)),
        Case("the best alone", (shared.scores(g, *several, 5), 1)),
        Case("all of them", (shared.scores(g, 4, E), E)),
        Case("far from 0", (shared.scores(g, 2, 5) + pick(g, -30, 30), pick(g, 2, 3))),
        Case("float64", (shared.scores(g, 2, 6, dtype=torch.float64), pick(g, 4, 3))),
    ]


@exercise.alternative
def gates_by_renormalising(logits, k):
    p = torch.softmax(logits, dim=-1)
    best, places = torch.topk(p, k, dim=-1)
    return torch.zeros_like(p).scatter_(-1, places, best / best.sum(-1, keepdim=True))


@exercise.alternative
def gates_by_a_mask(logits, k):
    least = logits.topk(k, dim=-1).values[..., -1:]
    return logits.masked_fill(logits < least, -math.inf).softmax(dim=-1)


@exercise.alternative
def gates_by_sorting(logits, k):
    rank = logits.argsort(dim=-1, descending=True).argsort(dim=-1)
    raised = torch.where(rank < k, (logits - logits.max(dim=-1, keepdim=True).values).exp(), 0.0)
    return raised / raised.sum(dim=-1, keepdim=True)


exercise.slip(
    "not_made_up_for", "logits.topk(k, dim=-1) → logits.softmax(-1).topk(k, dim=-1)", ".softmax(dim=-1) →"
).says(
    "The softmax goes over all experts, and what the others had is lost: the k chosen share all of it, so "
    "that a row sums to 1."
)
exercise.slip(
    "all_experts",
    "torch.zeros_like(logits).scatter(-1, places, best.softmax(dim=-1)) → logits.softmax(dim=-1)",
).says("Every expert gets a share: only the k best count, all others are 0.")
exercise.slip("scores_as_gates", ".softmax(dim=-1) →").says(
    "The scores themselves are the gates: they become shares by a softmax over the chosen ones."
)
exercise.slip("alike", "best.softmax(dim=-1) → 1 / k").says(
    "The chosen experts count alike: a softmax over their scores says how much each counts."
)
exercise.slip("the_worst", "logits.topk(k, dim=-1) → logits.topk(k, dim=-1, largest=False)").says(
    "The k experts with the lowest scores are chosen: it is the highest that count."
)
exercise.slip(
    "zeros_for_the_others",
    "logits.masked_fill(logits < least, -math.inf) → torch.where(logits >= least, logits, 0.0)",
    of=gates_by_a_mask,
).says("The others' scores are set to 0 before the softmax, where e⁰ = 1 counts: hide them with -∞.")
exercise.slip("kth_best_hidden", "logits < least → logits <= least", of=gates_by_a_mask).says(
    "The last of the k best is hidden as well: only scores below it are."
)
exercise.slip("sigmoids", "best.softmax(dim=-1) → best.sigmoid()").says(
    "Each chosen gate is a sigmoid of its own score, so a row doesn't sum to 1: take a softmax over the k."
)
exercise.slip("best_alone", "logits.topk(k, dim=-1) → logits.topk(1, dim=-1)").says(
    "Only the best expert gets anything: it is the k best that share."
)


@exercise.misconception
def shares_in_order(logits, k):
    """The shares are in the order of the scores, best first: each belongs at the place of its expert."""
    best = logits.topk(k, dim=-1).values.softmax(dim=-1)
    gates = torch.zeros_like(logits)
    gates[..., :k] = best
    return gates


exercise.slip("shares_of_the_scores", "best.softmax(dim=-1) → best / best.sum(dim=-1, keepdim=True)").says(
    "The chosen scores are divided by their sum: scores may be negative or sum to 0, so it is a softmax "
    "that makes shares of them."
)
exercise.slip(
    "best_of_all_rows", "logits.topk(k, dim=-1) → logits.flatten().topk(k)", of=gates_by_a_mask
).says("The k best of all rows together are chosen: each row, a token, has its own k.")
