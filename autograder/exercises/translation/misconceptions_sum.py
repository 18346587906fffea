"""Lesson 11's misconceptions about the decoder block: sums and norms.

A class's docstring is the sentence that the student reads. Each class stands alone, with `torch` as its only
name, so that the class simulator can paste it.
"""

# ruff: noqa: D205  (a sentence may take two lines)

import torch


class MemoryNormalised(torch.nn.Module):
    """norm_2 is for the decoder's positions, and here it normalises the memory too: the encoder has
    normalised that already, with a norm of its own.
    """

    def __init__(self, d_model, n_heads, d_ff):
        from helpers.models.blocks import CrossAttention, FeedForward, SelfAttention

        super().__init__()
        self.attention = SelfAttention(d_model, n_heads)
        self.cross_attention = CrossAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2, self.norm_3 = (torch.nn.LayerNorm(d_model) for _ in range(3))

    def forward(self, y, memory, memory_mask=None, cache=None):
        own, crossed = cache if cache is not None else (None, None)
        y = y + self.attention(self.norm_1(y), None, True, own)
        y = y + self.cross_attention(self.norm_2(y), self.norm_2(memory), memory_mask, crossed)
        return y + self.feed_forward(self.norm_3(y))


class NormAfterTheSum(torch.nn.Module):
    """The norms come after the sums, as in the paper of 2017: here they are at the entrance of each
    sublayer, and the residual path stays as it is.
    """

    def __init__(self, d_model, n_heads, d_ff):
        from helpers.models.blocks import CrossAttention, FeedForward, SelfAttention

        super().__init__()
        self.attention = SelfAttention(d_model, n_heads)
        self.cross_attention = CrossAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2, self.norm_3 = (torch.nn.LayerNorm(d_model) for _ in range(3))

    def forward(self, y, memory, memory_mask=None, cache=None):
        own, crossed = cache if cache is not None else (None, None)
        y = self.norm_1(y + self.attention(y, None, True, own))
        y = self.norm_2(y + self.cross_attention(y, memory, memory_mask, crossed))
        return self.norm_3(y + self.feed_forward(y))


class NormOnTheSublayer(torch.nn.Module):
    """The norms are put on what comes out of the sublayers: pre-norm normalises what goes in, and adds the
    result as it is.
    """

    def __init__(self, d_model, n_heads, d_ff):
        from helpers.models.blocks import CrossAttention, FeedForward, SelfAttention

        super().__init__()
        self.attention = SelfAttention(d_model, n_heads)
        self.cross_attention = CrossAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2, self.norm_3 = (torch.nn.LayerNorm(d_model) for _ in range(3))

    def forward(self, y, memory, memory_mask=None, cache=None):
        own, crossed = cache if cache is not None else (None, None)
        y = y + self.norm_1(self.attention(y, None, True, own))
        y = y + self.norm_2(self.cross_attention(y, memory, memory_mask, crossed))
        return y + self.norm_3(self.feed_forward(y))


class NoNorms(torch.nn.Module):
    """The norms aren't used: without them the sizes drift from layer to layer, and training becomes
    unstable.
    """

    def __init__(self, d_model, n_heads, d_ff):
        from helpers.models.blocks import CrossAttention, FeedForward, SelfAttention

        super().__init__()
        self.attention = SelfAttention(d_model, n_heads)
        self.cross_attention = CrossAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2, self.norm_3 = (torch.nn.LayerNorm(d_model) for _ in range(3))

    def forward(self, y, memory, memory_mask=None, cache=None):
        own, crossed = cache if cache is not None else (None, None)
        y = y + self.attention(y, None, True, own)
        y = y + self.cross_attention(y, memory, memory_mask, crossed)
        return y + self.feed_forward(y)


class NoResidualAtCross(torch.nn.Module):
    """What cross-attention finds replaces the decoder's own state: it is added to it, as after each
    sublayer.
    """

    def __init__(self, d_model, n_heads, d_ff):
        from helpers.models.blocks import CrossAttention, FeedForward, SelfAttention

        super().__init__()
        self.attention = SelfAttention(d_model, n_heads)
        self.cross_attention = CrossAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2, self.norm_3 = (torch.nn.LayerNorm(d_model) for _ in range(3))

    def forward(self, y, memory, memory_mask=None, cache=None):
        own, crossed = cache if cache is not None else (None, None)
        y = y + self.attention(self.norm_1(y), None, True, own)
        y = self.cross_attention(self.norm_2(y), memory, memory_mask, crossed)
        return y + self.feed_forward(self.norm_3(y))


class NoResiduals(torch.nn.Module):
    """The sublayers' outputs replace what went in: each is added to it, and along these sums the gradient
    reaches the first layer.
    """

    def __init__(self, d_model, n_heads, d_ff):
        from helpers.models.blocks import CrossAttention, FeedForward, SelfAttention

        super().__init__()
        self.attention = SelfAttention(d_model, n_heads)
        self.cross_attention = CrossAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2, self.norm_3 = (torch.nn.LayerNorm(d_model) for _ in range(3))

    def forward(self, y, memory, memory_mask=None, cache=None):
        own, crossed = cache if cache is not None else (None, None)
        y = self.attention(self.norm_1(y), None, True, own)
        y = self.cross_attention(self.norm_2(y), memory, memory_mask, crossed)
        return self.feed_forward(self.norm_3(y))


class NoFeedForward(torch.nn.Module):
    """The feed-forward network is missing: a decoder block has three sublayers."""

    def __init__(self, d_model, n_heads, d_ff):
        from helpers.models.blocks import CrossAttention, FeedForward, SelfAttention

        super().__init__()
        self.attention = SelfAttention(d_model, n_heads)
        self.cross_attention = CrossAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2, self.norm_3 = (torch.nn.LayerNorm(d_model) for _ in range(3))

    def forward(self, y, memory, memory_mask=None, cache=None):
        own, crossed = cache if cache is not None else (None, None)
        y = y + self.attention(self.norm_1(y), None, True, own)
        y = y + self.cross_attention(self.norm_2(y), memory, memory_mask, crossed)
        return y


class NormFirstTwice(torch.nn.Module):
    """norm_1 is used again where norm_2 belongs: each sublayer has a norm of its own, with weights of its
    own.
    """

    def __init__(self, d_model, n_heads, d_ff):
        from helpers.models.blocks import CrossAttention, FeedForward, SelfAttention

        super().__init__()
        self.attention = SelfAttention(d_model, n_heads)
        self.cross_attention = CrossAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2, self.norm_3 = (torch.nn.LayerNorm(d_model) for _ in range(3))

    def forward(self, y, memory, memory_mask=None, cache=None):
        own, crossed = cache if cache is not None else (None, None)
        y = y + self.attention(self.norm_1(y), None, True, own)
        y = y + self.cross_attention(self.norm_1(y), memory, memory_mask, crossed)
        return y + self.feed_forward(self.norm_3(y))
