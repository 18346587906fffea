"""Tensors and plain data as JSON: the one encoding of `checks.json` and of the grader's wire.

A tensor becomes `{"$tensor": "float32", "shape": [2, 3], "data": [...]}`. Numbers keep every bit: Python
prints the shortest decimal that reads back as the same float, and narrower floats get as many digits as they
hold. Tuples become lists. What is neither data nor tensor becomes `{"$type": "numpy.ndarray"}`, an `Opaque`
once decoded: enough to say that the type is wrong.
"""

import math
import numbers
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import torch

from helpers.checking.limits import MAX_DEPTH, MAX_ELEMENTS
from helpers.storage import printable

DTYPES = {
    str(dtype).removeprefix("torch."): dtype
    for dtype in (
        torch.float16, torch.bfloat16, torch.float32, torch.float64,
        torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.bool,
    )
}  # fmt: skip
NAMES = {dtype: name for name, dtype in DTYPES.items()}
# So many decimal digits tell any two numbers of these types apart; 17 of them would only make longer sheets.
DIGITS = {torch.float32: 9, torch.float16: 5, torch.bfloat16: 4}
MAX_INTEGER = 2**63  # beyond it, neither a tensor nor every JSON reader takes an integer


@dataclass(frozen=True)
class Opaque:
    """A value of a type that isn't data, known by its type's name alone."""

    type_name: str


def type_name(value: object) -> str:
    """The name a student knows the type by: `float`, `numpy.ndarray`, `torch.Linear`."""
    kind = type(value)
    module = "" if kind.__module__ in ("builtins", "__main__") else kind.__module__.split(".")[0] + "."
    return f"{module}{kind.__qualname__}"[:100]


def tensors(value: Any) -> Iterator[torch.Tensor]:
    """The tensors in a value, in order."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from tensors(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from tensors(item)


def map_tensors(function: Callable, value: Any) -> Any:
    """The value with a function applied to each tensor in it, tuples as lists."""
    if isinstance(value, torch.Tensor):
        return function(value)
    if isinstance(
        value, str | int | float
    ):  # of which a text has thousands, and asking for a Mapping is slow
        return value
    if isinstance(value, Mapping):
        return {key: map_tensors(function, item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [map_tensors(function, item) for item in value]
    return value


def encode(value: Any, depth: int = 0) -> Any:
    """Turn a value into what `json.dumps` takes. Never raises on a value's type, which it records instead."""
    if depth > MAX_DEPTH:
        return {"$type": "data nested too deep"}
    if isinstance(value, torch.Tensor):
        return _encode_tensor(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, numbers.Integral):
        return int(value) if abs(int(value)) < MAX_INTEGER else {"$type": "int beyond 64 bits"}
    if isinstance(value, numbers.Real | Decimal):
        return float(value)
    if isinstance(value, list | tuple):
        return [encode(item, depth + 1) for item in value]
    if isinstance(value, Mapping) and all(isinstance(key, str) and not key.startswith("$") for key in value):
        return {printable(key): encode(item, depth + 1) for key, item in value.items()}
    if isinstance(value, Mapping) and (odd := [key for key in value if not isinstance(key, str)]):
        return {"$type": f"dict with a key of type {type_name(odd[0])}"}
    return {"$type": value.type_name if isinstance(value, Opaque) else type_name(value)}


def _unsent(tensor: torch.Tensor) -> str:
    """What is sent in place of a tensor of no known kind, or too large to compare; "" for all others."""
    if tensor.dtype not in NAMES or tensor.layout != torch.strided or tensor.is_meta:
        return f"torch.Tensor of {str(tensor.dtype).removeprefix('torch.')}"
    if tensor.numel() > MAX_ELEMENTS:
        return f"torch.Tensor of {tensor.numel():,} numbers, too large to compare"
    return ""


def _encode_tensor(tensor: torch.Tensor) -> dict:
    if unsent := _unsent(tensor):
        return {"$type": unsent}
    data = tensor.detach().to("cpu").reshape(-1).tolist()
    if digits := DIGITS.get(tensor.dtype):
        data = [float(f"{number:.{digits}g}") for number in data]
    return {"$tensor": NAMES[tensor.dtype], "shape": list(tensor.shape), "data": data}


PLAIN = {type(None), bool, int, float, str, list, tuple, dict, Opaque}


def settled(value: Any, depth: int = 0) -> Any:
    """The value, and in place of what is of any other class than Python's own, its plain data.

    Of tensors, too: they may have methods of their own, and share their memory.
    """
    if isinstance(value, str):
        return str.__str__(value)
    if type(value) is torch.Tensor:
        with torch._C.DisableTorchFunction():  # what watches calls need not see these
            if not _unsent(value):  # as it would come back from JSON, and sooner
                plain = torch.Tensor.detach(value).cpu()
                # defence: answers: so are tensors
                return torch.Tensor.clone(plain, memory_format=torch.contiguous_format)
    if type(value) not in PLAIN or depth > MAX_DEPTH:
        return decode(encode(value, depth))
    if isinstance(value, list | tuple):
        return type(value)(settled(item, depth + 1) for item in value)
    if isinstance(value, dict):
        return {settled(key, depth + 1): settled(item, depth + 1) for key, item in value.items()}
    return value


def decode(value: Any, depth: int = 0) -> Any:
    """Turn parsed JSON back into tensors and data.

    Raises:
        ValueError: the JSON isn't something that `encode` makes. It may come from a stranger, so nothing
            in it is believed: sizes, types and depth are checked before a tensor is made.
    """
    # defence: values: depth
    if depth > MAX_DEPTH + 2:
        raise ValueError("data nested too deep")
    if isinstance(value, list):
        return [decode(item, depth + 1) for item in value]
    if isinstance(value, str):
        return printable(value)
    # defence: values: integers
    if isinstance(value, int) and not -MAX_INTEGER < value < MAX_INTEGER:
        raise ValueError("an integer beyond 64 bits")
    if not isinstance(value, dict):
        return value
    if "$tensor" in value:
        return _decode_tensor(value)
    if "$type" in value:
        # defence: values: types
        if not isinstance(value["$type"], str):
            raise ValueError("malformed type")
        return Opaque(printable(value["$type"])[:100])
    return {printable(key): decode(item, depth + 1) for key, item in value.items()}


def _decode_tensor(value: dict) -> torch.Tensor:
    name, shape, data = value["$tensor"], value.get("shape"), value.get("data")
    dtype = DTYPES.get(name) if isinstance(name, str) else None
    # defence: values: dtype
    if dtype is None or not isinstance(shape, list) or not isinstance(data, list):
        raise ValueError("malformed tensor")
    # defence: values: shape
    if len(shape) > 16 or not all(type(size) is int and 0 <= size <= MAX_ELEMENTS for size in shape):
        raise ValueError("malformed tensor shape")
    # defence: values: size of a tensor
    if math.prod(shape) != len(data) or len(data) > MAX_ELEMENTS:
        raise ValueError(f"a tensor of shape {shape} holds {math.prod(shape)} numbers, not {len(data)}")
    # defence: values: numbers only
    if not set(map(type, data)) <= {int, float, bool}:
        raise ValueError("a tensor holds numbers only")
    try:  # 2**80 as int64, 1e40 as float16, ...
        return torch.tensor(data, dtype=dtype).reshape(shape)
    # defence: values: numbers that fit
    except (RuntimeError, OverflowError, TypeError, ValueError) as error:
        raise ValueError(f"malformed tensor data: {error}") from None
