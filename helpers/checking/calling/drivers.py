"""How a student's object is called: a case goes in, an outcome comes out.

A driver runs where the student's code runs, in the notebook or in the grader's sandbox. It decides nothing:
it reports what came back, what happened to the inputs and, where asked, the gradients. It is for
`helpers.checking.assessing` to judge, on whichever side of the sandbox the verdict is made.
"""

import linecache
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from helpers.checking.calling.choosing import choice, unusable
from helpers.checking.calling.forbidding import ForbiddenCall, current, forbid, imported
from helpers.checking.calling.outcome import CallStatus, Case, Outcome
from helpers.checking.calling.printing import captured
from helpers.checking.calling.registry import is_recipe, make_layer
from helpers.checking.calling.surroundings import as_torch_begins
from helpers.checking.calling.values import Opaque, map_tensors, settled, tensors

GENERATOR = "<generator>"  # in a case, stands for a torch.Generator


def run(
    driver: str, answer: object, case: Case, *, gradients: bool = False, forbidden: tuple = ()
) -> Outcome:
    """Call a student's answer on one case and report what happened.

    Args:
        driver: a key of `DRIVERS`.
        answer: the student's object: a function, a class for "module", a dict for "choice".
        case: its arguments. They are cloned first, so a case can be used again.
        gradients: whether to call a second time and send gradients back to the inputs.
        forbidden: dotted names of functions that raise while the answer runs.
    """
    for name in imported(forbidden):
        if _is(answer, current(name)):
            return Outcome(CallStatus.FORBIDDEN, error=name)
    with captured() as printed:
        outcome = _run(driver, answer, case, gradients, forbidden)
    return replace(outcome, printed=str(printed))


def _run(driver: str, answer: object, case: Case, gradients: bool, forbidden: tuple) -> Outcome:
    try:
        with as_torch_begins(), forbid(forbidden):
            # defence: answers: what is sent is plain data while it is watched
            return _settled(DRIVERS[driver](answer, case, gradients))
    except ForbiddenCall as error:
        return Outcome(CallStatus.FORBIDDEN, error=str(error), where=_student_line(error))
    except KeyboardInterrupt as error:
        return Outcome(CallStatus.INTERRUPTED, where=_student_line(error))
    except BaseException as error:  # whatever a student's function raises is an outcome
        return _raised(error, answer)


def _settled(outcome: Outcome) -> Outcome:
    """The outcome as plain data, as long as forbidden functions are watched.

    Objects of a student's, such as an int that counts once it is asked, would call them when they are sent.
    """
    names = ("outputs", "inputs_after", "gradients")
    return replace(outcome, **{name: settled(getattr(outcome, name)) for name in names})


def _is(answer: object, forbidden: object) -> bool:
    """`softmax = torch.softmax`, and `class Mine(torch.nn.MultiheadAttention)`."""
    if isinstance(answer, type) and isinstance(forbidden, type):
        return issubclass(answer, forbidden)
    return answer is forbidden


def _raised(error: BaseException, answer: object) -> Outcome:
    where = _student_line(error)
    # The stub's own exception has no text; torch raises NotImplementedError too, with one.
    if isinstance(error, NotImplementedError) and (not error.args or "raise NotImplementedError" in where):
        return Outcome(CallStatus.NOT_WRITTEN, error=_other_function(error, answer))
    try:
        message = str(error)[:500]
    except Exception:  # a student's own exception class can fail at this as well
        message = ""
    return Outcome(CallStatus.RAISED, error=type(error).__name__[:100], message=message, where=where)


def _other_function(error: BaseException, answer: object) -> str:
    """The function that raised, where the answer called one that is a stub still."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    functions = vars(answer).values() if isinstance(answer, type) else [answer]
    own = any(frame.f_code is getattr(function, "__code__", None) for function in functions)
    return "" if own or frame.f_code.co_filename == __file__ else frame.f_code.co_name


def _call(answer: object, case: Case, gradients: bool) -> Outcome:
    """A function of tensors and plain values."""
    if not callable(answer):
        return unusable("a function", answer)
    args, kwargs = _clone(list(case.args)), _clone(dict(case.kwargs))
    outputs = _seeded(answer, args, kwargs)
    inputs_after = [args, kwargs]
    if not gradients:
        return Outcome(CallStatus.RETURNED, outputs, inputs_after)
    return Outcome(CallStatus.RETURNED, outputs, inputs_after, _gradients(answer, case))


def _seeded(answer: Callable, args: list, kwargs: dict) -> Any:
    """Call with the same random numbers each time, and leave the notebook's own as they were."""
    state = torch.get_rng_state()
    torch.default_generator.manual_seed(0)  # torch.manual_seed walks through every device: half a millisecond
    try:
        return answer(*args, **kwargs)
    finally:
        torch.set_rng_state(state)


