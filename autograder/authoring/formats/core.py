"""An exercise as code that checks it anywhere: cases as literals, and the functions that compare.

What it says is measured: all right answers that come with the exercise pass it, and of the wrong ones those
that pass are named.
"""

import ast
import contextlib
import inspect
import io
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from autograder import answers
from autograder.answers import code
from autograder.authoring.formats import runtime
from autograder.authoring.formats.literals import NoLiteral, literal, preamble
from autograder.exercise import Exercise
from autograder.sheets import VISIBLE_SEED, HiddenSheets, make_sheet, one_thread, overlay
from helpers.checking.calling.registry import is_recipe
from helpers.checking.calling.values import Record
from helpers.checks import Sheet

WRAPPED = {  # by driver
    "module": "of_module", "copies": "of_copies", "choice": "of_choice", "object": "of_object",
    "iterate": "of_iterate", "printed": "of_printed",
}  # fmt: skip
CARRIED = ("call", "call_measured", *WRAPPED)
NEEDS = {  # of the runtime's functions, by what is asked
    "values": (
        "TOLERANCES", "check", "seeded", "watched", "differs", "differs_number", "differs_array",
        "differs_frame", "near",
    ),
    "gradients": ("check_gradients", "flat"),
}  # fmt: skip
LOST = (
    "No diagnosis: a failed check says what differs, and not which mistake makes it.",
    "No hidden draws: the hidden cases are the same for everybody, and at every attempt.",
    "No judge: expected values and this code lie beside the student's code, which can read and change them.",
    "No sandbox: student code runs with the rights of whoever runs the tests.",
)
BY_NAME = "Forbidden functions are noticed where they are called by their own names, forbidden packages not."
UNSEEN = {"stays_small": "How large tensors get on the way isn't measured."}


class NotCarried(ValueError):
    """An exercise that no other format holds; the text says why."""


@dataclass(frozen=True)
class Call:
    """One case: its title, whether students get it, and the code that checks it, of the name `answer`."""

    title: str
    hidden: bool
    code: str


@dataclass(frozen=True)
class Core:
    """An exercise as code.

    Attributes:
        exercise: what it checks.
        name: of the answer in a student's notebook.
        stub: the answer's cell, with the solution between its marks.
        calls: its cases.
        code: imports, the functions that compare, and what holds for all cases.
        lost: what the exercise has and this doesn't, in sentences.
    """

    exercise: Exercise
    name: str
    stub: str
    calls: tuple[Call, ...]
    code: str
    lost: tuple[str, ...]

    @property
    def stem(self) -> str:
        """The name of its files."""
        return self.exercise.id.partition(".")[2]

    @property
    def above(self) -> str:
        """What the solution needs above itself: imports, and right answers to earlier exercises."""
        if self.exercise.driver == "choice":
            return ""
        text = code(self.exercise.reference)
        return answers.pasted(self.exercise.reference, ()).removesuffix(text).strip()

    @property
    def head(self) -> str:
        """What stands at the top of each file."""
        losses = "\n".join(f"- {each}" for each in self.lost)
        title = self.exercise.title
        return f"{title}: exported by Headstart. What its own check has and this lacks:\n\n{losses}"

    def docstring(self, more: str = "") -> str:
        """The same as a file's docstring, with what follows it."""
        escaped = f"{self.head}{more}".replace("\\", "\\\\").replace('"', '\\"')
        return f'"""{escaped}\n"""\n'

    def passes(self, answer: Any) -> bool:
        """Whether an answer passes all cases. It runs here: only for answers of ours."""
        room: dict[str, Any] = {}
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(self.code, "<exported>", "exec"), room)
            try:
                for call in self.calls:
                    exec(compile(call.code, "<exported>", "exec"), {**room, "answer": answer})
            except Exception:
                return False
        return True


