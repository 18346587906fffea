"""BERT with both heads."""

import torch
from torch import Generator, Tensor

from exercises.bert import shared
from exercises.bert.word_head import WordHead
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick
from helpers.text.vocabulary import MASK

exercise = Entry(
    id="bert.model",
    title="BERT with both heads",
    points=3,
    difficulty=3,
    minutes=10,
    driver="module",
    returns=("word logits", "follows logits"),
    properties=(inputs_unchanged, gradient_reaches_inputs),
    needs=("bert.word_head",),
    square="W_o and the pooler are d_model × d_model",
)


@exercise.reference
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


@exercise.cases
def bert_cases(g: Generator) -> list[Case]:
    """Rows with and without padding, each with a hidden word."""
    C, H = pick(g, (6, 3), (4, 1), (4, 2), (8, 2))
    V, d_ff, n_layers, positions = pick(g, 9, 10, 12), pick(g, 6, 5, 7), pick(g, 1, 2, 1), pick(g, 10, 11, 12)
    settings = dict(vocabulary=V, d_model=C, n_heads=H, d_ff=d_ff, n_layers=n_layers, positions=positions)

    def case(title: str, ids: Tensor) -> Case:
        ids[:, 1] = MASK
        return Case(title, (settings, shared.parameters(g, _bert(settings)), ids, shared.passages(ids)))

    both = [(1, 1), (2, shared.between(g, 2, 3))]
    return [
        case("one row without padding", shared.row(g, 2, shared.between(g, 1, 2), 0, vocabulary=9)[None]),
        case(
            "rows with padding", shared.rows(g, pick(g, both, [(2, 1), *both], [*both, (3, 1)]), vocabulary=9)
        ),
    ]


def _bert(sizes: dict) -> dict[str, tuple[int, ...]]:
    C, V = sizes["d_model"], sizes["vocabulary"]
    head = {f"word_head.{name}": shape for name, shape in shared.word_head(C, V).items()}
    tops = {"pooler.weight": (C, C), "pooler.bias": (C,), "follows.weight": (2, C), "follows.bias": (2,)}
    return shared.encoder(sizes) | head | tops


@exercise.alternative
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


@exercise.alternative
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


exercise.slip("NothingHidden", "ids != 0 → None").says(
    "The encoder isn't told which tokens are padding, so all words look at it: its second argument is "
    "True for real tokens."
)
exercise.slip(
    "SegmentsForgotten", "self.encoder(ids, ids != 0, segments) → self.encoder(ids, ids != 0)"
).says("The segments don't reach the encoder, so it takes all tokens for the first passage's.")
exercise.slip("PaddingMaskTurned", "ids != 0 → ids == 0").says(
    "The padding mask is inverted, so the words look at padding alone: True is a token."
)
exercise.slip("NoPooler", "self.follows(whole) → self.follows(x[:, 0])").says(
    "The pooler is left out: the vector of [CLS] goes through its linear map and tanh before the two scores."
)
exercise.slip("PoolerWithoutTanh", "self.follows(whole) → self.follows(self.pooler(x[:, 0]))").says(
    "The tanh after the pooler's map is missing: without a nonlinearity, two linear maps are one."
)
exercise.slip(
    "PoolerWithGelu", "self.pooler(x[:, 0]).tanh() → torch.nn.functional.gelu(self.pooler(x[:, 0]))"
).says(
    "After the pooler's map comes a GELU here, which belongs to the head for words: the pooler has a tanh."
)
exercise.slip("MeanInsteadOfCls", "x[:, 0] → torch.mean(x, 1)").says(
    "The pair is judged by the mean over all positions, padding included: BERT reads [CLS], position 0."
)
exercise.slip("LastInsteadOfCls", "self.follows(whole) → self.follows(self.pooler(x[:, -1]).tanh())").says(
    "The pair is judged by the last position, as in a language model, but here that may be padding: [CLS] "
    "is position 0."
)
exercise.slip("PairScoresEverywhere", "self.follows(whole) → self.follows(self.pooler(x).tanh())").says(
    "Each position gives two scores of its own: a pair gets one judgement, from [CLS], (B, 2)."
)
exercise.slip(
    "SegmentsAndMaskSwapped",
    "self.encoder(ids, ids != 0, segments) → self.encoder(ids, segments.bool(), (ids != 0).long())",
).says(
    "The encoder gets the segments where it wants the padding mask: its arguments are tokens, real, segments."
)
exercise.slip("FirstRowForPairs", "self.follows(whole) → self.follows(self.pooler(x[0]).tanh())").says(
    "x[0] is the first row of the batch, with all its positions: the [CLS] of every row is x[:, 0]."
)
exercise.slip("SpecialsHidden", "ids != 0 → ids >= 6").says(
    "[CLS], [SEP] and <mask> are hidden as if they were padding: only 0 is."
)
exercise.slip("SharesForPairs", "self.follows(whole) → self.follows(whole).softmax(dim=-1)").says(
    "The pair's scores went through a softmax: the loss wants logits and takes the softmax itself."
)
exercise.slip("MasksHidden", "ids != 0 → (ids != 0) & (ids != 3)").says(
    "<mask> is hidden from attention as if it were padding: a hidden word's place tells something, and a "
    "position must see itself."
)
exercise.slip(
    "WordsThroughThePooler",
    "self.word_head(x, self.encoder.words.weight) → self.word_head(self.pooler(x).tanh(), "
    "self.encoder.words.weight)",
).says(
    "The head for words reads what comes out of the pooler: that is for [CLS] and the pair alone, words are "
    "read from the encoder's vectors."
)
