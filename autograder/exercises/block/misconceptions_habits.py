"""The block's misconceptions that come along with code from elsewhere; see `misconceptions.py`."""

# ruff: noqa: D205  (a sentence may take two lines)

import math

import torch

from helpers.block import Block, FeedForward, LayerNorm, embed, unembed
from helpers.masking import causal_mask
from helpers.multihead import MultiHeadAttention


def positions_for_the_batch(ids, words, positions):
    """As many rows of positions are taken as `ids` has on its first axis, which is the batch where there is
    one: positions are counted along the last axis.
    """
    return math.sqrt(words.size(-1)) * words[ids] + positions[: ids.size(0)]


def unembedded_by_angles(x, words):
    """These are cosines, since both vectors are brought to length 1: a logit is the plain dot product, in
    which lengths count.
    """
    normalize = torch.nn.functional.normalize
    return normalize(x, dim=-1) @ normalize(words, dim=-1).T


def root_outside_erf(x):
    """Erf is divided by √2, where x is to be: √2 belongs inside the brackets of erf."""
    return 0.5 * x * (1 + torch.erf(x) / math.sqrt(2))


def std_written_in(name, n_layers, std=0.02):
    """The 0.02 is written in, whatever `std` says: it is only what the argument is where nobody says more."""
    if name.endswith(("W_o.weight", "W_down.weight")):
        return 0.02 / math.sqrt(2 * n_layers)
    return 0.02


def unembedded_to_log_probabilities(x, words):
    """These are logarithms of probabilities: logits are what comes before the softmax."""
    return (x @ words.T).log_softmax(dim=-1)


def neither_scaled_nor_shifted(x, weight, bias, eps=1e-5):
    """Weight and bias are left out: after the norm each channel is multiplied by one of its own, and
    shifted by another.
    """
    return (x - x.mean(-1, keepdim=True)) / torch.sqrt(x.var(-1, correction=0, keepdim=True) + eps)


def first_of_what_is_said(x, sublayer, norm, norm_first=True):
    """Only the first entry of what the sublayer says is added, [0]: a sublayer returns one tensor here,
    and the tuple of attention is taken apart before.
    """
    return x + sublayer(norm(x))[0] if norm_first else norm(x + sublayer(x)[0])


def embedded_side_by_side(ids, words, positions):
    """Token and position are put side by side, which makes the vectors twice as wide: they are added."""
    rows = math.sqrt(words.size(-1)) * words[ids]
    return torch.cat([rows, positions[: ids.size(-1)].expand_as(rows)], dim=-1)


class MaskTurnedRound(torch.nn.Module):
    """The mask is turned round, as other libraries want it: `attention` takes True for “may attend”, as the
    block does, and a query that may see nothing gets NaN.
    """

    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.attention, self.feed_forward = MultiHeadAttention(d_model, n_heads), FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = LayerNorm(d_model), LayerNorm(d_model)

    def forward(self, x, mask=None):
        mask = None if mask is None else ~mask
        x = x + self.attention(self.norm_1(x), mask=mask)[0]
        return x + self.feed_forward(self.norm_2(x))


def share_that_stays(x, p, training, chances):
    """Here p is the share that stays, as it was in early TensorFlow: it is the share that goes, and the
    rest is divided by 1 − p.
    """
    return torch.where(chances < p, x / p, 0.0) if training else x


def norm_of_the_path_alone(x, sublayer, norm, norm_first=True):
    """With the norm last, it is taken of x alone, before the sublayer's output is added: it belongs around
    the sum.
    """
    return x + sublayer(norm(x)) if norm_first else norm(x) + sublayer(x)


def scaled_by_what_stayed(x, p, training, chances):
    """The rest is divided by the share that happened to stay: divide by 1 − p, the share that stays on
    average, so that each number's mean stays whatever the others do.
    """
    if not training:
        return x
    stays = (chances >= p).to(x.dtype)
    return x * stays / stays.mean()


class FirstBlockAlone(torch.nn.Module):
    """Only the first block is used: all of them come one after the other."""

    def __init__(self, vocabulary, d_model, n_heads, n_layers, positions):
        super().__init__()
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.positions = torch.nn.Embedding(positions, d_model)
        self.blocks = torch.nn.ModuleList(Block(d_model, n_heads, 4 * d_model) for _ in range(n_layers))
        self.norm = LayerNorm(d_model)

    def forward(self, ids):
        x = embed(ids, self.words.weight, self.positions.weight)
        x = self.blocks[0](x, causal_mask(ids.size(-1)))
        return unembed(self.norm(x), self.words.weight)


def root_of_its_place(name, n_layers, std=0.02):
    """The number in the name is taken for the number of blocks: it says which block this is, and `n_layers`
    how many there are.
    """
    if not name.endswith(("W_o.weight", "W_down.weight")):
        return std
    return std / math.sqrt(2 * (int(name.split(".")[1]) + 1))


def only_what_stays(x, p, training, chances):
    """Only the numbers that stay come back, and have moved up: those that go leave a 0 in their place."""
    return x[chances >= p] / (1 - p) if training else x


def normed_first_and_last(x, sublayer, norm, norm_first=True):
    """With the norm first, the sum goes through the norm too: the path is never normalised there, only what
    the sublayer reads.
    """
    return norm(x + sublayer(norm(x))) if norm_first else norm(x + sublayer(x))


def squared_std(name, n_layers, std=0.02):
    """This is the variance: the standard deviation is its root."""
    return std**2 / (2 * n_layers) if name.endswith(("W_o.weight", "W_down.weight")) else std**2
