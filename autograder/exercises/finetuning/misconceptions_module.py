"""Lesson 09's misconceptions about the classifier: the module with one slip in it. Docstrings as ever."""

# ruff: noqa: D205  (a sentence may take two lines)

import math

import torch


class PoolsTheLastColumn(torch.nn.Module):
    """The head reads position -1, which in a short review is padding: `last_real` knows where a review
    ends.
    """

    def __init__(self, body, d_model, n_classes, pool):
        super().__init__()
        self.body = body
        self.head = torch.nn.Linear(d_model, n_classes)
        self.pool = pool

    def forward(self, ids):
        return self.head(self.body(ids)[:, -1])


class PoolsTheFirst(torch.nn.Module):
    """The head reads the first position, which in a causal model has seen none of the words after it."""

    def __init__(self, body, d_model, n_classes, pool):
        super().__init__()
        self.body = body
        self.head = torch.nn.Linear(d_model, n_classes)
        self.pool = pool

    def forward(self, ids):
        return self.head(self.body(ids)[:, 0])


class AlwaysTheLast(torch.nn.Module):
    """This always reads the last token: which vector is read is for `self.pool` to say."""

    def __init__(self, body, d_model, n_classes, pool):
        super().__init__()
        self.body = body
        self.head = torch.nn.Linear(d_model, n_classes)
        self.pool = pool

    def forward(self, ids):
        last = (ids != 0).sum(dim=-1) - 1
        return self.head(self.body(ids)[torch.arange(len(ids)), last])


class AlwaysTheMean(torch.nn.Module):
    """This always takes the mean of the real positions: how vectors are pooled is for `self.pool` to say."""

    def __init__(self, body, d_model, n_classes, pool):
        super().__init__()
        self.body = body
        self.head = torch.nn.Linear(d_model, n_classes)
        self.pool = pool

    def forward(self, ids):
        real = (ids != 0)[..., None]
        return self.head((self.body(ids) * real).sum(dim=1) / real.sum(dim=1))


class AtEachPosition(torch.nn.Module):
    """The head is applied at every position, (B, T, K): a review has one label, so read one position."""

    def __init__(self, body, d_model, n_classes, pool):
        super().__init__()
        self.body = body
        self.head = torch.nn.Linear(d_model, n_classes)
        self.pool = pool

    def forward(self, ids):
        return self.head(self.body(ids))


class EverythingReal(torch.nn.Module):
    """The mask says that every position is real, padding too: a token is real where its number isn't 0."""

    def __init__(self, body, d_model, n_classes, pool):
        super().__init__()
        self.body = body
        self.head = torch.nn.Linear(d_model, n_classes)
        self.pool = pool

    def forward(self, ids):
        return self.head(self.pool(self.body(ids), torch.ones_like(ids, dtype=torch.bool)))


class PaddingPooled(torch.nn.Module):
    """The mask is the wrong way round: it is True where there is a word, and pooling leaves out the rest."""

    def __init__(self, body, d_model, n_classes, pool):
        super().__init__()
        self.body, self.pool = body, pool
        self.head = torch.nn.Linear(d_model, n_classes)

    def forward(self, ids):
        return self.head(self.pool(self.body(ids), ids == 0))


class GivesSigmoids(torch.nn.Module):
    """The output went through a sigmoid: return logits, which the loss takes as they are."""

    def __init__(self, body, d_model, n_classes, pool):
        super().__init__()
        self.body, self.pool = body, pool
        self.head = torch.nn.Linear(d_model, n_classes)

    def forward(self, ids):
        return self.head(self.pool(self.body(ids), ids != 0)).sigmoid()


class GivesProbabilities(torch.nn.Module):
    """These are probabilities: return logits, since the loss takes the softmax itself."""

    def __init__(self, body, d_model, n_classes, pool):
        super().__init__()
        self.body = body
        self.head = torch.nn.Linear(d_model, n_classes)
        self.pool = pool

    def forward(self, ids):
        return self.head(self.pool(self.body(ids), ids != 0)).softmax(dim=-1)


class GivesTheClass(torch.nn.Module):
    """This decides for a class already: training needs the scores of all classes, since argmax has no
    gradient.
    """

    def __init__(self, body, d_model, n_classes, pool):
        super().__init__()
        self.body = body
        self.head = torch.nn.Linear(d_model, n_classes)
        self.pool = pool

    def forward(self, ids):
        return self.head(self.pool(self.body(ids), ids != 0)).argmax(dim=-1)


