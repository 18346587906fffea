"""What rounding does to an exercise: how exact its reference is, and whether rounding decides an answer."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from autograder.exercise import Exercise
from autograder.sheets import outcome_of
from helpers.checking.calling.drivers import judged
from helpers.checking.calling.outcome import Case, Outcome
from helpers.checking.calling.values import arrays, map_tensors, tensors
from helpers.checking.comparing import compare
from helpers.checking.kinds.arrays import is_floating

SLACK = 0.1  # of what a comparison allows: the rest is for answers
NARROW = (torch.float16, torch.bfloat16, torch.float32)
# Operations by whose result a difference in the last digit can become a large one ...
DECIDE = {
    "round", "floor", "ceil", "trunc", "sort", "topk", "argsort", "argmax", "argmin", "searchsorted",
    "bucketize", "multinomial",
}  # fmt: skip
# ... those of which that is true only of numbers that were computed: a case's own are the same for everybody,
COMPARE = {"gt", "lt", "ge", "le", "eq", "ne", "isclose", "_to_copy"}  # the last as a cast to whole numbers
# ... and those that compute nothing: they move numbers about, or make new ones.
MOVE = {
    "clone", "cat", "stack", "index", "gather", "take", "index_select", "where", "masked_fill",
    "scatter", "index_put", "max", "min", "amax", "amin", "maximum", "minimum", "neg", "abs", "sign",
    "relu", "clamp", "tril", "triu", "flip", "roll", "repeat", "constant_pad_nd", "lift_fresh", "copy",
    "fill", "zeros", "ones", "full", "empty", "arange", "eye", "scalar_tensor", "zeros_like",
    "ones_like", "full_like", "new_zeros", "new_ones", "new_full", "_to_copy", "round", "floor", "ceil",
    "trunc", "sort", "topk",
}  # fmt: skip
ALTERNATIVES = 3  # at least, where rounding can decide an answer
OTHERS_MODELS = ("prepare", "train")  # drivers that train a model of ours, which is in float32


def faults(exercise: Exercise, cases: Sequence[tuple[Case, Outcome, str]]) -> Iterator[str]:
    """How an exercise doesn't do what rounding asks for: an exact reference, and several right answers.

    Args:
        exercise: the exercise.
        cases: with what is right for each, and where it is.
    """
    for case, expected, where in cases:
        if inexact(exercise, case, expected):
            cure = "let each step of it compute in the dtype of the inputs"
            if not any(map(is_floating, arrays([case.args, dict(case.kwargs)]))):
                cure = "let each step of it compute in float64, and give its result the dtype it should have"
            yield f"{where}, the reference is less exact than answers have to be; {cure}"
            break
    deciding = decisions(exercise, [case for case, _, _ in cases])
    if deciding and len(exercise.alternatives) < ALTERNATIVES:
        text = f"rounding can decide its answer ({', '.join(sorted(deciding))})"
        yield f"{text}; write at least {ALTERNATIVES} alternatives, each of which rounds differently"


def inexact(exercise: Exercise, case: Case, expected: Outcome) -> bool:
    """Whether the reference is less exact on a case than answers have to be."""
    if exercise.driver in OTHERS_MODELS:
        return False
    with _Widened():
        exact = judged(exercise.driver, case, outcome_of(exercise, exercise.reference, case))
    got = _like(expected.outputs, exact.outputs)
    return compare(expected.outputs, got, slack=SLACK) is not None


class _Widened(TorchDispatchMode):
    """Computes in float64 throughout: each operation takes and gives it in place of narrower numbers."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False

    def __torch_dispatch__(
        self, func: Any, types: object, args: tuple = (), kwargs: Mapping | None = None
    ) -> Any:
        args, kwargs = _wide(args), _wide(dict(kwargs or {}))
        # What is made of nothing, such as zeros, is widened too: what is written into it would otherwise go
        # into the wide copy that the writing gets, and be lost.
        return _wide(func(*args, **kwargs))


def _wide(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.double() if value.dtype in NARROW else value
    if isinstance(value, torch.dtype):
        return torch.float64 if value in NARROW else value
    if isinstance(value, dict):
        return {key: _wide(item) for key, item in value.items()}
    return type(value)(map(_wide, value)) if isinstance(value, list | tuple) else value


def _like(wanted: Any, found: Any) -> Any:
    """What was found, each tensor in the dtype of the one that is wanted."""
    kinds = iter([tensor.dtype for tensor in tensors(wanted)])
    return map_tensors(lambda tensor: tensor.to(next(kinds, tensor.dtype)), found)


def decisions(exercise: Exercise, cases: Iterable[Case]) -> set[str]:
    """The operations by which rounding can decide what the reference gives."""
    with _Decisions() as found:
        for case in cases:
            outcome_of(replace(exercise, properties=()), exercise.reference, case)
    return found.names


class _Decisions(TorchDispatchMode):
    """Notes the operations by which rounding can decide a result."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.computed: dict[
            int, torch.Tensor
        ] = {}  # tensors that rounding has touched, kept so that ids are theirs

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False

    def _rounds(self, tensor: torch.Tensor) -> bool:
        """Whether a tensor is rounded, or its sums and products are: those of whole numbers are exact."""
        return id(tensor) in self.computed or not bool((tensor == tensor.round()).all())

    def __torch_dispatch__(
        self, func: Any, types: object, args: tuple = (), kwargs: Mapping | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        name = func._schema.name.removeprefix("aten::").removesuffix("_")
        floats = [tensor for tensor in tensors([args, dict(kwargs or {})]) if tensor.is_floating_point()]
        given = list(filter(self._rounds, floats))
        made = [tensor for tensor in tensors(result) if tensor.is_floating_point()]
        rounded = any(id(tensor) in self.computed for tensor in given)
        if given and (name in DECIDE or (rounded and name in COMPARE and not made)):
            self.names.add("a cast to whole numbers" if name == "_to_copy" else name)
        if rounded or (floats and name not in MOVE and not func.is_view):
            self.computed |= {id(tensor): tensor for tensor in made if given or self._rounds(tensor)}
        return result
