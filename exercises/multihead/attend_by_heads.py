"""All heads in one call."""

import math

import torch
from torch import Generator, Tensor

from exercises.multihead import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick, rows_sum_to_one
from helpers import multihead
from helpers.multihead import merge_heads, split_heads

exercise = Entry(
    id="multihead.attend_by_heads",
    title="All heads in one call",
    points=2,
    difficulty=3,
    minutes=8,
    reference=multihead.attend_by_heads,
    returns=("output", "weights"),
    properties=(inputs_unchanged, gradient_reaches_inputs, rows_sum_to_one),
    needs=("multihead.split_heads", "multihead.merge_heads"),
)


@exercise.cases
def by_heads_cases(g: Generator) -> list[Case]:
    """One sentence and two, without and with batch axes; D and H differ, and mostly T_q and T_k."""
    T, T_q = shared.sizes(g, 3, 5)
    H, D = pick(g, (2, 4), (3, 2), (2, 3), (4, 2))
    # √9 is exact in every dtype: dividing by a float32 √D is no mistake worth a point.
    few, many = shared.sizes(g, 2, 4)
    exact = _qkv(g, (), few, many, 18, dtype=torch.float64)
    front, several = pick(g, (2, 1), (1, 2), (1, 1)), pick(g, 5, 7)
    # As many sentences as heads, so that a mask may meet the wrong axis without any complaint.
    padding = torch.arange(4) < shared.shuffled(g, torch.tensor([2, 3])).view(2, 1, 1, 1)
    own = torch.stack([shared.shuffled(g, torch.arange(4) < 2) for _ in range(3 * several)])
    return [
        Case("as many queries as keys", (*_qkv(g, (), T, T, H * D), H)),
        Case("float64", (*exact, 2)),
        Case("one head", (*_qkv(g, (), *pick(g, (2, 4, 3), (3, 4, 5), (2, 5, 4))), 1)),
        Case(
            "two sentences, a mask (B, 1, 1, T_k) that hides padding",
            (*_qkv(g, (2,), T_q, 4, pick(g, 6, 10)), 2),
            {"mask": padding},
        ),
        Case(
            "two batch axes, a mask (H, T_q, T_k)",
            (*_qkv(g, front, several, 4, 3 * D), 3),
            {"mask": own.view(3, several, 4)},
        ),
    ]


def _qkv(
    g: Generator, front: tuple, T_q: int, T_k: int, C: int, *, dtype: torch.dtype = torch.float32
) -> tuple[Tensor, ...]:
    return tuple(shared.normal(g, *front, T, C, spread=1.2, dtype=dtype) for T in (T_q, T_k, T_k))


@exercise.alternative
def with_einsum(q, k, v, n_heads, mask=None):
    q, k, v = (t.unflatten(-1, (n_heads, -1)) for t in (q, k, v))
    scores = torch.einsum("...qhd,...khd->...hqk", q, k) * q.size(-1) ** -0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return torch.einsum("...hqk,...khd->...qhd", weights, v).flatten(-2), weights


@exercise.alternative
def head_after_head(q, k, v, n_heads, mask=None):
    size, found, looked = q.size(-1) // n_heads, [], []
    shown = torch.ones(1, dtype=torch.bool) if mask is None else mask
    shown = shown.expand(*q.shape[:-2], n_heads, q.size(-2), k.size(-2))
    for head in range(n_heads):
        own = slice(head * size, (head + 1) * size)
        scores = q[..., own] @ k[..., own].mT / math.sqrt(size)
        looked.append(scores.masked_fill(~shown[..., head, :, :], -math.inf).softmax(-1))
        found.append(looked[-1] @ v[..., own])
    return torch.cat(found, dim=-1), torch.stack(looked, dim=-3)


@exercise.alternative
def one_after_another(q, k, v, n_heads, mask=None):
    queries, keys = split_heads(q, n_heads), split_heads(k, n_heads)
    scores = queries @ keys.transpose(-2, -1) / math.sqrt(queries.size(-1))
    if mask is not None:
        scores = torch.where(mask, scores, -math.inf)
    weights = scores.softmax(-1)
    return merge_heads(weights @ split_heads(v, n_heads)), weights


