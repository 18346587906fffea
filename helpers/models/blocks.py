"""Blocks: what a Transformer repeats. Attention and a feed-forward network, each beside a residual path.

The parts of `helpers.models.transformer`, for the lessons after 06. `B` batch, `T` positions, `C` or
`d_model` channels, `H` or `n_heads` heads, `D` = C / H channels per head. A mask is boolean, and True means
"may attend".
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn

from helpers.attention import scaled_dot_product_attention as attention
from helpers.block import add_sublayer
from helpers.masking import masked_attention
from helpers.models.linear import Linear, faster
from helpers.multihead import check_mask, merge_heads, split_heads

ACTIVATIONS: dict[str, Callable[[], nn.Module]] = {
    "relu": nn.ReLU,
    "gelu": nn.GELU,  # x·Φ(x); twice as fast on a CPU as its approximation
    "gelu_tanh": lambda: nn.GELU(approximate="tanh"),
}


@dataclass(frozen=True)
class Style:
    """How blocks of the same size differ. The defaults are GPT-2's, except that the activation is exact.

    Args:
        norm_first: True normalises a sublayer's input and leaves the residual path alone. False normalises
            the sum of both.
        activation: of the feed-forward network: "relu", "gelu" or "gelu_tanh".
        eps: what layer normalisation adds to the variance.

    Source: Xiong et al. 2020 compare the two positions of the norm.
    """

    norm_first: bool = True
    activation: str = "gelu"
    eps: float = 1e-5


PAPER = Style(norm_first=False, activation="relu")  # Vaswani et al. 2017
BERT = Style(norm_first=False, activation="gelu", eps=1e-12)  # Devlin et al. 2019
GPT2 = Style(activation="gelu_tanh")  # Radford et al. 2019
PRE_NORM = Style()


@dataclass(frozen=True)
class Parts:
    """What blocks and models are put together of: the course's parts, or a student's own.

    Args:
        attention: of q, k, v and a mask; gives outputs and weights. None for torch's fused kernel.
        split_heads: (..., T, C) and H to (..., H, T, D).
        merge_heads: (..., H, T, D) to (..., T, C).
        causal_mask: T to a mask (T, T). None where the fused kernel needs none.
        layer_norm: of x, weight, bias and eps. None for torch's.
        feed_forward: a module made of d_model and d_ff, with W_up and W_down. None for `FeedForward`.
        add_sublayer: of x, a sublayer, its norm and `norm_first`.
        embed: of ids, words and positions. None for the course's.
        unembed: of x and words. None for the course's.
    """

    attention: Callable | None = None
    split_heads: Callable = split_heads
    merge_heads: Callable = merge_heads
    causal_mask: Callable | None = None
    layer_norm: Callable | None = None
    feed_forward: Callable[[int, int], nn.Module] | None = None
    add_sublayer: Callable = add_sublayer
    embed: Callable | None = None
    unembed: Callable | None = None


COURSE = Parts()

Cache = dict[str, torch.Tensor]
"""One layer's keys "k" and values "v", each (B, H, positions so far, D); {} before the first."""


