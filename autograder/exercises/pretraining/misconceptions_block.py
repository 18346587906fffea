"""Lesson 08's misconceptions about a language model's blocks and head: one slip in each class.

A class's docstring is the sentence that the student reads. Each class stands alone, with `torch` and `math`
as its only names, so that the class simulator can paste it.
"""

# ruff: noqa: D205  (a sentence may take two lines)

import math

import torch


class LooksAhead(torch.nn.Module):
    """The blocks aren't causal: each position sees the token it is to say, and the loss goes to zero while
    nothing is learned.
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
        x = math.sqrt(self.d_model) * self.words(ids) + self.positions.weight[start : start + ids.size(-1)]
        for block, known in zip(self.blocks, caches, strict=True):
            x = block(x, cache=known, weights=weights)
        return self.head(self.norm(x))


class LastNormMissing(torch.nn.Module):
    """The last norm is missing: blocks that normalise what goes into them leave their sum as it is, larger
    with each block, and the head wants it normalised.
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
        x = math.sqrt(self.d_model) * self.words(ids) + self.positions.weight[start : start + ids.size(-1)]
        for block, known in zip(self.blocks, caches, strict=True):
            x = block(x, causal=True, cache=known, weights=weights)
        return self.head(x)


class NormBeforeTheBlocks(torch.nn.Module):
    """The norm comes before the blocks: it belongs behind the last one, where the head reads."""

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
        x = self.norm(x)
        for block, known in zip(self.blocks, caches, strict=True):
            x = block(x, causal=True, cache=known, weights=weights)
        return self.head(x)


class LastBlockAlone(torch.nn.Module):
    """Each block reads the embedding, so that only the last one's result is used: pass on what the block
    before gave.
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
        x = math.sqrt(self.d_model) * self.words(ids) + self.positions.weight[start : start + ids.size(-1)]
        below = x
        for block, known in zip(self.blocks, caches, strict=True):
            x = block(below, causal=True, cache=known, weights=weights)
        return self.head(self.norm(x))


class AddedTwice(torch.nn.Module):
    """The block's input is added to its output once more: a block adds it itself."""

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
            x = x + block(x, causal=True, cache=known, weights=weights)
        return self.head(self.norm(x))


class FirstBlockAgainAndAgain(torch.nn.Module):
    """The first block is used in place of all of them."""

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
        for known in caches:
            x = self.blocks[0](x, causal=True, cache=known, weights=weights)
        return self.head(self.norm(x))


class ProbabilitiesInsteadOfLogits(torch.nn.Module):
    """A softmax at the end: the loss takes one itself, so the model should give logits."""

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
            x = block(x, causal=True, cache=known, weights=weights)
        return self.head(self.norm(x)).softmax(dim=-1)


class HiddenInsteadOfLogits(torch.nn.Module):
    """The head is missing: these are the vectors that it reads, not a score for each token."""

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
            x = block(x, causal=True, cache=known, weights=weights)
        return self.norm(x)
