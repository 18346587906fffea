"""Lesson 12's figures: the ladder, crowded experts, losses by bits, words that were drafted, tables."""

import functools
import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Any

import torch

from helpers import corpora
from helpers.figures import plots, repeats
from helpers.figures.showing import Table
from helpers.masking import causal_mask
from helpers.modern import cheaper
from helpers.modern.cheaper import KEY_SIZE, PAIRS, Kept, tokens_per_call
from helpers.modern.experiments import EXPERTS, Crowd, Written
from helpers.modern.rungs import RUNG

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LADDER = Path(__file__).parent / "ladder.json"
T_TWO = 4.303  # Student's t for three seeds: 97.5 %, two degrees of freedom


@functools.cache
def measured() -> dict[str, Any]:
    """What `python -m benchmarks.training_modern` has found: for each rung its losses, seed by seed."""
    return json.loads(LADDER.read_text())


def ladder(yours: float | None = None) -> "Axes":
    """Each rung's loss above the grammar's own, for equal steps and for equal time: seeds, and their mean.

    Args:
        yours: the loss of the student's own run of the rung `rungs.RUNG`, for equal steps.
    """
    rungs, least = measured()["ladder"], measured()["floor"]
    found = {
        kind: {rung["rung"]: [loss - least for loss in rung[kind]] for rung in rungs}
        for kind in ("equal steps", "equal time")
    }
    ax = repeats.rows(
        found, xlabel="nats per token above the grammar's own", form=".3f",
        title="From the paper's block to today's, one change per row",
        ax=plots.panels(1, width=7.4, height=4.4)[0],
    )  # fmt: skip
    ax.set_xlim(left=0)
    ax.legend(frameon=False, loc="lower right")
    if yours is not None:
        row = list(found["equal steps"]).index(RUNG)
        plots.yours(ax, [yours - least], [row - 0.2], f"Yours, {RUNG}, equal steps: {yours - least:.3f}")
    return ax


def ladder_table() -> Table:
    """The ladder in numbers: each rung, its change at equal steps with its interval, and a step's time."""
    rungs = measured()["ladder"]
    header = [
        "",
        "weights",
        "loss, equal steps",
        "change, 95 % interval",
        "time of a step",
        "loss, equal time",
    ]
    rows = []
    for number, rung in enumerate(rungs):
        change = _change(rung["equal steps"], rungs[number - 1]["equal steps"]) if number else ""
        rows.append(
            [
                rung["rung"], f"{rung['weights']:,}", f"{mean(rung['equal steps']):.3f}", change,
                f"{rung['step']:.2f}", f"{mean(rung['equal time']):.3f}",
            ]
        )  # fmt: skip
    text = "\n".join(
        "  ".join(cell.ljust(34 if n == 0 else 24) for n, cell in enumerate(row)) for row in rows
    )
    return Table(header, rows, text)


def _change(losses: Sequence[float], above: Sequence[float]) -> str:
    apart = torch.tensor([one - other for one, other in zip(losses, above, strict=True)])
    half = T_TWO * float(apart.std()) / math.sqrt(len(apart))
    said = f"{apart.mean():+.3f} ({apart.mean() - half:+.3f} to {apart.mean() + half:+.3f})"
    return said.replace("-", "−").replace(" ", "\N{NO-BREAK SPACE}")


def crowds(found: Mapping[str, Crowd]) -> "Axes":
    """The share of tokens that each expert gets, step by step, for each way to balance them."""
    panels = plots.panels(len(found), width=2.9, height=2.7)
    for ax, (way, crowd) in zip(panels, found.items(), strict=True):
        shares = torch.tensor(crowd.shares)
        for expert in range(shares.size(1)):
            ax.plot(
                range(1, len(shares) + 1),
                shares[:, expert],
                "-" if expert < len(plots.PALETTE) else "--",
                color=plots.PALETTE[expert % len(plots.PALETTE)],
                lw=1.2,
            )
        ax.axhline(1 / EXPERTS, color=plots.INK, linewidth=1, linestyle=(0, (5, 3)))
        last = shares[-10:].mean(dim=0)
        ax.set(title=f"{way}: loss {crowd.loss:.2f}", xlabel="step", ylim=(0, 1))
        ax.set_label(
            f"{way}: in the last ten steps the busiest of {EXPERTS} experts gets {last.max():.0%} of the "
            f"tokens, the idlest {last.min():.0%}; loss {crowd.loss:.2f}."
        )
    panels[0].set_ylabel("share of tokens")
    return panels[0]


def bits(losses: Mapping[int, float]) -> "Axes":
    """The loss by the bits that each weight of a map has."""
    counts = [count for count in losses if count != 32]
    ax = plots.lines(
        counts, {"rounded after training": [losses[count] for count in counts]},
        xlabel="bits per weight", ylabel="nats per token", title="A trained model with fewer bits",
    )  # fmt: skip
    ax.axhline(losses[32], color=plots.INK, linewidth=1, linestyle=(0, (5, 3)))
    ax.annotate(
        f"32 bits: {losses[32]:.3f}", (0, losses[32]), xycoords=("axes fraction", "data"),
        xytext=(4, 4), textcoords="offset points", fontsize=9,
    )  # fmt: skip
    ax.set_xticks(sorted(counts))
    told = ", ".join(f"{count} bits {losses[count]:.3f}" for count in counts)
    ax.set_label(f"Loss in nats per token: as trained {losses[32]:.3f}; {told}.")
    return ax


def groups_table(found: Mapping[str, Kept], trained: float) -> Table:
    """Ways to keep a model: bytes for each weight, and by how much the loss rises."""
    rows = [
        [name, f"{kept.bytes:.3f}", f"{kept.loss - trained:+.4f}".replace("-", "−")]
        for name, kept in sorted(found.items(), key=lambda each: -each[1].bytes)
    ]
    return _table(["each weight is kept in", "bytes per weight", "change of the loss, nats"], rows)


