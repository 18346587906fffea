"""The experiments of lesson 12: two models of one size, crowded experts, drafts by a small model.

What the student writes comes in as arguments. `B` sequences, `T` positions, `C` channels, `V` vocabulary.
"""

import functools
import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import torch
from torch import nn

from helpers import corpora, training
from helpers.block import experiments as of_the_block
from helpers.multihead import MultiHeadAttention
from helpers.training.muon import CombinedOptimizer, Muon, matrices_and_rest

STEPS, BATCH = 700, 16  # of the two models
PEAK, MATRIX_PEAK = 3e-3, 0.02  # learning rates of AdamW and of Muon
KEPT = "modern"  # the name under which the lesson's models are kept
EXPERTS, ROUTED_STEPS = 6, 120
LOSS_WEIGHT, BIAS_STEP = 0.02, 0.02  # of the balance loss; by how much a step moves an expert's bias
OPENING = "i read this mystery by"

# -- two models ----------------------------------------------------------------------------------------------


def learn(models: Mapping[str, nn.Module], steps: int = STEPS, anew: bool = False) -> None:
    """Train each model on the same reviews, in place, each with a live picture; go on after an interrupt.

    Args:
        models: by name. One that is kept on this computer is taken from there.
        steps: how many.
        anew: train those, too.
    """
    for name, model in models.items():
        if anew:
            training.forget(f"{KEPT} {name}")
        if not training.recall(f"{KEPT} {name}", model):
            training.keep(f"{KEPT} {name}", model, _learn(model, name, training.steps(steps)))


