"""Lesson 11's misconceptions about shares, ends and sides."""

# ruff: noqa: D205  (a sentence may take two lines)

import math


def one_too_few_below(logits, targets, epsilon):
    """ε/(V - 1) goes to all V tokens, the right one too, so more than 1 is handed out: where the right one
    has a part, each part is ε/V.
    """
    asked = targets != -100
    log_p = logits.log_softmax(-1)[asked]
    right = log_p.gather(-1, targets[asked][:, None])[:, 0]
    return (-(1 - epsilon) * right - epsilon / (logits.size(-1) - 1) * log_p.sum(-1)).mean()


def wrong_side_punished(candidate_length, reference_length):
    """The short ones get 1 and the long ones the exponential, the wrong way round: what is to be punished is
    a candidate that is too short.
    """
    if candidate_length < reference_length:
        return 1.0
    return math.exp(1 - reference_length / candidate_length) if candidate_length else 0.0


def averaged_along_the_queries(weights, real):
    """The mean is taken over the written words, not over the heads: the heads are the first axis."""
    return weights.mean(dim=1).masked_fill(~real, -1.0).argmax(dim=-1)


def averaged_along_the_queries_unmasked(weights, real):
    """The mean is taken over the written words, and `real` isn't asked: take it over the heads, the first
    axis, and hide what no word may be aligned with.
    """
    return weights.mean(dim=1).argmax(dim=-1)
