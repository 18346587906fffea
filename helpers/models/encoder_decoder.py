"""The paper's Transformer: an encoder reads one sequence, a decoder writes another.

Lesson 11 builds it. `B` batch, `T` positions, `C` or `d_model` channels, `V` vocabulary. A mask is
boolean, True = "may attend".
"""

import math
from dataclasses import dataclass

import torch
from torch import nn

from helpers.models.blocks import (
    PRE_NORM,
    Block,
    Cache,
    CrossAttention,
    FeedForward,
    SelfAttention,
    Style,
    initialise,
)
from helpers.models.linear import Linear
from helpers.models.transformer import key_mask, last_norm, rows, stack
from helpers.positional import sinusoidal


class DecoderBlock(nn.Module):
    """Causal self-attention, attention over a memory, feed-forward network. Arguments as of `Block`."""

    def __init__(
        self, d_model: int, n_heads: int, d_ff: int, dropout: float = 0.0, style: Style = PRE_NORM
    ) -> None:
        super().__init__()
        self.norm_first = style.norm_first
        self.attention = SelfAttention(d_model, n_heads)
        self.cross_attention = CrossAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, style.activation)
        self.norm_1, self.norm_2, self.norm_3 = (nn.LayerNorm(d_model, style.eps) for _ in range(3))
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        y: torch.Tensor,
        memory: torch.Tensor,
        memory_mask: torch.Tensor | None = None,
        cache: tuple[Cache, Cache] | None = None,
        cross_weights: list[torch.Tensor] | None = None,
    ) -> torch.Tensor:
        """One layer of a decoder.

        Args:
            y: (B, T_q, C); with a cache, the new positions alone.
            memory: an encoder's outputs, (B, T_k, C).
            memory_mask: boolean, broadcastable to (B, H, T_q, T_k). True means "may attend".
            cache: one for the self-attention, one for the memory; both {} at the start.
            cross_weights: a list to which the weights over the memory, (B, H, T_q, T_k), are appended.

        Returns:
            (B, T_q, C).
        """
        own, crossed = cache or (None, None)
        if self.norm_first:
            y = y + self.dropout(self.attention(self.norm_1(y), None, True, own))
            found = self.cross_attention(self.norm_2(y), memory, memory_mask, crossed, cross_weights)
            y = y + self.dropout(found)
            return y + self.dropout(self.feed_forward(self.norm_3(y)))
        y = self.norm_1(y + self.dropout(self.attention(y, None, True, own)))
        found = self.cross_attention(y, memory, memory_mask, crossed, cross_weights)
        y = self.norm_2(y + self.dropout(found))
        return self.norm_3(y + self.dropout(self.feed_forward(y)))


@dataclass(frozen=True)
class EncoderDecoderConfig:
    """What an `EncoderDecoder` is made of.

    Args:
        vocabulary: V, the same for source and target.
        d_model: C, even.
        n_heads: H, a divisor of d_model.
        d_ff: hidden channels of the feed-forward networks.
        n_layers: blocks of the encoder, and of the decoder.
        tied: whether one matrix serves as source embedding, target embedding and output map.
        positions: the longest sequence; costs no parameters.
        dropout: the share that is zeroed in training, of the embeddings and of each sublayer's output.
        style: where the norms are, and the activation. `helpers.models.blocks.PAPER` is the paper's, which
            needs a warm-up of the learning rate; pre-norm trains without.
        std: of the blocks' weights at the start, as in `initialise`.
        words_std: of the words' vectors at the start, which are then multiplied by √d_model.

    The defaults are GPT-2's, for models about 768 channels wide. A narrow one needs more, or it learns
    slowly: in lesson 11, with 96 channels, the loss after 350 steps was 3.3 with the defaults, 2.1 with
    words_std=0.05, 2.2 with std=0.06 and 1.4 with both (one training run each).
    """

    vocabulary: int
    d_model: int
    n_heads: int
    d_ff: int
    n_layers: int
    tied: bool = True
    positions: int = 512
    dropout: float = 0.0
    style: Style = PRE_NORM
    std: float = 0.02
    words_std: float = 0.02


