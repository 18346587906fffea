"""Multi-head attention."""

import math

import torch
from torch import Generator, Tensor

from exercises.multihead import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick, rows_sum_to_one
from helpers.multihead import attend_by_heads, merge_heads, split_heads

exercise = Entry(
    id="multihead.module",
    title="Multi-head attention",
    points=4,
    difficulty=3,
    minutes=12,
    driver="module",
    returns=("output", "weights"),
    properties=(inputs_unchanged, gradient_reaches_inputs, rows_sum_to_one),
    # Written out, so that the search for forbidden names in an answer finds each of them.
    forbidden=(
        "torch.nn.MultiheadAttention",
        "torch.nn.functional.multi_head_attention_forward",
        "torch._native_multi_head_attention",
    ),
    needs=("multihead.split_heads", "multihead.merge_heads", "multihead.attend_by_heads"),
    square="W_q, W_k, W_v and W_o are d_model × d_model",
)


@exercise.reference
class Plain(torch.nn.Module):
    """The reference, with each step in sight."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (torch.nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, y, x=None, mask=None):
        x = y if x is None else x
        q, k, v = (split_heads(t, self.n_heads) for t in (self.W_q(y), self.W_k(x), self.W_v(x)))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = scores.softmax(dim=-1)
        return self.W_o(merge_heads(weights @ v)), weights


@exercise.cases
def module_cases(g: Generator) -> list[Case]:
    """Self and cross, without a mask and with three kinds; several heads and one."""
    T_k = 4 + int(torch.randint(2, (), generator=g))
    C, H = pick(g, (4, 2), (6, 2), (6, 3), (8, 4))
    padded, B = pick(g, 4, 6), pick(g, 1, 2)
    # As many sentences as heads, so that a mask may meet the wrong axis without any complaint.
    lengths = shared.shuffled(g, torch.tensor([[2], [3]]))
    shown = (torch.arange(3) < lengths)[:, None, None]
    return [
        Case(
            "self-attention, two heads",
            (_settings(C, H), _weights(g, C), shared.normal(g, pick(g, 1, 3), pick(g, 3, 2, 5), C)),
        ),
        Case(
            "cross-attention, three heads",
            (_settings(6, 3), _weights(g, 6), shared.normal(g, B, 2, 6), shared.normal(g, B, T_k, 6)),
        ),
        Case(
            "self-attention of two sentences, a mask (B, 1, 1, T) that hides padding",
            (_settings(padded, 2), _weights(g, padded), shared.normal(g, 2, 3, padded)),
            {"mask": shown},
        ),
        _hidden_best(g),
        _mask_for_each_head(g),
    ]


def _mask_for_each_head(g: Generator) -> Case:
    T_q, T_k = pick(g, (3, 4), (4, 5), (1, 3))
    mask = torch.stack([shared.shuffled(g, torch.arange(T_k) < 2) for _ in range(2 * T_q)])
    y, x = (shared.normal(g, 1, T, 6) for T in (T_q, T_k))
    title = "cross-attention, a mask (B, H, T_q, T_k)"
    return Case(title, (_settings(6, 2), _weights(g, 6), y, x), {"mask": mask.view(1, 2, T_q, T_k)})


def _hidden_best(g: Generator) -> Case:
    """Scores near -256 for what may be seen and near 64 for the rest: a fill of -100 wins, -1e9 doesn't."""
    weights = _weights(g, 4, torch.float64)  # √4 is exact: a float32 √D is no mistake worth a point
    y, x = (shared.normal(g, 1, T, 4, dtype=torch.float64) for T in (2, 3))
    shown = shared.shuffled(g, torch.tensor([True, True, False]))
    x[..., 0] = torch.where(shown, 4.0, -1.0)
    weights["W_q.weight"][0], weights["W_q.bias"][0] = 0, -16
    weights["W_k.weight"][0], weights["W_k.bias"][0] = torch.tensor([8.0, 0, 0, 0]), 0
    title = "cross-attention, one head, a mask (T_q, T_k) that hides the highest scores, float64"
    return Case(title, (_settings(4, 1), weights, y, x), {"mask": shown.repeat(2, 1)})


def _settings(d_model: int, n_heads: int) -> dict[str, int]:
    return {"d_model": d_model, "n_heads": n_heads}


def _weights(g: Generator, C: int, dtype: torch.dtype = torch.float32) -> dict[str, Tensor]:
    """Values for four projections, large enough for attention weights that differ, with few digits."""
    made = {}
    for name in ("W_q", "W_k", "W_v", "W_o"):
        made[f"{name}.weight"] = shared.normal(g, C, C, spread=2 / math.sqrt(C), dtype=dtype)
        made[f"{name}.bias"] = shared.normal(g, C, spread=0.5, dtype=dtype)
    return {name: (16 * value).round() / 16 for name, value in made.items()}


