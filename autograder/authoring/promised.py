"""What the docstring of an exercise promises of shapes, read so that cases can be compared with it.

A shape is written as `(..., T, C)`: sizes are numbers, names, or sums and products of them such as `3C`,
`H·D` and `2K+1`. A name has one size in one call, and `...` is any number of axes, the same in one call.
"""

import ast
import inspect
import itertools
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from autograder.authoring.master import Cell
from autograder.drawing import generator
from autograder.exercise import Exercise
from autograder.sheets import VISIBLE_SEED
from helpers.checking.calling.outcome import Case, Outcome
from helpers.checking.calling.values import arrays
from helpers.checking.kinds.arrays import Array, dtype_name, is_array, is_tensor

SIZE = r"(?:\d+|\d*[A-Za-z]\w*)"
AXIS = rf"{SIZE}(?:\s*[·+-]\s*{SIZE})*"
SHAPE = re.compile(rf"\((\.\.\.|(?:\.\.\.|{AXIS}),(?:\s+{AXIS}(?:,\s+{AXIS})*)?)\)")
ARGUMENT = re.compile(r"^ {4}(\w+): (.*(?:\n {5,}.*)*)", re.MULTILINE)
SYMBOL = re.compile(r"([A-Za-z])[.,]")  # of an argument that is a size: "n_heads: H, a divisor of C."
KINDS = {
    "integers": lambda array: "int" in dtype_name(array),
    "boolean": lambda array: dtype_name(array) == "bool",
}
OURS = {
    "module": 2,
    "use_result": 1,
    "draws": 2,
    "object": 2,
    "iterate": 1,
}  # how many of a case's arguments, by the driver, aren't the answer's
OTHER_RESULTS = (
    "use_result",
    "draws",
    "prepare",
    "train",
    "object",
    "iterate",
    "printed",
)  # drivers whose results aren't the answer's own
UNNAMED = ("object", "prepare", "train")  # drivers whose answers take what no docstring names
LEADING = ("no axis in front", "an axis of 1 in front", "several axes in front")
DRAWS = 32
VARIED = 3  # sizes of one name on the visible cases that are enough
Sizes = dict[str, Any]  # of one call: a number for each name, a tuple of them for `...`


@dataclass(frozen=True)
class Docstring:
    """What an exercise's docstring says of what goes in and comes out.

    Attributes:
        arguments: the text about each, by name.
        returns: the text about the result.
        inputs: the texts about the arguments together, where they are written without their names.
    """

    arguments: Mapping[str, str] = field(default_factory=dict)
    returns: str = ""
    inputs: str = ""


def docstrings(cells: Iterable[Cell]) -> dict[str, Docstring]:
    """What the docstrings of a lesson's exercises say, by the exercise's id."""
    found = {}
    for cell in cells:
        if cell.kind == "exercise":
            nodes = [n for n in ast.parse(cell.source).body if isinstance(n, ast.FunctionDef | ast.ClassDef)]
            if nodes:
                found[cell.id] = _docstring(nodes[-1])
    return found


def _docstring(node: ast.FunctionDef | ast.ClassDef) -> Docstring:
    methods = [
        each for each in ast.walk(node) if isinstance(each, ast.FunctionDef) and each.name == "forward"
    ]
    texts = [ast.get_docstring(each) or "" for each in dict.fromkeys([node, *methods])]
    described = [found for each in texts for found in ARGUMENT.findall(_part(each, "Args"))]
    arguments = {name: " ".join(text.split()) for name, text in described}
    about, returns = _part(texts[-1], ""), _part(texts[-1], "Returns")
    if not returns:  # "(B, T, C) to (B, T, V)."
        about, _, returns = about.partition(" to ")
        returns = returns.partition(". ")[0]
    return Docstring(arguments, returns, about)


def _part(docstring: str, name: str) -> str:
    """One part of a docstring: what follows `name:`, or "" for what is before all of these."""
    parts = re.split(r"^(Args|Returns):\n", docstring, flags=re.MULTILINE)
    named = dict(zip(["", *parts[1::2]], parts[::2], strict=True))
    return named.get(name, "") if name else " ".join(parts[0].split())


def call(exercise: Exercise, said: Docstring, case: Case, expected: Outcome | None) -> "Call":
    """A case and what is right for it, beside the exercise's docstring."""
    function = exercise.reference.forward if exercise.driver == "module" else exercise.reference
    names = [name for name in inspect.signature(function).parameters if name != "self"]
    arguments = dict(zip(names, case.args[OURS.get(exercise.driver, 0) :], strict=False))
    if exercise.driver == "module":
        arguments |= case.args[0]
    outputs = expected.outputs if expected and exercise.driver not in OTHER_RESULTS else None
    return Call(said, {**arguments, **case.kwargs}, outputs)


def shapes(text: str) -> list[list[str]]:
    """The shapes that a text names, each as the texts of its axes."""
    if "any shape" in text:
        return [["..."]]
    return [[axis.strip() for axis in found.split(",") if axis.strip()] for found in SHAPE.findall(text)]