@training.on_device
def _learn(model: nn.Module, name: str, steps: int) -> training.Live:
    matrices, rest = matrices_and_rest(model)
    adam = torch.optim.AdamW(rest, lr=PEAK, betas=(0.9, 0.98), weight_decay=0.05, fused=True)
    optimizer = CombinedOptimizer(Muon(matrices, lr=MATRIX_PEAK), adam)
    drawn, spread = of_the_block.batches(steps, BATCH, seed=0), training.on_all_cores(of_the_block.loss_of)
    unseen = next(of_the_block.batches(1, 60, seed=1))
    keep = training.Checkpoint(f"{KEPT} {name}", model=model, optimizer=optimizer)
    limits = {"entropy": corpora.entropy_per_token()}
    live = training.Live(steps, "nats per token", limits, name, keep=keep, data=drawn)
    for step in live:
        optimizer.set_rate(min(1.0, step / 30) * (1 - (step - 1) / steps))
        optimizer.zero_grad()
        loss = spread(model, *next(drawn))
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        live.add(training=loss.detach())
        if step % max(1, steps // 8) == 0:
            with torch.no_grad():
                live.add(held_out=spread(model, *unseen))
    return live


@torch.no_grad()
def held_out(models: Mapping[str, nn.Module]) -> dict[str, float]:
    """The loss of each model on reviews that none has read, in nats per token."""
    unseen = next(of_the_block.batches(1, 60, seed=1))
    return {name: float(of_the_block.loss_of(model, *unseen)) for name, model in models.items()}


def needs(model: nn.Module | None) -> None:
    """Do nothing if there is a model.

    Raises:
        NotImplementedError: there is none yet.
    """
    if model is None:
        raise NotImplementedError


def draw_weights(model: nn.Module, std: float = 0.02) -> None:
    """Draw all matrices again, small, and smaller where they write to the residual path, as in lesson 06."""
    writers = [name for name, _ in model.named_parameters() if name.endswith(("W_o.weight", "W_down.weight"))]
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() == 2:
                weight.normal_(std=std / math.sqrt(len(writers)) if name in writers else std)
            elif name.endswith("bias"):
                weight.zero_()
        for name, weight in model.named_parameters():
            if name.startswith("positions"):
                weight.normal_(std=std * math.sqrt(weight.size(-1)))  # as large as the words beside them


# -- the same numbers as others ------------------------------------------------------------------------------


def small_qwen3(
    vocabulary: int, d_model: int, n_heads: int, n_groups: int, d_ff: int, n_layers: int
) -> nn.Module:
    """A Qwen3 of `transformers` with random weights: its blocks are those of this lesson.

    Source: Yang et al. 2025.
    """
    import transformers

    config = transformers.Qwen3Config(
        vocab_size=vocabulary, hidden_size=d_model, num_attention_heads=n_heads, num_key_value_heads=n_groups,
        intermediate_size=d_ff, num_hidden_layers=n_layers, head_dim=d_model // n_heads,
        tie_word_embeddings=True, bos_token_id=0, eos_token_id=0, pad_token_id=0,
        rope_parameters={"rope_type": "default", "rope_theta": 10_000.0},
    )  # fmt: skip
    torch.manual_seed(0)
    model = transformers.Qwen3ForCausalLM(config).eval()
    for name, weight in model.named_parameters():
        nn.init.normal_(weight, mean=float("norm" in name), std=0.2)
    return model


def from_qwen3(state: Mapping[str, torch.Tensor], n_layers: int, interleaved: Callable) -> dict:
    """A Qwen3's parameters under the names of the lesson's model.

    Args:
        state: of `transformers`' Qwen3ForCausalLM.
        n_layers: blocks.
        interleaved: the student's. It puts rows into the order in which the lesson turns pairs.
    """
    C = state["model.embed_tokens.weight"].size(-1)
    names = {
        "W_v.weight": "self_attn.v_proj.weight", "W_o.weight": "self_attn.o_proj.weight",
    }  # fmt: skip
    ours = {
        "words.weight": state["model.embed_tokens.weight"] / math.sqrt(C),
        "norm": state["model.norm.weight"] * math.sqrt(C),
    }
    for layer in range(n_layers):
        theirs, block = f"model.layers.{layer}", f"blocks.{layer}"
        for letter in "qk":
            norm = state[f"{theirs}.self_attn.{letter}_norm.weight"]
            maps = state[f"{theirs}.self_attn.{letter}_proj.weight"]
            ours[f"{block}.attention.W_{letter}.weight"] = interleaved(maps, len(maps) // len(norm))
            ours[f"{block}.attention.norm_{letter}"] = interleaved(norm[:, None], 1)[:, 0]
        for name, other in names.items():
            ours[f"{block}.attention.{name}"] = state[f"{theirs}.{other}"]
        for name in ("gate", "up", "down"):
            ours[f"{block}.feed_forward.W_{name}.weight"] = state[f"{theirs}.mlp.{name}_proj.weight"]
        ours[f"{block}.norm_1"] = state[f"{theirs}.input_layernorm.weight"]
        ours[f"{block}.norm_2"] = state[f"{theirs}.post_attention_layernorm.weight"]
    return ours


# -- crowded experts -----------------------------------------------------------------------------------------


class Routed(nn.Module):
    """A language model of one block, whose network is a mixture of experts.

    Args:
        gates: the student's, of scores, a number of experts, and a bias for each.
        mixture: the student's, of vectors, gates and experts.
        chosen: experts for each token.
    """

    bias: torch.Tensor

    def __init__(self, gates: Callable, mixture: Callable, chosen: int) -> None:
        super().__init__()
        C, V = 32, len(corpora.vocabulary())
        self.gates, self.mixture, self.chosen = gates, mixture, chosen
        self.words, self.places = nn.Embedding(V, C), nn.Embedding(128, C)
        self.attention, self.router = MultiHeadAttention(C, 2), nn.Linear(C, EXPERTS, bias=False)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(C, 48), nn.SiLU(), nn.Linear(48, C)) for _ in range(EXPERTS)
        )
        self.norms = nn.ModuleList(nn.LayerNorm(C) for _ in range(3))
        self.head = nn.Linear(C, V)
        self.register_buffer("bias", torch.zeros(EXPERTS))

    def forward(self, ids: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits (B, T, V) of tokens (B, T), and the router's scores of all tokens, (B·T, E)."""
        x = self.words(ids) + self.places.weight[: ids.size(1)]
        # defence: GPU: a mask is made beside the tokens
        mask = torch.ones(ids.size(1), ids.size(1), dtype=torch.bool, device=ids.device).tril()
        x = x + self.attention(self.norms[0](x), mask=mask, need_weights=False)[0]
        tokens = self.norms[1](x).flatten(0, 1)
        scores = self.router(tokens)
        x = x + self.mixture(tokens, self.gates(scores, self.chosen, self.bias), list(self.experts)).view_as(
            x
        )
        return self.head(self.norms[2](x)), scores


class Crowd(NamedTuple):
    """How a mixture's training went: the share of tokens of each expert, and the loss at its end."""

    shares: list[list[float]]
    loss: float


def crowded(gates: Callable, mixture: Callable, balance_loss: Callable, chosen: int = 2) -> dict[str, Crowd]:
    """Train a mixture for a short while: as it comes, with the balance loss, with biases; one seed."""
    ways = {"nothing": (0.0, 0.0), "the balance loss": (LOSS_WEIGHT, 0.0), "biases": (0.0, BIAS_STEP)}
    steps = training.steps(ROUTED_STEPS)
    found = {}
    for name, way in ways.items():
        torch.manual_seed(0)
        model = Routed(gates, mixture, chosen)
        shares, losses = _learn_to_route(model, balance_loss, *way, steps)
        found[name] = Crowd(shares, sum(losses[-10:]) / len(losses[-10:]))
    return found


@training.on_device
def _learn_to_route(
    model: Routed, balance_loss: Callable, weight: float, bias_step: float, steps: int
) -> tuple[list[list[float]], list[float]]:
    """Each expert's share of the tokens, and the loss, at each step."""

    def step(model: Any, now: torch.Tensor, then: torch.Tensor) -> tuple[torch.Tensor, ...]:
        logits, scores = model(now)
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), then.flatten())
        counts = model.gates(scores.detach(), model.chosen, model.bias).count_nonzero(dim=0)
        return loss, loss + weight * balance_loss(scores, model.chosen), counts / counts.sum()

    optimizer, losses_of = torch.optim.AdamW(model.parameters(), lr=1e-2), training.beside(step)
    shares, losses = [], []
    for now, then in of_the_block.batches(steps, BATCH, seed=0):
        training.unless_stopped()
        loss, both, share = losses_of(model, now, then)
        optimizer.zero_grad()
        both.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        model.bias += bias_step * (share.mean() - share).sign()
        shares.append(share.tolist())
        losses.append(loss.item())
    return shares, losses


