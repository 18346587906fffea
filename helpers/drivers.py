"""How a student's object is called: a case goes in, an outcome comes out.

A driver runs where the student's code runs, in the notebook or in the grader's sandbox. It decides nothing:
it reports what came back, what became of the inputs and, where asked, the gradients. Judging is for
`helpers.checks`, on whichever side of the sandbox the verdict is made.
"""

import contextlib
import functools
import hashlib
import importlib
import linecache
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

from helpers.values import decode, encode, map_tensors, tensors


@dataclass(frozen=True)
class Case:
    """One call of a student's object: a title for people, arguments for the driver."""

    title: str
    args: tuple = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict:
        return {"title": self.title, "args": encode(self.args), "kwargs": encode(dict(self.kwargs))}

    @classmethod
    def from_json(cls, value: dict) -> "Case":
        return cls(value["title"], tuple(decode(value["args"])), decode(value["kwargs"]))


STATUSES = ("returned", "raised", "not written", "forbidden", "unusable", "interrupted")


@dataclass(frozen=True)
class Outcome:
    """What one call did.

    Attributes:
        status: one of `STATUSES`.
        outputs: what was returned: tensors, numbers, text, or lists and dicts of them.
        inputs_after: the tensors among the arguments, as the call left them.
        gradients: for each floating-point tensor among the arguments, the gradient of a fixed weighted sum
            of all outputs, or None where none arrived. None altogether where no gradients were asked for.
        error: the exception's type, the forbidden function's name, what makes the object unusable, or the
            function that isn't written yet, where it is another one.
        message: the exception's text.
        where: the line of the student's code that raised.
    """

    status: str
    outputs: Any = None
    inputs_after: list | None = None
    gradients: list | None = None
    error: str = ""
    message: str = ""
    where: str = ""

    def to_json(self) -> dict:
        """What there is to tell: empty texts and what is None are left out."""
        told = {k: v for k, v in vars(self).items() if v is not None and not (isinstance(v, str) and not v)}
        return {key: encode(value) for key, value in told.items()}

    @classmethod
    def from_json(cls, value: dict) -> "Outcome":
        """Read an outcome back.

        Raises:
            ValueError: it isn't one. It may come from a stranger.
        """
        if not isinstance(value, dict) or not set(value) <= set(cls.__dataclass_fields__):
            raise ValueError("not an outcome")
        texts = [value.get(key, "") for key in ("status", "error", "message", "where")]
        lists = [value.get(key, []) for key in ("inputs_after", "gradients")]
        if value.get("status") not in STATUSES or not all(isinstance(text, str) for text in texts):
            raise ValueError("an outcome with no status or with something else where text belongs")
        if not all(isinstance(item, list) for item in lists):
            raise ValueError("an outcome with something else where a list of tensors belongs")
        return cls(**{key: decode(item) for key, item in value.items()})


class ForbiddenCall(RuntimeError):
    """Raised in place of a function that an exercise asks the student to do without."""


def run(
    driver: str, answer: object, case: Case, *, gradients: bool = False, forbidden: tuple = ()
) -> Outcome:
    """Call a student's answer on one case and report what happened.

    Args:
        driver: a key of `DRIVERS`.
        answer: the student's object: a function, or for the "choice" driver a dict.
        case: its arguments. They are cloned first, so a case can be used again.
        gradients: whether to call a second time and send gradients back to the inputs.
        forbidden: dotted names of functions that raise while the answer runs.
    """
    for name in forbidden:
        if answer is _current(name):  # softmax = torch.softmax
            return Outcome("forbidden", error=name)
    try:
        with _forbid(forbidden):
            return DRIVERS[driver](answer, case, gradients)
    except ForbiddenCall as error:
        return Outcome("forbidden", error=str(error), where=_student_line(error))
    except KeyboardInterrupt as error:
        return Outcome("interrupted", where=_student_line(error))
    except (Exception, SystemExit) as error:  # whatever a student's function raises is an outcome
        return _raised(error, answer)


