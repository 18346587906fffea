"""What each step from the paper's block to today's is worth, on the course's text, whose entropy is known.

    python -m benchmarks.training_modern [--steps 1000] [--seeds 3] [--workers 2] [--fresh]

A ladder: each rung is the one before with one thing changed, and as many weights (the feed-forward network's
width makes up for it), but for the last. Each rung gets the best of three learning rates, found with a seed
of its own and half the steps. Then it is trained from several seeds, for as many steps as the first rung, and
for as long as the first rung takes: step times are measured in turns. The loss is that of 300 reviews that
no model has read, in nats per token; beside it stands that of the grammar that wrote them. An hour, on one
core.
"""

import argparse
import dataclasses
import json
import math
import time
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from multiprocessing import get_context
from statistics import mean, median, stdev

import torch
from rich.table import Table
from torch import nn
from torch.nn import functional as F

from autograder.lessons import ROOT
from benchmarks.results import Parts, record
from helpers import corpora
from helpers.finetuning import t_interval
from helpers.models.blocks import initialise
from helpers.modern import balance_loss, gates, mixture
from helpers.modern.rungs import (
    HELD_OUT,
    STEPS,
    batches,
    held_out,
    optimizer_of,
    share_of_rate,
    take_step,
)
from helpers.multihead import merge_heads, split_heads
from helpers.positional import rotary, sinusoidal
from tests.long.rows import Rows, add_option

SEEDS, LAPS = 3, 25
C, H, LAYERS, D_FF = 64, 4, 4, 256
RATES = (3e-3, 1e-2, 3e-2)
BALANCE = 0.01
KEPT = ROOT / "helpers/modern/ladder.json"  # what the lesson shows
QUANTILES = (0.0, 12.706, 4.303, 3.182, 2.776)  # of Student's t, 97.5 %, by degrees of freedom


@dataclasses.dataclass(frozen=True)
class Rung:
    """What a model of the ladder has. The defaults are the paper's."""

    norm_first: bool = False
    rms: bool = False
    gated: bool = False
    rotary: bool = False
    biases: bool = True
    groups: int = H
    qk_norm: bool = False
    experts: int = 1
    chosen: int = 1
    d_ff: int = D_FF  # of all experts together


