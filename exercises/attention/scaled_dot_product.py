"""Scaled dot-product attention."""

import math

import torch
from torch import Generator, Tensor

from exercises.attention import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick, rows_sum_to_one
from helpers import attention
from helpers.attention import softmax

exercise = Entry(
    id="attention.scaled_dot_product",
    title="Scaled dot-product attention",
    points=4,
    difficulty=2,
    minutes=6,
    reference=attention.scaled_dot_product_attention,
    returns=("output", "weights"),
    properties=(inputs_unchanged, gradient_reaches_inputs, rows_sum_to_one),
    forbidden=shared.ATTENTION_OF_TORCH,
    needs=("attention.softmax",),
)


@exercise.cases
def attention_cases(g: Generator) -> list[Case]:
    """With and without a mask, with none, one and two batch axes."""
    T_q, T_k, d_k, d_v = shared.sizes(g, 2, 3, 4, 5)
    # √9 is exact in every dtype: dividing by a float32 √d_k is no mistake worth a point.
    exact = _qkv(g, (), 2, 4, 9, 3, dtype=torch.float64)
    masked = shared.sizes(g, 2, 3, 4, 5, least=(1, 3))
    deep = shared.sizes(g, 3, 4, 5, least=(1, 4))
    deep = [*deep, deep[-1]]  # d_v = d_k, as it mostly is
    single = shared.sizes(g, 4, 5, 6)
    padded = [3, shared.sizes(g, 5, 6)[0], 4, 4]
    keep = torch.arange(padded[1]) < shared.shuffled(g, torch.tensor([2, 3]))[:, None, None]
    return [
        Case("a few queries and keys", _qkv(g, (), T_q, T_k, d_k, d_v)),
        Case("float64", exact),
        Case("a mask (T_q, T_k)", (*_qkv(g, (), *masked), _mask(g, masked[0], masked[1]))),
        Case(
            "a mask (B, 1, T_k) that hides padding, which scores highest",
            (*_hidden_best(g, padded, keep), keep),
        ),
        Case(
            "two batch axes and a mask (T_q, T_k)",
            (*_qkv(g, pick(g, (2, 1), (1, 2), (1, 1)), *deep), _mask(g, deep[0], deep[1])),
        ),
        Case("one query, a mask (T_k,)", (*_qkv(g, (), 1, *single), _mask(g, 1, single[0]).squeeze(0))),
    ]


def _hidden_best(g: Generator, sizes: list[int], keep: Tensor) -> tuple[Tensor, ...]:
    """Scores near -256 for what may be seen and near 64 for the rest: a fill of -100 wins, -1e9 doesn't.

    In float64, where even an exponential without a maximum subtracted stays within bounds.
    """
    q, k, v = _qkv(g, (len(keep),), *sizes, dtype=torch.float64)
    q[..., 0] = -16
    k[..., 0] = torch.where(keep.squeeze(1), 32.0, -8.0)
    return q, k, v


def _qkv(
    g: Generator, front: tuple, T_q: int, T_k: int, d_k: int, d_v: int, *, dtype: torch.dtype = torch.float32
) -> tuple[Tensor, ...]:
    return shared.normals(g, [(*front, T_q, d_k), (*front, T_k, d_k), (*front, T_k, d_v)], dtype, spread=1.2)


def _mask(g: Generator, T_q: int, T_k: int) -> Tensor:
    """At least two keys to attend to for each query, at least one hidden."""
    shown = torch.randint(2, T_k, (T_q,), generator=g)
    return torch.stack([shared.shuffled(g, torch.arange(T_k) < n) for n in shown])


@exercise.alternative
def with_einsum(q, k, v, mask=None):
    scores = torch.einsum("...qd,...kd->...qk", q, k) * q.shape[-1] ** -0.5
    if mask is not None:
        scores = torch.where(mask, scores, float("-inf"))
    weights = torch.softmax(scores, -1)
    return torch.einsum("...qk,...kv->...qv", weights, v), weights


