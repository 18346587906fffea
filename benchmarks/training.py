"""How fast our language model trains, beside others of its size, and what the lessons reach.

    python -m benchmarks.training [--threads 1 2] [--seconds 40]     both, written into RESULTS.md
    python -m benchmarks.training --speed                            how fast, and no more
    python -m benchmarks.training --topics bert                      what one lesson reaches, and no more
    python -m benchmarks.training --real                             real text instead, for most of an hour
    python -m benchmarks.training --real --topics pretraining        one lesson's real text

A step is a forward pass, a backward pass and AdamW. The models take turns, two steps each, of which the
second is timed, and so is a large matrix product: a slow moment of the machine hits all alike. All figures
are medians. On several threads ours gives each core rows of its own (`helpers.training.on_all_cores`), as the
lessons do. The others share out each operation, as torch does by itself, and so does "ours, torch's threads".

What the lessons reach is measured by their own modules, `benchmarks/training_TOPIC.py`, each of which can be
called alone.
"""

import argparse
import dataclasses
import importlib
import time
from collections.abc import Callable, Sequence

import torch
from rich.table import Table
from torch import nn
from transformers import GPT2Config, GPT2LMHeadModel

from benchmarks.results import record, write
from helpers.counting import count, training_flops_per_token
from helpers.models.blocks import GPT2
from helpers.models.transformer import LanguageModel, LanguageModelConfig
from helpers.training import on_all_cores

VOCABULARY, D_MODEL, N_HEADS, N_LAYERS, T, B = 1000, 128, 4, 4, 64, 12
OURS = LanguageModelConfig(VOCABULARY, D_MODEL, N_HEADS, N_LAYERS, T)
TOPICS = ("pretraining", "finetuning", "bert", "translation")
REAL = ("pretraining", "finetuning", "translation")
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
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--seconds", type=float, default=40, help="for each number of threads")
    parser.add_argument("--speed", action="store_true", help="leave out what the lessons reach")
    parser.add_argument("--topics", nargs="+", choices=TOPICS, help="what these lessons reach, and no more")
    parser.add_argument("--real", action="store_true", help="real text instead of the course's own")
    options = parser.parse_args()
    if options.real:
        _write_topics([topic for topic in REAL if topic in (options.topics or REAL)], real=True)
        return
    if options.topics:
        _write_topics(options.topics, real=False)
        return
    _write_speed(options.threads, options.seconds)
    if not options.speed:
        _write_topics(TOPICS, real=False)


def _write_topics(topics: Sequence[str], *, real: bool) -> None:
    """Let each topic's module measure, on the course's text or on real text, and write its section."""
    words, option = (", real text", " --real") if real else ("", "")
    torch.set_num_threads(1)
    for topic in topics:
        module = importlib.import_module(f"benchmarks.training_{topic}")
        command = f"python -m benchmarks.training_{topic}{option}"
        record(f"Training: {topic}{words}", module.real if real else module.measure, command)


def _write_speed(counts: list[int], seconds: float) -> None:
    """Time all models with each number of threads."""
    models = _models()
    sizes = ", ".join(sorted({f"{count(model):,}" for model in models.values()}))
    parts: list[Table | str] = [
        f"float32; vocabulary {VOCABULARY}, width {D_MODEL}, {N_HEADS} heads, {N_LAYERS} layers, context "
        f"{T}, batch {B}; parameters: {sizes}. *time / ours* and *share of it*, of the speed of a large "
        "matrix product, are medians of what each lap gives."
    ]
    for threads in counts:
        parts.append(_table(_take_turns(models, seconds, threads), threads))
    write("Training: speed", "python -m benchmarks.training --speed", *parts)


def _models() -> dict[str, nn.Module]:
    """Of one size, with the exact GELU, and where it says so with GPT-2's approximation."""
    return {
        "ours": LanguageModel(OURS),
        "torch.nn.TransformerEncoder": TorchsModel(),
        "transformers.GPT2LMHeadModel": TransformersModel("gelu"),
        "ours, tanh GELU": LanguageModel(dataclasses.replace(OURS, style=GPT2, scale=1)),
        "transformers.GPT2LMHeadModel, tanh GELU": TransformersModel("gelu_new"),
    }


def _take_turns(models: dict[str, nn.Module], seconds: float, threads: int) -> dict[str, list[float]]:
    """Seconds of each lap: a step of each model, and a large matrix product, named product."""
    left, right = torch.randn(2, SIDE, SIDE)
    runs = {"product": (threads, lambda: left @ right)}
    if threads > 1:  # the lessons leave one thread to torch: its others would go on spinning after AdamW
        spread = on_all_cores(_loss)
        runs["ours"] = (1, _step(models["ours"], spread))
        runs["ours, tanh GELU"] = (1, _step(models["ours, tanh GELU"], spread))
        runs["ours, torch's threads"] = (threads, _step(models["ours"]))
    runs |= {name: (threads, _step(model)) for name, model in models.items() if name not in runs}
    times: dict[str, list[float]] = {name: [] for name in runs}
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times["product"]) < 3:
        for name, (of_torch, run) in runs.items():
            torch.set_num_threads(of_torch)
            run()  # warm up: the caches are another model's
            begun = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - begun)
    return times


def _loss(model: nn.Module, now: torch.Tensor, then: torch.Tensor) -> torch.Tensor:
    return nn.functional.cross_entropy(model(now).flatten(0, 1), then.flatten())


def _step(model: nn.Module, loss: Callable[..., torch.Tensor] = _loss) -> Callable[[], object]:
    """Forward, backward and AdamW, on random tokens."""
    ids = torch.randint(VOCABULARY, (B, T + 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)

    def step() -> None:
        optimizer.zero_grad()
        loss(model, ids[:, :-1], ids[:, 1:]).backward()
        optimizer.step()

    return step


def _table(times: dict[str, list[float]], threads: int) -> Table:
    """A row for each model. Ratios and shares are of one lap, so of one moment, and medians over the laps."""
    laps = {name: torch.tensor(seconds) for name, seconds in times.items()}
    product = laps.pop("product")
    speed = PRODUCT_FLOPS / product.median() / 1e9
    table = Table(
        "model", "ms per step", "tokens per second", "time / ours", "share of it",
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
    model = LanguageModel(OURS)
    matrices = sum(weight.numel() for weight in model.parameters() if weight.dim() == 2)
    return training_flops_per_token(matrices - T * D_MODEL, N_LAYERS, T, D_MODEL)


if __name__ == "__main__":
    main()