def core(exercise: Exercise, name: str, stub: str, seed: str) -> Core:
    """An exercise as code, tried on all answers that come with it.

    Args:
        exercise: the exercise.
        name: of the answer in a student's notebook.
        stub: the answer's cell.
        seed: of its hidden cases, any text. Who knows it can make them, too.

    Raises:
        NotCarried: it can't be; the text says why.
    """
    if exercise.driver not in CARRIED:
        raise NotCarried(f'it is checked by the course\'s own code (its driver is "{exercise.driver}")')
    with one_thread():
        sheets = [make_sheet(exercise, VISIBLE_SEED, misconceptions=False)]
        if exercise.driver != "choice":  # in which nothing is drawn
            sheets.append(HiddenSheets(seed.encode()).draw(exercise, 0))
        sheets = [Sheet.from_json(sheet.to_json()) for sheet in sheets]  # what answers get: no tuples
        try:
            calls = [
                call for number, sheet in enumerate(sheets) for call in _calls(exercise, sheet, number > 0)
            ]
        except NoLiteral as error:
            kind = f"{error}".replace(f"{Record.__module__}.{Record.__name__}", "dataclass's instance")
            raise NotCarried(f"a case holds a {kind}, which no code here makes") from error
        made = Core(exercise, name, stub, tuple(calls), _code(exercise, calls), _lost(exercise))
        right = [exercise.reference, *exercise.alternatives]
        if wrongly := [each.__name__ for each in right if callable(each) and not made.passes(each)]:
            raise NotCarried(f"it would refuse a right answer, {wrongly[0]}")
        passing = [m.name for m in exercise.misconceptions if made.passes(_variant(exercise, m.variant))]
    unseen = f"Known wrong answers that pass here: {', '.join(passing)}."
    return replace(made, lost=(*made.lost, unseen)) if passing else made


def _variant(exercise: Exercise, variant: Any) -> Any:
    return overlay(exercise.reference, variant) if exercise.driver == "choice" else variant


def _lost(exercise: Exercise) -> tuple[str, ...]:
    unseen = [UNSEEN[each.__name__] for each in exercise.properties if each.__name__ in UNSEEN]
    return (*LOST, *unseen, *([BY_NAME] if exercise.forbidden else []))


def _code(exercise: Exercise, calls: list[Call]) -> str:
    """What the cases need: imports, functions and the rules that hold for all of them."""
    names = [*NEEDS["values"], *(NEEDS["gradients"] if exercise.gradients else ())]
    if exercise.driver in WRAPPED:
        names += [*(["flat"] if not exercise.gradients else []), WRAPPED[exercise.driver]]
    kept = {property.__name__ for property in exercise.properties}
    rules = {
        "coarse": not exercise.full_precision,
        "unchanged": bool(kept & {"inputs_unchanged", "shares_nothing"}),
        "int64": "whole_numbers_in_int64" in kept,
        "forbidden": tuple(name for name in exercise.forbidden if "." in name),
    }
    said = ", ".join(f"{key}={value!r}" for key, value in rules.items() if value or key == "coarse")
    imports = preamble("\n".join(call.code for call in calls))
    return "\n".join([_imports(), imports, "", pasted(names), "", f"RULES = dict({said})", ""])


def _imports() -> str:
    wanted = [
        node
        for node in ast.parse(inspect.getsource(runtime)).body
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    return "\n".join(map(ast.unparse, wanted))


def pasted(names: list[str]) -> str:
    """The source of some of the runtime's functions and tables."""
    source = inspect.getsource(runtime)
    found = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = ast.get_source_segment(source, node) or ""
        elif isinstance(node, ast.FunctionDef):
            marks = "".join(f"@{ast.unparse(each)}\n" for each in node.decorator_list)
            found[node.name] = marks + (ast.get_source_segment(source, node) or "")
    return "\n\n\n".join(found[name] for name in names)


def _calls(exercise: Exercise, sheet: Sheet, hidden: bool) -> Iterator[Call]:
    answer = f"{WRAPPED[exercise.driver]}(answer)" if exercise.driver in WRAPPED else "answer"
    for case, expected in zip(sheet.cases, sheet.expected, strict=True):
        if any(is_recipe(each) for each in _values([*case.args, *case.kwargs.values()])):
            raise NotCarried("a case holds a function of the course's helpers")
        args, kwargs, outputs = case.args, dict(case.kwargs), expected.outputs
        if exercise.driver == "choice":
            args, outputs = (), runtime.of_choice(exercise.reference)()
        parts = [answer, literal(tuple(args)), literal(kwargs), literal(outputs)]
        if exercise.gradients:
            parts.append(f"gradients={literal(list(expected.gradients or []))}")
        yield Call(case.title or exercise.title, hidden, f"check({', '.join(parts)}, **RULES)")


def _values(values: Any) -> Iterator[Any]:
    for value in values:
        yield value
        if isinstance(value, Mapping):
            yield from _values(value.values())
        elif isinstance(value, list | tuple):
            yield from _values(value)
