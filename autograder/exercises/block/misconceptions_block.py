"""The block's misconceptions about the block itself: one slip in each class, as a student has it.

A class's docstring is the sentence that the student reads. Each class stands alone, with `torch`, `math` and
the lesson's earlier answers as its only names, so that the class simulator can paste it.
"""

# ruff: noqa: D205  (a sentence may take two lines, and is no command)

import torch

from helpers.block import FeedForward, LayerNorm, gelu
from helpers.multihead import MultiHeadAttention


class NoActivation(torch.nn.Module):
    """The GELU is missing: two linear maps in a row are one linear map."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_up, self.W_down = torch.nn.Linear(d_model, d_ff), torch.nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.W_down(self.W_up(x))


class ActivationLast(torch.nn.Module):
    """The GELU comes after both maps: it stands between them, where the vector is wide."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_up, self.W_down = torch.nn.Linear(d_model, d_ff), torch.nn.Linear(d_ff, d_model)

    def forward(self, x):
        return gelu(self.W_down(self.W_up(x)))


class ActivationFirst(torch.nn.Module):
    """The GELU comes before the first map: it stands between the two."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_up, self.W_down = torch.nn.Linear(d_model, d_ff), torch.nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.W_down(self.W_up(gelu(x)))


class ActivationTwice(torch.nn.Module):
    """There is a GELU after the second map, too: what is added to the residual path may be of either sign."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_up, self.W_down = torch.nn.Linear(d_model, d_ff), torch.nn.Linear(d_ff, d_model)

    def forward(self, x):
        return gelu(self.W_down(gelu(self.W_up(x))))


class ReluInside(torch.nn.Module):
    """This has a ReLU: the lesson's block has the GELU that you wrote."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_up, self.W_down = torch.nn.Linear(d_model, d_ff), torch.nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.W_down(self.W_up(x).clamp(min=0))


class PathInside(torch.nn.Module):
    """x is added here already: the residual path is `add_sublayer`'s, outside of the network."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_up, self.W_down = torch.nn.Linear(d_model, d_ff), torch.nn.Linear(d_ff, d_model)

    def forward(self, x):
        return x + self.W_down(gelu(self.W_up(x)))


class BiasesForgotten(torch.nn.Module):
    """The maps' biases are left out: a Linear adds one after its matrix."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_up, self.W_down = torch.nn.Linear(d_model, d_ff), torch.nn.Linear(d_ff, d_model)

    def forward(self, x):
        return gelu(x @ self.W_up.weight.T) @ self.W_down.weight.T


class NoResidual(torch.nn.Module):
    """There is no residual path: what each sublayer says is added to x."""

    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.attention, self.feed_forward = MultiHeadAttention(d_model, n_heads), FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = LayerNorm(d_model), LayerNorm(d_model)

    def forward(self, x, mask=None):
        x = self.attention(self.norm_1(x), mask=mask)[0]
        return self.feed_forward(self.norm_2(x))


class OnlyFirstResidual(torch.nn.Module):
    """The feed-forward network has no residual path: what it says is added, too."""

    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.attention, self.feed_forward = MultiHeadAttention(d_model, n_heads), FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = LayerNorm(d_model), LayerNorm(d_model)

    def forward(self, x, mask=None):
        x = x + self.attention(self.norm_1(x), mask=mask)[0]
        return self.feed_forward(self.norm_2(x))


class OnlySecondResidual(torch.nn.Module):
    """Attention has no residual path: what it says is added, too."""

    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.attention, self.feed_forward = MultiHeadAttention(d_model, n_heads), FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = LayerNorm(d_model), LayerNorm(d_model)

    def forward(self, x, mask=None):
        x = self.attention(self.norm_1(x), mask=mask)[0]
        return x + self.feed_forward(self.norm_2(x))


class PostNorm(torch.nn.Module):
    """The norms come after the sums: this block has them first, in front of each sublayer."""

    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.attention, self.feed_forward = MultiHeadAttention(d_model, n_heads), FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = LayerNorm(d_model), LayerNorm(d_model)

    def forward(self, x, mask=None):
        x = self.norm_1(x + self.attention(x, mask=mask)[0])
        return self.norm_2(x + self.feed_forward(x))


class PathNormalised(torch.nn.Module):
    """The residual path goes through the norms as well: only what a sublayer reads is normalised."""

    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.attention, self.feed_forward = MultiHeadAttention(d_model, n_heads), FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = LayerNorm(d_model), LayerNorm(d_model)

    def forward(self, x, mask=None):
        x = self.norm_1(x)
        x = x + self.attention(x, mask=mask)[0]
        x = self.norm_2(x)
        return x + self.feed_forward(x)


class NoNorms(torch.nn.Module):
    """The norms aren't used: each sublayer reads the path through its own."""

    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.attention, self.feed_forward = MultiHeadAttention(d_model, n_heads), FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = LayerNorm(d_model), LayerNorm(d_model)

    def forward(self, x, mask=None):
        x = x + self.attention(x, mask=mask)[0]
        return x + self.feed_forward(x)


