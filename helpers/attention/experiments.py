"""The experiments of lesson 01: learning where to look, and how long both kinds of attention take.

What the student writes comes in as arguments.
"""

import functools
from collections.abc import Callable, Sequence
from timeit import repeat

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


def milliseconds(
    additive_attention: Callable, cross_attention: Callable, T: int, widths: Sequence[int]
) -> dict[str, list[float]]:
    """The fastest of 30 calls of each attention, on one core, for T queries and T keys of so many features.

    Args:
        additive_attention: the student's.
        cross_attention: the student's; with its projections it has as many matrices as the other.
        T: queries, and keys.
        widths: numbers of features.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # so that other programs disturb the clock less
    times: dict[str, list[float]] = {"additive": [], "dot product": []}
    try:
        for d in widths:
            q, k, W, v = torch.randn(T, d), torch.randn(T, d), torch.randn(d, d) / d**0.5, torch.randn(d)
            with torch.no_grad():
                calls = {
                    "additive": functools.partial(additive_attention, q, k[None], k[None], W, W, v),
                    "dot product": functools.partial(cross_attention, q, k, W, W, W),
                }
                for name, call in calls.items():
                    times[name].append(1000 * min(repeat(call, number=1, repeat=30)))
    finally:
        torch.set_num_threads(threads)
    return times
