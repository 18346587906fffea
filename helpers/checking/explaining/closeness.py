"""When numbers that came back count as related to the right ones, and how many it takes to say so."""

import torch

ENOUGH = 3  # numbers that differ from each other: of fewer, something is true by chance
MAX_AXES = 4  # of which all orders are tried
MULTIPLES = 4  # of a product of sizes: more of them fit by chance
SMALL = 10  # what one counts wrong by: a larger whole number says nothing
ENDS = (("first", 0), ("last", -1))  # of an axis


def equal(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether two tensors have one shape and the same numbers."""
    return a.shape == b.shape and bool(close(a, b).all())


def close(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Where two tensors have the same numbers, NaN included."""
    return torch.isclose(a.double(), b.double(), rtol=1e-4, atol=1e-6, equal_nan=True)


def near(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether all numbers are the same; where they are NaN, they aren't."""
    return bool(torch.isclose(b, a, rtol=1e-4, atol=1e-6).all())


def distinct(numbers: torch.Tensor) -> int:
    """How many different numbers there are, where those that are close count as one."""
    if not numbers.is_floating_point():
        return numbers.unique().numel()
    ordered = numbers.double().flatten().sort().values
    return min(1, len(ordered)) + int((~close(ordered[:-1], ordered[1:])).sum())
