"""The decoder block."""

import torch
from torch import Generator, Tensor

from exercises.translation import shared
from headstart import Case, Entry, gradient_reaches_inputs, pick

exercise = Entry(
    id="translation.decoder_block",
    title="The decoder block",
    points=4,
    difficulty=3,
    minutes=15,
    driver="module",
    properties=(gradient_reaches_inputs,),
    # Written out, so that the search for forbidden names in an answer finds each of them.
    forbidden=("torch.nn.TransformerDecoderLayer", "torch.nn.TransformerDecoder"),
    square="the projections are d_model × d_model",
)


@exercise.reference
class Plain(torch.nn.Module):
    """The reference: as the lesson's own solution."""

    def __init__(self, d_model, n_heads, d_ff):
        from helpers.models.blocks import CrossAttention, FeedForward, SelfAttention

        super().__init__()
        self.attention = SelfAttention(d_model, n_heads)
        self.cross_attention = CrossAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2, self.norm_3 = (torch.nn.LayerNorm(d_model) for _ in range(3))

    def forward(self, y, memory, memory_mask=None, cache=None):
        own, crossed = cache if cache is not None else (None, None)
        y = y + self.attention(self.norm_1(y), causal=True, cache=own)
        y = y + self.cross_attention(self.norm_2(y), memory, memory_mask, crossed)
        return y + self.feed_forward(self.norm_3(y))


@exercise.cases
def block_cases(g: Generator) -> list[Case]:
    """Sequences of other and of the same lengths, padding in the memory, and a step with a cache."""
    T, T_s, old, B = pick(g, 3, 2, 5), pick(g, 5, 6, 7), pick(g, 3, 2, 4), pick(g, 2, 3)
    C, H = pick(g, (6, 3), (8, 4), (4, 1))
    real = (torch.arange(T_s) < shared.shuffled(g, torch.tensor([[2], [3], [1]][:B])))[:, None, None]
    return [
        Case("as many target as source positions", (_settings(4, 2), _weights(g, 4), *_two(g, 1, T, T, 4))),
        Case("more source than target positions", (_settings(C, H), _weights(g, C), *_two(g, 1, 2, 4, C))),
        Case(
            "a batch, padding in the memory",
            (_settings(4, 2), _weights(g, 4), *_two(g, B, pick(g, 2, 3), T_s, 4)),
            {"memory_mask": real},
        ),
        Case(
            "one new position, and caches",
            (_settings(4, 2), _weights(g, 4), *_two(g, 1, 1, 3, 4)),
            {"cache": [_kept(g, old), _kept(g, 2)]},
        ),
        Case(
            "two new positions, and caches",
            (_settings(4, 2), _weights(g, 4), *_two(g, 1, 2, 3, 4)),
            {"cache": [_kept(g, pick(g, 3, 1)), _kept(g, pick(g, 5, 3))]},
        ),
    ]


def _settings(d_model: int, n_heads: int) -> dict[str, int]:
    return {"d_model": d_model, "n_heads": n_heads, "d_ff": d_model + 1}


def _two(g: Generator, B: int, T_q: int, T_k: int, C: int) -> tuple[Tensor, Tensor]:
    return shared.normal(g, B, T_q, C), shared.normal(g, B, T_k, C)


def _kept(g: Generator, T: int) -> dict[str, Tensor]:
    """Keys and values of T positions, two heads of two channels: (1, 2, T, 2)."""
    return {"k": shared.normal(g, 1, 2, T, 2), "v": shared.normal(g, 1, 2, T, 2)}


def _weights(g: Generator, C: int) -> dict[str, Tensor]:
    """Values for all parameters, large enough for attention that differs, with few digits."""
    F = C + 1
    linear = {
        "attention.W_qkv": (3 * C, C), "attention.W_o": (C, C), "cross_attention.W_q": (C, C),
        "cross_attention.W_kv": (2 * C, C), "cross_attention.W_o": (C, C), "feed_forward.W_up": (F, C),
        "feed_forward.W_down": (C, F),
    }  # fmt: skip
    made = {}
    for name, (out, into) in linear.items():
        made[f"{name}.weight"] = shared.normal(g, out, into, spread=1.5 / into**0.5)
        made[f"{name}.bias"] = shared.normal(g, out, spread=0.5)
    for number in (1, 2, 3):
        made[f"norm_{number}.weight"] = 1 + shared.normal(g, C, spread=0.3)
        made[f"norm_{number}.bias"] = shared.normal(g, C, spread=0.3)
    return {name: (16 * value).round() / 16 for name, value in made.items()}


