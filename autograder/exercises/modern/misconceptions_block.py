"""Misconceptions about today's attention and its block: one slip in each class, as a student has it.

A class's docstring is the sentence that the student reads. Each class stands alone, with `torch`, `math` and
the lesson's earlier answers as its only names, so that the class simulator can paste it.
"""

# ruff: noqa: D205  (a sentence may take two lines, and is no command)

import torch

from helpers.masking import causal_mask, masked_attention
from helpers.modern import GatedFeedForward, GroupedAttention, rms_norm
from helpers.multihead import merge_heads, split_heads
from helpers.positional import rotary


class NoNorms(torch.nn.Module):
    """Queries and keys aren't normalised: each head's are, before they are turned."""

    def __init__(self, d_model, n_heads, n_groups):
        super().__init__()
        D = d_model // n_heads
        self.n_heads, self.n_groups = n_heads, n_groups
        self.W_q = torch.nn.Linear(d_model, n_heads * D, bias=False)
        self.W_k = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_v = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_o = torch.nn.Linear(d_model, d_model, bias=False)
        self.norm_q, self.norm_k = (torch.nn.Parameter(torch.ones(D)) for _ in range(2))

    def forward(self, x):
        q = split_heads(self.W_q(x), self.n_heads)
        k = split_heads(self.W_k(x), self.n_groups)
        v = split_heads(self.W_v(x), self.n_groups)
        places = torch.arange(x.size(-2))
        q, k = rotary(q, places), rotary(k, places)
        k, v = (shared.repeat_interleave(self.n_heads // self.n_groups, dim=-3) for shared in (k, v))
        return self.W_o(merge_heads(masked_attention(q, k, v, causal_mask(x.size(-2)))[0]))


class KeysNotNormed(torch.nn.Module):
    """Only the queries are normalised: large keys can still make scores as large as they like."""

    def __init__(self, d_model, n_heads, n_groups):
        super().__init__()
        D = d_model // n_heads
        self.n_heads, self.n_groups = n_heads, n_groups
        self.W_q = torch.nn.Linear(d_model, n_heads * D, bias=False)
        self.W_k = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_v = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_o = torch.nn.Linear(d_model, d_model, bias=False)
        self.norm_q, self.norm_k = (torch.nn.Parameter(torch.ones(D)) for _ in range(2))

    def forward(self, x):
        q = rms_norm(split_heads(self.W_q(x), self.n_heads), self.norm_q)
        k = split_heads(self.W_k(x), self.n_groups)
        v = split_heads(self.W_v(x), self.n_groups)
        places = torch.arange(x.size(-2))
        q, k = rotary(q, places), rotary(k, places)
        k, v = (shared.repeat_interleave(self.n_heads // self.n_groups, dim=-3) for shared in (k, v))
        return self.W_o(merge_heads(masked_attention(q, k, v, causal_mask(x.size(-2)))[0]))


class QueriesNotNormed(torch.nn.Module):
    """Only the keys are normalised: large queries can still make scores as large as they like."""

    def __init__(self, d_model, n_heads, n_groups):
        super().__init__()
        D = d_model // n_heads
        self.n_heads, self.n_groups = n_heads, n_groups
        self.W_q = torch.nn.Linear(d_model, n_heads * D, bias=False)
        self.W_k = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_v = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_o = torch.nn.Linear(d_model, d_model, bias=False)
        self.norm_q, self.norm_k = (torch.nn.Parameter(torch.ones(D)) for _ in range(2))

    def forward(self, x):
        q = split_heads(self.W_q(x), self.n_heads)
        k = rms_norm(split_heads(self.W_k(x), self.n_groups), self.norm_k)
        v = split_heads(self.W_v(x), self.n_groups)
        places = torch.arange(x.size(-2))
        q, k = rotary(q, places), rotary(k, places)
        k, v = (shared.repeat_interleave(self.n_heads // self.n_groups, dim=-3) for shared in (k, v))
        return self.W_o(merge_heads(masked_attention(q, k, v, causal_mask(x.size(-2)))[0]))


class ValuesNormedToo(torch.nn.Module):
    """The values are normalised as well: it is the scores that should stay small, and values have no part in
    them.
    """

    def __init__(self, d_model, n_heads, n_groups):
        super().__init__()
        D = d_model // n_heads
        self.n_heads, self.n_groups = n_heads, n_groups
        self.W_q = torch.nn.Linear(d_model, n_heads * D, bias=False)
        self.W_k = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_v = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_o = torch.nn.Linear(d_model, d_model, bias=False)
        self.norm_q, self.norm_k = (torch.nn.Parameter(torch.ones(D)) for _ in range(2))

    def forward(self, x):
        q = rms_norm(split_heads(self.W_q(x), self.n_heads), self.norm_q)
        k = rms_norm(split_heads(self.W_k(x), self.n_groups), self.norm_k)
        v = rms_norm(split_heads(self.W_v(x), self.n_groups), self.norm_k)
        places = torch.arange(x.size(-2))
        q, k = rotary(q, places), rotary(k, places)
        k, v = (shared.repeat_interleave(self.n_heads // self.n_groups, dim=-3) for shared in (k, v))
        return self.W_o(merge_heads(masked_attention(q, k, v, causal_mask(x.size(-2)))[0]))


class NormsExchanged(torch.nn.Module):
    """The norms' weights are swapped: `norm_q` belongs to the queries, `norm_k` to the keys."""

    def __init__(self, d_model, n_heads, n_groups):
        super().__init__()
        D = d_model // n_heads
        self.n_heads, self.n_groups = n_heads, n_groups
        self.W_q = torch.nn.Linear(d_model, n_heads * D, bias=False)
        self.W_k = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_v = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_o = torch.nn.Linear(d_model, d_model, bias=False)
        self.norm_q, self.norm_k = (torch.nn.Parameter(torch.ones(D)) for _ in range(2))

    def forward(self, x):
        q = rms_norm(split_heads(self.W_q(x), self.n_heads), self.norm_k)
        k = rms_norm(split_heads(self.W_k(x), self.n_groups), self.norm_q)
        v = split_heads(self.W_v(x), self.n_groups)
        places = torch.arange(x.size(-2))
        q, k = rotary(q, places), rotary(k, places)
        k, v = (shared.repeat_interleave(self.n_heads // self.n_groups, dim=-3) for shared in (k, v))
        return self.W_o(merge_heads(masked_attention(q, k, v, causal_mask(x.size(-2)))[0]))


class TurnedBeforeNormed(torch.nn.Module):
    """Queries and keys are turned before they are normalised: the norm's weights then scale features that
    are mixed already, so scores depend on more than distances.
    """

    def __init__(self, d_model, n_heads, n_groups):
        super().__init__()
        D = d_model // n_heads
        self.n_heads, self.n_groups = n_heads, n_groups
        self.W_q = torch.nn.Linear(d_model, n_heads * D, bias=False)
        self.W_k = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_v = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_o = torch.nn.Linear(d_model, d_model, bias=False)
        self.norm_q, self.norm_k = (torch.nn.Parameter(torch.ones(D)) for _ in range(2))

    def forward(self, x):
        q = split_heads(self.W_q(x), self.n_heads)
        k = split_heads(self.W_k(x), self.n_groups)
        v = split_heads(self.W_v(x), self.n_groups)
        places = torch.arange(x.size(-2))
        q, k = rms_norm(rotary(q, places), self.norm_q), rms_norm(rotary(k, places), self.norm_k)
        k, v = (shared.repeat_interleave(self.n_heads // self.n_groups, dim=-3) for shared in (k, v))
        return self.W_o(merge_heads(masked_attention(q, k, v, causal_mask(x.size(-2)))[0]))


class NormedBeforeSplit(torch.nn.Module):
    """Queries and keys are normalised over their whole width, before they are split: each head has a size of
    its own.
    """

    def __init__(self, d_model, n_heads, n_groups):
        super().__init__()
        D = d_model // n_heads
        self.n_heads, self.n_groups = n_heads, n_groups
        self.W_q = torch.nn.Linear(d_model, n_heads * D, bias=False)
        self.W_k = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_v = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_o = torch.nn.Linear(d_model, d_model, bias=False)
        self.norm_q, self.norm_k = (torch.nn.Parameter(torch.ones(D)) for _ in range(2))

    def forward(self, x):
        q = split_heads(rms_norm(self.W_q(x), self.norm_q.repeat(self.n_heads)), self.n_heads)
        k = split_heads(rms_norm(self.W_k(x), self.norm_k.repeat(self.n_groups)), self.n_groups)
        v = split_heads(self.W_v(x), self.n_groups)
        places = torch.arange(x.size(-2))
        q, k = rotary(q, places), rotary(k, places)
        k, v = (shared.repeat_interleave(self.n_heads // self.n_groups, dim=-3) for shared in (k, v))
        return self.W_o(merge_heads(masked_attention(q, k, v, causal_mask(x.size(-2)))[0]))


class NotTurned(torch.nn.Module):
    """Nothing is turned by its position, so attention doesn't know the order of earlier tokens."""

    def __init__(self, d_model, n_heads, n_groups):
        super().__init__()
        D = d_model // n_heads
        self.n_heads, self.n_groups = n_heads, n_groups
        self.W_q = torch.nn.Linear(d_model, n_heads * D, bias=False)
        self.W_k = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_v = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_o = torch.nn.Linear(d_model, d_model, bias=False)
        self.norm_q, self.norm_k = (torch.nn.Parameter(torch.ones(D)) for _ in range(2))

    def forward(self, x):
        q = rms_norm(split_heads(self.W_q(x), self.n_heads), self.norm_q)
        k = rms_norm(split_heads(self.W_k(x), self.n_groups), self.norm_k)
        v = split_heads(self.W_v(x), self.n_groups)
        k, v = (shared.repeat_interleave(self.n_heads // self.n_groups, dim=-3) for shared in (k, v))
        return self.W_o(merge_heads(masked_attention(q, k, v, causal_mask(x.size(-2)))[0]))


class KeysNotTurned(torch.nn.Module):
    """Only the queries are turned: it takes both, so that what is left in the scores is the distance."""

    def __init__(self, d_model, n_heads, n_groups):
        super().__init__()
        D = d_model // n_heads
        self.n_heads, self.n_groups = n_heads, n_groups
        self.W_q = torch.nn.Linear(d_model, n_heads * D, bias=False)
        self.W_k = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_v = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_o = torch.nn.Linear(d_model, d_model, bias=False)
        self.norm_q, self.norm_k = (torch.nn.Parameter(torch.ones(D)) for _ in range(2))

    def forward(self, x):
        q = rms_norm(split_heads(self.W_q(x), self.n_heads), self.norm_q)
        k = rms_norm(split_heads(self.W_k(x), self.n_groups), self.norm_k)
        v = split_heads(self.W_v(x), self.n_groups)
        places = torch.arange(x.size(-2))
        q = rotary(q, places)
        k, v = (shared.repeat_interleave(self.n_heads // self.n_groups, dim=-3) for shared in (k, v))
        return self.W_o(merge_heads(masked_attention(q, k, v, causal_mask(x.size(-2)))[0]))


class ValuesTurnedToo(torch.nn.Module):
    """The values are turned as well: they are what is read, and the place has done its work in the scores."""

    def __init__(self, d_model, n_heads, n_groups):
        super().__init__()
        D = d_model // n_heads
        self.n_heads, self.n_groups = n_heads, n_groups
        self.W_q = torch.nn.Linear(d_model, n_heads * D, bias=False)
        self.W_k = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_v = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_o = torch.nn.Linear(d_model, d_model, bias=False)
        self.norm_q, self.norm_k = (torch.nn.Parameter(torch.ones(D)) for _ in range(2))

    def forward(self, x):
        q = rms_norm(split_heads(self.W_q(x), self.n_heads), self.norm_q)
        k = rms_norm(split_heads(self.W_k(x), self.n_groups), self.norm_k)
        v = split_heads(self.W_v(x), self.n_groups)
        places = torch.arange(x.size(-2))
        q, k, v = rotary(q, places), rotary(k, places), rotary(v, places)
        k, v = (shared.repeat_interleave(self.n_heads // self.n_groups, dim=-3) for shared in (k, v))
        return self.W_o(merge_heads(masked_attention(q, k, v, causal_mask(x.size(-2)))[0]))


class NotCausal(torch.nn.Module):
    """Every position sees all others: later ones have to be hidden."""

    def __init__(self, d_model, n_heads, n_groups):
        super().__init__()
        D = d_model // n_heads
        self.n_heads, self.n_groups = n_heads, n_groups
        self.W_q = torch.nn.Linear(d_model, n_heads * D, bias=False)
        self.W_k = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_v = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_o = torch.nn.Linear(d_model, d_model, bias=False)
        self.norm_q, self.norm_k = (torch.nn.Parameter(torch.ones(D)) for _ in range(2))

    def forward(self, x):
        q = rms_norm(split_heads(self.W_q(x), self.n_heads), self.norm_q)
        k = rms_norm(split_heads(self.W_k(x), self.n_groups), self.norm_k)
        v = split_heads(self.W_v(x), self.n_groups)
        places = torch.arange(x.size(-2))
        q, k = rotary(q, places), rotary(k, places)
        k, v = (shared.repeat_interleave(self.n_heads // self.n_groups, dim=-3) for shared in (k, v))
        return self.W_o(merge_heads(masked_attention(q, k, v, torch.ones(1, 1, dtype=torch.bool))[0]))


class CausalTurned(torch.nn.Module):
    """The causal mask is the wrong way round: a position may see itself and earlier ones, not later ones."""

    def __init__(self, d_model, n_heads, n_groups):
        super().__init__()
        D = d_model // n_heads
        self.n_heads, self.n_groups = n_heads, n_groups
        self.W_q = torch.nn.Linear(d_model, n_heads * D, bias=False)
        self.W_k = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_v = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_o = torch.nn.Linear(d_model, d_model, bias=False)
        self.norm_q, self.norm_k = (torch.nn.Parameter(torch.ones(D)) for _ in range(2))

    def forward(self, x):
        q = rms_norm(split_heads(self.W_q(x), self.n_heads), self.norm_q)
        k = rms_norm(split_heads(self.W_k(x), self.n_groups), self.norm_k)
        v = split_heads(self.W_v(x), self.n_groups)
        places = torch.arange(x.size(-2))
        q, k = rotary(q, places), rotary(k, places)
        k, v = (shared.repeat_interleave(self.n_heads // self.n_groups, dim=-3) for shared in (k, v))
        return self.W_o(merge_heads(masked_attention(q, k, v, causal_mask(x.size(-2)).mT)[0]))


class GroupsTiled(torch.nn.Module):
    """The heads of keys are repeated as a row, 0 1 0 1: neighbours share, 0 0 1 1."""

    def __init__(self, d_model, n_heads, n_groups):
        super().__init__()
        D = d_model // n_heads
        self.n_heads, self.n_groups = n_heads, n_groups
        self.W_q = torch.nn.Linear(d_model, n_heads * D, bias=False)
        self.W_k = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_v = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_o = torch.nn.Linear(d_model, d_model, bias=False)
        self.norm_q, self.norm_k = (torch.nn.Parameter(torch.ones(D)) for _ in range(2))

    def forward(self, x):
        q = rms_norm(split_heads(self.W_q(x), self.n_heads), self.norm_q)
        k = rms_norm(split_heads(self.W_k(x), self.n_groups), self.norm_k)
        v = split_heads(self.W_v(x), self.n_groups)
        places = torch.arange(x.size(-2))
        q, k = rotary(q, places), rotary(k, places)
        k, v = (torch.cat([shared] * (self.n_heads // self.n_groups), dim=-3) for shared in (k, v))
        return self.W_o(merge_heads(masked_attention(q, k, v, causal_mask(x.size(-2)))[0]))


class LastMapForgotten(torch.nn.Module):
    """`W_o` isn't used: it mixes what the heads have found."""

    def __init__(self, d_model, n_heads, n_groups):
        super().__init__()
        D = d_model // n_heads
        self.n_heads, self.n_groups = n_heads, n_groups
        self.W_q = torch.nn.Linear(d_model, n_heads * D, bias=False)
        self.W_k = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_v = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_o = torch.nn.Linear(d_model, d_model, bias=False)
        self.norm_q, self.norm_k = (torch.nn.Parameter(torch.ones(D)) for _ in range(2))

    def forward(self, x):
        q = rms_norm(split_heads(self.W_q(x), self.n_heads), self.norm_q)
        k = rms_norm(split_heads(self.W_k(x), self.n_groups), self.norm_k)
        v = split_heads(self.W_v(x), self.n_groups)
        places = torch.arange(x.size(-2))
        q, k = rotary(q, places), rotary(k, places)
        k, v = (shared.repeat_interleave(self.n_heads // self.n_groups, dim=-3) for shared in (k, v))
        return merge_heads(masked_attention(q, k, v, causal_mask(x.size(-2)))[0])


class ScaledTwice(torch.nn.Module):
    """The scores are divided by √D twice: `masked_attention` does it already."""

    def __init__(self, d_model, n_heads, n_groups):
        super().__init__()
        D = d_model // n_heads
        self.n_heads, self.n_groups = n_heads, n_groups
        self.W_q = torch.nn.Linear(d_model, n_heads * D, bias=False)
        self.W_k = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_v = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_o = torch.nn.Linear(d_model, d_model, bias=False)
        self.norm_q, self.norm_k = (torch.nn.Parameter(torch.ones(D)) for _ in range(2))

    def forward(self, x):
        q = rms_norm(split_heads(self.W_q(x), self.n_heads), self.norm_q)
        k = rms_norm(split_heads(self.W_k(x), self.n_groups), self.norm_k)
        v = split_heads(self.W_v(x), self.n_groups)
        places = torch.arange(x.size(-2))
        q, k = rotary(q, places) / q.size(-1) ** 0.5, rotary(k, places)
        k, v = (shared.repeat_interleave(self.n_heads // self.n_groups, dim=-3) for shared in (k, v))
        return self.W_o(merge_heads(masked_attention(q, k, v, causal_mask(x.size(-2)))[0]))


class NoResidual(torch.nn.Module):
    """There is no residual path: what each sublayer says is added to x."""

    def __init__(self, d_model, n_heads, n_groups, d_ff):
        super().__init__()
        self.attention = GroupedAttention(d_model, n_heads, n_groups)
        self.feed_forward = GatedFeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = (torch.nn.Parameter(torch.ones(d_model)) for _ in range(2))

    def forward(self, x):
        x = self.attention(rms_norm(x, self.norm_1))
        return self.feed_forward(rms_norm(x, self.norm_2))


class FirstPathMissing(torch.nn.Module):
    """Attention's output takes the place of x: it is added to it."""

    def __init__(self, d_model, n_heads, n_groups, d_ff):
        super().__init__()
        self.attention = GroupedAttention(d_model, n_heads, n_groups)
        self.feed_forward = GatedFeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = (torch.nn.Parameter(torch.ones(d_model)) for _ in range(2))

    def forward(self, x):
        x = self.attention(rms_norm(x, self.norm_1))
        return x + self.feed_forward(rms_norm(x, self.norm_2))


class SecondPathMissing(torch.nn.Module):
    """The network's output takes the place of x: it is added to it."""

    def __init__(self, d_model, n_heads, n_groups, d_ff):
        super().__init__()
        self.attention = GroupedAttention(d_model, n_heads, n_groups)
        self.feed_forward = GatedFeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = (torch.nn.Parameter(torch.ones(d_model)) for _ in range(2))

    def forward(self, x):
        x = x + self.attention(rms_norm(x, self.norm_1))
        return self.feed_forward(rms_norm(x, self.norm_2))


class FirstNormTwice(torch.nn.Module):
    """Both norms use norm_1: the weights of the second are norm_2."""

    def __init__(self, d_model, n_heads, n_groups, d_ff):
        super().__init__()
        self.attention = GroupedAttention(d_model, n_heads, n_groups)
        self.feed_forward = GatedFeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = (torch.nn.Parameter(torch.ones(d_model)) for _ in range(2))

    def forward(self, x):
        x = x + self.attention(rms_norm(x, self.norm_1))
        return x + self.feed_forward(rms_norm(x, self.norm_1))


class SublayersReadRaw(torch.nn.Module):
    """Nothing is normalised: each sublayer reads x through its norm."""

    def __init__(self, d_model, n_heads, n_groups, d_ff):
        super().__init__()
        self.attention = GroupedAttention(d_model, n_heads, n_groups)
        self.feed_forward = GatedFeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = (torch.nn.Parameter(torch.ones(d_model)) for _ in range(2))

    def forward(self, x):
        x = x + self.attention(x)
        return x + self.feed_forward(x)


class PostNorm(torch.nn.Module):
    """The norms come last, as in 2017: here each sublayer reads what is normalised, and the path stays a
    plain sum.
    """

    def __init__(self, d_model, n_heads, n_groups, d_ff):
        super().__init__()
        self.attention = GroupedAttention(d_model, n_heads, n_groups)
        self.feed_forward = GatedFeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = (torch.nn.Parameter(torch.ones(d_model)) for _ in range(2))

    def forward(self, x):
        x = rms_norm(x + self.attention(x), self.norm_1)
        return rms_norm(x + self.feed_forward(x), self.norm_2)


class PathNormalised(torch.nn.Module):
    """The path itself is normalised: only what a sublayer reads is."""

    def __init__(self, d_model, n_heads, n_groups, d_ff):
        super().__init__()
        self.attention = GroupedAttention(d_model, n_heads, n_groups)
        self.feed_forward = GatedFeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = (torch.nn.Parameter(torch.ones(d_model)) for _ in range(2))

    def forward(self, x):
        x = rms_norm(x, self.norm_1)
        x = x + self.attention(x)
        x = rms_norm(x, self.norm_2)
        return x + self.feed_forward(x)


class NormsExchangedHere(torch.nn.Module):
    """The norms' weights are swapped: `norm_1` stands before attention, `norm_2` before the network."""

    def __init__(self, d_model, n_heads, n_groups, d_ff):
        super().__init__()
        self.attention = GroupedAttention(d_model, n_heads, n_groups)
        self.feed_forward = GatedFeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = (torch.nn.Parameter(torch.ones(d_model)) for _ in range(2))

    def forward(self, x):
        x = x + self.attention(rms_norm(x, self.norm_2))
        return x + self.feed_forward(rms_norm(x, self.norm_1))


class FeedForwardFirst(torch.nn.Module):
    """The network comes first: attention gathers, then the network works on what was gathered."""

    def __init__(self, d_model, n_heads, n_groups, d_ff):
        super().__init__()
        self.attention = GroupedAttention(d_model, n_heads, n_groups)
        self.feed_forward = GatedFeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = (torch.nn.Parameter(torch.ones(d_model)) for _ in range(2))

    def forward(self, x):
        x = x + self.feed_forward(rms_norm(x, self.norm_2))
        return x + self.attention(rms_norm(x, self.norm_1))


class SideBySide(torch.nn.Module):
    """Both sublayers read the same x, as in some models since GPT-J: here the network reads x with
    attention's output added.
    """

    def __init__(self, d_model, n_heads, n_groups, d_ff):
        super().__init__()
        self.attention = GroupedAttention(d_model, n_heads, n_groups)
        self.feed_forward = GatedFeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = (torch.nn.Parameter(torch.ones(d_model)) for _ in range(2))

    def forward(self, x):
        attended = self.attention(rms_norm(x, self.norm_1))
        return x + attended + self.feed_forward(rms_norm(x, self.norm_2))


class FirstPathAgain(torch.nn.Module):
    """The second sum starts from the x that came in: it should start from the first sum."""

    def __init__(self, d_model, n_heads, n_groups, d_ff):
        super().__init__()
        self.attention = GroupedAttention(d_model, n_heads, n_groups)
        self.feed_forward = GatedFeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = (torch.nn.Parameter(torch.ones(d_model)) for _ in range(2))

    def forward(self, x):
        attended = x + self.attention(rms_norm(x, self.norm_1))
        return x + self.feed_forward(rms_norm(attended, self.norm_2))


class SublayersNormalised(torch.nn.Module):
    """What the sublayers say is normalised: it is what they read that is."""

    def __init__(self, d_model, n_heads, n_groups, d_ff):
        super().__init__()
        self.attention = GroupedAttention(d_model, n_heads, n_groups)
        self.feed_forward = GatedFeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = (torch.nn.Parameter(torch.ones(d_model)) for _ in range(2))

    def forward(self, x):
        x = x + rms_norm(self.attention(x), self.norm_1)
        return x + rms_norm(self.feed_forward(x), self.norm_2)