class EncoderDecoder(nn.Module):
    """Reads one sequence and writes another, over one vocabulary. Positions are sines and cosines.

    Source: Vaswani et al. 2017, section 3.
    """

    table: torch.Tensor

    def __init__(self, config: EncoderDecoderConfig) -> None:
        super().__init__()
        C, V, style = config.d_model, config.vocabulary, config.style
        layer = (C, config.n_heads, config.d_ff, config.dropout, style)
        self.config = config
        self.source_words, self.target_words = nn.Embedding(V, C), nn.Embedding(V, C)
        self.head = Linear(C, V, bias=False)
        if config.tied:
            self.source_words.weight = self.target_words.weight = self.head.weight
        self.register_buffer("table", sinusoidal(config.positions, C), persistent=False)
        self.dropout = nn.Dropout(config.dropout)
        self.encoder = stack(Block, config.n_layers, *layer)
        self.decoder = stack(DecoderBlock, config.n_layers, *layer)
        self.encoder_norm, self.decoder_norm = last_norm(C, style), last_norm(C, style)
        for layers in (self.encoder, self.decoder):
            initialise(layers, config.std)
        for words in (self.source_words, self.target_words, self.head):
            # Not 1/√d_model, as is often seen: a tied output is then sure that each token follows itself.
            nn.init.normal_(words.weight, std=config.words_std)

    def forward(
        self, source: torch.Tensor, target: torch.Tensor, real: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Scores for the next token of the target.

        Args:
            source: tokens to read, integers, (B, T_s).
            target: tokens written so far, (B, T_t); padding at their ends needs no mask.
            real: boolean, (B, T_s). True is a source token, False is padding.

        Returns:
            Logits (B, T_t, V).
        """
        return self.decode(target, self.encode(source, real), real)

    def encode(self, source: torch.Tensor, real: torch.Tensor | None = None) -> torch.Tensor:
        """The memory (B, T_s, C) of a source (B, T_s); `real` as in `forward`."""
        x, mask = self._embed(self.source_words, source), key_mask(real)
        for block in self.encoder:
            x = block(x, mask)
        return self.encoder_norm(x)

    def decode(
        self,
        target: torch.Tensor,
        memory: torch.Tensor,
        real: torch.Tensor | None = None,
        cache: list[tuple[Cache, Cache]] | None = None,
        cross_weights: list[torch.Tensor] | None = None,
    ) -> torch.Tensor:
        """Scores for the next token, from a memory.

        Args:
            target: tokens, (B, T_t); with a cache, the new ones alone.
            memory: of `encode`, (B, T_s, C).
            real: boolean, (B, T_s). True is a source token, False is padding.
            cache: of the positions before them, made by `new_cache` and updated here.
            cross_weights: a list to which each layer's weights over the source, (B, H, T_t, T_s), are
                appended.

        Returns:
            Logits (B, T_t, V).
        """
        own = [own for own, _ in cache] if cache else None
        y, mask = self._embed(self.target_words, target, own), key_mask(real)
        for number, block in enumerate(self.decoder):
            y = block(y, memory, mask, cache[number] if cache else None, cross_weights)
        return self.head(self.decoder_norm(y))

    def new_cache(self) -> list[tuple[Cache, Cache]]:
        """An empty cache for decoding step by step: for each layer, one for itself and one for the memory."""
        return [({}, {}) for _ in self.decoder]

    def _embed(
        self, words: nn.Embedding, ids: torch.Tensor, cache: list[Cache] | None = None
    ) -> torch.Tensor:
        scaled = words(ids) * math.sqrt(words.embedding_dim)  # Vaswani et al. 2017, section 3.4
        return self.dropout(scaled + rows(self.table, ids, cache))
