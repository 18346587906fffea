"""Mutants: the reference with one small thing changed, to see whether an exercise's cases would notice.

A mutant that passes is either right as well, and listed with its reason beside the exercise, or a hole in
the cases. What is changed into what is in `mutations.py`; here the changed code becomes something to call.
"""

import ast
import contextlib
import copy
import inspect
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

from autograder.answers import is_mark
from autograder.authoring.mutating.changes import Change, changes, is_size
from autograder.authoring.mutating.places import IN_FULL, Place, places
from autograder.exercise import Exercise
from autograder.sheets import VISIBLE_SEED, make_cases, outcome_of

RECORD = "_record_of_a_node"


@dataclass(frozen=True)
class Changed:
    """The reference with one change.

    Attributes:
        name: unique in its exercise, and the same for as long as the changed code stays as it is.
        kind: what sort of change: "operator", "constant", "axis", "argument", "call", "condition",
            "statement", "in place", "size" or "default"; "result", "arguments", "gradient", "shared" or
            "visible shapes" of a change around the code.
        line: of the reference's file.
        answer: to be called as the reference is.
    """

    name: str
    kind: str
    line: int
    answer: Any


@dataclass(frozen=True)
class Mutant(Changed):
    """The reference with one change in its code.

    Attributes:
        place, change: where it is, and what stands there instead.
    """

    place: Place
    change: Change


def has_mutants(exercise: Exercise) -> bool:
    """Whether the reference is code, not choices."""
    return exercise.driver != "choice"


def reference_file(exercise: Exercise) -> Path:
    """Where the reference is written."""
    return Path(inspect.getsourcefile(exercise.reference) or "")


More = Callable[[Place], Iterator[Change]]


def mutants(
    exercise: Exercise, more: More = lambda _: iter(()), of: Any = None, kind: str = ""
) -> Iterator[Mutant]:
    """All mutants of an exercise's reference and of the private functions and classes it calls there.

    They come in the order of the code, the same ones each time.

    Args:
        exercise: the exercise.
        more: further changes for each place.
        of: another right answer, to be changed in the place of the reference.
        kind: of the changes that are wanted; "" means all.
    """
    right = of or exercise.reference
    module = sys.modules[right.__module__]
    definitions = _definitions(module, right.__name__)
    elsewhere = "torch" not in vars(sys.modules[exercise.reference.__module__])
    sizes = _sizes(exercise, module, definitions)
    seen = {_text(definitions)}
    names: dict[str, int] = {}
    for definition in definitions:
        for place in list(places(definition)):
            for change in (*changes(place, sizes.get(id(place.node)), elsewhere=elsewhere), *more(place)):
                if kind and change.kind != kind:
                    continue
                before, after = fragments(place, change)
                with _changed(place, change):
                    text = _text([definition])
                    if text in seen:
                        continue
                    seen.add(text)
                    answer = _compiled(module, definitions, right.__name__)
                if answer is None:
                    continue
                name = f"{definition.name}: {before} → {after}"
                names[name] = names.get(name, 0) + 1
                name += f" ({names[name]})" * (names[name] > 1)
                yield Mutant(name, change.kind, place.line, answer, place, change)


def sources(definition: ast.FunctionDef | ast.ClassDef) -> Iterator[tuple[str, str]]:
    """The edit, with its line, and the code of each mutant of a definition. None runs, here or to be made."""
    seen = {ast.dump(definition)}
    for place in list(places(definition)):
        for change in changes(place):
            before, after = fragments(place, change)
            with _changed(place, change):
                if (dumped := ast.dump(definition)) not in seen:
                    seen.add(dumped)
                    yield f"line {place.line}: {before} → {after}", ast.unparse(definition)


def branches(exercise: Exercise) -> Iterator[Mutant]:
    """The alternatives with one condition changed: what only some right answers ask needs a case, too."""
    for alternative in filter(is_code, exercise.alternatives):
        if alternative is not exercise.reference:
            yield from mutants(exercise, of=alternative, kind="condition")


def is_code(answer: Any) -> bool:
    """Whether an answer is a function or class whose definition is in its module."""
    return vars(sys.modules[answer.__module__]).get(answer.__name__) is answer


def compounds(exercise: Exercise, count: int, random: Random) -> Iterator[tuple[Any, Any, Any]]:
    """References with two changes, at places drawn by chance: with the one, with the other, with both."""
    module, name = sys.modules[exercise.reference.__module__], exercise.reference.__name__
    definitions = _definitions(module, name)
    sizes = _sizes(exercise, module, definitions)
    found = [place for definition in definitions for place in places(definition)]
    single = [(place, change) for place in found for change in changes(place, sizes.get(id(place.node)))]
    for _ in range(count):
        one, other = random.choice(single), random.choice(single)
        inside = {*map(id, (one[0].node, *one[0].around))}, {*map(id, (other[0].node, *other[0].around))}
        if id(one[0].node) in inside[1] or id(other[0].node) in inside[0]:
            continue  # the one change would take the other's place away
        answers = []
        for together in ([one], [other], [one, other]):
            with contextlib.ExitStack() as stack:
                for place, change in together:
                    stack.enter_context(_changed(place, change))
                answers.append(_compiled(module, definitions, name))
        if all(answer is not None for answer in answers):
            yield answers[0], answers[1], answers[2]


