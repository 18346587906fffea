"""Deep-ML's problems, from a checkout of Open-Deep-ML/DML-OpenProblem: questions/N_NAME/tests.json.

A test prints something, and the numbers in it are compared with those that are expected. How the site
compares them isn't public; some of the expected ones are right to three places only.
"""

import contextlib
import io
import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.truth_elsewhere.runner import Failure, failing

LACKS = {
    "softmax": {"large", "rows", "dim"},
    "attention": {"mask"},
    "multi_head_attention": {"mask", "projection"},
    "cross_entropy": {"ignore", "other index", "large"},
    "adamw_step": {"decay"},
}
NUMBER = re.compile(r"-?(?:nan|inf|\d+\.?\d*(?:e[+-]?\d+)?)")
_folder = Path()


def prepare(folder: Path) -> None:
    """Remember where the questions are."""
    globals()["_folder"] = folder / "questions"


def failures(task: str, answer: Callable) -> list[Failure]:
    """What the question's tests say."""
    question, form = FORMS[task]
    (path,) = _folder.glob(f"{question}_*/tests.json")
    found = []
    for test in json.loads(path.read_text(encoding="utf-8")):
        found += failing(lambda test=test: _compare(test, form(answer)))
    return found


def _compare(test: dict[str, str], names: dict[str, Callable]) -> None:
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(test["test"], {"np": np, "compute_qkv": lambda X, *maps: [X @ each for each in maps], **names})
    given, expected = (
        [float(n) for n in NUMBER.findall(t)] for t in (printed.getvalue(), test["expected_output"])
    )
    assert len(given) == len(expected), "mismatch"
    assert all(
        math.isclose(a, b, rel_tol=1e-3, abs_tol=1e-3) for a, b in zip(given, expected, strict=True)
    ), "mismatch"


def _tensor(array: Any) -> torch.Tensor:
    return torch.as_tensor(np.asarray(array, dtype=np.float64))


def _heads(answer: Callable, q: Any, k: Any, v: Any, heads: int) -> Any:
    own = torch.eye(q.shape[-1], dtype=torch.float64)
    q_k_v = (_tensor(each)[None] for each in (q, k, v))
    return answer(*q_k_v, own, own, own, own, heads)[0][0].numpy()


def _norm(answer: Callable, X: Any, gamma: Any, beta: Any) -> Any:
    return answer(_tensor(X), *(_tensor(each).flatten() for each in (gamma, beta))).numpy()


def _loss(answer: Callable, p: Any, labels: Any) -> float:
    return float(answer(_tensor(p).clamp(min=1e-15).log(), torch.as_tensor(labels).argmax(-1)))


def _adam(answer: Callable, *args: Any) -> Any:
    *tensors, step = args
    new = answer(*map(_tensor, tensors), step, 1e-3, (0.9, 0.999), 1e-8, 0.0)
    return tuple(each.numpy().tolist() for each in new)


FORMS: dict[str, tuple[int, Callable]] = {
    "softmax": (23, lambda answer: {"softmax": lambda x: answer(_tensor(x), -1).tolist()}),
    "attention": (53, lambda answer: {"self_attention": lambda *qkv: answer(*map(_tensor, qkv))[0].numpy()}),
    "sinusoids": (85, lambda answer: {"pos_encoding": lambda T, d: answer(T, d).tolist()}),
    "adamw_step": (87, lambda answer: {"adam_optimizer": lambda *args: _adam(answer, *args)}),
    "multi_head_attention": (
        94,
        lambda answer: {"multi_head_attention": lambda *args: _heads(answer, *args)},
    ),
    "layer_norm": (109, lambda answer: {"layer_normalization": lambda *args: _norm(answer, *args)}),
    "cross_entropy": (134, lambda answer: {"compute_cross_entropy_loss": lambda *args: _loss(answer, *args)}),
}
