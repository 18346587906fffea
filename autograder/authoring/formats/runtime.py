"""What an exported check needs to call an answer and to compare: pasted into the file, function by function.

So it imports nothing of ours, and each function names what it needs of the others.
"""

import contextlib
import copy
import math
import numbers
import re
from collections.abc import Mapping
from typing import Any

TOLERANCES = {  # relative and absolute, by dtype; all others are exact
    "float64": (1e-9, 1e-11), "complex128": (1e-9, 1e-11), "float32": (1e-4, 1e-5), "complex64": (1e-4, 1e-5),
    "float16": (2e-2, 2e-3), "bfloat16": (2e-2, 2e-3),
}  # fmt: skip


def check(
    answer: Any,
    args: tuple,
    kwargs: dict,
    expected: Any,
    *,
    coarse: bool = True,
    unchanged: bool = False,
    int64: bool = False,
    gradients: list | None = None,
    forbidden: tuple = (),
) -> None:
    """Call an answer on one case; an AssertionError says what is wrong.

    Args:
        answer: what is called.
        args: its arguments. It gets a copy.
        kwargs: those by name.
        expected: what it should return.
        coarse: whether numbers of float64 may be as far off as those of float32.
        unchanged: whether it must leave its arguments as they were.
        int64: whether whole numbers must be int64, and not narrower.
        gradients: those that should reach the floating-point tensors among the arguments.
        forbidden: dotted names of functions that it must not call.
    """
    given = copy.deepcopy((args, kwargs))
    with watched(forbidden, answer):
        got = seeded(answer, *given)
    assert not (wrong := differs(expected, got, coarse)), wrong
    if unchanged:
        assert not differs([list(args), kwargs], [list(given[0]), given[1]], False), "it changed an argument"
    if int64:
        assert "int32" not in str(getattr(got, "dtype", "")), "the whole numbers aren't int64"
    if gradients is not None:
        with watched(forbidden, answer):
            check_gradients(answer, args, kwargs, gradients)


def seeded(answer: Any, args: tuple, kwargs: dict) -> Any:
    """Call with the same random numbers each time, of all packages that are there."""
    import random
    import sys

    random.seed(0)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(0)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(0)
    return answer(*args, **kwargs)


@contextlib.contextmanager
def watched(names: tuple, answer: Any) -> Any:
    """While this lasts, functions raise if called by their dotted names. The answer is none of them."""
    import importlib

    def refuse(name: str) -> Any:
        def refused(*args: Any, **kwargs: Any) -> None:
            raise AssertionError(f"it calls {name}, which it has to do without")

        return refused

    with contextlib.ExitStack() as stack:
        for name in names:
            first, *path, last = name.split(".")
            with contextlib.suppress(ImportError, AttributeError, TypeError):  # not here, or not replaceable
                owner: Any = importlib.import_module(first)
                for part in path:
                    owner = getattr(owner, part)
                before = vars(owner).get(last)
                assert answer is not getattr(owner, last), f"it is {name}, which it has to do without"
                setattr(owner, last, refuse(name))
                if before is None:
                    stack.callback(delattr, owner, last)
                else:
                    stack.callback(setattr, owner, last, before)
        yield


def differs(expected: Any, got: Any, coarse: bool = True) -> str:
    """Where two values part, in words; "" if they are the same but for rounding."""
    if isinstance(expected, list | tuple):
        if hasattr(got, "dtype") and hasattr(got, "ndim") and got.ndim and len(got) == len(expected):
            axes = {each.ndim if hasattr(each, "dtype") else 0 for each in expected}
            got = list(got) if axes == {got.ndim - 1} else got
        if not isinstance(got, list | tuple) or len(got) != len(expected):
            return f"{len(expected)} values expected, got {got!r:.60}"
        found = (
            differs(*pair, coarse) or ("nothing" if pair[1] is None is not pair[0] else "")
            for pair in zip(expected, got, strict=True)
        )
        return next(filter(None, found), "")
    if isinstance(expected, Mapping):
        if not isinstance(got, Mapping) or set(got) != set(expected):
            return f"the keys {list(expected)} expected, got {got!r:.60}"
        return next(filter(None, (differs(each, got[key], coarse) for key, each in expected.items())), "")
    if hasattr(expected, "iloc"):
        return differs_frame(expected, got, coarse)
    if hasattr(expected, "dtype"):
        return differs_array(expected, got, coarse)
    if isinstance(expected, numbers.Number) and not isinstance(expected, bool):
        return differs_number(expected, got)
    got = got.item() if type(got).__module__ == "numpy" and got.size == 1 and not got.shape else got
    sets = isinstance(expected, set | frozenset) and isinstance(got, set | frozenset)
    alike = type(got) is type(expected) or sets
    return "" if alike and got == expected else f"{expected!r:.60} expected, got {got!r:.60}"


