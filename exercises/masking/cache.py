"""A decoder with a memory."""

import math

import torch
from torch import Generator

from exercises.masking import shared
from headstart import Case, Entry, inputs_unchanged, pick
from helpers import masking
from helpers.attention import scaled_dot_product_attention
from helpers.masking import masked_attention

exercise = Entry(
    id="masking.cache",
    title="A decoder with a memory",
    points=4,
    difficulty=4,
    minutes=12,
    reference=masking.cached_step,
    returns=("output", "cache"),
    properties=(inputs_unchanged,),
    needs=("masking.softmax",),
)


@exercise.cases
def cached_cases(g: Generator) -> list[Case]:
    """One new position and several, with little, much or nothing stored."""
    return [
        Case("one new position", _cached(g, (), past=2, new=1)),
        Case("the first position, an empty cache", _cached(g, (), past=0, new=1)),
        Case("one new position, in float64", _cached(g, (), past=2, new=1, dtype=torch.float64)),
        Case("two new positions at once, the highest score hidden", _hidden_ahead(g)),
        Case("a batch, one new position each", _cached(g, pick(g, (2,), (1, 2), (2, 1)), past=1, new=1)),
        Case("a first sentence, an empty cache", _cached(g, (), past=0, new=pick(g, 2, 6, 7))),
    ]


def _hidden_ahead(g: Generator) -> tuple:
    """The first new position may not see the second, which scores near 0 where the others do near -100."""
    shapes = [(1, 2, 4), (1, 2, 3), (1, 2, 5), (5, 4), (5, 4), (5, 3)]
    k, v, x, *weights = shared.normals(g, shapes, torch.float64, spread=0.5)
    W_q, W_k, _ = weights
    for projection, feature in ((W_q, 0), (W_k, 1)):  # of x's first two features one is q's first, one k's
        projection[:2] = projection[:, 0] = 0
        projection[feature, 0] = 1
    k[..., 0], x[..., 0], x[..., 1] = 12.5, -16, torch.tensor([12.5, 0.0])
    return ({"k": k, "v": v}, x, *weights)


def _cached(g: Generator, front: tuple, past: int, new: int, dtype: torch.dtype = torch.float32) -> tuple:
    d, d_k, d_v = shared.sizes(g, 3, 4, 5)
    cache = dict(zip("kv", shared.normals(g, [(*front, past, d_k), (*front, past, d_v)], dtype), strict=True))
    weights = shared.normals(g, [(d, d_k), (d, d_k), (d, d_v)], dtype, spread=0.5)
    return (cache, shared.normal(g, *front, new, d, dtype=dtype), *weights)


@exercise.alternative
def whole_mask_cut(cache, x, W_q, W_k, W_v):
    keys = torch.cat((cache["k"], x @ W_k), -2)
    values = torch.cat((cache["v"], x @ W_v), -2)
    total = keys.shape[-2]
    mask = torch.tril(torch.ones(total, total)).bool()[cache["k"].shape[-2] :]
    return masked_attention(x @ W_q, keys, values, mask)[0], {"k": keys, "v": values}


@exercise.alternative
def with_places_compared(cache, x, W_q, W_k, W_v):
    past, new = cache["k"].size(-2), x.size(-2)
    k, v = torch.cat([cache["k"], x @ W_k], dim=-2), torch.cat([cache["v"], x @ W_v], dim=-2)
    mask = torch.arange(past + new) <= past + torch.arange(new)[:, None]
    scores = x @ W_q @ k.transpose(-2, -1) / math.sqrt(W_q.size(-1))
    return scores.masked_fill(~mask, -math.inf).softmax(-1) @ v, dict(k=k, v=v)


@exercise.alternative
def one_after_another(cache, x, W_q, W_k, W_v):
    k, v, outputs = cache["k"], cache["v"], []
    for t in range(x.size(-2)):
        word = x[..., t : t + 1, :]
        k, v = torch.cat([k, word @ W_k], dim=-2), torch.cat([v, word @ W_v], dim=-2)
        weights = (word @ W_q @ k.transpose(-2, -1) / W_q.size(-1) ** 0.5).softmax(dim=-1)
        outputs.append(weights @ v)
    return torch.cat(outputs, dim=-2), {"k": k, "v": v}


@exercise.misconception
def past_forgotten(cache, x, W_q, W_k, W_v):
    """The new positions attend only to each other: the stored keys and values must be looked at too."""
    k, v = torch.cat([cache["k"], x @ W_k], dim=-2), torch.cat([cache["v"], x @ W_v], dim=-2)
    causal = torch.ones(x.size(-2), x.size(-2)).tril().bool()
    output, _ = masked_attention(x @ W_q, x @ W_k, x @ W_v, causal)
    return output, {"k": k, "v": v}


@exercise.misconception
def present_forgotten(cache, x, W_q, W_k, W_v):
    """The new positions attend only to the stored ones: a position may see itself, so store its key and value
    first, then attend.
    """
    k, v = torch.cat([cache["k"], x @ W_k], dim=-2), torch.cat([cache["v"], x @ W_v], dim=-2)
    past = cache["k"].size(-2)
    mask = torch.ones(x.size(-2), k.size(-2)).tril(past - 1).bool()
    output, _ = masked_attention(x @ W_q, k, v, mask)
    return output, {"k": k, "v": v}


