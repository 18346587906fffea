"""How lesson 12's ladder was trained: its text, its steps, what is measured; and one of the student's own.

`B` sequences, `T` positions, `V` vocabulary.
"""

import functools
import math
from collections.abc import Iterator

import torch
from torch import nn

from helpers import corpora, training
from helpers.block import experiments as of_the_block

STEPS, T, B = 1_000, 96, 12
WARM_UP, HELD_OUT = 0.05, 300
RUNG, RATE = "query-key norm", 3e-2  # the best of the rates tried
SIZES = {"d_model": 64, "n_heads": 4, "n_groups": 2, "d_ff": 196, "n_layers": 4}
KEPT = "modern rung"  # the name under which the student's is kept


def batches(seed: int) -> Iterator[torch.Tensor]:
    """Endless rows of T + 1 tokens, each from the beginning of a review on, and into the next ones."""
    text, starts = _text()
    generator = torch.Generator().manual_seed(seed)
    while True:
        drawn = starts[torch.randint(len(starts), (B, 1), generator=generator)]
        yield text[drawn + torch.arange(T + 1)]


@functools.cache
def _text() -> tuple[torch.Tensor, torch.Tensor]:
    ids: list[int] = []
    begins = []
    for review in corpora.reviews(20_000, seed=1):
        begins.append(len(ids))
        ids += [corpora.BOS, *corpora.vocabulary().encode(review.text), corpora.EOS]
    return torch.tensor(ids), torch.tensor(begins[:-T])


def optimizer_of(model: nn.Module, rate: float) -> torch.optim.Optimizer:
    """AdamW over the model's weights."""
    return torch.optim.AdamW(model.parameters(), lr=rate, betas=(0.9, 0.95), weight_decay=0.1, fused=True)


def take_step(optimizer: torch.optim.Optimizer, rate: float, loss: torch.Tensor) -> None:
    """One step at this learning rate, with gradients of length 1 at most."""
    optimizer.zero_grad()
    loss.backward()
    for group in optimizer.param_groups:
        group["lr"] = rate
        nn.utils.clip_grad_norm_(group["params"], 1.0)
    optimizer.step()


def share_of_rate(step: int, steps: int) -> float:
    """What the rate is multiplied by at a step, from 1 on: a short way up, then down along a cosine."""
    return min(step / (WARM_UP * steps), (1 + math.cos(math.pi * (step - 1) / steps)) / 2)


@torch.no_grad()
def held_out(model: nn.Module) -> float:
    """Nats per token of reviews that no model has read. Each begins a row, as it does when one is written."""
    model.eval()
    total, count = 0.0, 0
    texts = [review.text for review in corpora.reviews(HELD_OUT, seed=2)]
    for start in range(0, HELD_OUT, 50):
        ids = corpora.vocabulary().batch(texts[start : start + 50])
        targets = ids[:, 1:]
        real = targets != corpora.PAD
        scores = model(ids[:, :-1]).log_softmax(-1).gather(-1, targets.unsqueeze(-1)).squeeze(-1)
        total -= float(scores[real].sum())
        count += int(real.sum())
    return total / count


@training.on_device
def learn(model: nn.Module, seed: int) -> training.Live:
    """Train a model in place as the rung `RUNG` was, with a live picture; go on after an interrupt.

    Args:
        model: tokens (B, T) to logits (B, T, V).
        seed: of the text's order; the course's were 0 to 2.

    Returns:
        The run, with its curve.
    """
    optimizer, drawn, steps = optimizer_of(model, RATE), batches(seed), training.steps(STEPS)
    spread = training.on_all_cores(of_the_block.loss_of)
    keep = training.Checkpoint(KEPT, model=model, optimizer=optimizer)
    limits = {"entropy": corpora.entropy_per_token()}
    live = training.Live(steps, "nats per token", limits, "Your rung", keep=keep, data=drawn)
    for step in live:
        ids = next(drawn)
        loss = spread(model, ids[:, :-1], ids[:, 1:])
        take_step(optimizer, RATE * share_of_rate(step, steps), loss)
        live.add(training=loss.detach())
    return live
