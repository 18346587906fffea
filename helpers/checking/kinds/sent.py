"""Arrays as JSON and back, trusting nothing that comes back.

An array becomes `{"$array": "float32", "shape": [2, 3], "data": [...]}`, and a tensor has `"$tensor"` there.
Numbers keep every bit: Python prints the shortest decimal that reads back as the same float, and narrower
floats get as many digits as they hold. A complex number is two, a date the count of its unit.
"""

import math
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from helpers.checking.kinds.arrays import Array, count, dtype_name, is_tensor
from helpers.checking.limits import MAX_AXES, MAX_ELEMENTS
from helpers.storage import printable

if TYPE_CHECKING:
    import numpy as np
    import torch

COMMON = ("float16", "float32", "float64", "uint8", "int8", "int16", "int32", "int64", "bool")
TENSORS = (*COMMON, "bfloat16")
ARRAYS = (*COMMON, "uint16", "uint32", "uint64", "complex64", "complex128", "str", "object")
DATES = re.compile(r"(datetime|timedelta)64(\[\d{0,4}[A-Za-z]{1,2}\])?")
# So many decimal digits tell any two numbers of these types apart; 17 of them would only make longer sheets.
DIGITS = {"float32": 9, "float16": 5, "bfloat16": 4, "complex64": 9}
Way = Callable[[Any], Any]  # how what an array of objects holds is encoded, or decoded


def unsent(array: Array) -> str:
    """What is sent in place of an array of no known kind, or too large to compare; "" for all others."""
    name = dtype_name(array)
    if is_tensor(array):
        import torch

        what = "torch.Tensor"
        known = name in TENSORS and array.layout == torch.strided and not (array.is_meta or array.is_nested)
    else:
        what = f"numpy.{type(array).__name__}"
        known = name in ARRAYS or DATES.fullmatch(name) is not None
        if what != "numpy.ndarray":  # such as a masked array, which is more than its numbers
            return what
    if not known:
        return f"{what} of {name}"
    if len(array.shape) > MAX_AXES or max(array.shape, default=0) > MAX_ELEMENTS >= count(array):
        return f"{what} with more or longer axes than can be compared"
    return f"{what} of {count(array):,} numbers, too large to compare" if count(array) > MAX_ELEMENTS else ""


def encode_array(array: Array, encode: Way) -> dict:
    """An array as what `json.dumps` takes."""
    if what := unsent(array):
        return {"$type": what}
    name, shape = dtype_name(array), list(array.shape)
    if is_tensor(array):
        return {"$tensor": name, "shape": shape, "data": _shortened(array.detach().cpu().reshape(-1), name)}
    flat = array.reshape(-1)
    if DATES.fullmatch(name):
        flat = flat.view("int64")
    elif name.startswith("complex"):
        flat = flat.view("float32" if name == "complex64" else "float64")
    data = _shortened(flat, name)
    return {
        "$array": name,
        "shape": shape,
        "data": [encode(each) for each in data] if name == "object" else data,
    }


def _shortened(flat: Array, name: str) -> list:
    digits = DIGITS.get(name)
    return [float(f"{number:.{digits}g}") for number in flat.tolist()] if digits else flat.tolist()


def plain_copy(array: Array) -> Array:
    """An array that can be sent, without what watches it and with memory of its own."""
    if not is_tensor(array):
        return array.copy()
    import torch

    with torch._C.DisableTorchFunction():  # what watches calls need not see these
        # defence: answers: so are tensors
        return torch.Tensor.clone(torch.Tensor.detach(array).cpu(), memory_format=torch.contiguous_format)


def decode_array(value: dict, decode: Way) -> Array:
    """Turn parsed JSON back into an array.

    Raises:
        ValueError: it is nothing that `encode_array` makes. It may come from a stranger, so nothing in it is
            believed: sizes and types are checked before an array is made.
    """
    kind, known = ("tensor", TENSORS) if "$tensor" in value else ("array", ARRAYS)
    name, shape, data = value[f"${kind}"], value.get("shape"), value.get("data")
    dated = kind == "array" and isinstance(name, str) and DATES.fullmatch(name)
    # defence: values: dtype
    if not (name in known or dated) or not isinstance(shape, list) or not isinstance(data, list):
        raise ValueError(f"malformed {kind}")
    # defence: values: shape
    if len(shape) > MAX_AXES or not all(type(size) is int and 0 <= size <= MAX_ELEMENTS for size in shape):
        raise ValueError(f"malformed {kind} shape")
    held = 2 * math.prod(shape) if name.startswith("complex") else math.prod(shape)
    # defence: values: size of a tensor
    if held != len(data) or math.prod(shape) > MAX_ELEMENTS:
        raise ValueError(f"a {kind} of shape {shape} holds {held} numbers, not {len(data)}")
    if name == "object":
        return _of_objects([decode(each) for each in data], shape)
    allowed = {str} if name == "str" else {int} if dated else {int, float, bool}
    # defence: values: numbers only
    if not set(map(type, data)) <= allowed:
        raise ValueError(f"a {kind} holds {'texts' if name == 'str' else 'numbers'} only")
    try:  # 2**80 as int64, 1e40 as float16, ...
        return _tensor(name, shape, data) if kind == "tensor" else _array(name, shape, data)
    # defence: values: numbers that fit
    except (RuntimeError, ArithmeticError, TypeError, ValueError) as error:
        raise ValueError(f"malformed {kind} data: {error}") from None


def _tensor(name: str, shape: list[int], data: list) -> "torch.Tensor":
    import torch

    # Whatever device a notebook has set: none of that kind may be here.
    return torch.tensor(data, dtype=getattr(torch, name), device="cpu").reshape(shape)


def _array(name: str, shape: list[int], data: list) -> "np.ndarray":
    import numpy as np

    with np.errstate(over="raise"):
        if name == "str":
            return np.array([printable(each) for each in data], dtype=str).reshape(shape)
        if name.startswith("complex"):
            parts = np.array(data, dtype="float32" if name == "complex64" else "float64")
            return parts.view(name).reshape(shape)
        if DATES.fullmatch(name):
            return np.array(data, dtype="int64").view(name).reshape(shape)
        if name not in ("float16", "float32", "float64") and float in map(type, data):
            raise ValueError("fractions among whole numbers")
        return np.array(data, dtype=name).reshape(shape)


def _of_objects(data: list, shape: list[int]) -> "np.ndarray":
    import numpy as np

    made = np.empty(len(data), dtype=object)
    made[:] = data if not data or not isinstance(data[0], list) else [*data]
    return made.reshape(shape)
