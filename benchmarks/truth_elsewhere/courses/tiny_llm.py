"""tiny-llm's first week, from a checkout of skyzh/tiny-llm, on the CPU.

This module takes the place of what students write. The tests are for MLX (`pip install "mlx[cpu]" mlx-lm`
where there is no Mac), so arrays are converted.
"""

# ruff: noqa: D101, D103  (the course's book says what these are)

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import mlx.core as mx
import numpy as np
import torch

from benchmarks.truth_elsewhere.courses.by_pytest import pytested, work_in
from benchmarks.truth_elsewhere.runner import Failure

LACKS = {"softmax": {"large"}, "attention": {"mask"}}
FORMS = {
    "softmax": ["1.py::test_task_1_softmax"],
    "attention": ["1.py::test_task_1_simple_attention"],
    "rotary": ["2.py::test_task_1_rope_mlx_traditional"],
    "grouped_attention": [
        "3.py::test_task_1_mqa_and_non_divisible_heads", "3.py::test_task_2_grouped_attention_causal_mask",
    ],
    "causal_mask": ["3.py::test_task_2_mask_only_same_dim"],
    "rms_norm": [
        "4.py::test_task_1_rms_norm", "4.py::test_task_1_rms_norm_cast_to_float32",
        "4.py::test_task_1_rms_norm_leading_dimensions_and_dtype",
    ],
    "swiglu": ["4.py::test_task_2_qwen_mlp"],
}  # fmt: skip
_answers: dict[str, Callable] = {}


def prepare(folder: Path) -> None:
    """Work in the checkout, with this module for what students write."""
    work_in(folder, "tests_refsol.tiny_llm_base", __name__)


def failures(task: str, answer: Callable) -> list[Failure]:
    """What the task's tests say."""
    _answers[task] = answer
    return pytested([f"tests_refsol/test_week_1_day_{test}" for test in FORMS[task]] + ["-k", "cpu"])


def _called(task: str, *args: Any) -> mx.array:
    """An answer called with tensors; the first of its results as an array of the first argument's dtype."""
    given = [_tensor(arg) if isinstance(arg, mx.array) else arg for arg in args]
    found = _answers[task](*given)
    found = found[0] if isinstance(found, tuple) else found
    return mx.array(found.numpy()).astype(args[0].dtype)


def _tensor(array: mx.array) -> torch.Tensor:
    return torch.from_numpy(np.array(array.astype(mx.float32)))


def softmax(x: mx.array, axis: int) -> mx.array:
    return _called("softmax", x, axis)


def scaled_dot_product_attention_simple(query: Any, key: Any, value: Any) -> mx.array:
    return _called("attention", query, key, value)


def scaled_dot_product_attention_grouped(
    query: Any, key: Any, value: Any, scale: float | None = None, mask: Any = None
) -> mx.array:
    if query.shape[-3] % key.shape[-3]:
        raise ValueError("the query heads can't be shared out")
    if scale:
        query = query * (scale * query.shape[-1] ** 0.5)
    T, S = query.shape[-2], key.shape[-2]
    return _called(
        "grouped_attention", query, key, value, torch.ones(T, S).tril(S - T).bool() if mask else None
    )


def causal_mask(L: int, S: int, dtype: Any) -> mx.array:
    may = _answers["causal_mask"](L)
    return mx.array(torch.zeros(L, S).masked_fill(~may, -torch.inf).numpy()).astype(dtype)


class RoPE:
    def __init__(self, dims: int, seq_len: int, base: int, traditional: bool) -> None:
        self.base = base

    def __call__(self, x: mx.array, offset: slice | None = None) -> mx.array:
        at = torch.arange(x.shape[1]) + (offset.start if offset else 0)
        return _called("rotary", x.swapaxes(1, 2), at, float(self.base)).swapaxes(1, 2)


class RMSNorm:
    def __init__(self, dim: int, weight: mx.array, eps: float) -> None:
        self.weight, self.eps = _tensor(weight), eps

    def __call__(self, x: mx.array) -> mx.array:
        return _called("rms_norm", x, self.weight, self.eps)


class Qwen3MLP:
    def __init__(self, dim: int, hidden_dim: int, w_gate: mx.array, w_up: mx.array, w_down: mx.array) -> None:
        self.maps = w_gate, w_up, w_down

    def __call__(self, x: mx.array) -> mx.array:
        return _called("swiglu", x, *self.maps)


qwen3_week1 = SimpleNamespace(Qwen3MLP=Qwen3MLP)
