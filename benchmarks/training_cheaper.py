"""What lesson 12 measures with its own block: experts' shares, fewer bits, pairs recalled, drafts.

    python -m benchmarks.training_cheaper

One model is trained as in section 12.7, with one seed: the block of today. Minutes, on two cores.
"""

import math

import torch
from rich.table import Table
from torch import nn

from benchmarks.results import Parts, record
from helpers import corpora, training
from helpers.block import DecoderOnly, unembed
from helpers.modern import (
    Block,
    accepted,
    adjusted,
    balance_loss,
    cheaper,
    experiments,
    gates,
    in_groups,
    linear_attention,
    mixture,
    quantized,
    rms_norm,
)

NAME = "block of today, measured"  # kept under a name of its own while it trains
DRAFTS, TEXTS = (0, 1, 2, 4, 8), 12


class Model(nn.Module):
    """The language model of section 12.5."""

    def __init__(self, vocabulary: int, d_model: int, n_heads: int, n_groups: int, d_ff: int, layers: int):
        super().__init__()
        self.words = nn.Embedding(vocabulary, d_model)
        self.blocks = nn.ModuleList(Block(d_model, n_heads, n_groups, d_ff) for _ in range(layers))
        self.norm = nn.Parameter(torch.ones(d_model))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Logits (B, T, V) of tokens (B, T)."""
        x = math.sqrt(self.words.weight.size(-1)) * self.words(ids)
        for block in self.blocks:
            x = block(x)
        return unembed(rms_norm(x, self.norm), self.words.weight)


def trained() -> nn.Module:
    """The model of section 12.7, from the same random numbers: those of the older block come first."""
    torch.manual_seed(0)
    V = len(corpora.vocabulary())
    older, model = DecoderOnly(V, 96, 4, 2, 100), Model(V, 96, 4, 2, 308, 2)
    for each in (older, model):
        experiments.draw_weights(each)
    experiments.learn({NAME: model}, anew=True)
    training.forget(f"{experiments.KEPT} {NAME}")
    return model.eval()


def experts() -> Table:
    """Section 12.10: how evenly a router spreads the tokens, in each of three ways."""
    table = Table("experts", "busiest", "idlest", "loss", title="the last ten steps")
    for way, crowd in experiments.crowded(gates, mixture, balance_loss).items():
        shares = torch.tensor(crowd.shares)[-10:].mean(dim=0)
        table.add_row(way, f"{shares.max():.0%}", f"{shares.min():.0%}", f"{crowd.loss:.2f}")
    return table


def bits(model: nn.Module) -> Table:
    """Sections 12.11 and 12.12: what fewer bits cost."""
    losses = cheaper.losses_by_bits(model, quantized)
    found = cheaper.losses_in_groups(model, quantized, in_groups)
    table = Table("each weight", "bytes", "change of the loss, nats per token")
    for count, loss in losses.items():
        if count != 32:
            table.add_row(f"{count} bits", "", f"{loss - losses[32]:+.5f}")
    for name, kept in found.items():
        table.add_row(name, f"{kept.bytes:.2f}", f"{kept.loss - losses[32]:+.5f}")
    return table


def recalled() -> Table:
    """Section 12.14: how many values are found again by their keys."""
    found = cheaper.recalled(linear_attention)
    table = Table("pairs stored", *found)
    for at, pairs in enumerate(cheaper.PAIRS):
        table.add_row(f"{pairs} pairs", *(f"{shares[at]:.0%}" for shares in found.values()))
    return table


def drafts(model: nn.Module) -> Table:
    """Section 12.16: tokens that one call of the model brings."""
    opening = len(corpora.vocabulary().batch([experiments.OPENING], eos=False)[0])
    table = Table("drafts at once", "kept", "calls", "tokens per call", title=f"{TEXTS} reviews")
    for count in DRAFTS:
        texts = [experiments.speculate(model, accepted, adjusted, count, seed) for seed in range(TEXTS)]
        calls, drafted, kept = (sum(getattr(t, name) for t in texts) for name in ("calls", "drafted", "kept"))
        tokens = sum(len(text.ids) - opening for text in texts)
        share = f"{kept / drafted:.0%}" if drafted else ""
        table.add_row(f"{count} drafts", share, f"{calls}", f"{tokens / calls:.2f}")
    return table


def measure(console: Parts) -> None:
    """Train, and measure all four."""
    torch.set_num_threads(1)
    console.print(experts())
    model = trained()
    for table in (bits(model), recalled(), drafts(model)):
        console.print(table)


if __name__ == "__main__":
    record("Training: cheaper", measure)
