"""What each lesson's students get: all of it is listed here, and none of it answers what they are asked."""

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder import exercises, lessons
from autograder.authoring.build import make
from autograder.grading.course import course_directory
from autograder.grading.lesson import Lesson
from autograder.lessons import ROOT, TOPICS

# What comes with each lesson, besides all that came with the lessons before it.
COMES_WITH = {
    "start_here": """
        __init__.py checks.py storage.py start_here/kernel.py start_here/page.py
        checking/__init__.py checking/assessing.py checking/choosing.py checking/comparing.py checking/contrast.py
        checking/drivers.py checking/finding.py checking/forbidding.py checking/hints.py checking/keeping.py
        checking/names.py checking/outcome.py
        checking/progress.py checking/properties.py checking/reaching.py checking/registry.py
        checking/relations.py checking/sheet.py checking/sketches.py checking/values.py
        figures/__init__.py figures/controls.py figures/plots.py figures/predicting.py figures/showing.py
    """,
    "attention": """
        start_here/__init__.py
        attention/explorers.py attention/figures.py attention/predictions.py attention/reader.npz
        attention/reader.py attention/recipes.py
    """,
    "multihead": """
        attention/__init__.py attention/reference.py
        multihead/explorers.py multihead/predictions.py multihead/recipes.py
    """,
    "positional": """
        multihead/__init__.py multihead/reference.py
        positional/explorers.py positional/predictions.py
    """,
    "masking": """
        positional/__init__.py positional/reference.py
        masking/explorers.py masking/figures.py masking/predictions.py masking/recipes.py
    """,
    "complexity": """
        masking/__init__.py masking/reference.py
        complexity/explorers.py complexity/predictions.py
    """,
    "block": """
        complexity/__init__.py complexity/reference.py
        corpora.py text/__init__.py text/grammar.py text/notation.py text/pairs.py text/real_text.py
        text/review_rules.py text/review_words.py text/reviews.py text/vocabulary.py
        training/__init__.py training/checkpoints.py training/display.py training/live.py training/muon.py
        training/parallel.py training/stopping.py
        block/experiments.py block/explorers.py block/figures.py block/predictions.py block/recipes.py
    """,
    "counting": """
        block/__init__.py block/reference.py
        own.py models/__init__.py models/blocks.py models/transformer.py
        counting/explorers.py counting/figures.py counting/predictions.py counting/recipes.py
    """,
    "pretraining": """
        counting/__init__.py counting/reference.py
        pretraining/explorers.py pretraining/predictions.py pretraining/recipes.py
        pretraining/scaling.json pretraining/scaling.py
    """,
    "finetuning": """
        pretraining/__init__.py pretraining/reference.py
        finetuning/experiments.py finetuning/explorers.py finetuning/figures.py finetuning/predictions.py
        finetuning/real_text.py
        finetuning/recipes.py
    """,
    "bert": """
        finetuning/__init__.py finetuning/reference.py
        bert/experiments.py bert/explorers.py bert/figures.py bert/predictions.py bert/published.py
        bert/recipes.py
    """,
    "translation": """
        bert/__init__.py bert/reference.py
        translation/explorers.py translation/figures.py translation/predictions.py translation/recipes.py
    """,
    "modern": """
        translation/__init__.py translation/reference.py models/encoder_decoder.py
        modern/experiments.py modern/explorers.py modern/figures.py modern/ladder.json modern/predictions.py
        modern/recipes.py
    """,
}


def listed(lesson: str) -> set[str]:
    """The helpers that a lesson's bundle holds, by this list."""
    upto = TOPICS[: TOPICS.index(lessons.topic(lesson)) + 1]
    return {name for topic in upto for name in COMES_WITH[topic].split()}


each_lesson = pytest.mark.parametrize("lesson", lessons.names())


def test_each_topic_is_listed_and_numbers_the_lessons() -> None:
    assert list(COMES_WITH) == list(TOPICS) == [lessons.topic(lesson) for lesson in lessons.names()]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """All that the build makes of all lessons, by path."""
    return make(lessons.names(), tmp_path_factory.mktemp("built"))


@each_lesson
def test_helpers_are_copied_byte_for_byte(lesson: str, built: dict[str, bytes]) -> None:
    """Weights, too, in which two bytes may look like the end of a line on Windows."""
    for name in listed(lesson):
        assert built[f"release/{lesson}/helpers/{name}"] == (ROOT / "helpers" / name).read_bytes(), name


