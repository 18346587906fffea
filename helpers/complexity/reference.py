"""What layers cost: operations, steps that must wait for each other, memory, and measured time.

What lesson 05 asks for, for the lessons after it. A FLOP is one operation on floating-point numbers; a
multiplication and the addition that follows it are 2. `n` is the number of positions of a sequence, `d` the
number of features of each.
"""

import math
from collections.abc import Sequence

import torch


def matmul_flops(a: "Sequence[int]", b: "Sequence[int]") -> int:
    """FLOPs of a @ b: each number of the result takes as many multiply-adds as the shared axis is long.

    Args:
        a: the left shape, (..., m, k).
        b: the right shape, (k, n), or (..., k, n) with the axes that a has in front.
    """
    return 2 * math.prod(a) * b[-1]


def attention_flops(n: int, d: int) -> dict[str, int]:
    """FLOPs of self-attention with one head, step by step.

    The softmax is counted with 6 operations per score: divide by √d, compare for the maximum, subtract it,
    exponentiate, add up, divide by the sum.

    Args:
        n: positions.
        d: features of the input, the queries, the keys and the values.
    """
    return {
        "projections": 3 * matmul_flops((n, d), (d, d)),
        "scores": matmul_flops((n, d), (d, n)),
        "softmax": 6 * n * n,
        "mixture": matmul_flops((n, n), (n, d)),
    }


def layers_to_connect(n: int, k: int, dilated: bool) -> int:
    """How many causal convolutions it takes until the last of n positions depends on the first.

    Args:
        n: positions, at least 2.
        k: width of the kernel, at least 2: a position sees itself and k - 1 before it.
        dilated: whether each layer's steps are k times as wide as those of the layer below (1, k, k², ...).
            Otherwise all steps are 1.

    Source: Vaswani et al. 2017, section 4; dilation as in Kalchbrenner et al. 2016.
    """
    layers, sees = 0, 1
    while sees < n:  # whole numbers, since math.log(125, 5) is a little more than 3
        sees = sees * k if dilated else sees + k - 1
        layers += 1
    return layers


def layer_cost(layer: str, n: int, d: int, k: int) -> tuple[int, int, int]:
    """A row of Vaswani et al. 2017, table 1: the leading term of each cost, without its constant factor.

    Args:
        layer: "self-attention", "recurrent" or "convolutional".
        n: positions.
        d: features.
        k: width of the kernel, of a convolution. The path is that of dilated kernels.

    Returns:
        Operations; steps that must come one after another; the layers, or steps of one, that a signal
        passes from the first position to the last.

    Raises:
        ValueError: there is no such layer.
    """
    if layer == "self-attention":
        return n * n * d, 1, 1
    if layer == "recurrent":
        return n * d * d, n, n
    if layer == "convolutional":
        return k * n * d * d, 1, layers_to_connect(n, k, dilated=True)
    raise ValueError(f'a layer is "self-attention", "recurrent" or "convolutional", not {layer!r}')


def crossover_length(d: int, projections: int, recurrent: int) -> float:
    """The length up to which self-attention takes fewer FLOPs than a recurrent layer; 0 where it never does.

    Attention takes 2·projections·n·d² + 4n²d, the recurrent layer 2·recurrent·n·d².

    Args:
        d: features.
        projections: d × d matrices that attention multiplies each position by: 0 in Vaswani et al. 2017,
            table 1; 3 for queries, keys and values.
        recurrent: d × d matrices that the recurrent layer multiplies by at each step: 2 in a plain one, 8 in
            an LSTM.
    """
    return max(0.0, d * (recurrent - projections) / 2)


def fitted_exponent(sizes: torch.Tensor, times: torch.Tensor) -> torch.Tensor:
    """The p of the power law times ≈ c·sizes^p that fits best: the slope of a line on log-log axes.

    Args:
        sizes: (N,), positive, not all alike.
        times: (N,), positive, in any unit.

    Returns:
        The slope by least squares, a tensor without axes.
    """
    x, y = sizes.log(), times.log()
    x, y = x - x.mean(), y - y.mean()
    return (x * y).sum() / (x * x).sum()


def absorb(
    largest: torch.Tensor,
    total: torch.Tensor,
    mixture: torch.Tensor,
    scores: torch.Tensor,
    values: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Take one block of keys into a running softmax.

    Before the first block: -∞, 0 and zeros. After the last, mixture / total is the output of attention.

    Args:
        largest: the largest score of each query so far, (..., T_q).
        total: the sum of exp(score - largest) so far, (..., T_q).
        mixture: the sum of exp(score - largest) · value so far, (..., T_q, d_v).
        scores: of this block, (..., T_q, b).
        values: of this block, (..., b, d_v).

    Returns:
        The new largest, total and mixture.

    Source: Milakov and Gimelshein 2018, algorithm 3, for the total; Rabe and Staats 2021 for the mixture.
    """
    new = torch.maximum(largest, scores.amax(dim=-1))
    shrink = (largest - new).exp()
    exponentials = (scores - new.unsqueeze(-1)).exp()
    total = shrink * total + exponentials.sum(dim=-1)
    mixture = shrink.unsqueeze(-1) * mixture + exponentials @ values
    return new, total, mixture


def blockwise_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, block: int) -> torch.Tensor:
    """Scaled dot-product attention that holds the scores of `block` keys at a time.

    Args:
        q: queries, (..., T_q, d_k).
        k: keys, (..., T_k, d_k).
        v: values, (..., T_k, d_v).
        block: how many keys at a time; the last block may be shorter.

    Returns:
        The outputs, (..., T_q, d_v).

    Source: Rabe and Staats 2021; Dao et al. 2022 (FlashAttention) do it within a GPU's fast memory.
    """
    largest = q.new_full(q.shape[:-1], -math.inf)
    total = q.new_zeros(q.shape[:-1])
    mixture = q.new_zeros(*q.shape[:-1], v.size(-1))
    for start in range(0, k.size(-2), block):
        keys, values = k[..., start : start + block, :], v[..., start : start + block, :]
        scores = q @ keys.transpose(-2, -1) / math.sqrt(q.size(-1))  # (..., T_q, block)
        largest, total, mixture = absorb(largest, total, mixture, scores, values)
    return mixture / total.unsqueeze(-1)


def grouped_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Attention in which neighbouring query heads share the keys and values of one head.

    Args:
        q: queries, (..., H, T_q, d_k).
        k: keys, (..., G, T_k, d_k), where G divides H: heads 0 to H/G - 1 use the first, and so on.
        v: values, (..., G, T_k, d_v).

    Returns:
        The outputs, (..., H, T_q, d_v).

    Raises:
        ValueError: the query heads can't be shared out evenly.

    Source: Ainslie et al. 2023, section 2.2. G = 1 is the multi-query attention of Shazeer 2019.
    """
    if q.size(-3) % k.size(-3):
        raise ValueError(f"{q.size(-3)} query heads can't share {k.size(-3)} heads of keys evenly")
    shared = q.size(-3) // k.size(-3)
    k, v = k.repeat_interleave(shared, dim=-3), v.repeat_interleave(shared, dim=-3)
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(dim=-1)
    return weights @ v