@exercise.alternative
def with_a_large_negative_number(q, k, v, mask=None):
    d_k = torch.tensor(k.shape[-1])
    scores = torch.matmul(q, k.mT) / torch.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    weights = torch.nn.functional.softmax(scores, dim=-1)
    return torch.matmul(weights, v), weights


@exercise.alternative
def with_an_added_bias(q, k, v, mask=None):
    scores = (q / math.sqrt(q.size(-1))) @ k.transpose(-1, -2)
    if mask is not None:
        bias = torch.zeros_like(scores)
        bias[~mask.expand(scores.shape)] = float("-inf")
        scores = scores + bias
    weights = scores.softmax(-1)
    return weights @ v, weights


@exercise.alternative
def masked_and_divided_again(q, k, v, mask=None):
    scores = (q.unsqueeze(-2) * k.unsqueeze(-3)).sum(-1) / q.size(-1) ** 0.5
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights * mask
        weights = weights / weights.sum(dim=-1, keepdim=True)
    return (weights.unsqueeze(-1) * v.unsqueeze(-3)).sum(-2), weights


@exercise.alternative
def with_baddbmm(q, k, v, mask=None):
    front, (T_q, T_k) = q.shape[:-2], (q.size(-2), k.size(-2))
    bias = q.new_zeros(T_q, T_k).expand(*front, T_q, T_k)
    if mask is not None:
        bias = bias.masked_fill(mask.logical_not(), -torch.inf)
    bias, q, k, v = (t.reshape(-1, *t.shape[-2:]) for t in (bias, q, k, v))
    scores = torch.baddbmm(bias, q, k.transpose(1, 2), alpha=1 / math.sqrt(q.size(-1)))
    weights = torch.exp(scores - scores.logsumexp(dim=-1, keepdim=True))
    return torch.bmm(weights, v).reshape(*front, T_q, -1), weights.reshape(*front, T_q, T_k)