def differs_number(expected: Any, got: Any) -> str:
    """As `differs`, of one number: an int is exact, a float may have been computed in float32."""
    if hasattr(got, "dtype") and math.prod(got.shape) == 1:
        got = got.item()
    kinds = numbers.Number if isinstance(expected, complex) else numbers.Real
    if not isinstance(got, kinds) or isinstance(got, bool):
        return f"the number {expected} expected, got {got!r:.60}"
    if isinstance(expected, int) and isinstance(got, int):
        return "" if got == expected else f"{expected} expected, got {got}"
    tolerances = (1e-9, 1e-11) if isinstance(expected, int) else (1e-4, 1e-12)
    if not isinstance(expected, int) and abs(expected) < 1e-12:
        tolerances = (0, 1e-6)
    return "" if near(expected, got, *tolerances) else f"{expected} expected, got {got}"


def differs_array(expected: Any, got: Any, coarse: bool) -> str:
    """As `differs`, of a tensor or an array: the same kind, shape and dtype, and nearly the same numbers."""
    kind, theirs = (str(getattr(each, "dtype", "")).rpartition(".")[2] for each in (expected, got))
    shape, tensor = tuple(expected.shape), hasattr(expected, "is_floating_point")
    exact = (0, 0)
    tolerances = max(TOLERANCES.get(kind, exact), TOLERANCES.get(theirs, exact))
    tolerances = TOLERANCES["float32"] if coarse and tolerances == TOLERANCES["float64"] else tolerances
    plain = isinstance(got, numbers.Number) and not isinstance(got, bool) and not theirs and kind != "bool"
    if not shape and (plain or (theirs == "float64" and kind == "float32" and not got.shape)):
        return "" if near(expected.item(), got, *tolerances) else f"{expected.item()} expected, got {got}"
    if not theirs or hasattr(got, "is_floating_point") != tensor or hasattr(got, "iloc"):
        return f"a {type(expected).__name__} expected, got {got!r:.60}"
    if tuple(got.shape) != shape:
        return f"the shape {shape} expected, got {tuple(got.shape)}"
    if "object" not in (kind, theirs) and kind != theirs:
        sort, other = (re.sub(r"\d.*", "", each).lstrip("u") for each in (kind, theirs))
        same = sort == other and (sort == "int" or coarse or sort[:1] in "<>|") and not tensor
        if not same and not (kind == "int64" and theirs in ("int8", "int16", "int32", "uint8")):
            return f"{kind} expected, got {theirs}"
    pairs = zip(expected.reshape(-1).tolist(), got.reshape(-1).tolist(), strict=True)
    wrong = [pair for pair in pairs if not near(*pair, *tolerances)]
    return f"{len(wrong)} wrong values, such as {wrong[0][1]}, where {wrong[0][0]} is right" if wrong else ""


def differs_frame(expected: Any, got: Any, coarse: bool) -> str:
    """As `differs`, of a frame or a series of pandas: the same columns and rows, with the same values."""
    if type(got) is not type(expected):
        return f"a {type(expected).__name__} expected, got {got!r:.60}"
    names = [[None] if each.ndim == 1 else list(each.columns) for each in (expected, got)]
    if names[0] != names[1]:
        return f"the columns {names[0]} expected, got {names[1]}"
    if wrong := differs(expected.index.tolist(), got.index.tolist(), coarse):
        return f"the rows: {wrong}"
    columns = ([each if name is None else each[name] for each in (expected, got)] for name in names[0])
    found = (differs_array(ours.to_numpy(), theirs.to_numpy(), coarse) for ours, theirs in columns)
    return next(filter(None, found), "")


def near(expected: Any, got: Any, relative: float, absolute: float) -> bool:
    """Whether two numbers, or texts, are the same but for rounding. NaN is NaN."""
    if expected == got or (expected != expected and got != got):
        return True
    try:
        error = abs(complex(got) - complex(expected))
    except (TypeError, ValueError):
        return False
    return math.isfinite(error) and error <= relative * abs(expected) + absolute


