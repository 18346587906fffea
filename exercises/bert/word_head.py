"""The head for words."""

import math

import torch
from torch import Generator

from exercises.bert import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick

exercise = Entry(
    id="bert.word_head",
    title="The head for words",
    points=2,
    difficulty=2,
    minutes=6,
    driver="module",
    returns=("logits",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
    square="transform.weight is d_model × d_model",
)


@exercise.reference
class WordHead(torch.nn.Module):
    def __init__(self, d_model, vocabulary):
        super().__init__()
        self.transform = torch.nn.Linear(d_model, d_model)
        self.norm = torch.nn.LayerNorm(d_model, eps=1e-12)
        self.bias = torch.nn.Parameter(torch.zeros(vocabulary))

    def forward(self, x, embedding):
        x = self.norm(torch.nn.functional.gelu(self.transform(x)))
        return x @ embedding.T + self.bias


@exercise.cases
def head_cases(g: Generator) -> list[Case]:
    """Vectors of several shapes."""

    def case(
        title: str, *shape: int, C: int = 4, V: int = 7, dtype: torch.dtype = torch.float32, spread: float = 1
    ) -> Case:
        weights = shared.parameters(g, shared.word_head(C, V), dtype)
        weights["transform.weight"] *= spread
        weights["transform.bias"] *= spread
        inputs = shared.normal(g, *shape, C, dtype=dtype), shared.normal(g, V, C, dtype=dtype)
        return Case(title, ({"d_model": C, "vocabulary": V}, weights, *inputs))

    return [
        case("one row", pick(g, 5, 3, 2), C=pick(g, 4, 8, 6), V=7),
        case("a batch", *pick(g, (2, 3), (3, 2), (2, 1, 3)), C=6, V=9),
        case("one vector in a batch", *pick(g, (1, 1), (1,), (1, 2)), C=pick(g, 4, 6), V=5),
        case("one vector", C=4, V=pick(g, 5, 6, 8)),
        case("in float64", 3, 2, C=pick(g, 4, 5, 7), V=pick(g, 8, 6, 9), dtype=torch.float64),
        # A variance of about 1e-6: BERT's 1e-12 is nothing beside it, and PyTorch's 1e-5 is much.
        case("vectors that hardly vary", 3, C=pick(g, 4, 5, 7), V=pick(g, 8, 6, 9), spread=1e-3),
    ]


@exercise.alternative
class HeadAsALinearMap(torch.nn.Module):
    def __init__(self, d_model, vocabulary):
        super().__init__()
        self.transform = torch.nn.Linear(d_model, d_model)
        self.norm = torch.nn.LayerNorm(d_model, eps=1e-12)
        self.bias = torch.nn.Parameter(torch.zeros(vocabulary))

    def forward(self, x, embedding):
        bent = torch.nn.GELU()(self.transform(x))
        return torch.nn.functional.linear(self.norm(bent), embedding, self.bias)


@exercise.alternative
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


exercise.slip("NoTransform", "        x = self.norm(torch.nn.functional.gelu(self.transform(x)))\n →").says(
    "The vectors are compared with the embedding as they are: transform, GELU and norm come before that."
)
exercise.slip("NoNonlinearity", "torch.nn.functional.gelu(self.transform(x)) → self.transform(x)").says(
    "The GELU between the linear map and the norm is missing."
)
exercise.slip(
    "NormBeforeNonlinearity",
    "self.norm(torch.nn.functional.gelu(self.transform(x))) → "
    "torch.nn.functional.gelu(self.norm(self.transform(x)))",
).says(
    "The norm comes before the GELU, so the vector isn't normalised when it is compared with the "
    "embedding: the norm is the last of the three steps."
)
exercise.slip(
    "NoNorm",
    "self.norm(torch.nn.functional.gelu(self.transform(x))) → torch.nn.functional.gelu(self.transform(x))",
).says("The layer normalisation before the comparison is missing.")
exercise.slip("NoBias", " + self.bias →").says(
    "The bias is missing: with it a word can be likely because it is frequent, whatever the vector says."
)
exercise.slip("WithRelu", "torch.nn.functional.gelu → torch.relu").says(
    "The nonlinearity is ReLU: BERT uses GELU everywhere."
)
exercise.slip(
    "SharesForScores", "x @ embedding.T + self.bias → (x @ embedding.T + self.bias).softmax(dim=-1)"
).says("These are probabilities: the loss wants logits and takes the softmax itself.")
exercise.slip("TanhGelu", 'self.transform(x) → self.transform(x), approximate="tanh"').says(
    "This GELU is the approximation by a tanh, as in GPT-2: BERT has the exact one, which is what "
    "`torch.nn.functional.gelu` computes."
)
exercise.slip("NormAlone", "torch.nn.functional.gelu(self.transform(x)) → x").says(
    "The small layer is left out: the linear map and the GELU come before the norm."
)
exercise.slip(
    "NormFirst",
    "self.norm(torch.nn.functional.gelu(self.transform(x))) → "
    "torch.nn.functional.gelu(self.transform(self.norm(x)))",
).says(
    "The norm comes first, as in front of a sublayer: here it is the last of the three steps, so that what "
    "is compared with the embedding is normalised."
)
exercise.slip("MatrixTurned", "self.transform(x) → x @ self.transform.weight + self.transform.bias").says(
    "The linear map's matrix is used the wrong way round: A of the formula is `self.transform.weight.T`, and "
    "calling `self.transform(x)` does it all."
)
exercise.slip(
    "ScoresScaled", "x @ embedding.T + self.bias → x @ embedding.T / x.size(-1) ** 0.5 + self.bias"
).says("The scores are divided by √C, as attention does: here the dot products stay as they are.")
exercise.slip(
    "WithResidual",
    "self.norm(torch.nn.functional.gelu(self.transform(x))) → "
    "self.norm(x + torch.nn.functional.gelu(self.transform(x)))",
).says("x is added to the small layer's output, as around a sublayer: this head has no residual path.")
