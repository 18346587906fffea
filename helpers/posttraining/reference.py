"""A model that answers: what lesson 13 asks for.

`B` batch, `T` positions, `V` vocabulary, `G` answers to one request. A mask says of each token whether it
counts when it is predicted. Log-probabilities are natural logarithms.
"""

import math
from collections.abc import Callable, Mapping, Sequence

import torch

# -- requests and answers ------------------------------------------------------------------------------------


def template(
    request: str, answer: str | None, special: Sequence[int], encode: Callable[[str], list[int]]
) -> list[int]:
    """The tokens of a request and its answer: `<request>` … `<answer>` … `<end>`.

    Args:
        request: its text.
        answer: its text; None asks for one, so that the tokens end where the model goes on.
        special: the numbers of `<request>`, `<answer>` and `<end>`, in this order.
        encode: turns a text into a list of tokens. Special ones aren't written in texts.
    """
    asks, answers, ends = special
    asked = [asks, *encode(request), answers]
    return asked if answer is None else [*asked, *encode(answer), ends]


def answer_mask(ids: torch.Tensor, answer_token: int, end_token: int) -> torch.Tensor:
    """Which tokens are the answer's: those after the first `<answer>`, up to and including `<end>`.

    Args:
        ids: (..., T).
        answer_token: the number of `<answer>`.
        end_token: the number of `<end>`; the first one after `<answer>` ends the answer.

    Returns:
        (..., T), boolean.
    """
    opens = ids == answer_token
    inside = opens.cumsum(dim=-1) > opens  # an earlier token is <answer>
    closes = inside & (ids == end_token)
    return inside & (closes.cumsum(dim=-1) == closes)  # no earlier token ends it


