"""Saturation."""

import math

import torch
from torch import Generator, Tensor

from autograder.drawing import pick
from autograder.entry import Entry
from autograder.exercises.attention import shared
from helpers import attention
from helpers.checking.calling.drivers import Case
from helpers.checks import inputs_unchanged

exercise = Entry(
    id="attention.saturation",
    title="Saturation",
    points=3,
    difficulty=4,
    minutes=15,
    reference=attention.saturation,
    returns=("mean largest weight", "mean gradient norm"),
    properties=(inputs_unchanged,),
)


@exercise.cases
def saturation_cases(g: Generator) -> list[Case]:
    """Narrow and wide vectors, each scaled and not. The last key wins in some wide rows, in no narrow one."""
    N, T, d_k = shared.sizes(g, *pick(g, (2, 3, 5), (2, 4, 5), (3, 4, 6), (2, 5, 6)))
    narrow = _best_at(
        torch.randint(T - 1, (N,), generator=g), shared.normal(g, N, d_k), shared.normal(g, N, T, d_k)
    )
    places = torch.tensor([3, *torch.randint(3, (2,), generator=g).tolist()])
    q, k = shared.normal(g, 3, 16), shared.normal(g, 3, 4, 16)
    scores = k[0] @ q[0]
    q[0] *= 120 / scores[scores.abs().argmax()]  # this row's largest score, whose exponential is infinite
    wide = _best_at(places, q, k)
    return [
        Case("not scaled", (*narrow, False)),
        Case("scaled", (*narrow, True)),
        Case("wide vectors, scaled", (*wide, True)),
        Case("wide vectors, not scaled", (*wide, False)),
        Case("one query, one feature", (shared.normal(g, 1, 1), shared.normal(g, 1, T + 1, 1), True)),
    ]