def recall(shares: Mapping[str, Sequence[float]], pairs: Sequence[int] = PAIRS) -> "Axes":
    """The share of values that are found again, by how many pairs were stored."""
    return plots.lines(
        list(pairs), dict(shares), xlabel="pairs stored", ylabel="share recalled", log="x",
        title=f"Keys and values of {KEY_SIZE} channels",
    )  # fmt: skip


def turns_table(channels: int = 128, bases: Sequence[int] = (10_000, 150_000, 1_000_000)) -> Table:
    """How far a head's pairs of features turn, for some bases of rotary positions."""
    lengths = (4_096, 131_072)
    rows = []
    for base in bases:
        angles = [base ** (-2 * pair / channels) for pair in range(channels // 2)]
        below = [sum(length * angle < 2 * math.pi for angle in angles) for length in lengths]
        turned = 360 * lengths[0] * angles[-1] / (2 * math.pi)
        rows.append([f"{base:,}", *map(str, below), f"{turned:,.1f}°"])
    header = [
        "base",
        *(f"pairs of {channels // 2} below one turn at {length:,} positions" for length in lengths),
        f"turn of the slowest at {lengths[0]:,}",
    ]
    return _table(header, rows)


def windows_table(layers: int = 12, length: int = 64, window: int = 4, every: int = 4) -> Table:
    """What the last position knows of, and what is cached, with full attention, windows, and both in turn."""
    full = causal_mask(length)
    near = full & ~full.tril(-window)
    rows = []
    for name, full_layers in {
        "all layers full": layers,
        f"every {every}th full": layers // every,
        "windows alone": 0,
    }.items():
        seen = torch.eye(length, dtype=torch.bool)
        for layer in range(layers):
            mask = full if full_layers and (layer + 1) % (layers // full_layers) == 0 else near
            seen = (mask.double() @ seen.double()) > 0
        cached = full_layers * length + (layers - full_layers) * window
        rows.append([name, f"{int(seen[-1].sum())} of {length}", f"{cached}"])
    return _table(["", "positions that the last one knows of", "positions cached, all layers"], rows)


def latents_table(latent_attention: Callable, heads: int = 8, groups: int = 2) -> Table:
    """What is cached for a position and the largest tensor made, with keys and values and with latents.

    Args:
        latent_attention: the student's.
        heads: of queries, each with 16 features; latents have 24 numbers.
        groups: heads of keys and values where heads share them.
    """
    found = cheaper.newest(latent_attention, heads)
    D, R = cheaper.KEY_SIZE, cheaper.LATENT
    rows = [
        [f"keys and values of {heads} heads", f"{2 * heads * D}", f"{found.with_keys:,}", ""],
        [f"keys and values of {groups} heads, shared", f"{2 * groups * D}", "", "a different model"],
        ["latents, your function", f"{R}", f"{found.yours:,}", f"{found.apart:.0e}"],
    ]
    return _table(["", "cached per position", "largest tensor made", "largest difference"], rows)


def published() -> Table:
    """The block of five published models, from `published.json`."""
    found = json.loads(Path(__file__).with_name("published.json").read_text(encoding="utf-8"))
    names = [
        "norms", "positions", "attention", "cached per token", "network", "experts", "bits", "source",
    ]  # fmt: skip
    rows = [[heading, *(model[heading] for model in found["models"])] for heading in names]
    return _table([found["as of"], *(model["name"] for model in found["models"])], rows)


def _table(header: list[str], rows: list[list[str]]) -> Table:
    widths = [max(len(row[column]) for row in [header, *rows]) for column in range(len(header))]
    text = "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in [header, *rows]
    )
    return Table(header, rows, text)


def judged(target: torch.Tensor, draft: torch.Tensor, shares: torch.Tensor, times: int) -> "Axes":
    """The words that the large model thinks likeliest: its probability, the draft's, and what came of it."""
    best = target.topk(7).indices
    words = [corpora.vocabulary().words[token] for token in best.tolist()]
    series = {
        "large model": target[best],
        "small model, drafting": draft[best],
        "after judging": shares[best],
    }
    ax = plots.bars(words, series, ylabel="probability", title=f"{times:,} drafts of one word")
    ax.legend(frameon=False)
    return ax


def written_table(found: Mapping[int, Sequence[Written]], opening: int) -> Table:
    """For each number of drafts: how many were kept, and tokens per call, counted and by the formula."""
    header = ["drafts at once", "kept", "calls", "tokens", "tokens per call", "by the formula"]
    rows = []
    for drafts, texts in found.items():
        calls, drafted, kept = (sum(getattr(t, name) for t in texts) for name in ("calls", "drafted", "kept"))
        tokens = sum(len(text.ids) - opening for text in texts)
        share = kept / drafted if drafted else 0.0
        # A draft is judged only if all before it were kept: from kept per call follows the chance of each.
        chance = _chance(kept / calls, drafts)
        rows.append(
            [
                str(drafts) if drafts else "none: the model alone", f"{100 * share:.0f} %" if drafts else "",
                f"{calls:,}", f"{tokens:,}", f"{tokens / calls:.2f}",
                f"{tokens_per_call(chance, drafts):.2f}" if drafts else "1.00",
            ]
        )  # fmt: skip
    text = "\n".join("  ".join(cell.ljust(22) for cell in row) for row in rows)
    return Table(header, rows, text)


def _chance(kept: float, drafts: int) -> float:
    """The probability of one draft to be kept, where on average so many of them are, one after the other."""
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if sum(middle**n for n in range(1, drafts + 1)) < kept else (low, middle)
    return low