def pad(rows: Sequence[Sequence[int]], pad_token: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Rows of different lengths as one tensor, filled up on the right.

    Args:
        rows: B lists of tokens.
        pad_token: what fills them up.

    Returns:
        The tokens, integers, (B, T), where T is the longest row's length; and which are no padding, boolean,
        (B, T).
    """
    lengths = [len(row) for row in rows]
    T = max(lengths)
    ids = torch.tensor([[*row, *[pad_token] * (T - len(row))] for row in rows])
    return ids, torch.arange(T) < torch.tensor(lengths).unsqueeze(1)


def grow(embedding: torch.Tensor, n_new: int) -> torch.Tensor:
    """An embedding with new rows below, each the mean of the old ones.

    Args:
        embedding: (V, C).
        n_new: N, how many rows are added.

    Returns:
        (V + N, C).

    Source: Hewitt 2021, "Initializing new word embeddings for pretrained language models".
    """
    return torch.cat([embedding, embedding.mean(dim=0).expand(n_new, -1)])


# -- log-probabilities ---------------------------------------------------------------------------------------


def log_probabilities(logits: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
    """The log-probability of each token after the first, given those before it.

    Args:
        logits: what a model says after each token, (..., T, V).
        ids: the tokens that it read, (..., T).

    Returns:
        (..., T - 1).
    """
    log_p = logits[..., :-1, :].log_softmax(dim=-1)
    return log_p.gather(-1, ids[..., 1:, None]).squeeze(-1)


def sft_loss(logits: torch.Tensor, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """The mean surprise in nats of the tokens that count, over the whole batch.

    Args:
        logits: (B, T, V).
        ids: (B, T).
        mask: which tokens count when they are predicted, boolean, (B, T).

    Returns:
        A tensor of one number.

    Source: Ouyang et al. 2022 (InstructGPT), section 3.5.
    """
    counts = mask[:, 1:]
    return -(log_probabilities(logits, ids) * counts).sum() / counts.sum()


def answer_log_probability(logits: torch.Tensor, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """The log-probability of each row's answer as a whole.

    Args:
        logits: (..., T, V).
        ids: (..., T).
        mask: which tokens are the answer's, boolean, (..., T).

    Returns:
        (...).
    """
    return (log_probabilities(logits, ids) * mask[..., 1:]).sum(dim=-1)


# -- evaluation ----------------------------------------------------------------------------------------------


def exact_match(generated: Sequence[list[int]], truth: Sequence[list[int]], end: int) -> float:
    """The share of answers that are exactly the right one.

    Args:
        generated: tokens that a model wrote, one list for each answer; what follows the first `<end>` isn't
            the answer's, and without an `<end>` it isn't finished, so it is wrong.
        truth: the right answers, without `<end>`.
        end: the number of `<end>`.
    """
    pairs = zip(generated, truth, strict=True)
    right = [row[: len(wanted) + 1] == [*wanted, end] for row, wanted in pairs]
    return sum(right) / len(right)


def likelier(log_probability: torch.Tensor, lengths: torch.Tensor, per_token: bool) -> torch.Tensor:
    """Which option a model finds likeliest.

    Args:
        log_probability: of each option as a whole, (..., N).
        lengths: how many tokens each has, (..., N).
        per_token: whether the mean for each token decides, so that long options aren't at a disadvantage.

    Returns:
        The option's index, integers, (...).
    """
    return (log_probability / lengths if per_token else log_probability).argmax(dim=-1)


def true_share(measured: float, sensitivity: float, specificity: float) -> float:
    """The share that is right, from the share that an imperfect judge calls right.

    Args:
        measured: the share that the judge calls right.
        sensitivity: the share of right answers that it calls right.
        specificity: the share of wrong answers that it calls wrong; the two are more than 1 together.

    Returns:
        The share, from 0 to 1.

    Source: Rogan and Gladen 1978.
    """
    share = (measured + specificity - 1) / (sensitivity + specificity - 1)
    return min(1.0, max(0.0, share))


def pass_at_k(n: int, correct: int, k: int) -> float:
    """The chance that at least one of k answers is right: the unbiased estimate from n answers.

    Args:
        n: answers that were tried.
        correct: how many of them were right.
        k: how many one may hand in, at most n.

    Source: Chen et al. 2021, equation 1.
    """
    return 1 - math.comb(n - correct, k) / math.comb(n, k)


# -- preferences and rewards ---------------------------------------------------------------------------------


def dpo_loss(
    chosen: torch.Tensor,
    rejected: torch.Tensor,
    chosen_frozen: torch.Tensor,
    rejected_frozen: torch.Tensor,
    beta: float,
) -> torch.Tensor:
    """The loss of direct preference optimization, averaged over pairs of answers.

    Args:
        chosen: log-probabilities of the better answers, (B,).
        rejected: those of the worse answers, (B,).
        chosen_frozen: the first, by the frozen model, (B,).
        rejected_frozen: the second, by the frozen model, (B,).
        beta: β, how far a difference counts.

    Returns:
        A tensor of one number.

    Source: Rafailov et al. 2023, equation 7.
    """
    chosen_frozen, rejected_frozen = chosen_frozen.detach(), rejected_frozen.detach()
    margin = (chosen - chosen_frozen) - (rejected - rejected_frozen)
    return -torch.nn.functional.logsigmoid(beta * margin).mean()


def reward(
    answer: Sequence[int],
    asked: Mapping[str, str],
    read: Callable[[Sequence[int]], Mapping[str, str] | None],
    end: int,
) -> float:
    """1 for an answer that is finished, grammatical and as it was asked for, else 0.

    Args:
        answer: tokens that a model wrote; what follows the first `<end>` isn't the answer's.
        asked: the features that it should have, such as {"sentiment": "favourable"}.
        read: takes the tokens before `<end>` and returns their features, more perhaps than were asked for;
            None where they aren't grammatical.
        end: the number of `<end>`.
    """
    if end not in answer:
        return 0.0
    found = read(answer[: answer.index(end)])
    return float(found is not None and all(found.get(name) == value for name, value in asked.items()))


def advantages(rewards: torch.Tensor, divide: bool) -> torch.Tensor:
    """How much better each answer is than the mean of its group.

    Args:
        rewards: of G answers to each request, (..., G), G at least 2.
        divide: whether to divide by the group's standard deviation, with G - 1 in it, as torch's `std`.

    Returns:
        Shaped like rewards. In a group whose rewards are all alike they are 0.

    Source: Shao et al. 2024 (DeepSeekMath), section 4.1.2; without the division, Liu et al. 2025 (Dr. GRPO).
    """
    better = rewards - rewards.mean(dim=-1, keepdim=True)
    if not divide:
        return better
    spread = rewards.std(dim=-1, keepdim=True)
    return better / spread.masked_fill(spread == 0, 1)


# -- policy gradients ----------------------------------------------------------------------------------------


def policy_gradient(
    logits: torch.Tensor, ids: torch.Tensor, mask: torch.Tensor, advantages: torch.Tensor
) -> torch.Tensor:
    """A loss whose gradient is minus the policy gradient: REINFORCE.

    Args:
        logits: (B, T, V).
        ids: requests and the answers that the model drew, (B, T).
        mask: which tokens are the answers', boolean, (B, T).
        advantages: of each answer, (B,); they need no gradient.

    Returns:
        A tensor of one number: minus the mean over answers of advantage times log-probability.

    Source: Williams 1992.
    """
    return -(advantages.detach() * answer_log_probability(logits, ids, mask)).mean()


def clipped(
    log_probability: torch.Tensor,
    advantages: torch.Tensor,
    epsilon: float,
    old: torch.Tensor | None = None,
) -> torch.Tensor:
    """The clipped objective for each token, which is to be made large.

    Args:
        log_probability: of each token of an answer, (..., T).
        advantages: one for each answer, (...).
        epsilon: ε, how far the ratio of probabilities may move from 1 before it is clipped.
        old: log-probabilities at the time when the answers were drawn, (..., T). None means that this is
            now: they have log_probability's numbers, and are constants.

    Returns:
        (..., T).

    Source: Schulman et al. 2017, equation 7.
    """
    before = (log_probability if old is None else old).detach()
    ratio = (log_probability - before).exp()
    A = advantages.detach()[..., None]
    return torch.minimum(ratio * A, ratio.clamp(1 - epsilon, 1 + epsilon) * A)


def kl(logits: torch.Tensor, frozen: torch.Tensor) -> torch.Tensor:
    """How far a model has moved from the frozen one: KL(model ‖ frozen) in nats, at each position.

    Args:
        logits: the model's, (..., V).
        frozen: the frozen model's, (..., V).

    Returns:
        (...).
    """
    frozen = frozen.detach()
    log_p, log_q = logits.log_softmax(dim=-1), frozen.log_softmax(dim=-1)
    return (log_p.exp() * (log_p - log_q)).sum(dim=-1)


def kl_estimates(
    log_probability: torch.Tensor, frozen: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Three estimates of KL(model ‖ frozen), from tokens that the model drew.

    Args:
        log_probability: of each token, (...).
        frozen: the same by the frozen model, (...).

    Returns:
        k1, k2 and k3, each (...).

    Source: Schulman 2020, "Approximating KL divergence".
    """
    log_ratio = frozen.detach() - log_probability
    return -log_ratio, log_ratio.square() / 2, log_ratio.expm1() - log_ratio
