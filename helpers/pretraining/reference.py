"""Pretraining a language model: what lesson 08 asks for.

`B` batch, `T` positions, `V` vocabulary. Probabilities have V as their last axis.
"""

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol, TypeVar

import torch
from torch import nn

from helpers import corpora, own, training
from helpers.models.transformer import LanguageModel, LanguageModelConfig
from helpers.training.muon import CombinedOptimizer, Muon, matrices_and_rest

Item = TypeVar("Item")

STEPS, WARMUP, BATCH = 2_900, 50, 24  # under two minutes on two cores
PEAK, MATRIX_PEAK, POSITIONS_PEAK = 6e-3, 0.014, 0.03  # learning rates; MATRIX_PEAK is Muon's
NEAR = 32  # batches whose texts are sorted by length together
GAP = "above the grammar"  # of the live picture: how much more the model needs than the grammar itself
KEPT = "reviews"  # the name under which lesson 08 keeps its model, for the lessons after it
KEPT_ELSEWHERE = "reviews_of_the_course"  # that of a model which another lesson trained, as there was none


# -- data, loss, baselines ---------------------------------------------------------------------------------


def inputs_and_targets(ids: torch.Tensor, pad: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """What a language model reads, and what it should predict at each position: the next token.

    Args:
        ids: sequences, `<pad>` at their ends, (B, T + 1).
        pad: the number of `<pad>`.

    Returns:
        Inputs (B, T) and targets (B, T). A target is -100 where the next token is `<pad>`.
    """
    inputs, targets = ids[:, :-1], ids[:, 1:]
    return inputs, targets.masked_fill(targets == pad, -100)


def language_model_loss(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """The mean cross-entropy in nats per token, over the targets that aren't -100.

    Args:
        logits: (B, T, V).
        targets: (B, T).

    Returns:
        A tensor of one number.
    """
    log_p = logits.log_softmax(dim=-1)  # (B, T, V)
    real = targets != -100
    chosen = log_p.gather(-1, targets.masked_fill(~real, 0)[..., None])[..., 0]  # (B, T)
    return -(chosen * real).sum() / real.sum()


def perplexity(losses: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
    """How many equally likely tokens the model hesitates between, on average.

    Args:
        losses: mean losses of some batches, nats per token, (N,).
        counts: how many tokens each is the mean of, (N,).

    Returns:
        A tensor of one number: e to the mean over all tokens.
    """
    return ((losses * counts).sum() / counts.sum()).exp()


def bigram_log_probabilities(
    inputs: torch.Tensor, targets: torch.Tensor, vocabulary: int, alpha: float
) -> torch.Tensor:
    """The table of a language model that looks at one token: log p(next | now).

    Args:
        inputs: (B, T).
        targets: the token after each, (B, T); -100 where there is none.
        vocabulary: V.
        alpha: added to each count, so that no pair has probability 0.

    Returns:
        (V, V), float32: a row for each token now, a column for each next.
    """
    real = targets != -100
    pairs = inputs[real] * vocabulary + targets[real]
    counts = torch.bincount(pairs, minlength=vocabulary**2).view(vocabulary, vocabulary) + alpha
    return (counts / counts.sum(dim=-1, keepdim=True)).float().log()


def ladder(texts: Sequence[str], held_out: torch.Tensor, alpha: float = 0.1) -> dict[str, float]:
    """Held-out losses of models without a Transformer, in nats per token.

    Args:
        texts: to count words and pairs in.
        held_out: a batch, (B, T + 1).
        alpha: added to each count.
    """
    words = corpora.vocabulary()
    V = len(words)
    inputs, targets = inputs_and_targets(words.batch(texts))
    seen, wanted = inputs_and_targets(held_out)
    single = torch.bincount(targets[targets != -100], minlength=V) + alpha
    pairs = bigram_log_probabilities(inputs, targets, V, alpha)
    unigram = (single / single.sum()).log().expand(*wanted.shape, V)
    return {
        "uniform": math.log(V),
        "unigram": float(language_model_loss(unigram, wanted)),
        "bigram": float(language_model_loss(pairs[seen], wanted)),
    }


# -- training ------------------------------------------------------------------------------------------------


def learning_rate(step: int, steps: int, warmup: int, peak: float) -> float:
    """Up in a straight line to the peak at step `warmup`, then down in a straight line to 0 after `steps`.

    Args:
        step: from 1 on.
        steps: the last step.
        warmup: steps until the peak.
        peak: the largest learning rate.
    """
    if step <= warmup:
        return peak * step / warmup
    return peak * (steps - step) / (steps - warmup)


def adamw(
    weight: torch.Tensor,
    gradient: torch.Tensor,
    mean: torch.Tensor,
    square: torch.Tensor,
    step: int,
    lr: float,
    betas: tuple[float, float] = (0.9, 0.999),
    eps: float = 1e-8,
    decay: float = 0.01,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """One step of AdamW for one parameter; those with fewer than two axes don't decay.

    Args:
        weight: the parameter, of any shape.
        gradient: of the loss for it, of the same shape.
        mean: the running mean of its gradients so far, zeros before the first step.
        square: that of their squares.
        step: which step this is, from 1 on.
        lr: learning rate.
        betas: how much of `mean` and of `square` stays at each step.
        eps: keeps the denominator from being 0.
        decay: times lr, the share of the weight that a step takes away.

    Returns:
        The weight, the running mean and the running mean of squares after the step.

    Source: Loshchilov and Hutter 2019, algorithm 2, with the decay times the learning rate, as in torch.
    """
    mean = betas[0] * mean + (1 - betas[0]) * gradient
    square = betas[1] * square + (1 - betas[1]) * gradient**2
    move = mean / (1 - betas[0] ** step) / ((square / (1 - betas[1] ** step)).sqrt() + eps)
    if weight.dim() > 1:
        weight = weight * (1 - lr * decay)
    return weight - lr * move, mean, square


def optimizer_of(model: nn.Module | Sequence[nn.Parameter], peak: float) -> torch.optim.Optimizer:
    """The course's AdamW, for a model's parameters or for these; the learning rate is set at each step."""
    parameters = model.parameters() if isinstance(model, nn.Module) else model
    return torch.optim.AdamW(parameters, lr=peak, betas=(0.9, 0.98), weight_decay=0.05, fused=True)


def training_step(
    model: torch.nn.Module,
    optimizer: "torch.optim.Optimizer | CombinedOptimizer",
    loss: "Callable[..., torch.Tensor]",
    batch: "Sequence[torch.Tensor]",
    max_norm: float = 1.0,
) -> float:
    """One step downhill: the gradients of this batch alone, clipped, then the optimizer's step.

    Args:
        model: changed in place.
        optimizer: of the model's parameters.
        loss: called as loss(model, *batch), gives a tensor of one number.
        batch: tensors (B, ...).
        max_norm: the most that the norm of all gradients, as one vector, may be.

    Returns:
        The loss before the step.
    """
    optimizer.zero_grad()
    value = loss(model, *batch)
    value.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return value.item()


class Batching(Protocol):
    """What makes a batch of texts, such as a `corpora.Vocabulary`."""

    def batch(self, texts: list[str]) -> torch.Tensor:
        """Texts as one tensor of tokens, (B, T)."""


def batches(texts: Sequence[str], size: int, seed: int, vocabulary: Batching) -> Iterator[torch.Tensor]:
    """Endless batches, (B, T + 1), each of texts of about the same length, so that little is padding.

    Args:
        texts: what to draw from; after all have been drawn, it starts over in another order.
        size: B.
        seed: of the order.
        vocabulary: of the texts.
    """
    for group in neighbours(texts, size, seed, lambda text: len(text.split())):
        yield vocabulary.batch(group)


def neighbours(
    items: Sequence[Item], size: int, seed: int, length: Callable[[Item], int]
) -> Iterator[list[Item]]:
    """Endless groups, each of items of about the same length, in random order.

    Args:
        items: what to draw from; after all have been drawn, it starts over in another order.
        size: of a group.
        seed: of the order.
        length: of an item.
    """
    rng, several = random.Random(seed), NEAR * size
    while True:
        order = rng.sample(items, len(items))
        for start in range(0, len(order), several):
            near = sorted(order[start : start + several], key=length)
            groups = [near[first : first + size] for first in range(0, len(near), size)]
            rng.shuffle(groups)
            yield from groups


def loss_of(model: nn.Module, inputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """The language-model loss of a batch, in nats per token."""
    return language_model_loss(model(inputs), targets)


def model_config() -> LanguageModelConfig:
    """The course's language model of book reviews: 0.3 million parameters."""
    return LanguageModelConfig(
        vocabulary=len(corpora.vocabulary()),
        d_model=96,
        n_heads=4,
        n_layers=2,
        positions=100,  # no review is longer
    )


def new_model() -> LanguageModel:
    """That model, untrained, put together of the student's own parts where there are any."""
    return LanguageModel(model_config(), own.parts()[0])


def both_optimizers(model: LanguageModel) -> CombinedOptimizer:
    """Muon for the matrices of a model's blocks, AdamW for all else, of which biases and norms don't decay.

    The model multiplies its words by √C, its positions by nothing, so these need larger steps.
    """
    matrices, rest = matrices_and_rest(model)
    adam = optimizer_of(model.words, PEAK)
    adam.add_param_group({"params": [model.positions.weight], "lr": POSITIONS_PEAK})
    adam.add_param_group({"params": [weight for weight in rest if weight.dim() < 2], "weight_decay": 0.0})
    return CombinedOptimizer(Muon(matrices, lr=MATRIX_PEAK), adam)


@training.on_device
def pretrain(model: LanguageModel, steps: int = STEPS, seed: int = 0) -> training.Live:
    """Train a language model on book reviews, in place, with a live picture, which is returned."""
    vocabulary = corpora.vocabulary()
    texts = [review.text for review in corpora.reviews(steps * BATCH, seed=1_000 + seed)]
    new_texts = [review.text for review in corpora.reviews(100, seed=995)]
    held_out = inputs_and_targets(vocabulary.batch(new_texts))
    floor = -sum(map(corpora.log_probability, new_texts)) / int((held_out[1] != -100).sum())
    drawn = batches(texts, BATCH, seed, vocabulary)
    optimizer = both_optimizers(model)
    spread = training.on_all_cores(loss_of)
    limits, apart = {"entropy": corpora.entropy_per_token()}, {GAP: "per cent"}
    live = training.Live(steps, "nats per token", limits, "Pretraining", apart=apart)
    for step in live:
        optimizer.set_rate(learning_rate(step, steps, WARMUP, 1.0))
        batch = inputs_and_targets(next(drawn))
        live.add(training=training_step(model, optimizer, spread, batch))
        if step % max(1, steps // 8) == 0:
            with torch.no_grad():
                loss = float(spread(model, *held_out))
            live.add(held_out=loss, **{GAP: 100 * (loss / floor - 1)})
    return live


def pretrained(steps: int = STEPS) -> LanguageModel:
    """The model that lesson 08 kept on this computer; else that of an earlier call, or one trained now."""
    torch.manual_seed(0)
    model = new_model()
    if not any(training.recall(name, model, curve=False) for name in (KEPT, KEPT_ELSEWHERE)):
        print("No model of lesson 8 that fits is kept on this computer, so one is trained here.")
        live = pretrain(model, training.steps(steps))
        if training.steps(steps) == STEPS:
            training.keep(KEPT_ELSEWHERE, model, live)
    return model


# -- writing -------------------------------------------------------------------------------------------------


def with_temperature(logits: torch.Tensor, temperature: float) -> torch.Tensor:
    """Probabilities (..., V) of logits (..., V) that were divided by the temperature; 0 is greedy."""
    if temperature == 0:
        return torch.nn.functional.one_hot(logits.argmax(dim=-1), logits.size(-1)).to(logits.dtype)
    return (logits / temperature).softmax(dim=-1)


def top_k(probabilities: torch.Tensor, k: int) -> torch.Tensor:
    """Only the k most probable tokens of each row, their probabilities rescaled to sum to 1.

    Source: Fan et al. 2018, section 5.4.
    """
    best = probabilities.topk(k, dim=-1)
    kept = torch.zeros_like(probabilities).scatter(-1, best.indices, best.values)
    return kept / kept.sum(dim=-1, keepdim=True)


def nucleus(probabilities: torch.Tensor, p: float) -> torch.Tensor:
    """The smallest set of most probable tokens of each row that together reach p, rescaled to sum to 1.

    Source: Holtzman et al. 2020, section 3.1.
    """
    ordered, places = probabilities.sort(dim=-1, descending=True)
    before = ordered.cumsum(dim=-1) - ordered  # the sum of all that are more probable
    kept = torch.zeros_like(probabilities).scatter(-1, places, ordered.masked_fill(before >= p, 0))
    return kept / kept.sum(dim=-1, keepdim=True)


def draw(probabilities: torch.Tensor, uniform: torch.Tensor) -> torch.Tensor:
    """The tokens that uniform random numbers fall on when probabilities are laid end to end.

    Args:
        probabilities: (..., V).
        uniform: from 0 up to but not 1, (...).

    Returns:
        Tokens, integers, (...).
    """
    ends = probabilities.cumsum(dim=-1)
    return (ends <= uniform[..., None] * ends[..., -1:]).sum(dim=-1)


@torch.no_grad()
def generate(
    model: LanguageModel,
    prompts: torch.Tensor,
    generator: torch.Generator,
    rule: Callable[[torch.Tensor], torch.Tensor] = lambda logits: with_temperature(logits, 1.0),
) -> torch.Tensor:
    """Continue texts, token by token, until all have ended or the model's positions are used up.

    Args:
        model: one with a cache, so that each token passes through it once.
        prompts: (B, T), each beginning with `<bos>`.
        generator: of the random numbers.
        rule: turns logits (B, V) into the probabilities to draw from.

    Returns:
        Prompts and continuations, (B, at most the model's positions); ignore a row after its `<eos>`.
    """
    ids, cache = prompts, model.new_cache()
    logits = model(ids, cache)[:, -1]
    while ids.size(-1) < len(model.positions.weight):
        new = draw(rule(logits), torch.rand(len(ids), generator=generator).to(ids.device))[:, None]
        ids = torch.cat([ids, new], dim=-1)
        if (ids == corpora.EOS).any(dim=-1).all():
            break
        logits = model(new, cache)[:, -1]
    return ids


def grammatical_share(texts: Sequence[str]) -> float:
    """The share of sentences that are grammatical, over all texts."""
    parts = [sentence for text in texts for sentence in corpora.sentences(text)]
    return sum(map(corpora.is_grammatical, parts)) / max(1, len(parts))


# -- tokens --------------------------------------------------------------------------------------------------


def count_pairs(words: "Mapping[str, int]") -> dict[str, int]:
    """How often each pair of tokens occurs side by side.

    Args:
        words: how often each word occurs; a word is its tokens with spaces between them, `lo w e r`.

    Returns:
        How often each pair, `lo w`, occurs. Pairs don't reach across words.

    Source: Sennrich, Haddow and Birch 2016, algorithm 1.
    """
    counts: dict[str, int] = {}
    for word, times in words.items():
        tokens = word.split()
        for at in range(len(tokens) - 1):
            pair = f"{tokens[at]} {tokens[at + 1]}"
            counts[pair] = counts.get(pair, 0) + times
    return counts


def merge_pair(word: str, pair: str) -> str:
    """A word in which each place of a pair has become one token, from left to right.

    Args:
        word: its tokens with spaces between them, `l o w e r`.
        pair: two tokens with a space between them, `l o`.

    Returns:
        The word, `lo w e r`.

    Source: Sennrich, Haddow and Birch 2016, algorithm 1.
    """
    tokens, wanted = word.split(), pair.split()
    merged, at = [], 0
    while at < len(tokens):
        found = tokens[at : at + 2] == wanted
        merged.append("".join(wanted) if found else tokens[at])
        at += 2 if found else 1
    return " ".join(merged)


def encode_word(word: str, merges: "Sequence[str]") -> str:
    """The tokens of a word.

    Args:
        word: `lower`.
        merges: pairs in the order in which they were learned: `l o`, `lo w`.

    Returns:
        The word's tokens with spaces between them: `low e r`.

    Source: Sennrich, Haddow and Birch 2016, section 3.2.
    """
    tokens = " ".join(word)
    for pair in merges:
        tokens = merge_pair(tokens, pair)
    return tokens


def decode_bytes(tokens: str) -> str:
    """The text that byte tokens spell.

    Args:
        tokens: with spaces between them, each one byte or several, as two hexadecimal digits: `f09f 9982`.

    Returns:
        The text; what isn't valid UTF-8 becomes U+FFFD.

    Source: Radford et al. 2019, section 2.2.
    """
    return bytes.fromhex(tokens).decode(errors="replace")


# -- sizes and budgets -----------------------------------------------------------------------------------


def best_size(sizes: torch.Tensor, gaps: torch.Tensor) -> float:
    """The size at the bottom of the parabola that fits best, in the logarithms of both.

    Args:
        sizes: models' numbers of weights, (K,), float64, three or more.
        gaps: what each lacks to the entropy, after the same number of operations, (K,), float64.

    Returns:
        The size.

    Source: Hoffmann et al. 2022, section 3.2.
    """
    x, y = sizes.log(), gaps.log()
    u = x - x.mean()
    spread = (u * u).sum()
    skew = (u**3).sum() / spread
    bend = u * u - skew * u - spread / len(u)  # the part of u² that no line makes up
    a, slope = (bend * y).sum() / (bend * bend).sum(), (u * y).sum() / spread
    return float((x.mean() + (skew - slope / a) / 2).exp())


def compute_optimal(budgets: torch.Tensor, best: torch.Tensor, flops: float) -> tuple[float, float]:
    """What to train for another budget: the size on the line through the logarithms, and the tokens left.

    Args:
        budgets: floating-point operations, (K,), float64, two or more.
        best: the best size for each, (K,), float64.
        flops: the budget that is asked for.

    Returns:
        The number of weights, and the number of tokens that it can read: 6 operations for each weight and
        token.

    Source: Kaplan et al. 2020, section 2.1; Hoffmann et al. 2022, section 3.2.
    """
    x, y = budgets.log(), best.log()
    u = x - x.mean()
    slope = float((u * y).sum() / (u * u).sum())
    size = math.exp(float(y.mean()) + slope * (math.log(flops) - float(x.mean())))
    return size, flops / (6 * size)
