"""Small slips are recognised by what they give on all cases, and what is said of them is true."""

import ast
import builtins
import inspect
import json
import math
import re
from dataclasses import replace
from itertools import pairwise

import pytest
import torch

from autograder import exercises, lessons
from autograder.answers import slip, with_both
from autograder.authoring.build import _recalled
from autograder.authoring.mutating import slips as mutating
from autograder.authoring.mutating import verified
from autograder.authoring.mutating.mutants import has_mutants
from autograder.authoring.mutating.quoting import PACKAGES, ROOM
from autograder.authoring.mutating.slips import slips
from autograder.recall import Recall
from autograder.sheets import VISIBLE_SEED, make_sheet
from helpers.block import FeedForward, LayerNorm
from helpers.checking.assessing import assess
from helpers.checking.calling.drivers import run
from helpers.checking.calling.outcome import CallStatus, Case, Outcome
from helpers.checking.explaining.causes import ONE_CHANGE
from helpers.checking.explaining.sketches import rewritten, sketch
from helpers.checking.finding import Finding
from helpers.checking.sheet import AND, Sheet, load_sheet
from helpers.multihead import MultiHeadAttention
from tests.support.proved import COURSE, follows_from

pytestmark = follows_from(*COURSE)

G = torch.Generator().manual_seed(0)
x = torch.randn(4, 5, generator=G)


def same(one, other) -> bool:
    first, second = (sketch(Outcome(CallStatus.RETURNED, value)) for value in (one, other))
    return first.same(str(second))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (x.sum(0), torch.stack([x[[3, 1, 0, 2], n].sum() for n in range(5)])),
        (x.softmax(-1), x.exp() / x.exp().sum(-1, keepdim=True)),
        ((x @ x.T).double(), torch.einsum("ij,kj->ik", x, x).double()),
        (
            torch.tensor([1e300, -1e308], dtype=torch.float64),
            torch.tensor([1e300, -1e308], dtype=torch.float64),
        ),
        (2.0, torch.tensor(2.0)),
        (7, torch.tensor(7)),
        ([x, 1], (x, 1)),
        (torch.tensor([math.nan, -math.inf, 1.0]), torch.tensor([math.nan, -math.inf, 1.0])),
    ],
)
def test_outcomes_that_differ_by_rounding_have_one_sketch(one, other):
    assert same(one, other)


@pytest.mark.parametrize(
    "other",
    [
        x.double(), x.T, x[None], x.flip(0), x.roll(1, 1), x[:, [1, 0, 2, 3, 4]], -x, x * 1.0001, [x], x.tolist(),
        x.masked_fill(x == x.max(), math.inf), x.masked_fill(x == x.max(), math.nan), x > 0, None, "x",
    ],
)  # fmt: skip
def test_others_have_another(other):
    assert not same(x, other)
    assert same(other, other)


def test_whole_numbers_and_texts_are_compared_exactly():
    assert not same(1_000_000_000, 1_000_000_001)
    assert not same(torch.tensor([1, 2]), torch.tensor([2, 1]))
    assert not same({"a": 1}, {"b": 1})
    assert not same("ab", "ba")


def test_of_many_outcomes_no_two_look_alike():
    made = sorted(
        sketch(Outcome(CallStatus.RETURNED, torch.randn(6, generator=G))).total for _ in range(2_000)
    )
    close = sum(b - a < 1e-8 for a, b in pairwise(made))
    assert close == 0


def test_what_rounding_does_to_sums_of_any_size_is_no_difference_and_a_wrong_number_is_one():
    for size in (1, 10, 1_000):
        made = torch.randn(size, generator=G)
        assert same(made, made * (1 + 1e-5 * torch.randn(size, generator=G).clamp(-1, 1)))
        assert not same(made, torch.cat([made[:-1], made[-1:] + 0.1]))


def test_a_float_beside_a_whole_number_is_that_number():
    assert same(2.0, 2) and same(1.9999999, 2) and same(0.0, 1e-8)
    assert not same(2.001, 2)


def test_an_exception_is_told_by_what_it_says_but_for_numbers():
    first, second, third = (
        sketch(Outcome(CallStatus.RAISED, error="RuntimeError", message=said))
        for said in ("no rows in (2, 3)", "no rows in (4, 5)", "no columns")
    )
    assert first.same(str(second)) and not first.same(str(third))


def test_a_text_with_no_more_digits_than_count_stands_for_its_outcome():
    for value in (x, x.double(), x * 1e30, x * 1e-5, x[:1, 0] * 1e-9):
        for exact in (False, True):
            made = sketch(Outcome(CallStatus.RETURNED, value), exact=exact)
            assert made.same(str(made))
    assert len(str(sketch(Outcome(CallStatus.RETURNED, x)))) <= 15


