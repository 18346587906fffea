"""Values as the Python code that makes them, for files that people read and other graders run.

`torch.tensor([1.0, 2.0])`, `np.array([1, 2])`, `{"a": (1, nan)}`: whatever a case holds, and no more.
"""

import math
import sys
from typing import Any

IMPORTS = {
    "torch.": "import torch",
    "np.": "import numpy as np",
    "pd.": "import pandas as pd",
}
DIGITS = {"float32": 9, "float16": 5, "bfloat16": 4}  # as many as tell any two numbers of the type apart


class NoLiteral(ValueError):
    """A value of a type that no code here makes; the text is the type's name."""


def literal(value: Any) -> str:
    """The code of a value: plain Python, NumPy arrays and scalars, tensors, pandas frames and series.

    It reads names that `preamble` imports.

    Raises:
        NoLiteral: there is none for a type in it.
    """
    if value is None or type(value) in (bool, str, bytes, int, float, complex):
        return repr(value)  # inf and nan are names of `math`
    if type(value) in (list, tuple, set, frozenset):
        return _collection(value)
    if type(value) is dict:
        return "{" + ", ".join(f"{literal(key)}: {literal(each)}" for key, each in value.items()) + "}"
    for package, of in (("torch", _tensor), ("numpy", _array), ("pandas", _frame)):
        if package in sys.modules and (found := of(value)):
            return found
    raise NoLiteral(f"{type(value).__module__}.{type(value).__qualname__}")


def preamble(code: str) -> str:
    """The imports that literals in a piece of code need, one a line."""
    needed = [line for prefix, line in IMPORTS.items() if prefix in code]
    return "\n".join(["from math import inf, nan", *needed])


def _collection(value: Any) -> str:
    items = ", ".join(map(literal, value))
    if isinstance(value, list):
        return f"[{items}]"
    if isinstance(value, tuple):
        return f"({items},)" if len(value) == 1 else f"({items})"
    if isinstance(value, frozenset):
        return f"frozenset([{items}])"
    return f"{{{items}}}" if value else "set()"


def _tensor(value: Any) -> str:
    import torch

    if not isinstance(value, torch.Tensor):
        return ""
    if value.layout != torch.strided or value.is_quantized or value.is_meta:
        raise NoLiteral(f"torch.Tensor of {value.layout}")
    kind = str(value.dtype).removeprefix("torch.")
    data, shape = _data(value.detach().cpu(), value.numel(), DIGITS.get(kind, 17))
    return f"torch.tensor({data}, dtype=torch.{kind}){shape}"


def _array(value: Any) -> str:
    import numpy as np

    if isinstance(value, np.generic):
        if value.dtype.kind in "biufc":
            return f"np.{value.dtype.name}({literal(value.item())})".replace("np.bool(", "np.bool_(")
        raise NoLiteral(f"numpy.{value.dtype.name}")
    if type(value) is not np.ndarray:
        return ""
    if value.dtype.kind not in "biufcUS":
        raise NoLiteral(f"numpy.ndarray of {value.dtype.name}")
    kind = value.dtype.str if value.dtype.kind in "US" else value.dtype.name
    data, shape = _data(value, value.size, DIGITS.get(kind, 17))
    return f"np.array({data}, dtype={kind!r}){shape}"


def _frame(value: Any) -> str:
    pd = sys.modules["pandas"]

    if type(value) is pd.Series:
        index = "" if _is_range(value.index) else f", index={literal(value.index.tolist())}"
        name = "" if value.name is None else f", name={literal(value.name)}"
        return f"pd.Series({literal(value.tolist())}{index}, dtype={str(value.dtype)!r}{name})"
    if type(value) is not pd.DataFrame:
        return ""
    columns = ", ".join(
        f"{literal(name)}: pd.Series({literal(column.tolist())}, dtype={str(column.dtype)!r})"
        for name, column in value.items()
    )
    index = "" if _is_range(value.index) else f".set_axis({literal(value.index.tolist())})"
    return f"pd.DataFrame({{{columns}}}){index}"


def _is_range(index: Any) -> bool:
    return index.tolist() == list(range(len(index)))


def _data(value: Any, size: int, digits: int) -> tuple[str, str]:
    """The numbers of a tensor or an array as nested lists, and what puts an empty one into its shape."""
    if size:
        return _numbers(value.tolist(), digits), ""
    return "[]", f".reshape({', '.join(map(str, value.shape))})"


def _numbers(value: Any, digits: int) -> str:
    """Nested lists of numbers, floats with no more digits than their type holds."""
    if isinstance(value, list):
        return "[" + ", ".join(_numbers(each, digits) for each in value) + "]"
    if isinstance(value, float) and math.isfinite(value):
        return repr(float(f"{value:.{digits}g}"))
    return repr(value)