@exercise.alternative
def with_a_softmax_of_ones_own(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = softmax(scores, dim=-1)
    return weights @ v, weights


exercise.slip("unscaled", " / math.sqrt(q.size(-1)) →").says(
    "The scores are not divided by √d_k, so they grow with d_k and push the softmax towards a single key."
)
exercise.slip("scaled_by_d_k", "math.sqrt(q.size(-1)) → q.size(-1)").says(
    "The scores are divided by d_k, at once or by √d_k twice: dividing by √d_k once makes their variance "
    "1, and dividing by more flattens the weights."
)
exercise.slip("power_then_halved", "math.sqrt(q.size(-1)) → q.size(-1) ** 1 / 2").says(
    "`/ d_k ** 1/2` divides by d_k and then by 2, because a power comes before a division: the root is "
    "`d_k ** 0.5`."
)
exercise.slip("scaled_by_half_of_d_k", "math.sqrt(q.size(-1)) → (q.size(-1) ** 1 / 2)").says(
    "`d_k ** 1/2` is half of d_k, because a power comes before a division: the root is `d_k ** 0.5`."
)
exercise.slip("scaled_by_number_of_keys", "math.sqrt(q.size(-1)) → math.sqrt(k.size(-2))").says(
    "The scores are divided by the root of the number of keys: their variance grows with the number of "
    "features, d_k."
)
exercise.slip(
    "multiplied_by_root",
    "q @ k.transpose(-2, -1) / math.sqrt(q.size(-1)) → q @ k.transpose(-2, -1) * math.sqrt(q.size(-1))",
).says(
    "The scores are multiplied by √d_k, where they should be divided: this makes large scores larger still."
)
exercise.slip("softmax_over_queries", "dim=-1 → dim=-2").says(
    "The softmax runs over the queries, so the columns sum to 1: each query shares out its attention "
    "among the keys, which is the last axis."
)
exercise.slip("returned_in_other_order", "weights @ v, weights → weights, weights @ v").says(
    "The two results are swapped: the output comes first, then the weights."
)
exercise.slip("returned_scores", "weights @ v, weights → weights @ v, scores").says(
    "The second result is the scores from before the softmax: return the weights, which sum to 1."
)
exercise.slip(
    "mask_ignored",
    "    if mask is not None:\n        scores = scores.masked_fill(mask == 0, -1e9)\n →",
    of=with_a_large_negative_number,
).says(
    "The mask changes nothing: hide the scores where it is False, and keep what masked_fill returns, "
    "which doesn't change its own tensor."
)
exercise.slip(
    "mask_after_softmax",
    "(q.unsqueeze(-2) * k.unsqueeze(-3)).sum(-1) → (q @ k.transpose(-2, -1))",
    "        weights = weights / weights.sum(dim=-1, keepdim=True)\n →",
    of=masked_and_divided_again,
).says("The mask is applied after the softmax, so the rows no longer sum to 1: hide the scores before it.")
exercise.slip("mask_inverted", "~mask → mask").says(
    "The mask is inverted: True means “may attend”, so scores become -inf where the mask is False."
)
exercise.slip("mask_sets_zero", "scores.masked_fill(~mask, -math.inf) → scores * mask").says(
    "Hidden scores become 0 (by a product, or by 1e-9 in place of -1e9), and exp(0) is 1, so hidden keys "
    "still get weight: only -inf gives weight 0."
)
exercise.slip("filled_with_minus_hundred", "math.inf → 100").says(
    "Hidden scores become a number such as −100, or are lowered by 100 or so, and where the visible scores "
    "are lower still, hidden keys get weight: only −∞, or the lowest number of the dtype, always hides."
)
exercise.slip("filled_with_infinity", "-math.inf → math.inf").says(
    "Rows with a hidden key are NaN: either its score is +∞, and ∞ − ∞ is NaN, or −∞ is multiplied by the "
    "mask, and 0 · ∞ is NaN; fill in −∞ with masked_fill or torch.where."
)
exercise.slip("filled_with_a_large_number", "-math.inf → 1e9").says(
    "Hidden scores become a large positive number, so that all weight goes to the keys that may not be "
    "seen: the minus is missing."
)
exercise.slip("filled_with_e", "-math.inf → math.e").says(
    "Hidden scores become math.e, which is 2.718…, a score like any other, so hidden keys get a good "
    "share of the weight: −∞ gives weight 0."
)
exercise.slip("mask_added", "scores.masked_fill(~mask, -math.inf) → scores + mask").says(
    "The boolean mask is added to the scores, which adds 1 where it is True and hides nothing: what may "
    "not be seen needs the score -inf."
)
exercise.slip(
    "keys_reshaped",
    "scores = (q / math.sqrt(q.size(-1))) @ k.transpose(-1, -2) → turned = k.reshape(*k.shape[:-2], "
    "k.size(-1), k.size(-2))\n"
    "    scores = q @ turned / math.sqrt(q.size(-1))",
    of=with_an_added_bias,
).says(
    "The keys are reshaped where they should be transposed: that has the right shape, but mixes numbers "
    "of different keys, since view and reshape keep their order in memory."
)
exercise.slip("all_axes_of_the_keys", "k.transpose(-2, -1) → k.permute(*reversed(range(k.dim())))").says(
    "All axes of k are reversed, as by `k.T`: with a batch in front only the last two should change places."
)
exercise.slip(
    "divided_after_the_softmax",
    " / math.sqrt(q.size(-1)) →",
    "scores.softmax(dim=-1) → scores.softmax(-1) / math.sqrt(q.size(-1))",
).says("The weights are divided by √d_k, so they no longer sum to 1: divide the scores, before the softmax.")
exercise.slip(
    "softmax_over_everything",
    "scores.softmax(dim=-1) → (scores - scores.max()).exp()",
    "return weights @ v, weights → weights = weights / weights.sum()\n    return weights @ v, weights",
).says(
    "One softmax runs over all scores together: each query needs one of its own, over its keys, the last "
    "axis."
)
