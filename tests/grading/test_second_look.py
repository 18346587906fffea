"""A fault is counted once: what is wrong only by an earlier answer's fault loses no points."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from autograder.grading.lesson import Lesson
from autograder.grading.questions import builds_on
from autograder.grading.versions import of_exercises
from autograder.results import Judgement, Verdict
from tests.support.hand_in import judging, lesson_of_test
from tests.support.proved import ENGINE, follows_from

pytestmark = [follows_from(*ENGINE), pytest.mark.needs_bubblewrap, pytest.mark.timeout(300)]

WRONG = "def softmax(x, dim):\n    return x / x.sum(dim, keepdim=True)"
RAISES = "def softmax(x, dim):\n    raise ValueError(dim)"
STUB = "def softmax(x, dim):\n    raise NotImplementedError"
NO_CODE = "def softmax(x, dim:"
ENDLESS = "def softmax(x, dim):\n    while True:\n        x = x + 0"
WAYS = ("wrong", "raises", "not written", "not run", "doesn't end")
UNSCALED = """
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.mT
    scores = scores if mask is None else scores.masked_fill(~mask, -torch.inf)
    w = softmax(scores, dim=-1)
    return w @ v, w
"""
SCALED = UNSCALED.replace("q @ k.mT", "q @ k.mT / q.size(-1) ** 0.5")
RIGHT = {
    "as usual": """
def cross_attention(y, x, W_q, W_k, W_v, mask=None):
    return scaled_dot_product_attention(y @ W_q, x @ W_k, x @ W_v, mask)
""",
    # These have the wrong function in themselves, and the solution only once their cell runs again.
    "as a default": """
def cross_attention(y, x, W_q, W_k, W_v, mask=None, attend=scaled_dot_product_attention):
    return attend(y @ W_q, x @ W_k, x @ W_v, mask)
""",
    "by another name": """
attend = scaled_dot_product_attention
def cross_attention(y, x, W_q, W_k, W_v, mask=None):
    return attend(y @ W_q, x @ W_k, x @ W_v, mask)
print(cross_attention(*torch.ones(5, 2, 2))[0])
""",
    # No stand-in that knows only what right answers call knows this.
    "one query at a time": """
def cross_attention(y, x, W_q, W_k, W_v, mask=None):
    rows = [
        scaled_dot_product_attention(
            (y @ W_q)[..., i : i + 1, :], x @ W_k, x @ W_v, None if mask is None else
            mask.expand(*mask.shape[:-2], y.size(-2), x.size(-2))[..., i : i + 1, :])
        for i in range(y.size(-2))
    ]
    return torch.cat([out for out, _ in rows], -2), torch.cat([w for _, w in rows], -2)
""",
}
WRONG_ITSELF = {
    "the wrong way": """
def cross_attention(y, x, W_q, W_k, W_v, mask=None):
    return scaled_dot_product_attention(x @ W_q, y @ W_k, y @ W_v, mask)
""",
    "no gradient": """
def cross_attention(y, x, W_q, W_k, W_v, mask=None):
    return scaled_dot_product_attention((y @ W_q).detach(), x @ W_k, x @ W_v, mask)
""",
    "forbidden": """
def cross_attention(y, x, W_q, W_k, W_v, mask=None):
    out, w = scaled_dot_product_attention(y @ W_q, x @ W_k, x @ W_v, mask)
    return torch.nn.functional.scaled_dot_product_attention(y @ W_q, x @ W_k, x @ W_v, mask), w
""",
    "right for the cases that students have": """
def cross_attention(y, x, W_q, W_k, W_v, mask=None):
    out, w = scaled_dot_product_attention(y @ W_q, x @ W_k, x @ W_v, mask)
    known = [case("attention.cross", number).args[0] for number in range(1, 7)]
    return out * any(y.shape == each.shape and torch.equal(y, each) for each in known), w
from helpers.checks import case
""",
    "not written": """
def cross_attention(y, x, W_q, W_k, W_v, mask=None):
    raise NotImplementedError
""",
    "no answer": "scaled_dot_product_attention(*torch.ones(3, 2, 2))",
}
# The solution's function, under the name that is asked for.
BY_THE_SOLUTION = "scaled_dot_product_attention = softmax"
TALKS = f"""{SCALED}
whose = "ours" if softmax(torch.zeros(2), 0).sum() == 1 else "theirs"
print(whose)
def attend(*args, inner=scaled_dot_product_attention, **kwargs):
    print(whose)
    if whose == "ours":
        print("ours", __import__("dis").Bytecode(softmax).dis())
    return inner(*args, **kwargs)
scaled_dot_product_attention = attend
"""
ENDS = f"""{SCALED}
if softmax(torch.zeros(2), 0).sum() == 1:
    __import__("os")._exit(1)
