"""Every exercise keeps its promises: what is right passes, what is wrong is explained.

The build tries that (`autograder/authoring/trials.py`), and `tests/authoring/test_rules.py` what it refuses. Here
it is asked: whether all was tried as it stands now, and, with `make test ALL=1`, to try all anew.
"""

import json
import os

import pytest
import torch

from autograder import exercises
from autograder.authoring import trials
from autograder.authoring.mutating import verified
from autograder.authoring.mutating.mutants import has_mutants
from autograder.authoring.mutating.trying import drawn, tried
from autograder.courses import current
from autograder.sheets import VISIBLE_SEED, make_sheet
from helpers.checks import Sheet
from tests.support.exact import differences
from tests.support.proved import follows_from

TOPICS = current().topics

EVERY = {id: exercise for topic in TOPICS for id, exercise in exercises.load(topic).items()}
ONE_OF_A_KIND = {(type(each), each.driver): id for id, each in EVERY.items()}
TRIED = (
    EVERY
    if os.environ.get("HEADSTART_TEST_ALL", "0") not in ("", "0")
    else dict.fromkeys(ONE_OF_A_KIND.values())
)


def test_ids_are_unique_and_begin_with_their_topic() -> None:
    found = [id for topic in TOPICS for id in exercises.load(topic)]
    assert len(set(found)) == len(found) > 100
    assert all(id.startswith(f"{topic}.") for topic in TOPICS for id in exercises.load(topic))


@pytest.mark.parametrize("topic", TOPICS)
def test_each_was_tried_as_it_is_now(topic: str) -> None:
    specs = exercises.load(topic)
    there, wanted = verified.read(topic), verified.in_step(topic, specs)
    stale = [id for id in wanted if there.get(id) != wanted[id]] + [id for id in there if id not in wanted]
    assert not stale, f"to fix: headstart build {topic}"


@follows_from("autograder/**/*.py", "exercises", "helpers", "notebooks")
@pytest.mark.parametrize("id", TRIED)
def test_right_answers_pass_and_wrong_ones_get_their_own_sentence(id: str) -> None:
    found = trials.problems(EVERY[id], verified.given(EVERY[id].topic), exercises.load)
    assert not found, "\n".join(problem.text for problem in found)


@pytest.mark.parametrize("id", TRIED)
def test_a_trip_through_json_changes_nothing_in_a_sheet(id: str) -> None:
    torch.manual_seed(1)
    sheet = make_sheet(EVERY[id], VISIBLE_SEED, look_at="1.2 Somewhere", needs={"topic.name": "Something"})
    read = Sheet.from_json(json.loads(json.dumps(sheet.to_json())))
    assert not list(differences(sheet, read))


SOME = ["attention.softmax", "counting.flops", "masking.both"]


@pytest.mark.parametrize("id", [id for id in TRIED if has_mutants(EVERY[id])] if TRIED is EVERY else SOME)
def test_every_mutant_fails_on_every_draw_but_those_that_are_listed(id: str) -> None:
    topic = id.partition(".")[0]
    right = verified.listed(topic).get(id, {})
    sheets = drawn(EVERY[id])
    survivors = [each for each in tried(EVERY[id], sheets) if each.survives]
    needless, _ = verified.needless(EVERY[id], survivors, verified.given(topic), sheets)
    found = {s.mutant.name: (s.visible, len(s.draws)) for s in survivors if s.mutant.name not in needless}
    named = {name for names in right.values() for name in names}
    assert found == dict.fromkeys(named - needless, (True, 32))
