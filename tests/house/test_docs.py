"""What the pages say is so: their links lead somewhere, their commands exist, their example works."""

import argparse
import ast
import json
import math
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from nbgrader.apps.nbgraderapp import NbGraderApp

from autograder import exercises, lessons
from autograder.authoring.mutating.around import around
from autograder.authoring.mutating.mutants import mutants
from autograder.commands.cli import SETTING, _parser
from autograder.courses import current
from autograder.exercise import Exercise
from autograder.lessons import ROOT
from autograder.sheets import VISIBLE_SEED, make_sheet
from helpers.checking.calling.drivers import run
from helpers.checks import assess
from helpers.figures.predicting import predictions
from tests.support.small_course import MASTER, Course, exercise_in

TOPICS = current().topics

PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
each_page = pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
OURS = re.compile(r"(?<![\w/.-])((?:autograder|helpers|tests|notebooks|docs|benchmarks|source)/[\w./*-]*\w)")


def prose(page: Path) -> str:
    """A page without its code blocks."""
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def code(page: Path) -> Iterator[str]:
    """The lines of a page's code blocks for a shell, and the code in its sentences."""
    text = page.read_text(encoding="utf-8")
    for language, block in FENCE.findall(text):
        if not language:
            yield from block.splitlines()
    yield from re.findall(r"`([^`\n]+)`", prose(page))


def calls(page: Path, program: str) -> Iterator[list[str]]:
    """The arguments of each call of a program that a page names."""
    for line in code(page):
        for part in re.split(r"&&|;|#", line):
            first, _, rest = part.strip().replace("\\", "/").partition(" ")
            if Path(first).name == program and first[-1] != "/":  # a folder may have its name
                yield shlex.split(rest.replace("[", "").replace("]", ""))


def slug(heading: str) -> str:
    """The anchor of a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


# -- links -----------------------------------------------------------------------------------------------


@each_page
def test_links_and_images_lead_somewhere(page):
    for image, text, target in LINK.findall(prose(page)):
        assert text, f"{target} has no text"
        assert not image or len(text) > 40, f"{target} needs a text for those who can't see it"
        if target.startswith("https://"):
            continue
        path, _, anchor = target.partition("#")
        found = (page.parent / path).resolve() if path else page
        assert found.is_file(), target
        assert found.is_relative_to(ROOT), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", prose(found), re.MULTILINE)
            assert anchor in map(slug, headings), target


def test_images_are_few_small_and_shown():
    images = sorted((ROOT / "docs/images").iterdir())
    shown = {(page.parent / target).resolve() for page in PAGES for _, _, target in LINK.findall(prose(page))}
    assert len(images) <= 4
    for image in images:
        assert image.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
        assert image.stat().st_size < 150_000
        assert image in shown


@each_page
def test_files_that_are_named_exist(page):
    named = OURS.findall(" ".join(re.findall(r"`([^`\n]+)`", prose(page))))
    for name in (name for name in named if "averages" not in name):  # the course that a page makes has these
        assert list(ROOT.glob(name)), name


@each_page
def test_tests_that_are_named_exist(page):
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    for name in re.findall(r"`(test_\w+)`", prose(page)):
        assert f"def {name}(" in source, name


def test_each_promise_of_the_security_page_has_tests_that_carry_its_number():
    page = (ROOT / "docs/security.md").read_text(encoding="utf-8")
    promised = [int(number) for number in re.findall(r"^(\d+)\. ", page, re.MULTILINE)]
    assert promised == [*range(1, len(promised) + 1)]
    proved = {
        argument.value
        for path in (ROOT / "tests").rglob("test_*.py")
        for test in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(test, ast.FunctionDef) and test.name.startswith("test_")
        for mark in test.decorator_list
        if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.promise"
        for argument in mark.args
        if isinstance(argument, ast.Constant)
    }
    assert proved == set(promised)


def test_quoted_grades_are_those_that_the_lesson_can_give():
    """Its points in all and each exercise's, in what a page quotes of `headstart grade`."""
    cards = json.loads((ROOT / "release/01_attention/checks.json").read_text(encoding="utf-8")).values()
    points = {card["title"]: card["points"] for card in cards}
    text = "".join(
        (ROOT / f"docs/{name}.md").read_text(encoding="utf-8") for name in ("teaching", "semester")
    )
    for mean, total, low, high in re.findall(r"mean ([\d.]+) of (\d+) .*lowest (\d+) · highest (\d+)", text):
        assert int(low) <= float(mean) <= int(high) <= int(total) == sum(points.values())
    rows = re.findall(r"│ \w+ +│ (\w+) +│ \d of (\d) │ \d of (\d) │", text)
    assert rows
    for title, before, after in rows:
        assert int(before) == int(after) == points[title]


