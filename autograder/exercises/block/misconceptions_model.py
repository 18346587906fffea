"""The block's misconceptions about the model: one slip in each class, as a student has it.

A class's docstring is the sentence that the student reads. Each class stands alone, with `torch`, `math` and
the lesson's earlier answers as its only names, so that the class simulator can paste it.
"""

# ruff: noqa: D205  (a sentence may take two lines)

import math

import torch

from helpers.block import Block, LayerNorm, embed, unembed
from helpers.masking import causal_mask


class NotCausal(torch.nn.Module):
    """No mask is handed to the blocks, so that each position sees the token that it should predict."""

    def __init__(self, vocabulary, d_model, n_heads, n_layers, positions):
        super().__init__()
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.positions = torch.nn.Embedding(positions, d_model)
        self.blocks = torch.nn.ModuleList(Block(d_model, n_heads, 4 * d_model) for _ in range(n_layers))
        self.norm = LayerNorm(d_model)

    def forward(self, ids):
        x = embed(ids, self.words.weight, self.positions.weight)
        for block in self.blocks:
            x = block(x)
        return unembed(self.norm(x), self.words.weight)


class LooksBack(torch.nn.Module):
    """The mask is the wrong way round: a position may attend to itself and to earlier ones."""

    def __init__(self, vocabulary, d_model, n_heads, n_layers, positions):
        super().__init__()
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.positions = torch.nn.Embedding(positions, d_model)
        self.blocks = torch.nn.ModuleList(Block(d_model, n_heads, 4 * d_model) for _ in range(n_layers))
        self.norm = LayerNorm(d_model)

    def forward(self, ids):
        x = embed(ids, self.words.weight, self.positions.weight)
        mask = causal_mask(ids.size(-1)).T
        for block in self.blocks:
            x = block(x, mask)
        return unembed(self.norm(x), self.words.weight)


class OnlyTheFirstIsCausal(torch.nn.Module):
    """Only the first block gets the mask: one block that looks ahead is enough for a leak."""

    def __init__(self, vocabulary, d_model, n_heads, n_layers, positions):
        super().__init__()
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.positions = torch.nn.Embedding(positions, d_model)
        self.blocks = torch.nn.ModuleList(Block(d_model, n_heads, 4 * d_model) for _ in range(n_layers))
        self.norm = LayerNorm(d_model)

    def forward(self, ids):
        x = embed(ids, self.words.weight, self.positions.weight)
        mask = causal_mask(ids.size(-1))
        for number, block in enumerate(self.blocks):
            x = block(x, None if number else mask)
        return unembed(self.norm(x), self.words.weight)


class LastNormForgotten(torch.nn.Module):
    """The last norm is missing: with the norms first, nothing has normalised the path itself yet."""

    def __init__(self, vocabulary, d_model, n_heads, n_layers, positions):
        super().__init__()
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.positions = torch.nn.Embedding(positions, d_model)
        self.blocks = torch.nn.ModuleList(Block(d_model, n_heads, 4 * d_model) for _ in range(n_layers))
        self.norm = LayerNorm(d_model)

    def forward(self, ids):
        x = embed(ids, self.words.weight, self.positions.weight)
        mask = causal_mask(ids.size(-1))
        for block in self.blocks:
            x = block(x, mask)
        return unembed(x, self.words.weight)


class NormBeforeTheBlocks(torch.nn.Module):
    """The norm stands before the blocks: it belongs behind the last of them."""

    def __init__(self, vocabulary, d_model, n_heads, n_layers, positions):
        super().__init__()
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.positions = torch.nn.Embedding(positions, d_model)
        self.blocks = torch.nn.ModuleList(Block(d_model, n_heads, 4 * d_model) for _ in range(n_layers))
        self.norm = LayerNorm(d_model)

    def forward(self, ids):
        x = embed(ids, self.words.weight, self.positions.weight)
        mask = causal_mask(ids.size(-1))
        x = self.norm(x)
        for block in self.blocks:
            x = block(x, mask)
        return unembed(x, self.words.weight)


class NormAfterEach(torch.nn.Module):
    """The norm comes after every block: it comes once, behind the last."""

    def __init__(self, vocabulary, d_model, n_heads, n_layers, positions):
        super().__init__()
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.positions = torch.nn.Embedding(positions, d_model)
        self.blocks = torch.nn.ModuleList(Block(d_model, n_heads, 4 * d_model) for _ in range(n_layers))
        self.norm = LayerNorm(d_model)

    def forward(self, ids):
        x = embed(ids, self.words.weight, self.positions.weight)
        mask = causal_mask(ids.size(-1))
        for block in self.blocks:
            x = self.norm(block(x, mask))
        return unembed(x, self.words.weight)


