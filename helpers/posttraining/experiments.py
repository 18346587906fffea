"""The experiments of lesson 13: a model that gets new tokens, writes answers, and is measured.

What the student writes comes in as arguments. `B` rows, `T` positions, `G` answers to a request, `V` tokens.
"""

import copy
import dataclasses
import random
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import torch

from helpers import corpora, own, pretraining, training
from helpers.models.transformer import LanguageModel
from helpers.posttraining import requests
from helpers.posttraining.requests import Demonstration, Request, Verdict

DEMONSTRATIONS, EPOCHS, BATCH, RATE = 4_000, 2, 16, 4e-3  # of supervised fine-tuning
REWARDED, RATE_REWARDED, EPSILON = 120, 3e-4, 0.2
Pair = tuple[Demonstration, Demonstration]
LENGTH = 50  # words of an answer, about: what a sum over its tokens is divided by, the same for all


class Answered(NamedTuple):
    """Answers to requests: all tokens (B, T), which of them are prompt, and what was asked."""

    ids: torch.Tensor
    prompts: list[int]
    requests: list[Request]

    def answer(self, row: int) -> list[int]:
        """The tokens after `<answer>`, up to `<end>` or as far as there was room."""
        ids = self.ids[row, self.prompts[row] :].tolist()
        end = requests.special().end
        return ids[: ids.index(end) + 1] if end in ids else ids

    def demonstration(self, row: int) -> Demonstration:
        """A request with what was answered to it."""
        return Demonstration(self.requests[row], requests.decode(self.answer(row)))

    def verdicts(self) -> list[Verdict]:
        """The parser's verdict on each answer."""
        return [requests.judge(self.requests[row], self.answer(row)) for row in range(len(self.requests))]


# -- a model with more tokens --------------------------------------------------------------------------------


def with_new_tokens(model: LanguageModel, grow: Callable[[torch.Tensor, int], torch.Tensor]) -> LanguageModel:
    """A copy of a language model whose tied embedding has rows for the new words and marks.

    Args:
        model: of the reviews' words; it stays as it is.
        grow: grow(embedding, n) gives the embedding n more rows.
    """
    more = len(requests.vocabulary()) - model.config.vocabulary
    grown = LanguageModel(
        dataclasses.replace(model.config, vocabulary=model.config.vocabulary + more), own.parts()[0]
    )
    weights = dict(model.state_dict())
    words = grow(weights["words.weight"], more).detach().clone()
    grown.load_state_dict(weights | {"words.weight": words, "head.weight": words})
    return grown


def above_the_floor(model: LanguageModel, count: int = 100, seed: int = 997) -> float:
    """How many nats per token a model's loss on new reviews is above the grammar's own."""
    texts = [review.text for review in corpora.reviews(count, seed)]
    inputs, targets = pretraining.inputs_and_targets(corpora.vocabulary().batch(texts))
    floor = -sum(map(corpora.log_probability, texts)) / int((targets != -100).sum())
    with torch.no_grad():
        return float(pretraining.language_model_loss(model(inputs), targets)) - floor


# -- writing answers -----------------------------------------------------------------------------------------


def prompt(request: Request) -> list[int]:
    """`<request>`, the request, `<answer>`."""
    marks = requests.special()
    return [marks.request, *requests.encode(request.text), marks.answer]


