"""Since 2017: what lesson 12 asks for.

`B` batch, `T` positions, `C` or `d_model` channels, `H` or `n_heads` heads, `G` or `n_groups` heads of keys
and values, `E` experts, `V` vocabulary.
"""

import math
from typing import TYPE_CHECKING

import torch
from torch import nn

from helpers.masking import causal_mask, masked_attention
from helpers.multihead import merge_heads, split_heads
from helpers.positional import rotary

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# -- the block ---------------------------------------------------------------------------------------------


def rms_norm(x: torch.Tensor, weight: torch.Tensor, eps: float = 1e-6) -> torch.Tensor:
    """Divide each vector by the root of its mean square, then scale its channels.

    Args:
        x: (..., C).
        weight: what each channel is multiplied by, (C,).
        eps: what is added to the mean square.

    Returns:
        Like x.

    Source: Zhang and Sennrich 2019.
    """
    return x * torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps) * weight


class GatedFeedForward(nn.Module):
    """A feed-forward network with a gate, SwiGLU: W_down (SiLU(W_gate x) · (W_up x)), without biases.

    Args:
        d_model: C, channels of what goes in and out.
        d_ff: channels between the maps.

    Source: Shazeer 2020.
    """

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.W_gate, self.W_up = (nn.Linear(d_model, d_ff, bias=False) for _ in range(2))
        self.W_down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(..., T, C) to (..., T, C)."""
        return self.W_down(nn.functional.silu(self.W_gate(x)) * self.W_up(x))


def interleaved(weight: torch.Tensor, n_heads: int) -> torch.Tensor:
    """Reorder the rows of a map of queries or keys, so that pairs (i, i + D/2) become (2i, 2i + 1).

    Args:
        weight: (H·D, C), D rows for each head, from a model whose rotary positions turn feature i with
            i + D/2.
        n_heads: H.

    Returns:
        (H·D, C), for `helpers.positional.rotary`, which turns neighbours.
    """
    rows, C = weight.shape
    halves = weight.view(n_heads, 2, rows // n_heads // 2, C)  # head, half, pair
    return halves.transpose(1, 2).reshape(rows, C)


class GroupedAttention(nn.Module):
    """Causal self-attention as models have it today.

    Without biases; fewer heads of keys and values than of queries; queries and keys normalised in each head,
    then turned by their positions.

    Args:
        d_model: C.
        n_heads: H, a divisor of d_model; C / H is even.
        n_groups: G, heads of keys and values, a divisor of n_heads.

    Source: rotary positions: Su et al. 2021; groups: Ainslie et al. 2023; no biases: Chowdhery et al. 2022;
    norms of queries and keys: Henry et al. 2020, Dehghani et al. 2023.
    """

    def __init__(self, d_model: int, n_heads: int, n_groups: int) -> None:
        super().__init__()
        D = d_model // n_heads
        self.n_heads, self.n_groups = n_heads, n_groups
        self.W_q = nn.Linear(d_model, n_heads * D, bias=False)
        self.W_k = nn.Linear(d_model, n_groups * D, bias=False)
        self.W_v = nn.Linear(d_model, n_groups * D, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)
        self.norm_q, self.norm_k = nn.Parameter(torch.ones(D)), nn.Parameter(torch.ones(D))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(B, T, C) to (B, T, C); no position sees a later one."""
        q = rms_norm(split_heads(self.W_q(x), self.n_heads), self.norm_q)
        k = rms_norm(split_heads(self.W_k(x), self.n_groups), self.norm_k)
        v = split_heads(self.W_v(x), self.n_groups)
        places = torch.arange(x.size(-2))
        q, k = rotary(q, places), rotary(k, places)
        k, v = (shared.repeat_interleave(self.n_heads // self.n_groups, dim=-3) for shared in (k, v))
        mask = causal_mask(x.size(-2)).to(x.device)
        return self.W_o(merge_heads(masked_attention(q, k, v, mask)[0]))


class Block(nn.Module):
    """Grouped attention and a feed-forward network with a gate, each behind an RMS norm.

    Args:
        d_model: C.
        n_heads: H.
        n_groups: G.
        d_ff: hidden channels of the feed-forward network.

    Source: Touvron et al. 2023, and the sources of `GroupedAttention`.
    """

    def __init__(self, d_model: int, n_heads: int, n_groups: int, d_ff: int) -> None:
        super().__init__()
        self.attention = GroupedAttention(d_model, n_heads, n_groups)
        self.feed_forward = GatedFeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.ones(d_model))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(B, T, C) to (B, T, C)."""
        x = x + self.attention(rms_norm(x, self.norm_1))
        return x + self.feed_forward(rms_norm(x, self.norm_2))


# -- a mixture of experts ----------------------------------------------------------------------------------


def gates(logits: torch.Tensor, k: int, bias: torch.Tensor) -> torch.Tensor:
    """How much each expert counts for each token: a softmax over the k chosen, 0 for all others.

    Args:
        logits: the router's scores, (..., E).
        k: how many experts a token is given to: those with the highest sums of score and bias.
        bias: what is added to the scores for the choice alone, (E,).

    Returns:
        (..., E), each row sums to 1.

    Source: Shazeer et al. 2017, section 2.1, without noise; Jiang et al. 2024, section 2.1; the bias: Wang et
    al. 2024.
    """
    places = (logits + bias).topk(k, dim=-1).indices
    shares = logits.gather(-1, places).softmax(dim=-1)
    return torch.zeros_like(logits).scatter(-1, places, shares)


def mixture(x: torch.Tensor, gates: torch.Tensor, experts: "Sequence[Callable]") -> torch.Tensor:
    """Give each token to its experts alone, and add up what they say, each times its gate.

    Args:
        x: tokens' vectors, (N, C).
        gates: (N, E), 0 where a token isn't given to an expert.
        experts: E functions from (n, C) to (n, C).

    Returns:
        (N, C).

    Source: Shazeer et al. 2017, section 2.
    """
    output = torch.zeros_like(x)
    for number, expert in enumerate(experts):
        mine = gates[:, number] > 0
        output[mine] = output[mine] + gates[mine, number, None] * expert(x[mine])
    return output


def balance_loss(logits: torch.Tensor, k: int) -> torch.Tensor:
    """What a router pays for sending too much to the same experts: E · Σ share of tokens · mean probability.

    Args:
        logits: the router's scores of N tokens, (N, E).
        k: how many experts a token is given to.

    Returns:
        A tensor of one number: 1 where all experts get alike, E / k where k experts get all, surely.

    Source: Fedus, Zoph and Shazeer 2022, section 2.2, for k = 1.
    """
    N, E = logits.shape
    counts = torch.zeros_like(logits).scatter(-1, logits.topk(k, dim=-1).indices, 1.0)
    return E * (counts.sum(dim=0) / (N * k) * logits.softmax(dim=-1).mean(dim=0)).sum()


# -- cheaper to run ----------------------------------------------------------------------------------------


def quantized(weight: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """A map in one byte a weight: whole numbers from -127 to 127, and a scale for each row.

    Args:
        weight: (out, in).

    Returns:
        The whole numbers, int8, (out, in), and the scales, (out, 1): row by row, their product is nearly the
        weight. A row of zeros has the scale 1.

    Source: Dettmers et al. 2022, section 2.1, "absmax", row by row.
    """
    largest = weight.abs().amax(dim=-1, keepdim=True)
    scales = torch.where(largest > 0, largest / 127, 1.0)
    return (weight / scales).round().to(torch.int8), scales


def in_groups(weight: torch.Tensor, size: int) -> tuple[torch.Tensor, torch.Tensor]:
    """A map in four bits a weight: whole numbers from -7 to 7, and a scale for each group of neighbours.

    Args:
        weight: (out, in).
        size: weights of a row that share a scale; a divisor of in.

    Returns:
        The whole numbers, int8, (out, in), and the scales, (out, groups). A group of zeros has the
        scale 1.

    Source: Dettmers and Zettlemoyer 2023, section 2, "blocking".
    """
    groups = weight.unflatten(-1, (-1, size))
    largest = groups.abs().amax(dim=-1, keepdim=True)
    scales = torch.where(largest > 0, largest / 7, 1.0)
    return (groups / scales).round().to(torch.int8).flatten(-2), scales.squeeze(-1)


def latent_attention(
    q: torch.Tensor, latents: torch.Tensor, up_k: torch.Tensor, up_v: torch.Tensor
) -> torch.Tensor:
    """What each head reads for the newest position, from a cache of latents, without making keys or values.

    Head h's key at a position is `up_k[h] @ latent`, its value `up_v[h] @ latent`.

    Args:
        q: the newest position's queries, (..., H, D).
        latents: the cache, (..., T, R).
        up_k: each head's map from a latent to a key, (H, D, R).
        up_v: each head's map from a latent to a value, (H, D, R).

    Returns:
        (..., H, D).

    Source: DeepSeek-AI 2024 (DeepSeek-V2), section 2.1.2, without positions.
    """
    asked = torch.einsum("...hd,hdr->...hr", q, up_k)
    weights = (asked @ latents.mT / math.sqrt(q.size(-1))).softmax(dim=-1)
    return torch.einsum("...hr,hdr->...hd", weights @ latents, up_v)


def linear_attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, state: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Attention without a softmax, position by position, with a state of fixed size in place of a cache.

    Args:
        q: queries, (..., T, D).
        k: keys, (..., T, D).
        v: values, (..., T, D_v).
        state: the sum of the outer products of earlier keys and values, (..., D, D_v).

    Returns:
        Outputs (..., T, D_v), and the state after the last position, (..., D, D_v).

    Source: Katharopoulos et al. 2020, section 3.4, without a feature map and without normalising.
    """
    outputs = []
    for t in range(q.size(-2)):
        state = state + k[..., t, :, None] * v[..., t, None, :]
        outputs.append((q[..., t, None, :] @ state).squeeze(-2))
    return torch.stack(outputs, dim=-2), state


def adjusted(target: torch.Tensor, draft: torch.Tensor) -> torch.Tensor:
    """What to draw from where a drafted token was rejected: what the target has more of, made to sum to 1.

    Args:
        target: the large model's probabilities, (V,).
        draft: the small model's, (V,), others than the target's.

    Returns:
        (V,).

    Source: Leviathan, Kalman and Matias 2023, section 2.3.
    """
    more = (target - draft).clamp(min=0)
    return more / more.sum()


def accepted(target: torch.Tensor, draft: torch.Tensor, drafted: torch.Tensor, chances: torch.Tensor) -> int:
    """How many of the drafted tokens stay: those before the first that is rejected.

    Token x is kept with probability target(x) / draft(x), at most 1.

    Args:
        target: the large model's probabilities at each of K places, (K, V).
        draft: the small model's, from which the tokens were drawn, (K, V).
        drafted: the tokens, integers, (K,).
        chances: drawn evenly from 0 to 1, (K,): a token is kept where its chance is below its probability to
            be.

    Returns:
        From 0 to K.

    Source: Leviathan, Kalman and Matias 2023, algorithm 1.
    """
    places = torch.arange(len(drafted))
    kept = chances < target[places, drafted] / draft[places, drafted]
    return int(kept.long().cumprod(dim=0).sum())
