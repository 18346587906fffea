"""A plugin of pytest that writes down how tests failed, for `python -m tests.long.defences`.

pytest -p tests.support.failures --failures=FILE

The file is JSON: the ids of all tests that failed or were skipped, and how. "by assertion" means that an assertion of
the test or its fixtures didn't hold, that it called `pytest.fail`, or that what it expected to be raised wasn't. For
any other exception it is the type, and for a time limit "time limit".
"""

import json
from collections.abc import Generator
from pathlib import Path

import pytest

BY_ASSERTION = "by assertion"
_KEPT = pytest.StashKey[dict[str, str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--failures", metavar="FILE", help="write the tests that failed, and how, into a file")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_KEPT] = {}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.skipped:
        item.config.stash[_KEPT][item.nodeid] = "skipped"
    elif report.failed and call.excinfo is not None:
        item.config.stash[_KEPT][item.nodeid] = _how(call.excinfo.value)
    return report


def _how(error: BaseException) -> str:
    if isinstance(error, BaseExceptionGroup):  # several examples of Hypothesis's
        return ", ".join(sorted({_how(each) for each in error.exceptions}))
    if isinstance(error, pytest.fail.Exception) and str(error).startswith("Timeout"):
        return "time limit"
    return BY_ASSERTION if isinstance(error, AssertionError | pytest.fail.Exception) else type(error).__name__


def pytest_sessionfinish(session: pytest.Session) -> None:
    if file := session.config.getoption("--failures"):
        Path(file).write_text(json.dumps(session.config.stash[_KEPT], indent=1))