@each_lesson
def test_a_bundle_holds_what_is_listed_and_nothing_else(lesson: str, built: dict[str, bytes]) -> None:
    for tree in ("source", "release"):
        bundle = {
            path.removeprefix(f"{tree}/{lesson}/") for path in built if path.startswith(f"{tree}/{lesson}/")
        }
        assert bundle == {f"{lesson}.ipynb", "checks.json", *(f"helpers/{name}" for name in listed(lesson))}


@each_lesson
def test_the_sandbox_shows_the_same_helpers(lesson: str) -> None:
    """And of what is no lesson of ours, as many as the start page."""
    _, config = course_directory(ROOT)
    if lessons.topic(lesson) != "start_here":
        worker = Lesson.load(lesson, ROOT, config).new_worker(sandboxed=True)
        assert {path.relative_to(ROOT / "helpers").as_posix() for path in worker.helpers} == listed(lesson)


# -- references ------------------------------------------------------------------------------------------


def body(node: ast.AST) -> str:
    """What a function or a method does, whatever it and its arguments are called: names by first use, no docs."""
    names: dict[str, str] = {}
    parts = []
    for part in ast.walk(ast.Module(body=_statements(node), type_ignores=[])):
        if isinstance(part, ast.Name):
            parts.append(names.setdefault(part.id, f"n{len(names)}"))
        elif isinstance(part, ast.Constant):
            parts.append(repr(part.value))
        elif isinstance(part, ast.Attribute):
            parts.append(part.attr)
        parts.append(type(part).__name__)
    return " ".join(parts)


def _statements(node: ast.AST) -> list[ast.stmt]:
    """The statements of a function without docstring and types."""
    statements = [*getattr(node, "body", [])]
    if statements and isinstance(statements[0], ast.Expr) and isinstance(statements[0].value, ast.Constant):
        statements = statements[1:]
    return [
        ast.Assign([s.target], s.value) if isinstance(s, ast.AnnAssign) and s.value else s for s in statements
    ]


def functions(path: Path) -> Iterator[tuple[str, str]]:
    """The functions and methods of a file, by name, and what they do."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            yield node.name, body(node)


@functools.cache
def references(topic: str) -> dict[str, str]:
    """What the references of a topic's exercises do, and the functions of ours that only they call; and names."""
    wanted = {}
    for exercise in exercises.load(topic).values():
        answer = exercise.reference
        if callable(answer) and answer.__module__.startswith("helpers."):
            path = ROOT / Path(*answer.__module__.split(".")).with_suffix(".py")
            tree = ast.parse(path.read_text(encoding="utf-8"))
            [found] = [node for node in tree.body if getattr(node, "name", "") == answer.__name__]
            for node in ast.walk(found):
                if isinstance(node, ast.FunctionDef) and len(text := body(node)) > SHORT:
                    wanted[text] = exercise.id
    return wanted


SHORT = 60  # characters: `return x` is nobody's secret


@each_lesson
def test_no_bundle_holds_what_answers_its_exercises_or_a_later_lessons(lesson: str) -> None:
    later = TOPICS[TOPICS.index(lessons.topic(lesson)) :]
    secret = {text: id for topic in later for text, id in references(topic).items()}
    for name in sorted(name for name in listed(lesson) if name.endswith(".py")):
        for function, text in functions(ROOT / "helpers" / name):
            assert text not in secret, f"helpers/{name}: {function} answers {secret[text]}"


@each_lesson
def test_no_bundle_holds_the_module_of_a_reference(lesson: str) -> None:
    later = TOPICS[TOPICS.index(lessons.topic(lesson)) :]
    for exercise in [e for topic in later for e in exercises.load(topic).values()]:
        if callable(exercise.reference):
            path = Path(*exercise.reference.__module__.split(".")).with_suffix(".py").as_posix()
            assert path.removeprefix("helpers/") not in listed(lesson), exercise.id


def test_a_reference_under_another_name_would_be_found(tmp_path: Path) -> None:
    """With other names for itself, its arguments and what it computes, and its words left out."""
    text = (ROOT / "helpers/attention/reference.py").read_text(encoding="utf-8")
    copy = tmp_path / "beam.py"
    copy.write_text(
        text.replace("scores", "s").replace("weights", "w").replace("scaled_dot_product_attention", "f")
    )
    found = {references("attention").get(text) for _, text in functions(copy)}
    assert {"attention.softmax", "attention.scaled_dot_product"} <= found
