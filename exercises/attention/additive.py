"""Additive attention."""

import torch
from torch import Generator, Tensor

from exercises.attention import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick, rows_sum_to_one
from helpers import attention
from helpers.attention import softmax

exercise = Entry(
    id="attention.additive",
    title="Additive attention",
    points=3,
    difficulty=3,
    minutes=12,
    reference=attention.additive_attention,
    returns=("context", "weights"),
    properties=(inputs_unchanged, gradient_reaches_inputs, rows_sum_to_one),
    needs=("attention.softmax",),
)


@exercise.cases
def additive_cases(g: Generator) -> list[Case]:
    """One query, and batches of queries."""
    return [
        Case("one query", _additive(g, ())),
        Case("float64", _additive(g, (), dtype=torch.float64)),
        Case("a batch of queries, each with keys of its own", _additive(g, (2,))),
        Case("two batch axes", _additive(g, pick(g, (2, 1), (1, 2), (1, 1)))),
    ]


def _additive(g: Generator, front: tuple, dtype: torch.dtype = torch.float32) -> tuple[Tensor, ...]:
    d_q, T, d_k, d_v, d_a = shared.sizes(g, 3, 4, 5, 6, 7)
    inputs = [(*front, d_q), (*front, T, d_k), (*front, T, d_v)]
    return (
        *shared.normals(g, inputs, dtype),
        *shared.normals(g, [(d_q, d_a), (d_k, d_a), (d_a,)], dtype, spread=0.6),
    )


@exercise.alternative
def with_matrix_products(query, keys, values, W_q, W_k, v):
    hidden = (keys @ W_k + (query @ W_q)[..., None, :]).tanh()
    weights = (hidden @ v[:, None]).softmax(dim=-2)
    return (weights.mT @ values).squeeze(-2), weights.squeeze(-1)


@exercise.alternative
def with_sums_over_axes(query, keys, values, W_q, W_k, v):
    a = torch.einsum("...i,ia->...a", query, W_q)
    b = torch.einsum("...ti,ia->...ta", keys, W_k)
    scores = (v * torch.tanh(a.unsqueeze(-2) + b)).sum(-1)
    weights = torch.exp(scores) / torch.exp(scores).sum(-1, keepdim=True)
    return torch.einsum("...t,...tv->...v", weights, values), weights


@exercise.alternative
def one_key_after_another(query, keys, values, W_q, W_k, v):
    scores = []
    for t in range(keys.size(-2)):
        both = torch.cat([query, keys[..., t, :]], dim=-1)
        scores.append(torch.tanh(both @ torch.cat([W_q, W_k])) @ v)
    weights = torch.softmax(torch.stack(scores, dim=-1), dim=-1)
    context = 0
    for t in range(values.size(-2)):
        context = context + weights[..., t, None] * values[..., t, :]
    return context, weights


@exercise.alternative
def with_a_softmax_of_ones_own(query, keys, values, W_q, W_k, v):
    hidden = torch.tanh((query @ W_q).unsqueeze(-2) + keys @ W_k)
    weights = softmax(hidden @ v, dim=-1)
    return (weights.unsqueeze(-1) * values).sum(dim=-2), weights


exercise.slip(
    "no_tanh",
    "torch.tanh((query @ W_q).unsqueeze(-2) + keys @ W_k) → (query @ W_q).unsqueeze(-2) + keys @ W_k",
).says(
    "The tanh is missing: then the query adds the same number to every score, the softmax cancels that "
    "again, and all queries get the same weights."
)
exercise.slip(
    "tanh_of_the_score",
    "torch.tanh((query @ W_q).unsqueeze(-2) + keys @ W_k) → (query @ W_q).unsqueeze(-2) + keys @ W_k",
    "hidden @ v → torch.tanh(hidden @ v)",
).says("The tanh is applied to the finished score: it belongs on the d_a hidden numbers, before v sums them.")
exercise.slip(
    "tanh_before_the_sum",
    "torch.tanh((query @ W_q).unsqueeze(-2) + keys @ W_k) → torch.tanh(query @ W_q).unsqueeze(-2) + "
    "torch.tanh(keys @ W_k)",
).says(
    "The tanh is applied to query and key separately: then the query adds the same number to every score "
    "and changes no weight, so add the two first."
)
exercise.slip("relu_for_tanh", "torch.tanh → torch.relu").says(
    "The hidden numbers go through a ReLU: additive attention takes their tanh."
)
exercise.slip("product_for_sum", "+ keys @ W_k → * (keys @ W_k)").says(
    "The projected query and key are multiplied: in additive attention they are added, as its name says."
)
exercise.slip("additive_scaled", "hidden @ v → hidden @ v / math.sqrt(v.size(0))").says(
    "The scores are divided by √d_a: such a division belongs to the dot product, and additive attention "
    "has none."
)
exercise.slip("no_softmax", "(hidden @ v).softmax(dim=-1) → hidden @ v").says(
    "The scores are used as weights without a softmax: they can be negative and don't sum to 1, so the "
    "context isn't an average."
)
exercise.slip(
    "context_of_keys", "context, weights → (weights.unsqueeze(-1) * keys).sum(dim=-2), weights"
).says("The context is an average of the keys: keys are compared, and the values are averaged.")
exercise.slip("no_axis_for_positions", ".unsqueeze(-2) →").says(
    "With a batch the projected query (..., d_a) doesn't line up with the keys (..., T, d_a): give it an "
    "axis for the positions, with unsqueeze(-2)."
)
exercise.slip(
    "context_and_weights_swapped", "context, weights → weights, (weights.unsqueeze(-1) * values).sum(dim=-2)"
).says("The two results are swapped: the context comes first, then the weights.")
exercise.slip("sigmoid_for_tanh", "torch.tanh → torch.sigmoid").says(
    "The formula has tanh where this has a sigmoid, which never falls below 0."
)
exercise.slip("hidden_summed", "hidden @ v → hidden.sum(dim=-1)").says(
    "The hidden numbers are summed as they are: v weighs each of them first, so the score is their dot "
    "product with v."
)

exercise.slip(
    "query_spread_along_the_second_axis", "(query @ W_q).unsqueeze(-2) → (query @ W_q)[:, None]"
).says(
    "The query's new axis is the second from the left, which is the keys' only where there is one batch "
    "axis: count from the right, as .unsqueeze(-2) or [..., None, :] does."
)
