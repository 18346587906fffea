"""Attention: average some values, each weighted by how well its key answers a query.

What lesson 01 asks for, for the lessons after it. Shapes are written (..., T, d): any number of batch axes,
then positions, then features. A mask is boolean, and True means "may attend".
"""

import math
from collections.abc import Callable

import torch


def softmax(x: torch.Tensor, dim: int) -> torch.Tensor:
    """Turn scores into positive weights that sum to 1 along one axis.

    Args:
        x: scores of any shape and any size, even ±10⁴: the largest of each row is subtracted first, which
            changes no weight and keeps exp within bounds.
        dim: the axis to sum to 1 along.

    Returns:
        Weights of the shape and dtype of x.
    """
    exponentials = torch.exp(x - x.amax(dim=dim, keepdim=True))
    return exponentials / exponentials.sum(dim=dim, keepdim=True)


def scaled_dot_product_attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Average the values, each weighted by how well its key answers the query.

    Args:
        q: queries, (..., T_q, d_k).
        k: keys, (..., T_k, d_k).
        v: values, (..., T_k, d_v).
        mask: boolean, broadcastable to (..., T_q, T_k). True means "may attend". A query that may attend to
            nothing gets NaN: there is nothing to average.

    Returns:
        The outputs (..., T_q, d_v) and the weights (..., T_q, T_k); each row of weights sums to 1.

    Raises:
        ValueError: queries and keys differ in their features, keys and values in their positions, or the mask
            isn't boolean.

    Source: Vaswani et al. 2017, equation 1.
    """
    if q.size(-1) != k.size(-1):
        raise ValueError(f"queries have {q.size(-1)} features but keys have {k.size(-1)}")
    if k.size(-2) != v.size(-2):
        raise ValueError(f"there are {k.size(-2)} keys but {v.size(-2)} values")
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))  # (..., T_q, T_k)
    if mask is not None:
        if mask.dtype != torch.bool:
            raise ValueError(f"a mask is boolean, True means may attend, but this one is {mask.dtype}")
        scores = scores.masked_fill(~mask, -math.inf)  # not -1e9: half precision has no -1e9
    weights = scores.softmax(dim=-1)
    return weights @ v, weights


def additive_attention(
    query: torch.Tensor,
    keys: torch.Tensor,
    values: torch.Tensor,
    W_q: torch.Tensor,
    W_k: torch.Tensor,
    v: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:
    """One context vector for one query: score every key with a small network, then average the values.

    The score of key j is v · tanh(query W_q + key_j W_k).

    Args:
        query: (..., d_q), the state of a decoder, say.
        keys: (..., T, d_k).
        values: (..., T, d_v); in the paper the same as the keys, an encoder's states.
        W_q: (d_q, d_a).
        W_k: (d_k, d_a).
        v: (d_a,).

    Returns:
        The context (..., d_v) and the weights (..., T), which sum to 1.

    Source: Bahdanau et al. 2015, section 3.1 and appendix A.1.2.
    """
    hidden = torch.tanh((query @ W_q).unsqueeze(-2) + keys @ W_k)  # (..., T, d_a)
    weights = (hidden @ v).softmax(dim=-1)  # (..., T)
    context = (weights.unsqueeze(-1) * values).sum(dim=-2)
    return context, weights


def cross_attention(
    y: torch.Tensor,
    x: torch.Tensor,
    W_q: torch.Tensor,
    W_k: torch.Tensor,
    W_v: torch.Tensor,
    mask: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Attention of y over x: y asks, x answers. With y = x it is self-attention.

    Args:
        y: the sequence that asks, (..., T_y, d_y).
        x: the sequence that is looked at, (..., T_x, d_x).
        W_q: (d_y, d_k).
        W_k: (d_x, d_k).
        W_v: (d_x, d_v).
        mask: boolean, broadcastable to (..., T_y, T_x). True means "may attend".

    Returns:
        The outputs (..., T_y, d_v) and the weights (..., T_y, T_x).
    """
    return scaled_dot_product_attention(y @ W_q, x @ W_k, x @ W_v, mask)


def saturation(q: torch.Tensor, k: torch.Tensor, scaled: bool) -> tuple[torch.Tensor, torch.Tensor]:
    """How nearly a softmax over dot products picks a single key, and what is left of its gradient then.

    Args:
        q: queries, (N, d_k).
        k: keys, (N, T, d_k): each query has T keys of its own.
        scaled: whether the scores are divided by √d_k.

    Returns:
        Two tensors of one number, both averages over the N queries: the largest of the T weights, and the
        Euclidean norm of that weight's gradient with respect to the T scores that the softmax gets.
    """
    scores = (k @ q.unsqueeze(-1)).squeeze(-1)  # (N, T)
    if scaled:
        scores = scores / math.sqrt(q.size(-1))
    scores = scores.detach().requires_grad_()
    largest = scores.softmax(dim=-1).amax(dim=-1)  # (N,)
    # A row's weights depend on that row's scores alone, so one sum gives every row its own gradient.
    (gradient,) = torch.autograd.grad(largest.sum(), scores)  # (N, T)
    return largest.mean().detach(), gradient.norm(dim=-1).mean()


def permutation_gaps(
    layer: "Callable[[torch.Tensor], torch.Tensor]", x: torch.Tensor, permutation: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """How far a layer is from being permutation equivariant, and from being permutation invariant.

    Args:
        layer: takes (..., T, d) and gives (..., T, d_out).
        x: (..., T, d).
        permutation: the T positions in another order, integers.

    Returns:
        Two tensors of one number: the largest |layer(x[p]) - layer(x)[p]|, which is 0 for an equivariant
        layer, and the largest |layer(x[p]) - layer(x)|, which is 0 for an invariant one.
    """
    straight, shuffled = layer(x), layer(x[..., permutation, :])
    equivariance_gap = (shuffled - straight[..., permutation, :]).abs().max()
    invariance_gap = (shuffled - straight).abs().max()
    return equivariance_gap, invariance_gap
