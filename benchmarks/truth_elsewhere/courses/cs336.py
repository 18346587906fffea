"""CS336's first assignment, from a checkout of stanford-cs336/assignment1-basics.

This module takes the place of its tests/adapters.py. The tests compare with arrays in tests/_snapshots, for
the weights in tests/fixtures.
"""

# ruff: noqa: D103  (the course's tests/adapters.py says what these functions are)

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import torch

from benchmarks.truth_elsewhere.courses.by_pytest import pytested, work_in
from benchmarks.truth_elsewhere.runner import Failure

LACKS = {"cross_entropy": {"ignore", "other index"}, "clip_gradients": {"norm"}}
FORMS = {
    "softmax": ["test_nn_utils.py::test_softmax_matches_pytorch"],
    "cross_entropy": ["test_nn_utils.py::test_cross_entropy"],
    "clip_gradients": ["test_nn_utils.py::test_gradient_clipping"],
    "adamw_step": ["test_optimizer.py::test_adamw"],
    "cosine_lr": ["test_optimizer.py::test_get_lr_cosine_schedule"],
    "embedding": ["test_model.py::test_embedding"],
    "swiglu": ["test_model.py::test_swiglu"],
    "attention": [
        "test_model.py::test_scaled_dot_product_attention",
        "test_model.py::test_4d_scaled_dot_product_attention",
    ],
    "multi_head_attention": ["test_model.py::test_multihead_self_attention"],
    "rms_norm": ["test_model.py::test_rmsnorm"],
    "rotary": ["test_model.py::test_rope"],
}
_answers: dict[str, Callable] = {}


def prepare(folder: Path) -> None:
    """Work in the checkout, with this module for the adapters that students write."""
    work_in(folder, "tests.adapters", __name__)


def failures(task: str, answer: Callable) -> list[Failure]:
    """What the task's tests say."""
    _answers[task] = answer
    return pytested([f"tests/{test}" for test in FORMS[task]])


def __getattr__(name: str) -> Any:
    """The adapters of a function that its file of tests imports, and whose tests don't run."""
    if name.startswith(("run_", "get_")):
        return None
    raise AttributeError(name)


def run_softmax(in_features: torch.Tensor, dim: int) -> torch.Tensor:
    return _answers["softmax"](in_features, dim)


def run_cross_entropy(inputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    return _answers["cross_entropy"](inputs, targets)


def run_gradient_clipping(parameters: Iterable[torch.nn.Parameter], max_l2_norm: float) -> None:
    parameters = [p for p in parameters if p.grad is not None]
    new, _ = _answers["clip_gradients"]([p.grad for p in parameters], max_l2_norm)
    for p, gradient in zip(parameters, new, strict=True):
        p.grad.copy_(gradient)


def run_get_lr_cosine_schedule(
    it: int, max_learning_rate: float, min_learning_rate: float, warmup_iters: int, cosine_cycle_iters: int
) -> float:
    rates = max_learning_rate, min_learning_rate
    return _answers["cosine_lr"](it, warmup_iters, cosine_cycle_iters, *rates)


def run_embedding(
    vocab_size: int, d_model: int, weights: torch.Tensor, token_ids: torch.Tensor
) -> torch.Tensor:
    return _answers["embedding"](token_ids, weights)


def run_swiglu(
    d_model: int, d_ff: int, w1_weight: Any, w2_weight: Any, w3_weight: Any, in_features: Any
) -> Any:
    return _answers["swiglu"](in_features, w1_weight, w3_weight, w2_weight)


def run_scaled_dot_product_attention(Q: Any, K: Any, V: Any, mask: Any = None) -> torch.Tensor:
    return _answers["attention"](Q, K, V, mask)[0]


def run_multihead_self_attention(
    d_model: int, num_heads: int, q_proj_weight: Any, k_proj_weight: Any, v_proj_weight: Any,
    o_proj_weight: Any, in_features: torch.Tensor,
) -> torch.Tensor:  # fmt: skip
    x, T = in_features, in_features.size(-2)
    maps = q_proj_weight, k_proj_weight, v_proj_weight, o_proj_weight
    return _answers["multi_head_attention"](x, x, x, *maps, num_heads, torch.ones(T, T).tril().bool())[0]


def run_rmsnorm(d_model: int, eps: float, weights: torch.Tensor, in_features: torch.Tensor) -> torch.Tensor:
    return _answers["rms_norm"](in_features, weights, eps)


def run_rope(d_k: int, theta: float, max_seq_len: int, in_query_or_key: Any, token_positions: Any) -> Any:
    return _answers["rotary"](in_query_or_key, token_positions, theta)


def get_adamw_cls() -> type[torch.optim.Optimizer]:
    class AdamW(torch.optim.Optimizer):
        def __init__(self, params: Any, **options: Any) -> None:
            super().__init__(params, options)

        @torch.no_grad()
        def step(self, closure: Any = None) -> None:
            for group in self.param_groups:
                for p in group["params"]:
                    state = self.state[p] or {"step": 0, "m": torch.zeros_like(p), "v": torch.zeros_like(p)}
                    rest = (group[name] for name in ("lr", "betas", "eps", "weight_decay"))
                    state["step"] += 1
                    new = _answers["adamw_step"](
                        p.clone(), p.grad, state["m"], state["v"], state["step"], *rest
                    )
                    self.state[p] = {"step": state["step"], "m": new[1], "v": new[2]}
                    p.copy_(new[0])

    return AdamW
