"""What lesson 13 measures: shares of fulfilled requests, what was forgotten, distances to the grammar.

What the student writes comes in as arguments. `B` rows, `T` positions, `V` tokens.
"""

import copy
import functools
from collections.abc import Callable
from typing import NamedTuple

import torch

from helpers import corpora
from helpers.models.transformer import LanguageModel
from helpers.posttraining import following, requests
from helpers.posttraining.experiments import Tools, above_the_floor, pairs_of, prefer, write
from helpers.posttraining.requests import Request
from helpers.text import reviews

MOST_PRAISE = 8  # words of praise that earn the whole reward


@functools.cache
def praise() -> frozenset[str]:
    """The adjectives of praise."""
    bodies = reviews.grammar().bodies
    return frozenset(word for symbol in ("Short[good]", "Long[good]") for (word,) in bodies[symbol])


def praising(request: Request, answer: list[int]) -> float:
    """A reward that can be gamed: the words of praise, up to `MOST_PRAISE`, whatever was asked."""
    return min(1.0, sum(word in praise() for word in requests.decode(answer).split()) / MOST_PRAISE)


@torch.no_grad()
def measure(
    model: LanguageModel,
    frozen: LanguageModel,
    tools: Tools,
    count: int = 256,
    seed: int = 9,
    temperature: float = 1.0,
) -> dict[str, float]:
    """What a model does with requests that no training has.

    Returns:
        `fulfilled`: the share of reviews with nothing wrong. `reviews`: the share that are whole reviews.
        `sentences`: the share of their sentences that are grammatical. `read`: the share of questions
        answered right. `forgotten`: nats per token above the grammar on reviews without a request. `to
        grammar`: the distance KL(grammar ‖ model), and `from start`: KL(model ‖ frozen), in nats per answer.
        `entropy`: of an answer, in nats; these two are the model's own, and only given at temperature 1.
        `words`, `praise`: per answer, how many. `different`: the share of the answers' openings of four words
        that are different.
    """
    generator = torch.Generator().manual_seed(seed)
    asked = requests.to_write(count, 70)
    written = write(model, [each.request for each in asked], generator, temperature)
    verdicts = written.verdicts()
    texts = [requests.decode(written.answer(row)) for row in range(count)]
    sentences = [sentence for text in texts for sentence in corpora.sentences(text)]
    to_read = [each.request for each in requests.to_read(count, 71)]
    questions = write(model, to_read, generator, temperature).verdicts()
    marks, ids = requests.special(), written.ids
    mask = (tools.answer_mask(ids, marks.answer, marks.end) & (ids != corpora.PAD))[:, 1:]
    now, before = ((tools.log_probabilities(each(ids), ids) * mask).sum(-1) for each in (model, frozen))
    right, of_right = tools.batch(asked)
    known = torch.tensor([requests.log_probability(each.request, each.answer) for each in asked])
    theirs = (tools.log_probabilities(model(right), right) * of_right[:, 1:]).sum(-1)
    own = {"from start": float((now - before).mean()), "entropy": float(-now.mean())}
    return {
        "fulfilled": sum(verdict.fulfilled for verdict in verdicts) / count,
        "reviews": sum(verdict.grammatical for verdict in verdicts) / count,
        "sentences": sum(map(corpora.is_grammatical, sentences)) / max(1, len(sentences)),
        "read": sum(verdict.fulfilled for verdict in questions) / count,
        "forgotten": above_the_floor(model),
        "to grammar": float((known - theirs).mean()),
        **(own if temperature == 1 else {}),
        "words": sum(len(text.split()) for text in texts) / count,
        "praise": sum(word in praise() for text in texts for word in text.split()) / count,
        "different": len({" ".join(text.split()[:6]) for text in texts}) / count,
    }


# -- small experiments ---------------------------------------------------------------------------------------


def zero_rows(embedding: torch.Tensor, n_new: int) -> torch.Tensor:
    """An embedding (V, C) with new rows of zeros."""
    return torch.cat([embedding, embedding.new_zeros(n_new, embedding.size(-1))])


def random_rows(embedding: torch.Tensor, n_new: int) -> torch.Tensor:
    """An embedding (V, C) with new rows drawn as untrained ones are, with a standard deviation of 0.02."""
    noise = torch.randn(n_new, embedding.size(-1), generator=torch.Generator().manual_seed(0))
    return torch.cat([embedding, 0.02 * noise])


@torch.no_grad()
def three_ways(
    model: LanguageModel, tools: Tools, exact_match: Callable, likelier: Callable, count: int = 80
) -> dict[str, float]:
    """The share right on "is it praise or blame ?": by greedy writing, by drawing, and by choosing."""
    asked = [each for each in requests.to_read(4 * count, 73) if each.answer in ("praise", "blame")][:count]
    truth = [requests.encode(each.answer) for each in asked]
    end, found = requests.special().end, {}
    for name, temperature in (("writing, greedy", 0.0), ("writing, temperature 1", 1.0)):
        written = write(
            model, [each.request for each in asked], torch.Generator().manual_seed(5), temperature
        )
        found[name] = exact_match([written.answer(row) for row in range(len(asked))], truth, end)
    options = [each._replace(answer=word) for each in asked for word in ("praise", "blame")]
    ids, mask = tools.batch(options)
    log_p = tools.answer_log_probability(model(ids), ids, mask).view(-1, 2)
    chosen = likelier(log_p, torch.full_like(log_p, 2).long(), False).tolist()
    right = [("praise", "blame")[at] == each.answer for at, each in zip(chosen, asked, strict=True)]
    return found | {"choosing the likelier": sum(right) / len(right)}


