"""The experiments of lesson 06: stacks of many depths with parts left out, and a model that learns to speak.

What the student writes comes in as arguments. `B` sequences, `T` positions, `C` channels, `V` vocabulary.
"""

import copy
import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import torch
from torch import nn

from helpers import corpora, kept, training
from helpers.multihead import MultiHeadAttention
from helpers.timing import clock
from helpers.training.muon import CombinedOptimizer, Muon, matrices_and_rest

DEPTHS = (2, 6, 12)
SEEDS = (0, 1, 2)
WIDTH, HEADS, LENGTH, BATCH, STEPS = 32, 2, 24, 8, 50  # of the small stacks
RATE = 0.01
KINDS = {
    "residual and norm": (True, True),
    "residual alone": (True, False),
    "norm alone": (False, True),
    "neither": (False, False),
}
MODEL_STEPS, MODEL_BATCH = 1_200, 16  # about a minute on two cores
PEAK, MATRIX_PEAK = 3e-3, 0.02  # learning rates of AdamW and of Muon
ATTENTION = "multihead.module"  # the exercise of lesson 2 that asks for it
SLOWEST = 3.0  # times as slow as with the course's attention: beyond that, a minute gets long
KEPT = "block"  # the name under which the lesson's model is kept


# -- stacks with parts left out ------------------------------------------------------------------------------


class Stack(nn.Module):
    """A small language model of many blocks, with or without residual path and norms.

    Args:
        depth: blocks.
        residual: False replaces x where a block would add to it.
        norm: False lets sublayers read x as it is.
        add_sublayer: the student's.
        seed: of the weights.
    """

    def __init__(self, depth: int, residual: bool, norm: bool, add_sublayer: Callable, seed: int) -> None:
        super().__init__()
        torch.manual_seed(seed)
        self.residual, self.norm, self.add_sublayer = residual, norm, add_sublayer
        V = len(corpora.vocabulary())
        self.words, self.places = nn.Embedding(V, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.attentions = nn.ModuleList(MultiHeadAttention(WIDTH, HEADS) for _ in range(depth))
        self.networks = nn.ModuleList(
            nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))
            for _ in range(depth)
        )
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(2 * depth))
        self.head = nn.Linear(WIDTH, V)
        self.register_buffer("mask", torch.ones(LENGTH, LENGTH, dtype=torch.bool).tril())

    def forward(self, ids: torch.Tensor, states: list[torch.Tensor] | None = None) -> torch.Tensor:
        """Logits (B, T, V) of tokens (B, T); `states` gets the path in front of each block."""
        x = self.words(ids) + self.places.weight[: ids.size(-1)]
        norms = iter(self.norms)
        mask = self.mask[: ids.size(-1), : ids.size(-1)]  # type: ignore[index]  # a buffer is a tensor
        for attention, network in zip(self.attentions, self.networks, strict=True):
            if states is not None:
                x = x.clone().requires_grad_() if not states else x
                x.retain_grad()
                states.append(x)
            x = self._step(x, lambda y, a=attention: a(y, mask=mask, need_weights=False)[0], next(norms))
            x = self._step(x, network, next(norms))
        return self.head(x)

    def _step(self, x: torch.Tensor, sublayer: Callable, norm: Callable) -> torch.Tensor:
        added = self.add_sublayer(x, sublayer, norm if self.norm else nn.Identity())
        return added if self.residual else added - x


class Learned(NamedTuple):
    """How a stack ended: its kind, its depth, the seed, and its loss in nats per token."""

    kind: str
    depth: int
    seed: int
    loss: float


def depths(add_sublayer: Callable, steps: int = STEPS) -> list[Learned]:
    """Train stacks of each kind and depth on book reviews for a few steps, with three seeds each."""
    add_sublayer(torch.zeros(1, 1, WIDTH), nn.Identity(), nn.Identity())  # is it written?
    ids = _windows()
    jobs = [
        (kind, depth, seed, Stack(depth, *KINDS[kind], add_sublayer, seed))
        for kind in KINDS
        for depth in DEPTHS
        for seed in SEEDS
    ]

    def learn(job: tuple[str, int, int, Stack]) -> float:
        losses = _learn(job[-1], ids, training.steps(steps), job[2])
        return sum(losses[-10:]) / len(losses[-10:])

    def mark(job: tuple[str, int, int, Stack]) -> str:
        *named, stack = job
        loss = loss_of(stack, ids[:2, :8], ids[:2, 1:9])
        return f"{named} {training.steps(steps)} {training.behaviour(loss, stack)}"

    found = training.each(learn, jobs, "Stacks", keep="stacks", mark=mark)
    return [Learned(*job[:3], loss) for job, loss in zip(jobs, found, strict=True)]


