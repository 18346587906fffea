"""Misconceptions of lesson 05's exercises on attention in blocks; see `misconceptions.py`."""

# ruff: noqa: D205  (a sentence may take two lines)

import math

import torch

from helpers.complexity import absorb

# -- one block into a running softmax ------------------------------------------------------------------------


def nothing_rescaled(largest, total, mixture, scores, values):
    """The old total and mixture aren't rescaled: they were made with the old maximum, so when a larger one
    comes, both shrink by exp(old − new).
    """
    new = torch.maximum(largest, scores.amax(dim=-1))
    powers = (scores - new.unsqueeze(-1)).exp()
    return new, total + powers.sum(dim=-1), mixture + powers @ values


def mixture_not_rescaled(largest, total, mixture, scores, values):
    """The old total is rescaled and the old mixture isn't: both are sums of exp(score − maximum), so both
    shrink by the same factor.
    """
    new = torch.maximum(largest, scores.amax(dim=-1))
    powers = (scores - new.unsqueeze(-1)).exp()
    return new, (largest - new).exp() * total + powers.sum(dim=-1), mixture + powers @ values


def total_not_rescaled(largest, total, mixture, scores, values):
    """The old mixture is rescaled and the old total isn't: both are sums of exp(score − maximum), so both
    shrink by the same factor.
    """
    new = torch.maximum(largest, scores.amax(dim=-1))
    powers = (scores - new.unsqueeze(-1)).exp()
    return new, total + powers.sum(dim=-1), (largest - new).exp().unsqueeze(-1) * mixture + powers @ values


def rescaled_the_wrong_way(largest, total, mixture, scores, values):
    """The factor is upside down: exp(old − new) is at most 1 and shrinks what was summed so far, while
    exp(new − old) lets it grow without bound.
    """
    new = torch.maximum(largest, scores.amax(dim=-1))
    factor, powers = (new - largest).exp(), (scores - new.unsqueeze(-1)).exp()
    return new, factor * total + powers.sum(dim=-1), factor.unsqueeze(-1) * mixture + powers @ values


def maximum_of_the_block(largest, total, mixture, scores, values):
    """The new maximum is that of this block alone: it is the largest score so far, so compare it with the
    old one.
    """
    new = scores.amax(dim=-1)
    factor, powers = (largest - new).exp(), (scores - new.unsqueeze(-1)).exp()
    return new, factor * total + powers.sum(dim=-1), factor.unsqueeze(-1) * mixture + powers @ values


def block_by_its_own_maximum(largest, total, mixture, scores, values):
    """This block's exponentials are taken from its own maximum, and what came before from the running one:
    only terms with the same maximum can be added.
    """
    block = scores.amax(dim=-1)
    new = torch.maximum(largest, block)
    factor, powers = (largest - new).exp(), (scores - block.unsqueeze(-1)).exp()
    return new, factor * total + powers.sum(dim=-1), factor.unsqueeze(-1) * mixture + powers @ values


def block_alone(largest, total, mixture, scores, values):
    """The block replaces what came before: its sums should be added to the old ones, after these are
    rescaled.
    """
    new = torch.maximum(largest, scores.amax(dim=-1))
    powers = (scores - new.unsqueeze(-1)).exp()
    return new, powers.sum(dim=-1), powers @ values


def softmax_of_the_block(largest, total, mixture, scores, values):
    """A softmax is taken within the block, so its weights sum to 1 before the other blocks are known: add
    exponentials, and divide once, at the very end.
    """
    new = torch.maximum(largest, scores.amax(dim=-1))
    factor, powers = (largest - new).exp(), (scores - new.unsqueeze(-1)).exp()
    mixture = factor.unsqueeze(-1) * mixture + scores.softmax(dim=-1) @ values
    return new, factor * total + powers.sum(dim=-1), mixture


def divided_already(largest, total, mixture, scores, values):
    """The mixture is divided by the total already: keep the plain sum, since the total still grows, and
    divide once all keys are read.
    """
    new = torch.maximum(largest, scores.amax(dim=-1))
    factor, powers = (largest - new).exp(), (scores - new.unsqueeze(-1)).exp()
    total = factor * total + powers.sum(dim=-1)
    return new, total, (factor.unsqueeze(-1) * mixture + powers @ values) / total.unsqueeze(-1)


# -- attention in blocks -------------------------------------------------------------------------------------