def test_texts_of_two_processors_are_the_same_but_for_rounding():
    assert rewritten("aaaaaa+1.2345678 = bbbbbb", "aaaaaa+1.2345699 = bbbbbb")
    assert not rewritten("aaaaaa+1.2345678 =", "aaaaaa+1.3345678 =")
    assert not rewritten("aaaaaa+1.2345678", "bbbbbb+1.2345678")
    assert not rewritten("aaaaaa!bbbbbb", "aaaaaa!cccccc")
    assert not rewritten("aaaaaa", "aaaaaa =")


# -- in the lessons ------------------------------------------------------------------------------------------

LESSONS = [name for name in lessons.names() if name[:2] != "00"]


def shipped(exercise: str) -> Sheet:
    """The sheet as a student has it."""
    lesson = next(name for name in LESSONS if lessons.topic(name) == exercise.partition(".")[0])
    return load_sheet(exercise, lessons.release_path(lesson).parent)


def finding(exercise: str, answer) -> Finding:
    sheet = shipped(exercise)
    driver = sheet.driver
    outcomes = [run(driver, answer, case, gradients=sheet.wants_gradients) for case in sheet.cases]
    return assess(sheet, [Outcome.from_json(json.loads(json.dumps(o.to_json()))) for o in outcomes])


def scaled_by_the_keys_number(q, k, v, mask=None):
    s = torch.einsum("...id,...jd->...ij", q, k) / q.shape[-2] ** 0.5
    if mask is not None:
        s = torch.where(mask, s, torch.full_like(s, float("-inf")))
    e = (s - s.max(-1, keepdim=True).values).exp()
    w = e / e.sum(-1, keepdim=True)
    return torch.einsum("...ij,...jd->...id", w, v), w


def scaled_too_much(q, k, v, mask=None):
    """Two changes: by the number of keys, and without a root."""
    return scaled_by_the_keys_number(q / q.shape[-2] ** 0.5, k, v, mask)


def test_a_slip_is_named_in_whatever_idiom_it_is_made():
    told = finding("attention.scaled_dot_product", scaled_by_the_keys_number).relation
    assert told.startswith(f"{ONE_CHANGE} a size is that of the wrong axis, -2 (the step with `q`).")


