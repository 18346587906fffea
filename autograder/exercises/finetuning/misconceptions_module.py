"""Lesson 09's misconceptions about the classifier: the module with one slip in it. Docstrings as ever."""

# ruff: noqa: D205  (a sentence may take two lines)

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
