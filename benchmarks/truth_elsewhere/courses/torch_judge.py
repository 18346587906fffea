"""torch-judge, the tests of TorchCode: `pip install --no-deps --target FOLDER torch-judge==0.1.1`."""

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import nn

from benchmarks.truth_elsewhere.runner import Failure, failing

LACKS = {
    "attention": {"mask"},
    "multi_head_attention": {"mask"},
    "rotary": {"positions", "convention"},
    "cross_entropy": {"ignore", "other index"},
    "with_temperature": {"greedy"},
    "top_k": {"rows", "normalised"},
    "nucleus": {"crossing", "normalised"},
    "adamw_step": {"decay"},
    "cosine_lr": {"after the end"},
    "quantize_int8": {"zeros"},
}


def prepare(folder: Path) -> None:
    """Make the package importable, and let it note its progress elsewhere."""
    sys.path.insert(0, str(folder))
    os.environ["PROGRESS_PATH"] = str(Path(tempfile.mkdtemp()) / "progress.json")


def failures(task: str, answer: Callable) -> list[Failure]:
    """As torch_judge.engine.check runs a task's tests, but without its record, and from a fixed seed."""
    from torch_judge.tasks import get_task

    name, form = FORMS[task]
    entry = get_task(name)
    found = []
    for test in entry["tests"]:
        torch.manual_seed(0)
        code = test["code"].replace("{fn}", entry["function_name"])
        found += failing(lambda code=code: exec(code, {entry["function_name"]: form(answer)}))
    return found


def module(build: Callable, forward: Callable) -> type[nn.Module]:
    """A class of modules, from what its `__init__` and its `forward` do."""

    class Made(nn.Module):
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__()
            build(self, *args, **options)

        def forward(self, *args: Any, **options: Any) -> Any:
            return forward(self, *args, **options)

    return Made


def _linear(n_in: int, n_out: int) -> nn.Linear:
    return nn.Linear(n_in, n_out, bias=False)


def _attention(forward: Callable) -> type[nn.Module]:
    """A class with the four maps of multi-head attention."""

    def build(self: Any, d_model: int, num_heads: int, num_kv_heads: int = 0) -> None:
        width = d_model // num_heads * (num_kv_heads or num_heads)
        self.heads, self.d_k = num_heads, d_model // num_heads
        self.W_q, self.W_k = _linear(d_model, d_model), _linear(d_model, width)
        self.W_v, self.W_o = _linear(d_model, width), _linear(d_model, d_model)

    return module(build, forward)


def _maps(m: Any) -> list[torch.Tensor]:
    return [layer.weight for layer in (m.W_q, m.W_k, m.W_v, m.W_o)]


def _grouped(answer: Callable) -> type[nn.Module]:
    def forward(m: Any, x: torch.Tensor) -> torch.Tensor:
        q, k, v = (w(x).unflatten(-1, (-1, m.d_k)).transpose(1, 2) for w in (m.W_q, m.W_k, m.W_v))
        return m.W_o(answer(q, k, v).transpose(1, 2).flatten(2))

    return _attention(forward)


def _cached(answer: Callable) -> type[nn.Module]:
    def forward(m: Any, x: torch.Tensor, cache: Any = None) -> Any:
        k, v = cache or 2 * [torch.empty(len(x), m.heads, 0, m.d_k)]
        q_k_v = (w.unflatten(0, (m.heads, -1)).mT for w in _maps(m)[:3])
        out, k, v = answer(x[:, None], k, v, *q_k_v)
        return m.W_o(out.transpose(1, 2).flatten(2)), (k, v)

    return _attention(forward)


def _masked(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, may: torch.Tensor) -> torch.Tensor:
    scores = q @ k.mT / q.size(-1) ** 0.5
    return scores.masked_fill(~may, -torch.inf).softmax(-1) @ v


def _sampler(warm: Callable, k_best: Callable, p_best: Callable) -> Callable:
    """Draws a token, with whichever of the three steps is the answer."""

    def sample(logits: torch.Tensor, top_k: int = 0, top_p: float = 1.0, temperature: float = 1.0) -> int:
        p = warm(logits, temperature)
        p = k_best(p, top_k) if top_k else p
        return int(torch.multinomial(p_best(p, top_p) if top_p < 1 else p, 1))

    return sample


def _warm(logits: torch.Tensor, temperature: float) -> torch.Tensor:
    return (logits / temperature).softmax(-1)


def _k_best(p: torch.Tensor, k: int) -> torch.Tensor:
    return p * (p >= p.topk(k).values[-1])


def _p_best(p: torch.Tensor, least: float) -> torch.Tensor:
    ordered, places = p.sort(descending=True)
    return torch.zeros_like(p).scatter(0, places, ordered * (ordered.cumsum(0) - ordered < least))