exercise.slip(
    "not_split",
    "(split_heads(projected, n_heads) for projected in (q, k, v)) → (t.unsqueeze(-3) for t in (q, k, v))",
).says("The channels aren't split, so there is one look-up over all of them: split_heads makes one per head.")
exercise.slip(
    "split_by_view_alone",
    "(split_heads(projected, n_heads) for projected in (q, k, v)) → (t.reshape(*t.shape[:-2], n_heads, "
    "t.size(-2), -1) for t in (q, k, v))",
).says(
    "The heads are split without a swap of axes, so that each gets some of the positions instead of some of "
    "the channels: this is what split_heads is for."
)
exercise.slip(
    "heads_among_themselves",
    "split_heads(projected, n_heads) → projected.unflatten(-1, (n_heads, -1))",
    "merge_heads(output) → output.flatten(-2)",
).says(
    "The heads aren't moved before the positions, so the heads of one position attend to each other: the "
    "weights should be (..., H, T_q, T_k)."
)
exercise.slip(
    "merged_without_a_swap", "merge_heads(output) → output.reshape(*output.shape[:-3], output.size(-2), -1)"
).says(
    "The heads are merged without swapping H and T back first, so positions and heads are jumbled: this is "
    "what merge_heads is for."
)
exercise.slip("not_merged", "merge_heads(output) → output").says(
    "The outputs still have an axis for the heads: put their channels side by side with merge_heads."
)
exercise.slip("heads_averaged", "merge_heads(output) → output.mean(dim=-3)").says(
    "The heads' outputs are averaged, which mixes up what they have found: put them side by side."
)
exercise.slip(
    "weights_averaged", "merge_heads(output), weights → merge_heads(output), weights.mean(dim=-3)"
).says("The weights are averaged over the heads: return each head's own, (..., H, T_q, T_k).")
exercise.slip(
    "mask_forgotten", "scaled_dot_product_attention(q, k, v, mask) → scaled_dot_product_attention(q, k, v)"
).says("The mask isn't passed on, so hidden keys get weight.")
exercise.slip(
    "mask_with_one_more_axis", "(q, k, v, mask) → (q, k, v, None if mask is None else mask.unsqueeze(-3))"
).says("The mask is given one more axis: it can be broadcast to (..., H, T_q, T_k) as it is.")
exercise.slip(
    "scaled_by_all_channels",
    "math.sqrt(queries.size(-1)) → math.sqrt(q.size(-1))",
    of=one_after_another,
).says("The scores are divided by √C: a dot product of one head has only D = C / H terms, so divide by √D.")
exercise.slip("scaled_twice", "(q, k, v, mask) → (q / math.sqrt(q.size(-1)), k, v, mask)").says(
    "The scores are divided by √D twice: scaled_dot_product_attention does it already."
)
exercise.slip("softmax_over_heads", "scores.softmax(-1) → scores.softmax(-3)", of=one_after_another).says(
    "The softmax runs over the heads, so they compete for each key: within each head, the weights sum to 1 "
    "over the keys, the last axis."
)
exercise.slip("keys_and_values_swapped", "attention(q, k, v, mask) → attention(q, v, k, mask)").says(
    "Keys and values are swapped: keys are compared with the queries, and values are averaged."
)
exercise.slip("weights_first", "merge_heads(output), weights → weights, merge_heads(output)").says(
    "The two results are in the wrong order: the outputs come first, then the weights."
)
exercise.slip("heads_unscaled", " / math.sqrt(queries.size(-1)) →", of=one_after_another).says(
    "The scores aren't divided by √D: divide each head's by the root of its own width."
)
exercise.slip(
    "hidden_scores_at_zero",
    "torch.where(mask, scores, -math.inf) → torch.where(mask, scores, 0.0)",
    of=one_after_another,
).says(
    "Hidden scores become 0, and e⁰ is 1, so hidden keys still get weight: they should become −∞ before the "
    "softmax."
)
exercise.slip(
    "mask_added_as_numbers", "torch.where(mask, scores, -math.inf) → scores + mask", of=one_after_another
).says(
    "The mask is added as it is, so that True counts as 1 and False as 0: a hidden score should become −∞."
)