class FirstNormTwice(torch.nn.Module):
    """Both sublayers use the first norm: the second has one of its own."""

    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.attention, self.feed_forward = MultiHeadAttention(d_model, n_heads), FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = LayerNorm(d_model), LayerNorm(d_model)

    def forward(self, x, mask=None):
        x = x + self.attention(self.norm_1(x), mask=mask)[0]
        return x + self.feed_forward(self.norm_1(x))


class NormsExchanged(torch.nn.Module):
    """The two norms are exchanged: `norm_1` stands before attention, `norm_2` before the feed-forward
    network.
    """

    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.attention, self.feed_forward = MultiHeadAttention(d_model, n_heads), FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = LayerNorm(d_model), LayerNorm(d_model)

    def forward(self, x, mask=None):
        x = x + self.attention(self.norm_2(x), mask=mask)[0]
        return x + self.feed_forward(self.norm_1(x))


class FeedForwardFirst(torch.nn.Module):
    """The feed-forward network comes first: it should work on what attention has gathered."""

    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.attention, self.feed_forward = MultiHeadAttention(d_model, n_heads), FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = LayerNorm(d_model), LayerNorm(d_model)

    def forward(self, x, mask=None):
        x = x + self.feed_forward(self.norm_2(x))
        return x + self.attention(self.norm_1(x), mask=mask)[0]


class SideBySide(torch.nn.Module):
    """Both sublayers read the same x: the feed-forward network comes second, and reads what attention has
    added.
    """

    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.attention, self.feed_forward = MultiHeadAttention(d_model, n_heads), FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = LayerNorm(d_model), LayerNorm(d_model)

    def forward(self, x, mask=None):
        attended = self.attention(self.norm_1(x), mask=mask)[0]
        return x + attended + self.feed_forward(self.norm_2(x))


class MaskDropped(torch.nn.Module):
    """The mask isn't handed on to attention."""

    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.attention, self.feed_forward = MultiHeadAttention(d_model, n_heads), FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = LayerNorm(d_model), LayerNorm(d_model)

    def forward(self, x, mask=None):
        x = x + self.attention(self.norm_1(x))[0]
        return x + self.feed_forward(self.norm_2(x))


class MaskForX(torch.nn.Module):
    """The mask stands where `attention` takes x, the sequence that is asked: hand it over by its name,
    mask=mask.
    """

    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.attention, self.feed_forward = MultiHeadAttention(d_model, n_heads), FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = LayerNorm(d_model), LayerNorm(d_model)

    def forward(self, x, mask=None):
        x = x + self.attention(self.norm_1(x), mask)[0]
        return x + self.feed_forward(self.norm_2(x))


class KeysNotNormalised(torch.nn.Module):
    """Only the queries are normalised: keys and values are made of the same normalised vectors."""

    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.attention, self.feed_forward = MultiHeadAttention(d_model, n_heads), FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = LayerNorm(d_model), LayerNorm(d_model)

    def forward(self, x, mask=None):
        x = x + self.attention(self.norm_1(x), x, mask)[0]
        return x + self.feed_forward(self.norm_2(x))


class QueriesNotNormalised(torch.nn.Module):
    """Only keys and values are normalised: the queries are made of the same normalised vectors."""

    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.attention, self.feed_forward = MultiHeadAttention(d_model, n_heads), FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = LayerNorm(d_model), LayerNorm(d_model)

    def forward(self, x, mask=None):
        x = x + self.attention(x, self.norm_1(x), mask)[0]
        return x + self.feed_forward(self.norm_2(x))


class FirstPathAgain(torch.nn.Module):
    """The second sum begins with the x that came in: it should begin with the sum that attention has made."""

    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.attention, self.feed_forward = MultiHeadAttention(d_model, n_heads), FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = LayerNorm(d_model), LayerNorm(d_model)

    def forward(self, x, mask=None):
        attended = x + self.attention(self.norm_1(x), mask=mask)[0]
        return x + self.feed_forward(self.norm_2(attended))


class NoFeedForward(torch.nn.Module):
    """The feed-forward network isn't used."""

    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.attention, self.feed_forward = MultiHeadAttention(d_model, n_heads), FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = LayerNorm(d_model), LayerNorm(d_model)

    def forward(self, x, mask=None):
        return x + self.attention(self.norm_1(x), mask=mask)[0]


class NoAttention(torch.nn.Module):
    """Attention isn't used, so that no position learns of another."""

    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.attention, self.feed_forward = MultiHeadAttention(d_model, n_heads), FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = LayerNorm(d_model), LayerNorm(d_model)

    def forward(self, x, mask=None):
        return x + self.feed_forward(self.norm_2(x))


class SublayersNormalised(torch.nn.Module):
    """What the sublayers say is normalised: the norms belong on what they read."""

    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.attention, self.feed_forward = MultiHeadAttention(d_model, n_heads), FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = LayerNorm(d_model), LayerNorm(d_model)

    def forward(self, x, mask=None):
        x = x + self.norm_1(self.attention(x, mask=mask)[0])
        return x + self.norm_2(self.feed_forward(x))
