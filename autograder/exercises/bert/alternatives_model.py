"""Lesson 10's right answers about the model and its uses. The first of each is the reference.

Each stands alone, with `torch`, `math` and the lesson's `WordHead` as their only names.
"""

# ruff: noqa: D101, D103

import math

import torch

# -- the model -----------------------------------------------------------------------------------------------


class WordHead(torch.nn.Module):
    def __init__(self, d_model, vocabulary):
        super().__init__()
        self.transform = torch.nn.Linear(d_model, d_model)
        self.norm = torch.nn.LayerNorm(d_model, eps=1e-12)
        self.bias = torch.nn.Parameter(torch.zeros(vocabulary))

    def forward(self, x, embedding):
        x = self.norm(torch.nn.functional.gelu(self.transform(x)))
        return x @ embedding.T + self.bias


class HeadAsALinearMap(torch.nn.Module):
    def __init__(self, d_model, vocabulary):
        super().__init__()
        self.transform = torch.nn.Linear(d_model, d_model)
        self.norm = torch.nn.LayerNorm(d_model, eps=1e-12)
        self.bias = torch.nn.Parameter(torch.zeros(vocabulary))

    def forward(self, x, embedding):
        bent = torch.nn.GELU()(self.transform(x))
        return torch.nn.functional.linear(self.norm(bent), embedding, self.bias)


class HeadByEinsum(torch.nn.Module):
    def __init__(self, d_model, vocabulary):
        super().__init__()
        self.transform = torch.nn.Linear(d_model, d_model)
        self.norm = torch.nn.LayerNorm(d_model, eps=1e-12)
        self.bias = torch.nn.Parameter(torch.zeros(vocabulary))

    def forward(self, x, embedding):
        x = self.transform(x)
        x = x * 0.5 * (1 + torch.erf(x / math.sqrt(2)))
        return torch.einsum("...c,vc->...v", self.norm(x), embedding) + self.bias


class PlainBert(torch.nn.Module):
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
        whole = self.pooler(x[:, 0]).tanh()
        return self.word_head(x, self.encoder.words.weight), self.follows(whole)


class BertStepByStep(torch.nn.Module):
    def __init__(self, vocabulary, d_model, n_heads, d_ff, n_layers, positions):
        super().__init__()
        from helpers.models.blocks import PRE_NORM
        from helpers.models.transformer import Encoder, EncoderConfig

        sizes = (vocabulary, d_model, n_heads, d_ff, n_layers, positions)
        self.encoder = Encoder(EncoderConfig(*sizes, segments=2, style=PRE_NORM))
        self.word_head = WordHead(d_model, vocabulary)
        self.pooler, self.follows = torch.nn.Linear(d_model, d_model), torch.nn.Linear(d_model, 2)

    def forward(self, ids, segments):
        real = ids.gt(0)
        states = self.encoder(ids, real=real, segments=segments)
        words = self.word_head(states, self.encoder.words.weight)
        summary = torch.tanh(self.pooler(states)[:, 0, :])
        return words, self.follows(summary)


class BertWithItsOwnHead(torch.nn.Module):
    def __init__(self, vocabulary, d_model, n_heads, d_ff, n_layers, positions):
        super().__init__()
        from helpers.models.blocks import PRE_NORM
        from helpers.models.transformer import Encoder, EncoderConfig

        sizes = (vocabulary, d_model, n_heads, d_ff, n_layers, positions)
        self.encoder = Encoder(EncoderConfig(*sizes, segments=2, style=PRE_NORM))
        self.word_head = torch.nn.Module()
        self.word_head.transform = torch.nn.Linear(d_model, d_model)
        self.word_head.norm = torch.nn.LayerNorm(d_model, eps=1e-12)
        self.word_head.bias = torch.nn.Parameter(torch.zeros(vocabulary))
        self.pooler, self.follows = torch.nn.Linear(d_model, d_model), torch.nn.Linear(d_model, 2)

    def forward(self, ids, segments):
        x, head = self.encoder(ids, ~(ids == 0), segments), self.word_head
        compared = head.norm(torch.nn.functional.gelu(head.transform(x)))
        words = torch.nn.functional.linear(compared, self.encoder.words.weight, head.bias)
        return words, self.follows(torch.nn.Tanh()(self.pooler(x.select(1, 0))))


