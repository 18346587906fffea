"""Tests that follow from files alone run again when one of these has changed, and only then."""

import pytest

from tests.support import proved

TESTS = """
import pytest
from tests.support.proved import follows_from

@follows_from("helpers/*.txt")
def test_of_files():
    pass

@follows_from("helpers/one.txt")
@pytest.mark.parametrize("fails", [False, True])
def test_that_may_fail(fails):
    assert not fails

@follows_from("helpers/one.txt")
@pytest.mark.always
def test_always():
    pass

def test_of_the_machine():
    pass
"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project of its own, in which three tests are marked."""
    for name in proved.SHARED:
        path = pytester.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    pytester.mkdir("helpers")
    for name in ("one", "two"):
        (pytester.path / "helpers" / f"{name}.txt").write_text(name)
    (pytester.path / "tests" / "test_it.py").write_text(TESTS)
    monkeypatch.setattr(proved, "ROOT", pytester.path)
    monkeypatch.setattr(proved, "RECORD", pytester.path / "tests" / "proved.json")
    monkeypatch.setattr(proved, "_passed", {})  # this run's own stay as they are
    monkeypatch.setattr(proved, "_left_out", set())
    monkeypatch.delenv("HEADSTART_TEST_ALL", raising=False)
    monkeypatch.delenv("CI", raising=False)
    return pytester


def ran(project: pytest.Pytester, *arguments: str) -> set[str]:
    """The tests that ran, in a call with these arguments; each call with its own memory."""
    proved.digest.cache_clear()
    proved._machine.cache_clear()
    proved._passed.clear()
    proved._left_out.clear()
    options = ("-p", "tests.support.proved", "-p", "no:cacheprovider", "-o", "markers=follows_from\nalways")
    done = project.inline_run(*options, *(arguments or ("tests",)))
    reports = [report for report in done.getreports("pytest_runtest_logreport") if report.when == "call"]
    return {report.nodeid.partition("::test_")[2] for report in reports}


ALL = {"of_files", "that_may_fail[False]", "that_may_fail[True]", "always", "of_the_machine"}
ALWAYS = {"that_may_fail[True]", "always", "of_the_machine"}


def test_what_passed_runs_again_once_a_file_has_changed(project):
    assert ran(project) == ALL
    assert ran(project) == ALWAYS, "one that fails is no proof"
    (project.path / "helpers" / "two.txt").write_text("changed")
    assert ran(project) == {*ALWAYS, "of_files"}
    (project.path / "requirements.txt").write_text("another==1")
    assert ran(project) == ALL
    (project.path / "tests" / "test_it.py").write_text(TESTS + "\n")
    assert ran(project) == ALL


def test_whoever_names_tests_or_wants_all_gets_them(project, monkeypatch):
    assert ran(project) == ALL
    assert ran(project, "tests/test_it.py") == ALL
    assert ran(project, "tests", "-k", "of_files") == {"of_files"}
    monkeypatch.setenv("HEADSTART_TEST_ALL", "1")
    assert ran(project) == ALL


def test_what_fails_later_is_proved_no_longer(project, monkeypatch):
    assert ran(project) == ALL
    before = proved.known()
    assert len(before) == 2
    (project.path / "helpers" / "one.txt").write_text("changed")
    text = TESTS.replace("def test_of_files():\n    pass", "def test_of_files():\n    assert False")
    (project.path / "tests" / "test_it.py").write_text(text)
    assert ran(project) == ALL
    after = proved.known()
    [name] = [name for name in before if name.endswith("of_files")]
    assert after[name] == before[name], "of what it was when it passed, so that it runs"
    assert ran(project) == {*ALWAYS, "of_files"}


def test_what_depends_on_the_machine_runs_again_on_another(project, monkeypatch):
    marked = "def test_of_the_machine"
    text = TESTS.replace(marked, f'@follows_from("helpers/*.txt", {proved.MACHINE!r})\n{marked}')
    (project.path / "tests" / "test_it.py").write_text(text)
    assert ran(project) == ALL
    assert ran(project) == ALWAYS - {"of_the_machine"}
    monkeypatch.setattr("platform.release", lambda: "another kernel")
    assert ran(project) == ALWAYS


def test_a_machine_that_tests_for_others_only_reads(project, monkeypatch):
    monkeypatch.setenv("CI", "true")
    assert ran(project) == ALL and not proved.RECORD.exists()


def test_a_name_without_a_file_is_an_error(project):
    with pytest.raises(LookupError, match="no file is called helpers/three"):
        proved.digest(("helpers/three.txt",))
