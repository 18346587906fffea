"""What each lesson's students get: what opens with it and no more, and none of it answers what they are asked."""

import ast
import functools
import importlib
import io
import json
import os
import posixpath
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest
from nbconvert.filters.markdown_mistune import markdown2html_mistune

from autograder import exercises, lessons
from autograder.authoring.build import make
from autograder.authoring.bundles import bundle, dependencies, links, repository
from autograder.authoring.leaks import leaks
from autograder.authoring.site import pages
from autograder.classroom.course import course_directory
from autograder.courses import ENGINE_HELPERS, Course, current
from autograder.grading.lesson import Lesson
from autograder.grading.workers import FEW
from autograder.lessons import ROOT
from helpers.figures.live import IMPORT
from helpers.figures.predicting import REVEALED
from tests.long import bundles
from tests.support.proved import PROJECT, follows_from
from tests.support.small_course import DOUBLE

pytestmark = follows_from(*PROJECT, "release/*/*.ipynb", "docs", "README.md")

TOPICS = current().topics
ANSWERS = ("__init__.py", "reference.py")  # in a lesson's folder; they come with the next lesson


def listed(lesson: str) -> set[str]:
    """The helpers that a lesson's bundle holds: shared ones by `[opens]`, and the folders of the lessons so far."""
    upto = TOPICS[: TOPICS.index(lessons.topic(lesson)) + 1]
    opens = dict.fromkeys(ENGINE_HELPERS, TOPICS[0]) | current().opens
    shared = [ROOT / "helpers" / name for name, topic in opens.items() if topic in upto]
    own = [
        path
        for topic in upto
        for path in (ROOT / "helpers" / topic).glob("*.*")
        if (path.name not in ANSWERS if topic == upto[-1] else path.name != REVEALED)
    ]
    files = [file for path in shared for file in ([path] if path.is_file() else path.rglob("*.*"))]
    names = {path.relative_to(ROOT / "helpers").as_posix() for path in (*files, *own)}
    return {name for name in names if "__pycache__" not in name}


each_lesson = pytest.mark.parametrize("lesson", lessons.names())


def test_answers_come_with_the_next_lesson_whatever_its_number() -> None:
    course = Course(Path(), "Signals", ("01_attention", "20_beams"))
    for room, number in course.numbers.items():
        assert lessons.opens(Path(room, "figures.py"), course) == number
        assert [lessons.opens(Path(room, name), course) for name in ANSWERS] == [number + 1] * 2


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
        assert {name.removeprefix("helpers/") for name in worker.helpers} == listed(lesson)


def test_a_worker_is_ready_at_once_for_what_a_lesson_needs_of_torch() -> None:
    """Or each of its first children would import it by itself."""
    _, config = course_directory(ROOT)
    names = (
        "07_counting",
        "04_masking",
        "01_attention",
    )  # by its cells, by an idiom of an answer, not at all
    workers = [Lesson.load(name, ROOT, config).new_worker(sandboxed=True) for name in names]
    assert [(each.few, each.late) for each in workers] == [(0, True), (0, True), (FEW, False)]


# -- references ------------------------------------------------------------------------------------------


def counted_words(text):
    return len(text.split())


counted_words.__module__ = "helpers.text.vocabulary"
SHARED = "helpers/clocks.py"  # opens with lesson 01
TOML = 'name = "C"\nlessons = ["01_attention", "02_multihead", "06_block"]\n[opens]\n"{}" = "{}"\n'


@pytest.mark.parametrize(
    ("name", "as_name"), [("softmax", "sharpened"), ("scaled_dot_product_attention", "look_up")]
)
def test_a_helper_that_answers_an_exercise_stops_the_build(tmp_path: Path, name: str, as_name: str) -> None:
    """With other names for itself, its arguments and what it computes, and its words left out."""
    text = (ROOT / "helpers/attention/reference.py").read_text(encoding="utf-8")
    [node] = [node for node in ast.parse(text).body if getattr(node, "name", "") == name]
    copied = ast.unparse(node).replace("scores", "s").replace("weights", "w").replace(name, as_name)
    (tmp_path / "helpers").mkdir()
    (tmp_path / "course.toml").write_text(TOML.format("clocks.py", "attention"))
    (tmp_path / SHARED).write_text(f"import time\n\n\n{copied}\n")
    [found] = leaks("01_attention", tmp_path, exercises.load)
    assert str(found).startswith(f'{SHARED}:4: {as_name} answers "attention.')
    assert not list(leaks("02_multihead", tmp_path, exercises.load))


