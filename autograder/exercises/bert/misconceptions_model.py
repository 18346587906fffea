"""Lesson 10's misconceptions about the model: the head for words, BERT with both heads, the pair classifier.

A class's docstring is the sentence that the student reads. Each stands alone, with `torch`, `math` and the
lesson's `WordHead` as its only names, so that the class simulator can paste it.
"""

# ruff: noqa: D205  (a sentence may take two lines)

import torch

from helpers.bert import WordHead

# -- the head for words --------------------------------------------------------------------------------------


class NoTransform(torch.nn.Module):
    """The vectors are compared with the embedding as they are: transform, GELU and norm come before that."""

    def __init__(self, d_model, vocabulary):
        super().__init__()
        self.transform = torch.nn.Linear(d_model, d_model)
        self.norm = torch.nn.LayerNorm(d_model, eps=1e-12)
        self.bias = torch.nn.Parameter(torch.zeros(vocabulary))

    def forward(self, x, embedding):
        return x @ embedding.T + self.bias


class NoNonlinearity(torch.nn.Module):
    """The GELU between the linear map and the norm is missing."""

    def __init__(self, d_model, vocabulary):
        super().__init__()
        self.transform = torch.nn.Linear(d_model, d_model)
        self.norm = torch.nn.LayerNorm(d_model, eps=1e-12)
        self.bias = torch.nn.Parameter(torch.zeros(vocabulary))

    def forward(self, x, embedding):
        return self.norm(self.transform(x)) @ embedding.T + self.bias


class NormBeforeNonlinearity(torch.nn.Module):
    """The norm comes before the GELU, and what is compared with the embedding isn't normalised any more: the
    norm is the last step of the three.
    """

    def __init__(self, d_model, vocabulary):
        super().__init__()
        self.transform = torch.nn.Linear(d_model, d_model)
        self.norm = torch.nn.LayerNorm(d_model, eps=1e-12)
        self.bias = torch.nn.Parameter(torch.zeros(vocabulary))

    def forward(self, x, embedding):
        return torch.nn.functional.gelu(self.norm(self.transform(x))) @ embedding.T + self.bias


class NoNorm(torch.nn.Module):
    """The layer normalisation before the comparison is missing."""

    def __init__(self, d_model, vocabulary):
        super().__init__()
        self.transform = torch.nn.Linear(d_model, d_model)
        self.norm = torch.nn.LayerNorm(d_model, eps=1e-12)
        self.bias = torch.nn.Parameter(torch.zeros(vocabulary))

    def forward(self, x, embedding):
        return torch.nn.functional.gelu(self.transform(x)) @ embedding.T + self.bias


class NoBias(torch.nn.Module):
    """The bias is missing: with it a word can be likely because it is frequent, whatever the vector says."""

    def __init__(self, d_model, vocabulary):
        super().__init__()
        self.transform = torch.nn.Linear(d_model, d_model)
        self.norm = torch.nn.LayerNorm(d_model, eps=1e-12)
        self.bias = torch.nn.Parameter(torch.zeros(vocabulary))

    def forward(self, x, embedding):
        return self.norm(torch.nn.functional.gelu(self.transform(x))) @ embedding.T


class WithRelu(torch.nn.Module):
    """The nonlinearity is ReLU: BERT uses GELU everywhere."""

    def __init__(self, d_model, vocabulary):
        super().__init__()
        self.transform = torch.nn.Linear(d_model, d_model)
        self.norm = torch.nn.LayerNorm(d_model, eps=1e-12)
        self.bias = torch.nn.Parameter(torch.zeros(vocabulary))

    def forward(self, x, embedding):
        return self.norm(self.transform(x).relu()) @ embedding.T + self.bias


class SharesForScores(torch.nn.Module):
    """These are probabilities: the loss wants logits and takes the softmax itself."""

    def __init__(self, d_model, vocabulary):
        super().__init__()
        self.transform = torch.nn.Linear(d_model, d_model)
        self.norm = torch.nn.LayerNorm(d_model, eps=1e-12)
        self.bias = torch.nn.Parameter(torch.zeros(vocabulary))

    def forward(self, x, embedding):
        x = self.norm(torch.nn.functional.gelu(self.transform(x)))
        return (x @ embedding.T + self.bias).softmax(dim=-1)


