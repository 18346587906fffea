"""How fast our language model trains, beside transformers' and torch's of the same size, in one run.

python -m benchmarks.training [--threads 1 2] [--seconds 20]

A step is a forward pass, a backward pass and AdamW. The models take turns, and beside each lap a large matrix
product is timed: a slow moment of the machine hits all alike. All figures are medians. Two threads want two
idle cores: where others work too, they mostly wait for each other.
"""

import argparse
import time
from collections.abc import Callable

import torch
from rich.console import Console
from rich.table import Table
from torch import nn
from transformers import GPT2Config, GPT2LMHeadModel

from helpers.blocks import GPT2
from helpers.counting import count, training_flops_per_token
from helpers.transformer import LanguageModel

VOCABULARY, D_MODEL, N_HEADS, N_LAYERS, T, B = 1000, 128, 4, 4, 64, 12
SIDE = 1024  # of the large square matrices
PRODUCT_FLOPS = 2 * SIDE**3  # each of SIDE² sums multiplies and adds SIDE times


class TorchsModel(nn.Module):
    """torch.nn.TransformerEncoder as a language model: causal, with embedding, positions and a tied head."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.positions = nn.Embedding(VOCABULARY, D_MODEL), nn.Embedding(T, D_MODEL)
        layer = nn.TransformerEncoderLayer(
            D_MODEL, N_HEADS, 4 * D_MODEL, 0.0, "gelu", batch_first=True, norm_first=True
        )
        self.layers = nn.TransformerEncoder(
            layer, N_LAYERS, nn.LayerNorm(D_MODEL), enable_nested_tensor=False
        )
        self.head = nn.Linear(D_MODEL, VOCABULARY, bias=False)
        self.head.weight = self.words.weight
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(T))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """(B, T) to (B, T, V)."""
        x = self.words(ids) + self.positions.weight
        return self.head(self.layers(x, mask=self.mask, is_causal=True))


class TransformersModel(nn.Module):
    """transformers.GPT2LMHeadModel, its logits alone, without dropout and cache."""

    def __init__(self, activation: str) -> None:
        super().__init__()
        settings = GPT2Config(
            vocab_size=VOCABULARY, n_embd=D_MODEL, n_head=N_HEADS, n_layer=N_LAYERS, n_positions=T,
            activation_function=activation, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
            use_cache=False, bos_token_id=None, eos_token_id=None,
        )  # fmt: skip
        self.model = GPT2LMHeadModel(settings)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """(B, T) to (B, T, V)."""
        return self.model(ids).logits


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--seconds", type=float, default=20, help="for each number of threads")
    options = parser.parse_args()
    models = _models()
    console = Console(width=110)
    console.print(
        f"torch {torch.__version__}, float32; vocabulary {VOCABULARY}, width {D_MODEL}, {N_HEADS} heads, "
        f"{N_LAYERS} layers, context {T}, batch {B}; parameters: "
        + ", ".join(sorted({f"{count(model):,}" for model in models.values()}))
    )
    for threads in options.threads:
        torch.set_num_threads(threads)
        times = _take_turns(models, options.seconds)
        console.print(_table(times, threads))


def _models() -> dict[str, nn.Module]:
    """Of one size, with the exact GELU, and where it says so with GPT-2's approximation."""
    sizes = (VOCABULARY, D_MODEL, N_HEADS, N_LAYERS, T)
    return {
        "ours": LanguageModel(*sizes),
        "torch.nn.TransformerEncoder": TorchsModel(),
        "transformers.GPT2LMHeadModel": TransformersModel("gelu"),
        "ours, tanh GELU": LanguageModel(*sizes, style=GPT2),
        "transformers.GPT2LMHeadModel, tanh GELU": TransformersModel("gelu_new"),
    }


def _take_turns(models: dict[str, nn.Module], seconds: float) -> dict[str, list[float]]:
    """Seconds of each lap: a step of each model, and a large matrix product, named product."""
    left, right = torch.randn(2, SIDE, SIDE)
    runs = {"product": lambda: left @ right} | {name: _step(model) for name, model in models.items()}
    times: dict[str, list[float]] = {name: [] for name in runs}
    for run in 2 * list(runs.values()):  # warm up
        run()
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times["product"]) < 3:
        for name, run in runs.items():
            begun = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - begun)
    return times


def _step(model: nn.Module) -> Callable[[], object]:
    """Forward, backward and AdamW, on random tokens."""
    ids = torch.randint(VOCABULARY, (B, T + 1))
    now, then = ids[:, :-1], ids[:, 1:].flatten()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)

    def step() -> None:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(now).flatten(0, 1), then).backward()
        optimizer.step()

    return step


def _table(times: dict[str, list[float]], threads: int) -> Table:
    """A row for each model. Ratios and shares are of one lap, so of one moment, and medians over the laps."""
    laps = {name: torch.tensor(seconds) for name, seconds in times.items()}
    product = laps.pop("product")
    speed = PRODUCT_FLOPS / product.median() / 1e9
    table = Table(
        "model", "ms a step", "tokens a second", "time / ours", "share of it",
        title=f"threads: {threads}; laps: {len(product)}; {SIDE}³ matrix product: {speed:.0f} GFLOP/s",
    )  # fmt: skip
    step_flops = B * T * _flops_per_token()
    for name, step in laps.items():
        seconds = step.median()
        ratio = (step / laps["ours"]).median()
        share = (step_flops / step / (PRODUCT_FLOPS / product)).median()
        figures = (f"{1000 * seconds:.1f}", f"{B * T / seconds:,.0f}", f"{ratio:.2f}", f"{share:.0%}")
        table.add_row(name, *figures)
    return table


def _flops_per_token() -> int:
    """Model FLOPs: those of the matrices. Positions are looked up; words multiply, as the tied head."""
    model = LanguageModel(VOCABULARY, D_MODEL, N_HEADS, N_LAYERS, T)
    matrices = sum(weight.numel() for weight in model.parameters() if weight.dim() == 2)
    return training_flops_per_token(matrices - T * D_MODEL, N_LAYERS, T, D_MODEL)


if __name__ == "__main__":
    main()
