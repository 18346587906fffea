"""nbgrader's own tests of its autograde, run with our engine in its place.

python -m tests.long.conformance [--quick] [--fresh] [NAME ...]

They come with nbgrader. Each is run with nbgrader as it is, with `nbgrader autograde` under our configuration and
with `headstart grade`, and the table says which pass. A test that passes with nbgrader has to pass with all of
them, or the reason stands in `EXPLAINED`, and in docs/nbgrader.md. `--quick` runs some of them with
`headstart grade` alone. The course of nbgrader's own guide is graded, too. A NAME is part of a test's name.
All of it takes an hour or more. A row is printed as soon as it is there, and a call that was stopped goes on there.
"""

import argparse
import contextlib
import functools
import io
import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Generator
from pathlib import Path

import nbgrader
import pytest
from nbgrader.tests import run_nbgrader as nbgraders_own

from autograder.classroom import plugin as nbgrader_plugin
from autograder.lessons import ROOT
from tests.long.rows import Rows, add_option
from tests.support import limits
from tests.support.course import run

TESTS = "nbgrader.tests.apps.test_nbgrader_autograde"
GUIDE = Path(nbgrader.__file__).parent / "docs" / "source" / "user_guide"
GUIDE_SCORES = {"bitdiddle": 1.5, "hacker": 3.0}  # of 13 points, as nbgrader's guide shows them
STOCK, CONFIGURED, OURS = WAYS = ("nbgrader", "nbgrader, configured", "headstart grade")
QUICK = (
    "test_grade", "test_grade_autotest", "test_showtraceback_exploit", "test_student_id_exclude",
    "test_grade_overwrite_files", "test_grade_with_validating_envvar",
)  # fmt: skip
# Tests that don't pass our two ways, with the difference: a row of the table in docs/nbgrader.md.
DIFFERENT = {
    "test_autograde_timeout": "a cell without end",  # it sleeps for 5 seconds where 2 are allowed
    "test_filter_notebook": "`--notebook`, `--no-execute`",
    "test_force_single_notebook": "`--notebook`, `--no-execute`",
    "test_update_newer_single_notebook": "`--notebook`, `--no-execute`",
    "test_no_execute": "`--notebook`, `--no-execute`",
    "test_handle_failure": "a cell with an id that isn't in the source",
    "test_missing_source_kernelspec": "another kernel named in a submission",
    "test_grade_missing_notebook": "one of several notebooks is missing",
}
EXPLAINED = {(test, way): row for test, row in DIFFERENT.items() for way in (CONFIGURED, OURS)} | {
    # Where nbgrader calls, it has seen to these itself.
    ("test_grade_empty_timestamp", OURS): "a `timestamp.txt` that holds no time",
    ("test_handle_failure_single_notebook", OURS): "`--notebook`, `--no-execute`",
    ("test_missing_files", OURS): "a file that is no notebook, or none at all",
}


def headstart(arguments: list[str], retcode: int = 0, **_: object) -> str:
    """Call `headstart grade` where a test calls `nbgrader autograde`, with the same settings."""
    names = {"--db": "CourseDirectory.db_url", "--notebook": "CourseDirectory.notebook_id"}
    given, words = iter(arguments), []
    for word in given:
        if word in names:
            word = f"--{names[word]}={next(given)}"
        words.append({"-f": "--force", "--no-execute": "--Execute.enabled=False"}.get(word, word))
    # nbgrader reads the settings of the current folder; we don't where that isn't the course's root, so they come
    # as those of the user.
    env = {
        "PYTHONPATH": str(ROOT),
        "COLUMNS": "200",
        "JUPYTER_CONFIG_DIR": str(Path.cwd()),
        "JUPYTER_NO_CONFIG": "",
    }
    done = run(["headstart", "grade", *words], Path.cwd(), env)
    assert bool(done.returncode) == bool(retcode), (
        f"it exited with {done.returncode}\n{done.stdout}{done.stderr}"
    )
    return done.stdout + done.stderr


def configured(arguments: list[str], **options: object) -> str:
    """Call nbgrader under our configuration, before what the test itself has set."""
    ours, path = (ROOT / "nbgrader_config.py").read_text(), Path("nbgrader_config.py")
    if ours not in (theirs := path.read_text()):
        path.write_text(f"{ours}\n{theirs}")
    return nbgraders_own(arguments, **options)


def by_us(arguments: list[str], **options: object) -> str:
    """Call `headstart grade` for autograde, nbgrader for all else."""
    if arguments[0] == "autograde" and "--help-all" not in arguments:
        return headstart(arguments[1:], **options)
    return nbgraders_own(arguments, **options)


SECONDS = 300  # for a test, on a machine of its own
OF_THE_GUIDE = "the course of its guide"
CALLS: dict[str, Callable] = {STOCK: nbgraders_own, CONFIGURED: configured, OURS: by_us}


PATH = list(sys.path)


