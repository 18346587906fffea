"""What the cases have in common in which an answer is wrong, and the others don't."""

from collections.abc import Iterator, Sequence

import torch

from helpers.checking.outcome import Case
from helpers.checking.values import tensors

AXES = "Wrong only where an input has more than {} axes: count axes from the end, like dim=-1."
SIZES = (
    "Right only where two sizes are equal: two axes are taken for each other, which shows where they differ."
)


def contrast(right: Sequence[Case], wrong: Sequence[Case]) -> str:
    """A sentence that is true of the cases; "" where nothing tells them apart, or none is right."""
    if not right or not wrong:
        return ""
    features = [dict.fromkeys(_features(case)) for case in (*wrong, *right)]
    ours, others = features[: len(wrong)], features[len(wrong) :]
    for sentence in ours[0]:
        if all(sentence in found for found in ours) and not any(sentence in found for found in others):
            return sentence
    return ""


def _features(case: Case) -> Iterator[str]:
    """What is true of a case, each as the sentence to say if it is true of the wrong ones alone."""
    given = list(tensors([case.args, dict(case.kwargs)]))
    most = max((tensor.dim() for tensor in given), default=0)
    for axes in range(1, most):
        yield AXES.format(axes)
    arguments = [(f"argument {n}", value) for n, value in enumerate(case.args, 1)]
    for name, value in [*arguments, *((f"`{key}`", value) for key, value in case.kwargs.items())]:
        if isinstance(value, torch.Tensor):
            yield f"Wrong only where {name} is given."
        elif value is None or isinstance(value, bool):
            yield f"Wrong only where {name} is {value}."
        elif isinstance(value, str):
            yield f"Wrong only where {name} is {value!r:.40}."
    if not any(len(set(tensor.shape)) < tensor.dim() for tensor in given):
        yield SIZES
    for dtype in sorted({str(tensor.dtype).removeprefix("torch.") for tensor in given}):
        yield f"Wrong only where an input is {dtype}."