@torch.no_grad()
def write(
    model: LanguageModel, asked: Sequence[Request], generator: torch.Generator, temperature: float = 1.0
) -> Answered:
    """Answer requests, token by token, until all answers have ended or the model's positions are used up.

    Rows begin together, so none needs padding on its left: where one is still in its prompt, the prompt's
    next token is taken instead of the one that was drawn. Tokens are drawn on the CPU, wherever the model is:
    a GPU would draw others.
    """
    next_logits = training.beside(lambda model, ids, cache: model(ids, cache)[:, -1].to("cpu"))
    prompts, end = [prompt(request) for request in asked], requests.special().end
    lengths = [len(each) for each in prompts]
    known = torch.full((len(asked), max(lengths)), corpora.PAD)
    for row, each in enumerate(prompts):
        known[row, : len(each)] = torch.tensor(each)
    given = torch.arange(known.size(1)) < torch.tensor(lengths)[:, None]
    ids, cache = known[:, : min(lengths)], model.new_cache()
    logits, over = next_logits(model, ids, cache), torch.zeros(len(asked), dtype=torch.bool)
    while ids.size(1) < len(model.positions.weight) and not over.all():
        new = _drawn(logits, generator, temperature).masked_fill(over, corpora.PAD)
        if (at := ids.size(1)) < known.size(1):
            new = torch.where(given[:, at], known[:, at], new)
        over |= (new == end) & torch.tensor([at >= length for length in lengths])
        ids = torch.cat([ids, new[:, None]], dim=1)
        logits = next_logits(model, new[:, None], cache)
    return Answered(ids, lengths, list(asked))


def _drawn(logits: torch.Tensor, generator: torch.Generator, temperature: float) -> torch.Tensor:
    if temperature == 0:
        return logits.argmax(dim=-1)
    return torch.multinomial((logits / temperature).softmax(dim=-1), 1, generator=generator)[:, 0]


# -- training ------------------------------------------------------------------------------------------------


def _not_written(*_: object) -> object:
    """What stands for an exercise that isn't written yet.

    Raises:
        NotImplementedError: always; `showing.waiting_for` turns this into a kind message.
    """
    raise NotImplementedError


class Tools(NamedTuple):
    """What the lesson's exercises ask for, as the trainings use it."""

    template: Callable = _not_written
    answer_mask: Callable = _not_written
    pad: Callable = _not_written
    log_probabilities: Callable = _not_written
    sft_loss: Callable = _not_written
    answer_log_probability: Callable = _not_written
    dpo_loss: Callable = _not_written
    reward: Callable = _not_written
    advantages: Callable = _not_written
    clipped: Callable = _not_written
    kl_estimates: Callable = _not_written

    def batch(self, demonstrations: Sequence[Demonstration]) -> tuple[torch.Tensor, torch.Tensor]:
        """Requests with their answers as one tensor, and which tokens are the answers', (B, T) each."""
        marks = requests.special()
        rows = [
            self.template(each.request.text, each.answer, marks, requests.encode) for each in demonstrations
        ]
        ids, real = self.pad(rows, corpora.PAD)
        return ids, self.answer_mask(ids, marks.answer, marks.end) & real


class Setting(NamedTuple):
    """How a policy is trained on rewards.

    Attributes:
        steps: how often answers are drawn.
        updates: how many the optimizer makes with each draw; from the second on, the answers are those of an
            older policy.
        rate: the learning rate.
        beta: how much the distance to the frozen model counts.
        reward: reward(request, answer), where it isn't the parser's.
        requests, group: how many requests there are in a step, and how many answers to each.
        divide: whether advantages are divided by their spread.
    """

    steps: int
    updates: int = 1
    rate: float = RATE_REWARDED
    beta: float = 0.0
    reward: Callable[[Request, list[int]], float] | None = None
    requests: int = 8
    group: int = 8
    divide: bool = False