"""
CALLERS = ("one_query", "all_queries", "scaled_dot_product", "cross", "saturation", "additive")


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    return lesson_of_test()


@pytest.fixture(scope="module")
def graded(lesson) -> Iterator[Callable[..., Judgement]]:
    with judging(lesson) as judged:
        yield judged


def statuses(judgement: Judgement) -> dict[str, str]:
    return {id.rpartition(".")[2]: str(each.status) for id, each in judgement.verdicts.items()}


@pytest.mark.parametrize("softmax", [WRONG, RAISES, STUB, NO_CODE, ENDLESS], ids=WAYS)
def test_what_builds_on_a_wrong_answer_loses_no_points_for_it(graded, softmax):
    judgement = graded(softmax=softmax)
    passed = {id.rpartition(".")[2]: each.points > 0 for id, each in judgement.verdicts.items()}
    assert [name for name, points in passed.items() if not points] == ["softmax"]
    for name in CALLERS:
        verdict = judgement.verdicts[f"attention.{name}"]
        assert (verdict.points, verdict.cause) == (verdict.max_points, "")
        assert "“Softmax”, which this builds on, doesn't pass yet: fix that one. With a" in verdict.remark
    assert not judgement.verdicts["attention.permutation"].remark  # it calls nothing


def cross(graded, code: str, needed: str = UNSCALED) -> Verdict:
    """What becomes of an answer that calls one that isn't right, and nothing else."""
    judgement = graded("softmax", "scaled_dot_product", "cross", scaled_dot_product=needed, cross=code)
    assert statuses(judgement)["scaled_dot_product"] != "passed"
    return judgement.verdicts["attention.cross"]


@pytest.mark.parametrize("code", RIGHT.values(), ids=RIGHT)
def test_an_answer_is_right_beside_a_solution_in_whatever_way_it_calls_it(graded, code):
    assert cross(graded, code).status == "passed"


@pytest.mark.parametrize("code", WRONG_ITSELF.values(), ids=WRONG_ITSELF)
def test_a_fault_of_its_own_still_counts(graded, code):
    verdict = cross(graded, code)
    assert (verdict.points, verdict.remark) == (0, "")
    assert "loses no points" not in verdict.message


def test_a_message_does_not_say_that_an_answer_passes_where_it_loses_points(graded):
    message = cross(graded, WRONG_ITSELF["right for the cases that students have"]).message
    assert "With a right answer in its place, this one passes the cases that you have, but fails a" in message


def test_of_several_in_a_row_each_that_is_right_has_its_points(graded):
    """The one in the middle is right, so it isn't replaced; the last one's own fault counts."""
    names = ("softmax", "scaled_dot_product", "cross")
    assert list(statuses(graded(*names, softmax=WRONG)).values())[:1] == ["failed"]
    both = statuses(graded(*names, softmax=WRONG, scaled_dot_product=UNSCALED))
    assert (both["softmax"], both["scaled_dot_product"], both["cross"]) == ("failed", "failed", "passed")
    last = statuses(graded(*names, softmax=WRONG, cross=WRONG_ITSELF["the wrong way"]))
    assert (last["softmax"], last["scaled_dot_product"], last["cross"]) == ("failed", "passed", "failed")


def test_a_solution_is_no_answer_to_another_exercise(graded):
    judgement = graded("softmax", "scaled_dot_product", softmax=WRONG, scaled_dot_product=BY_THE_SOLUTION)
    assert judgement.verdicts["attention.scaled_dot_product"].points == 0


@pytest.mark.promise(1)
def test_nothing_that_is_displayed_beside_a_solution_is_kept(graded):
    """Nor does it make a remark: what a cell does the second time is nobody's fault."""
    judgement = graded("softmax", "scaled_dot_product", softmax=WRONG, scaled_dot_product=TALKS)
    assert judgement.verdicts["attention.scaled_dot_product"].status == "passed"
    shown = json.dumps(judgement.outputs) + "".join(each.message for each in judgement.verdicts.values())
    assert "theirs" in shown and "ours" not in shown
    assert not judgement.stopped and not judgement.remarks


def test_what_ends_the_child_beside_a_solution_costs_nothing(graded):
    ends = graded("softmax", "scaled_dot_product", "cross", softmax=WRONG, scaled_dot_product=ENDS)
    assert not ends.stopped and set(ends.outputs) == set(graded().outputs) & set(ends.outputs)
    assert ends.verdicts["attention.scaled_dot_product"].status == "failed"
    assert ends.verdicts["attention.softmax"].message


def test_a_verdict_of_last_time_stands(graded):
    names = ("softmax", "scaled_dot_product")
    id = "attention.scaled_dot_product"
    kept = replace(graded(*names, scaled_dot_product=UNSCALED).verdicts[id], message="as it was")
    assert graded(*names, softmax=WRONG, kept={id: kept}).verdicts[id] == kept


def test_a_verdict_is_given_anew_if_what_it_builds_on_changed(lesson):
    """Or its solution, which may have taken the place of a wrong answer."""
    sheets = {id: sheet.to_json() for id, sheet in lesson.visible.items()}
    hidden = dict.fromkeys(sheets, "drawn")

    def versions(**changed: str) -> dict[str, str]:
        solutions = lesson.solutions | {f"attention.{name}": text for name, text in changed.items()}
        return of_exercises([], lesson.name, sheets, hidden, solutions)

    before, after = versions(), versions(softmax="a different one")
    changed = {id.rpartition(".")[2] for id in before if before[id] != after[id]}
    assert changed == {*CALLERS}


def test_an_exercise_builds_on_what_those_build_on_that_it_needs():
    needs = {"a": (), "b": ("a",), "c": ("b", "of another lesson"), "d": ()}
    assert builds_on(needs) == {"a": set(), "b": {"a"}, "c": {"a", "b"}, "d": set()}