class FirstBlockAgain(torch.nn.Module):
    """The first block is used again and again: each block has weights of its own."""

    def __init__(self, vocabulary, d_model, n_heads, n_layers, positions):
        super().__init__()
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.positions = torch.nn.Embedding(positions, d_model)
        self.blocks = torch.nn.ModuleList(Block(d_model, n_heads, 4 * d_model) for _ in range(n_layers))
        self.norm = LayerNorm(d_model)

    def forward(self, ids):
        x = embed(ids, self.words.weight, self.positions.weight)
        mask = causal_mask(ids.size(-1))
        for _ in self.blocks:
            x = self.blocks[0](x, mask)
        return unembed(self.norm(x), self.words.weight)


class LastBlockAlone(torch.nn.Module):
    """Each block gets the embedding, so that only the last one counts: a block reads what the one before
    gave.
    """

    def __init__(self, vocabulary, d_model, n_heads, n_layers, positions):
        super().__init__()
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.positions = torch.nn.Embedding(positions, d_model)
        self.blocks = torch.nn.ModuleList(Block(d_model, n_heads, 4 * d_model) for _ in range(n_layers))
        self.norm = LayerNorm(d_model)

    def forward(self, ids):
        x = embed(ids, self.words.weight, self.positions.weight)
        mask = causal_mask(ids.size(-1))
        for block in self.blocks:
            y = block(x, mask)
        return unembed(self.norm(y), self.words.weight)


class AddedTwice(torch.nn.Module):
    """The blocks' outputs are added to x, but a block has its residual path inside."""

    def __init__(self, vocabulary, d_model, n_heads, n_layers, positions):
        super().__init__()
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.positions = torch.nn.Embedding(positions, d_model)
        self.blocks = torch.nn.ModuleList(Block(d_model, n_heads, 4 * d_model) for _ in range(n_layers))
        self.norm = LayerNorm(d_model)

    def forward(self, ids):
        x = embed(ids, self.words.weight, self.positions.weight)
        mask = causal_mask(ids.size(-1))
        for block in self.blocks:
            x = x + block(x, mask)
        return unembed(self.norm(x), self.words.weight)


class Probabilities(torch.nn.Module):
    """These are probabilities: logits are what comes before the softmax."""

    def __init__(self, vocabulary, d_model, n_heads, n_layers, positions):
        super().__init__()
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.positions = torch.nn.Embedding(positions, d_model)
        self.blocks = torch.nn.ModuleList(Block(d_model, n_heads, 4 * d_model) for _ in range(n_layers))
        self.norm = LayerNorm(d_model)

    def forward(self, ids):
        x = embed(ids, self.words.weight, self.positions.weight)
        mask = causal_mask(ids.size(-1))
        for block in self.blocks:
            x = block(x, mask)
        return unembed(self.norm(x), self.words.weight).softmax(dim=-1)


class LogProbabilities(torch.nn.Module):
    """What comes out are log-probabilities: logits are the scores before any softmax, and the loss takes its
    own logarithms.
    """

    def __init__(self, vocabulary, d_model, n_heads, n_layers, positions):
        super().__init__()
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.positions = torch.nn.Embedding(positions, d_model)
        self.blocks = torch.nn.ModuleList(Block(d_model, n_heads, 4 * d_model) for _ in range(n_layers))
        self.norm = LayerNorm(d_model)

    def forward(self, ids):
        x = embed(ids, self.words.weight, self.positions.weight)
        for block in self.blocks:
            x = block(x, causal_mask(ids.size(-1)))
        return unembed(self.norm(x), self.words.weight).log_softmax(dim=-1)


class PositionsFromOne(torch.nn.Module):
    """Positions are counted from 1: the first token gets row 0 of the positions' table."""

    def __init__(self, vocabulary, d_model, n_heads, n_layers, positions):
        super().__init__()
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.positions = torch.nn.Embedding(positions, d_model)
        self.blocks = torch.nn.ModuleList(Block(d_model, n_heads, 4 * d_model) for _ in range(n_layers))
        self.norm = LayerNorm(d_model)

    def forward(self, ids):
        moved = self.positions.weight.roll(-1, 0)
        x = embed(ids, self.words.weight, moved)
        for block in self.blocks:
            x = block(x, causal_mask(ids.size(-1)))
        return unembed(self.norm(x), self.words.weight)


