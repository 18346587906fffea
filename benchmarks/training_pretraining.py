"""Lesson 08's measured figures: how near to the entropy its model comes, how it writes, and real text.

python -m benchmarks.training_pretraining [--seeds 0 1 2] [--adamw] [--real] [--scaling] [--tokens]

`--adamw` trains with AdamW alone. `--real` trains on Shakespeare with the sizes, batches and
steps that nanoGPT's README publishes for a CPU, but with Muon beside AdamW, and times our model beside
transformers' GPT-2 of the same size.
`--scaling` measures the 16 runs that the lesson shows, and keeps them for it.
"""

import argparse
import json
import math
import time
from collections.abc import Callable, Sequence
from typing import Any
from unittest import mock

import torch
from rich.table import Table
from torch import nn

from benchmarks.results import Parts, record
from helpers import corpora, pretraining, training
from helpers.models.transformer import LanguageModel, LanguageModelConfig
from helpers.pretraining import plays, reference, scaling
from helpers.training.muon import CombinedOptimizer, Muon, matrices_and_rest

SETTING = {"d_model": 128, "n_heads": 4, "n_layers": 4, "positions": 64}
NANOGPT = 1.88  # validation loss in nanoGPT's README, "I only have a macbook"
RULES: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "greedy": lambda logits: pretraining.with_temperature(logits, 0),
    "temperature 0.8": lambda logits: pretraining.with_temperature(logits, 0.8),
    "temperature 1": lambda logits: pretraining.with_temperature(logits, 1),
    "temperature 1.3": lambda logits: pretraining.with_temperature(logits, 1.3),
    "top-k 20": lambda logits: pretraining.top_k(pretraining.with_temperature(logits, 1), 20),
    "nucleus 0.9": lambda logits: pretraining.nucleus(pretraining.with_temperature(logits, 1), 0.9),
}


def measure(console: Parts, seeds: Sequence[int] = (0,)) -> None:
    """Train on reviews, measure on reviews never seen, let the last model write."""
    table = Table(
        "seed", "seconds", "CPU seconds", "model", "grammar", "above the grammar", "± (standard error)",
        title=f"{training.steps(pretraining.STEPS):,} steps on {training.cores()} cores; nats per token",
    )  # fmt: skip
    shares = []
    for seed in seeds:
        torch.manual_seed(seed)
        model = pretraining.new_model()
        begun, used = time.perf_counter(), time.process_time()
        pretraining.pretrain(model, training.steps(pretraining.STEPS), seed)
        spent = f"{time.perf_counter() - begun:.0f}", f"{time.process_time() - used:.0f}"
        ours, best, error = beside_the_grammar(model.to("cpu"))
        figures = f"{ours:.4f}", f"{best:.4f}", f"{ours / best - 1:.2%}", f"{error / best:.2%}"
        table.add_row(str(seed), *spent, *figures)
        shares.append(ours / best - 1)
    table.add_row("all", "", "", "", "", f"{min(shares):.2%} to {max(shares):.2%}", "")
    console.print(table)
    console.print(_writing(model))


def beside_the_grammar(model: nn.Module, count: int = 600) -> tuple[float, float, float]:
    """Nats per token on new reviews: the model's, the grammar's, the standard error of the difference."""
    texts = [review.text for review in corpora.reviews(count, seed=2_000)]
    ours, best, tokens = [], [], []
    with torch.no_grad():
        for start in range(0, count, 50):
            part = texts[start : start + 50]
            inputs, targets = pretraining.inputs_and_targets(corpora.vocabulary().batch(part))
            for row, wanted in zip(model(inputs), targets, strict=True):
                number = int((wanted != -100).sum())
                ours.append(float(pretraining.language_model_loss(row[None], wanted[None])) * number)
                tokens.append(number)
            best += [-corpora.log_probability(text) for text in part]
    differences, total = torch.tensor(ours) - torch.tensor(best), sum(tokens)
    return sum(ours) / total, sum(best) / total, float(differences.std() * count**0.5 / total)