def test_a_reference_that_students_have_stops_the_build(tmp_path: Path) -> None:
    exercise = replace(DOUBLE, reference=counted_words)
    (tmp_path / "helpers/text").mkdir(parents=True)
    (tmp_path / "course.toml").write_text(TOML.format("text", "block"))
    (tmp_path / "helpers/text/vocabulary.py").write_text("\n")
    load = lambda topic: {DOUBLE.id: exercise} if topic == "block" else {}  # noqa: E731
    importlib.import_module(counted_words.__module__)
    [found] = leaks("06_block", tmp_path, load)
    assert "helpers/text/vocabulary.py:1: " in str(found) and "has the answer to" in str(found)


# -- the zips --------------------------------------------------------------------------------------------

# In thousands of bytes. 126 to 142 are the check engine and figures, 20 the notebook, 13 to 95 the numbers of the checks.
# Besides, lessons 01 to 05 have the weights of three models (128) and explorers that compute in the page (7),
# and those from 06 on have texts, trainings and models (70 to 105), but for 07. autograder/authoring/bundles.py has the split.
AT_MOST = {
    "01_attention": 421, "02_multihead": 435, "03_positional": 422, "04_masking": 392, "05_complexity": 428,
    "06_block": 348, "07_counting": 209, "08_pretraining": 364, "09_finetuning": 336, "10_bert": 372,
    "11_translation": 373, "12_modern": 388, "13_posttraining": 391,
}  # fmt: skip
OTHERS_AT_MOST = 167


def entries(lesson: str, built: dict[str, bytes]) -> dict[str, bytes]:
    """What a lesson's zip holds, by path."""
    with zipfile.ZipFile(io.BytesIO(built[f"release/{lesson}.zip"])) as packed:
        assert packed.testzip() is None
        assert {entry.compress_type for entry in packed.infolist()} == {zipfile.ZIP_DEFLATED}
        return {name: packed.read(name) for name in packed.namelist()}


@each_lesson
def test_a_zip_is_small_and_holds_a_part_of_the_released_folder(lesson: str, built: dict[str, bytes]) -> None:
    assert len(built[f"release/{lesson}.zip"]) <= 1000 * AT_MOST.get(lesson, OTHERS_AT_MOST)
    held = entries(lesson, built)
    assert {f"{lesson}/{lesson}.ipynb", f"{lesson}/checks.json", f"{lesson}/helpers/checks.py"} <= set(held)
    for name, content in held.items():
        assert built[f"release/{name}"] == content


@each_lesson
def test_a_zip_lacks_nothing_that_its_modules_import(lesson: str, built: dict[str, bytes]) -> None:
    held = entries(lesson, built)
    for name, content in held.items():
        for imported in IMPORT.findall(content.decode()) if name.endswith(".js") else ():
            assert posixpath.normpath(f"{name}/../{imported}") in held, f"{name} imports {imported}"
        for node in ast.walk(ast.parse(content)) if name.endswith(".py") else ():
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("helpers."):
                start = f"{lesson}/{str(node.module).replace('.', '/')}"
                there = any(path == f"{start}.py" or path.startswith(f"{start}/") for path in held)
                assert there, f"{name} imports {node.module}"


@each_lesson
def test_the_same_files_give_the_same_zip(lesson: str, built: dict[str, bytes]) -> None:
    start = f"release/{lesson}/"
    folder = {path.removeprefix(start): held for path, held in built.items() if path.startswith(start)}
    backwards = dict(reversed(folder.items()))
    assert bundle(lesson, folder) == bundle(lesson, backwards) == built[f"release/{lesson}.zip"]


@pytest.mark.timeout(120)
def test_a_solved_zip_passes(built: dict[str, bytes], tmp_path: Path) -> None:
    """The others, and other versions of packages: `python -m tests.long.bundles`."""
    path = tmp_path / "01_attention.zip"
    path.write_bytes(built["release/01_attention.zip"])
    ran = bundles.run("01_attention", Path(sys.executable), quick=True, bundle=path)
    assert (ran.problems, ran.checks, ran.explorers) == ([], 9, 4)