class FeedForward(nn.Module):
    """Two linear maps with a nonlinearity between them, at each position alone.

    Args:
        d_model: C, channels of what goes in and out.
        d_ff: channels between the maps, usually 4·C.
        activation: the nonlinearity: "relu", "gelu" or "gelu_tanh".

    Raises:
        KeyError: there is no such activation.

    Source: Vaswani et al. 2017, section 3.3.
    """

    def __init__(self, d_model: int, d_ff: int, activation: str = "gelu") -> None:
        super().__init__()
        self.W_up, self.W_down = Linear(d_model, d_ff), Linear(d_ff, d_model)
        self.activation = ACTIVATIONS[activation]()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(..., T, C) to (..., T, C)."""
        return self.W_down(self.activation(self.W_up(x)))


class SelfAttention(nn.Module):
    """`helpers.multihead.MultiHeadAttention` of a sequence over itself, its first three maps in one.

    Args:
        d_model: C.
        n_heads: H, a divisor of d_model.
        parts: whose functions do the work.

    Raises:
        ValueError: the channels can't be divided evenly among the heads.
    """

    def __init__(self, d_model: int, n_heads: int, parts: Parts = COURSE) -> None:
        super().__init__()
        _check_heads(d_model, n_heads)
        self.n_heads, self.parts = n_heads, parts
        # Rows: C for queries, C for keys, C for values. One large product is faster than three small ones.
        self.W_qkv, self.W_o = Linear(d_model, 3 * d_model), Linear(d_model, d_model)

    def forward(
        self,
        x: torch.Tensor,
        mask: torch.Tensor | None = None,
        causal: bool = False,
        cache: Cache | None = None,
        weights: list[torch.Tensor] | None = None,
    ) -> torch.Tensor:
        """Let each position look things up.

        Args:
            x: (B, T, C); with a cache, the new positions alone.
            mask: boolean, broadcastable to (B, H, T, P + T). True means "may attend". A query that may attend
                to nothing gets zeros.
            causal: True hides later positions, in addition to what the mask hides.
            cache: keys and values of the P earlier positions, {} for none; this adds the T new ones.
            weights: a list to which the weights (B, H, T, P + T) are appended. Without it, torch's fused
                kernel does the work, which never stores them all.

        Returns:
            (B, T, C).

        Raises:
            ValueError: the mask isn't boolean, or has three axes.
        """
        split, merge = self.parts.split_heads, self.parts.merge_heads
        q, k, v = (split(part, self.n_heads) for part in self.W_qkv(x).chunk(3, dim=-1))
        if cache is not None:
            if cache:
                k, v = torch.cat([cache["k"], k], dim=-2), torch.cat([cache["v"], v], dim=-2)
            cache.update(k=k, v=v)
        return self.W_o(merge(_attend(q, k, v, mask, causal, weights, self.parts)))


class CrossAttention(nn.Module):
    """Attention of one sequence over another: y asks, the memory answers. Arguments as of `SelfAttention`."""

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        _check_heads(d_model, n_heads)
        self.n_heads = n_heads
        self.W_q, self.W_kv = Linear(d_model, d_model), Linear(d_model, 2 * d_model)
        self.W_o = Linear(d_model, d_model)

    def forward(
        self,
        y: torch.Tensor,
        memory: torch.Tensor,
        mask: torch.Tensor | None = None,
        cache: Cache | None = None,
        weights: list[torch.Tensor] | None = None,
    ) -> torch.Tensor:
        """Let y look things up in the memory.

        Args:
            y: gives the queries, (B, T_q, C).
            memory: gives keys and values, (B, T_k, C).
            mask: boolean, broadcastable to (B, H, T_q, T_k). True means "may attend".
            cache: {} is filled with the memory's keys and values; after that the memory isn't read again.
            weights: a list to which the weights (B, H, T_q, T_k) are appended.

        Returns:
            (B, T_q, C).
        """
        if cache:
            k, v = cache["k"], cache["v"]
        else:
            k, v = (split_heads(part, self.n_heads) for part in self.W_kv(memory).chunk(2, dim=-1))
            if cache is not None:
                cache.update(k=k, v=v)
        q = split_heads(self.W_q(y), self.n_heads)
        return self.W_o(merge_heads(_attend(q, k, v, mask, False, weights)))


class Block(nn.Module):
    """Self-attention, then the feed-forward network: a layer of an encoder, or, causal, of a language model.

    Args:
        d_model: C.
        n_heads: H, a divisor of d_model.
        d_ff: hidden channels of the feed-forward network.
        dropout: the share of each sublayer's output that is zeroed in training, as in the paper, section 5.4.
            Attention weights are never dropped: torch's fused kernel for CPUs can't.
        style: where the norms are, and the activation.
        parts: whose functions do the work. A feed-forward network that isn't the course's has its own
            activation.
    """

    def __init__(
        self,
        d_model: int,
        n_heads: int,
        d_ff: int,
        dropout: float = 0.0,
        style: Style = PRE_NORM,
        parts: Parts = COURSE,
    ) -> None:
        super().__init__()
        self.norm_first, self.add_sublayer = style.norm_first, parts.add_sublayer
        self.attention = SelfAttention(d_model, n_heads, parts)
        own = parts.feed_forward
        self.feed_forward = (
            faster(own(d_model, d_ff)) if own else FeedForward(d_model, d_ff, style.activation)
        )
        self.norm_1, self.norm_2 = (new_norm(d_model, style, parts) for _ in range(2))
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        x: torch.Tensor,
        mask: torch.Tensor | None = None,
        causal: bool = False,
        cache: Cache | None = None,
        weights: list[torch.Tensor] | None = None,
    ) -> torch.Tensor:
        """(B, T, C) to (B, T, C). The other arguments are `SelfAttention`'s."""

        def attend(y: torch.Tensor) -> torch.Tensor:
            return self.dropout(self.attention(y, mask, causal, cache, weights))

        def transform(y: torch.Tensor) -> torch.Tensor:
            return self.dropout(self.feed_forward(y))

        x = self.add_sublayer(x, attend, self.norm_1, self.norm_first)
        return self.add_sublayer(x, transform, self.norm_2, self.norm_first)