@exercise.alternative
class StepByStep(torch.nn.Module):
    """One line for each thing that happens."""

    def __init__(self, d_model, n_heads, d_ff):
        from helpers.models.blocks import CrossAttention, FeedForward, SelfAttention

        super().__init__()
        self.attention = SelfAttention(d_model, n_heads)
        self.cross_attention = CrossAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2, self.norm_3 = (torch.nn.LayerNorm(d_model) for _ in range(3))

    def forward(self, y, memory, memory_mask=None, cache=None):
        first = second = None
        if cache:
            first, second = cache[0], cache[1]
        written = self.norm_1(y)
        y = self.attention(x=written, mask=None, causal=True, cache=first) + y
        question = self.norm_2(y)
        y = self.cross_attention(question, memory, mask=memory_mask, cache=second) + y
        return self.feed_forward(self.norm_3(y)) + y


@exercise.alternative
class WithAMaskOfItsOwn(torch.nn.Module):
    """The causal mask made by hand."""

    def __init__(self, d_model, n_heads, d_ff):
        from helpers.models.blocks import CrossAttention, FeedForward, SelfAttention

        super().__init__()
        self.attention = SelfAttention(d_model, n_heads)
        self.cross_attention = CrossAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2, self.norm_3 = (torch.nn.LayerNorm(d_model) for _ in range(3))

    def forward(self, y, memory, memory_mask=None, cache=None):
        own, crossed = ({}, {}) if cache is None else cache
        T, before = y.size(1), own["k"].size(-2) if own else 0
        earlier = torch.ones(T, before + T, dtype=torch.bool).tril(before)
        for norm, sublayer in (
            (self.norm_1, lambda x: self.attention(x, earlier, cache=own)),
            (self.norm_2, lambda x: self.cross_attention(x, memory, memory_mask, crossed)),
            (self.norm_3, self.feed_forward),
        ):
            y = y + sublayer(norm(y))
        return y


