"""Lesson 10's misconceptions about the loss, the pair classifier, and which rows are read.

A docstring is the sentence that the student reads. Each stands alone, with `torch`, `math` and the lesson's
`WordHead` as its only names, so that the class simulator can paste it.
"""

# ruff: noqa: D205  (a sentence may take two lines)

import torch

from helpers.bert import WordHead

# -- the loss ------------------------------------------------------------------------------------------------


def words_alone(word_logits, follows_logits, labels, follows):
    """The loss of the pairs is missing, so [CLS] would never learn to sum up: the two losses are added."""
    return torch.nn.functional.cross_entropy(word_logits.flatten(0, 1), labels.flatten())


# -- the pair classifier -------------------------------------------------------------------------------------


class PoolsTheLast(torch.nn.Module):
    """This reads the last position, where a language model knows most, but here it may be padding: the
    pooler reads [CLS], position 0.
    """

    def __init__(self, vocabulary, d_model, n_heads, d_ff, n_layers, positions, classes):
        super().__init__()
        from helpers.models.blocks import PRE_NORM
        from helpers.models.transformer import Encoder, EncoderConfig

        sizes = (vocabulary, d_model, n_heads, d_ff, n_layers, positions)
        self.encoder = Encoder(EncoderConfig(*sizes, segments=2, style=PRE_NORM))
        self.pooler, self.classifier = torch.nn.Linear(d_model, d_model), torch.nn.Linear(d_model, classes)

    def forward(self, ids, segments):
        return self.classifier(self.pooler(self.encoder(ids, ids != 0, segments)[:, -1]).tanh())


class PoolsTheMean(torch.nn.Module):
    """This reads the mean over all positions, and padding is in it, so the answer depends on how far a row
    was filled up: read [CLS].
    """

    def __init__(self, vocabulary, d_model, n_heads, d_ff, n_layers, positions, classes):
        super().__init__()
        from helpers.models.blocks import PRE_NORM
        from helpers.models.transformer import Encoder, EncoderConfig

        sizes = (vocabulary, d_model, n_heads, d_ff, n_layers, positions)
        self.encoder = Encoder(EncoderConfig(*sizes, segments=2, style=PRE_NORM))
        self.pooler, self.classifier = torch.nn.Linear(d_model, d_model), torch.nn.Linear(d_model, classes)

    def forward(self, ids, segments):
        return self.classifier(self.pooler(self.encoder(ids, ids != 0, segments).mean(dim=1)).tanh())


class PoolsTheSeparator(torch.nn.Module):
    """This reads the first [SEP]: the position that learned to sum up in pretraining is [CLS], and the
    pooler was trained on it.
    """

    def __init__(self, vocabulary, d_model, n_heads, d_ff, n_layers, positions, classes):
        super().__init__()
        from helpers.models.blocks import PRE_NORM
        from helpers.models.transformer import Encoder, EncoderConfig

        sizes = (vocabulary, d_model, n_heads, d_ff, n_layers, positions)
        self.encoder = Encoder(EncoderConfig(*sizes, segments=2, style=PRE_NORM))
        self.pooler, self.classifier = torch.nn.Linear(d_model, d_model), torch.nn.Linear(d_model, classes)

    def forward(self, ids, segments):
        x = self.encoder(ids, ids != 0, segments)
        place = (ids == 5).long().argmax(dim=-1)
        return self.classifier(self.pooler(x[torch.arange(len(x)), place]).tanh())


class PoolerLeftOut(torch.nn.Module):
    """The pooler is left out, and with it what it learned from pairs: [CLS] goes through map and tanh."""

    def __init__(self, vocabulary, d_model, n_heads, d_ff, n_layers, positions, classes):
        super().__init__()
        from helpers.models.blocks import PRE_NORM
        from helpers.models.transformer import Encoder, EncoderConfig

        sizes = (vocabulary, d_model, n_heads, d_ff, n_layers, positions)
        self.encoder = Encoder(EncoderConfig(*sizes, segments=2, style=PRE_NORM))
        self.pooler, self.classifier = torch.nn.Linear(d_model, d_model), torch.nn.Linear(d_model, classes)

    def forward(self, ids, segments):
        return self.classifier(self.encoder(ids, ids != 0, segments)[:, 0])