class TokensForLogits(torch.nn.Module):
    """The likeliest token is returned: the exercise asks for logits, a score for each token of the
    vocabulary.
    """

    def __init__(self, vocabulary, d_model, n_heads, n_layers, positions):
        super().__init__()
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.positions = torch.nn.Embedding(positions, d_model)
        self.blocks = torch.nn.ModuleList(Block(d_model, n_heads, 4 * d_model) for _ in range(n_layers))
        self.norm = LayerNorm(d_model)

    def forward(self, ids):
        x = embed(ids, self.words.weight, self.positions.weight)
        for block in self.blocks:
            x = block(x, causal_mask(ids.size(-1)))
        return unembed(self.norm(x), self.words.weight).argmax(dim=-1)


class HiddenVectors(torch.nn.Module):
    """These are the vectors behind the last norm: `unembed` turns them into a score for each token."""

    def __init__(self, vocabulary, d_model, n_heads, n_layers, positions):
        super().__init__()
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.positions = torch.nn.Embedding(positions, d_model)
        self.blocks = torch.nn.ModuleList(Block(d_model, n_heads, 4 * d_model) for _ in range(n_layers))
        self.norm = LayerNorm(d_model)

    def forward(self, ids):
        x = embed(ids, self.words.weight, self.positions.weight)
        mask = causal_mask(ids.size(-1))
        for block in self.blocks:
            x = block(x, mask)
        return self.norm(x)


class LastPositionAlone(torch.nn.Module):
    """These are the last position's logits alone: each position predicts what comes after it."""

    def __init__(self, vocabulary, d_model, n_heads, n_layers, positions):
        super().__init__()
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.positions = torch.nn.Embedding(positions, d_model)
        self.blocks = torch.nn.ModuleList(Block(d_model, n_heads, 4 * d_model) for _ in range(n_layers))
        self.norm = LayerNorm(d_model)

    def forward(self, ids):
        x = embed(ids, self.words.weight, self.positions.weight)
        mask = causal_mask(ids.size(-1))
        for block in self.blocks:
            x = block(x, mask)
        return unembed(self.norm(x[:, -1:]), self.words.weight)


class EmbeddingNotScaled(torch.nn.Module):
    """The embedding isn't multiplied by √C, as `embed` is to do."""

    def __init__(self, vocabulary, d_model, n_heads, n_layers, positions):
        super().__init__()
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.positions = torch.nn.Embedding(positions, d_model)
        self.blocks = torch.nn.ModuleList(Block(d_model, n_heads, 4 * d_model) for _ in range(n_layers))
        self.norm = LayerNorm(d_model)

    def forward(self, ids):
        x = self.words(ids) + self.positions.weight[: ids.size(-1)]
        mask = causal_mask(ids.size(-1))
        for block in self.blocks:
            x = block(x, mask)
        return unembed(self.norm(x), self.words.weight)


class PositionsForgotten(torch.nn.Module):
    """The positions are left out: nothing but the mask then tells the order of the tokens."""

    def __init__(self, vocabulary, d_model, n_heads, n_layers, positions):
        super().__init__()
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.positions = torch.nn.Embedding(positions, d_model)
        self.blocks = torch.nn.ModuleList(Block(d_model, n_heads, 4 * d_model) for _ in range(n_layers))
        self.norm = LayerNorm(d_model)

    def forward(self, ids):
        x = math.sqrt(self.words.weight.size(-1)) * self.words(ids)
        mask = causal_mask(ids.size(-1))
        for block in self.blocks:
            x = block(x, mask)
        return unembed(self.norm(x), self.words.weight)


class BackwardsThroughTheBlocks(torch.nn.Module):
    """The blocks are passed from the last to the first."""

    def __init__(self, vocabulary, d_model, n_heads, n_layers, positions):
        super().__init__()
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.positions = torch.nn.Embedding(positions, d_model)
        self.blocks = torch.nn.ModuleList(Block(d_model, n_heads, 4 * d_model) for _ in range(n_layers))
        self.norm = LayerNorm(d_model)

    def forward(self, ids):
        x = embed(ids, self.words.weight, self.positions.weight)
        mask = causal_mask(ids.size(-1))
        for block in reversed(self.blocks):
            x = block(x, mask)
        return unembed(self.norm(x), self.words.weight)


class ScaledOnTheWayOut(torch.nn.Module):
    """The scores are multiplied by √C: the factor belongs to the way in alone."""

    def __init__(self, vocabulary, d_model, n_heads, n_layers, positions):
        super().__init__()
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.positions = torch.nn.Embedding(positions, d_model)
        self.blocks = torch.nn.ModuleList(Block(d_model, n_heads, 4 * d_model) for _ in range(n_layers))
        self.norm = LayerNorm(d_model)

    def forward(self, ids):
        x = embed(ids, self.words.weight, self.positions.weight)
        mask = causal_mask(ids.size(-1))
        for block in self.blocks:
            x = block(x, mask)
        return math.sqrt(x.size(-1)) * unembed(self.norm(x), self.words.weight)
