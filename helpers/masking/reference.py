"""Masks: who may look where, who can, and what that makes possible.

What lesson 04 asks for, for the lessons after it. A mask is boolean, and True means "may attend": rows are
queries, columns are keys. Shapes are written (..., T, d): any number of batch axes, positions, features.
"""

import math
from collections.abc import Callable, Mapping

import torch


def causal_mask(T: int) -> torch.Tensor:
    """Each position may attend to itself and to what is before it: (T, T), True on and below the diagonal."""
    return torch.ones(T, T, dtype=torch.bool).tril()


def padding_mask(lengths: torch.Tensor, T: int) -> torch.Tensor:
    """Where a batch of sentences, padded at their ends, has words.

    Args:
        lengths: how many words each sentence has, (B,), integers.
        T: positions of each padded sentence.

    Returns:
        Boolean, (B, T). True is a word, False is padding.
    """
    return torch.arange(T, device=lengths.device) < lengths.unsqueeze(-1)


def decoder_mask(real: torch.Tensor) -> torch.Tensor:
    """Both at once: a query may attend to a key that isn't after it and isn't padding.

    Args:
        real: where the words are, boolean, (B, T). The padding may be anywhere.

    Returns:
        Boolean, (B, T, T): sentence, query, key. For scores (B, H, T, T) it needs an axis for the heads.
    """
    return causal_mask(real.size(-1)) & real.unsqueeze(-2)


def masked_softmax(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """The weights of each query over the keys that it may look at, all 0 if there is none.

    Gradients are finite too: an empty row passes on zeros.

    Args:
        scores: (..., T_q, T_k).
        mask: boolean, broadcastable to (..., T_q, T_k). True means "may attend".

    Returns:
        The weights, (..., T_q, T_k). A row sums to 1, or is all 0.
    """
    # The lowest finite number, not -inf: a row of nothing else becomes uniform, and no NaN is ever made.
    hidden = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    return hidden.softmax(dim=-1).masked_fill(~mask, 0.0)


def masked_attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Scaled dot-product attention in which a query that may attend to nothing gets zeros, not NaN.

    Args:
        q: queries, (..., T_q, d_k).
        k: keys, (..., T_k, d_k).
        v: values, (..., T_k, d_v).
        mask: boolean, broadcastable to (..., T_q, T_k). True means "may attend".

    Returns:
        The outputs (..., T_q, d_v) and the weights (..., T_q, T_k), as `masked_softmax` gives them.
    """
    weights = masked_softmax(q @ k.transpose(-2, -1) / math.sqrt(q.size(-1)), mask)
    return weights @ v, weights


def sees(layer: "Callable[[torch.Tensor], torch.Tensor]", x: torch.Tensor) -> torch.Tensor:
    """Which inputs each output of a layer depends on, by gradients.

    Args:
        layer: takes (T, d) and gives (T, d_out).
        x: (T, d), the point at which to ask. Random numbers are best: zeros can hide a dependence.

    Returns:
        Boolean, (T, T). True at [i, j] where some feature of output i changes with some feature of input j.
        A causal layer has no True above the diagonal.
    """
    slopes = torch.autograd.functional.jacobian(layer, x)  # (T, d_out, T, d)
    return (slopes != 0).any(dim=3).any(dim=1)


def prefix_passes(layer: "Callable[[torch.Tensor], torch.Tensor]", x: torch.Tensor) -> torch.Tensor:
    """The last output of a layer on each prefix of a sentence: T passes, in none of which there is a future.

    For a layer that doesn't look ahead, this is what one pass over the whole sentence gives.

    Args:
        layer: takes (..., t, d) and gives (..., t, d_out), for any t.
        x: (..., T, d).

    Returns:
        (..., T, d_out).
    """
    last = [layer(x[..., : end + 1, :])[..., -1, :] for end in range(x.size(-2))]
    return torch.stack(last, dim=-2)


def cached_step(
    cache: "Mapping[str, torch.Tensor]",
    x: torch.Tensor,
    W_q: torch.Tensor,
    W_k: torch.Tensor,
    W_v: torch.Tensor,
) -> "tuple[torch.Tensor, dict[str, torch.Tensor]]":
    """Causal self-attention for N new positions, with the keys and values of the P earlier ones stored.

    Args:
        cache: "k", (..., P, d_k), and "v", (..., P, d_v). It stays as it is. P may be 0.
        x: the new positions, (..., N, d).
        W_q: (d, d_k).
        W_k: (d, d_k).
        W_v: (d, d_v).

    Returns:
        The outputs of the new positions, (..., N, d_v), and a new cache with P + N keys and values.
    """
    k = torch.cat([cache["k"], x @ W_k], dim=-2)
    v = torch.cat([cache["v"], x @ W_v], dim=-2)
    N, total = x.size(-2), k.size(-2)
    # The last N rows of the causal mask of all P + N positions; for N = 1 that is one row of True.
    mask = torch.ones(N, total, dtype=torch.bool).tril(total - N)
    output, _ = masked_attention(x @ W_q, k, v, mask)
    return output, {"k": k, "v": v}


def convert(mask: torch.Tensor, source: str, target: str) -> torch.Tensor:
    """The same mask as another library would write it.

    Args:
        mask: any shape, in the kind `source`.
        source: "may attend" (boolean, True = may), "hidden" (boolean, True = may not), "additive" (float32,
            0 = may, -inf = may not) or "integer" (int64, 1 = may, 0 = may not).
        target: one of the same four.

    Returns:
        The mask in the kind `target`.

    Raises:
        ValueError: there is no such kind.
    """
    if source == "may attend":
        may = mask
    elif source == "hidden":
        may = ~mask
    elif source in ("additive", "integer"):
        may = mask == (0 if source == "additive" else 1)
    else:
        raise ValueError(f"{source!r} isn't a kind of mask")
    if target == "may attend":
        return may.clone()
    if target == "hidden":
        return ~may
    if target == "additive":
        return torch.zeros(may.shape).masked_fill(~may, -math.inf)
    if target == "integer":
        return may.long()
    raise ValueError(f"{target!r} isn't a kind of mask")


def reach(mask: torch.Tensor, layers: int) -> torch.Tensor:
    """From which positions something can have arrived after some layers, all with the same mask.

    In each layer a position takes something from those that it may attend to, and keeps what it had.

    Args:
        mask: boolean, (T, T). True means "may attend".
        layers: how many; 0 gives each position itself alone.

    Returns:
        Boolean, (T, T). True at [i, j] where position i may hold something of input j.
    """
    itself = torch.eye(mask.size(-1), dtype=torch.bool)
    step, reached = (mask | itself).double(), itself.double()
    for _ in range(layers):
        reached = (step @ reached > 0).double()
    return reached.bool()
