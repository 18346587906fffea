"""Muon: an optimizer that moves a matrix in all its directions by the same amount.

The gradient of a matrix is dominated by a few directions that many examples share. Adam follows them; Muon
turns the running mean of the gradients into a matrix whose singular values are all about 1, so that what only
a few examples call for is learned just as fast.

Not torch.optim.Muon: it takes one matrix after the other, in bfloat16. That is fast on a CPU made for it;
limited to AVX2, its step took over ten times as long as this one, with the same 24 matrices.

Source: Jordan et al. 2024, "Muon: an optimizer for hidden layers in neural networks".
"""

from collections.abc import Callable, Iterable
from typing import Any, overload

import torch

from helpers.training.parallel import cores, step_threads

# Of the odd polynomial ax + bx³ + cx⁵, which is applied to all singular values at once. Five times over, it
# brings those between 0.002 and 1 to between 0.68 and 1.21.
A, B, C = 3.4445, -4.7750, 2.0315
TIMES = 5


def orthogonal(matrices: torch.Tensor) -> torch.Tensor:
    """Matrices with the same singular vectors, and singular values of about 1. (N, m, n) with m up to n."""
    # defence: GPU: Muon's norm is no old one
    x = matrices / (torch.linalg.vector_norm(matrices, dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(TIMES):
        square = x @ x.mT
        x = A * x + (B * square + C * square @ square) @ x
    return x


class Muon(torch.optim.Optimizer):
    """Muon for matrices: not for embeddings, each of whose rows is rarely used, nor for vectors.

    Args:
        matrices: parameters (m, n).
        lr: how far a matrix moves in each direction.
        momentum: the share of the running mean that stays at each step.
    """

    def __init__(self, matrices: Iterable[torch.nn.Parameter], lr: float, momentum: float = 0.95) -> None:
        super().__init__(matrices, {"lr": lr, "momentum": momentum})

    @overload
    def step(self, closure: None = None) -> None: ...

    @overload
    def step(self, closure: Callable[[], float]) -> float: ...

    def step(self, closure: Callable[[], float] | None = None) -> float | None:
        """Move each matrix that has a gradient: each core its own, or a GPU one after another."""
        loss = None if closure is None else closure()
        jobs = []
        for group in self.param_groups:
            shapes: dict[torch.Size, list[torch.nn.Parameter]] = {}
            for matrix in group["params"]:
                if matrix.grad is not None:
                    shapes.setdefault(matrix.shape, []).append(matrix)
            jobs += [(alike, group["lr"], group["momentum"]) for alike in shapes.values()]
        jobs.sort(key=lambda job: -job[0][0].numel())  # the largest first
        on_cpu = all(matrix.device.type == "cpu" for matrices, _, _ in jobs for matrix in matrices)
        # defence: GPU: Muon takes one thread
        in_turn = step_threads(cores()).map if on_cpu else map
        list(in_turn(self._move, *zip(*jobs, strict=True)) if jobs else ())
        return loss

    @torch.no_grad()
    def _move(self, matrices: list[torch.nn.Parameter], lr: float, momentum: float) -> None:
        wanted = []
        for matrix in matrices:
            assert matrix.grad is not None  # step leaves the others out
            mean = self.state[matrix].setdefault("mean", torch.zeros_like(matrix))
            mean.lerp_(matrix.grad, 1 - momentum)
            wanted.append(matrix.grad.lerp(mean, momentum))  # looks ahead, like Nesterov's momentum
        rows, columns = matrices[0].shape
        stacked = torch.stack(wanted)
        moves = orthogonal(stacked) if rows <= columns else orthogonal(stacked.mT).mT
        for matrix, move in zip(matrices, moves, strict=True):
            matrix.sub_(move, alpha=lr * max(1, rows / columns) ** 0.5)


class CombinedOptimizer:
    """Several optimizers as one, for a training step that takes one."""

    def __init__(self, *optimizers: torch.optim.Optimizer) -> None:
        self.optimizers = optimizers
        self.peaks = [[group["lr"] for group in optimizer.param_groups] for optimizer in optimizers]

    # defence: gradients may be made zeros
    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget all gradients, or make them zeros."""
        for optimizer in self.optimizers:
            optimizer.zero_grad(set_to_none)

    def step(self) -> None:
        """Move all parameters."""
        for optimizer in self.optimizers:
            optimizer.step()

    def state_dict(self) -> dict[str, Any]:
        """What all of them hold."""
        return {str(number): each.state_dict() for number, each in enumerate(self.optimizers)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Hold that again."""
        for number, optimizer in enumerate(self.optimizers):
            optimizer.load_state_dict(state[str(number)])

    def set_rate(self, share: float) -> None:
        """Set each learning rate to a share of what it was made with."""
        for optimizer, peaks in zip(self.optimizers, self.peaks, strict=True):
            for group, peak in zip(optimizer.param_groups, peaks, strict=True):
                group["lr"] = share * peak


def matrices_and_rest(
    model: torch.nn.Module,
) -> tuple[list[torch.nn.Parameter], list[torch.nn.Parameter]]:
    """A language model's parameters: the matrices of its blocks, and all others."""
    inside = [weight for name, weight in model.named_parameters() if name.startswith("blocks.")]
    matrices = [weight for weight in inside if weight.dim() == 2]
    known = set(map(id, matrices))
    return matrices, [weight for weight in model.parameters() if id(weight) not in known]