def ladder() -> dict[str, Rung]:
    """The rungs by name, their widths chosen so that all have as many weights as the first."""
    changes: list[tuple[str, dict]] = [
        ("the paper's block", {}),
        ("norm first", {"norm_first": True}),
        ("RMS norm", {"rms": True}),
        ("gate (SwiGLU)", {"gated": True}),
        ("rotary positions", {"rotary": True}),
        ("no biases", {"biases": False}),
        ("2 heads of keys for 4", {"groups": 2}),
        ("query-key norm", {"qk_norm": True}),
        ("2 of 4 experts, as many weights", {"experts": 4, "chosen": 2}),
    ]
    rung = Rung()
    size = weights(rung)
    rungs = {}
    for name, change in changes:
        rung = dataclasses.replace(rung, **change)
        rung = min(
            (dataclasses.replace(rung, d_ff=width) for width in range(96, 352, 4 * rung.experts // 2)),
            key=lambda made: abs(weights(made) - size),
        )
        rungs[name] = rung
    doubled = dataclasses.replace(rung, d_ff=2 * rung.d_ff)
    return rungs | {"2 of 4 experts, as much work": doubled}


def weights(rung: Rung) -> int:
    """How many parameters a rung's model has."""
    with torch.device("meta"):
        return sum(weight.numel() for weight in Model(rung).parameters())


class Attention(nn.Module):
    """Causal self-attention with a rung's switches, and torch's fused kernel."""

    def __init__(self, rung: Rung) -> None:
        super().__init__()
        self.rung, D = rung, C // H
        self.W_q, self.W_o = (nn.Linear(C, C, bias=rung.biases) for _ in range(2))
        self.W_k, self.W_v = (nn.Linear(C, rung.groups * D, bias=rung.biases) for _ in range(2))
        self.norms = nn.ModuleList(nn.RMSNorm(D) for _ in range(2 * rung.qk_norm))

    def forward(self, x: torch.Tensor, turns: torch.Tensor) -> torch.Tensor:
        """(B, T, C) to (B, T, C)."""
        rung = self.rung
        q = split_heads(self.W_q(x), H)
        k, v = (split_heads(linear(x), rung.groups) for linear in (self.W_k, self.W_v))
        if self.norms:
            q, k = self.norms[0](q), self.norms[1](k)
        if rung.rotary:
            q, k = turned(q, turns), turned(k, turns)
        if rung.groups < H:
            k, v = (shared.repeat_interleave(H // rung.groups, dim=1) for shared in (k, v))
        return self.W_o(merge_heads(F.scaled_dot_product_attention(q, k, v, is_causal=True)))


def turned(x: torch.Tensor, turns: torch.Tensor) -> torch.Tensor:
    """`helpers.positional.rotary`, by complex numbers (T, D / 2) that are made once for all blocks."""
    pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(pairs * turns).flatten(-2)


class Network(nn.Module):
    """A feed-forward network, with a gate or without."""

    def __init__(self, rung: Rung) -> None:
        super().__init__()
        width = rung.d_ff // rung.experts
        self.W_up = nn.Linear(C, width, bias=rung.biases)
        self.W_gate = nn.Linear(C, width, bias=rung.biases) if rung.gated else None
        self.W_down = nn.Linear(width, C, bias=rung.biases)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(..., C) to (..., C)."""
        wide = F.silu(self.W_gate(x)) * self.W_up(x) if self.W_gate else self.W_up(x).relu()
        return self.W_down(wide)


class Experts(nn.Module):
    """A mixture: a router and several networks. What the router pays for imbalance is kept in `paid`."""

    def __init__(self, rung: Rung) -> None:
        super().__init__()
        self.rung, self.router = rung, nn.Linear(C, rung.experts, bias=False)
        self.networks = nn.ModuleList(Network(rung) for _ in range(rung.experts))
        self.paid = torch.zeros(())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(B, T, C) to (B, T, C)."""
        tokens = x.flatten(0, 1)
        logits = self.router(tokens)
        self.paid = balance_loss(logits, self.rung.chosen)
        return mixture(
            tokens, gates(logits, self.rung.chosen, torch.zeros(self.rung.experts)), list(self.networks)
        ).view_as(x)


class Model(nn.Module):
    """A language model of a rung's blocks; words in and out are tied, as in lesson 06."""

    def __init__(self, rung: Rung) -> None:
        super().__init__()
        V = len(corpora.vocabulary())
        self.rung, self.words = rung, nn.Embedding(V, C)
        self.head = nn.Linear(C, V, bias=False)
        self.head.weight = self.words.weight
        norm = nn.RMSNorm if rung.rms else nn.LayerNorm
        self.attentions = nn.ModuleList(Attention(rung) for _ in range(LAYERS))
        network = Experts if rung.experts > 1 else Network
        self.networks = nn.ModuleList(network(rung) for _ in range(LAYERS))
        self.norms = nn.ModuleList(norm(C) for _ in range(2 * LAYERS + rung.norm_first))
        initialise(self)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Logits (B, T, V) of tokens (B, T)."""
        x = math.sqrt(C) * self.words(ids)
        if not self.rung.rotary:
            x = x + math.sqrt(C) * 0.02 * math.sqrt(2) * sinusoidal(ids.size(1), C)  # as large as the words
        turns = torch.view_as_complex(
            rotary(
                torch.tensor([1.0, 0.0] * (C // H // 2)).expand(ids.size(1), -1), torch.arange(ids.size(1))
            )
            .unflatten(-1, (-1, 2))
            .contiguous()
        )
        norms = iter(self.norms)
        for attention, network in zip(self.attentions, self.networks, strict=True):
            for part in (partial(attention, turns=turns), network):
                norm = next(norms)
                x = x + part(norm(x)) if self.rung.norm_first else norm(x + part(x))
        return self.head(next(norms)(x) if self.rung.norm_first else x)


def loss(model: Model, ids: torch.Tensor) -> torch.Tensor:
    """Nats per token, and what routers pay."""
    found = F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
    paid = [network.paid for network in model.networks if isinstance(network, Experts)]
    return found + BALANCE * sum(paid) / max(1, len(paid))


def trained(rung: Rung, rate: float, seed: int, steps: int) -> float:
    """The held-out loss after a training run of its own."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    model = Model(rung)
    optimizer = optimizer_of(model, rate)
    for step, ids in zip(range(1, steps + 1), batches(seed), strict=False):
        take_step(optimizer, rate * share_of_rate(step, steps), loss(model, ids))
    return held_out(model)


def floor() -> float:
    """Nats per token that the grammar itself needs for the held-out reviews."""
    texts = [review.text for review in corpora.reviews(HELD_OUT, seed=2)]
    tokens = sum(len(text.split()) + 1 for text in texts)
    return -sum(corpora.log_probability(text) for text in texts) / tokens


def step_times(rungs: Mapping[str, Rung]) -> dict[str, float]:
    """How long a step takes, as a share of the first rung's: the median of laps in which all take turns."""
    torch.set_num_threads(1)
    drawn, times = batches(0), {name: [] for name in rungs}
    made = {name: Model(rung) for name, rung in rungs.items()}
    steppers = {name: optimizer_of(model, 1e-4) for name, model in made.items()}
    for _ in range(LAPS):
        ids = next(drawn)
        for name, model in made.items():
            for _ in range(2):  # the first warms up
                begun = time.perf_counter()
                steppers[name].zero_grad()
                loss(model, ids).backward()
                steppers[name].step()
                seconds = time.perf_counter() - begun
            times[name].append(seconds)
    first = times[next(iter(rungs))]
    return {
        name: median(one / base for one, base in zip(found, first, strict=True))
        for name, found in times.items()
    }


def losses(
    rows: Rows, workers: int, jobs: Mapping[tuple, tuple[Rung, float, int, int]]
) -> dict[tuple, float]:
    """The loss of each job: kept from a call that was stopped, or trained now, and printed as it comes."""
    wanted = {key: tuple(map(str, (key, *job[1:]))) for key, job in jobs.items()}
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        runs = {
            pool.submit(trained, *jobs[key]): name for key, name in wanted.items() if name not in rows.done
        }
        for run in as_completed(runs):
            rows.keep(*runs[run], row=run.result())
            print(*runs[run], f"{run.result():.4f}", flush=True)
    return {key: rows.done[name] for key, name in wanted.items()}


def measure(rows: Rows, console: Parts, steps: int = STEPS, seeds: int = SEEDS, workers: int = 2) -> None:
    """Climb the ladder, and keep what each rung reaches."""
    rungs, least = ladder(), floor()
    shares = rows("times of a step", make=lambda: step_times(rungs))
    tries = {(name, rate): (rung, rate, 100, steps // 2) for name, rung in rungs.items() for rate in RATES}
    tried = losses(rows, workers, tries)
    rates = {name: min(RATES, key=lambda rate: tried[name, rate]) for name in rungs}
    runs = {
        (name, long, seed): (rung, rates[name], seed, long)
        for name, rung in rungs.items()
        for long in {steps, round(steps / shares[name])}
        for seed in range(seeds)
    }
    found = losses(rows, workers, runs)
    table = Table(
        "rung", "weights", "rate", "time of a step", "equal steps", "since the rung above", "equal time",
        title=f"{steps} steps, {seeds} seeds; nats per token, the grammar itself: {least:.4f}",
    )  # fmt: skip
    above: list[float] = []
    kept = []
    for name, rung in rungs.items():
        equal = [found[name, steps, seed] for seed in range(seeds)]
        timed = [found[name, round(steps / shares[name]), seed] for seed in range(seeds)]
        table.add_row(
            name, f"{weights(rung):,}", f"{rates[name]:g}", f"{shares[name]:.2f}", _spread(equal),
            _change(equal, above), _spread(timed),
        )  # fmt: skip
        kept.append(
            {
                "rung": name, "weights": weights(rung), "step": round(shares[name], 2),
                "equal steps": _rounded(equal), "equal time": _rounded(timed),
            }
        )  # fmt: skip
        above = equal
    KEPT.write_text(json.dumps({"steps": steps, "floor": round(least, 4), "ladder": kept}, indent=1) + "\n")
    console.print(table)


def _spread(losses: list[float]) -> str:
    return f"{mean(losses):.4f} ± {stdev(losses):.4f}" if len(losses) > 1 else f"{losses[0]:.4f}"


def _rounded(losses: list[float]) -> list[float]:
    return [round(loss, 4) for loss in losses]


def _change(losses: list[float], above: list[float]) -> str:
    """The mean of the differences by seed, with its 95 % interval."""
    if not above or len(losses) < 2:
        return ""
    apart = [one - other for one, other in zip(losses, above, strict=True)]
    low, high = t_interval(apart, QUANTILES)
    return f"{mean(apart):+.4f} ({low:+.4f} to {high:+.4f})"


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--workers", type=int, default=2)
    add_option(parser)
    options = parser.parse_args()
    with Rows("training_modern", options) as rows:
        steps, seeds, workers = options.steps, options.seeds, options.workers
        record("Training: modern", lambda parts: measure(rows, parts, steps, seeds, workers))


if __name__ == "__main__":
    main()
