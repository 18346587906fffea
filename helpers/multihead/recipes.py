"""What two heads do with matrices that somebody else sets, and a loss that depends on heads."""

from collections.abc import Callable, Sequence

import torch

from helpers.checking.calling.registry import register


def _round_table(numbers: torch.Tensor) -> Callable:
    """Two heads over four places in a circle, with matrices that somebody else sets. `numbers`: (B, 4)."""
    directions = torch.tensor([[0.0, 1.0], [1.0, 0.0], [0.0, -1.0], [-1.0, 0.0]])  # N, E, S, W as east, north
    number = numbers.unsqueeze(-1)
    x = torch.cat([directions.expand(*numbers.shape, 2), number, torch.zeros_like(number)], dim=-1)

    def use(matrices: Sequence[torch.Tensor]) -> torch.Tensor:
        names = ("W_q", "W_k", "W_v", "W_o")
        if not isinstance(matrices, tuple | list) or len(matrices) != len(names):
            raise ValueError(f"give four tensors: {', '.join(names)}")
        for name, matrix in zip(names, matrices, strict=True):
            if matrix.shape != (4, 4):
                raise ValueError(f"{name} has the shape {tuple(matrix.shape)}, but it should have (4, 4)")
        W_q, W_k, W_v, W_o = (matrix.to(x.dtype) for matrix in matrices)
        q, k, v = ((x @ W).unflatten(-1, (2, 2)).transpose(-3, -2) for W in (W_q, W_k, W_v))
        mixed = torch.nn.functional.scaled_dot_product_attention(q, k, v)
        # To one decimal: a softmax comes near to 1 and 0, and how near is a matter of taste.
        return (mixed.transpose(-3, -2).flatten(-2) @ W_o).round(decimals=1)

    return use


def _loss_of_heads(parts: torch.Tensor, target: torch.Tensor) -> Callable:
    """A loss that depends on which heads are on. `parts`: what each adds, (H, N); `target`: (N,).

    Like the lesson's own, it takes a boolean tensor and nothing else.
    """

    def loss(keep: torch.Tensor) -> torch.Tensor:
        if getattr(keep, "dtype", type(keep)) != torch.bool:
            raise TypeError("the loss takes a boolean tensor, True for heads that are on")
        return (keep.to(parts.dtype) @ parts - target).square().mean()

    return loss


register(
    {
        "two heads at a round table": _round_table,
        "the loss with some heads": _loss_of_heads,
    }
)
