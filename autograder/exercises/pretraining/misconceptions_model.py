"""Lesson 08's misconceptions about what goes into a language model's blocks: one slip in each class.

A class's docstring is the sentence that the student reads. Each class stands alone, with `torch` and `math`
as its only names, so that the class simulator can paste it.
"""

# ruff: noqa: D205  (a sentence may take two lines)

import math

import torch


class EmbeddingNotScaled(torch.nn.Module):
    """The embedding isn't multiplied by √d_model: the matrix that is small enough for an output map then
    gives vectors far smaller than what the model works with.
    """

    def __init__(self, vocabulary, d_model, n_heads, n_layers, positions):
        from helpers.models.blocks import Block

        super().__init__()
        self.d_model = d_model
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.positions = torch.nn.Embedding(positions, d_model)
        blocks = [Block(d_model, n_heads, 4 * d_model) for _ in range(n_layers)]
        self.blocks, self.norm = torch.nn.ModuleList(blocks), torch.nn.LayerNorm(d_model)
        self.head = torch.nn.Linear(d_model, vocabulary, bias=False)
        self.head.weight = self.words.weight

    def forward(self, ids, cache=None, weights=None):
        start = cache[0]["k"].size(-2) if cache and cache[0] else 0
        caches = cache or [None] * len(self.blocks)
        x = self.words(ids) + self.positions.weight[start : start + ids.size(-1)]
        for block, known in zip(self.blocks, caches, strict=True):
            x = block(x, causal=True, cache=known, weights=weights)
        return self.head(self.norm(x))


class EmbeddingDivided(torch.nn.Module):
    """The embedding is divided by √d_model, as scores are in attention: here it is multiplied."""

    def __init__(self, vocabulary, d_model, n_heads, n_layers, positions):
        from helpers.models.blocks import Block

        super().__init__()
        self.d_model = d_model
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.positions = torch.nn.Embedding(positions, d_model)
        blocks = [Block(d_model, n_heads, 4 * d_model) for _ in range(n_layers)]
        self.blocks, self.norm = torch.nn.ModuleList(blocks), torch.nn.LayerNorm(d_model)
        self.head = torch.nn.Linear(d_model, vocabulary, bias=False)
        self.head.weight = self.words.weight

    def forward(self, ids, cache=None, weights=None):
        start = cache[0]["k"].size(-2) if cache and cache[0] else 0
        caches = cache or [None] * len(self.blocks)
        x = self.words(ids) / math.sqrt(self.d_model) + self.positions.weight[start : start + ids.size(-1)]
        for block, known in zip(self.blocks, caches, strict=True):
            x = block(x, causal=True, cache=known, weights=weights)
        return self.head(self.norm(x))


class PositionsScaledToo(torch.nn.Module):
    """Words and positions are added first and scaled together: √d_model belongs to the words alone."""

    def __init__(self, vocabulary, d_model, n_heads, n_layers, positions):
        from helpers.models.blocks import Block

        super().__init__()
        self.d_model = d_model
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.positions = torch.nn.Embedding(positions, d_model)
        blocks = [Block(d_model, n_heads, 4 * d_model) for _ in range(n_layers)]
        self.blocks, self.norm = torch.nn.ModuleList(blocks), torch.nn.LayerNorm(d_model)
        self.head = torch.nn.Linear(d_model, vocabulary, bias=False)
        self.head.weight = self.words.weight

    def forward(self, ids, cache=None, weights=None):
        start = cache[0]["k"].size(-2) if cache and cache[0] else 0
        caches = cache or [None] * len(self.blocks)
        x = self.words(ids) + self.positions.weight[start : start + ids.size(-1)]
        x = math.sqrt(self.d_model) * x
        for block, known in zip(self.blocks, caches, strict=True):
            x = block(x, causal=True, cache=known, weights=weights)
        return self.head(self.norm(x))


class ScaledByWidth(torch.nn.Module):
    """The embedding is multiplied by d_model instead of its square root."""

    def __init__(self, vocabulary, d_model, n_heads, n_layers, positions):
        from helpers.models.blocks import Block

        super().__init__()
        self.d_model = d_model
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.positions = torch.nn.Embedding(positions, d_model)
        blocks = [Block(d_model, n_heads, 4 * d_model) for _ in range(n_layers)]
        self.blocks, self.norm = torch.nn.ModuleList(blocks), torch.nn.LayerNorm(d_model)
        self.head = torch.nn.Linear(d_model, vocabulary, bias=False)
        self.head.weight = self.words.weight

    def forward(self, ids, cache=None, weights=None):
        start = cache[0]["k"].size(-2) if cache and cache[0] else 0
        caches = cache or [None] * len(self.blocks)
        x = self.d_model * self.words(ids) + self.positions.weight[start : start + ids.size(-1)]
        for block, known in zip(self.blocks, caches, strict=True):
            x = block(x, causal=True, cache=known, weights=weights)
        return self.head(self.norm(x))


