"""The engine as a package: what the wheel holds, and what it does where nothing else is installed."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import PathDistribution
from pathlib import Path

import pytest

from autograder import sheets
from autograder.commands import cli, doctor
from autograder.courses import ENGINE as ROOT
from autograder.courses import ENGINE_HELPERS, at
from autograder.entry import Entry
from helpers.checking.calling.outcome import Case
from tests.support.proved import PROJECT, follows_from

pytestmark = follows_from(*PROJECT, "README.md", "examples")

SOURCES = ("headstart", "autograder", "helpers", "pyproject.toml", "setup.py", "LICENSE")
BUILD = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"
EXTRAS = {"authoring", "grading", "course"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel as `pip wheel .` makes it, of a copy: what building leaves behind isn't wanted here."""
    copy, made = tmp_path_factory.mktemp("sources"), tmp_path_factory.mktemp("wheel")
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, copy)
    subprocess.run([sys.executable, "-c", BUILD, made], cwd=copy, capture_output=True, check=True)
    (path,) = made.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    """The files in it, but for what it says of itself."""
    with zipfile.ZipFile(wheel) as file:
        return {name for name in file.namelist() if ".dist-info/" not in name}


@pytest.fixture(scope="module")
def bare(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an empty environment into which `pip install headstart-....whl` was called."""
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--no-index", "--quiet"]
    subprocess.run([*pip, "--no-compile", wheel], check=True)
    return python


def call(
    python: Path, *arguments: str | Path, cwd: Path, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run Python there, with nothing of this repository on its path."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | environment
    return subprocess.run([python, *arguments], cwd=cwd, env=env, capture_output=True, text=True)


# What it holds


def test_it_holds_every_file_of_the_engine(names) -> None:
    wanted = [*ROOT.glob("headstart/**/*"), *ROOT.glob("autograder/**/*")]
    for name in ENGINE_HELPERS:
        wanted += [*ROOT.glob(f"helpers/{name}"), *ROOT.glob(f"helpers/{name}/**/*")]
    files = {path.relative_to(ROOT) for path in wanted if path.is_file()}
    assert names == {path.as_posix() for path in files if "__pycache__" not in path.parts}
    assert {Path(name).suffix for name in names} > {".py", ".js", ".css", ".j2", ".json", ".txt", ".pth"}


def test_it_holds_nothing_of_a_course(names) -> None:
    rooms = {part for name in names for part in Path(name).parts[1:2] if name.startswith("helpers/")}
    assert not rooms & {*at(ROOT).topics, "models", "text", "training", "own.py", "corpora.py"}
    assert {name.partition("/")[0] for name in names} == {"headstart", "autograder", "helpers"}


def test_it_is_small_and_needs_no_package(wheel, bare) -> None:
    assert wheel.stat().st_size < 2_000_000
    packages = next(bare.parents[1].rglob("site-packages"))
    assert {path.name for path in packages.iterdir()} <= {
        "autograder", "headstart", "helpers", next(packages.glob("*.dist-info")).name,
    }  # fmt: skip
    (said,) = packages.glob("*.dist-info")
    assert {*PathDistribution(said).metadata.get_all("Provides-Extra")} == EXTRAS
    assert all("extra == " in need for need in PathDistribution(said).requires)
    assert sum(path.stat().st_size for path in packages.rglob("*") if path.is_file()) < 30_000_000


# Alone


IMPORT = """
import sys, time
import headstart
headstart.check
print(time.process_time())
print(*sys.modules)
"""
OTHERS = {"torch", "numpy", "pandas", "IPython", "nbgrader", "nbformat"}


def test_the_check_is_imported_in_less_than_a_second_and_with_nothing_else(bare, tmp_path) -> None:
    done = call(bare, "-c", IMPORT, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    seconds, modules = done.stdout.split("\n", 1)
    assert float(seconds) < 1
    assert not OTHERS & {*modules.split()}


def test_where_torch_and_numpy_are_installed_the_check_imports_neither(wheel, tmp_path) -> None:
    with zipfile.ZipFile(wheel) as file:
        file.extractall(tmp_path / "packages")
    done = call(Path(sys.executable), "-c", IMPORT, cwd=tmp_path, PYTHONPATH=str(tmp_path / "packages"))
    assert done.returncode == 0, done.stderr
    assert not OTHERS & {*done.stdout.split()}


exercise = Entry(id="words.count", title="Counting words", points=1, returns=("counts",))


@exercise.reference
def count(text, least=1):
    found = {}
    for word in text.split():
        found[word] = found.get(word, 0) + 1
    return {word: number for word, number in found.items() if number >= least}


@exercise.cases
def cases(generator):
    return [Case("two words", ("a b a",)), Case("those that come twice", ("a b a",), {"least": 2})]


exercise.slip("more", ">= least → > least").says("A word that comes exactly `least` times counts, too.")

ANSWERS = """
from headstart import case, check

def right(text, least=1):
    return {word: text.split().count(word) for word in text.split() if text.split().count(word) >= least}

def wrong(text, least=1):
    return {word: text.split().count(word) for word in text.split() if text.split().count(word) > least}

print(case("words.count", 2).kwargs)
check("words.count", right)
check("words.count", wrong)
"""


def test_a_check_of_plain_python_needs_nothing_else(bare, tmp_path) -> None:
    """The build wrote the sheet, somewhere else; here are Python and the wheel."""
    sheet = sheets.make_sheet(exercise.record, sheets.VISIBLE_SEED).to_json()
    (tmp_path / "checks.json").write_text(json.dumps({"words.count": sheet}))
    (tmp_path / "answers.py").write_text(ANSWERS)
    done = call(bare, "answers.py", cwd=tmp_path, HEADSTART_PROGRESS=str(tmp_path / "progress.json"))
    assert done.returncode == 0, done.stderr
    first, told = done.stdout.split("\n", 1)
    assert first == "{'least': 2}"
    passed, failed = re.split(r"\n(?=✗)", told)
    assert passed.startswith("✓ Counting words")
    assert "A word that comes exactly `least` times counts, too." in failed


# With authoring and grading, in a folder that knows no repository


RUN = """
import sys
from autograder.commands.cli import main
code = main(sys.argv[2:])
files = {str(getattr(module, "__file__", "")) for module in [*sys.modules.values()]}
ours = {file for file in files if file.startswith(sys.argv[1]) and not file.startswith(sys.prefix)}
sys.exit(f"from the repository: {ours}" if ours else code)
"""


# Python imports this by itself as it starts, and so does each program that it starts.
WITHOUT_TORCH = """
from importlib import machinery, metadata

def find_spec(name, path=None, target=None, found=machinery.PathFinder.find_spec):
    return None if name == "torch" else found(name, path, target)

def from_name(name, found=metadata.Distribution.from_name):
    if name == "torch":
        raise metadata.PackageNotFoundError(name)
    return found(name)

machinery.PathFinder.find_spec = find_spec
metadata.Distribution.from_name = from_name
"""


@pytest.mark.needs_bubblewrap
def test_a_new_course_is_built_and_graded_without_this_repository_and_without_torch(wheel, tmp_path) -> None:
    packages, home = tmp_path / "packages", tmp_path / "home"
    home.mkdir()
    with zipfile.ZipFile(wheel) as file:
        file.extractall(packages)
    (packages / "sitecustomize.py").write_text(WITHOUT_TORCH)

    def headstart(*words: str) -> str:
        env = {"PYTHONPATH": str(packages), "HOME": str(home)}
        done = call(Path(sys.executable), "-P", "-c", RUN, str(ROOT), *words, cwd=tmp_path, **env)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    headstart("new", "course", "averages")
    headstart("--course", "averages", "build")
    headstart("--course", "averages", "simulate", "01", "--students", "2")
    told = headstart("--course", "averages", "grade", "01", "--workers", "1")
    assert re.search(r"^2 graded in ", told, re.MULTILINE), told
    headstart("--course", "averages", "report", "01")
    assert [*tmp_path.glob("averages/reports/*.html")]


# What is missing is said, and which extra brings it


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_each_command_explains_itself_where_nothing_is_installed(bare, tmp_path, command) -> None:
    done = call(bare, "-m", "autograder", command, "--help", cwd=tmp_path)
    assert done.returncode == 0 and done.stdout.startswith(f"usage: headstart {command} "), done.stderr


@pytest.mark.parametrize("words", [("grade", "01"), ("report",)])
def test_a_command_names_the_extra_that_it_lacks(bare, tmp_path, words) -> None:
    done = call(bare, "-m", "autograder", *words, cwd=tmp_path)
    said = rf"headstart: {words[0]} needs \w+ and more: `pip install 'headstart\[grading\]'` installs it\n"
    assert done.returncode == 2 and re.fullmatch(said, done.stderr)


def test_the_doctor_says_what_each_extra_adds(bare, tmp_path) -> None:
    done = call(bare, "-m", "autograder", "doctor", cwd=tmp_path)
    assert (
        "to build lessons, install jsonschema, jupytext, nbconvert, nbformat, nbgrader: `pip install "
        in done.stdout
    )
    assert "`pip install 'headstart[grading]'`" in done.stdout
    assert "torch" not in done.stdout and "make setup" not in done.stdout
    assert done.returncode == 0, done.stderr


def test_an_import_of_a_course_s_own_that_fails_is_not_taken_for_ours(monkeypatch, tmp_path) -> None:
    def run(_: object) -> int:
        exec("import no_such_package", {"__name__": "exercises.words.count"})
        return 0

    monkeypatch.setattr(doctor, "run", run)
    with pytest.raises(ModuleNotFoundError, match="no_such_package"):
        cli.main(["doctor"])
