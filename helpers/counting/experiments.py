"""The experiment of lesson 07: what PyTorch holds while a layer is trained."""

import torch

OPTIMIZERS = {
    "sgd": lambda weights: torch.optim.SGD(weights, lr=0.1),
    "momentum": lambda weights: torch.optim.SGD(weights, lr=0.1, momentum=0.9),
    "adam": lambda weights: torch.optim.Adam(weights, lr=0.1),
}


def trained_once(name: str) -> tuple[torch.nn.Module, int]:
    """A small layer after one step of an optimizer, and the bytes held for its weights.

    Args:
        name: of the optimizer, one of `OPTIMIZERS`.

    Returns:
        The layer, and the bytes of its weights, of their gradients and of what the optimizer keeps for each.
    """
    layer = torch.nn.Linear(30, 20)
    optimizer = OPTIMIZERS[name](layer.parameters())
    layer(torch.ones(5, 30)).sum().backward()
    optimizer.step()
    held = [tensor for weight in layer.parameters() for tensor in (weight, weight.grad)]
    held += [v for kept in optimizer.state.values() for v in kept.values() if torch.is_tensor(v) and v.dim()]
    return layer, sum(tensor.nbytes for tensor in held if tensor is not None)
