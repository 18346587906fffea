"""The drivers of tensors: gradients, modules, training steps, and how large tensors grow on the way."""

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from helpers.checking.calling.choosing import not_tried_out, unusable
from helpers.checking.calling.drivers import call_function, cloned, seeded
from helpers.checking.calling.outcome import CallStatus, Case, Outcome
from helpers.checking.calling.printing import captured
from helpers.checking.calling.registry import is_recipe, make_layer
from helpers.checking.calling.values import Opaque, map_tensors, tensors


def _by_grad(total: torch.Tensor, leaves: list[torch.Tensor]) -> list:
    return list(torch.autograd.grad(total, leaves, allow_unused=True))


def gradients_of(answer: Callable, case: Case, way: Callable = _by_grad) -> list:
    """The gradients that reach the tensors among a case's arguments; None for each where none arrives."""
    args, kwargs = cloned(list(case.args)), cloned(dict(case.kwargs))
    leaves = [tensor.requires_grad_() for tensor in tensors([args, kwargs]) if tensor.is_floating_point()]
    # The answer gets copies of the leaves: autograd refuses to change a leaf in place, and a slip that
    # "inputs unchanged" explains well should not surface as autograd's complaint.
    args, kwargs = map_tensors(lambda t: t.clone() if t.requires_grad else t, [args, kwargs])
    try:
        # What it prints, it has printed a moment ago, and float(x) warns where x has a gradient.
        with captured(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            returned = seeded(answer, args, kwargs)
            outputs = [t for t in tensors(returned) if t.is_floating_point()]
            if not any(output.requires_grad for output in outputs):
                return [None] * len(leaves)
            total = sum(((t * ramp).sum() for t, ramp in _ramps(outputs)), start=torch.zeros(()))
            return way(total, leaves)
    except RuntimeError as error:
        # With use_reentrant=True, a checkpoint takes `.backward()` alone.
        if way is _by_grad and "checkpoint" in str(error):
            return gradients_of(answer, case, _by_backward)
        # The same call has just worked without gradients: .numpy() or /= on the way, say.
        return [None] * len(leaves)


def _by_backward(total: torch.Tensor, leaves: list[torch.Tensor]) -> list:
    total.backward()
    return [leaf.grad for leaf in leaves]


def _ramps(outputs: list[torch.Tensor]) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """A different weight for each number of all outputs together, so that no two of them can cancel.

    None is 0, and their sum isn't: a gradient that is wrong at one number, or by the same at all, shows.
    Two values and one tensor that holds the two get the same weights.
    """
    weights = torch.linspace(0.5, 1.5, sum(t.numel() for t in outputs), dtype=torch.float64)
    parts = weights.split([t.numel() for t in outputs])
    return ((t, part.to(t.dtype).reshape(t.shape)) for t, part in zip(outputs, parts, strict=True))


def call_measured(answer: object, case: Case, gradients: bool) -> Outcome:
    """A function, and how large the largest tensor was that it made on the way."""
    if not callable(answer):
        return unusable("a function", answer)
    with _Sizes() as sizes:
        outcome = call_function(answer, case, False)
    outcome = replace(outcome, largest=sizes.largest) if outcome.status == CallStatus.RETURNED else outcome
    return replace(outcome, gradients=gradients_of(answer, case)) if gradients else outcome


class _Sizes(TorchDispatchMode):
    """Notes the number of elements of the largest tensor that an operation gives, views among them."""

    largest = 0

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # telling torch's compiler to keep out would import it, which takes a second

    def __torch_dispatch__(
        self, func: Callable, types: object, args: tuple = (), kwargs: dict | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        self.largest = max([self.largest, *(tensor.numel() for tensor in tensors(result))])
        return result


def prepare(answer: object, case: Case, gradients: bool) -> Outcome:
    """A function that prepares a model of ours, named by a recipe, for training: a step of training follows.

    What counts is the parameters afterwards.
    """
    if not callable(answer):
        return unusable("a function", answer)

    def call(recipe: Mapping, *rest: Any, **kwargs: Any) -> dict:
        model = make_layer(recipe)
        returned = answer(model, *rest, **kwargs)
        try:
            model.step(returned)
        except (TypeError, AttributeError) as error:  # a result of another type than was asked for
            raise _Unusable(*not_tried_out(error)) from None
        return {name: weight.detach().clone() for name, weight in model.named_parameters()}

    return _called(call, case, False)


def module(answer: object, case: Case, gradients: bool) -> Outcome:
    """A class of modules. The case's arguments: those of the class, the parameters by name, the inputs.

    Each parameter gets the case's values, and gradients reach those too. Values are those in training mode,
    gradients those in evaluation mode: no exercise has a module that differs between the two.
    """
    if not callable(answer):
        return unusable("a class of modules", answer)

    def forward(settings: Mapping, weights: Mapping, /, *inputs: Any, **kwargs: Any) -> Any:
        made = {name: make_layer(value) if is_recipe(value) else value for name, value in settings.items()}
        module = answer(**made)
        if not isinstance(module, torch.nn.Module):
            raise _Unusable("a class derived from torch.nn.Module", repr(answer))
        found = {name: tuple(weight.shape) for name, weight in module.named_parameters()}
        wanted = {name: tuple(weight.shape) for name, weight in weights.items()}
        if found != wanted:
            asked = _shapes(wanted, found)
            said = f"the parameters {asked}" if asked else "no such parameters"
            raise _Unusable(said, _shapes(found, wanted) or "none of these")
        to_fill = [value for value in kwargs.values() if value == []]  # what gets into these is a result, too
        _lend(module, weights)
        module.train(not any(weight.requires_grad for weight in weights.values()))
        returned = module(*inputs, **kwargs)
        return [returned, *to_fill] if to_fill else returned

    return _called(forward, case, gradients)


def _called(function: Callable, case: Case, gradients: bool) -> Outcome:
    try:
        return call_function(function, case, gradients)
    except _Unusable as error:
        return Outcome(CallStatus.UNUSABLE, error=error.wanted, message=error.found[:200])


def _lend(module: torch.nn.Module, weights: Mapping[str, torch.Tensor]) -> None:
    """Put weights in the place of a module's parameters, for good: the backward pass may need them again."""
    lent = {id(parameter): weights[name] for name, parameter in module.named_parameters()}
    for part in module.modules():
        for name, parameter in part._parameters.items():
            if parameter is not None:  # a tensor that carries a gradient on isn't to be assigned
                part._parameters[name] = lent[id(parameter)]  # type: ignore[assignment]


class _Unusable(Exception):
    """What was wanted, and what was found."""

    def __init__(self, wanted: str, found: str) -> None:
        self.wanted, self.found = wanted[:200], found


def _shapes(these: Mapping, others: Mapping) -> str:
    """Parameters with their shapes, those alone that the others lack, or have in another shape."""
    return ", ".join(f"{name} {shape}" for name, shape in these.items() if others.get(name) != shape)


def train(answer: object, case: Case, gradients: bool) -> Outcome:
    """A training step, once for each batch. The case's arguments: a recipe of what is trained, the batches.

    What counts is what each step returned, and the parameters afterwards. A loss that comes back with its
    graph isn't the number that it holds.
    """
    if not callable(answer):
        return unusable("a function", answer)

    def steps(recipe: Mapping, batches: list, **kwargs: Any) -> tuple[list, dict]:
        model, optimizer, loss = make_layer(recipe)
        returned = [answer(model, optimizer, loss, tuple(batch), **kwargs) for batch in batches]
        returned = [Opaque("tensor with its graph") if _has_graph(each) else each for each in returned]
        return returned, {name: weight.detach().clone() for name, weight in model.named_parameters()}

    return call_function(steps, case, False)


def _has_graph(value: object) -> bool:
    return isinstance(value, torch.Tensor) and value.requires_grad
