"""What imbalance costs."""

import torch
from torch import Generator

from autograder.drawing import pick
from autograder.entry import Entry
from autograder.exercises.modern import shared
from helpers import modern
from helpers.checking.calling.drivers import Case
from helpers.checks import gradient_reaches_inputs, inputs_unchanged

exercise = Entry(
    id="modern.balance",
    title="What imbalance costs",
    points=3,
    difficulty=3,
    minutes=10,
    reference=modern.balance_loss,
    returns=("loss",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
)


@exercise.cases
def balance_cases(g: Generator) -> list[Case]:
    """One expert for each token and more, few tokens and many, nearly everything sent to one."""
    crowded = shared.scores(g, pick(g, 6, 5, 7), 4)
    crowded[:, 1] += 6
    E = pick(g, 3, 2)
    return [
        Case("the best alone", (shared.scores(g, pick(g, 5, 4, 7), pick(g, 3, 6)), 1)),
        Case("several", (shared.scores(g, pick(g, 7, 3, 9), pick(g, 4, 5), spread=1.5), pick(g, 2, 3))),
        Case("crowded", (crowded, 1)),
        Case("one token", (shared.scores(g, 1, pick(g, 4, 3, 7)), 2)),
        Case("all of them", (shared.scores(g, pick(g, 4, 5), E), E)),
        Case("float64", (shared.scores(g, 4, pick(g, 5, 6), dtype=torch.float64), 2)),
    ]


@exercise.alternative
def balance_by_one_hot(logits, k):
    E = logits.size(1)
    chosen = torch.nn.functional.one_hot(logits.topk(k).indices, E).to(logits.dtype)  # (N, k, E)
    share = chosen.mean(dim=(0, 1))
    return E * torch.dot(share, torch.softmax(logits, dim=-1).mean(dim=0))


@exercise.alternative
def balance_by_counting(logits, k):
    E = logits.shape[-1]
    counts = torch.bincount(torch.topk(logits, k, dim=-1)[1].flatten(), minlength=E)
    return (E * (counts / counts.sum()) * logits.softmax(-1).mean(0)).sum()


@exercise.alternative
def balance_expert_by_expert(logits, k):
    best = logits.topk(k, dim=-1).indices
    p = logits.softmax(dim=-1)
    total = 0
    for e in range(logits.size(1)):
        total = total + (best == e).sum() / best.numel() * p[:, e].mean()
    return logits.size(1) * total


exercise.slip(
    "not_times_experts",
    "E * (counts.sum(dim=0) / (N * k) * logits.softmax(dim=-1).mean(dim=0)).sum() → (counts.sum(dim=0) / "
    "(N * k) * logits.softmax(dim=-1).mean(dim=0)).sum()",
).says(
    "The factor E is missing, so a perfect balance would be 1/E: with it, it is 1 for any number of experts."
)
exercise.slip("softmax_over_tokens", "logits.softmax(dim=-1) → logits.softmax(dim=0)").says(
    "The softmax goes over the tokens: each token's probabilities sum to 1 over the experts, the last axis."
)
exercise.slip("counts_as_they_are", " / (N * k) →").says(
    "The tokens are counted and not divided, so a longer text would pay more: take each expert's share of "
    "all N·k places."
)
exercise.slip("shares_of_tokens", " * k →").says(
    "The counts are divided by N, so that they sum to k: each token is counted k times, and N·k is the whole."
)
exercise.slip(
    "probabilities_twice",
    "counts.sum(dim=0) / (N * k) * logits.softmax(dim=-1).mean(dim=0) → "
    "logits.softmax(dim=-1).mean(dim=0).square()",
).says(
    "The mean probabilities are squared: one of the two factors is the share of tokens that are really sent."
)
exercise.slip(
    "shares_twice",
    "counts.sum(dim=0) / (N * k) * logits.softmax(dim=-1).mean(dim=0) → (counts.sum(dim=0) / (N * "
    "k)).square()",
).says("The shares of tokens are squared, and counts have no gradient: one factor is the mean probability.")


@exercise.misconception
def gates_for_probabilities(logits, k):
    """The probabilities are those of the chosen alone: the softmax here goes over all experts, so that the
    others can become more probable.
    """
    N, E = logits.shape
    best, places = logits.topk(k, dim=-1)
    counts = torch.zeros_like(logits).scatter(-1, places, 1.0)
    shares = torch.zeros_like(logits).scatter(-1, places, best.softmax(dim=-1))
    return E * (counts.sum(dim=0) / (N * k) * shares.mean(dim=0)).sum()


exercise.slip(
    "token_by_token",
    "(counts.sum(dim=0) / (N * k) * logits.softmax(dim=-1).mean(dim=0)).sum → (counts / k * "
    "logits.softmax(dim=-1)).sum(dim=-1).mean",
).says("Shares and probabilities are multiplied token by token: each is averaged over the tokens first.")
exercise.slip(
    "the_best_alone", "logits.topk(k, dim=-1).indices → logits.argmax(dim=-1, keepdim=True)", " * k →"
).says("Only each token's best expert is counted: it is sent to k of them.")