# -- drafts by a small model ---------------------------------------------------------------------------------


@functools.cache
def bigram() -> torch.Tensor:
    """Which word follows which, (V, V): counted in 3,000 reviews, and 0.01 for each that was never seen."""
    V = len(corpora.vocabulary())
    counts = torch.full((V, V), 0.01)
    for review in corpora.reviews(3_000, seed=6):
        ids = torch.tensor([corpora.BOS, *corpora.vocabulary().encode(review.text), corpora.EOS])
        counts.index_put_((ids[:-1], ids[1:]), torch.ones(len(ids) - 1), accumulate=True)
    return counts / counts.sum(dim=-1, keepdim=True)


class Written(NamedTuple):
    """What was written, how often the large model was called, how many tokens were drafted, and kept."""

    ids: list[int]
    calls: int
    drafted: int
    kept: int


@torch.no_grad()
def speculate(
    model: nn.Module, accepted: Callable, adjusted: Callable, drafts: int, seed: int, longest: int = 90
) -> Written:
    """Write a review: a table of pairs drafts, the model judges; `drafts` 0 is the model alone."""
    generator, table = torch.Generator().manual_seed(seed), bigram()
    ids = corpora.vocabulary().batch([OPENING], eos=False)[0].tolist()
    calls = drafted = stayed = 0
    while len(ids) < longest and ids[-1] != corpora.EOS:
        draft = list(ids)
        for _ in range(min(drafts, longest - len(ids))):
            draft.append(_drawn(table[draft[-1]], generator))
        new = torch.tensor(draft[len(ids) :], dtype=torch.long)
        target = model(torch.tensor([draft]))[0, len(ids) - 1 :].softmax(dim=-1)  # (K + 1, V)
        small = table[torch.tensor(draft[len(ids) - 1 :])]
        kept = int(accepted(target[:-1], small[:-1], new, torch.rand(len(new), generator=generator)))
        last = target[kept] if kept == len(new) else adjusted(target[kept], small[kept])
        ids += [*new[:kept].tolist(), _drawn(last, generator)]
        if corpora.EOS in ids:
            ids = ids[: ids.index(corpora.EOS) + 1]
        calls, drafted, stayed = calls + 1, drafted + len(new), stayed + kept
    return Written(ids, calls, drafted, stayed)


@torch.no_grad()
def next_words(model: nn.Module, text: str) -> tuple[torch.Tensor, torch.Tensor]:
    """What comes after a text: the model's probabilities, and those of the table of pairs, (V,) each."""
    ids = corpora.vocabulary().batch([text], eos=False)
    return model(ids)[0, -1].softmax(dim=-1), bigram()[ids[0, -1]]


def drawn_by_drafts(
    target: torch.Tensor, draft: torch.Tensor, accepted: Callable, adjusted: Callable, times: int, seed: int
) -> torch.Tensor:
    """How often each token comes of one draft, judged, in so many trials: shares, (V,)."""
    generator = torch.Generator().manual_seed(seed)
    counts = torch.zeros(len(target))
    instead = None
    for _ in range(times):
        token = _drawn(draft, generator)
        chance = torch.rand(1, generator=generator)
        if not accepted(target[None], draft[None], torch.tensor([token]), chance):
            instead = adjusted(target, draft) if instead is None else instead
            token = _drawn(instead, generator)
        counts[token] += 1
    return counts / times


def _drawn(probabilities: torch.Tensor, generator: torch.Generator) -> int:
    return int(torch.multinomial(probabilities, 1, generator=generator))