def test_an_explorer_that_is_not_shown_is_a_problem() -> None:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("explorers.any_explorer(f)")])
    data = {"text/plain": "Explorer(children=(HTML(value='<img src=..."}
    notebook.cells[0].outputs = [nbformat.v4.new_output("execute_result", data)]
    [problem] = bundles.wrong(notebook)
    assert problem.startswith("explorers.any_explorer(f): ") and "Explorer(children=" in problem


# -- the first cell --------------------------------------------------------------------------------------


def look_around(place: Path, *, before: str = "", lesson: str = "01_attention", **env: str) -> str:
    """Run a lesson's first cell in a folder, in a Python without any package; what it says."""
    code = f"{before}\nexec(open({str(first_cell(lesson, place))!r}, encoding='utf-8').read())\nprint('fine')"
    command = [sys.executable, "-S", "-c", code]
    done = subprocess.run(command, cwd=place, env=os.environ | {"PYTHONPATH": ""} | env, capture_output=True)
    return (done.stdout + done.stderr).decode().strip().splitlines()[-1]


def first_cell(lesson: str, place: Path) -> Path:
    """The text of a lesson's first cell of code, in a file."""
    [cell] = [c for c in lessons.load_source_notebook(lesson).cells if lessons.kind(c) == "bundle"]
    path = place / "cell.py"
    path.write_text(cell.source, encoding="utf-8")
    return path


def test_the_first_cell_says_what_is_missing(built: dict[str, bytes], tmp_path: Path) -> None:
    assert "The folder helpers is missing. Unpack 01_attention.zip" in look_around(tmp_path)
    (tmp_path / "helpers").mkdir()
    said = look_around(tmp_path)
    assert "Not installed: IPython ipywidgets matplotlib numpy torch. Run `%pip install IPython" in said
    old = "import sys; sys.version_info, sys.version = (3, 8, 1), '3.8.1 (main)'"
    assert "This is Python 3.8.1. The course needs Python 3.11 or newer." in look_around(tmp_path, before=old)
    for name in ("IPython", "ipywidgets", "matplotlib", "numpy", "torch"):
        (tmp_path / f"{name}.py").write_text("raise AssertionError('it is looked for, not imported')")
    assert look_around(tmp_path) == "fine"


@pytest.mark.parametrize("needed", [[], ["numpy"], ["torch"]])
def test_the_check_itself_asks_for_no_package(needed: list[str]) -> None:
    """It knows values of several packages, and a lesson has those that its own cells import."""
    helpers = {name: path.read_bytes() for name, path in lessons.helper_files(0).items()}
    code = "\n".join(["from helpers.checks import check", *(f"import {name}" for name in needed)])
    found = dependencies("01_words", [code], "{}", helpers)
    assert found.packages == needed and "helpers/checking/kinds/arrays.py" in found.files


@each_lesson
def test_seaborn_is_asked_for_where_a_figure_needs_it_and_nowhere_else(
    lesson: str, built: dict[str, bytes]
) -> None:
    cells = json.loads(built[f"release/{lesson}/{lesson}.ipynb"])["cells"]
    asked = any("look_around(" in (text := "".join(cell["source"])) and '"seaborn"' in text for cell in cells)
    assert asked == (f"{lesson}/helpers/figures/repeats.py" in entries(lesson, built))
    assert asked == (lesson[:2] in {"02", "03", "04", "06", "09", "10", "12", "13"})


def test_on_colab_the_first_cell_fetches_the_lesson(built: dict[str, bytes], tmp_path: Path) -> None:
    colab = "import sys; sys.modules['google.colab'] = sys"
    (tmp_path / "there").mkdir()
    here = tmp_path / "here"
    here.mkdir()
    with bundles.served(tmp_path / "there") as address:
        run = functools.partial(look_around, here, before=colab, HEADSTART_URL=address, no_proxy="127.0.0.1")
        said = run()
        assert (
            f"{address}/01_attention.zip" in said and "`%env HEADSTART_URL=...` names another place" in said
        )
        (tmp_path / "there" / "01_attention.zip").write_bytes(built["release/01_attention.zip"])
        assert "Not installed" in run()  # it found the helpers
    assert (here / "01_attention" / "checks.json").read_bytes() == built["release/01_attention/checks.json"]


