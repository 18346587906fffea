"""Tests that follow from files of the repository alone: run once, and again when one of the files has changed.

    @follows_from("helpers", "notebooks/06_block.py")

names the files and folders, by globs from the root, that decide how a test ends. To these come the test's own file and
those of other tests that it imports, what all tests share, the pins of the packages and the version of Python. Once
such a test has passed, tests/proved.json keeps a digest of all that, to be committed with the change. As long as the
digest is the same, the test isn't run. Tests of the sandbox name MACHINE as well: another kernel, user or bubblewrap
runs them again. Those that depend on more, such as a busy machine's timing, have no mark and always run, as do those
marked `always` in a file that is marked as a whole.

Only a run of all tests leaves them out. Whoever names files or tests gets them run, as does HEADSTART_TEST_ALL=1, which
`make test ALL=1` sets.
"""

import contextlib
import functools
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from xdist.workermanage import WorkerController

from autograder.lessons import ROOT

RECORD = ROOT / "tests" / "proved.json"
SHARED = ("tests/conftest.py", "tests/support", "requirements.txt", "requirements-test.txt")
# What grades lesson 01, and what the commands around it do.
ENGINE = (
    "autograder/*.py", "autograder/child", "autograder/grading", "autograder/classroom", "autograder/commands",
    "exercises/*.py", "exercises/attention/**/*.py", "helpers/*.py", "helpers/checking",
    "headstart", "helpers/attention", "helpers/figures", "notebooks/01_attention.py", "nbgrader_config.py",
)  # fmt: skip
# The lessons, their exercises and what the build makes of them, without what grades a class.
COURSE = (
    "autograder/*.py",
    "autograder/authoring",
    "exercises",
    "headstart",
    "helpers",
    "notebooks",
    "course.toml",
)
# Everything that a lesson in a browser, or on a server, is made of.
PROJECT = (
    "autograder/**/*.py", "autograder/classroom", "autograder/commands", "exercises", "headstart", "helpers", "notebooks",
    "deploy", "*.py", "*.toml", "Makefile",
)  # fmt: skip
# What a sandbox is made of, beside the engine. No file is called that.
MACHINE = "the machine: its kernel, its user, its bubblewrap"
MARK, ALWAYS, PROPERTY = "follows_from", "always", "digest of what it follows from"

IMPORTED = r"^from ((?:tests|benchmarks)(?:\.\w+)+) import"

follows_from = getattr(pytest.mark, MARK)
_passed: dict[str, str] = {}
_left_out: set[str] = set()


@functools.cache
def digest(files: tuple[str, ...]) -> str:
    """Of the content of all files that some globs from the root name, those in folders among them."""
    found = hashlib.sha256(f"{sys.version_info[:2]} {platform.machine()}".encode())
    if MACHINE in files:
        found.update(_machine().encode())
    for path in sorted({path for glob in files if glob != MACHINE for path in _files(glob)}):
        found.update(f"{path.relative_to(ROOT)}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()[:16]


@functools.cache
def _machine() -> str:
    """What decides which walls a sandbox has: the kernel, what it lets this user do, and bubblewrap."""
    about = [platform.release(), platform.version()]
    with contextlib.suppress(OSError):  # not on a Mac
        about += re.findall(
            r"^(?:Uid|CapEff|Seccomp):.*", Path("/proc/self/status").read_text(), re.MULTILINE
        )
    if bubblewrap := shutil.which("bwrap"):
        about.append(subprocess.run([bubblewrap, "--version"], capture_output=True, text=True).stdout)
    return "\n".join(about)


def _files(glob: str) -> Iterable[Path]:
    paths = [*ROOT.glob(glob)]
    if not paths:
        raise LookupError(f"no file is called {glob}")
    for path in paths:
        inside = path.rglob("*") if path.is_dir() else [path]
        yield from (each for each in inside if each.is_file() and each.suffix != ".pyc")


def of(item: pytest.Item) -> str:
    """The digest of what a test follows from; "" where it depends on more than files."""
    named = {glob for mark in item.iter_markers(MARK) for glob in mark.args}
    if not named or item.get_closest_marker(ALWAYS):
        return ""
    return digest((*sorted(named), *SHARED, *_tests(item.path)))


@functools.cache
def _tests(path: Path) -> list[str]:
    """A file of tests, and the tests and benchmarks that it imports, and so on, by paths from the root."""
    found, left = {path}, [path]
    while left:
        for module in re.findall(IMPORTED, left.pop().read_text(), re.MULTILINE):
            each = ROOT.joinpath(*module.split(".")).with_suffix(".py")
            if each.exists() and each not in found:
                found.add(each)
                left.append(each)
    return sorted(each.relative_to(ROOT).as_posix() for each in found)


def known() -> dict[str, str]:
    """The digests with which tests passed last."""
    files = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    return {
        f"{file}::{test}": found
        for file, digests in files.items()
        for found, tests in digests.items()
        for test in tests
    }


def keep(record: dict[str, str]) -> None:
    """Write digests, a line for each file: most of its tests follow from the same."""
    files: dict[str, dict[str, list[str]]] = {}
    for test, found in sorted(record.items()):
        file, _, name = test.partition("::")
        files.setdefault(file, {}).setdefault(found, []).append(name)
    lines = ",\n".join(f"{json.dumps(file)}: {json.dumps(digests)}" for file, digests in files.items())
    RECORD.write_text(f"{{\n{lines}\n}}\n")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what would pass again."""
    before = known() if _all_are_asked_for(config) else {}
    kept, proved = [], []
    for item in items:
        if found := of(item):
            item.user_properties.append((PROPERTY, found))
        (proved if found and before.get(item.nodeid) == found else kept).append(item)
    if proved:
        items[:] = kept
        _left_out.update(item.nodeid for item in proved)
        config.hook.pytest_deselected(items=proved)


def _all_are_asked_for(config: pytest.Config) -> bool:
    """Whether this is a run of all tests, and not of each of them whatever passed."""
    if os.environ.get("HEADSTART_TEST_ALL", "0") not in ("", "0") or config.option.keyword:
        return False
    return {Path(config.invocation_params.dir, each).resolve() for each in config.args} == {ROOT / "tests"}


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note what passed."""
    found = dict(report.user_properties).get(PROPERTY)
    if found and report.when == "call" and report.passed:
        _passed[report.nodeid] = str(found)
    elif not report.passed:
        _passed.pop(report.nodeid, None)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Keep what passed; a machine that tests for others only reads it."""
    if hasattr(session.config, "workerinput"):  # a worker of xdist's
        session.config.workeroutput["left out"] = len(_left_out)
    elif _passed and os.environ.get("CI") != "true":
        keep({**known(), **_passed})


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: WorkerController) -> None:
    """Hear from a worker of xdist's what it left out: the same as the others."""
    _left_out.update(map(str, range(getattr(node, "workeroutput", {}).get("left out", 0))))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many were left out."""
    if _left_out:
        terminalreporter.write_line(
            f"{len(_left_out)} tests weren't run: what they follow from is as it was when they passed "
            "(make test ALL=1 runs them)"
        )