def _writing(model: LanguageModel, texts: int = 200) -> Table:
    table = Table("rule", "grammatical sentences", "of", "different words in the first 2,000")
    prompts = torch.full((texts, 1), corpora.BOS)
    for name, rule in RULES.items():
        ids = pretraining.generate(model, prompts, torch.Generator().manual_seed(2), rule)
        written = [corpora.vocabulary().decode(row) for row in ids]
        sentences = sum(len(corpora.sentences(text)) for text in written)
        words = " ".join(written).split()[:2000]
        share = f"{pretraining.grammatical_share(written):.1%}"
        table.add_row(name, share, str(sentences), str(len(set(words))))
    return table


# -- AdamW alone -------------------------------------------------------------------------------------------


def adamw_alone(console: Parts) -> None:
    """The same steps without Muon."""
    torch.manual_seed(0)
    model = pretraining.new_model()
    alone = CombinedOptimizer(pretraining.optimizer_of(model, pretraining.PEAK))
    used = time.process_time()
    with mock.patch.object(reference, "both_optimizers", lambda _: alone):
        pretraining.pretrain(model, training.steps(pretraining.STEPS))
    ours, best, _ = beside_the_grammar(model.to("cpu"))
    table = Table("optimizer", "above the grammar", "CPU seconds")
    table.add_row("AdamW alone", f"{ours / best - 1:.2%}", f"{time.process_time() - used:.0f}")
    console.print(table)


# -- real text ---------------------------------------------------------------------------------------------


def real(console: Parts) -> None:
    """Speed and loss at nanoGPT's sizes."""
    speed(console)
    shakespeare(console)


def shakespeare(console: Parts, steps: int = 2000, batch: int = 12) -> None:
    """Characters, at nanoGPT's sizes and steps: the loss over all of the validation text."""
    text = corpora.load("tinyshakespeare")
    letters = {letter: number for number, letter in enumerate(sorted(set(text)))}
    ids = torch.tensor([letters[letter] for letter in text])
    cut, context = 9 * len(ids) // 10, SETTING["positions"]
    torch.manual_seed(0)
    model = LanguageModel(LanguageModelConfig(len(letters), **SETTING))
    matrices, rest = matrices_and_rest(model)
    optimizer = CombinedOptimizer(Muon(matrices, lr=0.02), pretraining.optimizer_of(rest, 3e-3))
    spread = training.on_all_cores(pretraining.loss_of)
    begun, used = time.perf_counter(), time.process_time()
    for step in range(1, training.steps(steps) + 1):
        optimizer.set_rate(pretraining.learning_rate(step, training.steps(steps), 100, 1.0))
        rows = torch.stack([ids[at : at + context + 1] for at in torch.randint(cut - context, (batch,))])
        pretraining.training_step(model, optimizer, spread, (rows[:, :-1], rows[:, 1:]))
    spent, used = time.perf_counter() - begun, time.process_time() - used
    windows = ids[cut:].unfold(0, context + 1, context)
    with torch.no_grad():
        losses = [
            pretraining.loss_of(model, part[:, :-1], part[:, 1:]) * len(part) for part in windows.split(100)
        ]
    loss = float(sum(losses)) / len(windows)
    heads = "validation loss", "seconds", "CPU seconds"
    table = Table("Shakespeare", *heads, title=f"on {len(windows):,} windows")
    table.add_row("ours", f"{loss:.4f}", f"{spent:.0f}", f"{used:.0f}")
    table.add_row("nanoGPT's README", f"{NANOGPT}", "", "")
    console.print(table)