def _best_at(places: Tensor, q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
    """Queries, and their keys in an order by which the one that scores highest stands at its place."""
    best = (k @ q.unsqueeze(-1)).squeeze(-1).argmax(dim=-1)
    rows = [row.roll(int(place - at), dims=0) for row, place, at in zip(k, places, best, strict=True)]
    return q, torch.stack(rows)


@exercise.alternative
def by_formula(q, k, scaled):
    scores = torch.einsum("nd,ntd->nt", q, k)
    if scaled:
        scores = scores * q.size(1) ** -0.5
    weights = torch.softmax(scores, dim=1)
    largest, place = weights.max(dim=1)
    is_largest = torch.nn.functional.one_hot(place, weights.size(1))
    gradient = largest[:, None] * (is_largest - weights)
    return largest.mean(), torch.sqrt((gradient**2).sum(dim=1)).mean()


@exercise.alternative
def one_row_after_another(q, k, scaled):
    weights, norms = [], []
    for query, keys in zip(q, k, strict=True):
        scores = keys @ query
        if scaled:
            scores = scores / math.sqrt(len(query))
        scores = scores.clone().detach().requires_grad_(True)
        largest = torch.softmax(scores, dim=0).max()
        largest.backward()
        weights.append(largest.item())
        norms.append(scores.grad.norm().item())
    return sum(weights) / len(weights), sum(norms) / len(norms)


@exercise.alternative
def with_retained_gradient(q, k, scaled):
    scores = (q.unsqueeze(1) * k).sum(-1) / (math.sqrt(q.shape[-1]) if scaled else 1.0)
    scores.requires_grad_(True)
    scores.retain_grad()
    largest = torch.softmax(scores, -1).amax(-1)
    largest.backward(torch.ones_like(largest))
    return largest.mean(), torch.linalg.vector_norm(scores.grad, dim=-1).mean()


exercise.slip("never_scaled", "    if scaled:\n        scores = scores / math.sqrt(q.size(-1))\n →").says(
    "The scores are never divided by √d_k: do it when `scaled` is True, and the two can be compared."
)
exercise.slip(
    "always_scaled",
    ".squeeze(-1) → .squeeze(-1) / math.sqrt(q.size(-1))",
    "    if scaled:\n        scores = scores / math.sqrt(q.size(-1))\n →",
).says(
    "The scores are always divided by √d_k: do it only when `scaled` is True, and the two can be compared."
)
exercise.slip("saturation_scaled_by_d_k", "math.sqrt(q.size(-1)) → q.size(-1)").says(
    "The scores are divided by d_k: it is √d_k that brings their variance back to 1."
)
exercise.slip("saturation_power_then_halved", "math.sqrt(q.size(-1)) → q.size(-1) ** 1 / 2").says(
    "`/ d_k ** 1/2` divides by d_k and then by 2, because a power comes before a division: the root is "
    "`d_k ** 0.5`."
)


@exercise.misconception
def gradient_before_scaling(q, k, scaled):
    """The gradient is taken with respect to the scores before they are divided by √d_k, which makes it
    √d_k times smaller: take it with respect to what goes into the softmax.
    """
    scores = (k @ q.unsqueeze(-1)).squeeze(-1)
    scores = scores.detach().requires_grad_()
    logits = scores / math.sqrt(q.size(-1)) if scaled else scores
    largest = logits.softmax(dim=-1).max(dim=-1).values
    (gradient,) = torch.autograd.grad(largest.sum(), scores)
    return largest.mean().detach(), gradient.norm(dim=-1).mean()


exercise.slip(
    "gradient_of_the_mean", "scores.softmax(dim=-1).amax(dim=-1) → scores.softmax(dim=-1).amax(dim=-1).mean()"
).says(
    "The gradient is that of the mean of the largest weights, so each row's is divided by N: average the "
    "norms at the end, and backpropagate the sum."
)
exercise.slip("one_norm_for_all", "gradient.norm(dim=-1).mean() → gradient.norm()").says(
    "This is one norm over all rows together, which grows with N: take each row's norm, then the mean."
)
exercise.slip(
    "gradient_of_all_weights",
    "scores.softmax(dim=-1).amax(dim=-1) → scores.softmax(dim=-1)",
    "largest.mean() → largest.amax(-1).mean()",
).says(
    "The gradient of the sum of all weights is 0, because a row always sums to 1: backpropagate each "
    "row's largest weight alone."
)
exercise.slip(
    "gradient_of_queries",
    "scores = (k @ q.unsqueeze(-1)).squeeze(-1) → q = q.detach().requires_grad_()\n"
    "    scores = (k @ q.unsqueeze(-1)).squeeze(-1)",
    "    scores = scores.detach().requires_grad_()\n →",
    "torch.autograd.grad(largest.sum(), scores) → torch.autograd.grad(largest.sum(), q)",
).says(
    "The gradient is taken with respect to the queries: the question is what is left of it where it "
    "enters the softmax, at the scores."
)
exercise.slip(
    "one_hot_cut_short",
    "largest, place → largest, winner",
    "    is_largest = torch.nn.functional.one_hot(place, weights.size(1))\n →",
    "is_largest - weights → torch.nn.functional.one_hot(winner) - weights",
    of=by_formula,
).says(
    "one_hot makes as many columns as the largest index needs, which are too few when the last key wins "
    "in no row: tell it how many keys there are."
)
exercise.slip("largest_of_all", "largest.mean() → largest.max()").says(
    "This is the largest weight of all rows together: take the largest of each row, then the mean."
)
exercise.slip("softmax_over_the_batch", "scores.softmax(dim=-1) → scores.softmax(dim=0)").says(
    "The softmax runs over the N queries: each query shares out its attention among its own T keys, the "
    "last axis of the scores."
)
exercise.slip(
    "every_query_with_all_keys", "(k @ q.unsqueeze(-1)).squeeze(-1) → q @ k.transpose(-2, -1)"
).says(
    "Every query meets the keys of all queries here, in scores of (N, N, T): each query has T keys of its "
    'own, so q needs an axis for them, or an einsum "nd,ntd->nt".'
)
exercise.slip("own_derivative_alone", "gradient.norm(dim=-1) → (largest * (1 - largest))").says(
    "The derivative with respect to the largest score is taken alone, w(1 − w): a rise of any other score "
    "takes from this weight too, so the norm is over all T of them."
)
exercise.slip("sum_of_absolute_slopes", "gradient.norm(dim=-1) → gradient.abs().sum(dim=-1)").says(
    "These are sums of absolute slopes: a Euclidean norm is the root of the sum of their squares."
)