# -- the tree of docs/architecture.md --------------------------------------------------------------------


def test_the_tree_names_every_folder_and_the_modules_at_the_top():
    text = FENCE.findall((ROOT / "docs/architecture.md").read_text(encoding="utf-8"))[0][1]
    named, top = set(), ""
    for line in text.splitlines():
        if found := re.match(r"(\w+)/", line):
            top = found[1]
        elif found := re.match(r"  ([\w.]+)", line):
            named.add(f"{top}/{found[1]}")
    found = {
        path.relative_to(ROOT).as_posix()
        for top in ("helpers", "autograder")
        for path in (ROOT / top).iterdir()
        if not path.name.startswith((".", "__")) and path.name not in TOPICS
    }
    assert named == found | {"helpers/TOPIC"}


# -- commands --------------------------------------------------------------------------------------------


def commands_of(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    (choices,) = [a.choices for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    return choices


@each_page
def test_headstart_knows_the_commands_and_their_options(page):
    commands = commands_of(_parser())
    for words in filter(None, calls(page, "headstart")):
        name, *rest = words[2:] if words[0] == "--course" else words
        assert name in commands, name
        known = commands[name]._option_string_actions
        options = [word for word in rest if word.startswith("--") and not SETTING.match(word)]
        assert not [word for word in options if word not in known], rest


@each_page
def test_nbgrader_knows_its_commands(page):
    known = {*NbGraderApp.subcommands}
    for name, *_ in filter(None, calls(page, "nbgrader")):
        assert name in known, name


@each_page
def test_make_knows_its_targets_and_variables(page):
    makefile = (ROOT / "Makefile").read_text()
    for target, *variables in filter(None, calls(page, "make")):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
        for variable in variables:
            assert re.search(rf"^{variable.partition('=')[0]} [?:]?=", makefile, re.MULTILINE), variable


def test_every_command_has_a_row_with_all_its_options():
    page = (ROOT / "docs/commands.md").read_text(encoding="utf-8")
    said: dict[str, set[str]] = {}
    for name, rest in re.findall(r"^\| `headstart (\w+)([^|]*)\|", page, re.MULTILINE):
        said.setdefault(name, set()).update(re.findall(r"--[\w-]+", rest))
    known = {
        name: {option for option in command._option_string_actions if option.startswith("--")} - {"--help"}
        for name, command in commands_of(_parser()).items()
    }
    assert said == known


def test_every_target_of_make_has_a_row():
    page = (ROOT / "docs/commands.md").read_text(encoding="utf-8")
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert set(re.findall(r"^\| `make ([\w-]+)", page, re.MULTILINE)) == set(targets)


def test_readme_is_short_and_gives_each_lesson_a_line():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \d\d .*\n", text, re.MULTILINE)
    assert len(text.split()) <= 575 + 25 * len(rows)
    assert len(re.findall(r"^!\[", text, re.MULTILINE)) == 1


def test_the_changelog_fits_a_page():
    assert len((ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split("\n")) <= 61


def test_readme_counts_the_exercises_of_each_lesson():
    """And predictions. The build writes them there; that it did, `tests/authoring/test_in_step.py` proves."""
    row = r"^\| (\d\d) [A-Z][^|]* \| (\d+) \| (\d+) \| (\d+) \|"
    said = re.findall(row, (ROOT / "README.md").read_text(), re.MULTILINE)
    counted = [
        (name[:2], str(len(exercises.load(topic := lessons.topic(name)))), str(len(predictions(topic))))
        for name in lessons.names()
    ]
    assert [row[:3] for row in said] == counted[1:]  # the start page has none that count
    assert sum(int(row[2]) for row in said) >= 4
    assert all(60 <= int(row[3]) <= 300 for row in said)


def numbers_of(page: Path) -> dict[str, set[str]]:
    """The numbers in a page's tables, for each lesson by its topic: a lesson's number may have changed since."""
    found: dict[str, set[str]] = {}
    for topic, rest in re.findall(r"^\| \d\d_(\w+) \|(.*)$", page.read_text(encoding="utf-8"), re.MULTILINE):
        found.setdefault(topic, set()).update(re.findall(r"\d+(?:\.\d+)?", rest.replace(",", "")))
    return found


def test_what_is_measured_is_what_the_benchmarks_wrote():
    measured, written = numbers_of(ROOT / "docs/measured.md"), numbers_of(ROOT / "benchmarks/RESULTS.md")
    assert set(measured) == set(written) - {"start_here"}
    for topic, numbers in measured.items():
        assert numbers <= written[topic], (topic, numbers - written[topic])


def test_the_mutants_are_counted():
    """Their number in a lesson includes those that are right as well."""
    page = (ROOT / "docs/measured.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \d\d_\w+ \| (\d+) \| (\d+) \| 0 \|", page, re.MULTILINE)
    every, right = (sum(map(int, column)) for column in zip(*rows, strict=True))
    for said in (f"{every:,}, including the {right}", f"the other {every - right:,}"):
        assert said in page


def test_the_tricks_are_counted():
    [said] = re.findall(r"has (\d+) tricks", (ROOT / "docs/security.md").read_text(encoding="utf-8"))
    assert int(said) == len(list((ROOT / "tests/attacks").glob("*.py")))


# -- the example of CONTRIBUTING.md ----------------------------------------------------------------------


@pytest.fixture
def example(tmp_path) -> tuple[Exercise, str, str]:
    """The exercise that CONTRIBUTING.md adds, its cells, and its mutants that are right as well."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    file, cells = [block for language, block in FENCE.findall(text) if language == "python"]
    [listed] = [block for language, block in FENCE.findall(text) if language == "json"]
    path = tmp_path / "entropy.py"
    path.write_text(file, encoding="utf-8")
    return exercise_in(path), cells, listed


@pytest.mark.parametrize("seed", [VISIBLE_SEED, "hidden"])
def test_the_example_keeps_the_promises_of_an_exercise(example, seed):
    exercise, *_ = example
    sheet = make_sheet(exercise, seed)

    def finding(answer):
        return assess(sheet, [run(exercise.driver, answer, case) for case in sheet.cases])

    assert [finding(answer).status for answer in (exercise.reference, *exercise.alternatives)] == [
        "passed"
    ] * 3
    assert len(exercise.misconceptions) >= 3
    for misconception in exercise.misconceptions:
        assert finding(misconception.variant).meaning == misconception.sentence


def test_the_example_builds_and_its_cell_is_right(example, tmp_path):
    exercise, cells, listed = example
    course = Course(tmp_path)
    course.specs[exercise.id] = exercise
    course.write("exercises/attention/mutants.json", listed)
    set_up = "import math\n\nimport torch\n\nfrom helpers.checks"
    course.write("notebooks/01_attention.py", f"{MASTER.replace('from helpers.checks', set_up)}\n{cells}")
    assert course.build() == 0
    [said] = re.findall(
        r"`entropy` has (\d+) mutants", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    )
    changes = [
        *mutants(exercise),
        *around(exercise, make_sheet(exercise, VISIBLE_SEED, misconceptions=False)),
    ]
    assert int(said) == len(changes)
    [released] = [cell for cell in course.notebook("release").cells if cell.id == "attention-entropy-answer"]
    assert "raise NotImplementedError()" in released.source
    [solved] = [cell for cell in course.notebook("source").cells if cell.id == "attention-entropy-answer"]
    names = {"torch": torch, "math": math}
    exec(solved.source, names)
    sheet = make_sheet(exercise, VISIBLE_SEED)
    assert assess(sheet, [run("call", names["entropy"], case) for case in sheet.cases]).status == "passed"
