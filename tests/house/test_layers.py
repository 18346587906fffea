"""Imports go one way: commands -> classroom -> grading -> authoring -> child -> ground; helpers know nothing of the engine."""

import ast
from pathlib import Path

from autograder.courses import current
from autograder.lessons import ROOT

TOPICS = current().topics

GROUND = {path.stem for path in (ROOT / "autograder").glob("*.py")}
LAYERS = ["ground", "child", "authoring", "grading", "classroom", "commands"]
MODULES = sorted(
    path.relative_to(ROOT)
    for room in ("autograder", "helpers")
    for path in (ROOT / room).rglob("*.py")
    if "skeletons" not in path.parts  # what a new course begins with
)

NAMED = {".".join(path.with_suffix("").parts).removesuffix(".__init__"): path for path in MODULES}


def imports(module: Path) -> set[str]:
    """The dotted names that a module imports, at its top or later; of `from a import b` both `a` and `a.b`."""
    nodes = list(ast.walk(ast.parse((ROOT / module).read_text(encoding="utf-8"))))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    named = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    return plain | {f"{node.module}.{alias.name}" for node in named for alias in node.names}


def closure(start: str) -> set[str]:
    """A module of ours and all that it leads to, import by import."""
    found, waiting = set(), [start]
    while waiting:
        parts = waiting.pop().split(".")
        for name in {".".join(parts[:end]) for end in range(1, len(parts) + 1)} & set(NAMED) - found:
            found.add(name)
            waiting += imports(NAMED[name])
    return found


def layer(name: str) -> int:
    """Where a dotted name of the engine stands, from the ground up."""
    room = name.split(".")[1]
    return 0 if room in GROUND else LAYERS.index(room)


def test_no_module_of_the_engine_imports_from_a_layer_above_its_own() -> None:
    for module in MODULES:
        if module.parts[0] == "autograder" and module.name != "__main__.py":
            own = layer(".".join(module.with_suffix("").parts))
            theirs = [name for name in imports(module) if name.startswith("autograder.")]
            assert [name for name in theirs if layer(name) > own] == [], module


def test_exercises_take_from_the_engine_what_is_public() -> None:
    """As those of any other course do: `headstart` names all of it."""
    for path in sorted((ROOT / "exercises").rglob("*.py")):
        theirs = imports(path.relative_to(ROOT))
        engine = [each for each in theirs if each.startswith(("autograder", "helpers.check"))]
        assert engine == [], path


def test_grading_knows_no_gradebook_no_exchange_and_no_page() -> None:
    """Of nbgrader it uses the format and the steps that make a release, and nothing that opens a database."""
    known = {"coursedir", "converters", "nbgraderformat", "preprocessors", "utils"}
    for module in MODULES:
        if module.parts[:2] == ("autograder", "grading"):
            nbgrader = {name.split(".")[1] for name in imports(module) if name.startswith("nbgrader.")}
            assert nbgrader <= known, module


def test_no_reference_is_imported_where_verdicts_are_made() -> None:
    """The judge is handed numbers. What makes them, from references, isn't among the modules that it needs."""
    needed = closure("autograder.grading.judge")
    assert "helpers.checking.assessing" in needed
    makers = ("autograder.exercise", "autograder.sheets", "autograder.grading.lesson", "autograder.authoring")
    assert [name for name in needed if name.startswith(makers)] == []
    assert {name.split(".")[1] for name in needed if name.startswith("helpers.")} & set(TOPICS) == set()


def test_an_exercise_is_a_record_and_nothing_in_it_runs() -> None:
    needed = closure("autograder.exercise")
    assert {name for name in needed if name.startswith("autograder.")} == {"autograder.exercise"}
    assert "helpers.checking.calling.drivers" not in needed


def test_what_the_sandbox_shows_of_the_engine_needs_nothing_else_of_it() -> None:
    assert not imports(NAMED["autograder.limits"])
    for module in MODULES:
        if module.parts[:2] == ("autograder", "child"):
            engine = {name for name in imports(module) if name.startswith("autograder.")}
            assert {".".join(name.split(".")[:2]) for name in engine} <= {
                "autograder.child",
                "autograder.limits",
            }


def test_every_limit_of_the_engine_is_among_the_others() -> None:
    """A size by which something is refused, cut or changed: a number with such a name, or compared with."""
    for module in MODULES:
        if module.parts[0] == "autograder" and module.name != "limits.py":
            tree = ast.parse((ROOT / module).read_text(encoding="utf-8"))
            named = {
                name.id
                for statement in tree.body
                if isinstance(statement, ast.Assign) and not isinstance(statement.value, ast.Name)
                for target in statement.targets
                for name in ast.walk(target)
                if isinstance(name, ast.Name) and ("MAX_" in name.id or name.id.endswith("_BYTES"))
            }
            compared = [
                ast.unparse(compare)
                for compare in ast.walk(tree)
                if isinstance(compare, ast.Compare)
                for part in ast.walk(compare)
                if isinstance(part, ast.BinOp) and isinstance(part.op, ast.LShift)
            ]
            assert not named and not compared, (module, named, compared)


def test_helpers_know_nothing_of_the_engine() -> None:
    for module in MODULES:
        assert module.parts[0] == "autograder" or not any(
            n.split(".")[0] == "autograder" for n in imports(module)
        )


def test_what_lessons_share_knows_no_lesson() -> None:
    """The check engine, figures, text and training: a lesson's own comes to them by arguments and the registry."""
    for module in MODULES:
        if module.parts[0] == "helpers" and module.parts[1] in (
            "checks.py",
            "checking",
            "figures",
            "text",
            "training",
        ):
            rooms = {name.split(".")[1] for name in imports(module) if name.startswith("helpers.")}
            assert not rooms & set(TOPICS), module