class BackboneDetached(torch.nn.Module):
    """No gradient reaches the body, so it can never be fine-tuned: leave it to `freeze` whether it trains."""

    def __init__(self, body, d_model, n_classes, pool):
        super().__init__()
        self.body = body
        self.head = torch.nn.Linear(d_model, n_classes)
        self.pool = pool

    def forward(self, ids):
        with torch.no_grad():
            hidden = self.body(ids)
        return self.head(self.pool(hidden, ids != 0))


class BackboneMeaned(torch.nn.Module):
    """The head reads the mean over all positions, padding included, so a review's scores depend on how
    long the others in its batch are.
    """

    def __init__(self, body, d_model, n_classes, pool):
        super().__init__()
        self.body = body
        self.head = torch.nn.Linear(d_model, n_classes)
        self.pool = pool

    def forward(self, ids):
        return self.head(self.body(ids).mean(dim=1))


class NotScaled(torch.nn.Module):
    """The change isn't scaled: it counts alpha / r times."""

    def __init__(self, linear, rank, alpha):
        super().__init__()
        self.linear = linear.requires_grad_(False)
        self.A = torch.nn.Parameter(torch.randn(rank, linear.in_features) / math.sqrt(linear.in_features))
        self.B = torch.nn.Parameter(torch.zeros(linear.out_features, rank))
        self.rank, self.alpha = rank, alpha

    def forward(self, x):
        return self.linear(x) + x @ self.A.T @ self.B.T


class ScaledByAlpha(torch.nn.Module):
    """The change is multiplied by alpha alone: divide by the rank, so that another rank needs no other
    learning rate.
    """

    def __init__(self, linear, rank, alpha):
        super().__init__()
        self.linear = linear.requires_grad_(False)
        self.A = torch.nn.Parameter(torch.randn(rank, linear.in_features) / math.sqrt(linear.in_features))
        self.B = torch.nn.Parameter(torch.zeros(linear.out_features, rank))
        self.rank, self.alpha = rank, alpha

    def forward(self, x):
        return self.linear(x) + self.alpha * (x @ self.A.T @ self.B.T)


class DividedByTheRank(torch.nn.Module):
    """The change is divided by the rank, but alpha is missing."""

    def __init__(self, linear, rank, alpha):
        super().__init__()
        self.linear = linear.requires_grad_(False)
        self.A = torch.nn.Parameter(torch.randn(rank, linear.in_features) / math.sqrt(linear.in_features))
        self.B = torch.nn.Parameter(torch.zeros(linear.out_features, rank))
        self.rank, self.alpha = rank, alpha

    def forward(self, x):
        return self.linear(x) + x @ self.A.T @ self.B.T / self.rank


class DividedByTheRoot(torch.nn.Module):
    """The change is multiplied by alpha/√r, as in rank-stabilised LoRA: here it is alpha/r."""

    def __init__(self, linear, rank, alpha):
        super().__init__()
        self.linear = linear.requires_grad_(False)
        self.A = torch.nn.Parameter(torch.randn(rank, linear.in_features) / math.sqrt(linear.in_features))
        self.B = torch.nn.Parameter(torch.zeros(linear.out_features, rank))
        self.rank, self.alpha = rank, alpha

    def forward(self, x):
        return self.linear(x) + self.alpha / math.sqrt(self.rank) * (x @ self.A.T @ self.B.T)


class MultipliedByTheRank(torch.nn.Module):
    """The change counts alpha · r times: it is alpha / r."""

    def __init__(self, linear, rank, alpha):
        super().__init__()
        self.linear = linear.requires_grad_(False)
        self.A = torch.nn.Parameter(torch.randn(rank, linear.in_features) / math.sqrt(linear.in_features))
        self.B = torch.nn.Parameter(torch.zeros(linear.out_features, rank))
        self.rank, self.alpha = rank, alpha

    def forward(self, x):
        return self.linear(x) + self.alpha * self.rank * (x @ self.A.T @ self.B.T)


