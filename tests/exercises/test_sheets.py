"""Sheets are made of cases that judge fairly; a forbidden name is forbidden, and only while an answer runs."""

import os
import random
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from autograder.authoring import trials
from autograder.classroom.course import course_directory, hidden_secret
from autograder.courses import current
from autograder.exercise import Exercise, Misconception
from autograder.exercises import load
from autograder.kept import FitDraws
from autograder.lessons import ROOT
from autograder.sheets import VISIBLE_SEED, HiddenSheets, failing_case, make_cases, make_sheet
from exercises.attention.cross import with_softmax_in_float32
from exercises.attention.scaled_dot_product import with_baddbmm
from helpers.checking.calling.drivers import Case, run
from tests.support.small_course import explained

TOPICS = current().topics

EXERCISES = [exercise for topic in TOPICS for exercise in load(topic).values()]
# Functions: a whole library, which may not even be here, is found in an answer's text.
FORBIDDEN = sorted({name for exercise in EXERCISES for name in exercise.forbidden if "." in name})


def wave(x: torch.Tensor) -> torch.Tensor:
    """At x = 1/3 its phase differs by 0.01 between float32 and float64; at 0 by nothing."""
    return torch.sin(1e6 * x)


def test_cases_that_rounding_decides_are_drawn_again():
    """Found by a class in which a right head for words was failed: a norm over four nearly equal numbers."""
    drawn = iter([1 / 3, 1 / 3, 0.0])
    exercise = replace(
        load("attention")["attention.softmax"],
        reference=wave,
        cases=lambda g: [Case("", (torch.tensor([next(drawn)]),))],
    )
    (case,) = make_cases(exercise, "a seed")
    assert case.args[0].item() == 0.0
    with pytest.raises(ValueError, match="rounding decides"):
        make_cases(replace(exercise, cases=lambda g: [Case("", (torch.tensor([1 / 3]),))]), "a seed")


def ripple(x: torch.Tensor) -> torch.Tensor:
    """A wave too small to see in the values: at x = 1/3 its slope is another in float32 than in float64."""
    return 1e-6 * torch.sin(1e6 * x)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_cases_of_which_rounding_decides_the_gradient_are_drawn_again(dtype):
    drawn = iter([1 / 3, 1 / 3, 0.0])
    exercise = replace(
        load("attention")["attention.softmax"],
        reference=ripple,
        cases=lambda g: [Case("", (torch.tensor([next(drawn)], dtype=dtype),))],
    )
    (case,) = make_cases(exercise, "a seed")
    assert case.args[0].item() == 0.0


@pytest.mark.parametrize("full_precision", [False, True])
def test_float64_cases_too_delicate_for_float32_are_drawn_again_unless_the_text_asks_for_float64(
    full_precision,
):
    def cases(g):
        near = 1e6 * torch.randint(2, (1,), generator=g)
        return [Case("", (near + torch.tensor([1 / 3], dtype=torch.float64),))]

    exercise = Exercise("topic.part", "", 1, lambda x: x - x.round(), cases, full_precision=full_precision)
    drawn = {make_cases(exercise, f"seed {number}")[0].args[0].item() > 1e5 for number in range(8)}
    assert drawn == ({False, True} if full_precision else {False})


def test_right_answers_on_top_of_each_other_keep_their_gradients_where_scores_are_far_apart():
    """Found by a class: a gradient in float64 that is a small difference of large numbers."""
    exercise = load("attention")["attention.cross"]
    seed = "1006ccda8c3d316a3c7a66f8b514d69c1d3337306d08e96dbf14d970d3160c31"
    sheet = make_sheet(exercise, seed, misconceptions=False)

    def answer(y, x, W_q, W_k, W_v, mask=None):
        return with_baddbmm(y @ W_q, x @ W_k, x @ W_v, mask=mask)

    assert failing_case(exercise, answer, sheet) is None


