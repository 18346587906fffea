"""One query."""

import torch
from torch import Generator, Tensor

from exercises.attention import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick, rows_sum_to_one
from helpers.attention import softmax

exercise = Entry(
    id="attention.one_query",
    title="One query",
    points=2,
    difficulty=2,
    minutes=6,
    returns=("output", "weights"),
    properties=(inputs_unchanged, gradient_reaches_inputs, rows_sum_to_one),
    needs=("attention.softmax",),
)


@exercise.reference
def look_up(query, keys, values):
    scores = torch.stack([query @ key for key in keys])
    weights = softmax(scores, dim=0)
    return weights @ values, weights


@exercise.cases
def one_query_cases(g: Generator) -> list[Case]:
    """Several words, one word, and scores whose exponentials overflow."""
    T, d_k, d_v = shared.sizes(g, 3, 4, 5)
    alone = shared.sizes(g, *pick(g, (2, 3), (2, 4), (4, 5), (3, 5)))
    query, keys, values = _words(g, *shared.sizes(g, 3, 4, 6))
    query[-1], keys[:, -1] = 10, 10  # all scores are near 100: much larger ones would show rounding
    return [
        Case("a few words", _words(g, T, d_k, d_v)),
        Case("float64", _words(g, d_v, T, d_k, dtype=torch.float64)),
        Case("one word", _words(g, 1, *alone)),
        Case("large scores", (query, keys, values)),
    ]


def _words(
    g: Generator, T: int, d_k: int, d_v: int, *, dtype: torch.dtype = torch.float32
) -> tuple[Tensor, ...]:
    return shared.normals(g, [(d_k,), (T, d_k), (T, d_v)], dtype)


@exercise.alternative
def word_by_word(query, keys, values):
    scores = torch.empty(len(keys), dtype=keys.dtype)
    for number, key in enumerate(keys):
        scores[number] = (query * key).sum()
    weights = torch.softmax(scores, dim=-1)
    output = torch.zeros_like(values[0])
    for weight, value in zip(weights, values, strict=True):
        output = output + weight * value
    return output, weights


@exercise.alternative
def by_logarithms(query, keys, values):
    scores = keys @ query
    weights = torch.exp(scores - torch.logsumexp(scores, dim=0))
    return weights @ values, weights


@exercise.alternative
def as_products(query, keys, values):
    weights = (keys @ query).softmax(0)
    return (weights[:, None] * values).sum(0), weights


@exercise.alternative
def with_einsum(query, keys, values):
    weights = softmax(torch.einsum("d,td->t", query, keys), 0)
    return torch.einsum("t,tv->v", weights, values), weights


exercise.slip("no_softmax", "softmax(scores, dim=0) → scores").says(
    "The scores are used as weights: they can be negative and don't sum to 1, so put them through your "
    "softmax first."
)
exercise.slip("average_of_keys", "weights @ values → weights @ keys").says(
    "The output is an average of the keys: a key is only compared with the query, and the values are "
    "averaged."
)
exercise.slip("best_value_alone", "weights @ values → values[weights.argmax()]").says(
    "The output is the value of the best key alone: a soft look-up averages all values, each with its weight."
)
exercise.slip("plain_average", "weights @ values → values.mean(dim=0)").says(
    "The output is the plain average of the values: multiply each value by its weight, and add them up."
)
exercise.slip("minus_the_distance", "query @ key → -(query - key).norm()").says(
    "The scores are minus a distance, as for the thermometer: here a score is a dot product, query · key."
)
exercise.slip("minus_the_differences", "query @ key → -(query - key).abs().sum()").says(
    "The scores are minus the sum of the differences, a distance as for the thermometer: here a score is a "
    "dot product, query · key."
)
exercise.slip("scaled_already", "query @ key → query @ key / len(key) ** 0.5").says(
    "The scores are divided by √d_k: here a score is the dot product as it is, and the scale comes in the "
    "next exercise."
)
exercise.slip("cosine", "query @ key → torch.cosine_similarity(query, key, dim=0)").says(
    "The scores are cosines: a dot product isn't divided by the lengths of the two vectors."
)
exercise.slip("weights_first", "weights @ values, weights → weights, weights @ values").says(
    "The two results are in the wrong order: the output comes first, then the weights."
)
exercise.slip("scores_for_weights", "weights @ values, weights → weights @ values, scores").says(
    "The second result is the scores from before the softmax: return the weights, which sum to 1."
)