def _by_grad(total: torch.Tensor, leaves: list[torch.Tensor]) -> list:
    return list(torch.autograd.grad(total, leaves, allow_unused=True))


def _gradients(answer: Callable, case: Case, way: Callable = _by_grad) -> list:
    args, kwargs = _clone(list(case.args)), _clone(dict(case.kwargs))
    leaves = [tensor.requires_grad_() for tensor in tensors([args, kwargs]) if tensor.is_floating_point()]
    # The answer gets copies of the leaves: autograd refuses to change a leaf in place, and a slip that
    # "inputs unchanged" explains well should not surface as autograd's complaint.
    args, kwargs = map_tensors(lambda t: t.clone() if t.requires_grad else t, [args, kwargs])
    try:
        # What it prints, it has printed a moment ago, and float(x) warns where x has a gradient.
        with captured(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            returned = _seeded(answer, args, kwargs)
            outputs = [t for t in tensors(returned) if t.is_floating_point()]
            if not any(output.requires_grad for output in outputs):
                return [None] * len(leaves)
            total = sum(((t * ramp).sum() for t, ramp in _ramps(outputs)), start=torch.zeros(()))
            return way(total, leaves)
    except RuntimeError as error:
        # With use_reentrant=True, a checkpoint takes `.backward()` alone.
        if way is _by_grad and "checkpoint" in str(error):
            return _gradients(answer, case, _by_backward)
        # The same call has just worked without gradients: .numpy() or /= on the way, say.
        return [None] * len(leaves)


def _by_backward(total: torch.Tensor, leaves: list[torch.Tensor]) -> list:
    total.backward()
    return [leaf.grad for leaf in leaves]


def _ramps(outputs: list[torch.Tensor]) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """A different weight for each number of all outputs together, so that no two of them can cancel.

    Two values and one tensor that holds the two get the same weights.
    """
    weights = torch.linspace(-1, 1, sum(t.numel() for t in outputs), dtype=torch.float64)
    parts = weights.split([t.numel() for t in outputs])
    return ((t, part.to(t.dtype).reshape(t.shape)) for t, part in zip(outputs, parts, strict=True))


def _call_with_layer(answer: object, case: Case, gradients: bool) -> Outcome:
    """A function with functions of ours among its arguments: the case has their recipes there."""
    if not callable(answer):
        return unusable("a function", answer)
    made = _seeded(
        lambda: {n: make_layer(each) for n, each in enumerate(case.args) if is_recipe(each)}, [], {}
    )

    def call(*args: Any, **kwargs: Any) -> Any:
        return answer(*(made.get(place, value) for place, value in enumerate(args)), **kwargs)

    return _call(call, case, gradients)


def _use_result(answer: object, case: Case, gradients: bool) -> Outcome:
    """A function whose result is judged by what it does: see `judged`.

    So an answer can be one of many right ones. The case's first argument is the recipe of our function.
    """
    if not callable(answer):
        return unusable("a function", answer)
    return _call(lambda _, *rest, **kwargs: answer(*rest, **kwargs), case, gradients)


def _draws(answer: object, case: Case, gradients: bool) -> Outcome:
    """A function that draws by chance: called often, judged by what holds of all its results, see `judged`.

    The case's arguments: the recipe of our function, how often to call, and the inputs, among which
    `GENERATOR` stands for a generator. The results: one for each seed from 0 on, and one more for seed 0.
    """
    if not callable(answer):
        return unusable("a function", answer)

    def call(_: object, calls: int, *inputs: Any) -> list:
        def draw(seed: int, given: list) -> Any:
            generator = torch.Generator().manual_seed(seed)
            return answer(*(generator if isinstance(x, str) and x == GENERATOR else x for x in given))

        # The first call gets the case's own tensors, so that it shows whether an answer writes into them.
        others = [_clone(list(inputs)) for _ in range(calls)]
        first = draw(0, list(inputs))
        return [first, *(draw(seed % calls, given) for seed, given in enumerate(others, start=1))]

    return _call(call, case, False)


def judged(driver: str, case: Case, outcome: Outcome) -> Outcome:
    """An outcome as it is compared: of "use_result" and "draws" what a function of ours makes of the result.

    There many results are right. Our function runs where the verdict is made, in the judge's process, and not
    beside the student's code, which could say that all is well.
    """
    if driver not in ("use_result", "draws") or outcome.status != CallStatus.RETURNED:
        return outcome
    inputs = case.args[2:] if driver == "draws" else ()
    try:
        # defence: drivers: as many draws as were asked for
        if driver == "draws" and len(outcome.outputs) != case.args[1] + 1:
            raise ValueError("results of other draws than were asked for")
        with as_torch_begins():
            use = make_layer(case.args[0])
            return replace(outcome, outputs=use(_clone(outcome.outputs), *_clone(list(inputs))))
    except Exception as error:  # whatever comes of a result that isn't what was asked for
        found = f"what came back can't be tried out ({type(error).__name__}: {error})"
        wrong = Outcome(CallStatus.UNUSABLE, error="what the docstring describes", message=found[:200])
        return replace(wrong, printed=outcome.printed)


def _copies(answer: object, case: Case, gradients: bool) -> Outcome:
    """A function whose result should share nothing with its arguments: what it gave is changed afterwards.

    As training changes weights, in place. What is shared then shows in the arguments.
    """
    if not callable(answer):
        return unusable("a function", answer)

    def call(*args: Any, **kwargs: Any) -> Any:
        result = answer(*args, **kwargs)
        kept = _clone(result)
        for tensor in tensors(result):
            tensor.detach().add_(1)
        return kept

    return _call(call, case, False)


def _prepare(answer: object, case: Case, gradients: bool) -> Outcome:
    """A function that prepares a model of ours, named by a recipe, for training: a step of training follows.

    What counts is the parameters afterwards.
    """
    if not callable(answer):
        return unusable("a function", answer)

    def call(recipe: Mapping, *rest: Any, **kwargs: Any) -> dict:
        model = make_layer(recipe)
        model.step(answer(model, *rest, **kwargs))
        return {name: weight.detach().clone() for name, weight in model.named_parameters()}

    return _call(call, case, False)


def _call_measured(answer: object, case: Case, gradients: bool) -> Outcome:
    """A function, and how large the largest tensor was that it made on the way."""
    if not callable(answer):
        return unusable("a function", answer)
    with _Sizes() as sizes:
        outcome = _call(answer, case, False)
    outcome = replace(outcome, largest=sizes.largest) if outcome.status == CallStatus.RETURNED else outcome
    return replace(outcome, gradients=_gradients(answer, case)) if gradients else outcome


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


def _module(answer: object, case: Case, gradients: bool) -> Outcome:
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
            raise _Unusable(f"the parameters {_shapes(wanted, found)}", _shapes(found, wanted))
        to_fill = [value for value in kwargs.values() if value == []]  # what gets into these is a result, too
        _lend(module, weights)
        module.train(not any(weight.requires_grad for weight in weights.values()))
        returned = module(*inputs, **kwargs)
        return [returned, *to_fill] if to_fill else returned

    try:
        return _call(forward, case, gradients)
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
    told = (f"{name} {shape}" for name, shape in these.items() if others.get(name) != shape)
    return ", ".join(told) or "none of these"


def _train(answer: object, case: Case, gradients: bool) -> Outcome:
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

    return _call(steps, case, False)


def _has_graph(value: object) -> bool:
    return isinstance(value, torch.Tensor) and value.requires_grad


DRIVERS = {
    "call": _call,
    "call_measured": _call_measured,
    "call_with_layer": _call_with_layer,
    "choice": choice,
    "copies": _copies,
    "draws": _draws,
    "module": _module,
    "prepare": _prepare,
    "train": _train,
    "use_result": _use_result,
}


def _clone(value: Any) -> Any:
    return map_tensors(lambda tensor: tensor.detach().clone(), value)


def _student_line(error: BaseException) -> str:
    """The deepest line of the traceback that is a notebook's own, as `line 4: scores = q @ k`."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if "ipykernel" in frame.filename or frame.filename.startswith(("<ipython-input", "<cell")):
            source = frame.line or linecache.getline(frame.filename, frame.lineno or 0).strip()
            return f"line {frame.lineno}: {source}"[:120]
    return ""