@exercise.alternative
class ByHeads(torch.nn.Module):
    """As the lesson's own solution."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (torch.nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, y, x=None, mask=None):
        x = y if x is None else x
        merged, weights = attend_by_heads(self.W_q(y), self.W_k(x), self.W_v(x), self.n_heads, mask)
        return self.W_o(merged), weights


@exercise.alternative
class WithEinsum(torch.nn.Module):
    """All shapes spelt out."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.H, self.D = n_heads, d_model // n_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (torch.nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, y, x=None, mask=None):
        if x is None:
            x = y
        (B, T_q, C), T_k = y.shape, x.shape[1]
        q = self.W_q(y).view(B, T_q, self.H, self.D)
        k = self.W_k(x).view(B, T_k, self.H, self.D)
        v = self.W_v(x).view(B, T_k, self.H, self.D)
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) * self.D**-0.5
        if mask is not None:
            scores = torch.where(mask, scores, -torch.inf)
        weights = torch.softmax(scores, -1)
        return self.W_o(torch.einsum("bhqk,bkhd->bqhd", weights, v).reshape(B, T_q, C)), weights


@exercise.alternative
class OneHeadAfterAnother(torch.nn.Module):
    """A loop over the heads."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (torch.nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, y, x=None, mask=None):
        x = x if x is not None else y
        queries, keys, values = self.W_q(y), self.W_k(x), self.W_v(x)
        size = y.size(-1) // self.n_heads
        found, looked = [], []
        for head in range(self.n_heads):
            own = slice(head * size, (head + 1) * size)
            scores = queries[..., own] @ keys[..., own].mT / size**0.5
            if mask is not None:
                shown = mask.expand(len(y), self.n_heads, *scores.shape[-2:])[:, head]
                scores = scores.masked_fill(shown.logical_not(), float("-inf"))
            looked.append(torch.softmax(scores, dim=2))
            found.append(looked[-1] @ values[..., own])
        return self.W_o(torch.cat(found, dim=-1)), torch.stack(looked, dim=1)


@exercise.alternative
class WithScaledQueries(torch.nn.Module):
    """The scale on the queries, the mask as an added bias."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads, self.scale = n_heads, (d_model // n_heads) ** -0.5
        self.W_q, self.W_k, self.W_v, self.W_o = (torch.nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, y, x=None, mask=None):
        x = y if x is None else x
        q = split_heads(self.W_q(y) * self.scale, self.n_heads)
        k, v = split_heads(self.W_k(x), self.n_heads), split_heads(self.W_v(x), self.n_heads)
        scores = torch.matmul(q, k.mT)
        if mask is not None:
            scores = scores + torch.zeros_like(mask, dtype=scores.dtype).masked_fill(~mask, -math.inf)
        weights = torch.nn.functional.softmax(scores, dim=-1)
        attended = torch.matmul(weights, v)
        return self.W_o(attended.permute(0, 2, 1, 3).flatten(2)), weights