def _adam(answer: Callable) -> type:
    class Adam:
        def __init__(
            self, params: Any, lr: float = 1e-3, betas: Any = (0.9, 0.999), eps: float = 1e-8
        ) -> None:
            self.params, self.rest, self.step_ = list(params), (lr, betas, eps, 0.0), 0
            self.moments = [(torch.zeros_like(p), torch.zeros_like(p)) for p in self.params]

        def zero_grad(self) -> None:
            for p in self.params:
                p.grad.zero_()

        @torch.no_grad()
        def step(self) -> None:
            self.step_ += 1
            for i, p in enumerate(self.params):
                new, *moments = answer(p.clone(), p.grad, *self.moments[i], self.step_, *self.rest)
                self.moments[i] = tuple(moments)
                p.copy_(new)

    return Adam


def _clipped(answer: Callable) -> Callable:
    def clip(parameters: Any, max_norm: float) -> float:
        parameters = list(parameters)
        new, norm = answer([p.grad for p in parameters], max_norm)
        for p, gradient in zip(parameters, new, strict=True):
            p.grad.copy_(gradient)
        return float(norm)

    return clip


def _lora(m: Any, in_features: int, out_features: int, rank: int, alpha: float = 1.0) -> None:
    m.linear, m.alpha = nn.Linear(in_features, out_features).requires_grad_(False), alpha
    m.lora_A = nn.Parameter(torch.randn(rank, in_features))
    m.lora_B = nn.Parameter(torch.zeros(out_features, rank))


def _int8(answer: Callable) -> type[nn.Module]:
    def build(m: Any, weight: torch.Tensor, bias: Any = None) -> None:
        for name, buffer in zip(("weight_int8", "scale"), answer(weight), strict=True):
            m.register_buffer(name, buffer)
        m.bias = bias

    return module(build, lambda m, x: nn.functional.linear(x, m.weight_int8 * m.scale, m.bias))


def _embedding(m: Any, num_embeddings: int, embedding_dim: int) -> None:
    m.weight = nn.Parameter(torch.randn(num_embeddings, embedding_dim))


def _gated(m: Any, d_model: int, d_ff: int) -> None:
    m.gate_proj, m.up_proj, m.down_proj = (
        _linear(d_model, d_ff),
        _linear(d_model, d_ff),
        _linear(d_ff, d_model),
    )


def _dropped(answer: Callable) -> type[nn.Module]:
    return module(
        lambda m, p=0.5: setattr(m, "p", p), lambda m, x: answer(x, m.p, m.training, torch.rand_like(x))
    )


FORMS: dict[str, tuple[str, Callable]] = {
    "softmax": ("softmax", lambda answer: answer),
    "attention": ("attention", lambda answer: lambda q, k, v: answer(q, k, v)[0]),
    "causal_mask": (
        "causal_attention",
        lambda answer: lambda q, k, v: _masked(q, k, v, answer(q.size(1))),
    ),
    "sliding_window_mask": (
        "sliding_window",
        lambda answer: lambda q, k, v, window_size: _masked(q, k, v, answer(q.size(1), window_size)),
    ),
    "multi_head_attention": (
        "mha",
        lambda answer: _attention(lambda m, q, k, v: answer(q, k, v, *_maps(m), m.heads)[0]),
    ),
    "cross_attention": (
        "cross_attention",
        lambda answer: _attention(lambda m, x, memory: answer(x, memory, *_maps(m), m.heads)[0]),
    ),
    "grouped_attention": ("gqa", _grouped),
    "cached_attention": ("kv_cache", _cached),
    "layer_norm": ("layernorm", lambda answer: answer),
    "rms_norm": ("rmsnorm", lambda answer: answer),
    "rotary": ("rope", lambda answer: lambda q, k: tuple(answer(x, torch.arange(x.size(1))) for x in (q, k))),
    "embedding": ("embedding", lambda answer: module(_embedding, lambda m, ids: answer(ids, m.weight))),
    "gelu": ("gelu", lambda answer: answer),
    "swiglu": (
        "mlp",
        lambda answer: module(
            _gated, lambda m, x: answer(x, m.gate_proj.weight, m.up_proj.weight, m.down_proj.weight)
        ),
    ),
    "cross_entropy": ("cross_entropy", lambda answer: answer),
    "with_temperature": ("topk_sampling", lambda answer: _sampler(answer, _k_best, _p_best)),
    "top_k": ("topk_sampling", lambda answer: _sampler(_warm, answer, _p_best)),
    "nucleus": ("topk_sampling", lambda answer: _sampler(_warm, _k_best, answer)),
    "adamw_step": ("adam", _adam),
    "cosine_lr": (
        "cosine_lr",
        lambda answer: (
            lambda step, total_steps, warmup_steps, max_lr, min_lr=0.0: answer(
                step, warmup_steps, total_steps, max_lr, min_lr
            )
        ),
    ),
    "clip_gradients": ("gradient_clipping", _clipped),
    "dropout": ("dropout", _dropped),
    "lora": (
        "lora",
        lambda answer: module(
            _lora, lambda m, x: answer(x, m.linear.weight, m.linear.bias, m.lora_A, m.lora_B, m.alpha)
        ),
    ),
    "quantize_int8": ("int8_quantization", _int8),
}