def _raised(error: BaseException, answer: object) -> Outcome:
    where = _student_line(error)
    # The stub's own exception has no text; torch raises NotImplementedError too, with one.
    if isinstance(error, NotImplementedError) and (not error.args or "raise NotImplementedError" in where):
        return Outcome("not written", error=_other_function(error, answer))
    try:
        message = str(error)[:500]
    except Exception:  # a student's own exception class can fail at this as well
        message = ""
    return Outcome("raised", error=type(error).__name__[:100], message=message, where=where)


def _other_function(error: BaseException, answer: object) -> str:
    """The function that raised, where the answer called one that is a stub still."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    ours = frame.f_code.co_filename == __file__
    return "" if ours or frame.f_code is getattr(answer, "__code__", None) else frame.f_code.co_name


def _call(answer: object, case: Case, gradients: bool) -> Outcome:
    """A function of tensors and plain values."""
    if not callable(answer):
        return _unusable("a function", answer)
    args, kwargs = _clone(list(case.args)), _clone(dict(case.kwargs))
    outputs = _seeded(answer, args, kwargs)
    inputs_after = list(tensors([args, kwargs]))
    if not gradients:
        return Outcome("returned", outputs, inputs_after)
    return Outcome("returned", outputs, inputs_after, _gradients(answer, case))


def _seeded(answer: Callable, args: list, kwargs: dict) -> Any:
    """Call with the same random numbers each time, and leave the notebook's own as they were."""
    state = torch.get_rng_state()
    torch.default_generator.manual_seed(0)  # torch.manual_seed walks through every device: half a millisecond
    try:
        return answer(*args, **kwargs)
    finally:
        torch.set_rng_state(state)


def _gradients(answer: Callable, case: Case) -> list:
    args, kwargs = _clone(list(case.args)), _clone(dict(case.kwargs))
    leaves = [tensor.requires_grad_() for tensor in tensors([args, kwargs]) if tensor.is_floating_point()]
    # The answer gets copies of the leaves: autograd refuses to change a leaf in place, and a slip that
    # "inputs unchanged" explains well should not surface as autograd's complaint.
    args, kwargs = map_tensors(lambda t: t * 1 if t.requires_grad else t, [args, kwargs])
    try:
        with warnings.catch_warnings():  # float(x) warns where x has a gradient, and was fine a moment ago
            warnings.simplefilter("ignore")
            returned = _seeded(answer, args, kwargs)
        outputs = [t for t in tensors(returned) if t.is_floating_point() and t.requires_grad]
        if not outputs:
            return [None] * len(leaves)
        total = sum((t * _ramp(t)).sum() for t in outputs)
        return list(torch.autograd.grad(total, leaves, allow_unused=True))
    except RuntimeError:  # the same call has just worked without gradients: .numpy() or /= on the way, say
        return [None] * len(leaves)


def _ramp(tensor: torch.Tensor) -> torch.Tensor:
    """A different weight for each number, so that no two of them can cancel."""
    return torch.linspace(-1, 1, tensor.numel(), dtype=tensor.dtype).reshape(tensor.shape)


def _call_with_layer(answer: object, case: Case, gradients: bool) -> Outcome:
    """A function whose first argument is a layer, in the case `{"layer": name, "weights": [...]}`."""
    if not callable(answer):
        return _unusable("a function", answer)
    layer = make_layer(case.args[0])
    return _call(lambda _, *rest, **kwargs: answer(layer, *rest, **kwargs), case, gradients)


def _choice(answer: object, case: Case, gradients: bool) -> Outcome:
    """A dict of choices, nested or not, or one choice.

    What leaves is a digest of each, so that no check file shows an answer.
    """
    if answer is ...:
        raise NotImplementedError
    options = case.args[0]
    chosen = dict(_flatten(answer if isinstance(answer, Mapping) else {"": answer}))
    for slot in options:
        if slot not in chosen:
            return _unusable(f"a choice for {slot!r}", answer)
    if any(chosen[slot] is ... for slot in options):
        raise NotImplementedError
    for slot, allowed in options.items():
        if not isinstance(chosen[slot], str | int | float) or chosen[slot] not in allowed:
            wanted = f"one of {', '.join(map(repr, allowed))}"
            return _unusable(f"{wanted} for {slot!r}" if slot else wanted, chosen[slot])
    # The option itself, since 4.0 is in [1, 4] too.
    return Outcome("returned", {s: digest(s, o[o.index(chosen[s])]) for s, o in options.items()})