exercise.slip(
    "SplitByViewAlone",
    "q, k, v = (split_heads(t, self.n_heads) for t in (self.W_q(y), self.W_k(x), self.W_v(x))) → size = "
    "self.n_heads, -1, y.size(-1) // self.n_heads\n"
    "        q, k, v = (t.reshape(len(t), *size) for t in (self.W_q(y), self.W_k(x), self.W_v(x)))",
).says(
    "The heads are split without a transpose, so that each gets some of the positions instead of some of "
    "the channels: this is what `split_heads` is for."
)
exercise.slip("MergedWithoutTransposing", "merge_heads(weights @ v) → (weights @ v).reshape(y.shape)").says(
    "The heads are merged without going back to (B, T, H, D) first, so that positions and heads are "
    "jumbled: this is what `merge_heads` is for."
)
exercise.slip(
    "HeadsAmongThemselves",
    "split_heads(t, self.n_heads) → t.unflatten(-1, (self.n_heads, -1))",
    "merge_heads(weights @ v) → (weights @ v).flatten(-2)",
).says(
    "The heads aren't moved before the positions, so that the heads of one position attend to each other: "
    "scores compare positions, and the weights are (B, H, T_q, T_k)."
)
exercise.slip("NotSplit", "split_heads(t, self.n_heads) → t.unsqueeze(1)").says(
    "All heads in one: the channels aren't split, so there is one set of weights where each head should "
    "have its own."
)
exercise.slip("ScaledByModelWidth", "q.size(-1) → y.size(-1)").says(
    "The scores are divided by √d_model: a dot product of one head has only d_model / n_heads terms, so "
    "its variance is smaller."
)
exercise.slip("Unscaled", " / math.sqrt(q.size(-1)) →").says(
    "The scores aren't divided by √D, where D = d_model / n_heads is the number of channels of one head."
)
exercise.slip("ScaledByHeadWidth", "math.sqrt(q.size(-1)) → q.size(-1)").says(
    "The scores are divided by D: its root, √D, brings their variance back to 1."
)
exercise.slip("PowerThenHalved", "math.sqrt(q.size(-1)) → q.size(-1) ** 1 / 2").says(
    "`/ D ** 1/2` divides by D and then by 2, because a power comes before a division: the root is "
    "`D ** 0.5`."
)
exercise.slip("ScaledByHalfOfHeadWidth", "math.sqrt(q.size(-1)) → (q.size(-1) ** 1 / 2)").says(
    "`D ** 1/2` is half of D, because a power comes before a division: the root is `D ** 0.5`."
)
exercise.slip("ScaledByNumberOfHeads", "q.size(-1) → self.n_heads").says(
    "The scores are divided by the root of the number of heads: their variance grows with D = d_model / "
    "n_heads, the number of channels of one head."
)
exercise.slip("FilledWithMinusHundred", "math.inf → 100").says(
    "Hidden scores become a number such as −100, or are lowered by 100 or so, and where the visible scores "
    "are lower still, hidden keys get weight: only −∞, or the lowest number of the dtype, always hides."
)
exercise.slip("FilledWithInfinity", "-math.inf → math.inf").says(
    "Rows with a hidden key are NaN: either its score is +∞, and ∞ − ∞ is NaN, or −∞ is multiplied by the "
    "mask, and 0 · ∞ is NaN; fill in −∞ with masked_fill or torch.where."
)
exercise.slip("SoftmaxOverQueries", "dim=-1 → dim=-2").says(
    "The softmax runs over the queries, so the columns sum to 1: each query shares out its attention "
    "among the keys, the last axis."
)
exercise.slip("SoftmaxOverHeads", "dim=-1 → dim=1").says(
    "The softmax runs over the heads, so that they compete for each key: within each head, the weights "
    "sum to 1 over the keys, the last axis."
)
exercise.slip("NoOutputProjection", "self.W_o(merge_heads(weights @ v)) → merge_heads(weights @ v)").says(
    "The output projection is missing: after the merge each channel holds what one head found, and W_o "
    "mixes them."
)
exercise.slip("ValuesNotProjected", "self.W_v(x) → x").says(
    "The values are the inputs themselves: they go through W_v before they are split."
)
exercise.slip("KeysAndValuesSwapped", "q, k, v → q, v, k").says(
    "Keys and values are swapped: keys are W_k's and are compared with the queries, values are W_v's and "
    "are averaged."
)
exercise.slip("AlwaysItself", "y if x is None else x → y").says(
    "The second sequence is ignored: where x is given, keys and values come from x, and y gives the "
    "queries alone."
)
exercise.slip("TheOtherAsks", "x = y if x is None else x → x, y = y, (y if x is None else x)").says(
    "The roles are swapped: y gives the queries, x the keys and values, and there is an output for each "
    "position of y."
)
exercise.slip(
    "MaskIgnored",
    "        if mask is not None:\n            scores = scores.masked_fill(~mask, -math.inf)\n →",
).says(
    "The mask changes nothing: hide the scores where it is False, and keep what masked_fill returns, "
    "which doesn't change its own tensor."
)
exercise.slip("MaskInverted", "~mask → mask").says(
    "The mask is inverted: True means “may attend”, so scores become -inf where it is False."
)
exercise.slip(
    "MaskAfterSoftmax",
    "        if mask is not None:\n            scores = scores.masked_fill(~mask, -math.inf)\n →",
    "return self.W_o(merge_heads(weights @ v)), weights → if mask is not None:\n"
    "            weights = weights.masked_fill(~mask, 0)\n"
    "        return self.W_o(merge_heads(weights @ v)), weights",
).says("The mask is applied after the softmax, so the rows no longer sum to 1: hide the scores before it.")
exercise.slip(
    "OneMaskForAll",
    "scores = scores.masked_fill(~mask, -math.inf) → mask = mask[0] if mask.dim() == 4 else mask\n"
    "            scores = scores.masked_fill(~mask, -math.inf)",
).says(
    "The first sentence's mask is used for all: each sentence has its own padding, and broadcasting over "
    "the batch axis takes care of it."
)
exercise.slip(
    "WeightsAveraged",
    "self.W_o(merge_heads(weights @ v)), weights → self.W_o(merge_heads(weights @ v)), weights.mean(1)",
).says(
    "The weights that come back are averaged over the heads: return each head's own, (B, H, T_q, T_k), "
    "since an average hides what the heads do."
)
exercise.slip(
    "WeightsAsTheyLie",
    "q, k, v = (split_heads(t, self.n_heads) for t in (self.W_q(y), self.W_k(x), self.W_v(x))) → pairs = "
    "((y, self.W_q), (x, self.W_k), (x, self.W_v))\n"
    "        q, k, v = (split_heads(t @ layer.weight + layer.bias, self.n_heads) for t, layer in pairs)",
    "self.W_o(merge_heads(weights @ v)) → merge_heads(weights @ v) @ self.W_o.weight + self.W_o.bias",
).says(
    "The layers' weights are used as they are stored, y @ W.weight: nn.Linear holds its weight as (out, in) "
    "and multiplies by its transpose, so call the layer itself, self.W_q(y)."
)
exercise.slip(
    "MaskWithOneMoreAxis",
    "~mask → ~mask.unsqueeze(1)",
    "return self.W_o(merge_heads(weights @ v)), weights → heads = (weights @ v).transpose(1, "
    "2).contiguous()\n"
    "        return self.W_o(heads.view(len(y), -1, y.size(-1))), weights",
).says(
    "The mask gets one more axis, mask.unsqueeze(1), as if it had none for the heads: it can be broadcast to "
    "(B, H, T_q, T_k) as it is."
)
