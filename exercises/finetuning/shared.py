"""What several exercises of this topic share."""

import torch
from torch import Generator, Tensor

from headstart import Case


def names_cases(g: Generator) -> list[Case]:
    """All fits; something has another shape; something is missing; the old head would fit."""
    return [
        Case("everything fits", models(g)),
        Case("many layers", many(g)),
        Case("longer reviews than before", models(g, positions=5)),
        Case("one layer more than before", models(g, missing=True)),
        Case("a head of the same shape", models(g, alike=True)),
        Case("both at once, a different prefix", models(g, positions=5, missing=True, prefix="model.body.")),
        Case("a transposed matrix, and names that look like the prefix", turned(g)),
    ]


def turned(g: Generator) -> tuple[dict[str, Tensor], dict[str, Tensor], str]:
    """As many numbers in another shape; names of the prefix's letters, or with the prefix in the middle."""
    old = {"blocks.weight": normal(g, 3, 2), "down.weight": normal(g, 2, 3), "bias": normal(g, 2)}
    old |= {"old.body.bias": normal(g, 2), "gain": normal(g, 1)}
    shapes = {
        "blocks.weight": (3, 2),
        "down.weight": (3, 2),
        "bias": (2,),
        "old.body.bias": (2,),
        "gain": (1,),
    }
    new = {f"body.{name}": normal(g, *shape) for name, shape in shapes.items()}
    head = {"head.weight": normal(g, 3, 2), "head.body.bias": normal(g, 2), "head.gain": normal(g, 1)}
    return old, new | head, "body."


def many(g: Generator) -> tuple[dict[str, Tensor], dict[str, Tensor], str]:
    """Twelve layers, each of which fits, has another shape, is missing or is left over, by chance."""
    kinds = torch.randint(4, (12,), generator=g).tolist()
    old = {f"W{n}.weight": normal(g, 3, 2) for n, kind in enumerate(kinds) if kind != 2}
    new = {f"body.W{n}.weight": normal(g, 3 + (kind == 1), 2) for n, kind in enumerate(kinds) if kind != 3}
    return old, new, "body."


def models(
    g: Generator, positions: int = 3, *, missing: bool = False, alike: bool = False, prefix: str = "body."
) -> tuple[dict[str, Tensor], dict[str, Tensor], str]:
    def body(length: int) -> dict[str, Tensor]:
        return {
            "words.weight": normal(g, 4, 2),
            "positions.weight": normal(g, length, 2),
            "W.weight": normal(g, 3, 2),
        }

    old = {**body(3), "head.weight": normal(g, 4, 2)}
    new = {prefix + name: tensor for name, tensor in body(positions).items()}
    if missing:  # before W, so that places in the two models part there
        last = new.popitem()
        new |= {f"{prefix}norm.weight": normal(g, 2), last[0]: last[1]}
    new |= {"head.weight": normal(g, 4 if alike else 3, 2), "head.bias": normal(g, 4 if alike else 3)}
    return old, new, prefix


def recipe(name: str, g: Generator, frozen: str = "-") -> dict:
    sizes = (3 + torch.randperm(6, generator=g)[:3]).tolist()
    return {"layer": name, "weights": [*sizes, 2, frozen]}


def real(
    g: Generator, B: int, T: int, *, least: int = 2, most: int | None = None, full: bool = False
) -> Tensor:
    """Which places hold tokens, (B, T): lengths from least to most, not all alike; one T where asked."""
    most = T if most is None else most
    lengths = torch.randint(least, most + 1, (B,), generator=g)
    if B > 1:
        lengths[0], lengths[1] = most, least  # so that no single length does for all
    if full:
        lengths[0], lengths[-1] = T, T - 2
    return torch.arange(T) < lengths[torch.randperm(B, generator=g), None]


def normal(g: Generator, *shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.randn(*shape, generator=g, dtype=dtype).round(decimals=3)