def _unusable(wanted: str, answer: object) -> Outcome:
    return Outcome("unusable", error=wanted, message=repr(answer)[:80])


def digest(slot: str, option: object) -> str:
    """A short fingerprint of one choice: no secret, only no spoiler."""
    return hashlib.sha256(f"{slot}={option!r}".encode()).hexdigest()[:12]


def _flatten(answer: Mapping, prefix: str = "") -> Iterator[tuple[str, object]]:
    for key, value in answer.items():
        slot = f"{prefix} · {key}" if prefix else str(key)
        if isinstance(value, Mapping):
            yield from _flatten(value, slot)
        else:
            yield slot, value


DRIVERS = {"call": _call, "call_with_layer": _call_with_layer, "choice": _choice}


def make_layer(recipe: Mapping) -> Callable:
    """The layer that a case describes as `{"layer": a key of LAYERS, "weights": tensors}`."""
    return LAYERS[recipe["layer"]](*recipe["weights"])


def _self_attention(w_q: torch.Tensor, w_k: torch.Tensor, w_v: torch.Tensor) -> Callable:
    def layer(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w_v)

    return layer


# Layers that a case can name: functions can't travel as data.
LAYERS: dict[str, Callable[..., Callable]] = {
    "self-attention": _self_attention,
    "self-attention after adding positions": lambda *weights: (
        lambda x: _self_attention(*weights[:3])(x + weights[3])
    ),
    "a linear map of each position": lambda w: lambda x: x @ w,
    "the mean over positions": lambda w: (
        lambda x: (x @ w).mean(dim=-2, keepdim=True).expand(*x.shape[:-1], w.size(-1))
    ),
    "a running sum": lambda w: lambda x: (x @ w).cumsum(dim=-2),
}


@contextlib.contextmanager
def _forbid(names: tuple) -> Iterator[None]:
    """Make each named function raise `ForbiddenCall` for as long as the block runs."""
    with contextlib.ExitStack() as stack:
        for name in names:
            owner, attribute = _resolve(name)
            inherited = attribute not in vars(owner)
            original = getattr(owner, attribute)
            setattr(owner, attribute, _refuse(name))
            if inherited:
                stack.callback(delattr, owner, attribute)
            else:
                stack.callback(setattr, owner, attribute, original)
        yield


def _refuse(name: str) -> Callable:
    def refuse(*args: object, **kwargs: object) -> None:
        raise ForbiddenCall(name)

    return refuse


@functools.cache
def _resolve(name: str) -> tuple[Any, str]:
    """Split a dotted name into its owner, a module or a class, and its attribute."""
    first, *path, attribute = name.split(".")
    owner = importlib.import_module(first)
    for part in path:
        owner = (
            getattr(owner, part)
            if hasattr(owner, part)
            else importlib.import_module(f"{owner.__name__}.{part}")
        )
    return owner, attribute


def _current(name: str) -> object:
    owner, attribute = _resolve(name)
    return getattr(owner, attribute)


def _clone(value: Any) -> Any:
    return map_tensors(lambda tensor: tensor.detach().clone(), value)


def _student_line(error: BaseException) -> str:
    """The deepest line of the traceback that is a notebook's own, as `line 4: scores = q @ k`."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if "ipykernel" in frame.filename or frame.filename.startswith(("<ipython-input", "<cell")):
            source = frame.line or linecache.getline(frame.filename, frame.lineno or 0).strip()
            return f"line {frame.lineno}: {source}"[:120]
    return ""
