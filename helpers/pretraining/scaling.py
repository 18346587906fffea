"""Lesson 08's budgets: four models of different size for each of four budgets of operations.

`N` weights that multiply, `D` tokens read, `F` floating-point operations of a training run, about 6·N·D.
"""

import functools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import nn

from helpers import corpora, training
from helpers.block import experiments
from helpers.figures import plots
from helpers.models.transformer import LanguageModel, LanguageModelConfig
from helpers.training.muon import CombinedOptimizer, Muon, matrices_and_rest

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The widths tried for each budget, about half and twice the best, and beyond.
WIDTHS = {1e11: (8, 16, 32, 64), 3e11: (16, 32, 64, 96), 1e12: (32, 48, 64, 128), 3e12: (48, 64, 96, 128)}
LAYERS, BATCH, CHANNELS = 2, 16, 16  # channels of a head, but for the narrowest model
PEAK, MATRIX_PEAK = 3e-3, 0.02  # learning rates of AdamW and of Muon
HELD_OUT, SEED = 400, 77
KEPT = Path(__file__).parent / "scaling.json"


class Run(NamedTuple):
    """A training run: its budget, weights that multiply, tokens read, and nats per token above the floor."""

    flops: float
    weights: int
    tokens: int
    gap: float


@functools.cache
def kept() -> list[Run]:
    """The runs that were measured beforehand, by `python -m benchmarks.training_pretraining --scaling`."""
    return [Run(*run) for run in json.loads(KEPT.read_text())]


def measure(budgets: Sequence[float] = tuple(WIDTHS), seed: int = 0, keep: str = "") -> list[Run]:
    """Train the models of some budgets: some six minutes on two cores for all four of them.

    Args:
        budgets: floating-point operations of a run, keys of `WIDTHS`.
        seed: of the initial weights and of the text; that of `kept` is 0.
        keep: the name under which finished runs are kept on this computer; "" keeps none.

    Raises:
        Stopped: it was interrupted.
    """
    jobs = [(flops, _model(width, seed)) for flops in budgets for width in WIDTHS[flops]]
    jobs.sort(key=lambda job: -job[0] * (_weights(job[1]) + 50_000))  # the longest first: no core waits

    def run(job: tuple[float, LanguageModel]) -> tuple[int, float]:
        tokens = _learn(job[1], _steps(*job), seed)
        return tokens, held_out(job[1]) - floor()

    def mark(job: tuple[float, LanguageModel]) -> str:
        return f"{_weights(job[1])} weights, {_steps(*job)} steps, seed {seed}"

    found = training.each(run, jobs, "Models", keep=keep, mark=mark)
    runs = [Run(flops, _weights(model), *result) for (flops, model), result in zip(jobs, found, strict=True)]
    return sorted(runs, key=lambda run: run[:2])


def _model(width: int, seed: int) -> LanguageModel:
    torch.manual_seed(seed)
    V = len(corpora.vocabulary())
    return LanguageModel(LanguageModelConfig(V, width, max(1, width // CHANNELS), LAYERS, 100))


def _weights(model: LanguageModel) -> int:
    """How many weights multiply."""
    return sum(weight.numel() for weight in model.parameters()) - model.positions.weight.numel()


def _steps(flops: float, model: LanguageModel) -> int:
    """How many training steps a budget buys."""
    return training.steps(round(flops / (6 * _weights(model)) / (BATCH * _tokens_each())))


@training.on_device
def _learn(model: LanguageModel, steps: int, seed: int) -> int:
    """Train it, in place; how many tokens it has read."""
    matrices, rest = matrices_and_rest(model)
    adam = torch.optim.AdamW(rest, lr=PEAK, betas=(0.9, 0.98), weight_decay=0.05, fused=True)
    optimizer = CombinedOptimizer(Muon(matrices, lr=MATRIX_PEAK), adam)
    loss_of, tokens = training.beside(experiments.loss_of), 0
    for step, (now, then) in enumerate(experiments.batches(steps, BATCH, seed), 1):
        training.unless_stopped()
        optimizer.set_rate(min(1.0, step / 30) * (1 - (step - 1) / steps))
        optimizer.zero_grad()
        loss_of(model, now, then).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        tokens += int((then != -100).sum())
    return tokens


@functools.cache
def _tokens_each() -> float:
    """How many tokens a review has to predict, on average."""
    return corpora.entropy_per_review() / corpora.entropy_per_token()


@functools.cache
def _texts() -> list[str]:
    return [review.text for review in corpora.reviews(HELD_OUT, seed=SEED)]


@functools.cache
def floor() -> float:
    """Nats per token that the grammar itself needs for the held-out reviews."""
    return -sum(map(corpora.log_probability, _texts())) / sum(len(text.split()) + 1 for text in _texts())


@torch.no_grad()
def held_out(model: nn.Module) -> float:
    """Nats per token of the held-out reviews."""
    total, count = 0.0, 0
    for start in range(0, HELD_OUT, 50):
        ids = corpora.vocabulary().batch(_texts()[start : start + 50])
        then = ids[:, 1:].where(ids[:, 1:] != corpora.PAD, -100)
        logits = model(ids[:, :-1]).flatten(0, 1)
        total += float(nn.functional.cross_entropy(logits, then.flatten(), reduction="sum"))
        count += int((then != -100).sum())
    return total / count


def valleys(runs: Sequence[Run], best: dict[float, float]) -> "Axes":
    """The gap by the model's size, a line for each budget, and the best size of each by the student's fit."""
    ax = plots.panels(1, width=6.6, height=3.6)[0]
    said = []
    for number, flops in enumerate(sorted({run.flops for run in runs})):
        mine = sorted((run.weights, run.gap) for run in runs if run.flops == flops)
        sizes, gaps = zip(*mine, strict=True)
        colour, marker = plots.PALETTE[number], plots.MARKERS[number]
        ax.plot(sizes, gaps, marker, color=colour, ms=5, label=f"{flops:.0e} operations")
        x = torch.tensor(sizes).double().log()
        fit = torch.linalg.lstsq(
            torch.stack([x**2, x, x**0], dim=-1), torch.tensor(gaps).double().log()[:, None]
        ).solution.flatten()
        line = torch.linspace(float(x.min()), float(x.max()), 60, dtype=torch.float64)
        ax.plot(line.exp(), (fit[0] * line**2 + fit[1] * line + fit[2]).exp(), color=colour, lw=1.4)
        ax.axvline(best[flops], color=colour, lw=1, linestyle=(0, (4, 3)))
        told = ", ".join(f"{gap:.3f} with {size:,}" for size, gap in mine)
        said.append(f"{flops:.0e} operations: {told}; best {best[flops]:,.0f}")
    ax.set(xscale="log", yscale="log", xlabel="weights", ylabel="nats per token above the entropy")
    ax.legend(frameon=False, fontsize=9)
    ax.set_label(f"The gap by size, for each budget. {'. '.join(said)}.")
    return ax