def _text(axes: list[str]) -> str:
    return f"({axes[0]},)" if len(axes) == 1 and axes[0] != "..." else f"({', '.join(axes)})"


class Call:
    """One call beside its docstring. `problems` says what doesn't fit, `sizes` what each name stands for.

    `fixed` says whether the docstring leaves the number of axes of no argument open.

    Args:
        said: what the docstring says.
        arguments: what goes in, by name. Layers and the like are left out.
        outputs: what comes out; None where that isn't described.
    """

    def __init__(self, said: Docstring, arguments: Mapping[str, Any], outputs: Any) -> None:
        self.said = said
        self.sizes: Sizes = {}
        self.problems: list[str] = []
        self._numbers(arguments)
        texts = self._inputs(
            {name: found for name, value in arguments.items() if (found := _directly(value))}
        )
        self.fixed = all(
            _axes_are_fixed(texts.get(name, said.arguments.get(name, "")), len(_directly(value)))
            for name, value in arguments.items()
            if not (value is None or isinstance(value, bool | int | float | complex | str) or callable(value))
        )
        self._outputs(arguments, _directly(outputs))

    def _numbers(self, arguments: Mapping[str, Any]) -> None:
        for name, value in arguments.items():
            if type(value) is int:
                symbol = SYMBOL.match(self.said.arguments.get(name, ""))
                self.sizes |= {name: value} | ({symbol[1]: value} if symbol else {})

    def _inputs(self, given: Mapping[str, list[Array]]) -> Mapping[str, str]:
        """Compare what goes in. Returns what the docstring says of each."""
        texts = {name: self.said.arguments.get(name, "") for name in given}
        if not any(texts.values()) and (written := shapes(self.said.inputs)):
            each = itertools.cycle(written) if " each" in self.said.inputs else iter(written)
            texts = {name: _text(axes) for name, axes in zip(given, each, strict=False)}
        for broadcast in (False, True):  # to what the others show
            for name, text in texts.items():
                if ("broadcastable" in text) == broadcast:
                    self._fit(f"`{name}`", given[name], text, broadcast)
        return texts

    def _outputs(self, arguments: Mapping[str, Any], outputs: list[Array]) -> None:
        text = self.said.returns
        alike = re.search(r"[Ss]haped like (\w+)", text)
        if alike and is_array(like := arguments.get(alike[1])):
            text = _text([str(size) for size in like.shape])
        self._fit("the result", outputs, text, False)

    def _fit(self, name: str, found: list[Array], text: str, broadcast: bool) -> None:
        """Compare tensors with a text: each with its own shape, or with any where there are fewer or more."""
        written = shapes(text)
        paired = len(written) == len(found)
        found = found[:1] if "any shape" in text else found  # the others have shapes of their own
        for number, tensor in enumerate(found):
            for word, fits in KINDS.items():
                if len(found) == 1 and re.search(rf"\b{word}\b", text, re.IGNORECASE) and not fits(tensor):
                    self.problems.append(f"{name} is {tensor.dtype}, but the docstring says {word}")
            wanted = [written[number]] if paired else written
            fitting = [_match(axes, tuple(tensor.shape), self.sizes, broadcast) for axes in wanted]
            if sizes := [each for each in fitting if each is not None]:
                self.sizes = sizes[0]
            elif wanted:
                self.problems.append(
                    f"{name} is {tuple(tensor.shape)}, but the docstring says {self._told(wanted)}"
                )

    def _told(self, wanted: list[list[str]]) -> str:
        text = " or ".join(map(_text, wanted))
        names = dict.fromkeys(re.findall(r"[A-Za-z]\w*|\.\.\.", text))
        known = ", ".join(f"{name} is {self.sizes[name]}" for name in names if name in self.sizes)
        return f"{text}, and {known}" if known else text


def _axes_are_fixed(text: str, count: int) -> bool:
    """Whether a text says how many axes each of so many arrays has."""
    written = [len(axes) if axes[0] != "..." else 0 for axes in shapes(text)]
    known = bool(written) and 0 not in written and "broadcastable" not in text
    return known and (len(set(written)) == 1 or len(written) == count)


def _match(axes: list[str], shape: tuple[int, ...], sizes: Sizes, broadcast: bool) -> Sizes | None:
    """What each name stands for if a tensor of this shape fits the axes; None where it doesn't."""
    known = dict(sizes)
    if broadcast:
        found = [known.get(axis) if axis == "..." else _size(axis, known) for axis in axes]
        whole = [size for each in found for size in (each if isinstance(each, tuple) else [each])]
        pairs = zip(reversed(shape), reversed(whole), strict=False)
        fits = len(shape) <= len(whole) and all(
            size in (1, wanted) or wanted is None for size, wanted in pairs
        )
        return known if fits else None
    if axes[0] == "...":
        count = len(shape) - len(axes) + 1
        if count < 0 or known.setdefault("...", shape[:count]) != shape[:count]:
            return None
        axes, shape = axes[1:], shape[count:]
    if len(axes) != len(shape):
        return None
    for _ in range(2):  # a product may come before its factors
        for axis, size in zip(axes, shape, strict=True):
            if not _solve(axis, size, known):
                return None
    return known