class OwnLayerNorm(nn.LayerNorm):
    """Layer normalisation by a function of somebody's own."""

    def __init__(self, d_model: int, eps: float, function: Callable) -> None:
        super().__init__(d_model, eps)
        self.function = function

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(..., C) to (..., C)."""
        return self.function(x, self.weight, self.bias, self.eps)


def new_norm(d_model: int, style: Style, parts: Parts = COURSE) -> nn.LayerNorm:
    """A norm that changes nothing at first but mean and variance."""
    if parts.layer_norm is None:
        return nn.LayerNorm(d_model, style.eps)
    return OwnLayerNorm(d_model, style.eps, parts.layer_norm)


def initialise(stack: nn.Module, std: float = 0.02) -> None:
    """Draw all weights again, as GPT-2 does: small, and smaller where they write to the residual path.

    Each of the N sublayers adds its output to that path. With std / √N for the maps that write to it, the sum
    doesn't grow with the depth. Biases become 0; norms become the identity.

    Args:
        stack: blocks that share one residual path, with their embeddings and heads if they have any.
        std: standard deviation of all other weights.

    Source: Radford et al. 2019, section 2.3.
    """
    for module in stack.modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            nn.init.normal_(module.weight, std=std)
        if isinstance(module, nn.LayerNorm):
            nn.init.ones_(module.weight)
        if isinstance(module, nn.Linear | nn.LayerNorm) and module.bias is not None:
            nn.init.zeros_(module.bias)
    ends = ("W_o.weight", "W_down.weight")
    writers = [weight for name, weight in stack.named_parameters() if name.endswith(ends)]
    for weight in writers:
        nn.init.normal_(weight, std=std / math.sqrt(len(writers)))


def _attend(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    mask: torch.Tensor | None,
    causal: bool,
    weights: list[torch.Tensor] | None,
    parts: Parts = COURSE,
) -> torch.Tensor:
    """Attention (B, H, T_q, D), fused unless the weights are wanted. Causal queries are the last ones."""
    check_mask(mask)
    T_q, T_k = q.size(-2), k.size(-2)
    causal = causal and T_q > 1  # a single query is the last position: there is nothing to hide
    own = parts.attention
    if causal and (mask is not None or weights is not None or T_q < T_k or own):
        if parts.causal_mask:
            earlier = parts.causal_mask(T_k)[T_k - T_q :].to(q.device)
        else:
            earlier = torch.ones(T_q, T_k, dtype=torch.bool, device=q.device).tril(T_k - T_q)
        mask, causal = earlier if mask is None else mask & earlier, False
    if own:
        attended, found = own(q, k, v, mask)
        if weights is not None:
            weights.append(found)
        return attended
    if weights is None:
        return nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal)
    attended, found = attention(q, k, v) if mask is None else masked_attention(q, k, v, mask)
    weights.append(found)
    return attended


def _check_heads(d_model: int, n_heads: int) -> None:
    if d_model % n_heads:
        raise ValueError(f"{d_model} channels can't be shared among {n_heads} heads")