@training.on_device
def _learn(stack: Stack, ids: torch.Tensor, steps: int, seed: int) -> list[float]:
    """The loss at each step."""
    optimizer = torch.optim.AdamW(stack.parameters(), lr=RATE)
    generator, loss_of_rows = torch.Generator().manual_seed(seed), training.beside(loss_of)
    losses = []
    for _ in range(steps):
        training.unless_stopped()
        rows = ids[torch.randint(len(ids), (BATCH,), generator=generator)]
        loss = loss_of_rows(stack, rows[:, :-1], rows[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(stack.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses


def gradient_sizes(add_sublayer: Callable, depth: int = 12) -> dict[str, list[float]]:
    """By kind: the length of the loss's gradient in front of each block, before any training.

    A geometric mean over three seeds, relative to that in front of the last block.
    """
    found = {}
    ids = _windows()[:BATCH]
    for kind, parts in KINDS.items():
        logs = torch.zeros(depth)
        for seed in SEEDS:
            states: list[torch.Tensor] = []
            stack = Stack(depth, *parts, add_sublayer, seed)
            _loss(stack(ids[:, :-1], states), ids[:, 1:]).backward()
            sizes = torch.stack([state.grad.norm() for state in states if state.grad is not None])
            logs += (sizes / sizes[-1]).clamp(min=1e-30).log10() / len(SEEDS)
        found[kind] = (10**logs).tolist()
    return found


def alikeness(x: torch.Tensor, layers: Sequence[Callable], residual: bool) -> list[float]:
    """How alike the positions become: the mean cosine between two, before and after each layer.

    Args:
        x: (B, T, C).
        layers: from (B, T, C) to (B, T, C).
        residual: whether each layer's output is added to what it read.
    """
    found = []
    with torch.no_grad():
        for layer in (None, *layers):
            if layer is not None:
                x = x + layer(x) if residual else layer(x)
            unit = nn.functional.normalize(x, dim=-1)
            T = x.size(-2)
            cosines = (unit @ unit.mT).sum(dim=(-2, -1)) - T
            found.append(float(cosines.mean() / (T * (T - 1))))
    return found


def loss_of_frequencies() -> float:
    """The loss of a guess that knows how often each word occurs and nothing else, in nats per token."""
    counts = torch.bincount(_windows().flatten()).double()
    return float(torch.special.entr(counts / counts.sum()).sum())


def _windows() -> torch.Tensor:
    """Pieces of book reviews, LENGTH + 1 tokens each, (N, LENGTH + 1)."""
    vocabulary = corpora.vocabulary()
    ids = vocabulary.encode(" ".join(review.text for review in corpora.reviews(300, seed=5)))
    return torch.tensor(ids[: len(ids) // (LENGTH + 1) * (LENGTH + 1)]).view(-1, LENGTH + 1)


def _loss(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    return nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=corpora.PAD)


# -- the same numbers as others ------------------------------------------------------------------------------


def as_encoder_layer(state: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """A block's parameters under the names of torch's TransformerEncoderLayer."""
    names = {
        "feed_forward.W_up": "linear1",
        "feed_forward.W_down": "linear2",
        "norm_1": "norm1",
        "norm_2": "norm2",
    }
    names["attention.W_o"] = "self_attn.out_proj"
    found = {}
    for end in ("weight", "bias"):
        packed = [state[f"attention.W_{name}.{end}"] for name in "qkv"]
        found[f"self_attn.in_proj_{end}"] = torch.cat(packed)
        found |= {f"{theirs}.{end}": state[f"{ours}.{end}"] for ours, theirs in names.items()}
    return found


def small_gpt2(vocabulary: int, d_model: int, n_heads: int, n_layers: int, positions: int) -> nn.Module:
    """A GPT-2 of `transformers` with large random weights and the exact GELU, ready to be asked."""
    import transformers

    config = transformers.GPT2Config(
        vocab_size=vocabulary, n_embd=d_model, n_head=n_heads, n_layer=n_layers, n_positions=positions,
        activation_function="gelu", bos_token_id=0, eos_token_id=0,
    )  # fmt: skip
    torch.manual_seed(0)
    model = transformers.GPT2LMHeadModel(config).eval()
    for weight in model.parameters():
        nn.init.normal_(weight, std=0.3)
    return model


# -- a model that learns to speak ----------------------------------------------------------------------------


def loss_of(model: nn.Module, inputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """The mean loss of a batch (B, T), in nats per token; a target of -100 doesn't count."""
    return nn.functional.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())


def batches(count: int, size: int, seed: int) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Inputs and targets (B, T) of new book reviews, those of about one length together."""
    vocabulary, rng = corpora.vocabulary(), random.Random(seed)
    texts = sorted((r.text for r in corpora.reviews(count * size, seed=2_000 + seed)), key=len)
    groups = [texts[first : first + size] for first in range(0, len(texts), size)]
    rng.shuffle(groups)
    for group in groups:
        ids = vocabulary.batch(group)
        later = ids[:, 1:]
        yield ids[:, :-1], later.where(later != corpora.PAD, -100)


def draw_weights(model: nn.Module, initial_std: Callable, n_layers: int) -> None:
    """Draw all matrices again as `initial_std` says, and set biases to 0."""
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() == 2:
                std = initial_std(name, n_layers)
                weight.normal_(std=std * (math.sqrt(weight.size(-1)) if name.startswith("positions") else 1))
            elif name.endswith("bias"):
                weight.zero_()


def use_your_attention(model: nn.Module) -> nn.Module:
    """Put the student's multi-head attention of lesson 2 into a model, and print whose attention it has.

    The course's stays where theirs isn't kept here, doesn't fit, gives other numbers or is far slower.

    Args:
        model: its weights stay as they are.

    Returns:
        The same model with other modules, or as it was.
    """
    own, why = kept.found(ATTENTION)
    if not why:
        try:
            mine = copy.deepcopy(model)
            for name, part in [*mine.named_modules()]:
                if type(part) is MultiHeadAttention:
                    theirs = own(part.d_model, part.n_heads)
                    theirs.load_state_dict(part.state_dict())
                    mine.set_submodule(name, theirs)
            (numbers, slow), (right, fast) = _tried(mine), _tried(model)
            if not torch.allclose(numbers, right, rtol=1e-3, atol=1e-4):
                why = "in a model it gives other numbers than the course's"
            elif slow > SLOWEST * fast:
                why = f"it makes the model {slow / fast:.0f} times as slow"
        except Exception as error:  # whatever it leans on that isn't there
            why = f"in a model it stops with {type(error).__name__}"
    print(f"attention: the course's ({ATTENTION}: {why})" if why else "attention: yours, of lesson 2")
    return model if why else mine


def _tried(model: nn.Module) -> tuple[torch.Tensor, float]:
    """The loss and the gradients' lengths on a small batch, and the seconds that takes, the best of three."""
    ids, times = torch.arange(8 * 33).reshape(8, 33) % len(corpora.vocabulary()), []
    for _ in range(3):
        begun = clock()
        loss = loss_of(model, ids[:, :-1], ids[:, 1:])
        gradients = torch.autograd.grad(loss, [*model.parameters()])
        times.append(clock() - begun)
    return torch.stack([loss.detach(), *(gradient.norm() for gradient in gradients)]), min(times)


@training.on_device
def train(model: nn.Module, steps: int = MODEL_STEPS) -> training.Live:
    """Train a language model on book reviews, in place, with a live picture; go on after an interrupt."""
    steps = training.steps(steps)
    matrices, rest = matrices_and_rest(model)
    adam = torch.optim.AdamW(rest, lr=PEAK, betas=(0.9, 0.98), weight_decay=0.05, fused=True)
    optimizer = CombinedOptimizer(Muon(matrices, lr=MATRIX_PEAK), adam)
    drawn, spread = batches(steps, MODEL_BATCH, seed=0), training.on_all_cores(loss_of)
    unseen = next(batches(1, 60, seed=1))
    limits = {"entropy": corpora.entropy_per_token()}
    keep = training.Checkpoint(KEPT, model=model, optimizer=optimizer)
    live = training.Live(steps, "nats per token", limits, "Learning to speak", keep=keep, data=drawn)
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
            live.write(speak(model, "i read this", seed=step))
    return live


def needs(model: nn.Module | None) -> None:
    """Do nothing if there is a model.

    Raises:
        NotImplementedError: there is none yet.
    """
    if model is None:
        raise NotImplementedError


def speak(model: nn.Module, opening: str, seed: int, longest: int = 60) -> str:
    """Go on with an opening by words of at least 2 %, drawn by their probabilities; else by the likeliest."""
    vocabulary, generator = corpora.vocabulary(), torch.Generator().manual_seed(seed)
    ids, place = vocabulary.batch([opening], eos=False), next(model.parameters()).device
    with torch.no_grad():
        while ids.size(1) < longest and ids[0, -1] != corpora.EOS:
            p = model(ids.to(place))[0, -1].softmax(dim=-1).to("cpu")
            p = p.where(p >= p.max().clamp(max=0.02), 0.0)
            ids = torch.cat([ids, torch.multinomial(p, 1, generator=generator)[None]], dim=1)
    return vocabulary.decode(ids[0].tolist())
