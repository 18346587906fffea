"""The experiments of lesson 02: PyTorch's module beside the student's, and what one and two heads can learn.

What the student writes comes in as arguments.
"""

from collections.abc import Callable

import torch

SEEDS = (0, 1, 2)
STEPS, EVERY = 400, 50  # of training; a loss is the mean of so many steps


@torch.no_grad()
def against_torch(module: Callable, unpack_projections: Callable) -> dict[str, tuple[float, float]]:
    """How far a module is from PyTorch's with the same weights.

    Args:
        module: the student's `MultiHeadAttention`.
        unpack_projections: the student's.

    Returns:
        The largest difference of the outputs and of the weights, by what was called.
    """
    torch.manual_seed(0)
    theirs = torch.nn.MultiheadAttention(24, 4, batch_first=True)
    torch.nn.init.normal_(theirs.in_proj_bias)  # they begin at 0, which would hide a slip
    torch.nn.init.normal_(theirs.out_proj.bias)
    ours = module(24, 4)
    packed = unpack_projections(theirs.in_proj_weight, theirs.in_proj_bias)
    last = {f"W_o.{name}": value for name, value in theirs.out_proj.state_dict().items()}
    ours.load_state_dict(packed | last)

    y, x = torch.randn(2, 5, 24), torch.randn(2, 7, 24)
    shown = torch.rand(5, 7) < 0.6
    shown[:, 0] = True
    calls = {"self-attention": (y, None), "cross-attention": (x, None), "mask": (x, shown)}
    found = {}
    for name, (asked, mask) in calls.items():
        hidden = None if mask is None else ~mask
        right = theirs(y, asked, asked, attn_mask=hidden, average_attn_weights=False)
        outputs, weights = (
            float((a - b).abs().max()) for a, b in zip(ours(y, asked, mask), right, strict=True)
        )
        found[name] = outputs, weights
    return found


def neighbours_learned(module: Callable, n_heads: int, table: Callable) -> dict[int, list[float]]:
    """Train a layer to bring each of four places its neighbours' numbers.

    Args:
        module: the student's `MultiHeadAttention`.
        n_heads: of the layer, which has four channels.
        table: the vectors of the four places, (..., 4, 4), for numbers (..., 4).

    Returns:
        After each 50 steps, by their number, the mean squared error over these 50 in each of three runs.
    """
    runs = []
    for seed in SEEDS:
        torch.manual_seed(seed)
        layer, losses = module(4, n_heads), []
        optimizer = torch.optim.Adam(layer.parameters(), lr=0.03)
        for _ in range(STEPS):
            numbers = torch.randn(64, 4)
            outputs, _ = layer(table(numbers))
            right = torch.stack([numbers.roll(-1, dims=1), numbers.roll(1, dims=1)], dim=-1)
            loss = (outputs[..., :2] - right).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        runs.append(torch.tensor(losses).reshape(-1, EVERY).mean(dim=1))
    return dict(zip(range(EVERY, STEPS + 1, EVERY), torch.stack(runs, dim=1).tolist(), strict=True))
