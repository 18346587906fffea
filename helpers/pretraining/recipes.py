"""Small models with an optimizer and a loss, to try a training step on.

They hold no solution: everything here is given to the training step.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypedDict

import torch

from helpers.checking.calling.registry import register


class Trainee(NamedTuple):
    """What a training step works on: a model, an optimizer for its parameters, and loss(model, *batch)."""

    model: torch.nn.Module
    optimizer: "Optimizer"
    loss: "SquaredError"


class Curve(torch.nn.Module):
    """A linear map, a nonlinearity, and one number: (B, n_in) to (B,)."""

    W: torch.nn.Parameter
    b: torch.nn.Parameter
    v: torch.nn.Parameter

    def __init__(self, weights: Mapping[str, torch.Tensor]) -> None:
        super().__init__()
        for name, values in weights.items():
            self.register_parameter(name, torch.nn.Parameter(values.detach().clone()))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """One number for each row of x."""
        return torch.tanh(x @ self.W + self.b) @ self.v


class ParameterGroup(TypedDict):
    """Parameters that move with one learning rate."""

    params: list[torch.nn.Parameter]
    lr: float


class SquaredError:
    """The mean squared error of a model's answers, of which some may count more than others."""

    def __call__(
        self, model: torch.nn.Module, x: torch.Tensor, y: torch.Tensor, weights: torch.Tensor | float = 1.0
    ) -> torch.Tensor:
        """A tensor of one number."""
        return (weights * (model(x) - y).square()).mean()


class Optimizer:
    """Gradient descent with momentum and decoupled weight decay, called as one of `torch.optim`.

    Importing those takes a second the first time, which would be most of the work here.

    Args:
        parameters: to move.
        lr: learning rate.
        momentum: the share of the last move that is kept.
        weight_decay: times lr, the share of each parameter that a step takes away.
    """

    def __init__(
        self, parameters: Iterable[torch.nn.Parameter], lr: float, momentum: float, weight_decay: float
    ) -> None:
        self.param_groups: list[ParameterGroup] = [{"params": list(parameters), "lr": lr}]
        self.momentum, self.weight_decay = momentum, weight_decay
        self.state: dict[torch.nn.Parameter, torch.Tensor] = {}

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget all gradients."""
        for parameter in self.param_groups[0]["params"]:
            if set_to_none or parameter.grad is None:
                parameter.grad = None
            else:
                parameter.grad.zero_()

    @torch.no_grad()
    def step(self) -> None:
        """Move each parameter that has a gradient."""
        lr = self.param_groups[0]["lr"]
        for parameter in self.param_groups[0]["params"]:
            if parameter.grad is None:
                continue
            move = self.momentum * self.state.get(parameter, torch.zeros_like(parameter)) + parameter.grad
            self.state[parameter] = move
            parameter.mul_(1 - lr * self.weight_decay).sub_(lr * move)


def curve(
    weights: Mapping[str, torch.Tensor], lr: float, momentum: float = 0.0, weight_decay: float = 0.0
) -> Trainee:
    """A `Curve` with these weights, its optimizer, and the squared error."""
    model = Curve(weights)
    return Trainee(model, Optimizer(model.parameters(), lr, momentum, weight_decay), SquaredError())


register({"a curve in training": curve})
