"""The experiment of lesson 04: what a missing mask does to a model. The student's functions are arguments."""

from collections.abc import Callable

import torch
from torch.nn.functional import cross_entropy


def losses(
    mask: torch.Tensor,
    masked_attention: Callable,
    prefix_passes: Callable,
    texts: Callable,
    sizes: tuple[int, int],
    seed: int,
    steps: int = 250,
) -> tuple[float, float]:
    """Train one layer to say the next word.

    Args:
        mask: who may look where in a text of T words, (T, T). True means "may attend".
        masked_attention: the student's.
        prefix_passes: the student's.
        texts: makes new texts, (count, T + 1), from a count and a generator.
        sizes: how many words there are, and the width of the layer.
        seed: of the weights and the texts.
        steps: of training, each on 64 new texts.

    Returns:
        Its loss on new texts in one pass, and prefix by prefix, in nats per word.
    """
    (V, C), T = sizes, len(mask)
    generator = torch.Generator().manual_seed(seed)
    shapes = [(V, C), (T, C), *3 * [(C, C)], (C, V)]
    weights = [torch.randn(shape, generator=generator) / C**0.5 for shape in shapes]
    embedding, positions, query, key, value, head = (w.requires_grad_() for w in weights)

    def model(h: torch.Tensor) -> torch.Tensor:
        allowed = mask[: h.size(-2), : h.size(-2)]
        return (h + masked_attention(h @ query, h @ key, h @ value, allowed)[0]) @ head

    def loss(words: torch.Tensor, run: Callable) -> torch.Tensor:
        logits = run(embedding[words[:, :-1]] + positions)
        return cross_entropy(logits.flatten(0, 1), words[:, 1:].flatten())

    optimizer = torch.optim.Adam(weights, lr=0.02)
    for _ in range(steps):
        optimizer.zero_grad()
        loss(texts(64, generator), model).backward()
        optimizer.step()
    with torch.no_grad():
        fresh = texts(4000, generator)
        return float(loss(fresh, model)), float(loss(fresh, lambda h: prefix_passes(model, h)))
