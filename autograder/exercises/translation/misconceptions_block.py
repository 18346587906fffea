"""Lesson 11's misconceptions about the decoder block: who looks at what, and which cache is whose.

A class's docstring is the sentence that the student reads. Each class stands alone, with `torch` as its only
name, so that the class simulator can paste it.
"""

# ruff: noqa: D205  (a sentence may take two lines)

import torch


class NotCausal(torch.nn.Module):
    """The self-attention isn't causal, so each position sees the words that it is to predict: the loss
    becomes small in training, and decoding, where those words aren't there yet, fails.
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
        y = y + self.attention(self.norm_1(y), None, False, own)
        y = y + self.cross_attention(self.norm_2(y), memory, memory_mask, crossed)
        return y + self.feed_forward(self.norm_3(y))


class CausalAsMemoryMask(torch.nn.Module):
    """The mask of the memory goes to the self-attention as well: it says which source positions are real,
    and the decoder's own positions are others.
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
        y = y + self.attention(self.norm_1(y), memory_mask, True, own)
        y = y + self.cross_attention(self.norm_2(y), memory, memory_mask, crossed)
        return y + self.feed_forward(self.norm_3(y))


class KeysFromTheDecoder(torch.nn.Module):
    """The cross-attention gets its keys and values from the decoder itself, so nothing of the source
    sentence ever reaches the translation: they come from the memory.
    """

    def __init__(self, d_model, n_heads, d_ff):
        from helpers.models.blocks import CrossAttention, FeedForward, SelfAttention

        super().__init__()
        self.attention = SelfAttention(d_model, n_heads)
        self.cross_attention = CrossAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2, self.norm_3 = (torch.nn.LayerNorm(d_model) for _ in range(3))

    def forward(self, y, memory, memory_mask=None, cache=None):
        own, _ = cache if cache is not None else (None, None)
        y = y + self.attention(self.norm_1(y), None, True, own)
        own_words = self.norm_2(y)
        y = y + self.cross_attention(own_words, own_words)
        return y + self.feed_forward(self.norm_3(y))


class QueriesFromTheMemory(torch.nn.Module):
    """The memory asks and the decoder answers: in cross-attention the decoder's positions are the queries,
    and the memory gives keys and values.
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
        y = y + self.cross_attention(memory, self.norm_2(y), None, crossed)
        return y + self.feed_forward(self.norm_3(y))


class CrossBeforeSelf(torch.nn.Module):
    """Cross-attention comes first here: the paper's decoder first looks at what it has written, and then
    asks the source with what it knows from that.
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
        y = y + self.cross_attention(self.norm_1(y), memory, memory_mask, crossed)
        y = y + self.attention(self.norm_2(y), None, True, own)
        return y + self.feed_forward(self.norm_3(y))


class PaddingSeen(torch.nn.Module):
    """The memory's mask isn't handed on, so that words look at padding of the source, and a translation
    depends on what else is in the batch.
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
        y = y + self.cross_attention(self.norm_2(y), memory, None, crossed)
        return y + self.feed_forward(self.norm_3(y))


class MemoryMaskTurned(torch.nn.Module):
    """The memory's mask is turned round: True already means “may be looked at”."""

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
        turned = None if memory_mask is None else ~memory_mask
        y = y + self.cross_attention(self.norm_2(y), memory, turned, crossed)
        return y + self.feed_forward(self.norm_3(y))


class LaterNormsExchanged(torch.nn.Module):
    """The second and the third norm have changed places: each sublayer has its own, in order."""

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
        y = y + self.cross_attention(self.norm_3(y), memory, memory_mask, crossed)
        return y + self.feed_forward(self.norm_2(y))


class CrossAttentionCausal(torch.nn.Module):
    """The cross-attention is causal too, as if word i could only look at the first i source words: the
    source is all there from the start, and other languages have another order.
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
        T_q, T_k = y.size(1), memory.size(1)
        earlier = torch.ones(T_q, T_k, dtype=torch.bool).tril()[None, None]
        seen = earlier if memory_mask is None else earlier & memory_mask
        y = y + self.cross_attention(self.norm_2(y), memory, seen, crossed)
        return y + self.feed_forward(self.norm_3(y))


class NoCrossAttention(torch.nn.Module):
    """There is no cross-attention, so this is a block of a language model: it writes fluently, whatever the
    source says.
    """

    def __init__(self, d_model, n_heads, d_ff):
        from helpers.models.blocks import CrossAttention, FeedForward, SelfAttention

        super().__init__()
        self.attention = SelfAttention(d_model, n_heads)
        self.cross_attention = CrossAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2, self.norm_3 = (torch.nn.LayerNorm(d_model) for _ in range(3))

    def forward(self, y, memory, memory_mask=None, cache=None):
        own, _ = cache if cache is not None else (None, None)
        y = y + self.attention(self.norm_1(y), None, True, own)
        return y + self.feed_forward(self.norm_3(y))


class OwnCacheForgotten(torch.nn.Module):
    """The self-attention doesn't get its cache, so a new position sees nothing of what was written before
    it.
    """

    def __init__(self, d_model, n_heads, d_ff):
        from helpers.models.blocks import CrossAttention, FeedForward, SelfAttention

        super().__init__()
        self.attention = SelfAttention(d_model, n_heads)
        self.cross_attention = CrossAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2, self.norm_3 = (torch.nn.LayerNorm(d_model) for _ in range(3))

    def forward(self, y, memory, memory_mask=None, cache=None):
        _, crossed = cache if cache is not None else (None, None)
        y = y + self.attention(self.norm_1(y), None, True)
        y = y + self.cross_attention(self.norm_2(y), memory, memory_mask, crossed)
        return y + self.feed_forward(self.norm_3(y))


class CachesExchanged(torch.nn.Module):
    """The two caches are swapped: the first is the self-attention's, which grows with each word, the
    second the memory's, which stays as it is.
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
        y = y + self.attention(self.norm_1(y), None, True, crossed)
        y = y + self.cross_attention(self.norm_2(y), memory, memory_mask, own)
        return y + self.feed_forward(self.norm_3(y))


class MemoryCacheForgotten(torch.nn.Module):
    """The cross-attention doesn't get its cache, so that the memory's keys and values are computed again for
    each word.
    """

    def __init__(self, d_model, n_heads, d_ff):
        from helpers.models.blocks import CrossAttention, FeedForward, SelfAttention

        super().__init__()
        self.attention = SelfAttention(d_model, n_heads)
        self.cross_attention = CrossAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2, self.norm_3 = (torch.nn.LayerNorm(d_model) for _ in range(3))

    def forward(self, y, memory, memory_mask=None, cache=None):
        own, _ = cache if cache is not None else (None, None)
        y = y + self.attention(self.norm_1(y), None, True, own)
        y = y + self.cross_attention(self.norm_2(y), memory, memory_mask)
        return y + self.feed_forward(self.norm_3(y))