def test_on_colab_the_first_cell_says_what_to_do_where_the_course_is_not_published(
    built: dict[str, bytes], tmp_path: Path
) -> None:
    if repository():
        pytest.skip("it is published")
    colab = "import sys; sys.modules['google.colab'] = sys"
    said = look_around(tmp_path, before=colab)
    assert "Where is 01_attention.zip? Put a cell with `%env HEADSTART_URL=https://...` before this" in said


# -- where it is published -------------------------------------------------------------------------------

TEXTS = (".md", ".ipynb", ".py", ".json")
# What leads to one repository, by its account and name.
LEADS = re.compile(
    r"(?:colab\.research\.google\.com/github|codespaces\.new|github\.com(?=/[\w.-]+/[\w.-]+/releases/download/lessons))"
    r"/([\w.-]+/[\w.-]+)"
)


def test_all_links_lead_to_the_published_repository_and_none_where_there_is_none(
    built: dict[str, bytes],
) -> None:
    pages = {path.name: path.read_bytes() for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]}
    texts = {name: content.decode() for name, content in (built | pages).items() if name.endswith(TEXTS)}
    assert len(texts) > 1000
    for name, text in texts.items():
        assert {*LEADS.findall(text)} <= {repository().removeprefix("https://github.com/")}, name
    for name in (*texts, "course.toml"):
        assert "YOUR_" not in (texts.get(name) or (ROOT / name).read_text(encoding="utf-8")), name


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Says where the course is published."""

    def publish(repository: str) -> None:
        course = replace(current(), repository=repository)
        monkeypatch.setattr("autograder.authoring.bundles.current", lambda: course)

    return publish


def test_a_published_lesson_ends_its_first_text_with_links_and_is_fetched_from_there(
    published: Callable[[str], None], tmp_path: Path
) -> None:
    published("https://github.com/ada/transformers")
    made = make(["00_start_here", "01_attention"], tmp_path / "made", check=True)
    for lesson in ("00_start_here", "01_attention"):
        notebook = made[f"release/{lesson}/{lesson}.ipynb"].decode()
        title, *_, last = "".join(json.loads(notebook)["cells"][0]["source"]).splitlines()
        place = f"github/ada/transformers/blob/main/release/{lesson}/{lesson}.ipynb"
        colab = f"[Open in Colab](https://colab.research.google.com/{place})"
        assert title.startswith("# ") and "Open in" not in title
        assert last == f"{colab} · [Open in Codespaces](https://codespaces.new/ada/transformers)"
        assert {*LEADS.findall(notebook)} == {"ada/transformers"}
        first = nbformat.reads(notebook, as_version=4).cells[0]
        [shown] = pages._shown(first, first, {}, {}, tmp_path)  # on the website
        link = f'<a href="https://colab.research.google.com/{place}">Open in Colab</a>'
        assert link in markdown2html_mistune(shown.source)
    first = made["release/01_attention/01_attention.ipynb"].decode()
    assert '\\"https://github.com/ada/transformers/releases/download/lessons\\")' in first


@each_lesson
def test_each_lesson_s_links_lead_to_files_of_the_repository(
    lesson: str, published: Callable[[str], None]
) -> None:
    published("https://github.com/ada/transformers")
    [path] = re.findall(r"github/ada/transformers/blob/main/(.*?)\)", links(lesson))
    assert (ROOT / path).is_file()


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("https://github.com/ada/transformers.git", "https://github.com/ada/transformers"),
        ("https://github.com/ada/ada.github.io/", "https://github.com/ada/ada.github.io"),
        ("https://gitlab.com/ada/transformers", ""),
        ("https://github.com/ada", ""),
        ("", ""),
    ],
)
def test_only_an_address_on_github_makes_links(
    address: str, found: str, published: Callable[[str], None]
) -> None:
    published(address)
    assert repository() == found and bool(links("01_attention")) == bool(found)
