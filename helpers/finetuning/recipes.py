"""Small models for exercises on fine-tuning: a backbone, and classifiers that take a step once prepared."""

from collections.abc import Callable, Iterable

import torch
from torch import nn

from helpers.checking.calling.registry import register


class SmallBackbone(nn.Module):
    """The smallest possible backbone: at each position, a map of the mean over all words so far.

    Args:
        vocabulary: V.
        width: numbers of a word's vector.
        channels: C.
    """

    def __init__(self, vocabulary: int, width: int, channels: int) -> None:
        super().__init__()
        self.words = nn.Embedding(vocabulary, width)
        self.W = nn.Linear(width, channels)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Tokens (B, T) to vectors (B, T, C). Position t sees nothing of what comes after it."""
        seen = torch.arange(1, ids.size(-1) + 1)[:, None]
        return torch.tanh(self.W(self.words(ids).cumsum(dim=-2) / seen))


class SmallClassifier(nn.Module):
    """A small backbone with a head, parts of them already frozen.

    Args:
        vocabulary: V.
        width: numbers of a word's vector.
        channels: C.
        classes: K.
        frozen: the prefix of the parameters that don't train; "-" for none.
    """

    def __init__(self, vocabulary: int, width: int, channels: int, classes: int, frozen: str) -> None:
        super().__init__()
        self.body, self.head = SmallBackbone(vocabulary, width, channels), nn.Linear(channels, classes)
        for name, weight in self.named_parameters():
            weight.requires_grad_(not name.startswith(frozen))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Tokens (B, T) to logits (B, K), from the last position."""
        return self.head(self.body(ids)[:, -1])


class Tied(SmallClassifier):
    """Has a map back to words too, which shares its matrix with the embedding: one parameter, two names."""

    def __init__(self, vocabulary: int, width: int, channels: int, classes: int, frozen: str) -> None:
        super().__init__(vocabulary, width, channels, classes, frozen)
        self.back = nn.Linear(width, vocabulary, bias=False)
        self.back.weight = self.body.words.weight


class ToFreeze(SmallClassifier):
    """Takes a step with weight decay, in all parameters that still have a gradient.

    A parameter of its body has "head" in its name, as those of attention may.
    """

    def __init__(self, vocabulary: int, width: int, channels: int, classes: int, frozen: str) -> None:
        super().__init__(vocabulary, width, channels, classes, frozen)
        self.body.heads = nn.Parameter(torch.ones(channels))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Tokens (B, T) to logits (B, K), from the last position."""
        return self.head(self.body(ids)[:, -1] * self.body.heads)

    def step(self, returned: object) -> None:
        """Change what trains, in place."""
        ids = torch.arange(self.body.words.num_embeddings)[None]
        optimizer = torch.optim.AdamW(self.parameters(), lr=0.1, weight_decay=0.1)
        loss = self(ids).logsumexp(dim=-1).sum()
        if loss.requires_grad:
            loss.backward()
            optimizer.step()


class ToGroup(SmallClassifier):
    """Moves each parameter by a hundred times the learning rates that an optimizer's groups give it."""

    def step(self, returned: object) -> None:
        """Change what is in the groups, in place.

        Raises:
            TypeError: what was returned is no list of dicts with "params".
            ValueError: a group has no parameters.
        """
        if not isinstance(returned, list | tuple) or not all(
            isinstance(group, dict) and "params" in group for group in returned
        ):
            raise TypeError('a list of dicts with "params" and "lr" is wanted')
        for group in returned:
            if not (weights := _listed(group["params"])):
                raise ValueError("a group without parameters")
            for weight in weights:
                # 0.02: the optimizer's own rate, where a group has none
                weight.data -= 100 * group.get("lr", 0.02)


def _listed(params: nn.Parameter | Iterable[nn.Parameter]) -> list[nn.Parameter]:
    return [params] if isinstance(params, nn.Parameter) else list(params)


def _pool_last() -> Callable:
    return lambda hidden, real: torch.stack([row[keep][-1] for row, keep in zip(hidden, real, strict=True)])


def _pool_mean() -> Callable:
    return lambda hidden, real: torch.stack(
        [row[keep].mean(dim=0) for row, keep in zip(hidden, real, strict=True)]
    )


LAYERS: dict[str, Callable] = {
    "reads the last token": _pool_last,
    "reads the mean of the tokens": _pool_mean,
    "a linear map": nn.Linear,
    "a small body": SmallBackbone,
    "a small classifier": SmallClassifier,
    "a small classifier with a shared matrix": Tied,
    "a classifier to freeze": ToFreeze,
    "a classifier and its groups": ToGroup,
}

register(LAYERS)