def check_gradients(answer: Any, args: tuple, kwargs: dict, expected: list) -> None:
    """The gradients of a weighted sum of all results, at each floating-point tensor among the arguments."""
    import torch

    leaves: list[Any] = []

    def leaf(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            if not value.is_floating_point():
                return value.clone()
            leaves.append(value.detach().clone().requires_grad_())
            return leaves[-1].clone()
        if isinstance(value, Mapping):
            return {key: leaf(each) for key, each in value.items()}
        return [leaf(each) for each in value] if isinstance(value, list | tuple) else value

    given = tuple(leaf(each) for each in args), {key: leaf(each) for key, each in kwargs.items()}
    try:
        outputs = [each for each in flat(seeded(answer, *given)) if each.is_floating_point()]
        weights = torch.linspace(0.5, 1.5, sum(each.numel() for each in outputs), dtype=torch.float64)
        parts = weights.split([each.numel() for each in outputs])
        total = sum(
            (
                (each * part.to(each.dtype).reshape(each.shape)).sum()
                for each, part in zip(outputs, parts, strict=True)
            ),
            start=torch.zeros(()),
        )
        found: list[Any] = list(torch.autograd.grad(total, leaves, allow_unused=True))
    except RuntimeError:
        found = [None] * len(leaves)
    for right, got in zip(expected, found, strict=True):
        if right is not None:
            assert got is not None, "no gradient reaches an argument"
            kind = str(right.dtype).rpartition(".")[2].replace("float64", "float32")
            relative, absolute = (10 * each for each in TOLERANCES[kind])
            error = (right.double() - got.double()).abs()
            allowed = absolute + relative * right.double().abs().max()
            assert (error <= allowed).all(), "the gradient that reaches an argument is wrong"


def flat(value: Any) -> list:
    """The tensors and arrays in a value, in order."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return [each for part in value for each in flat(part)]
    return [value] if hasattr(value, "dtype") and hasattr(value, "shape") else []


def of_module(answer: Any) -> Any:
    """A class of modules as a function: of its settings, the parameters by name, and the inputs."""
    import torch

    def forward(settings: dict, weights: dict, *inputs: Any, **kwargs: Any) -> Any:
        module = answer(**settings)
        known = dict(module.named_parameters())
        sizes = [{name: tuple(each.shape) for name, each in those.items()} for those in (weights, known)]
        assert sizes[0] == sizes[1], f"the parameters {sizes[0]} expected, got {sizes[1]}"
        module.train(not any(each.requires_grad for each in weights.values()))
        to_fill = [value for value in kwargs.values() if value == []]
        returned = torch.func.functional_call(module, weights, inputs, kwargs)
        return [returned, *to_fill] if to_fill else returned

    return forward


def of_copies(answer: Any) -> Any:
    """A function after which what it gave is changed in place: the arguments shouldn't notice."""

    def call(*args: Any, **kwargs: Any) -> Any:
        result = answer(*args, **kwargs)
        kept = copy.deepcopy(result)
        for each in flat(result):
            (each.detach() if hasattr(each, "detach") else each)[...] += 1
        return kept

    return call


def of_object(answer: Any) -> Any:
    """A class as a function of its arguments and of calls, each a method's name and its arguments."""

    def use(settings: Any, calls: list) -> list:
        made = answer(**settings) if isinstance(settings, Mapping) else answer(*settings)
        results = []
        for name, *args in calls:
            found = getattr(made, name)
            results.append(copy.deepcopy(found(*args) if callable(found) else found))
        return results

    return use


def of_iterate(answer: Any) -> Any:
    """A generator as a function of how many of its results count, and of its arguments."""
    import itertools

    return lambda most, *args, **kwargs: [
        copy.deepcopy(each) for each in itertools.islice(answer(*args, **kwargs), most)
    ]


def of_printed(answer: Any) -> Any:
    """A function whose result is what it prints, without spaces at the ends of lines."""
    import io

    def call(*args: Any, **kwargs: Any) -> str:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            answer(*args, **kwargs)
        return "\n".join(line.rstrip() for line in printed.getvalue().rstrip().split("\n"))

    return call


def of_choice(answer: Any) -> Any:
    """A function without arguments that gives the choices by slot, in small letters and without blanks."""

    def flatten(value: Any, prefix: str) -> dict:
        if not isinstance(value, Mapping):
            return {prefix: "".join(str(value).split()).casefold()}
        inner = (flatten(each, f"{prefix} · {key}" if prefix else str(key)) for key, each in value.items())
        return {slot: option for each in inner for slot, option in each.items()}

    return lambda: flatten(answer, "")
