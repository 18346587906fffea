"""The experiment of lesson 01: learning where to look, by the student's function."""

from collections.abc import Callable, Sequence

import torch


def learned_to_look(
    additive_attention: Callable, right: Sequence[int], steps: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Teach additive attention, by its gradient, which source word belongs to each target word.

    Args:
        additive_attention: the student's.
        right: for each of T target words, the place of its source word, of which there are T too.
        steps: of training, from random vectors and matrices.

    Returns:
        The weights before and after, (T, T) each.
    """
    torch.manual_seed(2)
    T = len(right)
    decoder, encoder = torch.randn(T, 5), torch.randn(T, 6)
    source = encoder.expand(T, T, 6)  # each decoder step sees all source words
    parameters = [(0.3 * torch.randn(size)).requires_grad_() for size in ((5, 8), (6, 8), (8,))]
    optimizer = torch.optim.Adam(parameters, lr=0.05)

    def look() -> torch.Tensor:
        return additive_attention(decoder, source, source, *parameters)[1]

    before = look().detach()
    for _ in range(steps):
        loss = -look()[range(T), right].log().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return before, look().detach()
