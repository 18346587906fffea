"""A pair classifier."""

import torch
from torch import Generator, Tensor

from autograder.drawing import pick
from autograder.entry import Entry
from autograder.exercises.bert import shared
from helpers.checking.calling.drivers import Case
from helpers.checks import gradient_reaches_inputs, inputs_unchanged

exercise = Entry(
    id="bert.classifier",
    title="A pair classifier",
    points=2,
    difficulty=2,
    minutes=6,
    driver="module",
    returns=("logits",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
    square="W_o and the pooler are d_model × d_model",
)


@exercise.reference
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


@exercise.cases
def classifier_cases(g: Generator) -> list[Case]:
    """Two classes and more, with padding."""
    C, H = pick(g, (4, 2), (4, 1), (6, 3), (8, 2))
    V, d_ff, n_layers, positions = (
        pick(g, 13, 14, 15),
        pick(g, 6, 5, 7),
        pick(g, 1, 2, 1),
        pick(g, 11, 10, 12),
    )
    sizes = dict(vocabulary=V, d_model=C, n_heads=H, d_ff=d_ff, n_layers=n_layers, positions=positions)

    def case(title: str, ids: Tensor, classes: int) -> Case:
        settings = sizes | {"classes": classes}
        return Case(title, (settings, shared.parameters(g, _classifier(settings)), ids, shared.passages(ids)))

    rows = pick(g, [(1, 2), (2, 4)], [(2, 1), (1, 3), (4, 2)], [(3, 1), (2, 2), (1, 4)])
    return [
        case("one row without padding", shared.row(g, shared.between(g, 2, 3), 2, 0, vocabulary=13)[None], 2),
        case("rows with padding", shared.rows(g, rows, vocabulary=13), pick(g, 3, 4, 5)),
    ]


def _classifier(sizes: dict) -> dict[str, tuple[int, ...]]:
    C, N = sizes["d_model"], sizes["classes"]
    tops = {
        "pooler.weight": (C, C),
        "pooler.bias": (C,),
        "classifier.weight": (N, C),
        "classifier.bias": (N,),
    }
    return shared.encoder(sizes) | tops


@exercise.alternative
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


@exercise.alternative
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


exercise.slip("PoolsTheLast", ":, 0 → :, -1").says(
    "This reads the last position, where a language model knows most, but here it may be padding: the "
    "pooler reads [CLS], position 0."
)
exercise.slip("PoolsTheMean", "x[:, 0] → self.encoder(ids, ids != 0, segments).mean(1)").says(
    "This reads the mean over all positions, and padding is in it, so the answer depends on how far a row "
    "was padded: read [CLS]."
)
exercise.slip(
    "PoolsTheSeparator",
    "return self.classifier(self.pooler(x[:, 0]).tanh()) → place = (ids == 5).long().argmax(dim=-1)\n"
    "        return self.classifier(self.pooler(x[torch.arange(len(x)), place]).tanh())",
).says(
    "This reads the first [SEP]: the position that learned to sum up in pretraining is [CLS], and the "
    "pooler was trained on it."
)
exercise.slip(
    "PoolerLeftOut", "self.pooler(x[:, 0]).tanh() → self.encoder(ids, ids != 0, segments)[:, 0]"
).says("The pooler is left out, and with it what it learned from pairs: [CLS] goes through map and tanh.")
exercise.slip(
    "PoolerStraight", "self.pooler(x[:, 0]).tanh() → self.pooler(self.encoder(ids, ids != 0, segments)[:, 0])"
).says(
    "The tanh after the pooler's map is missing, so the new layer reads other numbers than the old one did."
)
exercise.slip(
    "PoolerWithGelu", ".tanh() →", "self.pooler(x[:, 0]) → torch.nn.functional.gelu(self.pooler(x[:, 0]))"
).says("After the pooler's map comes a GELU here: it is a tanh, with which the pooler was pretrained.")
exercise.slip("PassagesAlike", "x[:, 0] → self.encoder(ids, ids != 0)[:, 0]").says(
    "The segments don't reach the encoder, so both passages look like the first: pass them on."
)
exercise.slip("PaddingRead", "x[:, 0] → self.encoder(ids, None, segments)[:, 0]").says(
    "The encoder isn't told where padding is, so the answer depends on how far a row was padded."
)
exercise.slip("PoolsTheFirstRow", ":, 0 → 0").says(
    "x[0] is the first row of the batch, with all its positions: each row has its [CLS] in x[:, 0]."
)