# -- BERT with both heads ------------------------------------------------------------------------------------


class NothingHidden(torch.nn.Module):
    """The encoder isn't told which tokens are padding, so all words look at it: its second argument is True
    for real tokens.
    """

    def __init__(self, vocabulary, d_model, n_heads, d_ff, n_layers, positions):
        super().__init__()
        from helpers.models.blocks import PRE_NORM
        from helpers.models.transformer import Encoder, EncoderConfig

        sizes = (vocabulary, d_model, n_heads, d_ff, n_layers, positions)
        self.encoder = Encoder(EncoderConfig(*sizes, segments=2, style=PRE_NORM))
        self.word_head = WordHead(d_model, vocabulary)
        self.pooler, self.follows = torch.nn.Linear(d_model, d_model), torch.nn.Linear(d_model, 2)

    def forward(self, ids, segments):
        x = self.encoder(ids, None, segments)
        return self.word_head(x, self.encoder.words.weight), self.follows(self.pooler(x[:, 0]).tanh())


class SegmentsForgotten(torch.nn.Module):
    """The segments don't reach the encoder, so it takes all tokens for the first passage's."""

    def __init__(self, vocabulary, d_model, n_heads, d_ff, n_layers, positions):
        super().__init__()
        from helpers.models.blocks import PRE_NORM
        from helpers.models.transformer import Encoder, EncoderConfig

        sizes = (vocabulary, d_model, n_heads, d_ff, n_layers, positions)
        self.encoder = Encoder(EncoderConfig(*sizes, segments=2, style=PRE_NORM))
        self.word_head = WordHead(d_model, vocabulary)
        self.pooler, self.follows = torch.nn.Linear(d_model, d_model), torch.nn.Linear(d_model, 2)

    def forward(self, ids, segments):
        x = self.encoder(ids, ids != 0)
        return self.word_head(x, self.encoder.words.weight), self.follows(self.pooler(x[:, 0]).tanh())


class PaddingMaskTurned(torch.nn.Module):
    """The padding mask is the wrong way round, so the words look at padding alone: True is a token."""

    def __init__(self, vocabulary, d_model, n_heads, d_ff, n_layers, positions):
        super().__init__()
        from helpers.models.blocks import PRE_NORM
        from helpers.models.transformer import Encoder, EncoderConfig

        sizes = (vocabulary, d_model, n_heads, d_ff, n_layers, positions)
        self.encoder = Encoder(EncoderConfig(*sizes, segments=2, style=PRE_NORM))
        self.word_head = WordHead(d_model, vocabulary)
        self.pooler, self.follows = torch.nn.Linear(d_model, d_model), torch.nn.Linear(d_model, 2)

    def forward(self, ids, segments):
        x = self.encoder(ids, ids == 0, segments)
        return self.word_head(x, self.encoder.words.weight), self.follows(self.pooler(x[:, 0]).tanh())


class NoPooler(torch.nn.Module):
    """The pooler is left out: the vector of [CLS] goes through its linear map and tanh before the two
    scores.
    """

    def __init__(self, vocabulary, d_model, n_heads, d_ff, n_layers, positions):
        super().__init__()
        from helpers.models.blocks import PRE_NORM
        from helpers.models.transformer import Encoder, EncoderConfig

        sizes = (vocabulary, d_model, n_heads, d_ff, n_layers, positions)
        self.encoder = Encoder(EncoderConfig(*sizes, segments=2, style=PRE_NORM))
        self.word_head = WordHead(d_model, vocabulary)
        self.pooler, self.follows = torch.nn.Linear(d_model, d_model), torch.nn.Linear(d_model, 2)

    def forward(self, ids, segments):
        x = self.encoder(ids, ids != 0, segments)
        return self.word_head(x, self.encoder.words.weight), self.follows(x[:, 0])


class PoolerWithoutTanh(torch.nn.Module):
    """The tanh after the pooler's map is missing: without a nonlinearity, two linear maps are one."""

    def __init__(self, vocabulary, d_model, n_heads, d_ff, n_layers, positions):
        super().__init__()
        from helpers.models.blocks import PRE_NORM
        from helpers.models.transformer import Encoder, EncoderConfig

        sizes = (vocabulary, d_model, n_heads, d_ff, n_layers, positions)
        self.encoder = Encoder(EncoderConfig(*sizes, segments=2, style=PRE_NORM))
        self.word_head = WordHead(d_model, vocabulary)
        self.pooler, self.follows = torch.nn.Linear(d_model, d_model), torch.nn.Linear(d_model, 2)

    def forward(self, ids, segments):
        x = self.encoder(ids, ids != 0, segments)
        return self.word_head(x, self.encoder.words.weight), self.follows(self.pooler(x[:, 0]))