@pytest.mark.parametrize("seed", [VISIBLE_SEED, *(f"seed {number}" for number in range(8))])
def test_a_softmax_in_float32_keeps_its_gradients_where_scores_are_far_apart(seed):
    """As published models have it: `softmax(..., dtype=torch.float32).to(q.dtype)`."""
    exercise = load("attention")["attention.cross"]
    assert (
        failing_case(exercise, with_softmax_in_float32, make_sheet(exercise, seed, misconceptions=False))
        is None
    )


CALLS: list[int] = []


def doubled(x: int) -> int:
    return 2 * x


def squared(x: int) -> int:
    """It is squared, which is the same for 2."""
    CALLS.append(x)
    return x * x


def lucky(low: int = 2) -> Exercise:
    """An exercise whose one case is 2 in every third draw."""
    return Exercise(
        id="topic.lucky",
        title="",
        points=1,
        reference=doubled,
        cases=lambda g: [Case("", (int(torch.randint(low, 5, (), generator=g)),))],
        misconceptions=explained(squared),
    )


def drawn(hidden: HiddenSheets, exercise: Exercise, *, fair: bool = True) -> list[int]:
    sheets = (hidden.draw(exercise, number, fair=fair) for number in range(HiddenSheets.DRAWS))
    return [sheet.cases[0].args[0] for sheet in sheets]


def test_a_draw_by_which_a_known_misconception_passes_is_drawn_again():
    """Found by a class in which one who took the largest weight of any head got full marks for the mean."""
    exercise, secret = lucky(), b"of this test"
    first = drawn(HiddenSheets(secret), replace(exercise, misconceptions=()))
    fit = drawn(HiddenSheets(secret), exercise)
    assert 2 in first
    assert 2 not in fit
    assert [now for now, before in zip(fit, first, strict=True) if before != 2] == [
        x for x in first if x != 2
    ]
    assert drawn(HiddenSheets(secret), exercise) == fit
    assert drawn(HiddenSheets(secret), exercise, fair=False) == fit
    always = replace(exercise, cases=lambda g: [Case("", (2,))])
    with pytest.raises(ValueError, match=r"topic\.lucky: by each of 30 draws squared passes"):
        HiddenSheets(secret).draw(always, 0)


def test_that_a_draw_is_fit_is_found_out_once_per_course(tmp_path):
    exercise, secret, folder = lucky(), b"of this test", tmp_path / "draws"

    def calls(secret: bytes, version: str, folder: Path = folder) -> tuple[list[int], int]:
        CALLS.clear()
        fit = FitDraws(folder, secret, {exercise.id: version})
        return drawn(HiddenSheets(secret, fit), exercise), len(CALLS)

    found, paid = calls(secret, "1")
    assert paid >= HiddenSheets.DRAWS
    assert calls(secret, "1") == (found, 0)
    assert calls(secret, "2") == (found, paid)
    assert calls(b"another", "1")[1] >= HiddenSheets.DRAWS
    assert calls(secret, "1") == (found, 0)
    assert calls(secret, "1", tmp_path / "not there" / "draws") == (found, paid)


@pytest.mark.parametrize(("folder", "file"), [(0o700, 0o600), (0o2770, 0o660)])
def test_the_draws_are_for_whom_their_folder_is(tmp_path, folder, file):
    (tmp_path / "draws").mkdir()
    (tmp_path / "draws").chmod(folder)
    FitDraws(tmp_path / "draws", b"of this test", {"topic.name": "1"}).keep("topic.name", "0", 1)
    assert (tmp_path / "draws/topic.name").stat().st_mode & 0o777 == file


def test_a_course_without_a_secret_gets_one_that_its_owner_alone_can_read(tmp_path):
    course, _ = course_directory(tmp_path)
    secret = hidden_secret(course)
    assert len(secret) == 64
    assert hidden_secret(course) == secret
    assert (tmp_path / ".headstart_secret").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("left", ["", "\n" * 64, "0123456789abcdef0123456789abcde"])
def test_a_secret_that_anybody_could_guess_is_refused(tmp_path, left):
    (tmp_path / ".headstart_secret").write_text(left)
    with pytest.raises(LookupError, match="cut short"):
        hidden_secret(course_directory(tmp_path)[0])