def all_scores_at_once(q, k, v, block):
    """The right values, but all T_q × T_k scores are made at once, which is the memory that blocks are
    there to save: make the scores of one block of keys at a time.
    """
    return (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(dim=-1) @ v


def blocks_added(q, k, v, block):
    """Each block has a softmax of its own, and their outputs are added: a weight depends on the scores of
    all keys, so divide once, by the total over all blocks.
    """
    output = 0
    for start in range(0, k.size(-2), block):
        scores = q @ k[..., start : start + block, :].transpose(-2, -1) / math.sqrt(q.size(-1))
        output = output + scores.softmax(dim=-1) @ v[..., start : start + block, :]
    return output


def blocks_averaged(q, k, v, block):
    """Each block has a softmax of its own, and their outputs are averaged: that gives every block the same
    say, whether its keys fit the query or not.
    """
    outputs = []
    for start in range(0, k.size(-2), block):
        scores = q @ k[..., start : start + block, :].transpose(-2, -1) / math.sqrt(q.size(-1))
        outputs.append(scores.softmax(dim=-1) @ v[..., start : start + block, :])
    return sum(outputs) / len(outputs)


def short_block_dropped(q, k, v, block):
    """The last keys are left out when they don't fill a block: go on to the end, where a slice is simply
    shorter.
    """
    largest = torch.full_like(q[..., 0], -math.inf)
    total = torch.zeros_like(largest)
    mixture = torch.zeros_like(largest).unsqueeze(-1) * v[..., :1, :]
    for start in range(0, max(1, k.size(-2) // block) * block, block):
        keys, values = k[..., start : start + block, :], v[..., start : start + block, :]
        scores = q @ keys.transpose(-2, -1) / math.sqrt(q.size(-1))
        largest, total, mixture = absorb(largest, total, mixture, scores, values)
    return mixture / total.unsqueeze(-1)


def never_divided(q, k, v, block):
    """The mixture is never divided by the total: these are sums of exponentials times values, not yet
    averages.
    """
    largest = torch.full_like(q[..., 0], -math.inf)
    total = torch.zeros_like(largest)
    mixture = torch.zeros_like(largest).unsqueeze(-1) * v[..., :1, :]
    for start in range(0, k.size(-2), block):
        keys, values = k[..., start : start + block, :], v[..., start : start + block, :]
        scores = q @ keys.transpose(-2, -1) / math.sqrt(q.size(-1))
        largest, total, mixture = absorb(largest, total, mixture, scores, values)
    return mixture


def blocks_unscaled(q, k, v, block):
    """The scores aren't divided by √d_k: in blocks or at once, the same scores go into the softmax."""
    largest = torch.full_like(q[..., 0], -math.inf)
    total = torch.zeros_like(largest)
    mixture = torch.zeros_like(largest).unsqueeze(-1) * v[..., :1, :]
    for start in range(0, k.size(-2), block):
        keys, values = k[..., start : start + block, :], v[..., start : start + block, :]
        largest, total, mixture = absorb(largest, total, mixture, q @ keys.transpose(-2, -1), values)
    return mixture / total.unsqueeze(-1)


def scaled_by_the_block(q, k, v, block):
    """The scores are divided by the root of the block's size: it is the features of a key, d_k, that a dot
    product sums over.
    """
    largest = torch.full_like(q[..., 0], -math.inf)
    total = torch.zeros_like(largest)
    mixture = torch.zeros_like(largest).unsqueeze(-1) * v[..., :1, :]
    for start in range(0, k.size(-2), block):
        keys, values = k[..., start : start + block, :], v[..., start : start + block, :]
        scores = q @ keys.transpose(-2, -1) / math.sqrt(block)
        largest, total, mixture = absorb(largest, total, mixture, scores, values)
    return mixture / total.unsqueeze(-1)


def started_at_zero(q, k, v, block):
    """The largest score starts at 0, or at some other number, and stays there when all scores are far below
    it, whose exponentials are then 0: start it at −∞, which any score exceeds.
    """
    largest = torch.zeros_like(q[..., 0])
    total = torch.zeros_like(largest)
    mixture = torch.zeros_like(largest).unsqueeze(-1) * v[..., :1, :]
    for start in range(0, k.size(-2), block):
        keys, values = k[..., start : start + block, :], v[..., start : start + block, :]
        scores = q @ keys.transpose(-2, -1) / math.sqrt(q.size(-1))
        largest, total, mixture = absorb(largest, total, mixture, scores, values)
    return mixture / total.unsqueeze(-1)


def no_running_maximum(q, k, v, block):
    """The scores are exponentiated as they are, with no maximum subtracted, and overflow where scores are
    large: your absorb keeps them within bounds.
    """
    total = torch.zeros_like(q[..., 0])
    mixture = total.unsqueeze(-1) * v[..., :1, :]
    for start in range(0, k.size(-2), block):
        powers = (q @ k[..., start : start + block, :].transpose(-2, -1) / math.sqrt(q.size(-1))).exp()
        total = total + powers.sum(dim=-1)
        mixture = mixture + powers @ v[..., start : start + block, :]
    return mixture / total.unsqueeze(-1)


def rescaling_forgotten(q, k, v, block):
    """Each block subtracts its own maximum, and the sums of different blocks are added as they are: terms
    with different maxima must be brought to the same one first.
    """
    total = torch.zeros_like(q[..., 0])
    mixture = total.unsqueeze(-1) * v[..., :1, :]
    for start in range(0, k.size(-2), block):
        scores = q @ k[..., start : start + block, :].transpose(-2, -1) / math.sqrt(q.size(-1))
        powers = (scores - scores.amax(dim=-1, keepdim=True)).exp()
        total = total + powers.sum(dim=-1)
        mixture = mixture + powers @ v[..., start : start + block, :]
    return mixture / total.unsqueeze(-1)
