"""Which of this project's misconceptions are tried at which task of torch-judge, and how they take its form.

A slip isn't written twice: an adapter gives a misconception's variant, or a right alternative, the name and
the arguments that the other task asks for, so it is the same code on both sides.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

from autograder.exercises import load
from helpers.attention import scaled_dot_product_attention
from helpers.masking import causal_mask


@dataclass(frozen=True)
class Part:
    """Misconceptions and alternatives of one exercise that fit a task, and how they take its form."""

    exercise: str
    adapt: Callable[[Any], Any]
    slips: tuple[str, ...]
    right: tuple[str, ...] = ()


@dataclass(frozen=True)
class Task:
    """A task of torch-judge.

    Attributes:
        name: torch-judge's.
        parts: what is tried, by exercise of this project.
        slips: what is tried at a task that has no exercise here, by name.
        right: right answers to such a task.
    """

    name: str
    parts: tuple[Part, ...] = ()
    slips: Mapping[str, Callable] = field(default_factory=dict)
    right: Mapping[str, Callable] = field(default_factory=dict)


def variants(part: Part) -> tuple[dict[str, Any], dict[str, Any]]:
    """A part's wrong and right answers, as they are in this project, by name."""
    exercise = load(part.exercise.partition(".")[0])[part.exercise]
    wrong = {m.name: m.variant for m in exercise.misconceptions}
    right = {answer.__name__: answer for answer in exercise.alternatives}
    return {name: wrong[name] for name in part.slips}, {name: right[name] for name in part.right}


# -- adapters ------------------------------------------------------------------------------------------------


def _output(attention: Callable) -> Callable:
    """Attention that gives its output alone."""
    return lambda q, k, v: attention(q, k, v)[0]


def _with_softmax(softmax: Callable) -> Callable:
    """Attention by this softmax."""
    return lambda q, k, v: softmax(q @ k.transpose(-2, -1) / q.size(-1) ** 0.5, -1) @ v


def _with_mask(mask: Callable) -> Callable:
    """Attention through the mask that this function makes."""
    return lambda q, k, v: scaled_dot_product_attention(q, k, v, mask(q.size(-2)))[0]


def _masked(attention: Callable) -> Callable:
    """This attention through the right causal mask."""
    return lambda q, k, v: attention(q, k, v, causal_mask(q.size(-2)))[0]


def _both_turned(rotary: Callable) -> Callable:
    """Queries and keys turned, from position 0 on."""
    return lambda q, k: tuple(rotary(x, torch.arange(x.size(-2))) for x in (q, k))


def _what_is_compared(attention: Callable) -> Callable:
    """Queries and keys as rotary attention with this slip compares them.

    It gives back what comes after, outputs and weights, so these few are written once more.
    """
    exercises = load("positional")
    turn = exercises["positional.rotary"].reference
    names = {each.variant: each.name for each in exercises["positional.rotary_attention"].misconceptions}
    chosen: dict[str, Callable] = {
        "queries_alone": lambda q, k, at: (turn(q, at), k),
        "keys_alone": lambda q, k, at: (q, turn(k, at)),
        "keys_turned_back": lambda q, k, at: (turn(q, at), turn(k, -at)),
        "not_turned": lambda q, k, at: (q, k),
    }
    return lambda q, k: chosen[names[attention]](q, k, torch.arange(q.size(-2)))


def _of_three(module: type) -> type:
    """Multi-head attention whose keys and values come from two arguments: W_v gets the second."""

    class MultiHeadAttention(module):
        def __init__(self, d_model, num_heads):
            super().__init__(d_model, num_heads)

        def forward(self, Q, K, V):
            def values(_, inputs):
                return (V,) if inputs[0] is K else inputs

            with self.W_v.register_forward_pre_hook(values):
                return super().forward(Q, K)[0]

    return MultiHeadAttention


def _of_two(module: type) -> type:
    """Multi-head attention of one sequence to another, which gives its output alone."""

    class MultiHeadCrossAttention(module):
        def __init__(self, d_model, num_heads):
            super().__init__(d_model, num_heads)

        def forward(self, x_q, x_kv):
            return super().forward(x_q, x_kv)[0]

    return MultiHeadCrossAttention


# -- layer norm ----------------------------------------------------------------------------------------------


def _norm(x, gamma, beta, eps=1e-5, *, dim=-1, unbiased=False, root=0.5, outside=0.0):
    """A layer norm with room for slips."""
    var = x.var(dim=dim, keepdim=True, unbiased=unbiased)
    return (x - x.mean(dim=dim, keepdim=True)) / ((var + eps) ** root + outside) * gamma + beta


