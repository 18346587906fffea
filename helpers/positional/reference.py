"""Positions: ways to tell attention where each vector stands.

What lesson 03 asks for, for the lessons after it. Two families: *absolute* positions are added to the input
(`add_positions`, `sinusoidal`), *relative* ones act on the scores (`relative_bias`, `linear_penalty`) or on
queries and keys (`rotary`). Positions count from 0. Shapes are written (..., T, d): any number of batch
axes, then positions, then features.
"""

import math

import torch


def sinusoidal(T: int, d_model: int, base: float = 10_000.0) -> torch.Tensor:
    """A row for each position: sine and cosine, side by side, of d_model / 2 clocks of falling speed.

    Entry (p, 2i) is sin(p · base^(-2i/d_model)), entry (p, 2i+1) the cosine of the same angle.

    Args:
        T: how many positions, from 0.
        d_model: how many features, even.
        base: the slowest clock's wavelength is almost 2π·base positions.

    Returns:
        The table (T, d_model), float32.

    Raises:
        ValueError: d_model is odd, so that a sine would lack its cosine.

    Source: Vaswani et al. 2017, section 3.5.
    """
    if d_model % 2:
        raise ValueError(f"features come in pairs of sine and cosine, but d_model is {d_model}")
    frequencies = base ** (-torch.arange(0, d_model, 2) / d_model)  # radians per position: 1 to about 1/base
    angles = torch.arange(T).unsqueeze(1) * frequencies  # (T, d_model / 2)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(start_dim=1)


def add_positions(x: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
    """Add row p of a table to what stands at position p, the same in every sentence.

    Args:
        x: (..., T, d_model).
        table: (max_T, d_model), computed once for the longest sentence.

    Raises:
        ValueError: x is longer than the table.
    """
    if x.size(-2) > table.size(-2):
        raise ValueError(f"{x.size(-2)} positions, but the table has rows for {table.size(-2)}")
    return x + table[: x.size(-2)]


def similarity_by_distance(table: torch.Tensor) -> torch.Tensor:
    """The mean dot product of two rows k apart, for k = 0 ... T-1.

    Args:
        table: (T, d_model).

    Returns:
        (T,). For the sinusoidal table entry k is exactly Σ_i cos(ω_i k), whatever the position.
    """
    products = table @ table.T
    return torch.stack([products.diagonal(k).mean() for k in range(len(table))])


def shift_matrix(k: int, d_model: int, base: float = 10_000.0) -> torch.Tensor:
    """The matrix that moves any sinusoidal position by k: table[p] @ M == table[p + k], for each p.

    It is block diagonal: pair i is turned by the angle k·ω_i.

    Args:
        k: how far, in positions; negative moves back.
        d_model: even.
        base: as of the table.

    Returns:
        (d_model, d_model), float32, orthogonal.

    Source: Vaswani et al. 2017, section 3.5, states that there is such a linear map.
    """
    angles = k * base ** (-torch.arange(0, d_model, 2) / d_model)
    cos, sin = angles.cos(), angles.sin()
    # For a row (sin a, cos a): sin(a+b) = sin a cos b + cos a sin b, cos(a+b) = -sin a sin b + cos a cos b.
    blocks = torch.stack([cos, -sin, sin, cos], dim=-1).reshape(-1, 2, 2)
    return torch.block_diag(*blocks)


def relative_bias(table: torch.Tensor, T_q: int, T_k: int) -> torch.Tensor:
    """One learned number for each distance, to be added to the scores.

    Args:
        table: (..., 2K+1), for the distances j - i = -K ... K in this order. Longer distances use the ends.
        T_q: how many queries, at positions 0 ... T_q-1.
        T_k: how many keys, at positions 0 ... T_k-1.

    Returns:
        (..., T_q, T_k); entry (i, j) is that of the distance j - i.

    Source: the clipping is that of Shaw et al. 2018, section 3.2; a number for each head and distance that is
    added to the scores, that of Raffel et al. 2020, section 2.1, who share numbers among far distances.
    """
    K = table.size(-1) // 2
    distance = torch.arange(T_k) - torch.arange(T_q).unsqueeze(1)  # (T_q, T_k), negative for earlier keys
    return table[..., distance.clamp(-K, K) + K]


def rotary(x: torch.Tensor, positions: torch.Tensor, base: float = 10_000.0) -> torch.Tensor:
    """Turn each pair of features (2i, 2i+1) by the angle p·base^(-2i/d), for a vector at position p.

    Applied to queries and to keys, it makes their dot products depend on distances alone.

    Args:
        x: (..., T, d), d even.
        positions: (T,), the position of each vector.
        base: as of `sinusoidal`.

    Returns:
        Shaped like x, and each vector as long as it was.

    Raises:
        ValueError: d is odd.

    Source: Su et al. 2021, sections 3.2.2 and 3.4.2. Some models pair feature i with i + d/2 instead, which
    is the same up to the order of features.
    """
    d = x.size(-1)
    if d % 2:
        raise ValueError(f"features are turned in pairs, but there are {d}")
    exact = torch.promote_types(x.dtype, torch.float32)  # angles in float16 would be far too coarse
    angles = positions.unsqueeze(-1) * base ** (
        -torch.arange(0, d, 2, device=positions.device).to(exact) / d
    )  # (T, d / 2)
    cos, sin = angles.cos().to(x), angles.sin().to(x)
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1).flatten(start_dim=-2)


def rotary_attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Attention whose queries and keys are turned by their positions, 0 ... T-1. The values aren't.

    Args:
        q: (..., T_q, d_k), d_k even.
        k: (..., T_k, d_k).
        v: (..., T_k, d_v).
        mask: boolean, broadcastable to (..., T_q, T_k). True means "may attend".

    Returns:
        The outputs (..., T_q, d_v) and the weights (..., T_q, T_k).
    """
    q, k = (rotary(x, torch.arange(x.size(-2))) for x in (q, k))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = scores.softmax(dim=-1)
    return weights @ v, weights


def linear_penalty(n_heads: int, T_q: int, T_k: int) -> torch.Tensor:
    """What each head's scores lose by distance (ALiBi): -|i - j| · 2^(-8h/n_heads) for h = 1 ... n_heads.

    Args:
        n_heads: a power of two in the paper.
        T_q: how many queries, at positions 0 ... T_q-1.
        T_k: how many keys, at positions 0 ... T_k-1.

    Returns:
        (n_heads, T_q, T_k), never positive.

    Source: Press et al. 2022, section 3, for keys up to the query; here alike on both sides of it.
    """
    slopes = 2.0 ** (-8 * torch.arange(1, n_heads + 1) / n_heads)
    distance = torch.arange(T_k) - torch.arange(T_q).unsqueeze(1)
    return -slopes[:, None, None] * distance.abs()