class PlainClassifier(torch.nn.Module):
    def __init__(self, vocabulary, d_model, n_heads, d_ff, n_layers, positions, classes):
        super().__init__()
        from helpers.models.blocks import PRE_NORM
        from helpers.models.transformer import Encoder, EncoderConfig

        sizes = (vocabulary, d_model, n_heads, d_ff, n_layers, positions)
        self.encoder = Encoder(EncoderConfig(*sizes, segments=2, style=PRE_NORM))
        self.pooler, self.classifier = torch.nn.Linear(d_model, d_model), torch.nn.Linear(d_model, classes)

    def forward(self, ids, segments):
        x = self.encoder(ids, ids != 0, segments)
        return self.classifier(self.pooler(x[:, 0]).tanh())


class ClassifierStepByStep(torch.nn.Module):
    def __init__(self, vocabulary, d_model, n_heads, d_ff, n_layers, positions, classes):
        super().__init__()
        from helpers.models.blocks import PRE_NORM
        from helpers.models.transformer import Encoder, EncoderConfig

        sizes = (vocabulary, d_model, n_heads, d_ff, n_layers, positions)
        self.encoder = Encoder(EncoderConfig(*sizes, segments=2, style=PRE_NORM))
        self.pooler, self.classifier = torch.nn.Linear(d_model, d_model), torch.nn.Linear(d_model, classes)

    def forward(self, ids, segments):
        summary, *_ = self.encoder(ids, real=ids > 0, segments=segments).unbind(dim=1)
        return self.classifier(torch.tanh(self.pooler(summary)))


class ClassifierOfAllPositions(torch.nn.Module):
    def __init__(self, vocabulary, d_model, n_heads, d_ff, n_layers, positions, classes):
        super().__init__()
        from helpers.models.blocks import PRE_NORM
        from helpers.models.transformer import Encoder, EncoderConfig

        sizes = (vocabulary, d_model, n_heads, d_ff, n_layers, positions)
        self.encoder = Encoder(EncoderConfig(*sizes, segments=2, style=PRE_NORM))
        self.pooler, self.classifier = torch.nn.Linear(d_model, d_model), torch.nn.Linear(d_model, classes)

    def forward(self, ids, segments):
        states = torch.tanh(self.pooler(self.encoder(ids, ids != 0, segments)))
        return self.classifier(states)[:, 0]


# -- blanks and filling --------------------------------------------------------------------------------------


def blank_left_to_right(model, ids, place, candidates):
    texts = ids.repeat(len(candidates), 1)
    texts[:, place] = candidates
    log_p = model(texts[:, :-1]).log_softmax(dim=-1)
    each = log_p.gather(-1, texts[:, 1:, None])[..., 0]
    return each[:, place - 1].softmax(dim=0), each.sum(dim=-1).softmax(dim=0)


def blank_text_by_text(model, ids, place, candidates):
    scores = []
    for candidate in candidates:
        text = ids.clone()
        text[place] = candidate
        log_p = torch.log_softmax(model(text[None])[0], dim=-1)
        scores.append(sum(log_p[t - 1, text[t]] for t in range(place, len(text))))
    left = torch.softmax(model(ids[None, :place])[0, -1], dim=-1)[candidates]
    return left / left.sum(), torch.softmax(torch.stack(scores), dim=0)


def blank_by_cross_entropy(model, ids, place, candidates):
    texts = torch.stack([torch.cat([ids[:place], c[None], ids[place + 1 :]]) for c in candidates])
    loss = torch.nn.functional.cross_entropy(
        model(texts)[:, :-1].transpose(1, 2), texts[:, 1:], reduction="none"
    )
    whole = torch.softmax(-loss.sum(dim=1), dim=0)
    return torch.softmax(-loss[:, place - 1], dim=0), whole


def fill_and_mask_again(ids, logits, again):
    hidden = ids == 3
    p, words = logits[..., 6:].softmax(dim=-1).max(dim=-1)
    filled = torch.where(hidden, words + 6, ids)
    order = p.masked_fill(~hidden, math.inf).argsort(dim=-1)[:, :again]
    return filled.scatter(-1, order, 3).where(hidden, ids)


def fill_row_by_row(ids, logits, again):
    result = ids.clone()
    for row in range(len(ids)):
        places = [t for t in range(ids.size(1)) if ids[row, t] == 3]
        shares = {t: logits[row, t, 6:].softmax(dim=-1) for t in places}
        for t in places:
            result[row, t] = shares[t].argmax() + 6
        for t in sorted(places, key=lambda t: float(shares[t].max()))[:again]:
            result[row, t] = 3
    return result


def fill_by_ranks(ids, logits, again):
    hidden = ids == 3
    logits = logits.clone()
    logits[..., :6] = -math.inf
    p, words = logits.softmax(dim=-1).max(dim=-1)
    rank = p.masked_fill(~hidden, 2.0).argsort(dim=-1).argsort(dim=-1)
    return torch.where(hidden & (rank >= again), words, ids)