@training.on_device
def supervise(
    model: LanguageModel,
    demonstrations: Sequence[Demonstration],
    tools: Tools,
    *,
    masked: bool = True,
    seed: int = 0,
    keep: str = "",
) -> training.Live:
    """Fine-tune on demonstrations, in place, each read `EPOCHS` times. Returns the live picture.

    Args:
        model: with the new tokens.
        demonstrations: requests with their answers.
        tools: the student's.
        masked: whether only the answers count in the loss.
        seed: of the order.
        keep: the name under which an interrupted run is kept; "" keeps none.
    """
    steps = training.steps(EPOCHS * len(demonstrations) // BATCH)
    optimizer = _adam(model, RATE)
    drawn = _batches(demonstrations, seed)
    point = training.Checkpoint(keep, model=model, optimizer=optimizer) if keep else None
    live = training.Live(steps, "nats per token", title="Supervised fine-tuning", keep=point, data=drawn)
    new = to_measure(16)
    loss_of = training.beside(lambda model, ids, mask: tools.sft_loss(model(ids), ids, mask))
    for step in live:
        _set_rate(optimizer, pretraining.learning_rate(step, steps + 1, min(20, steps), RATE))
        ids, mask = tools.batch(next(drawn))
        loss = loss_of(model, ids, mask if masked else ids != corpora.PAD)
        _step(model, optimizer, loss)
        live.add(training=loss.detach())
        if step % max(1, steps // 8) == 0:
            with torch.no_grad():
                live.add(held_out=loss_of(model, *tools.batch(new)))
    return live


@training.on_device
def prefer(
    model: LanguageModel,
    frozen: LanguageModel,
    pairs: Sequence[Pair],
    tools: Tools,
    *,
    beta: float = 0.1,
    rate: float = RATE_REWARDED,
    seed: int = 0,
    watch: Callable[[torch.Tensor, torch.Tensor], None] | None = None,
) -> training.Live:
    """Train on pairs of answers by DPO, in place, once through: the first of each pair is the better one."""
    rng, size = random.Random(seed), BATCH
    order = rng.sample(list(pairs), len(pairs))
    steps = training.steps(len(order) // size)
    optimizer = _adam(model, rate)
    live = training.Live(steps, "nats", title="Preferences")
    frozen = copy.deepcopy(frozen).to(next(model.parameters()).device)
    halves = training.beside(
        lambda model, *both: tools.answer_log_probability(model(both[0]), *both).chunk(2)
    )
    for step in live:
        _set_rate(optimizer, rate * min(1.0, step / 10))
        part = order[(step - 1) * size : step * size]
        both = [better for better, _ in part] + [worse for _, worse in part]
        ids, mask = tools.batch(both)
        with torch.no_grad():
            before = halves(frozen, ids, mask)
        now = halves(model, ids, mask)
        if watch:
            watch((now[0] - before[0]).detach(), (now[1] - before[1]).detach())
        loss = tools.dpo_loss(*now, *before, beta)
        _step(model, optimizer, loss)
        live.add(loss=loss.detach())
    return live


def pairs_of(model: LanguageModel, asked: Sequence[Request], seed: int) -> list[Pair]:
    """Pairs of a model's own answers, the better first.

    Each request gets four answers. Where the parser takes one and refuses another, one each makes a pair. An
    answer without an end is in none, since a demonstration has one.
    """
    generator, found = torch.Generator().manual_seed(seed), []
    for start in range(0, len(asked), 32):
        part = [request for request in asked[start : start + 32] for _ in range(4)]
        written = write(model, part, generator)
        verdicts = written.verdicts()
        for first in range(0, len(part), 4):
            ended = [row for row in range(first, first + 4) if verdicts[row].ended]
            best = [row for row in ended if verdicts[row].fulfilled]
            worst = [row for row in ended if not verdicts[row].fulfilled]
            if best and worst:
                found.append((written.demonstration(best[0]), written.demonstration(worst[0])))
    return found


def rewards_of(written: Answered, tools: Tools, other: Callable | None = None) -> list[float]:
    """The reward of each answer: the parser's, or another one."""
    end, rows = requests.special().end, enumerate(written.requests)
    if other:
        return [other(request, written.answer(row)) for row, request in rows]
    return [
        tools.reward(written.answer(row), request.asked, requests.reader(request), end)
        for row, request in rows
    ]


@training.on_device
def reinforce(
    model: LanguageModel,
    frozen: LanguageModel,
    tools: Tools,
    setting: Setting,
    *,
    seed: int = 0,
    keep: str = "",
) -> training.Live:
    """Train on rewards of the model's own answers, in place. Returns the live picture.

    Each step draws a group of answers to each of a few new requests for reviews, and makes a few updates with
    them, on the clipped objective. `clipped`: the share of tokens at which it clips, after the first update.
    """
    steps = training.steps(setting.steps)
    asked = [each.request for each in requests.to_write(steps * setting.requests, 300_000 + seed)]
    optimizer, generator = _adam(model, setting.rate), torch.Generator().manual_seed(seed)
    chunks = (asked[at : at + setting.requests] for at in range(0, len(asked), setting.requests))
    chance = training.Chance(generator)
    point = training.Checkpoint(keep, model=model, optimizer=optimizer, chance=chance) if keep else None
    apart = {"words": "words per answer"} | ({"clipped": "share of tokens"} if setting.updates > 1 else {})
    live = training.Live(steps, "reward", title="Rewards", apart=apart, keep=point, data=chunks)
    marks, frozen = requests.special(), copy.deepcopy(frozen).to(next(model.parameters()).device)
    for step in live:
        group = [request for request in next(chunks) for _ in range(setting.group)]
        written = write(model, group, generator)
        rewards = torch.tensor(rewards_of(written, tools, setting.reward))
        better = tools.advantages(rewards.view(-1, setting.group), setting.divide).flatten()
        ids = written.ids
        mask = (tools.answer_mask(ids, marks.answer, marks.end) & (ids != corpora.PAD))[:, 1:]
        old, held = None, []
        for update in range((step - 1) * setting.updates + 1, step * setting.updates + 1):
            _set_rate(optimizer, setting.rate * min(1.0, update / 10))
            objective, old, share = _objective(
                model, ids, mask, better, old, frozen=frozen, tools=tools, beta=setting.beta
            )
            _step(model, optimizer, -objective)
            held.append(float(share))
        live.add(reward=rewards.mean(), words=mask.sum() / len(ids))
        if setting.updates > 1:
            live.add(clipped=sum(held[1:]) / len(held[1:]))
    return live


@training.beside
def _objective(
    model: torch.nn.Module,
    ids: torch.Tensor,
    mask: torch.Tensor,
    advantages: torch.Tensor,
    old: torch.Tensor | None,
    *,
    frozen: LanguageModel,
    tools: Tools,
    beta: float,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The clipped objective of answers (B, T), less the KL penalty; the mask is (B, T - 1).

    `old` are the log-probabilities of the policy that drew them, (B, T - 1), or None if it is this one. They
    come back with the objective, as does the share of tokens at which it is clipped.
    """
    now = tools.log_probabilities(model(ids), ids)
    each = tools.clipped(now, advantages, EPSILON, old)
    old = now.detach() if old is None else old
    beyond = ((now.detach() - old).exp() - 1) * advantages.sign()[:, None] > EPSILON
    if beta:
        with torch.no_grad():
            before = tools.log_probabilities(frozen(ids), ids)
        each = each - beta * tools.kl_estimates(now, before)[2]
    objective = (each * mask).sum() / (len(ids) * LENGTH)
    return objective, old, (beyond & mask).sum() / mask.sum()


def _adam(model: LanguageModel, rate: float) -> torch.optim.AdamW:
    return torch.optim.AdamW(model.parameters(), rate, betas=(0.9, 0.98), weight_decay=0.0)


def _set_rate(optimizer: torch.optim.Optimizer, rate: float) -> None:
    for group in optimizer.param_groups:
        group["lr"] = rate


def _step(model: LanguageModel, optimizer: torch.optim.Optimizer, loss: torch.Tensor) -> None:
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()


def _batches(demonstrations: Sequence[Demonstration], seed: int) -> Iterator[list[Demonstration]]:
    """Batches without end."""
    rng = random.Random(seed)
    while True:
        order = rng.sample(list(demonstrations), len(demonstrations))
        yield from (order[at : at + BATCH] for at in range(0, len(order) - BATCH + 1, BATCH))


def demonstrations(count: int, seed: int = 0) -> list[Demonstration]:
    """Half of them requests for reviews, half questions about reviews."""
    return requests.to_write(count // 2, 100_000 + seed) + requests.to_read(count // 2, 200_000 + seed)


def to_measure(count: int) -> list[Demonstration]:
    """Requests of both kinds that no training has, with right answers."""
    return requests.to_write(count, 70) + requests.to_read(count, 71)