def test_a_failed_test_says_how_to_get_the_same_hidden_cases_again(tmp_path):
    (tmp_path / "test_it.py").write_text("def test_it():\n    assert False\n")
    plugin = {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")]), "HEADSTART_TEST_SECRET": "17"}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-n0", "-p", "conftest", "-c", ROOT / "pyproject.toml", tmp_path],
        env={**os.environ, **plugin}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    after = done.stdout.partition("FAILURES")[2]
    assert "HEADSTART_TEST_SECRET=17 pytest" in after


def noise_in_two_parts() -> torch.Tensor:
    """Between them another thread gets its turn."""
    first = torch.randn(2)
    time.sleep(0.01)
    return torch.cat([first, torch.randn(2)])


def test_threads_that_make_sheets_take_no_random_numbers_from_each_other():
    """Found by a class in which all who got one hidden sheet were failed: torch's generator is everybody's."""
    exercise = replace(
        load("attention")["attention.softmax"], reference=noise_in_two_parts, cases=lambda g: [Case("", ())]
    )

    def noise(_: int) -> list[float]:
        return make_sheet(exercise, "a seed", misconceptions=False).expected[0].outputs.tolist()

    alone = noise(0)
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(noise, range(8))) == [alone] * 8


@pytest.mark.parametrize("name", [name for name in FORBIDDEN if "." in name])  # others are packages
def test_a_forbidden_name_raises_while_an_answer_runs_and_only_then(name):
    def resolve():
        first, *rest = name.split(".")
        found = __import__(first)
        for part in rest:
            found = getattr(found, part)
        return found

    exercise = next(exercise for exercise in EXERCISES if name in exercise.forbidden)
    case = make_cases(exercise, VISIBLE_SEED)[0]
    before = resolve()
    outcome = run(exercise.driver, lambda *_, **__: resolve()(), case, forbidden=exercise.forbidden)
    assert (outcome.status, outcome.error) == ("forbidden", name)
    assert resolve() is before
    assert run(exercise.driver, before, case, forbidden=exercise.forbidden).status == "forbidden"


class Shelf:
    def __init__(self, size):
        self.items = {}

    def put(self, key, value):
        self.items[key] = value
        return len(self.items)


class OneForAll:
    items: dict = {}  # noqa: RUF012
    count = 0

    def __init__(self, size):
        self.size = size

    def put(self, key, value):
        OneForAll.count += 1
        self.items[key] = value
        return len(self.items)


def shelves(generator: random.Random) -> list[Case]:
    return [Case(f"shelf {n}", ([3], [["put", f"{n}", generator.randrange(9)]])) for n in range(3)]


def longer(number):
    return [*range(number)]


def remembered(number, kept=[]):  # noqa: B006
    remembered.calls = getattr(remembered, "calls", 0) + 1
    kept += range(number)
    return list(kept)


@pytest.mark.parametrize(
    ("right", "wrong", "fields"),
    [
        (Shelf, OneForAll, {"driver": "object", "cases": shelves}),
        (longer, remembered, {"cases": lambda g: [Case(f"call {n}", (n,)) for n in (2, 3)]}),
    ],
)
def test_a_wrong_answer_that_remembers_begins_anew_with_each_sheet(right, wrong, fields):
    """Within one it remembers from case to case, as in a student's notebook."""
    exercise = Exercise(
        id="topic.name", title="", points=1, reference=right, **fields,
        misconceptions=(Misconception("remembers", wrong, "It remembers what was put elsewhere."),),
    )  # fmt: skip
    one, other = (make_sheet(exercise, VISIBLE_SEED) for _ in range(2))
    assert one.to_json() == other.to_json()
    found = [trials.checked(exercise, wrong, one) for _ in range(2)]
    assert [each.cause for each in found] == ["remembers", "remembers"]
    assert failing_case(exercise, wrong, one) == failing_case(exercise, wrong, one) == 1
    assert not hasattr(wrong, "calls") and getattr(wrong, "count", 0) == 0
