"""This project's exercises as one more course: how answers take their form, and what the check says."""

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.authoring.trials import checked
from autograder.sheets import one_thread
from benchmarks import strangers
from benchmarks.truth_elsewhere.tasks import PRELUDE, Answer, Task
from helpers.checking.finding import Finding, Status

READINGS = Path(__file__).parent / "readings.toml"
SECRET = b"the same answers elsewhere"
LACKS = {"cross_entropy": {"other index"}}
EXERCISES = {
    "accepted_drafts": "modern.accepted",
    "adamw_step": "pretraining.adamw",
    "adjusted_target": "modern.adjusted",
    "alibi_bias": "positional.penalty",
    "attention": "attention.scaled_dot_product",
    "bleu": "translation.bleu",
    "cached_attention": "masking.cache",
    "causal_mask": "masking.causal",
    "cross_entropy": "pretraining.loss",
    "dropout": "block.dropout",
    "encode_word": "pretraining.encode_word",
    "expert_gates": "modern.gates",
    "gelu": "block.gelu",
    "grouped_attention": "complexity.grouped_attention",
    "inputs_and_targets": "pretraining.inputs_and_targets",
    "label_smoothed_loss": "translation.label_smoothed_loss",
    "layer_norm": "block.layer_norm",
    "lora": "finetuning.adapter",
    "mean_real": "finetuning.mean_real",
    "merge_pair": "pretraining.merge_pair",
    "multi_head_attention": "multihead.module",
    "noam_rate": "translation.paper_rate",
    "nucleus": "pretraining.nucleus",
    "padding_mask": "masking.padding",
    "perplexity": "pretraining.perplexity",
    "quantize_int8": "modern.quantized",
    "rms_norm": "modern.rms_norm",
    "rotary": "positional.rotary",
    "sinusoids": "positional.sinusoidal",
    "softmax": "attention.softmax",
    "swiglu": "modern.gated",
    "top_k": "pretraining.top_k",
    "with_temperature": "pretraining.temperature",
}
# Where an exercise has another form: code that brings the answer into it, as `answer`.
FORMS = {
    "adamw_step": """
def answer(weight, gradient, mean, square, step, lr, betas=(0.9, 0.999), eps=1e-8, decay=0.01):
    decay = decay if weight.dim() > 1 else 0.0
    return adamw_step(weight, gradient, mean, square, step, lr, betas, eps, decay)
""",
    "cached_attention": """
def answer(cache, x, W_q, W_k, W_v):
    output, k, v = cached_attention(x, cache["k"], cache["v"], W_q, W_k, W_v)
    return output, {"k": k, "v": v}
""",
    "encode_word": """
def answer(word, merges):
    return " ".join(encode_word(list(word), [tuple(pair.split()) for pair in merges]))
""",
    "merge_pair": """
def answer(word, pair):
    return " ".join(merge_pair(word.split(), tuple(pair.split())))
""",
    "lora": """
class answer(nn.Module):
    def __init__(self, linear, rank, alpha):
        super().__init__()
        self.linear, self.alpha = linear.requires_grad_(False), alpha
        self.A = nn.Parameter(torch.randn(rank, linear.in_features) / math.sqrt(linear.in_features))
        self.B = nn.Parameter(torch.zeros(linear.out_features, rank))
    def forward(self, x):
        return lora(x, self.linear.weight, self.linear.bias, self.A, self.B, self.alpha)
""",
    "multi_head_attention": """
class answer(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(d_model, d_model) for _ in range(4))
    def forward(self, y, x=None, mask=None):
        x = y if x is None else x
        own = torch.eye(y.size(-1), dtype=y.dtype)
        maps = own, own, own, self.W_o.weight
        q, k, v = self.W_q(y), self.W_k(x), self.W_v(x)
        output, weights = multi_head_attention(q, k, v, *maps, self.n_heads, mask)
        return output + self.W_o.bias, weights
""",
    "swiglu": """
class answer(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_gate, self.W_up = nn.Linear(d_model, d_ff, bias=False), nn.Linear(d_model, d_ff, bias=False)
        self.W_down = nn.Linear(d_ff, d_model, bias=False)
    def forward(self, x):
        return swiglu(x, self.W_gate.weight, self.W_up.weight, self.W_down.weight)
""",
}


@dataclass(frozen=True)
class Judged:
    """What an answer gets here.

    Attributes:
        passes: the cases that students see, and all hidden draws if the answer is right, any if it is wrong.
        reading: how true the message is, by somebody who read it: "named", "true", "nothing" or "misleading";
            "unread" if the message has changed since; "" if there is none.
        finding: the message.
    """

    passes: bool
    reading: str
    finding: Finding


def judged(task: Task, answer: Answer) -> Judged:
    """What the exercise says to an answer."""
    id = EXERCISES[task.name]
    with one_thread():
        handed_in = _handed_in(task, answer)
        finding = checked(strangers.exercise(id), handed_in, strangers.visible(id))
        draws = strangers.passes(id, handed_in, SECRET)
        passes = finding.status == Status.PASSED and (all if answer.right else any)(draws)
    return Judged(passes, reading(task, answer, finding), finding)


def message(finding: Finding) -> str:
    """What is said of the cause: its name, if it is a known mistake, and the sentence."""
    return (
        f"{finding.cause}: {finding.meaning or finding.returned}" if finding.status != Status.PASSED else ""
    )


def reading(task: Task, answer: Answer, finding: Finding) -> str:
    """How somebody found the message, if it still begins as it did then."""
    found, begins = _readings().get(task.name, {}).get(answer.name, ("", ""))
    said = message(finding)
    return found if begins and said.startswith(begins) else "unread" if said else ""


@functools.cache
def _readings() -> Mapping[str, Any]:
    return tomllib.loads(READINGS.read_text(encoding="utf-8"))


def _handed_in(task: Task, answer: Answer) -> Any:
    """The object that a student would pass to `check`; its source can be read, as in a notebook."""
    code, names = PRELUDE + answer.code + FORMS.get(task.name, ""), dict[str, Any](__name__="answer")
    strangers.run(code, f"<{task.name} {answer.name}>", names)
    return names["answer" if task.name in FORMS else task.name]
