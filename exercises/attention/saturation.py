"""Saturation."""

import math

import torch
from torch import Generator, Tensor

from exercises.attention import shared
from headstart import Case, Entry, inputs_unchanged, pick
from helpers import attention

exercise = Entry(
    id="attention.saturation",
    title="Saturation",
    points=2,
    difficulty=2,
    minutes=5,
    needs=("attention.softmax",),
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
    "The scores are never divided by √d_k: divide them when `scaled` is True, so both can be compared."
)
exercise.slip(
    "always_scaled",
    ".squeeze(-1) → .squeeze(-1) / math.sqrt(q.size(-1))",
    "    if scaled:\n        scores = scores / math.sqrt(q.size(-1))\n →",
).says(
    "The scores are always divided by √d_k: divide them only when `scaled` is True, so both can be compared."
)
exercise.slip("saturation_scaled_by_d_k", "math.sqrt(q.size(-1)) → q.size(-1)").says(
    "The scores are divided by d_k: it is √d_k that brings their variance back to 1."
)
exercise.slip("saturation_power_then_halved", "math.sqrt(q.size(-1)) → q.size(-1) ** 1 / 2").says(
    "`/ d_k ** 1/2` divides by d_k and then by 2, because a power comes before a division: the root is "
    "`d_k ** 0.5`."
)
exercise.slip("multiplied_by_root", "scores / math.sqrt(q.size(-1)) → scores * math.sqrt(q.size(-1))").says(
    "The scores are multiplied by √d_k, which makes large scores larger still: divide them."
)
exercise.slip("scaled_by_number_of_keys", "math.sqrt(q.size(-1)) → math.sqrt(k.size(1))").says(
    "The scores are divided by the root of the number of keys: their variance grows with the number of "
    "features, d_k."
)
exercise.slip("scaled_where_not_asked", "if scaled → if not scaled").says(
    "The scores are divided by √d_k when `scaled` is False, and left alone when it is True."
)


@exercise.misconception
def returned_in_the_gap(q, k, scaled):
    """The scores are returned, so the lines below never run: assign what you have computed to `scores`, and
    leave the `return` to the last line.
    """
    scores = torch.einsum("nd,ntd->nt", q, k)
    return scores / math.sqrt(q.size(-1)) if scaled else scores