exercise.slip("NotCausal", "causal=True → causal=False").says(
    "The self-attention isn't causal, so each position sees the words that it has to predict: the loss "
    "becomes small in training, and decoding, where those words aren't there yet, fails."
)
exercise.slip("CausalAsMemoryMask", "causal=True → memory_mask, causal=True").says(
    "The mask of the memory goes to the self-attention as well: it says which source positions are real, "
    "but the decoder's own positions are different ones."
)
exercise.slip("KeysFromTheDecoder", "memory, memory_mask, crossed → self.norm_2(y)").says(
    "The cross-attention gets its keys and values from the decoder itself, so nothing of the source "
    "sentence ever reaches the translation: they come from the memory."
)
exercise.slip(
    "QueriesFromTheMemory", "self.norm_2(y), memory, memory_mask → memory, self.norm_2(y), None"
).says(
    "The memory asks and the decoder answers: in cross-attention the decoder's positions are the queries, "
    "and the memory gives keys and values."
)
exercise.slip(
    "CrossBeforeSelf",
    "self.attention(self.norm_1(y), causal=True, cache=own) → self.cross_attention(self.norm_1(y), "
    "memory, memory_mask, crossed)",
    "self.cross_attention(self.norm_2(y), memory, memory_mask, crossed) → self.attention(self.norm_2(y), "
    "None, True, own)",
).says(
    "Cross-attention comes first here: the paper's decoder first looks at what it has written, and then "
    "asks the source with what it knows from that."
)
exercise.slip("PaddingSeen", "memory_mask, crossed → None, crossed").says(
    "The memory's mask isn't passed on, so that words look at padding of the source, and a translation "
    "depends on what else is in the batch."
)
exercise.slip(
    "MemoryMaskTurned", "memory_mask, crossed → None if memory_mask is None else ~memory_mask, crossed"
).says("The memory's mask is inverted: True already means “may be looked at”.")
exercise.slip(
    "LaterNormsExchanged", "self.norm_2(y) → self.norm_3(y)", "self.norm_3(y) → self.norm_2(y)"
).says("The second and the third norm are swapped: each sublayer has its own, in order.")
exercise.slip(
    "CrossAttentionCausal",
    "y = y + self.cross_attention(self.norm_2(y), memory, memory_mask, crossed) → T_q, T_k = y.size(1), "
    "memory.size(1)\n"
    "        earlier = torch.ones(T_q, T_k, dtype=torch.bool).tril()[None, None]\n"
    "        seen = earlier if memory_mask is None else earlier & memory_mask\n"
    "        y = y + self.cross_attention(self.norm_2(y), memory, seen, crossed)",
).says(
    "The cross-attention is causal too, as if word i could only look at the first i source words: the "
    "source is all there from the start, and other languages have a different order."
)
exercise.slip(
    "NoCrossAttention",
    "        y = y + self.cross_attention(self.norm_2(y), memory, memory_mask, crossed)\n →",
).says(
    "There is no cross-attention, so this is a block of a language model: it writes fluently, whatever "
    "the source says."
)
exercise.slip("OwnCacheForgotten", ", cache=own →").says(
    "The self-attention doesn't get its cache, so a new position sees nothing of what was written before it."
)
exercise.slip("CachesForgotten", ", cache=own →", "memory_mask, crossed → memory_mask").says(
    "Neither cache is passed on: the first belongs to the self-attention, the second to the cross-attention."
)
exercise.slip("CachesExchanged", "cache=own → cache=crossed", "memory_mask, crossed → memory_mask, own").says(
    "The two caches are swapped: the first is the self-attention's, which grows with each word, the second "
    "the memory's, which stays as it is."
)
exercise.slip("MemoryCacheForgotten", "memory_mask, crossed → memory_mask").says(
    "The cross-attention doesn't get its cache, so that the memory's keys and values are computed again "
    "for each word."
)
exercise.slip(
    "MemoryNormalised", "memory, memory_mask, crossed → self.norm_2(memory), memory_mask, crossed"
).says(
    "norm_2 is for the decoder's positions, and here it normalises the memory too: the encoder has "
    "normalised that already, with a norm of its own."
)
exercise.slip(
    "NormAfterTheSum",
    "y + self.attention(self.norm_1(y), causal=True, cache=own) → self.norm_1(y + self.attention(y, None, "
    "True, own))",
    "y + self.cross_attention(self.norm_2(y), memory, memory_mask, crossed) → self.norm_2(y + "
    "self.cross_attention(y, memory, memory_mask, crossed))",
    "y + self.feed_forward(self.norm_3(y)) → self.norm_3(y + self.feed_forward(y))",
).says(
    "The norms come after the sums, as in the paper of 2017: here they come before each sublayer, and the "
    "residual path stays as it is."
)
exercise.slip(
    "NormOnTheSublayer",
    "self.attention(self.norm_1(y), causal=True, cache=own) → self.norm_1(self.attention(y, None, True, "
    "own))",
    "self.cross_attention(self.norm_2(y), memory, memory_mask, crossed) → "
    "self.norm_2(self.cross_attention(y, memory, memory_mask, crossed))",
    "self.feed_forward(self.norm_3(y)) → self.norm_3(self.feed_forward(y))",
).says(
    "The norms are applied to the sublayers' outputs: pre-norm normalises the inputs, and adds the outputs "
    "as they are."
)
exercise.slip("NoNorms", "self.norm_1(y) → y", "self.norm_2(y) → y", "self.norm_3(y) → y").says(
    "The norms aren't used: without them the sizes drift from layer to layer, and training becomes unstable."
)
exercise.slip("NoResidualAtCross", "y + self.cross_attention → self.cross_attention").says(
    "Cross-attention's output replaces the decoder's own state: it should be added to it, as after each "
    "sublayer."
)
exercise.slip(
    "LastSumFromTheInput",
    "y = y + self.attention → x = y\n        y = y + self.attention",
    "y + self.feed_forward → x + self.feed_forward",
).says(
    "The last sum starts from the y that came in, so that what both attentions have added is lost: it should "
    "start from the second sum."
)
exercise.slip(
    "NoResiduals",
    "y + self.attention → self.attention",
    "y + self.cross_attention → self.cross_attention",
    "y + self.feed_forward → self.feed_forward",
).says(
    "The sublayers' outputs replace their inputs: each should be added to its input, and along these sums "
    "the gradient reaches the first layer."
)
exercise.slip("NoFeedForward", " + self.feed_forward(self.norm_3(y)) →").says(
    "The feed-forward network is missing: a decoder block has three sublayers."
)
exercise.slip("NormFirstTwice", "self.norm_2(y) → self.norm_1(y)").says(
    "norm_1 is used again where norm_2 belongs: each sublayer has a norm of its own, with weights of its own."
)
exercise.slip(
    "PathNormalised",
    "y = y + self.attention(self.norm_1(y), causal=True, cache=own) → y = self.norm_1(y)\n"
    "        y = y + self.attention(y, causal=True, cache=own)",
    "y = y + self.cross_attention(self.norm_2(y), memory, memory_mask, crossed) → y = self.norm_2(y)\n"
    "        y = y + self.cross_attention(y, memory, memory_mask, crossed)",
    "return y + self.feed_forward(self.norm_3(y)) → y = self.norm_3(y)\n"
    "        return y + self.feed_forward(y)",
).says(
    "y itself is normalised before each sublayer, and then added to: only a sublayer's input is "
    "normalised, and the path beside it stays as it is."
)