class PoolerStraight(torch.nn.Module):
    """The tanh after the pooler's map is missing, so the new layer reads other numbers than the old one
    did.
    """

    def __init__(self, vocabulary, d_model, n_heads, d_ff, n_layers, positions, classes):
        super().__init__()
        from helpers.models.blocks import PRE_NORM
        from helpers.models.transformer import Encoder, EncoderConfig

        sizes = (vocabulary, d_model, n_heads, d_ff, n_layers, positions)
        self.encoder = Encoder(EncoderConfig(*sizes, segments=2, style=PRE_NORM))
        self.pooler, self.classifier = torch.nn.Linear(d_model, d_model), torch.nn.Linear(d_model, classes)

    def forward(self, ids, segments):
        return self.classifier(self.pooler(self.encoder(ids, ids != 0, segments)[:, 0]))


class PassagesAlike(torch.nn.Module):
    """The segments don't reach the encoder, so both passages look like the first: pass them on."""

    def __init__(self, vocabulary, d_model, n_heads, d_ff, n_layers, positions, classes):
        super().__init__()
        from helpers.models.blocks import PRE_NORM
        from helpers.models.transformer import Encoder, EncoderConfig

        sizes = (vocabulary, d_model, n_heads, d_ff, n_layers, positions)
        self.encoder = Encoder(EncoderConfig(*sizes, segments=2, style=PRE_NORM))
        self.pooler, self.classifier = torch.nn.Linear(d_model, d_model), torch.nn.Linear(d_model, classes)

    def forward(self, ids, segments):
        return self.classifier(self.pooler(self.encoder(ids, ids != 0)[:, 0]).tanh())


class PaddingRead(torch.nn.Module):
    """The encoder isn't told where padding is, so the answer depends on how far a row was filled up."""

    def __init__(self, vocabulary, d_model, n_heads, d_ff, n_layers, positions, classes):
        super().__init__()
        from helpers.models.blocks import PRE_NORM
        from helpers.models.transformer import Encoder, EncoderConfig

        sizes = (vocabulary, d_model, n_heads, d_ff, n_layers, positions)
        self.encoder = Encoder(EncoderConfig(*sizes, segments=2, style=PRE_NORM))
        self.pooler, self.classifier = torch.nn.Linear(d_model, d_model), torch.nn.Linear(d_model, classes)

    def forward(self, ids, segments):
        return self.classifier(self.pooler(self.encoder(ids, None, segments)[:, 0]).tanh())


# -- the embedding and both models ---------------------------------------------------------------------------


def all_positions_added(ids, segments, words, positions, kinds):
    """The whole table of positions is added, and it may have more rows than there are tokens: its first T
    belong to them.
    """
    return words[ids] + positions + kinds[segments]


class TanhGelu(torch.nn.Module):
    """This GELU is the approximation by a tanh, as in GPT-2: BERT has the exact one, which is what
    `torch.nn.functional.gelu` computes.
    """

    def __init__(self, d_model, vocabulary):
        super().__init__()
        self.transform = torch.nn.Linear(d_model, d_model)
        self.norm = torch.nn.LayerNorm(d_model, eps=1e-12)
        self.bias = torch.nn.Parameter(torch.zeros(vocabulary))

    def forward(self, x, embedding):
        x = torch.nn.functional.gelu(self.transform(x), approximate="tanh")
        return self.norm(x) @ embedding.T + self.bias


class FirstRowForPairs(torch.nn.Module):
    """x[0] is the first row of the batch, with all its positions: the [CLS] of every row is x[:, 0]."""

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
        return self.word_head(x, self.encoder.words.weight), self.follows(self.pooler(x[0]).tanh())


class PoolsTheFirstRow(torch.nn.Module):
    """x[0] is the first row of the batch, with all its positions: each row has its [CLS] in x[:, 0]."""

    def __init__(self, vocabulary, d_model, n_heads, d_ff, n_layers, positions, classes):
        super().__init__()
        from helpers.models.blocks import PRE_NORM
        from helpers.models.transformer import Encoder, EncoderConfig

        sizes = (vocabulary, d_model, n_heads, d_ff, n_layers, positions)
        self.encoder = Encoder(EncoderConfig(*sizes, segments=2, style=PRE_NORM))
        self.pooler, self.classifier = torch.nn.Linear(d_model, d_model), torch.nn.Linear(d_model, classes)

    def forward(self, ids, segments):
        return self.classifier(self.pooler(self.encoder(ids, ids != 0, segments)[0]).tanh())
