"""What all tests share."""

import functools
import os
import signal
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

from autograder import lessons, programs
from autograder.grading import cgroups
from helpers.storage import write_whole
from tests.support.course import SECRET
from tests.support.limits import pytest_timeout_set_timer  # noqa: F401  (a hook)

pytest_plugins = ["pytester", "tests.support.proved"]

# nbgrader calls alembic by its bare name: an environment that is only named, not activated, must do too.
os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
# What a shell starts in the background ignores Ctrl-C, and so would the programs that tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)
# Several files are tested at a time, and threads of torch that wait for a core make others wait.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Lessons that train models take a sixtieth of their steps: `helpers.training.steps`.
os.environ["HEADSTART_QUICK"] = "60"

# Hypothesis counts wall time, which a busy machine has less of.
settings.register_profile("here", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("here")

AGAIN = f"to get the same hidden cases again: HEADSTART_TEST_SECRET={SECRET} pytest ..."


@functools.cache
def _no_cgroups() -> str | None:
    there, line = cgroups.in_force()
    return None if there else line


NEEDS = {
    "needs_cgroups": _no_cgroups,
    "needs_bubblewrap": programs.sandbox_problem,
    "needs_chromium": lambda: programs.missing(programs.CHROMIUM) or programs.missing(programs.LIBATOMIC),
    "needs_postgresql": functools.partial(programs.missing, programs.POSTGRESQL),
}
# Skipped under CI, too: its kernel may have cgroup v1, and nothing gives each process of the tests a cgroup of
# its own.
SKIPPED_ANYWHERE = ("needs_cgroups",)
# These share what the build makes of all lessons, so one worker runs both.
BUILT = ("test_bundles.py", "test_in_step.py")
# What takes longest comes first, so that the workers end together, with many small files.
LONGEST = (
    "test_hub.py",
    "test_grading.py",
    "test_exercises.py",
    "test_attacks.py",
    "test_browser.py",
    *BUILT,
    "test_nbgrader.py",
    "test_foreign.py",
    "test_cluster.py",
    "test_postgresql.py",
    "test_regrading.py",
    "test_sandbox.py",
)
# Their tests share nothing that is made once for a file, so each may run on any worker.
APART = ("test_grading.py", "test_browser.py", "test_nbgrader.py", "test_cluster.py")


def pytest_configure(config: pytest.Config) -> None:
    """Build the sources of a fresh clone, which has those lessons only that are committed in `release/`.

    So are those that are older than what was released, after a pull. Nothing else is written: a test compares what
    is committed with what the build makes.
    """
    released = {path.parent.name: path for path in lessons.ROOT.glob("release/*/checks.json")}
    missing = [name for name, checks in released.items() if not _is_newer(lessons.source_path(name), checks)]
    if missing and not hasattr(config, "workerinput"):
        from autograder.authoring.build import make  # here: it imports torch, which reads what is set above

        with tempfile.TemporaryDirectory() as folder:
            for path, content in make(sorted(missing), Path(folder), check=True).items():
                if path.startswith("source/"):
                    write_whole(lessons.ROOT / path, content)


def _is_newer(path: Path, other: Path) -> bool:
    return path.is_file() and path.stat().st_mtime >= other.stat().st_mtime


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest files first."""
    rank = {name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(item.path.name, len(rank)))


class _Scheduling(LoadFileScheduling):
    """A file's tests on one worker, in their order; but those apart one by one, and two files together."""

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        return nodeid if file.endswith(APART) else "built" if file.endswith(BUILT) else file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadFileScheduling | None:
    """Give `--dist=loadfile` its exceptions; other ways of dealing tests out are left as they are."""
    return _Scheduling(config, log) if config.getoption("dist") == "loadfile" else None


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what can't run on this machine, and say why. Under CI nearly all of it has to run."""
    for marker, problem in NEEDS.items():
        if item.get_closest_marker(marker) and (line := problem()):
            if os.environ.get("CI") == "true" and marker not in SKIPPED_ANYWHERE:
                pytest.fail(line, pytrace=False)
            pytest.skip(line)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """All that the build makes of all lessons, by path."""
    from autograder.authoring.build import make  # here: it imports torch, which reads what is set above

    return make(lessons.names(), tmp_path_factory.mktemp("built"))


def pytest_report_header() -> str:
    """What the hidden cases of this run follow from."""
    return AGAIN


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """With a failed test, what its hidden cases follow from: another run has others, by which it may pass."""
    report = yield
    if report.failed:
        report.sections.append(("hidden cases", AGAIN))
    return report
