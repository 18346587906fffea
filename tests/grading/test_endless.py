"""An answer that doesn't end costs one limit, and whatever calls it says so; one that is slow loses nothing."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace

import pytest

from autograder.grading.endless import Endless
from autograder.limits import BRIEF_SECONDS
from autograder.results import Judgement
from helpers.checking.calling.outcome import CallStatus, Outcome
from helpers.checking.code.tracing import cell_of
from tests.support.hand_in import judging, lesson_of_test
from tests.support.proved import ENGINE, follows_from

pytestmark = [follows_from(*ENGINE), pytest.mark.timeout(300)]

SECONDS = 5.0  # for a cell: the lesson's own would take minutes
CALLERS = {  # of softmax: exercises, and what their answers are called
    "one_query": "look_up",
    "all_queries": "attend",
    "scaled_dot_product": "scaled_dot_product_attention",
    "cross": "cross_attention",
    "saturation": "saturation",
    "additive": "additive_attention",
}
ENDLESS = "def softmax(x, dim):\n    while True:\n        x = x + 0"
# Half a second in each of six cases: longer than the short limit together, and shorter than a cell's.
SLOW = """def permutation_gaps(layer, x, permutation):
    import time
    end = time.process_time() + 0.5
    while time.process_time() < end:
        pass
    a, b = layer(x), layer(x[..., permutation, :])
    return (b - a[..., permutation, :]).abs().max(), (b - a).abs().max()"""


@pytest.fixture(scope="module")
def graded() -> Iterator[Callable[..., Judgement]]:
    with judging(lesson_of_test(), SECONDS) as judged:
        yield judged


@pytest.mark.needs_bubblewrap
def test_an_answer_that_does_not_end_costs_one_limit(graded):
    """And a little for each check that calls it. What is right beside an answer that ends has its points."""
    judgement = graded(softmax=ENDLESS)
    verdicts = {id.rpartition(".")[2]: verdict for id, verdict in judgement.verdicts.items()}
    assert verdicts["softmax"].cause == "timeout"
    for name in CALLERS:
        assert verdicts[name].points == verdicts[name].max_points
    assert verdicts["permutation"].status == verdicts["find_slip"].status == "passed"
    costs = SECONDS + len(CALLERS) * BRIEF_SECONDS
    assert judgement.ended.cpu_seconds < costs + SECONDS


@pytest.mark.needs_bubblewrap
def test_one_that_ends_in_the_first_case_and_not_in_a_later_one_costs_one_limit_too(graded):
    # It is called twice in each case, once with gradients.
    seen = "seen = []\ndef softmax(x, dim):\n    seen.append(1)\n    while len(seen) > 4:\n        x = x + 0\n" \
           "    e = (x - x.amax(dim, keepdim=True)).exp()\n    return e / e.sum(dim, keepdim=True)"  # fmt: skip
    code = "def {}(*given, **named):\n    return softmax(given[0], -1).sum()"
    wrong = {name: code.format(answer) for name, answer in CALLERS.items()}
    judgement = graded("softmax", *CALLERS, softmax=seen, **wrong)
    verdicts = {id.rpartition(".")[2]: verdict for id, verdict in judgement.verdicts.items()}
    assert "case 3" in verdicts["softmax"].message and verdicts["softmax"].cause == "timeout"
    for name in CALLERS:
        assert "“Softmax”, which this calls, doesn't end: fix that first." in verdicts[name].message
    assert judgement.ended.cpu_seconds < 2 * SECONDS + len(CALLERS) * BRIEF_SECONDS


@pytest.mark.needs_bubblewrap
def test_who_is_slow_beside_it_has_the_whole_time(graded):
    judgement = graded("softmax", "permutation", softmax=ENDLESS, permutation=SLOW)
    assert judgement.verdicts["attention.softmax"].cause == "timeout"
    assert judgement.verdicts["attention.permutation"].status == "passed"


T, OTHER = "def t(x):\n    while True: x", "def u(x):\n    return t(x)"
STOPPED = Outcome(CallStatus.INTERRUPTED, where="line 2: while True: x")
ENDED = Outcome(CallStatus.RETURNED, outputs=1)


def known(
    *outcomes: Outcome, driver: str = "call", answer: str = T, ran: tuple[str, ...] = (T, OTHER)
) -> bool:
    """Whether an answer with such outcomes is taken for one that doesn't end."""
    endless = Endless(SECONDS, ran)
    endless.judged = answer
    endless.learn(SimpleNamespace(title="T", driver=driver), list(outcomes))
    return bool(endless)


def test_only_a_single_call_that_had_the_whole_time_in_the_answer_itself_does_not_end():
    assert known(STOPPED)
    assert not known(ENDED)
    assert not known(ENDED, STOPPED)  # each may be slow
    assert not known(ENDED, replace(STOPPED, seconds=0.5 * SECONDS))
    assert known(ENDED, replace(STOPPED, seconds=0.9 * SECONDS))
    assert not known(ENDED, replace(ENDED, seconds=0.9 * SECONDS))
    assert not known(STOPPED, driver="draws")  # many calls are one case
    assert not known(STOPPED, answer=OTHER)  # its own loop may call the other without end
    assert not known(STOPPED, ran=(T, OTHER, T.replace("def t", "def v")))  # which of them was stopped?
    assert not known(replace(STOPPED, where="line 7: while True: x"))
    assert not known(replace(STOPPED, where="somewhere"))


def test_a_cell_is_found_by_its_line():
    assert cell_of("line 2: return t(x)", [T, OTHER]) == OTHER
    assert cell_of("line 2: " + "y" * 110, ["a\n  " + "y" * 500]) == "a\n  " + "y" * 500  # cut