Definition = ast.FunctionDef | ast.ClassDef


def _definitions(module: ModuleType, name: str) -> list[Definition]:
    """The definition of a function or class, then those of the private ones that it needs."""
    path = inspect.getsourcefile(module)
    tree = ast.parse(Path(path or "").read_text(encoding="utf-8"))
    known = {node.name: node for node in tree.body if isinstance(node, Definition)}
    for made in known.values():
        made.decorator_list = [each for each in made.decorator_list if not is_mark(each)]
    found = [known[name]]
    for definition in found:
        for node in ast.walk(definition):
            needed = known.get(node.id) if isinstance(node, ast.Name) and node.id.startswith("_") else None
            if needed and needed not in found:
                found.append(needed)
    return found


def _sizes(exercise: Exercise, module: ModuleType, definitions: list[Definition]) -> dict[int, Any]:
    """What each size in the code is in the first visible case, by the identity of its node."""
    found: dict[int, Any] = {}
    answer = _observed(module, definitions, is_size, lambda node, value: found.setdefault(id(node), value))
    outcome_of(exercise, answer, make_cases(exercise, VISIBLE_SEED)[0])
    return found


Observer = Callable[[Any, Any], object]  # gets a node, and what it is each time


def observed(exercise: Exercise, wanted: Callable[[ast.AST], bool], observer: Observer) -> Any:
    """The reference, which tells while it runs what some of its code's nodes are.

    Args:
        exercise: the exercise, whose reference is code.
        wanted: whether a node is wanted. It isn't one of a mutant's, but has the same place in the file.
        observer: is told.
    """
    module = sys.modules[exercise.reference.__module__]
    return _observed(module, _definitions(module, exercise.reference.__name__), wanted, observer)


def _observed(
    module: ModuleType,
    definitions: list[Definition],
    wanted: Callable[[ast.AST], bool],
    observer: Observer,
) -> Any:
    shown = [place for each in definitions for place in places(each) if wanted(place.node)]
    nodes: list[Any] = [place.node for place in shown]

    def record(number: int, value: Any) -> Any:
        observer(nodes[number], value)
        return value

    for number, (place, node) in enumerate(zip(shown, nodes, strict=True)):
        call = ast.Call(ast.Name(RECORD, ast.Load()), [ast.Constant(number), node], [])
        place.put(ast.fix_missing_locations(ast.copy_location(call, node)))
    answer = _compiled(module, definitions, definitions[0].name, {RECORD: record})
    for place, node in zip(shown, nodes, strict=True):
        place.put(node)
    return answer


class _changed:
    """While this lasts, the code has the change in it."""

    def __init__(self, place: Place, change: Change) -> None:
        self.place, self.change = place, change

    def __enter__(self) -> None:
        # A copy: what the change puts there may be a part of the code, whose place should stay known.
        new = ast.copy_location(copy.copy(self.change.node), self.place.node)
        self.place.put(ast.fix_missing_locations(new))

    def __exit__(self, *_: object) -> None:
        self.place.put(self.place.node)


def fragments(place: Place, change: Change) -> tuple[str, str]:
    """The code around a change, before and after: as much as it takes to understand it."""
    around = place.node
    if not isinstance(around, IN_FULL):
        around = next((node for node in place.around if isinstance(node, IN_FULL)), around)
    before = _line(around)
    if around is place.node:
        return before, _line(change.node)
    with _changed(place, change):
        return before, _line(around)


def _line(node: ast.AST) -> str:
    return " ".join(ast.unparse(node).split())


def _text(definitions: list[Definition]) -> str:
    return "\n".join(map(ast.dump, definitions))


def _compiled(
    module: ModuleType, definitions: list[Definition], name: str, more: dict[str, Callable] | None = None
) -> Any:
    """What the definitions make of a name, or None where they are no Python, such as `break` in no loop.

    They are run in a copy of the module's names, so that calls among them stay among them.
    """
    names = {**vars(module), **(more or {})}
    try:
        exec(_code(definitions), names)
    except SyntaxError:
        return None
    return names[name]


def _code(definitions: list[Definition]) -> Any:
    tree = ast.Module(list(definitions), type_ignores=[])
    return compile(tree, "<mutant>", "exec", dont_inherit=True)