def _size(axis: str, known: Sizes) -> int | None:
    """How long an axis is by what is known; None where too little is."""
    text = re.sub(r"(\d)(?=[A-Za-z])", r"\1*", axis.replace("·", "*"))
    text = re.sub(r"[A-Za-z]\w*", lambda name: str(known.get(name[0], "?")), text)
    return None if "?" in text else eval(text)


def _solve(axis: str, size: int, known: Sizes) -> bool:
    """Whether an axis can be that long, by what is known. The one name that isn't becomes known."""
    unknown = [name for name in re.findall(r"[A-Za-z]\w*", axis) if name not in known]
    if len(unknown) > 1:
        return True
    if not unknown:
        return _size(axis, known) == size
    largest = max([size, *(found for found in known.values() if isinstance(found, int))])
    fits = [value for value in range(largest + 2) if _size(axis, {**known, unknown[0]: value}) == size]
    if fits:
        known[unknown[0]] = fits[0]
    return bool(fits)


def _directly(value: Any) -> list[Array]:
    """The arrays in a list or a dict, not those deeper down."""
    if is_array(value):
        return [value]
    held = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    return [each for each in held if is_array(each)]


def faults(exercise: Exercise, said: Docstring, cases: Iterable[tuple[Case, Outcome, str]]) -> Iterator[str]:
    """How an exercise's cases aren't what its docstring says, or not all that it says.

    Args:
        exercise: the exercise.
        said: what its docstring says.
        cases: with what is right for each, and where it is.
    """
    if exercise.full_precision and not _names_float64(said):
        yield "it has `full_precision`, but its docstring doesn't say float64; say it there, or leave it out"
    for case, expected, where in cases:
        if found := call(exercise, said, case, expected).problems:
            yield f"{where}, {found[0]}; change the case, or the docstring"
            return
        if _unasked_float64(exercise, said, case, expected):
            text = "the reference gives float64, for which neither an input nor the docstring asks"
            yield f"{where}, {text}; let it give float32, or name float64 in the docstring"
            return
    if not exercise.fixed:
        yield from (f"{text}, or say in `fixed` why it can't be" for text in unvaried(exercise, said))


def _unasked_float64(exercise: Exercise, said: Docstring, case: Case, expected: Outcome) -> bool:
    """Whether tensors come out in a dtype that is neither torch's own nor anything's that a student sees."""
    if exercise.driver in OTHER_RESULTS or _names_float64(said):
        return False
    given = {dtype_name(array) for array in arrays([case.args, dict(case.kwargs)])}
    made = {dtype_name(array) for array in arrays(expected.outputs) if is_tensor(array)}
    return "float64" in made - given


def _names_float64(said: Docstring) -> bool:
    return "float64" in " ".join((said.returns, said.inputs, *said.arguments.values()))


def fixed_axes(exercise: Exercise, said: Docstring, cases: Iterable[Case]) -> bool:
    """Whether the docstring says of everything that goes in how many axes it has.

    Arrays deeper down, in lists of lists or in what methods are called with, are described by none.

    Args:
        exercise: the exercise.
        said: what its docstring says.
        cases: calls of its answer.
    """
    return exercise.driver not in UNNAMED and all(call(exercise, said, case, None).fixed for case in cases)


def unvaried(exercise: Exercise, said: Docstring) -> Iterator[str]:
    """Which sizes that a docstring leaves open are the same in all hidden draws as on the visible cases."""
    visible, hidden = (
        _drawn(exercise, said, VISIBLE_SEED),
        [sizes for number in range(DRAWS) for sizes in _drawn(exercise, said, f"sizes {number}")],
    )
    if any("..." in sizes for sizes in visible):
        found = {kind for sizes in hidden for kind in _leading(sizes.get("...", ()))}
        for kind in (kind for kind in LEADING if kind not in found):
            yield f"no hidden draw has {kind} where the docstring says (...); draw it with `pick`"
    for name in dict.fromkeys(name for sizes in visible for name in sizes if name != "..."):
        known = {sizes[name] for sizes in visible if name in sizes}
        if len(known) < VARIED and not {sizes[name] for sizes in hidden if name in sizes} - known:
            told = " or ".join(map(str, sorted(known)))
            yield f"`{name}` is {told} in all hidden draws, as on the visible cases; draw it with `pick`"


def _leading(shape: tuple[int, ...]) -> Iterator[str]:
    none, one, several = LEADING
    yield none if not shape else several if len(shape) > 1 else ""
    if 1 in shape:
        yield one


def _drawn(exercise: Exercise, said: Docstring, seed: str) -> list[Sizes]:
    """The sizes in each case of a draw."""
    cases = exercise.cases(
        generator(zlib.crc32(seed.encode()), hidden=seed != VISIBLE_SEED, cases=exercise.cases)
    )
    return [call(exercise, said, case, None).sizes for case in cases]