class WithoutPositions(torch.nn.Module):
    """No positions are added, so that the model hardly knows in which order the words came."""

    def __init__(self, vocabulary, d_model, n_heads, n_layers, positions):
        from helpers.models.blocks import Block

        super().__init__()
        self.d_model = d_model
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.positions = torch.nn.Embedding(positions, d_model)
        blocks = [Block(d_model, n_heads, 4 * d_model) for _ in range(n_layers)]
        self.blocks, self.norm = torch.nn.ModuleList(blocks), torch.nn.LayerNorm(d_model)
        self.head = torch.nn.Linear(d_model, vocabulary, bias=False)
        self.head.weight = self.words.weight

    def forward(self, ids, cache=None, weights=None):
        caches = cache or [None] * len(self.blocks)
        x = math.sqrt(self.d_model) * self.words(ids)
        for block, known in zip(self.blocks, caches, strict=True):
            x = block(x, causal=True, cache=known, weights=weights)
        return self.head(self.norm(x))


class PositionsOfTokens(torch.nn.Module):
    """A token's position is looked up by the token's number, `self.positions(ids)`: look it up by where the
    token stands.
    """

    def __init__(self, vocabulary, d_model, n_heads, n_layers, positions):
        from helpers.models.blocks import Block

        super().__init__()
        self.d_model = d_model
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.positions = torch.nn.Embedding(positions, d_model)
        blocks = [Block(d_model, n_heads, 4 * d_model) for _ in range(n_layers)]
        self.blocks, self.norm = torch.nn.ModuleList(blocks), torch.nn.LayerNorm(d_model)
        self.head = torch.nn.Linear(d_model, vocabulary, bias=False)
        self.head.weight = self.words.weight

    def forward(self, ids, cache=None, weights=None):
        caches = cache or [None] * len(self.blocks)
        x = math.sqrt(self.d_model) * self.words(ids) + self.positions(ids)
        for block, known in zip(self.blocks, caches, strict=True):
            x = block(x, causal=True, cache=known, weights=weights)
        return self.head(self.norm(x))


class PositionsFromZero(torch.nn.Module):
    """Positions begin at 0 though earlier ones are in the cache: the first new token stands at `start`."""

    def __init__(self, vocabulary, d_model, n_heads, n_layers, positions):
        from helpers.models.blocks import Block

        super().__init__()
        self.d_model = d_model
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.positions = torch.nn.Embedding(positions, d_model)
        blocks = [Block(d_model, n_heads, 4 * d_model) for _ in range(n_layers)]
        self.blocks, self.norm = torch.nn.ModuleList(blocks), torch.nn.LayerNorm(d_model)
        self.head = torch.nn.Linear(d_model, vocabulary, bias=False)
        self.head.weight = self.words.weight

    def forward(self, ids, cache=None, weights=None):
        caches = cache or [None] * len(self.blocks)
        x = math.sqrt(self.d_model) * self.words(ids) + self.positions.weight[: ids.size(-1)]
        for block, known in zip(self.blocks, caches, strict=True):
            x = block(x, causal=True, cache=known, weights=weights)
        return self.head(self.norm(x))


class WeightsLeftOut(torch.nn.Module):
    """The list `weights` stays empty: hand it on to each block, which appends what its attention looks at."""

    def __init__(self, vocabulary, d_model, n_heads, n_layers, positions):
        from helpers.models.blocks import Block

        super().__init__()
        self.d_model = d_model
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.positions = torch.nn.Embedding(positions, d_model)
        blocks = [Block(d_model, n_heads, 4 * d_model) for _ in range(n_layers)]
        self.blocks, self.norm = torch.nn.ModuleList(blocks), torch.nn.LayerNorm(d_model)
        self.head = torch.nn.Linear(d_model, vocabulary, bias=False)
        self.head.weight = self.words.weight

    def forward(self, ids, cache=None, weights=None):
        start = cache[0]["k"].size(-2) if cache and cache[0] else 0
        caches = cache or [None] * len(self.blocks)
        x = math.sqrt(self.d_model) * self.words(ids) + self.positions.weight[start : start + ids.size(-1)]
        for block, known in zip(self.blocks, caches, strict=True):
            x = block(x, causal=True, cache=known)
        return self.head(self.norm(x))


class CacheLeftOut(torch.nn.Module):
    """The blocks don't get their caches, so that new tokens know nothing of the earlier ones."""

    def __init__(self, vocabulary, d_model, n_heads, n_layers, positions):
        from helpers.models.blocks import Block

        super().__init__()
        self.d_model = d_model
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.positions = torch.nn.Embedding(positions, d_model)
        blocks = [Block(d_model, n_heads, 4 * d_model) for _ in range(n_layers)]
        self.blocks, self.norm = torch.nn.ModuleList(blocks), torch.nn.LayerNorm(d_model)
        self.head = torch.nn.Linear(d_model, vocabulary, bias=False)
        self.head.weight = self.words.weight

    def forward(self, ids, cache=None, weights=None):
        start = cache[0]["k"].size(-2) if cache and cache[0] else 0
        x = math.sqrt(self.d_model) * self.words(ids) + self.positions.weight[start : start + ids.size(-1)]
        for block in self.blocks:
            x = block(x, causal=True, weights=weights)
        return self.head(self.norm(x))