class TheChangeAlone(torch.nn.Module):
    """This is the change alone: what the frozen map says is missing, and with it all that was pretrained."""

    def __init__(self, linear, rank, alpha):
        super().__init__()
        self.linear = linear.requires_grad_(False)
        self.A = torch.nn.Parameter(torch.randn(rank, linear.in_features) / math.sqrt(linear.in_features))
        self.B = torch.nn.Parameter(torch.zeros(linear.out_features, rank))
        self.rank, self.alpha = rank, alpha

    def forward(self, x):
        return self.alpha / self.rank * (x @ self.A.T @ self.B.T)


class TheSumScaled(torch.nn.Module):
    """The sum of both is scaled: only the change counts alpha / r times, the frozen map stays as it is."""

    def __init__(self, linear, rank, alpha):
        super().__init__()
        self.linear = linear.requires_grad_(False)
        self.A = torch.nn.Parameter(torch.randn(rank, linear.in_features) / math.sqrt(linear.in_features))
        self.B = torch.nn.Parameter(torch.zeros(linear.out_features, rank))
        self.rank, self.alpha = rank, alpha

    def forward(self, x):
        return self.alpha / self.rank * (self.linear(x) + x @ self.A.T @ self.B.T)


class TheMapScaled(torch.nn.Module):
    """The scale is at the frozen map: it belongs to the change."""

    def __init__(self, linear, rank, alpha):
        super().__init__()
        self.linear = linear.requires_grad_(False)
        self.A = torch.nn.Parameter(torch.randn(rank, linear.in_features) / math.sqrt(linear.in_features))
        self.B = torch.nn.Parameter(torch.zeros(linear.out_features, rank))
        self.rank, self.alpha = rank, alpha

    def forward(self, x):
        return self.alpha / self.rank * self.linear(x) + x @ self.A.T @ self.B.T


class BiasLost(torch.nn.Module):
    """The frozen map's bias is lost: call the map, and it is added."""

    def __init__(self, linear, rank, alpha):
        super().__init__()
        self.linear = linear.requires_grad_(False)
        self.A = torch.nn.Parameter(torch.randn(rank, linear.in_features) / math.sqrt(linear.in_features))
        self.B = torch.nn.Parameter(torch.zeros(linear.out_features, rank))
        self.rank, self.alpha = rank, alpha

    def forward(self, x):
        return x @ self.linear.weight.T + self.alpha / self.rank * (x @ self.A.T @ self.B.T)


class BiasTwice(torch.nn.Module):
    """The frozen map's bias is added twice: the map adds it when it is called."""

    def __init__(self, linear, rank, alpha):
        super().__init__()
        self.linear = linear.requires_grad_(False)
        self.A = torch.nn.Parameter(torch.randn(rank, linear.in_features) / math.sqrt(linear.in_features))
        self.B = torch.nn.Parameter(torch.zeros(linear.out_features, rank))
        self.rank, self.alpha = rank, alpha

    def forward(self, x):
        return self.linear(x) + self.alpha / self.rank * (x @ self.A.T @ self.B.T) + self.linear.bias


class MapDetached(torch.nn.Module):
    """No gradient gets through the frozen map, so the layers below it learn less: its weights are frozen
    already, and what goes through it isn't.
    """

    def __init__(self, linear, rank, alpha):
        super().__init__()
        self.linear = linear.requires_grad_(False)
        self.A = torch.nn.Parameter(torch.randn(rank, linear.in_features) / math.sqrt(linear.in_features))
        self.B = torch.nn.Parameter(torch.zeros(linear.out_features, rank))
        self.rank, self.alpha = rank, alpha

    def forward(self, x):
        with torch.no_grad():
            kept = self.linear(x)
        return kept + self.alpha / self.rank * (x @ self.A.T @ self.B.T)


class MapAlone(torch.nn.Module):
    """This is the frozen map alone, so nothing can be learned: A and B aren't used."""

    def __init__(self, linear, rank, alpha):
        super().__init__()
        self.linear = linear.requires_grad_(False)
        self.A = torch.nn.Parameter(torch.randn(rank, linear.in_features) / math.sqrt(linear.in_features))
        self.B = torch.nn.Parameter(torch.zeros(linear.out_features, rank))
        self.rank, self.alpha = rank, alpha

    def forward(self, x):
        return self.linear(x)