class KeysByTheQueriesMap(torch.nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.h = n_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (torch.nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, y, x=None, mask=None):
        x = y if x is None else x
        q, k, v = (t.unflatten(-1, (self.h, -1)).mT.mT for t in (self.W_q(y), self.W_q(x), self.W_v(x)))
        s = torch.einsum("...ihd,...jhd->...hij", q, k) * q.shape[-1] ** -0.5
        w = (s if mask is None else torch.where(mask, s, -math.inf)).softmax(-1)
        return self.W_o(torch.einsum("...hij,...jhd->...ihd", w, v).flatten(-2)), w


class SecondNormForgotten(torch.nn.Module):
    """Written out, as in an alternative: in the reference this would be more than one change."""

    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.attention, self.feed_forward = MultiHeadAttention(d_model, n_heads), FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = LayerNorm(d_model), LayerNorm(d_model)

    def forward(self, x, mask=None):
        y = x + self.attention(self.norm_1(x), mask=mask)[0]
        return y + self.feed_forward(y)


@pytest.mark.parametrize(
    ("exercise", "answer", "slip"),
    [
        ("multihead.module", KeysByTheQueriesMap, "`W_q` is used in place of `W_k`"),
        ("block.block", SecondNormForgotten, "`norm_2` is missing"),
    ],
)
def test_a_module_s_layers_are_named(exercise, answer, slip):
    assert finding(exercise, answer).relation.startswith(f"{ONE_CHANGE} {slip}")


def test_what_no_single_change_gives_is_named_no_change():
    told = finding("attention.scaled_dot_product", scaled_too_much)
    assert told.status == "failed" and ONE_CHANGE not in told.meaning


def test_of_most_of_the_cases_it_is_said_which_they_are():
    sheet = shipped("attention.scaled_dot_product")
    outcomes = [run(sheet.driver, scaled_by_the_keys_number, case) for case in sheet.cases]
    mixed = [run(sheet.driver, scaled_too_much, sheet.cases[0]), *outcomes[1:]]
    assert "exactly this" not in assess(sheet, outcomes).meaning
    told = assess(sheet, mixed)
    assert ONE_CHANGE in told.meaning and "show exactly this: fix it first" in told.meaning


def test_one_change_that_fits_few_of_the_wrong_cases_is_not_named():
    """Of hundreds of small changes, one fits a case or two by chance: the cause is another there."""
    sheet = shipped("attention.scaled_dot_product")
    slipped, other = (
        [run(sheet.driver, answer, case) for case in sheet.cases]
        for answer in (scaled_by_the_keys_number, scaled_too_much)
    )
    named = [
        ONE_CHANGE in assess(sheet, [*slipped[:fitting], *other[fitting:]]).meaning
        for fitting in range(1, len(sheet.cases))
    ]
    assert named[-1] and not any(named[: len(sheet.cases) // 2])


def test_the_release_holds_what_is_made_of_the_mutants():
    """But for the last digits of sums, which depend on the processor."""
    made = slips(exercises.load("attention")["attention.softmax"])
    held = verified.known_slips("attention")["attention.softmax"]
    assert list(made) == list(held)
    pairs = [pair for name in made for pair in zip(made[name], held[name], strict=True)]
    assert all(rewritten(*pair) for pair in pairs)


def test_two_slips_at_once_are_both_named():
    known = {
        each.name: each for each in exercises.load("attention")["attention.scaled_dot_product"].misconceptions
    }
    unscaled, inverted = known["unscaled"], known["mask_inverted"]
    told = finding("attention.scaled_dot_product", with_both(unscaled.variant, inverted.variant))
    assert told.cause in ("unscaled", "mask_inverted")
    assert unscaled.sentence in told.meaning and inverted.sentence in told.meaning


@pytest.mark.parametrize("lesson", LESSONS)
def test_the_pairs_in_a_release_are_those_of_its_cases(lesson):
    """One of each exercise: slips of other cases than a sheet's fail its check, or mislead."""
    tried = 0
    for id, exercise in exercises.load(lessons.topic(lesson)).items():
        sheet, known = shipped(id), {each.name: each.variant for each in exercise.misconceptions}
        for said, texts in sheet.slips.items():
            assert {len(text.split(" ")) for text in texts} == {len(sheet.cases)}, (id, said)
        if pair := next((said for said in sheet.slips if {*said.split(AND)} <= known.keys()), ""):
            one, other = pair.split(AND)
            with mutating.Limits() as limits:
                outcomes = limits.outcomes(exercise, with_both(known[one], known[other]), sheet)
            seen, _ = mutating._sketches(sheet, outcomes)
            assert rewritten(sheet.slips[pair][0], mutating.to_text(seen)), (id, pair)
            tried += 1
    assert tried > 1


def test_mistakes_in_pairs_take_no_single_changes_place(monkeypatch):
    exercise = exercises.load("counting")["counting.attention"]
    alone = slips(exercise).keys() - mutating.of_two(exercise, make_sheet(exercise, VISIBLE_SEED)).keys()
    monkeypatch.setattr(mutating, "of_two", lambda *_: {"many pairs": ["0" * 10**6]})
    assert slips(exercise).keys() == alone | {"many pairs"}


def test_two_mistakes_that_undo_each_other_make_no_pair():
    """Where the sum is exactly p, one keeps a token too few and one a token too many: with both, it is right."""
    exercise = exercises.load("pretraining")["pretraining.nucleus"]
    pairs = mutating.of_two(exercise, make_sheet(exercise, VISIBLE_SEED))
    assert pairs and f"kept_below_p{AND}more_than_p" not in pairs


def zero_times_infinity(q, k, v, mask=None):
    s = q @ k.mT / q.size(-1) ** 0.5
    w = (s if mask is None else s + (~mask) * -math.inf).softmax(-1)
    return w @ v, w


def zero_times_infinity_in_a_softmax(scores, mask):
    return (scores + (~mask) * -math.inf).softmax(-1)


def shifted_too_late(logits, targets):
    """The logarithm of a sum that has overflowed, where the known mistake is that of a rounded softmax."""
    real = targets != -100
    own = logits.gather(-1, targets.where(real, 0)[..., None])[..., 0]
    return ((logits.exp().sum(-1).log() - own) * real).sum() / real.sum()


@pytest.mark.parametrize(
    ("exercise", "answer", "words"),
    [
        ("attention.scaled_dot_product", zero_times_infinity, "0 · ∞"),
        ("masking.softmax", zero_times_infinity_in_a_softmax, "0 · ∞"),
        ("pretraining.loss", shifted_too_late, "overflows"),
    ],
)
def test_where_only_infinities_come_back_each_way_there_is_named(exercise, answer, words):
    """NaN and infinity tell little: a sentence about them is true of whatever is known to lead there."""
    assert words in finding(exercise, answer).meaning


def test_slips_that_meet_in_one_place_make_no_pair():
    def right(x):
        return x + 1

    one, other = (slip("", double, [edit]) for edit in ("2 * x → 3 * x", "* x →"))
    assert with_both(one, other) is None and with_both(one, right) is None
    assert with_both(one, slip("", double, ["return → return 1 +"]))(5) == 16


def double(x):
    return 2 * x


def test_where_results_say_little_no_change_is_described():
    """Each of these returns a mask, a count or an order, which many changes give."""
    for topic, name in (("masking", "causal"), ("masking", "padding"), ("block", "pre_or_post")):
        exercise = exercises.load(topic)[f"{topic}.{name}"]
        assert not has_mutants(exercise) or slips(exercise) == {}


def counts(x):
    return 3 * len(x) * 40


def counts_otherwise(x):
    return len(x) * 40 + 2 * len(x) * 40


def a_gradient(x):
    return (3 * x).exp()


def a_gradient_otherwise(x):
    return (x + 2 * x).exp()


def test_a_count_that_other_right_answers_reach_by_other_changes_is_described_by_none():
    """3n without its 3 is also n + 2n without a term, or with a minus: of a count, nobody knows which."""

    def cases(generator):
        return [Case("", args=(torch.randn(size, generator=generator),)) for size in (2, 5, 7)]

    def told(one, other) -> set[str]:
        blank = replace(exercises.load("attention")["attention.softmax"], misconceptions=(), properties=())
        return {*slips(replace(blank, reference=one, alternatives=(other,), cases=cases))}

    missing = "`3 *` is missing"
    assert any(missing in said for said in told(counts, a_gradient))
    assert not any(missing in said for said in told(counts, counts_otherwise))
    assert any(missing in said for said in told(a_gradient, a_gradient_otherwise))


def test_a_sentence_names_only_what_the_text_has():
    """An argument of the exercise, a layer whose weights the check loads, or a function that replaced one."""
    for topic in map(lessons.topic, LESSONS):
        specs = exercises.load(topic)
        for id, known in verified.known_slips(topic).items():
            if id in specs and has_mutants(specs[id]):
                names = set(re.findall(r"\w+", inspect.getsource(specs[id].reference)))
                taken = [re.findall(r"`(\w+)` is used in place of `(\w+)`", said) for said in known]
                assert {name for found in taken for pair in found for name in pair} - {
                    "and",
                    "or",
                } <= names, id


@pytest.mark.parametrize("lesson", LESSONS)
def test_slips_ship_with_their_lesson_and_stay_small(lesson):
    checks = json.loads(lessons.release_path(lesson).with_name("checks.json").read_text(encoding="utf-8"))
    assert sum(len(sheet["slips"]) for sheet in checks.values()) >= 10 * len(checks)
    without = sum(len(json.dumps({**sheet, "slips": {}})) for sheet in checks.values())
    assert len(json.dumps(checks)) < 2.51 * without


def test_a_sentence_quotes_short_code_alone_and_only_names_that_the_text_has():
    """Between backticks are signs, single names, and expressions of arguments: a whole line is a solution."""
    sign = r"[-+*/%@&|^<>=!~]{1,3}"
    for topic in map(lessons.topic, LESSONS):
        specs = exercises.load(topic)
        for id, known in verified.known_slips(topic).items():
            words = (
                {*names_in_text(specs[id]), *vars(builtins), *PACKAGES} if id in specs and known else set()
            )
            names_returned = specs[id].returns if id in specs else ()
            for said in known:
                for code in re.findall("`([^`]*)`", said):
                    if (
                        re.fullmatch(rf"{sign}|not in|is not|\w+|\w+=True|if .*", code)
                        or code in names_returned
                    ):
                        continue
                    inner = re.sub(rf"^{sign} |(?<=[\w)\]]) {sign}$", "", code)
                    names = {n.id for n in ast.walk(ast.parse(inner)) if isinstance(n, ast.Name)}
                    assert names <= words, (id, said)
                    assert len(inner) <= ROOM + 2, (id, said)
                assert len(said) < 250, (id, said)


def names_in_text(exercise) -> set[str]:
    """What an exercise's stub calls the arguments of its function, or of its class's methods."""
    whole = exercise.reference
    methods = (
        [each for each in vars(whole).values() if inspect.isfunction(each)] if isinstance(whole, type) else []
    )
    return {name for each in [whole, *methods] for name in inspect.signature(each).parameters}


def test_a_slip_to_catch_points_to_the_earlier_lesson_that_explains_it():
    of_topic = {lessons.topic(name): lessons.number(name) for name in lessons.names()}
    for topic, number in of_topic.items():
        specs = exercises.load(topic)
        recalled = {id: spec.about for id, spec in specs.items() if isinstance(spec, Recall)}
        found = _recalled(specs, lessons.ROOT)
        assert set(found) == set(recalled)
        for id, heading in found.items():
            earlier = of_topic[recalled[id].partition(".")[0]]
            assert earlier < number and heading.startswith(f"{earlier}.")
            assert heading.endswith(f", in lesson {earlier:02d}")
