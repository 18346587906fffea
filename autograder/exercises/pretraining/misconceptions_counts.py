"""Lesson 08's misconceptions about what is added up and what it is divided by."""

# ruff: noqa: D205  (a sentence may take two lines)

import torch


def divided_by_rows(logits, targets):
    """The sum is divided by the number of rows, so longer sentences have larger losses: divide by the number
    of targets that aren't −100.
    """
    real = targets != -100
    log_p = logits.log_softmax(-1).gather(-1, targets.clamp(min=0)[..., None])[..., 0]
    return -(log_p * real).sum() / len(targets)


def alpha_once_below(inputs, targets, vocabulary, alpha):
    """The sum of each row grows by one alpha, where each of its V counts got one: divide by the sum of the
    row after alpha was added.
    """
    real = targets != -100
    pairs = inputs[real] * vocabulary + targets[real]
    counts = torch.bincount(pairs, minlength=vocabulary**2).view(vocabulary, vocabulary)
    return ((counts + alpha) / (counts.sum(-1, keepdim=True) + alpha)).log()


def first_kept_below(probabilities, p):
    """Tokens are kept while their sum, their own probability included, is below p, and the first in any case:
    the one that reaches p belongs to those kept.
    """
    ordered, places = probabilities.sort(dim=-1, descending=True)
    keep = ordered.cumsum(dim=-1) < p
    keep[..., 0] = True
    kept = torch.zeros_like(probabilities).scatter(-1, places, ordered * keep)
    return kept / kept.sum(dim=-1, keepdim=True)


def k_values_alone(probabilities, k):
    """The k largest come back alone: the others have the probability 0, and each token its own place, so a
    row still has V numbers.
    """
    kept = probabilities.topk(k, dim=-1).values
    return kept / kept.sum(dim=-1, keepdim=True)
