"""The list of the grader's defences fits the code: `python -m tests.long.defences` takes them out one by one."""

import ast
import functools
from collections import Counter

import pytest

from autograder.lessons import ROOT
from tests.long.defences import DEFENCES, comments, problem, unseen
from tests.support import failures, proved


def test_each_defence_has_its_comment_in_the_code_and_can_be_taken_out():
    assert not {defence.name: line for defence in DEFENCES if (line := problem(defence))}


def test_each_comment_is_about_a_defence_that_is_listed_once():
    assert not set(comments()) - {defence.comment for defence in DEFENCES}
    assert not [name for name, times in Counter(defence.name for defence in DEFENCES).items() if times > 1]


@functools.cache
def _functions(path: str) -> set[str]:
    return {
        node.name for node in ast.parse((ROOT / path).read_text()).body if isinstance(node, ast.FunctionDef)
    }


def test_the_tests_of_all_defences_are_there(request):
    """With their parameters, too, where pytest has collected their files: so does a run of all tests."""
    collected = {item.nodeid for item in request.session.items} | proved._left_out
    whole = (
        {file for node in collected if (file := node.partition("::")[0])} if _all_are_run(request) else set()
    )
    missing = []
    for test in sorted({test for defence in DEFENCES for test in defence.tests}):
        path, _, name = test.partition("::")
        there = name.partition("[")[0] in _functions(path)
        if path in whole and "[" in name:
            there = test in collected
        if not there:
            missing.append(test)
    assert not missing


def _all_are_run(request: pytest.FixtureRequest) -> bool:
    """Whether pytest was told no names, so that it has collected whole files."""
    options = request.config.option
    return not (options.keyword or options.markexpr or any("::" in each for each in request.config.args))


@pytest.mark.parametrize(
    ("body", "how"),
    [
        ("assert False", failures.BY_ASSERTION),
        ("pytest.fail('so')", failures.BY_ASSERTION),
        ("with pytest.raises(ValueError): pass", failures.BY_ASSERTION),
        ("with pytest.raises(ValueError): {}[1]", "KeyError"),
        ("raise ExceptionGroup('two', [AssertionError(), KeyError()])", f"KeyError, {failures.BY_ASSERTION}"),
        ("time.sleep(60)", "time limit"),
        ("pytest.skip('so')", "skipped"),
    ],
)
def test_a_defence_is_missed_by_an_assertion_alone(body, how, pytester):
    pytester.makepyfile(f"import pytest, time\ndef test_it():\n    {body}\n")
    limit = 1 if how == "time limit" else 300  # by the clock: of the others, a busy machine may need more
    pytester.runpytest_inprocess(
        "-p", "tests.support.failures", "--failures=kept", f"--timeout={limit}", "-p", "no:cacheprovider"
    )
    assert (
        pytester.path.joinpath("kept").read_text()
        == f'{{\n "test_a_defence_is_missed_by_an_assertion_alone.py::test_it": "{how}"\n}}'
    )


def test_a_test_that_stops_otherwise_shows_no_defence():
    [defence, *_] = DEFENCES
    [test] = defence.tests
    assert unseen(defence, {}) == [f"{test.partition('::')[2]} (passes)"]
    assert unseen(defence, {test: "time limit"}) == [f"{test.partition('::')[2]} (time limit)"]
    assert unseen(defence, {test: failures.BY_ASSERTION}) == []
