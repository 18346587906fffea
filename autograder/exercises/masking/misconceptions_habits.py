"""Lesson 04's misconceptions that come along with code from elsewhere; see `misconceptions.py`."""

# ruff: noqa: D205  (a sentence may take two lines)

import math

import torch

from helpers.attention import scaled_dot_product_attention
from helpers.masking import causal_mask


def words_taken_to_come_first(real):
    """Only the number of words is used, as if the padding always came after them: it may stand anywhere, so
    take `real` itself for the keys.
    """
    words = torch.arange(real.size(1)) < real.sum(dim=1)[:, None]
    return causal_mask(real.size(1)) & words[:, None, :]


def weights_left_nan(q, k, v, mask):
    """NaN is replaced in the output alone, and the weights still hold it: set the hidden weights to 0 before
    they are multiplied by v, and see that no NaN is made at all.
    """
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = scores.masked_fill(~mask, float("-inf")).softmax(dim=-1)
    return (weights @ v).nan_to_num(), weights


def hidden_scores_near_zero(q, k, v, mask):
    """Hidden scores become 0 (by a product, or by 1e-9 in place of -1e9), and e⁰ is 1, so they count in the
    softmax's sum before their weights are set to 0: fill with the lowest number there is.
    """
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = scores.masked_fill(~mask, 0.0).softmax(dim=-1).masked_fill(~mask, 0.0)
    return weights @ v, weights


def one_layer_at_least(mask, layers):
    """No layer gives here what one layer reaches: begin with the identity, and make a step for each layer."""
    step = (mask | torch.eye(len(mask), dtype=torch.bool)).float()
    reached = step
    for _ in range(layers - 1):
        reached = step @ reached
    return reached > 0


def one_word_less(lengths, T):
    """The last word of each sentence counts as padding: positions count from 0, and a sentence of n words has
    them at 0 to n − 1.
    """
    return torch.arange(T) < lengths[:, None] - 1


def slopes_add_up(layer, x):
    """Slopes are summed with their signs, and those of both signs cancel: ask for each whether it differs
    from 0 before you put them together.
    """
    return torch.autograd.functional.jacobian(layer, x).sum(dim=(1, 3)).abs() > 1e-9


def small_slopes_taken_for_none(layer, x):
    """Slopes below a bound are taken for 0: a small slope is a dependence too, so ask whether it differs from
    0.
    """
    return torch.autograd.functional.jacobian(layer, x).abs().amax(dim=(1, 3)) > 1e-2


def same_features_alone(layer, x):
    """Each feature of an output is asked about the same feature of the inputs alone: it can depend on any."""
    slopes = torch.autograd.functional.jacobian(layer, x)
    return (slopes.diagonal(dim1=1, dim2=3) != 0).any(dim=-1)


def future_for_past(real):
    """The causal half is the wrong way round: what comes later is seen, and the past and the word itself are
    hidden.
    """
    T = real.size(-1)
    return torch.ones(T, T).triu(1).bool() & real[:, None]


def asked_before_storing(cache, x, W_q, W_k, W_v):
    """The new positions ask the old cache, before their own keys and values are in it: a position may see
    itself and the new ones before it.
    """
    output, _ = scaled_dot_product_attention(x @ W_q, cache["k"], cache["v"])
    return output, {"k": torch.cat([cache["k"], x @ W_k], -2), "v": torch.cat([cache["v"], x @ W_v], -2)}


def hidden_from_itself(cache, x, W_q, W_k, W_v):
    """Each new position is hidden from itself, for the diagonal is one too low: new word n stands at P + n,
    and sees the keys up to there.
    """
    k, v = torch.cat([cache["k"], x @ W_k], dim=-2), torch.cat([cache["v"], x @ W_v], dim=-2)
    mask = torch.ones(x.size(-2), k.size(-2)).tril(cache["k"].size(-2) - 1).bool()
    output, _ = scaled_dot_product_attention(x @ W_q, k, v, mask)
    return output, {"k": k, "v": v}


def doubled_with_each_layer(mask, layers):
    """What is reached is multiplied by itself, which doubles the number of steps each time: a layer makes one
    step more.
    """
    reached = (mask | torch.eye(len(mask), dtype=torch.bool)).float()
    if layers == 0:
        return torch.eye(len(mask), dtype=torch.bool)
    for _ in range(layers - 1):
        reached = (reached @ reached > 0).float()
    return reached > 0