class Ways:
    """A plugin of pytest's that runs each of nbgrader's tests in several ways, and keeps what came of it."""

    def __init__(self, ways: tuple[str, ...], rows: Rows) -> None:
        self.ways, self.rows = ways, rows
        self.came_of: tuple[str, str] = "missing", ""

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        metafunc.fixturenames.append("way")
        metafunc.parametrize("way", self.ways)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if self._row(item) not in self.rows.done]

    def _row(self, item: pytest.Item) -> tuple[str, str]:
        """The test's name, and the way."""
        call = item.callspec  # type: ignore[attr-defined]
        others = "-".join(part for part in call.id.split("-") if part not in self.ways)
        return f"{item.originalname}[{others}]" if others else item.originalname, call.params["way"]  # type: ignore[attr-defined]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        test, way = self._row(item)
        self.came_of = "missing", ""
        item.module.run_nbgrader = CALLS[way]  # type: ignore[attr-defined]
        done = yield
        self.rows.keep(test, way, row=self.came_of)
        show(self.rows, test, self.ways)
        return done

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or report.outcome != "passed":
            self.came_of = report.outcome, str(report.longrepr)

    def pytest_runtest_teardown(self) -> None:
        for warm in nbgrader_plugin._warm.values():
            warm.grader.close()
        nbgrader_plugin._warm.clear()
        sys.path[:] = PATH  # each application puts its folder there


def run_tests(ways: tuple[str, ...], names: tuple[str, ...], rows: Rows, *, whole: bool) -> None:
    """Run nbgrader's tests, or those of these names, or with these in their names."""
    choice = [f"{TESTS}::TestNbGraderAutograde::{name}" for name in names] if whole else [TESTS]
    chosen = [] if whole or not names else ["-k", " or ".join(names)]
    options = ["-c", os.devnull, "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-W", "ignore"]
    options += [f"--timeout={SECONDS}", "--pyargs", *chosen, *choice]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        pytest.main(options, plugins=[Ways(ways, rows), limits])


def show(rows: Rows, test: str, ways: tuple[str, ...]) -> None:
    """Print a test's row of the table, once it is whole."""
    if all((test, way) in rows.done for way in ways):
        cells = [said(test, way, rows.done[test, way][0]) for way in ways]
        print(f"{test:45}" + "".join(f"{cell:22}" for cell in cells), file=sys.__stdout__, flush=True)


def said(test: str, way: str, came_of: str) -> str:
    """What the table says."""
    return "explained" if (test, way) in EXPLAINED and came_of == "failed" else came_of


def guide_scores(way: str) -> dict[str, float]:
    """Grade the course of nbgrader's guide: student -> automatic score."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name in ("source", "submitted"):
            shutil.copytree(GUIDE / name, root / name)
        config = (ROOT / "nbgrader_config.py").read_text() if way == CONFIGURED else "c = get_config()\n"
        (root / "nbgrader_config.py").write_text(config)
        command = ["headstart", "grade"] if way == OURS else ["nbgrader", "autograde"]
        for words in (["nbgrader", "generate_assignment", "ps1"], [*command, "ps1"]):
            done = run(words, root, {"PYTHONPATH": str(ROOT), "COLUMNS": "200"})
            assert done.returncode == 0, done.stdout + done.stderr
        with contextlib.closing(sqlite3.connect(root / "gradebook.db")) as db:
            return dict(db.execute(GUIDE_SQL))


GUIDE_SQL = """select student_id, sum(auto_score) from grade
    join submitted_notebook on submitted_notebook.id = grade.notebook_id
    join submitted_assignment on submitted_assignment.id = submitted_notebook.assignment_id group by student_id"""


def main(arguments: list[str]) -> int:
    """Run the tests, print the table, and say whether all is alike or explained."""
    parser = argparse.ArgumentParser("python -m tests.long.conformance")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--say", action="store_true", help="print why tests fail")
    parser.add_argument("names", nargs="*", metavar="NAME")
    add_option(parser)
    options = parser.parse_args(arguments)
    ways = (OURS,) if options.quick else WAYS
    os.environ["JUPYTER_NO_CONFIG"] = (
        "1"  # not the settings of every nbgrader in this environment: nbgrader's own
    )
    with contextlib.ExitStack() as stack:
        # What `make test` runs is run, whatever is kept.
        aside = [Path(stack.enter_context(tempfile.TemporaryDirectory()))] if options.quick else []
        rows = stack.enter_context(Rows("conformance", options, *aside))
        print(f"{'':45}" + "".join(f"{way:22}" for way in ways), flush=True)
        for test in dict.fromkeys(test for test, _ in rows.done):
            show(rows, test, ways)
        run_tests(ways, QUICK if options.quick else tuple(options.names), rows, whole=options.quick)
        if options.quick or not options.names:
            for way in ways:
                rows(OF_THE_GUIDE, way, make=functools.partial(of_the_guide, way))
            show(rows, OF_THE_GUIDE, ways)
    return conclusion(rows.done, options.say)


def of_the_guide(way: str) -> tuple[str, str]:
    """What comes of grading the guide's course, and why."""
    scores = guide_scores(way)
    return ("passed", "") if scores == GUIDE_SCORES else ("failed", str(scores))


def conclusion(done: dict[tuple[str, ...], tuple[str, str]], say: bool) -> int:
    """Print what is neither alike nor explained; 1 if there is any, or nothing has run."""
    wrong = []
    for (test, way), (came_of, why) in done.items():
        reason = EXPLAINED.get((test, way))
        if (came_of not in ("passed", "skipped")) != bool(reason):
            wrong.append(f"{test} with {way}: {came_of}{', yet it is explained' if reason else ''}")
            wrong += [why] * say
    print(f"{len({test for test, _ in done})} tests", *wrong, sep="\n")
    return int(bool(wrong) or not done)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
