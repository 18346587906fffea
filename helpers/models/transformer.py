"""Transformers: an embedding, positions, a stack of blocks, and an output at the top.

Two models built from `helpers.models.blocks`: a language model like GPT-2 and an encoder like BERT; the
paper's encoder-decoder is in `helpers.models.encoder_decoder`. The sizes in a config have the order of the
formulas in `helpers.counting`, which count them.
`B` batch, `T` positions, `C` or `d_model` channels, `V` vocabulary. A mask is boolean, True = "may attend".
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn

from helpers.models.blocks import BERT, COURSE, PRE_NORM, Block, Cache, Parts, Style, initialise, new_norm
from helpers.models.linear import Linear


@dataclass(frozen=True)
class LanguageModelConfig:
    """What a `LanguageModel` is made of.

    Args:
        vocabulary: V, how many tokens there are.
        d_model: C.
        n_heads: H, a divisor of d_model.
        n_layers: blocks.
        positions: the longest sequence; positions are learned vectors.
        d_ff: hidden channels of the feed-forward networks; None for 4·C.
        dropout: the share that is zeroed in training, of the embedding and of each sublayer's output.
        style: where the norms are, and the activation; `helpers.models.blocks.GPT2` has the approximate GELU.
        scale: what the embedding is multiplied by; None for √C, 1 in GPT-2.
    """

    vocabulary: int
    d_model: int
    n_heads: int
    n_layers: int
    positions: int
    d_ff: int | None = None
    dropout: float = 0.0
    style: Style = PRE_NORM
    scale: float | None = None


@dataclass(frozen=True)
class EncoderConfig:
    """What an `Encoder` is made of.

    Args:
        vocabulary: V.
        d_model: C.
        n_heads: H, a divisor of d_model.
        d_ff: hidden channels of the feed-forward networks.
        n_layers: blocks.
        positions: the longest sequence; positions are learned vectors.
        segments: how many kinds of segment there are, sentence A and sentence B, say; 0 for none.
        dropout: the share that is zeroed in training, of the embedding and of each sublayer's output.
        style: where the norms are, and the activation.
        scale: what the embedding of the words is multiplied by; 1 in BERT, √C in `LanguageModel`.
    """

    vocabulary: int
    d_model: int
    n_heads: int
    d_ff: int
    n_layers: int
    positions: int
    segments: int = 0
    dropout: float = 0.0
    style: Style = BERT
    scale: float = 1.0


class LanguageModel(nn.Module):
    """Predicts the next token at each position, from the tokens up to there: GPT-2, with two changes.

    The GELU is exact, and the embedding is multiplied by √C, as in the paper. One matrix is both embedding
    and output map: as output map it needs small numbers, as embedding large ones. A model as small as ours
    learns faster with this factor.

    Source: Radford et al. 2019, section 2.3. The output is tied to the embedding: Press and Wolf 2017. Its
    scale: Vaswani et al. 2017, section 3.4.
    """

    def __init__(self, config: LanguageModelConfig, parts: Parts = COURSE) -> None:
        super().__init__()
        C, d_ff = config.d_model, config.d_ff or 4 * config.d_model
        self.config, self.parts = config, parts
        self.scale = math.sqrt(C) if config.scale is None else config.scale
        self.words, self.positions = nn.Embedding(config.vocabulary, C), nn.Embedding(config.positions, C)
        self.dropout = nn.Dropout(config.dropout)
        self.blocks = stack(
            Block, config.n_layers, C, config.n_heads, d_ff, config.dropout, config.style, parts
        )
        self.norm = last_norm(C, config.style, parts)
        self.head = Linear(C, config.vocabulary, bias=False)
        self.head.weight = self.words.weight  # tied: the same tensor, counted and trained once
        initialise(self)
        nn.init.normal_(self.positions.weight, std=0.02 * self.scale)  # as large as the words beside them

    def forward(
        self,
        ids: torch.Tensor,
        cache: list[Cache] | None = None,
        weights: list[torch.Tensor] | None = None,
    ) -> torch.Tensor:
        """Scores for the next token.

        Padding at the end of a sequence needs no mask: no earlier position sees it.

        Args:
            ids: tokens, integers, (B, T); with a cache, the new ones alone.
            cache: of the P positions before them, made by `new_cache` and updated here.
            weights: a list to which each layer's attention weights, (B, H, T, P + T), are appended.

        Returns:
            Logits (B, T, V).

        Raises:
            ValueError: there are more positions than the model has vectors for.
        """
        x = self.backbone(ids, cache, weights)
        return self.parts.unembed(x, self.head.weight) if self.parts.unembed else self.head(x)

    def backbone(
        self,
        ids: torch.Tensor,
        cache: list[Cache] | None = None,
        weights: list[torch.Tensor] | None = None,
    ) -> torch.Tensor:
        """What the head reads: a vector for each position, (B, T, C). Arguments as of `forward`."""
        places = rows(self.positions.weight, ids, cache)
        if self.parts.embed and self.config.scale is None:
            x = self.parts.embed(ids, self.words.weight, places)
        else:
            x = self.scale * self.words(ids) + places
        x = self.dropout(x)
        for number, block in enumerate(self.blocks):
            x = block(x, causal=True, cache=cache[number] if cache else None, weights=weights)
        return self.norm(x)

    def loss(self, ids: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """The mean cross-entropy, in nats per token.

        Args:
            ids: tokens, (B, T).
            targets: the next token at each position, (B, T); -100 where it doesn't count.

        Returns:
            A tensor of one number.
        """
        return nn.functional.cross_entropy(self(ids).flatten(0, 1), targets.flatten())

    def new_cache(self) -> list[Cache]:
        """An empty cache for decoding step by step, {} for each layer."""
        return [{} for _ in self.blocks]


class Encoder(nn.Module):
    """Turns tokens into vectors that know their context on both sides: BERT's backbone, by default.

    Post-norm blocks get a normalised embedding, as in BERT; with pre-norm blocks the output is normalised.

    Source: Devlin et al. 2019, section 3.
    """

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        C, style = config.d_model, config.style
        self.config = config
        self.scale = config.scale
        self.words, self.positions = nn.Embedding(config.vocabulary, C), nn.Embedding(config.positions, C)
        self.segments = nn.Embedding(config.segments, C) if config.segments else None
        self.first_norm = nn.Identity() if style.norm_first else nn.LayerNorm(C, style.eps)
        self.dropout = nn.Dropout(config.dropout)
        self.blocks = stack(Block, config.n_layers, C, config.n_heads, config.d_ff, config.dropout, style)
        self.norm = last_norm(C, style)
        initialise(self)

    def forward(
        self,
        ids: torch.Tensor,
        real: torch.Tensor | None = None,
        segments: torch.Tensor | None = None,
        weights: list[torch.Tensor] | None = None,
    ) -> torch.Tensor:
        """A vector for each token.

        Args:
            ids: tokens, integers, (B, T).
            real: boolean, (B, T). True is a token, False is padding, which nothing attends to. The output at
                padding is meaningless.
            segments: which segment each token belongs to, integers, (B, T). None: all belong to segment 0.
            weights: a list to which each layer's attention weights, (B, H, T, T), are appended.

        Returns:
            (B, T, C).

        Raises:
            ValueError: there are more positions than the model has vectors for, or segments although it has
                none, or `real` isn't one boolean for each token.
        """
        if real is not None and real.shape != ids.shape:
            shapes = f"this is {tuple(real.shape)}, where the tokens are {tuple(ids.shape)}"
            raise ValueError(f"real is one boolean for each token, (B, T): {shapes}")
        x = self.scale * self.words(ids) + rows(self.positions.weight, ids)  # (B, T, C)
        if self.segments is not None:
            x = x + (self.segments.weight[0] if segments is None else self.segments(segments))
        elif segments is not None:
            raise ValueError("this encoder was made without segments")
        x = self.dropout(self.first_norm(x))
        mask = key_mask(real)
        for block in self.blocks:
            x = block(x, mask, weights=weights)
        return self.norm(x)


def stack(block: Callable[..., nn.Module], n_layers: int, *arguments: object) -> nn.ModuleList:
    """Blocks of one kind, each with weights of its own."""
    return nn.ModuleList(block(*arguments) for _ in range(n_layers))


def last_norm(d_model: int, style: Style, parts: Parts = COURSE) -> nn.Module:
    """Pre-norm blocks don't normalise the residual path, so that is done once at the end."""
    return new_norm(d_model, style, parts) if style.norm_first else nn.Identity()


def key_mask(real: torch.Tensor | None) -> torch.Tensor | None:
    """A mask (B, 1, 1, T) for scores (B, H, T_q, T): no query may attend to padding."""
    return None if real is None else real[:, None, None, :]


def rows(table: torch.Tensor, ids: torch.Tensor, cache: list[Cache] | None = None) -> torch.Tensor:
    """The table's rows (T, C) for the positions of ids, which come after those in the cache."""
    start = cache[0]["k"].size(-2) if cache and cache[0] else 0
    if start + ids.size(-1) > len(table):
        raise ValueError(f"{start + ids.size(-1)} positions, but the model has vectors for {len(table)}")
    return table[start : start + ids.size(-1)]
