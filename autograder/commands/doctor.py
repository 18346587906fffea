"""What is installed, what is missing, and what to do about it.

To import it takes only the standard library, since a package may be what is missing.
"""

import argparse
import functools
import importlib.metadata
import importlib.util
import platform
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from autograder.courses import current
from autograder.programs import CHROMIUM, LIBATOMIC, find, is_root, missing, sandbox_problem

ROOT = Path(__file__).resolve().parents[2]
# Beside the engine, where that is in its repository and isn't an installed package.
PINS = "requirements.txt"
EXTRAS = {"authoring": "build lessons", "grading": "grade"}
OF_AN_EXTRA = re.compile(r"([\w.-]+)[^;]*;.*extra == [\"'](\w+)[\"']")
OK, BAD, OPTIONAL = "✓", "✗", "–"
PYTHONS = ((3, 11), (3, 14))  # the first and the last, as in pyproject.toml


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments: none."""
    parser.description = (
        "Say what is installed, what is missing, and what to do about it. Nothing is changed."
    )


def run(options: argparse.Namespace) -> int:
    """Check this machine, and return the exit code."""
    return doctor()


def doctor() -> int:
    """Print what is installed and what to do about the rest.

    Returns:
        0 when all that a student needs is there, else 1.
    """
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")  # a Windows console may have no ✓
    failed = 0
    for check in _checks():
        mark, text = check()
        failed += mark == BAD
        print(mark, text)
    for text in _course():
        print(OPTIONAL, text)
    return 1 if failed else 0


def _checks() -> Iterator[Callable[[], tuple[str, str]]]:
    """What to look at: for this repository's own course its pinned packages, elsewhere what an extra adds."""
    yield _python
    if (ROOT / PINS).is_file() and current().is_engines:
        yield from (_torch, _packages)
    else:
        yield from (functools.partial(_extra, name, purpose) for name, purpose in EXTRAS.items())
        yield _imported
    if current().lessons:
        yield _lessons
    yield from (_sandbox, _limits)
    if (ROOT / PINS).is_file():
        yield _browser


def _extra(name: str, purpose: str) -> tuple[str, str]:
    needs = filter(None, map(OF_AN_EXTRA.match, importlib.metadata.requires("headstart") or []))
    packages = [need[1] for need in needs if need[2] == name]
    missing = [package for package in packages if not _is_installed(package)]
    if missing:
        return OPTIONAL, f"to {purpose}, install {', '.join(missing)}: {install(name)}"
    return OK, f"{len(packages)} packages to {purpose}"


def _is_installed(package: str) -> bool:
    try:
        return bool(importlib.metadata.version(package))
    except importlib.metadata.PackageNotFoundError:
        return False


def install(extra: str) -> str:
    """The command that installs what a part of the engine needs."""
    return "`make setup`" if (ROOT / PINS).is_file() else f"`pip install 'headstart[{extra}]'`"


def _course() -> Iterator[str]:
    """What a teacher should look at before a class hands in: nothing that a student's checks need."""
    if sys.platform == "win32" or importlib.util.find_spec("nbgrader") is None:
        return
    from nbgrader.exchange.default import Exchange

    from autograder.classroom.course import course_directory
    from autograder.classroom.privacy import AS_ROOT, exchange_problem, warning

    try:
        course, config = course_directory()
    except LookupError as error:
        yield error.args[0]
    else:
        yield from filter(None, (warning(course), exchange_problem(Path(Exchange(config=config).root))))
    if is_root():
        yield AS_ROOT


def _python() -> tuple[str, str]:
    version = platform.python_version()
    if PYTHONS[0] <= sys.version_info[:2] <= PYTHONS[1]:
        return OK, f"Python {version}"
    wanted = " to ".join(f"{major}.{minor}" for major, minor in PYTHONS)
    return BAD, f"Python {version}, but {wanted} is needed: run `make setup` with one of those"


def _torch() -> tuple[str, str]:
    try:
        import torch
    except Exception as error:  # on Windows a missing system library is an OSError
        return BAD, f"torch can't be imported ({error}): run `make setup`"
    if torch.version.cuda or torch.version.hip:
        return OPTIONAL, f"torch {torch.__version__}, a GPU build: it works, but is larger than needed"
    return OK, f"torch {torch.__version__}, the CPU build"


def _packages() -> tuple[str, str]:
    from importlib.metadata import PackageNotFoundError, version

    from packaging.requirements import Requirement

    lines = (line.partition("#")[0].strip() for line in (ROOT / PINS).read_text().splitlines())
    pins = [pin for pin in map(Requirement, filter(None, lines)) if not pin.marker or pin.marker.evaluate()]
    wrong = []
    for pin in pins:
        try:
            if not pin.specifier.contains(version(pin.name), prereleases=True):
                wrong.append(f"{pin.name} is {version(pin.name)}, not {pin.specifier}")
        except PackageNotFoundError:
            wrong.append(f"{pin.name} is not installed")
    if wrong:
        return BAD, f"{len(wrong)} of {len(pins)} packages ({wrong[0]}): run `make setup`"
    told = ", ".join(f"{name} {version(name)}" for name in ("jupyterlab", "nbgrader"))
    return OK, f"{len(pins)} packages as pinned, including {told}"


def _imported() -> tuple[str, str]:
    """What the lessons of a course import."""
    tops = [name.partition(".")[0] for name in current().packages]
    if absent := [name for name in tops if importlib.util.find_spec(name) is None]:
        return BAD, f"{current().name} imports {', '.join(absent)}: `pip install {' '.join(absent)}`"
    return OK, f"all that {current().name} imports: {', '.join(tops) or 'nothing but Python'}"


def _lessons() -> tuple[str, str]:
    root, lessons = current().root, current().lessons
    # A fresh clone has the notebooks, but not the helpers beside them.
    unbuilt = [
        name
        for name in lessons
        if not all((root / "release" / name / part).exists() for part in (f"{name}.ipynb", "helpers"))
    ]
    if unbuilt:
        return BAD, f"{len(unbuilt)} of {len(lessons)} lessons are not built: run `headstart build`"
    return OK, f"{len(lessons)} lesson{'' if len(lessons) == 1 else 's'} built"


def _sandbox() -> tuple[str, str]:
    problem = sandbox_problem()
    return (OPTIONAL, problem) if problem else (OK, "bubblewrap, and a sandbox starts: grading works")


def _limits() -> tuple[str, str]:
    from autograder.grading.cgroups import in_force

    there, text = in_force()
    return (OK if there else OPTIONAL), text


def _browser() -> tuple[str, str]:
    if importlib.util.find_spec("playwright") is None:
        return OPTIONAL, "packages that only tests need aren't installed: `make test` installs them"
    line = missing(CHROMIUM) or missing(LIBATOMIC)
    return (OPTIONAL, f"{line} (only for `make test`)") if line else (OK, f"Chromium: {find(CHROMIUM)}")