def speed(console: Parts, laps: int = 40) -> None:
    """Tokens per second of a training step, ours and transformers' GPT-2, in turns on one thread."""
    from transformers import GPT2Config, GPT2LMHeadModel

    settings = GPT2Config(
        vocab_size=65, n_embd=128, n_head=4, n_layer=4, n_positions=64, resid_pdrop=0.0, embd_pdrop=0.0,
        attn_pdrop=0.0, use_cache=False, bos_token_id=None, eos_token_id=None,
    )  # fmt: skip
    theirs = GPT2LMHeadModel(settings)
    ours = LanguageModel(LanguageModelConfig(65, **SETTING))
    runs: dict[str, Any] = {
        "ours": (ours, ours),
        "transformers' GPT-2": (theirs, lambda ids: theirs(ids).logits),
    }
    times: dict[str, list[float]] = {name: [] for name in runs}
    optimizers = {name: pretraining.optimizer_of(model, 1e-3) for name, (model, _) in runs.items()}
    for _ in range(laps):
        ids = torch.randint(65, (12, 65))
        for name, (model, logits_of) in runs.items():
            begun = time.process_time()
            pretraining.training_step(
                model,
                optimizers[name],
                lambda _, now, then, call=logits_of: pretraining.language_model_loss(call(now), then),
                (ids[:, :-1], ids[:, 1:]),
            )
            times[name].append(time.process_time() - begun)
    table = Table("model", "tokens per CPU second", title="AdamW, batches of 12 × 64")
    for name, seconds in times.items():
        table.add_row(name, f"{12 * 64 / sorted(seconds)[laps // 2]:,.0f}")
    console.print(table)


# -- what the lesson draws ---------------------------------------------------------------------------------


def tokens(console: Parts) -> None:
    """The model with tokens of three sizes, kept for the lesson."""
    rows = plays.measure()
    plays.KEPT.write_text(json.dumps(rows, indent=1) + "\n")
    heads = "vocabulary", "parameters", "characters per token", "bits per character", "seconds"
    table = Table("merges", *heads)
    for row in rows:
        numbers = f"{row.vocabulary:,}", f"{row.parameters:,}", f"{row.characters:.2f}", f"{row.bits:.4f}"
        table.add_row(f"{row.merges:,}", *numbers, f"{row.seconds:.0f}")
    console.print(table)


def sizes(console: Parts) -> None:
    """The runs of four budgets, kept for the lesson."""
    runs = scaling.measure()
    scaling.KEPT.write_text(json.dumps(runs, indent=1) + "\n")
    table = Table("FLOPs and weights", "tokens", "above the entropy")
    for flops, weights, read, gap in runs:
        table.add_row(f"{flops:.0e}, {weights:,}", f"{read:,}", f"{gap:.4f}")
    console.print(table)
    budgets = sorted({run.flops for run in runs})
    best = [
        pretraining.best_size(*(torch.tensor(column).double() for column in zip(*same, strict=True)))
        for same in ([(run.weights, run.gap) for run in runs if run.flops == flops] for flops in budgets)
    ]
    columns = torch.tensor(budgets).double(), torch.tensor(best).double()
    smaller, larger = (pretraining.compute_optimal(*columns, flops)[0] for flops in (1.0, math.e))
    table = Table("the best size grows as", "power")
    table.add_row("the budget", f"{math.log(larger / smaller):.3f}")
    console.print(table)


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0], help="a model is trained with each")
    parser.add_argument("--adamw", action="store_true", help="with AdamW alone")
    parser.add_argument("--real", action="store_true", help="Shakespeare only")
    parser.add_argument(
        "--scaling", action="store_true", help="the 16 runs that lesson 08 shows, kept for it"
    )
    parser.add_argument("--tokens", action="store_true", help="Shakespeare with tokens of three sizes, kept")
    options = parser.parse_args()
    torch.set_num_threads(1)
    if options.tokens:
        record("Training: pretraining, tokens", tokens)
    elif options.scaling:
        record("Training: pretraining, scaling", sizes)
    elif options.real:
        record("Training: pretraining, real text", real)
    elif options.adamw:
        record("Training: pretraining, AdamW alone", adamw_alone)
    else:
        record("Training: pretraining", lambda parts: measure(parts, options.seeds))


if __name__ == "__main__":
    main()
