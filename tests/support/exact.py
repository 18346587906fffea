"""Where two values differ at all."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

import torch


def differences(one: object, other: object) -> Iterator[str]:
    """Where two values differ in anything but how tensors lie in memory, and lists from tuples."""
    if is_dataclass(one) and type(one) is type(other):
        parts = [{field.name: getattr(value, field.name) for field in fields(one)} for value in (one, other)]
        yield from differences(*parts)
    elif isinstance(one, dict) and isinstance(other, dict) and list(one) == list(other):
        for key in one:
            yield from (f"[{key!r}]{rest}" for rest in differences(one[key], other[key]))
    elif isinstance(one, list | tuple) and isinstance(other, list | tuple) and len(one) == len(other):
        for index, pair in enumerate(zip(one, other, strict=True)):
            yield from (f"[{index}]{rest}" for rest in differences(*pair))
    elif not alike(one, other):
        yield f": {shown(one)} became {shown(other)}"


def shown(value: object) -> str:
    """With every digit, in one line."""
    is_tensor = isinstance(value, torch.Tensor)
    text = f"{value.dtype} {tuple(value.shape)} {value.tolist()}" if is_tensor else repr(value)
    return text if len(text) < 100 else text[:99] + "…"


def alike(one: object, other: object) -> bool:
    """Two tensors, or two values that hold no others; NaN is like NaN."""
    if type(one) is not type(other):
        return False
    if not isinstance(one, torch.Tensor):
        return one == other or (one != one and other != other)
    if (one.dtype, one.shape) != (other.dtype, other.shape):
        return False
    return bool(((one == other) | ((one != one) & (other != other))).all())
