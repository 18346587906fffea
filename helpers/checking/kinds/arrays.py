"""What NumPy's arrays and torch's tensors have in common: a shape, a dtype, and numbers.

"Array" means either here. What is calculated with their numbers is calculated by NumPy, once for both.
"""

import functools
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeGuard

if TYPE_CHECKING:
    import numpy as np
    import torch

Array = Any  # numpy.ndarray | torch.Tensor, neither of which has to be installed
WHOLE = ("int8", "int16", "int32", "uint8", "uint16", "uint32")  # will do where int64 is expected
HALVES = ("float16", "bfloat16")
PLAIN = frozenset({type(None), bool, int, float, complex, str, bytes, list, tuple, dict, set, frozenset})


def torch_is_there() -> bool:
    """Whether anything can be a tensor: somebody has imported torch."""
    return "torch" in sys.modules


def is_tensor(value: object) -> "TypeGuard[torch.Tensor]":
    """Whether a value is a tensor."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def is_ndarray(value: object) -> "TypeGuard[np.ndarray]":
    """Whether a value is an array of NumPy's."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray)


def is_array(value: object) -> TypeGuard[Array]:
    """Whether a value is either."""
    return type(value) not in PLAIN and (is_tensor(value) or is_ndarray(value))  # asked of every value


def numbers(array: Array) -> "np.ndarray":
    """An array as NumPy has it, sharing its memory where it can."""
    if is_tensor(array):
        tensor = array.detach().cpu()
        return (tensor.float() if dtype_name(tensor) == "bfloat16" else tensor).numpy()
    return array


def double(array: Array) -> "np.ndarray":
    """Numbers of any dtype in double precision; texts and dates as they are."""
    values = numbers(array)
    kind = values.dtype.kind
    return values.astype("complex128" if kind == "c" else "float64") if kind in "biufc" else values


def in_dtype(array: Array, name: str) -> Array:
    """The array's numbers in another dtype."""
    if is_tensor(array):
        return array.to(getattr(sys.modules["torch"], name))
    with sys.modules["numpy"].errstate(over="ignore"):  # too large a number is infinite, as in torch
        return array.astype(name)


def dtype_name(array: Array) -> str:
    """`float32` for both kinds, and `str` for texts of any length."""
    return _name(array.dtype)


@functools.cache  # asked several times of each array, and slow to find out
def _name(dtype: Any) -> str:
    return "str" if getattr(dtype, "kind", "") == "U" else str(dtype).removeprefix("torch.")


def same_array(a: Array, b: Array) -> bool:
    """Whether two arrays have one class, shape and dtype and the same numbers; NaN is never the same."""
    if type(a) is not type(b) or a.dtype != b.dtype:
        return False
    if is_ndarray(a):
        return a.dtype.kind != "O" and a.shape == b.shape and bool((a == b).all())
    torch = sys.modules["torch"]
    with torch._C.DisableTorchFunction():  # what watches calls need not see these
        plain = b.is_cpu and b.layout == torch.strided and not b.is_nested
        return plain and torch.equal(a, b)


def is_floating(array: Array) -> bool:
    """Whether an array holds fractions."""
    return dtype_name(array).removeprefix("b").startswith("float")


def count(array: Array) -> int:
    """How many numbers an array holds."""
    return array.size if is_ndarray(array) else array.numel()


def stacked(parts: list, like: Array) -> Array:
    """Arrays of one shape, or plain numbers, as the rows of one array of a kind and a dtype."""
    if is_ndarray(like):
        import numpy as np

        return np.stack(parts) if is_array(parts[0]) else np.array(parts, dtype=like.dtype)
    import torch

    return torch.stack(parts) if is_array(parts[0]) else torch.tensor(parts, dtype=like.dtype)


def copied(array: Array) -> Array:
    """A copy that no gradient flows through."""
    return array.copy() if is_ndarray(array) else array.detach().clone()


def arrays(value: Any) -> Iterator[Array]:
    """The arrays in a value, in order."""
    if is_array(value):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from arrays(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from arrays(item)


def tensors(value: Any) -> "Iterator[torch.Tensor]":
    """The tensors in a value, in order."""
    return filter(is_tensor, arrays(value))


def map_arrays(function: Callable, value: Any) -> Any:
    """The value with a function applied to each array in it, tuples as lists."""
    if isinstance(value, str | int | float):  # of which a text has thousands, and asking further is slow
        return value
    if is_array(value):
        return function(value)
    if isinstance(value, Mapping):
        return {key: map_arrays(function, item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [map_arrays(function, item) for item in value]
    return value


def map_tensors(function: Callable, value: Any) -> Any:
    """The same for tensors alone."""
    return map_arrays(lambda array: function(array) if is_tensor(array) else array, value)