@exercise.misconception
def asked_before_storing(cache, x, W_q, W_k, W_v):
    """The new positions ask the old cache, before their own keys and values are in it: a position may see
    itself and the new ones before it.
    """
    output, _ = scaled_dot_product_attention(x @ W_q, cache["k"], cache["v"])
    return output, {"k": torch.cat([cache["k"], x @ W_k], -2), "v": torch.cat([cache["v"], x @ W_v], -2)}


@exercise.misconception
def hidden_from_itself(cache, x, W_q, W_k, W_v):
    """Each new position is hidden from itself, since the diagonal is one too low: new word n is at position P
    + n, and sees the keys up to there.
    """
    k, v = torch.cat([cache["k"], x @ W_k], dim=-2), torch.cat([cache["v"], x @ W_v], dim=-2)
    mask = torch.ones(x.size(-2), k.size(-2)).tril(cache["k"].size(-2) - 1).bool()
    output, _ = scaled_dot_product_attention(x @ W_q, k, v, mask)
    return output, {"k": k, "v": v}


exercise.slip(
    "mask_at_the_upper_left",
    "torch.ones(N, total, dtype=torch.bool).tril(total - N) → torch.ones(x.size(-2), "
    "k.size(-2)).tril().bool()",
).says(
    "The causal mask begins at the first key, so a single new position sees only the oldest: new position n "
    "is at P + n, and its row of the mask is that one."
)
exercise.slip(
    "no_mask_for_several",
    "torch.ones(N, total, dtype=torch.bool).tril(total - N) → torch.ones(x.size(-2), k.size(-2), "
    "dtype=torch.bool)",
).says(
    "The new positions don't hide from each other: there is no mask, or its diagonal is too high, which "
    "is right for one new position, but among several the first would see those that come after it."
)
exercise.slip(
    "padded_on_the_right",
    "mask = torch.arange(past + new) <= past + torch.arange(new)[:, None] → causal = "
    "torch.ones(x.size(-2), x.size(-2), dtype=torch.bool).tril()\n"
    '    mask = torch.nn.functional.pad(causal, (0, cache["k"].size(-2)), value=True)',
    of=with_places_compared,
).says(
    "The new positions' causal mask is widened on its right side, so its columns meet the oldest keys: "
    "the stored positions come first, so it is widened on its left."
)
exercise.slip("cache_filled_with_minus_hundred", "math.inf → 100", of=with_places_compared).says(
    "Hidden scores become a number such as −100, or are lowered by 100 or so, and where the visible scores "
    "are lower still, hidden keys get weight: only −∞, or the lowest number of the dtype, always hides."
)
exercise.slip("old_cache_returned", '{"k": k, "v": v} → dict(cache)').says(
    "The cache comes back as it was, so the next step won't find these positions: return the longer keys "
    "and values."
)
exercise.slip("only_the_new_stored", '{"k": k, "v": v} → {"k": x @ W_k, "v": x @ W_v}').says(
    "The new cache holds the new positions alone: it should hold the stored ones too, in front of them."
)
exercise.slip(
    "new_ones_in_front",
    'v = torch.cat([cache["v"], x @ W_v], dim=-2) → k, v = torch.cat([x @ W_k, cache["k"]], dim=-2), '
    'torch.cat([x @ W_v, cache["v"]], dim=-2)',
).says(
    "The new positions are put in front of the stored ones: the cache is in the order of the sentence, so "
    "they belong at its end."
)
exercise.slip(
    "joined_along_the_first_axis",
    'torch.cat([cache["k"], x @ W_k], dim=-2), torch.cat([cache["v"], x @ W_v], dim=-2) → '
    'torch.cat([cache["k"], x @ W_k]), torch.cat([cache["v"], x @ W_v])',
    "torch.arange(past + new) <= past + torch.arange(new)[:, None] → torch.ones(x.size(-2), "
    "k.size(-2)).tril(past).bool()",
    of=with_places_compared,
).says(
    "The keys and values are joined along the first axis, which with a batch is the sentences: positions "
    "are the axis before the last, dim=-2."
)
exercise.slip("queries_stored", "x @ W_k → x @ W_q", of=with_places_compared).says(
    "Queries are stored as keys: later positions need this one's key, and nobody needs its query again."
)


@exercise.misconception
def cache_changed(cache, x, W_q, W_k, W_v):
    """The cache that came in is changed: return a new one, so that two sentences that begin alike can
    continue from the same cache.
    """
    past = cache["k"].size(-2)
    cache["k"] = torch.cat([cache["k"], x @ W_k], dim=-2)
    cache["v"] = torch.cat([cache["v"], x @ W_v], dim=-2)
    mask = torch.ones(x.size(-2), past + x.size(-2)).tril(past).bool()
    output, _ = masked_attention(x @ W_q, cache["k"], cache["v"], mask)
    return output, cache


exercise.slip(
    "divided_by_the_inputs_width", "math.sqrt(W_q.size(-1)) → math.sqrt(x.size(-1))", of=with_places_compared
).says(
    "The scores are divided by the root of the width of x: it should be the root of d_k, the width of "
    "queries and keys."
)
