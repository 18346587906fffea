"""Tests that follow from files of the repository alone: run once, and again when one of the files has changed.

    @follows_from("helpers", "notebooks/06_block.py")

names the files and folders, by globs from the root, that decide how a test ends. To these come the test's own file,
what all tests share and the pins of the packages. Once such a test has passed, tests/proved.json keeps a digest of all
that, to be committed with the change. As long as the digest is the same, the test isn't run. Tests that depend on the
machine as well, such as those of the sandbox, have no such mark: they always run.

Only a run of all tests leaves them out. Whoever names files or tests gets them run, as does HEADSTART_TEST_ALL=1, which
`make test ALL=1` sets.
"""

import functools
import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path

import pytest

from autograder.lessons import ROOT

RECORD = ROOT / "tests" / "proved.json"
SHARED = ("tests/conftest.py", "tests/support", "requirements.txt", "requirements-test.txt")
MARK, PROPERTY = "follows_from", "digest of what it follows from"

follows_from = getattr(pytest.mark, MARK)
_passed: dict[str, str] = {}


@functools.cache
def digest(files: tuple[str, ...]) -> str:
    """Of the content of all files that some globs from the root name, those in folders among them."""
    found = hashlib.sha256()
    for path in sorted({path for glob in files for path in _files(glob)}):
        found.update(f"{path.relative_to(ROOT)}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()[:16]


def _files(glob: str) -> Iterable[Path]:
    paths = [*ROOT.glob(glob)]
    if not paths:
        raise LookupError(f"no file is called {glob}")
    for path in paths:
        inside = path.rglob("*") if path.is_dir() else [path]
        yield from (each for each in inside if each.is_file() and each.suffix != ".pyc")


def of(item: pytest.Item) -> str:
    """The digest of what a test follows from; "" where it depends on more than files."""
    named = [glob for mark in item.iter_markers(MARK) for glob in mark.args]
    if not named:
        return ""
    return digest((*sorted(named), *SHARED, item.path.relative_to(ROOT).as_posix()))


def known() -> dict[str, str]:
    """The digests with which tests passed last."""
    return json.loads(RECORD.read_text()) if RECORD.exists() else {}


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
    worker = hasattr(session.config, "workerinput")
    if _passed and not worker and os.environ.get("CI") != "true":
        record = dict(sorted({**known(), **_passed}.items()))
        RECORD.write_text(json.dumps(record, indent=0) + "\n")
