"""Transformers: an embedding, positions, a stack of blocks, and what is read off at the top.

Three models of the blocks in `helpers.blocks`: a language model as GPT-2, an encoder as BERT, and the paper's
encoder-decoder. Their arguments have the order of the formulas in `helpers.counting`, which count them.
`B` batch, `T` positions, `C` or `d_model` channels, `V` vocabulary. A mask is boolean, True = "may attend".
"""

import math

import torch
from torch import nn

from helpers.blocks import BERT, PRE_NORM, Block, Cache, DecoderBlock, Style, initialise
from helpers.positional import sinusoidal


class LanguageModel(nn.Module):
    """Tells what comes next, at each position from what is up to it: GPT-2, with the exact GELU.

    Args:
        vocabulary: V, how many tokens there are.
        d_model: C.
        n_heads: H, a divisor of d_model.
        n_layers: blocks.
        positions: the longest sequence; positions are learned vectors.
        d_ff: hidden channels of the feed-forward networks; 4·C where nothing is said.
        dropout: the share that is zeroed in training, of the embedding and of each sublayer's output.
        style: where the norms are, and the activation; `helpers.blocks.GPT2` has the approximate GELU.

    Source: Radford et al. 2019, section 2.3. The output is tied to the embedding: Press and Wolf 2017.
    """

    def __init__(
        self,
        vocabulary: int,
        d_model: int,
        n_heads: int,
        n_layers: int,
        positions: int,
        d_ff: int | None = None,
        dropout: float = 0.0,
        style: Style = PRE_NORM,
    ) -> None:
        super().__init__()
        self.words, self.positions = nn.Embedding(vocabulary, d_model), nn.Embedding(positions, d_model)
        self.dropout = nn.Dropout(dropout)
        self.blocks = _stack(Block, n_layers, d_model, n_heads, d_ff or 4 * d_model, dropout, style)
        self.norm = _last_norm(d_model, style)
        self.head = nn.Linear(d_model, vocabulary, bias=False)
        self.head.weight = self.words.weight  # tied: the same tensor, counted and trained once
        initialise(self)

    def forward(
        self,
        ids: torch.Tensor,
        cache: list[Cache] | None = None,
        weights: list[torch.Tensor] | None = None,
    ) -> torch.Tensor:
        """Scores for what comes next.

        Padding at the end of a sequence needs no mask: nothing before it sees it.

        Args:
            ids: tokens, integers, (B, T); with a cache, the new ones alone.
            cache: of the P positions before them, made by `new_cache` and updated here.
            weights: a list that gets each layer's attention weights, (B, H, T, P + T).

        Returns:
            Logits (B, T, V).

        Raises:
            ValueError: there are more positions than the model has vectors for.
        """
        x = self.dropout(self.words(ids) + _rows(self.positions.weight, ids, cache))  # (B, T, C)
        for number, block in enumerate(self.blocks):
            x = block(x, causal=True, cache=cache[number] if cache else None, weights=weights)
        return self.head(self.norm(x))

    def loss(self, ids: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """The mean cross-entropy, in nats a token.

        Args:
            ids: tokens, (B, T).
            targets: what comes next at each position, (B, T); -100 where it isn't asked.

        Returns:
            A tensor of one number.
        """
        return nn.functional.cross_entropy(self(ids).flatten(0, 1), targets.flatten())

    def new_cache(self) -> list[Cache]:
        """An empty cache for decoding step by step, {} for each layer."""
        return [{} for _ in self.blocks]


class Encoder(nn.Module):
    """Turns tokens into vectors that know their context on both sides. BERT's body, unless asked otherwise.

    Post-norm blocks get a normalised embedding, as in BERT; with pre-norm blocks the output is normalised.

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

    Source: Devlin et al. 2019, section 3.
    """

    def __init__(
        self,
        vocabulary: int,
        d_model: int,
        n_heads: int,
        d_ff: int,
        n_layers: int,
        positions: int,
        segments: int = 0,
        dropout: float = 0.0,
        style: Style = BERT,
    ) -> None:
        super().__init__()
        self.words, self.positions = nn.Embedding(vocabulary, d_model), nn.Embedding(positions, d_model)
        self.segments = nn.Embedding(segments, d_model) if segments else None
        self.first_norm = nn.Identity() if style.norm_first else nn.LayerNorm(d_model, style.eps)
        self.dropout = nn.Dropout(dropout)
        self.blocks = _stack(Block, n_layers, d_model, n_heads, d_ff, dropout, style)
        self.norm = _last_norm(d_model, style)
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
            real: boolean, (B, T). True is a token, False is padding, which nothing attends to. What comes out
                at padding means nothing.
            segments: which segment each token belongs to, integers, (B, T). None: all to segment 0.
            weights: a list that gets each layer's attention weights, (B, H, T, T).

        Returns:
            (B, T, C).

        Raises:
            ValueError: there are more positions than the model has vectors for, or segments but none learned.
        """
        x = self.words(ids) + _rows(self.positions.weight, ids)  # (B, T, C)
        if self.segments is not None:
            x = x + (self.segments.weight[0] if segments is None else self.segments(segments))
        elif segments is not None:
            raise ValueError("this encoder was made without segments")
        x = self.dropout(self.first_norm(x))
        mask = _keys(real)
        for block in self.blocks:
            x = block(x, mask, weights=weights)
        return self.norm(x)


class EncoderDecoder(nn.Module):
    """Reads one sequence and writes another, over one vocabulary. Positions are sines and cosines.

    Args:
        vocabulary: V, the same for source and target.
        d_model: C, even.
        n_heads: H, a divisor of d_model.
        d_ff: hidden channels of the feed-forward networks.
        n_layers: blocks of the encoder, and of the decoder.
        tied: whether one matrix serves as source embedding, target embedding and output map.
        positions: the longest sequence; costs no parameters.
        dropout: the share that is zeroed in training, of the embeddings and of each sublayer's output.
        style: where the norms are, and the activation. `helpers.blocks.PAPER` is the paper's, which wants a
            warm-up of the learning rate; pre-norm trains without.

    Source: Vaswani et al. 2017, section 3.
    """

    def __init__(
        self,
        vocabulary: int,
        d_model: int,
        n_heads: int,
        d_ff: int,
        n_layers: int,
        tied: bool = True,
        positions: int = 512,
        dropout: float = 0.0,
        style: Style = PRE_NORM,
    ) -> None:
        super().__init__()
        sizes = (n_layers, d_model, n_heads, d_ff, dropout, style)
        self.source_words, self.target_words = (nn.Embedding(vocabulary, d_model) for _ in range(2))
        self.head = nn.Linear(d_model, vocabulary, bias=False)
        if tied:
            self.source_words.weight = self.target_words.weight = self.head.weight
        self.register_buffer("table", sinusoidal(positions, d_model), persistent=False)
        self.dropout = nn.Dropout(dropout)
        self.encoder, self.decoder = _stack(Block, *sizes), _stack(DecoderBlock, *sizes)
        self.encoder_norm, self.decoder_norm = (_last_norm(d_model, style) for _ in range(2))
        for stack in (self.encoder, self.decoder):
            initialise(stack)
        for words in (self.source_words, self.target_words, self.head):
            # Not 1/√d_model, as is often seen: a tied output is then sure that each token follows itself.
            nn.init.normal_(words.weight, std=0.02)

    def forward(
        self, source: torch.Tensor, target: torch.Tensor, real: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Scores for what comes next in the target.

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
        x, mask = self._embed(self.source_words, source), _keys(real)
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
        """Scores for what comes next, from a memory.

        Args:
            target: tokens, (B, T_t); with a cache, the new ones alone.
            memory: of `encode`, (B, T_s, C).
            real: boolean, (B, T_s). True is a source token, False is padding.
            cache: of the positions before them, made by `new_cache` and updated here.
            cross_weights: a list that gets each layer's weights over the source, (B, H, T_t, T_s).

        Returns:
            Logits (B, T_t, V).
        """
        y, mask = self._embed(self.target_words, target, cache and [own for own, _ in cache]), _keys(real)
        for number, block in enumerate(self.decoder):
            y = block(y, memory, mask, cache[number] if cache else None, cross_weights)
        return self.head(self.decoder_norm(y))

    def new_cache(self) -> list[tuple[Cache, Cache]]:
        """An empty cache for decoding step by step: for each layer one of its own, one of the memory."""
        return [({}, {}) for _ in self.decoder]

    def _embed(
        self, words: nn.Embedding, ids: torch.Tensor, cache: list[Cache] | None = None
    ) -> torch.Tensor:
        scaled = words(ids) * math.sqrt(words.embedding_dim)  # Vaswani et al. 2017, section 3.4
        return self.dropout(scaled + _rows(self.table, ids, cache))


def _stack(block: type, n_layers: int, *arguments: object) -> nn.ModuleList:
    return nn.ModuleList(block(*arguments) for _ in range(n_layers))


def _last_norm(d_model: int, style: Style) -> nn.Module:
    """Pre-norm blocks leave their sum as it is, so it is normalised once at the end."""
    return nn.LayerNorm(d_model, style.eps) if style.norm_first else nn.Identity()


def _keys(real: torch.Tensor | None) -> torch.Tensor | None:
    """A mask (B, 1, 1, T) for scores (B, H, T_q, T): no query may attend to padding."""
    return None if real is None else real[:, None, None, :]


def _rows(table: torch.Tensor, ids: torch.Tensor, cache: list[Cache] | None = None) -> torch.Tensor:
    """The table's rows (T, C) for the positions of ids, which come after those in the cache."""
    start = cache[0]["k"].size(-2) if cache and cache[0] else 0
    if start + ids.size(-1) > len(table):
        raise ValueError(f"{start + ids.size(-1)} positions, but the model has vectors for {len(table)}")
    return table[start : start + ids.size(-1)]
