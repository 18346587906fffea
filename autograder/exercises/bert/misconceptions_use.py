"""Lesson 10's misconceptions about the loss and the pair classifier.

A docstring is the sentence that the student reads. Each stands alone, with `torch` and `math` as its only
names, so that the class simulator can paste it.
"""

# ruff: noqa: D205  (a sentence may take two lines)

import torch

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