class MeanInsteadOfCls(torch.nn.Module):
    """The pair is judged by the mean over all positions, padding included: BERT reads [CLS], position 0."""

    def __init__(self, vocabulary, d_model, n_heads, d_ff, n_layers, positions):
        super().__init__()
        from helpers.models.blocks import PRE_NORM
        from helpers.models.transformer import Encoder, EncoderConfig

        sizes = (vocabulary, d_model, n_heads, d_ff, n_layers, positions)
        self.encoder = Encoder(EncoderConfig(*sizes, segments=2, style=PRE_NORM))
        self.word_head = WordHead(d_model, vocabulary)
        self.pooler, self.follows = torch.nn.Linear(d_model, d_model), torch.nn.Linear(d_model, 2)

    def forward(self, ids, segments):
        x = self.encoder(ids, ids != 0, segments)
        whole = self.pooler(x.mean(dim=1)).tanh()
        return self.word_head(x, self.encoder.words.weight), self.follows(whole)


class LastInsteadOfCls(torch.nn.Module):
    """The pair is judged by the last position, as in a language model, but here that may be padding: [CLS] is
    position 0.
    """

    def __init__(self, vocabulary, d_model, n_heads, d_ff, n_layers, positions):
        super().__init__()
        from helpers.models.blocks import PRE_NORM
        from helpers.models.transformer import Encoder, EncoderConfig

        sizes = (vocabulary, d_model, n_heads, d_ff, n_layers, positions)
        self.encoder = Encoder(EncoderConfig(*sizes, segments=2, style=PRE_NORM))
        self.word_head = WordHead(d_model, vocabulary)
        self.pooler, self.follows = torch.nn.Linear(d_model, d_model), torch.nn.Linear(d_model, 2)

    def forward(self, ids, segments):
        x = self.encoder(ids, ids != 0, segments)
        return self.word_head(x, self.encoder.words.weight), self.follows(self.pooler(x[:, -1]).tanh())


class PairScoresEverywhere(torch.nn.Module):
    """Each position gives two scores of its own: a pair gets one judgement, from [CLS], (B, 2)."""

    def __init__(self, vocabulary, d_model, n_heads, d_ff, n_layers, positions):
        super().__init__()
        from helpers.models.blocks import PRE_NORM
        from helpers.models.transformer import Encoder, EncoderConfig

        sizes = (vocabulary, d_model, n_heads, d_ff, n_layers, positions)
        self.encoder = Encoder(EncoderConfig(*sizes, segments=2, style=PRE_NORM))
        self.word_head = WordHead(d_model, vocabulary)
        self.pooler, self.follows = torch.nn.Linear(d_model, d_model), torch.nn.Linear(d_model, 2)

    def forward(self, ids, segments):
        x = self.encoder(ids, ids != 0, segments)
        return self.word_head(x, self.encoder.words.weight), self.follows(self.pooler(x).tanh())


class SegmentsAndMaskSwapped(torch.nn.Module):
    """The encoder gets the segments where it wants the padding mask: its arguments are tokens, real,
    segments.
    """

    def __init__(self, vocabulary, d_model, n_heads, d_ff, n_layers, positions):
        super().__init__()
        from helpers.models.blocks import PRE_NORM
        from helpers.models.transformer import Encoder, EncoderConfig

        sizes = (vocabulary, d_model, n_heads, d_ff, n_layers, positions)
        self.encoder = Encoder(EncoderConfig(*sizes, segments=2, style=PRE_NORM))
        self.word_head = WordHead(d_model, vocabulary)
        self.pooler, self.follows = torch.nn.Linear(d_model, d_model), torch.nn.Linear(d_model, 2)

    def forward(self, ids, segments):
        x = self.encoder(ids, segments.bool(), (ids != 0).long())
        return self.word_head(x, self.encoder.words.weight), self.follows(self.pooler(x[:, 0]).tanh())
