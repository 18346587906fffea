"""A head on a body."""

import torch
from torch import Generator

from exercises.finetuning import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick

exercise = Entry(
    id="finetuning.classifier",
    title="A head on a body",
    points=3,
    difficulty=2,
    minutes=8,
    driver="module",
    returns=("logits",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
)


@exercise.reference
@exercise.alternative
class StepByStep(torch.nn.Module):
    def __init__(self, body, d_model, n_classes, pool):
        super().__init__()
        self.body = body
        self.head = torch.nn.Linear(d_model, n_classes)
        self.pool = pool

    def forward(self, ids):
        hidden = self.body(ids)
        real = ids.ne(0)
        vectors = self.pool(hidden, real)
        return self.head(vectors)


@exercise.cases
def classifier_cases(g: Generator) -> list[Case]:
    """Bodies and heads of other sizes, with padding and without."""
    return [
        _classifier(g, "some reviews", (8, 3, pick(g, 5, 4, 7), 2), pick(g, (3, 4), (4, 5), (5, 4)), most=3),
        _classifier(g, "read at the mean", (9, 2, 4, pick(g, 3, 5)), pick(g, (2, 5), (3, 6)), mean=True),
        _classifier(g, "one review, padded", (7, 5, 3, pick(g, 4, 2)), (1, pick(g, 6, 5, 7))),
        _classifier(g, "one score for each review", (8, 3, pick(g, 4, 6), 1), pick(g, (2, 5), (3, 5))),
        _classifier(g, "no padding at all", (9, 4, 6, pick(g, 2, 3)), (1, pick(g, 5, 4)), most=0),
    ]


def _classifier(
    g: Generator,
    title: str,
    sizes: tuple[int, int, int, int],
    shape: tuple[int, int],
    most: int = 4,
    mean: bool = False,
) -> Case:
    V, E, C, K = sizes
    B, T = shape
    ids = torch.randint(1, V, (B, T), generator=g)
    ids[0, 0] = 1  # a token like any other: only 0 is padding
    if most:
        ids = ids.masked_fill(~shared.real(g, B, T, least=2, most=most), 0)
    weights = {
        "body.words.weight": shared.normal(g, V, E),
        "body.W.weight": shared.normal(g, C, E),
        "body.W.bias": shared.normal(g, C),
        "head.weight": shared.normal(g, K, C),
        "head.bias": shared.normal(g, K),
    }
    body = {"layer": "a small body", "weights": [V, E, C]}
    pool = {"layer": "reads the mean of the tokens" if mean else "reads the last token"}
    return Case(title, ({"body": body, "d_model": C, "n_classes": K, "pool": pool}, weights, ids))


@exercise.alternative
class ByWeights(torch.nn.Module):
    def __init__(self, body, d_model, n_classes, pool):
        super().__init__()
        self.body = body
        self.head = torch.nn.Linear(d_model, n_classes)
        self.pool = pool

    def forward(self, ids):
        one_for_each = self.pool(self.body(ids), ids > 0)
        return one_for_each @ self.head.weight.T + self.head.bias


exercise.slip("PoolsTheLastColumn", "self.head(vectors) → self.head(self.body(ids)[:, -1])").says(
    "The head reads position -1, which in a short review is padding: `last_real` knows where a review ends."
)
exercise.slip("PoolsTheFirst", "self.head(vectors) → self.head(self.body(ids)[:, 0])").says(
    "The head reads the first position, which in a causal model has seen none of the words after it."
)
exercise.slip(
    "EverythingReal",
    "self.head(vectors) → self.head(self.pool(self.body(ids), torch.ones_like(ids, dtype=torch.bool)))",
).says("The mask says that every position is real, padding too: a token is real where its number isn't 0.")
exercise.slip("PaddingPooled", "self.head(vectors) → self.head(self.pool(self.body(ids), ids == 0))").says(
    "The mask is inverted: it should be True where there is a word, since pooling leaves out the rest."
)
exercise.slip(
    "GivesSigmoids", "self.head(vectors) → self.head(self.pool(self.body(ids), ids != 0)).sigmoid()"
).says("The output goes through a sigmoid: return logits, which the loss takes as they are.")
exercise.slip(
    "AlwaysTheLast",
    "hidden = self.body(ids)\n"
    "        real = ids.ne(0)\n"
    "        vectors = self.pool(hidden, real) → last = (ids != 0).sum(dim=-1) - 1",
    "self.head(vectors) → self.head(self.body(ids)[torch.arange(len(ids)), last])",
).says("This always reads the last token: `self.pool` decides which vector is read.")
exercise.slip(
    "AlwaysTheMean",
    "ids.ne(0) → (ids != 0)[..., None]",
    "        vectors = self.pool(hidden, real)\n →",
    "self.head(vectors) → self.head((self.body(ids) * real).sum(dim=1) / real.sum(dim=1))",
).says("This always takes the mean of the real positions: `self.pool` decides how vectors are pooled.")
exercise.slip("AtEachPosition", "self.head(vectors) → self.head(self.body(ids))").says(
    "The head is applied at every position, (B, T, K): a review has one label, so read one position."
)
exercise.slip(
    "GivesProbabilities", "self.head(vectors) → self.head(self.pool(self.body(ids), ids != 0)).softmax(-1)"
).says("These are probabilities: return logits, since the loss takes the softmax itself.")
exercise.slip(
    "GivesTheClass", "self.head(vectors) → self.head(self.pool(self.body(ids), ids != 0)).argmax(dim=-1)"
).says(
    "This returns the likeliest class: training needs the scores of all classes, since argmax has no "
    "gradient."
)
exercise.slip("ReluOnTop", "self.head(vectors) → torch.relu(self.head(vectors))").says(
    "A ReLU cuts off scores below 0, and with them everything that tells two unlikely classes apart: logits "
    "may be of either sign."
)
exercise.slip(
    "BackboneDetached",
    "hidden = self.body(ids)\n"
    "        real = ids.ne(0)\n"
    "        vectors = self.pool(hidden, real) → with torch.no_grad():\n"
    "            hidden = self.body(ids)",
    "self.head(vectors) → self.head(self.pool(hidden, ids != 0))",
).says(
    "No gradient reaches the body, so it can never be fine-tuned: whether it trains is for `freeze` to "
    "decide."
)
exercise.slip("BackboneMeaned", "self.head(vectors) → self.head(self.body(ids).mean(1))").says(
    "The head reads the mean over all positions, padding included, so a review's scores depend on how "
    "long the others in its batch are."
)
