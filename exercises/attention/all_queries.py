"""All queries at once."""

import math

import torch
from torch import Generator, Tensor

from exercises.attention import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick, rows_sum_to_one
from helpers.attention import softmax

exercise = Entry(
    id="attention.all_queries",
    title="All queries at once",
    points=2,
    difficulty=2,
    minutes=6,
    returns=("output", "weights"),
    properties=(inputs_unchanged, gradient_reaches_inputs, rows_sum_to_one),
    forbidden=shared.ATTENTION_OF_TORCH,
    needs=("attention.softmax",),
)


@exercise.reference
def attend(q, k, v):
    scores = q @ k.T / math.sqrt(q.size(-1))
    weights = softmax(scores, dim=-1)
    return weights @ v, weights


@exercise.cases
def all_queries_cases(g: Generator) -> list[Case]:
    """Queries and keys of different numbers, and as many of the one as of the other."""
    T_q, T_k, d_k, d_v = shared.sizes(g, 2, 3, 4, 5)
    T, d, d_out = shared.sizes(g, *pick(g, (3, 4, 6), (3, 5, 6), (4, 5, 6)))
    return [
        Case("a few queries and keys", _qkv(g, T_q, T_k, d_k, d_v)),
        # √9 is exact in every dtype: dividing by a float32 √d_k is no mistake worth a point.
        Case("float64", _qkv(g, d_v, T_q, 9, T_k, dtype=torch.float64)),
        Case("as many queries as keys", _qkv(g, T, T, d, d_out)),
        Case("one query", _qkv(g, 1, *shared.sizes(g, 4, 5, 6))),
    ]


def _qkv(
    g: Generator, T_q: int, T_k: int, d_k: int, d_v: int, *, dtype: torch.dtype = torch.float32
) -> tuple[Tensor, ...]:
    return shared.normals(g, [(T_q, d_k), (T_k, d_k), (T_k, d_v)], dtype, spread=1.2)


@exercise.alternative
def query_by_query(q, k, v):
    weights = [torch.softmax(k @ query / len(query) ** 0.5, dim=0) for query in q]
    return torch.stack([row @ v for row in weights]), torch.stack(weights)


@exercise.alternative
def with_einsum(q, k, v):
    weights = (torch.einsum("qd,kd->qk", q, k) * q.shape[1] ** -0.5).softmax(dim=1)
    return torch.einsum("qk,kv->qv", weights, v), weights


@exercise.alternative
def with_scaled_queries(q, k, v):
    weights = torch.softmax(torch.mm(q / math.sqrt(k.shape[-1]), k.transpose(0, 1)), -1)
    return torch.matmul(weights, v), weights


exercise.slip("unscaled", " / math.sqrt(q.size(-1)) →").says("The scores aren't divided by √d_k.")
exercise.slip("scaled_by_d_k", "math.sqrt(q.size(-1)) → q.size(-1)").says(
    "The scores are divided by d_k: divide them by its root, √d_k."
)
exercise.slip("scaled_by_number_of_keys", "math.sqrt(q.size(-1)) → math.sqrt(k.size(0))").says(
    "The scores are divided by the root of the number of keys: d_k is the number of features of a key, the "
    "last axis."
)
exercise.slip("power_then_halved", "math.sqrt(q.size(-1)) → q.size(-1) ** 1 / 2").says(
    "`/ d_k ** 1/2` divides by d_k and then by 2, because a power comes before a division: the root is "
    "`d_k ** 0.5`."
)
exercise.slip("softmax_over_queries", "dim=-1 → dim=0").says(
    "The softmax runs over the queries, so the columns sum to 1: a query shares out its attention among the "
    "keys, along a row."
)
exercise.slip(
    "softmax_over_everything",
    "softmax(scores, dim=-1) → softmax(scores.flatten(), dim=0).reshape(scores.shape)",
).says("One softmax runs over all scores together: each row needs its own.")
exercise.slip("keys_reshaped", "k.T → k.reshape(k.size(1), k.size(0))").says(
    "The keys are reshaped, not transposed: the shape is right, but numbers of different keys get mixed."
)
exercise.slip(
    "divided_after_the_softmax", " / math.sqrt(q.size(-1)) →", "dim=-1) → dim=-1) / k.size(-1) ** 0.5"
).says("The weights are divided by √d_k, so they no longer sum to 1: divide the scores, before the softmax.")
exercise.slip("average_of_keys", "weights @ v, weights → weights @ k, weights").says(
    "The outputs are averages of the keys: keys are compared, and the values are averaged."
)
exercise.slip("weights_first", "weights @ v, weights → weights, weights @ v").says(
    "The two results are in the wrong order: the outputs come first, then the weights."
)
exercise.slip("scores_for_weights", "weights @ v, weights → weights @ v, scores").says(
    "The second result is the scores from before the softmax: return the weights, which sum to 1."
)
