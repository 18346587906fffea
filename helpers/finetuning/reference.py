"""Fine-tuning: what lesson 09 asks for.

`B` reviews, `T` positions, `C` channels, `K` classes. A boolean `real` is True for a token.
"""

import math
from collections.abc import Callable, Mapping, Sequence

import torch
from torch import nn

PAD = 0
Pooling = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]  # (B, T, C) and real (B, T) to (B, C)


def last_real(hidden: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
    """The vector at each review's last token.

    Args:
        hidden: one vector for each position, (B, T, C).
        real: boolean, (B, T). True is a token. Padding is at the ends, and no review is empty.

    Returns:
        (B, C).
    """
    last = real.sum(dim=-1) - 1  # (B,)
    return hidden[torch.arange(len(hidden), device=hidden.device), last]


def mean_real(hidden: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
    """The mean of the vectors at each review's tokens.

    Args:
        hidden: one vector for each position, (B, T, C).
        real: boolean, (B, T). True is a token. No review is empty.

    Returns:
        (B, C).
    """
    return (hidden * real[..., None]).sum(dim=-2) / real.sum(dim=-1, keepdim=True)


class Classifier(nn.Module):
    """A head on a body: the body's vectors, pooled into one, give a score for each class.

    Args:
        body: a module; body(ids) is (B, T, C).
        d_model: C.
        n_classes: K.
        pool: pool(hidden, real) turns each review into one vector, (B, C): `last_real` or `mean_real`.

    Source: Radford et al. 2018, section 3.2, use the last position.
    """

    def __init__(self, body: nn.Module, d_model: int, n_classes: int, pool: Pooling = last_real) -> None:
        super().__init__()
        self.body = body
        self.head = nn.Linear(d_model, n_classes)
        self.pool = pool

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Tokens (B, T), padding with number 0 at their ends, to logits (B, K)."""
        return self.head(self.pool(self.body(ids), ids != PAD))


def class_loss(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """The mean cross-entropy in nats per review.

    Args:
        logits: (B, K).
        labels: the right class of each review, integers, (B,).

    Returns:
        A tensor of one number.
    """
    log_p = logits.log_softmax(dim=-1)
    return -log_p.gather(-1, labels[:, None]).mean()


def match_state_dict(
    old: "Mapping[str, torch.Tensor]", new: "Mapping[str, torch.Tensor]", prefix: str
) -> dict[str, list[str]]:
    """Compare the weights of a pretrained model with those of a model whose body they should fill.

    Args:
        old: the pretrained model's weights by name.
        new: the new model's. Its body's names are the old ones with the prefix in front.
        prefix: such as "body.".

    Returns:
        Of the new body's names, those that fit, those whose old tensor has a different shape, and those that
        are missing among the old ones; and of the old names, those that are left over. In their dicts' order.
    """
    found: dict[str, list[str]] = {"fits": [], "other shape": [], "missing": [], "left over": []}
    for name, tensor in new.items():
        if name.startswith(prefix):
            there = old.get(name.removeprefix(prefix))
            kind = "missing" if there is None else "fits" if there.shape == tensor.shape else "other shape"
            found[kind].append(name)
    found["left over"] = [name for name in old if prefix + name not in new]
    return found


def transfer(
    old: "Mapping[str, torch.Tensor]", new: "Mapping[str, torch.Tensor]", prefix: str
) -> dict[str, torch.Tensor]:
    """The new model's weights with the pretrained ones in its body.

    Args:
        old: the pretrained model's weights by name.
        new: the new model's.
        prefix: of the body's names in the new model.

    Returns:
        A dict with the names of `new`, in its order: copies, of the old tensor where the name is the body's
        and fits, else of the new one.
    """
    fits = match_state_dict(old, new, prefix)["fits"]
    return {
        name: (old[name.removeprefix(prefix)] if name in fits else tensor).clone()
        for name, tensor in new.items()
    }


def freeze(model: "Classifier") -> None:
    """Let training change nothing in the model's body."""
    model.body.requires_grad_(False)


def trainable(model: torch.nn.Module) -> int:
    """How many numbers of a model can change in training."""
    return sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad)


def parameter_groups(model: "Classifier", body_rate: float, head_rate: float) -> list[dict]:
    """Groups for an optimizer: the body at one learning rate, the head at another. Without what is frozen.

    Args:
        model: has a `body` and a `head`.
        body_rate: the body's learning rate.
        head_rate: the head's.

    Returns:
        One dict for each part that trains, with "params" and "lr"; the body's comes first.
    """
    parts: list[tuple[nn.Module, float]] = [(model.body, body_rate), (model.head, head_rate)]
    groups = [
        {"params": [weight for weight in part.parameters() if weight.requires_grad], "lr": rate}
        for part, rate in parts
    ]
    return [group for group in groups if group["params"]]


def wilson(correct: int, n: int, z: float) -> tuple[float, float]:
    """The interval for the true accuracy, given how many of n test reviews came out right.

    Args:
        correct: how many.
        n: of how many.
        z: 1.96 for 95 %.

    Returns:
        The lower and the upper end.

    Source: Wilson 1927.
    """
    p, extra = correct / n, z**2 / n
    centre = (p + extra / 2) / (1 + extra)
    half = z * math.sqrt(p * (1 - p) / n + extra / (4 * n)) / (1 + extra)
    return centre - half, centre + half


def t_interval(values: "Sequence[float]", quantiles: "Sequence[float]") -> tuple[float, float]:
    """The interval for the mean over all possible runs, given a few of them.

    Args:
        values: a result for each seed, two or more.
        quantiles: quantiles[d] is Student's t for d degrees of freedom; quantiles[0] isn't used.

    Returns:
        The lower and the upper end.

    Source: Student 1908.
    """
    n = len(values)
    mean = sum(values) / n
    variance = sum((value - mean) ** 2 for value in values) / (n - 1)
    half = quantiles[n - 1] * math.sqrt(variance / n)
    return mean - half, mean + half


def tfidf(train: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
    """Counts of words, weighted by how rare each word is among the training texts, as rows of length 1.

    Args:
        train: how often each word occurs in each training text, (N, V).
        counts: the same of the texts that rows are wanted for, (M, V). None is empty.

    Returns:
        (M, V).

    Source: Spärck Jones 1972; smoothed as in scikit-learn.
    """
    in_texts = (train > 0).sum(dim=0)  # (V,)
    rarity = ((1 + len(train)) / (1 + in_texts)).log() + 1
    rows = counts * rarity
    return rows / rows.norm(dim=-1, keepdim=True)


# Student's t for 95 %, by degrees of freedom; entry 0 isn't used.
T_95 = (0.0, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)


class LoRALinear(torch.nn.Module):
    """A linear map that stays as it is, and beside it the product of two thin matrices, which learns.

    Args:
        linear: the map, d_in to d_out, which is frozen.
        rank: r, how many rows A and columns B have.
        alpha: the product counts alpha / r times.

    Source: Hu et al. 2022, *LoRA: low-rank adaptation of large language models*, section 4.1.
    """

    def __init__(self, linear: torch.nn.Linear, rank: int, alpha: float) -> None:
        super().__init__()
        self.linear = linear.requires_grad_(False)
        self.A = torch.nn.Parameter(torch.randn(rank, linear.in_features) / math.sqrt(linear.in_features))
        self.B = torch.nn.Parameter(torch.zeros(linear.out_features, rank))
        self.rank, self.alpha = rank, alpha

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(..., d_in) to (..., d_out)."""
        return self.linear(x) + self.alpha / self.rank * (x @ self.A.T @ self.B.T)


def merged_weight(weight: torch.Tensor, A: torch.Tensor, B: torch.Tensor, alpha: float) -> torch.Tensor:
    """The weight of the one linear map that does what a map and its adapter do together.

    Args:
        weight: the map's, (d_out, d_in).
        A: (r, d_in).
        B: (d_out, r).
        alpha: the adapter counts alpha / r times.

    Returns:
        (d_out, d_in).

    Source: Hu et al. 2022, section 4.1.
    """
    return weight + alpha / len(A) * (B @ A)
