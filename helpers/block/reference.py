"""The block, and a language model made of it: what lesson 06 asks for, for the lessons after it.

`B` batch, `T` positions, `C` or `d_model` channels, `H` or `n_heads` heads, `V` vocabulary. A mask is
boolean, and True means "may attend". Lessons that train use `helpers.models`, which does the same faster.
"""

import math
from typing import TYPE_CHECKING

import torch
from torch import nn

from helpers.masking import causal_mask
from helpers.multihead import MultiHeadAttention

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def embed(ids: torch.Tensor, words: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
    """Turn tokens into vectors: √C times the token's row, plus the position's row.

    Args:
        ids: tokens, integers, (..., T).
        words: a row for each token, (V, C).
        positions: a row for each position, (longest, C), where T is at most `longest`.

    Returns:
        (..., T, C).

    Source: Vaswani et al. 2017, section 3.4; learned positions: Gehring et al. 2017, section 3.1.
    """
    return math.sqrt(words.size(-1)) * words[ids] + positions[: ids.size(-1)]


def unembed(x: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
    """Score each token by the dot product of its row with the vector: logits (..., T, V) of x (..., T, C).

    Args:
        x: vectors, (..., T, C).
        words: the matrix that turned tokens into vectors, (V, C).

    Source: Press and Wolf 2017.
    """
    return x @ words.T


def layer_norm(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float = 1e-5) -> torch.Tensor:
    """Give each vector mean 0 and variance 1, then scale and shift its channels.

    Args:
        x: (..., C).
        weight: what each channel is multiplied by, (C,).
        bias: what is added to each channel, (C,).
        eps: what is added to the variance, so that a constant vector gives no division by 0.

    Returns:
        Like x.

    Source: Ba, Kiros and Hinton 2016.
    """
    centred = x - x.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True)
    return centred / torch.sqrt(variance + eps) * weight + bias


def gelu(x: torch.Tensor) -> torch.Tensor:
    """x·Φ(x): each number times the share of a standard normal distribution below it. Like x.

    Source: Hendrycks and Gimpel 2016.
    """
    return x * (1 + torch.erf(x / math.sqrt(2))) / 2


class FeedForward(nn.Module):
    """Two linear maps with a GELU between them, at each position alone.

    Args:
        d_model: C, channels of what goes in and out.
        d_ff: channels between the maps.

    Source: Vaswani et al. 2017, section 3.3; the GELU: Radford et al. 2018.
    """

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.W_up, self.W_down = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(..., T, C) to (..., T, C)."""
        return self.W_down(gelu(self.W_up(x)))


def add_sublayer(
    x: torch.Tensor, sublayer: "Callable", norm: "Callable", norm_first: bool = True
) -> torch.Tensor:
    """Add what a sublayer says to the residual path.

    Args:
        x: the residual path, (..., T, C).
        sublayer: a function from (..., T, C) to (..., T, C).
        norm: another.
        norm_first: True normalises what the sublayer reads (pre-norm), False the sum (post-norm).

    Returns:
        Like x.

    Source: post-norm: Vaswani et al. 2017; the two compared: Xiong et al. 2020.
    """
    return x + sublayer(norm(x)) if norm_first else norm(x + sublayer(x))


def dropout(x: torch.Tensor, p: float, training: bool, chances: torch.Tensor) -> torch.Tensor:
    """Zero a share p of the numbers while training, and scale up the rest.

    Args:
        x: any shape.
        p: the share, 0 <= p < 1.
        training: False leaves x as it is.
        chances: drawn evenly from 0 to 1, shaped like x. Where one is below p, the number becomes 0.

    Returns:
        Like x.

    Source: Srivastava et al. 2014.
    """
    return torch.where(chances < p, 0.0, x / (1 - p)) if training else x


class LayerNorm(nn.Module):
    """`layer_norm` with a weight and a bias that learn.

    Args:
        d_model: C.
    """

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(..., C) to (..., C)."""
        return layer_norm(x, self.weight, self.bias)


class Block(nn.Module):
    """Self-attention, then the feed-forward network, each beside the residual path, each behind a norm.

    Args:
        d_model: C.
        n_heads: H, a divisor of d_model.
        d_ff: hidden channels of the feed-forward network.

    Source: Radford et al. 2019, section 2.3.
    """

    def __init__(self, d_model: int, n_heads: int, d_ff: int) -> None:
        super().__init__()
        self.attention, self.feed_forward = MultiHeadAttention(d_model, n_heads), FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = LayerNorm(d_model), LayerNorm(d_model)

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        """(B, T, C) to (B, T, C). The mask is boolean, broadcastable to (B, H, T, T)."""
        x = add_sublayer(x, lambda y: self.attention(y, mask=mask)[0], self.norm_1)
        return add_sublayer(x, self.feed_forward, self.norm_2)


class DecoderOnly(nn.Module):
    """Scores the next token at each position, from the tokens up to there.

    Args:
        vocabulary: V.
        d_model: C.
        n_heads: H, a divisor of d_model.
        n_layers: blocks.
        positions: the longest sequence.

    Source: Radford et al. 2019, section 2.3, with the scaled embedding of Vaswani et al. 2017, section 3.4.
    """

    def __init__(self, vocabulary: int, d_model: int, n_heads: int, n_layers: int, positions: int) -> None:
        super().__init__()
        self.words, self.positions = nn.Embedding(vocabulary, d_model), nn.Embedding(positions, d_model)
        self.blocks = nn.ModuleList(Block(d_model, n_heads, 4 * d_model) for _ in range(n_layers))
        self.norm = LayerNorm(d_model)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Logits (B, T, V) of tokens (B, T)."""
        x = embed(ids, self.words.weight, self.positions.weight)
        mask = causal_mask(ids.size(-1)).to(ids.device)
        for block in self.blocks:
            x = block(x, mask)
        return unembed(self.norm(x), self.words.weight)


def initial_std(name: str, n_layers: int, std: float = 0.02) -> float:
    """How large a weight is drawn at first: smaller where it writes to the residual path.

    Args:
        name: of the parameter in a `DecoderOnly`, such as "blocks.0.feed_forward.W_down.weight".
        n_layers: blocks, each with two sublayers.
        std: of all other weights.

    Returns:
        The standard deviation: std / √(number of sublayers) for the weight of a sublayer's last map, std for
        all else, biases too.

    Source: Radford et al. 2019, section 2.3.
    """
    return std / math.sqrt(2 * n_layers) if name.endswith(("W_o.weight", "W_down.weight")) else std


def from_gpt2(state: "Mapping[str, torch.Tensor]", n_layers: int) -> dict[str, torch.Tensor]:
    """The parameters of a GPT-2 under the names, and in the shapes, of a `DecoderOnly`.

    GPT-2 keeps a linear map as (in, out), torch as (out, in); queries, keys and values are one map there,
    three here; and it doesn't scale its embedding, which is undone by a smaller one and a larger last norm.

    Args:
        state: of `transformers`' GPT2LMHeadModel: "transformer.wte.weight" and so on.
        n_layers: blocks.

    Returns:
        A state dict of a `DecoderOnly`.
    """
    C = state["transformer.wte.weight"].size(-1)
    ours = {
        "words.weight": state["transformer.wte.weight"] / math.sqrt(C),
        "positions.weight": state["transformer.wpe.weight"],
        "norm.weight": state["transformer.ln_f.weight"] * math.sqrt(C),
        "norm.bias": state["transformer.ln_f.bias"] * math.sqrt(C),
    }
    names = {
        "attn.c_proj": "attention.W_o", "mlp.c_fc": "feed_forward.W_up", "mlp.c_proj": "feed_forward.W_down",
        "ln_1": "norm_1", "ln_2": "norm_2",
    }  # fmt: skip
    for layer in range(n_layers):
        theirs, block = f"transformer.h.{layer}", f"blocks.{layer}"
        for end in ("weight", "bias"):
            for name, packed in zip(
                "qkv", state[f"{theirs}.attn.c_attn.{end}"].chunk(3, dim=-1), strict=True
            ):
                ours[f"{block}.attention.W_{name}.{end}"] = packed.T if end == "weight" else packed
            for old, new in names.items():
                value = state[f"{theirs}.{old}.{end}"]
                ours[f"{block}.{new}.{end}"] = value.T if value.dim() == 2 else value
    return ours