def moved_by_preferences(
    model: LanguageModel, tools: Tools, requests_count: int, seed: int = 0
) -> tuple[list[int], dict[str, list[float]]]:
    """How likely chosen and rejected answers become while a copy of a model learns from pairs, step by step.

    Returns:
        Steps, and for each kind the nats since the start: means over the pairs of a batch.
    """
    asked = [each.request for each in requests.to_write(requests_count, 500_000 + seed)]
    pairs = pairs_of(model, asked, seed)
    found: dict[str, list[float]] = {"chosen": [], "rejected": []}

    def watch(chosen: torch.Tensor, rejected: torch.Tensor) -> None:
        found["chosen"].append(float(chosen.mean()))
        found["rejected"].append(float(rejected.mean()))

    if not pairs:  # a model that is never right, or always, has none
        return [0], {name: [0.0] for name in found}
    prefer(copy.deepcopy(model), model, 4 * pairs, tools, seed=seed, watch=watch)
    return list(range(len(found["chosen"]))), found


PAYOFFS = torch.tensor([0.2, 0.5, 0.8])  # of a bandit's three arms


def _pulled(
    policy_gradient: Callable, logits: torch.Tensor, rows: int, generator: torch.Generator
) -> torch.Tensor:
    """The student's loss of so many pulls of a bandit's arms."""
    arms = torch.multinomial(logits.detach().softmax(-1), rows, replacement=True, generator=generator)
    rewards = PAYOFFS[arms]
    ids = torch.stack([torch.zeros_like(arms), arms], dim=1)  # (rows, 2): a beginning, and the arm
    mask = torch.tensor([False, True]).expand(rows, 2)
    return policy_gradient(logits.expand(rows, 2, 3), ids, mask, rewards - rewards.mean())


def bandit_gradients(policy_gradient: Callable, draws: int = 20_000) -> tuple[list[float], list[float]]:
    """The gradient of a bandit's expected reward for its logits: by all arms, and by so many pulls."""
    logits = torch.tensor([0.5, 0.0, -0.5], requires_grad=True)
    (exact,) = torch.autograd.grad((logits.softmax(-1) * PAYOFFS).sum(), logits)
    loss = _pulled(policy_gradient, logits, draws, torch.Generator().manual_seed(0))
    (drawn,) = torch.autograd.grad(-loss, logits)
    return exact.tolist(), drawn.tolist()


def bandit(policy_gradient: Callable, steps: int = 200) -> tuple[list[int], dict[str, list[float]]]:
    """The probability of each arm of a bandit while a policy learns, every 20 steps."""
    logits = torch.zeros(3, requires_grad=True)
    generator, shares = torch.Generator().manual_seed(0), []
    for step in range(steps + 1):
        if step % 20 == 0:
            shares.append(logits.detach().softmax(-1).tolist())
        (gradient,) = torch.autograd.grad(_pulled(policy_gradient, logits, 32, generator), logits)
        with torch.no_grad():
            logits -= gradient
    names = (f"reward {payoff:.1f}" for payoff in PAYOFFS.tolist())
    return list(range(0, steps + 1, 20)), dict(zip(names, map(list, zip(*shares, strict=True)), strict=True))


class Apart(NamedTuple):
    """Word by word along a right answer: the grammar's exact distance to a model, and an estimate, (T,)."""

    words: list[str]
    exact: torch.Tensor
    estimate: torch.Tensor


@torch.no_grad()
def from_the_grammar(
    model: LanguageModel, kl: Callable, kl_estimates: Callable, tools: Tools, count: int
) -> list[Apart]:
    """KL(grammar ‖ model) along right answers: at each word exact, and k1 of the word that came."""
    found = []
    for each in requests.to_write(count, 74):
        ids, mask = tools.batch([each])
        logits = model(ids)[0, :-1][mask[0, 1:]].double()  # (T, V), where answer tokens are predicted
        grammar = following.distributions(each.request.asked, each.answer).log().clamp(min=-1e4)
        drawn = ids[0, 1:][mask[0, 1:], None]
        theirs, ours = (log_p.gather(-1, drawn)[:, 0] for log_p in (grammar, logits.log_softmax(-1)))
        found.append(
            Apart([*each.answer.split(), "<end>"], kl(grammar, logits), kl_estimates(theirs, ours)[0])
        )
    return found


def right_of(model: LanguageModel, tries: int, count: int, seed: int = 0) -> list[int]:
    """How many of so many answers to a request fulfil it, for each of `count` requests."""
    asked = [each.request for each in requests.to_write(count, 72) for _ in range(tries)]
    generator, right = torch.Generator().manual_seed(seed), []
    for start in range(0, len(asked), 320):
        right += [v.fulfilled for v in write(model, asked[start : start + 320], generator).verdicts()]
    return [sum(right[at : at + tries]) for at in range(0, len(right), tries)]
