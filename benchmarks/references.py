"""The reference attention and multi-head attention against torch's own, side by side in one run.

python -m benchmarks.references [--laps 30] [--threads 1]

Times are medians over laps in which ours and torch's take turns: a slow moment of the machine hits both.
"""

import argparse
import time
from collections.abc import Callable
from statistics import median

import torch
from rich.console import Console
from rich.table import Table
from torch import nn

from helpers.attention import scaled_dot_product_attention
from helpers.multihead import MultiHeadAttention

SIZES = ((8, 32, 64, 4), (8, 128, 256, 8), (4, 512, 512, 8))  # B, T, d_model, heads
LIMIT = 1.5


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--laps", type=int, default=30)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    table = Table("B, T, d_model, heads", "what", "pass", "ours ms", "torch ms", "ratio")
    worst = 0.0
    for size in SIZES:
        for what, (ours, theirs, inputs) in _pairs(*size).items():
            for name, run in (("forward", _forward), ("forward + backward", _both)):
                times = _take_turns(run, ours, theirs, inputs, options.laps)
                ratio = times[0] / times[1]
                worst = max(worst, ratio if what.startswith("multi-head") else 0.0)
                row = [f"{1000 * seconds:.2f}" for seconds in times]
                table.add_row(", ".join(map(str, size)), what, name, *row, f"{ratio:.2f}")
        table.add_section()
    console = Console(width=110)
    console.print(f"torch {torch.__version__}, {options.threads} threads, {options.laps} laps")
    console.print(table)
    console.print(f"multi-head, slowest against torch.nn.MultiheadAttention: {worst:.2f} (limit {LIMIT})")


def _pairs(
    B: int, T: int, d_model: int, heads: int
) -> dict[str, tuple[Callable, Callable, list[torch.Tensor]]]:
    """What is compared: ours, torch's, and the inputs of both."""
    torchs = nn.MultiheadAttention(d_model, heads, batch_first=True)
    ours = MultiHeadAttention.from_torch(torchs)
    x = torch.randn(B, T, d_model)
    qkv = [torch.randn(B, heads, T, d_model // heads) for _ in range(3)]
    each = {"need_weights": True, "average_attn_weights": False}
    return {
        "attention, with weights": (
            lambda q, k, v: scaled_dot_product_attention(q, k, v)[0],
            nn.functional.scaled_dot_product_attention,
            qkv,
        ),
        "multi-head, with weights": (lambda x: ours(x)[0], lambda x: torchs(x, x, x, **each)[0], [x]),
        "multi-head, without": (
            lambda x: ours(x, need_weights=False)[0],
            lambda x: torchs(x, x, x, need_weights=False)[0],
            [x],
        ),
    }


def _forward(call: Callable, inputs: list[torch.Tensor]) -> None:
    with torch.no_grad():
        call(*inputs)


def _both(call: Callable, inputs: list[torch.Tensor]) -> None:
    leaves = [tensor.detach().requires_grad_() for tensor in inputs]
    call(*leaves).sum().backward()


def _take_turns(
    run: Callable, ours: Callable, theirs: Callable, inputs: list[torch.Tensor], laps: int
) -> tuple[float, float]:
    """Median seconds of ours and of torch's."""
    times: tuple[list[float], list[float]] = ([], [])
    for lap in range(laps + 2):  # the first two warm up
        for kept, call in zip(times, (ours, theirs), strict=True):
            begun = time.perf_counter()
            run(call, inputs)
            if lap > 1:
                kept.append(time.perf_counter() - begun)
    return median(times[0]), median(times[1])


if __name__ == "__main__":
    main()