LAYER_NORM_SLIPS: dict[str, Callable] = {
    "over_the_first_axis": lambda x, gamma, beta: _norm(x, gamma, beta, dim=0),
    "over_everything": lambda x, gamma, beta: _norm(x, gamma, beta, dim=tuple(range(x.dim()))),
    "unbiased_variance": lambda x, gamma, beta: _norm(x, gamma, beta, unbiased=True),
    "no_root": lambda x, gamma, beta: _norm(x, gamma, beta, root=1),
    "epsilon_outside_the_root": lambda x, gamma, beta: _norm(x, gamma, beta, 0, outside=1e-5),
    "no_epsilon": lambda x, gamma, beta: _norm(x, gamma, beta, 0),
    "no_mean": lambda x, gamma, beta: (
        x / (x.var(-1, keepdim=True, unbiased=False) + 1e-5).sqrt() * gamma + beta
    ),
    "no_gamma": lambda x, gamma, beta: _norm(x, 1, beta),
    "no_beta": lambda x, gamma, beta: _norm(x, gamma, 0),
    "gamma_and_beta_swapped": lambda x, gamma, beta: _norm(x, beta, gamma),
}


def _by_squares(x, gamma, beta):
    mean = x.mean(-1, keepdim=True)
    return (x - mean) * torch.rsqrt(((x - mean) ** 2).mean(-1, keepdim=True) + 1e-5) * gamma + beta


def _by_var_mean(x, gamma, beta):
    var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return torch.addcmul(beta, gamma, (x - mean) / torch.sqrt(var + 1e-5))


# -- tasks ---------------------------------------------------------------------------------------------------

_HEADS = (
    "SplitByViewAlone", "MergedWithoutTransposing", "HeadsAmongThemselves", "NotSplit", "ScaledByModelWidth",
    "Unscaled", "ScaledByHeadWidth", "ScaledByNumberOfHeads", "SoftmaxOverQueries", "SoftmaxOverHeads",
    "NoOutputProjection",
)  # fmt: skip
_HEADS_RIGHT = ("WithEinsum", "OneHeadAfterAnother", "WithScaledQueries")

TASKS = (
    Task(
        "attention",
        (
            Part(
                "attention.scaled_dot_product",
                _output,
                (
                    "unscaled", "scaled_by_d_k", "scaled_by_number_of_keys", "multiplied_by_root",
                    "softmax_over_queries",
                ),
                ("with_einsum", "with_an_added_bias", "with_baddbmm"),
            ),
            Part(
                "attention.softmax",
                _with_softmax,
                # Not those that only overflow: the task promises nothing about large scores.
                ("divided_by_total", "not_divided", "logarithm", "always_first_axis", "no_keepdim"),
            ),
        ),
    ),
    Task("mha", (Part("multihead.module", _of_three, (*_HEADS, "KeysAndValuesSwapped"), _HEADS_RIGHT),)),
    Task(
        "causal_attention",
        (
            Part(
                "masking.causal",
                _with_mask,
                ("not_itself", "upper_triangle", "true_hides", "one_too_far", "only_itself"),
                ("compared_places", "future_taken_away", "row_by_row"),
            ),
            Part(
                "attention.scaled_dot_product",
                _masked,
                (
                    "unscaled", "scaled_by_d_k", "mask_ignored", "mask_after_softmax", "mask_sets_zero",
                    "filled_with_minus_hundred", "filled_with_infinity",
                ),
            ),
        ),
    ),
    Task(
        "rope",
        (
            Part(
                "positional.rotary",
                _both_turned,
                # Turning back and pairing halves are other conventions: scores by them are as good.
                (
                    "no_turn", "angles_in_halves", "partners_in_halves", "rotary_faster_and_faster",
                    "one_angle_for_all", "rotary_exponent_i", "overwritten_too_early", "added_instead",
                    "scaled_feature_by_feature",
                ),
                ("with_complex_numbers", "with_a_partner", "pair_by_pair"),
            ),
            Part(
                "positional.rotary_attention",
                _what_is_compared,
                ("queries_alone", "keys_alone", "keys_turned_back", "not_turned"),
            ),
        ),
    ),
    Task(
        "layernorm", slips=LAYER_NORM_SLIPS, right={"by_squares": _by_squares, "by_var_mean": _by_var_mean}
    ),
    Task(
        "cross_attention",
        (
            Part(
                "multihead.module",
                _of_two,
                # Not keys and values swapped: this task doesn't say which projection is whose.
                (*_HEADS, "ValuesNotProjected", "AlwaysItself", "TheOtherAsks"),
                _HEADS_RIGHT,
            ),
        ),
    ),
)  # fmt: skip
