"""Every exercise of every topic keeps its promises: what is right passes, what is wrong is explained."""

import ast
import functools
import inspect
import json
import math
import pkgutil
import types
from collections.abc import Iterable, Iterator
from dataclasses import replace

import pytest
import torch

from autograder import exercises, lessons
from autograder.answers import pasted
from autograder.sheets import VISIBLE_SEED, make_cases, make_sheet
from helpers.checking.calling.drivers import Case, Outcome, run
from helpers.checking.calling.values import tensors
from helpers.checks import Finding, Sheet, assess
from tests.support.exact import differences

TOPICS = [module.name for module in pkgutil.iter_modules(exercises.__path__)]
ALL = {id: exercise for topic in TOPICS for id, exercise in exercises.load(topic).items()}
CALLED = {id: exercise for id, exercise in ALL.items() if exercise.driver != "choice"}
CHOSEN = {id: exercise for id, exercise in ALL.items() if exercise.driver == "choice"}
HIDDEN = [f"hidden {number}" for number in range(3)]  # benchmarks.truth tries the same on 32
SEEDS = [VISIBLE_SEED, *HIDDEN]

each = pytest.mark.parametrize("exercise", ALL.values(), ids=ALL)
each_called = pytest.mark.parametrize("exercise", CALLED.values(), ids=CALLED)
each_chosen = pytest.mark.parametrize("exercise", CHOSEN.values(), ids=CHOSEN)


def none_of(problems: Iterable[str]) -> None:
    """Fail with all of an exercise's problems, not with the first alone."""
    if found := list(problems):
        pytest.fail("\n".join(found), pytrace=False)


def make(exercise_id: str, seed: str) -> Sheet:
    """An exercise's sheet for a seed."""
    try:
        return make_sheet(ALL[exercise_id], seed, look_at="1.2 Somewhere", needs=("Something",))
    except Exception as error:
        error.add_note(f"in the sheet of {exercise_id}, seed {seed}")
        raise


@functools.cache
def made(exercise_id: str, seed: str) -> Sheet:
    """The same, made once for all tests, as are its text, what is read of that, and who is judged by it."""
    torch.manual_seed(1)
    return make(exercise_id, seed)


@functools.cache
def written(exercise_id: str, seed: str) -> str:
    return json.dumps(made(exercise_id, seed).to_json())


@functools.cache
def read(exercise_id: str, seed: str) -> Sheet:
    """The sheet after its trip through JSON. That changes nothing, says a test: so one of the two judges."""
    return Sheet.from_json(json.loads(written(exercise_id, seed)))


def judged(exercise, answer, sheet: Sheet) -> Finding:
    """What a student reads who hands in this answer, forbidden names forbidden."""
    if exercise.driver == "choice" and answer is not exercise.reference:
        outcomes = [exercise.outcome(answer, case) for case in sheet.cases]
    else:
        how = {"gradients": exercise.gradients, "forbidden": exercise.forbidden}
        outcomes = [run(exercise.driver, answer, case, **how) for case in sheet.cases]
    outcomes = [Outcome.from_json(json.loads(json.dumps(outcome.to_json()))) for outcome in outcomes]
    return assess(sheet, outcomes)


def variants(exercise) -> dict[str, types.FunctionType | type | dict]:
    """All answers that an exercise comes with, by what they are."""
    return {
        "the reference": exercise.reference,
        **{f"alternative {answer.__name__}": answer for answer in exercise.alternatives},
        **{f"misconception {each.name}": each.variant for each in exercise.misconceptions},
    }


@functools.cache
def finding(exercise_id: str, seed: str, variant: str) -> Finding:
    """What a student reads who hands in a variant."""
    exercise = ALL[exercise_id]
    return judged(exercise, variants(exercise)[variant], read(exercise_id, seed))


# -- right ---------------------------------------------------------------------------------------------------


@each
def test_the_reference_and_answers_written_differently_pass(exercise):
    alternatives = [answer.__name__ for answer in exercise.alternatives]
    assert len(alternatives) == len(set(alternatives)) >= (0 if exercise.id in CHOSEN else 2)
    right = [name for name in variants(exercise) if not name.startswith("misconception")]
    found = {(seed, name): finding(exercise.id, seed, name) for seed in SEEDS for name in right}
    none_of(
        f"{exercise.id}, {name}, seed {seed}: {it.status}\n{it.text()}"
        for (seed, name), it in found.items()
        if it.status != "passed"
    )


# -- wrong ---------------------------------------------------------------------------------------------------


@each
def test_each_misconception_fails_with_its_own_sentence(exercise):
    def problems() -> Iterator[str]:
        for misconception in exercise.misconceptions:
            for seed in SEEDS:
                it = finding(exercise.id, seed, f"misconception {misconception.name}")
                where = f"{exercise.id}, misconception {misconception.name}, seed {seed}"
                if it.status != "failed":
                    yield f"{where}: it isn't failed, but {it.status}"
                elif (it.cause, it.meaning) != (misconception.name, misconception.sentence):
                    yield f"{where}: taken for {it.cause}\n{it.text()}"

    none_of(problems())


@each
def test_each_misconception_is_explained_in_one_sentence(exercise):
    def is_one(sentence: str) -> bool:
        ends = sentence.endswith(".") and ". " not in sentence.removesuffix(".")
        return 20 < len(sentence) < 260 and ends and sentence == " ".join(sentence.split())

    none_of(f"not a name: {m.name!r}" for m in exercise.misconceptions if not m.name.isidentifier())
    none_of(f"{m.name}: {m.sentence!r}" for m in exercise.misconceptions if not is_one(m.sentence))


@each
def test_misconceptions_are_told_apart_by_name_and_sentence(exercise):
    assert len(exercise.misconceptions) >= 3 or exercise.id in CHOSEN
    for part in ("name", "sentence"):
        values = [getattr(misconception, part) for misconception in exercise.misconceptions]
        none_of(f"twice: {value}" for value in values if values.count(value) > 1)


@each_chosen
def test_each_wrong_option_is_explained(exercise):
    (case,) = made(exercise.id, VISIBLE_SEED).cases
    options = case.args[0]
    right = exercise.outcome(exercise.reference, case).outputs
    explained = {(slot, o) for m in exercise.misconceptions for slot, o in m.variant.items()}
    for slot, allowed in options.items():
        wrong = [
            option
            for option in allowed
            if exercise.outcome({slot: option}, case).outputs[slot] != right[slot]
        ]
        assert len(wrong) == len(allowed) - 1
        none_of(f"{slot}: {option}" for option in wrong if (slot, option) not in explained)
    assert len(explained) == sum(len(allowed) - 1 for allowed in options.values())


@each_chosen
def test_all_wrong_at_once_gives_a_sentence_for_each_slot(exercise):
    wrong = {slot: option for m in exercise.misconceptions for slot, option in m.variant.items()}
    finding = judged(exercise, wrong, read(exercise.id, VISIBLE_SEED))
    told = [m for m in exercise.misconceptions if m.sentence in finding.meaning]
    assert {slot for m in told for slot in m.variant} == set(wrong)
    assert len(told) == len(wrong)


# -- the data ------------------------------------------------------------------------------------------------


def test_ids_are_unique_and_begin_with_their_topic():
    found = [(topic, exercise) for topic in TOPICS for exercise in exercises.load(topic).values()]
    assert len({exercise.id for _, exercise in found}) == len(found)
    for topic, exercise in found:
        assert exercise.topic == topic
        assert exercise.id.removeprefix(f"{topic}.").isidentifier()


@each
def test_numbers_are_sensible(exercise):
    assert 0 <= exercise.points <= 10
    assert 1 <= exercise.difficulty <= 5
    assert 1 <= exercise.minutes <= 60
    assert exercise.title
    assert all(needed in ALL for needed in exercise.needs)


@each
def test_every_case_has_a_title_of_its_own_that_says_nothing_of_the_hidden_values(exercise):
    """Titles are shown where a hidden case fails, so they are the same for every seed."""
    titles = {seed: [case.title for case in made(exercise.id, seed).cases] for seed in SEEDS}
    visible = titles[VISIBLE_SEED]
    assert len(set(visible)) == len(visible)
    assert all(visible) or exercise.driver == "choice"
    none_of(f"seed {seed}: {titles[seed]}, not {visible}" for seed in HIDDEN if titles[seed] != visible)


@each
def test_swapped_axes_show(exercise):
    """No tensor of a case has two axes of one size, but for axes of size 1; or else a swap changes it."""
    none_of(
        f"{exercise.id}, seed {seed}, {case.title}: {tuple(tensor.shape)}"
        for seed in SEEDS
        for case in made(exercise.id, seed).cases
        for tensor in tensors([case.args, dict(case.kwargs)])
        if len(sizes := [size for size in tensor.shape if size > 1]) > len(set(sizes)) and not exercise.square
    )


@each_called
def test_most_draws_are_fit_to_judge_by(exercise) -> None:
    """Thirty are tried. Where most aren't fit, with some secret none is, and the grader fails on a student."""
    drawn = 0

    def cases(generator: torch.Generator) -> list[Case]:
        nonlocal drawn
        drawn += 1
        return exercise.cases(generator)

    for number in range(8):
        make_cases(replace(exercise, cases=cases), f"fit {number}")
    assert drawn <= 16


@each_called
def test_hidden_cases_are_fresh_and_have_other_results_than_the_visible(exercise):
    """An answer that gives the visible results in their order, whatever it is asked, is wrong."""
    data = {seed: json.dumps([case.to_json() for case in made(exercise.id, seed).cases]) for seed in SEEDS}
    assert len(set(data.values())) == len(SEEDS)
    if exercise.driver not in ("use_result", "draws"):
        expected = {seed: [e.to_json() for e in made(exercise.id, seed).expected] for seed in SEEDS}
        results = {seed: json.dumps(outcomes) for seed, outcomes in expected.items()}
        none_of(f"seed {seed} gives it" for seed in HIDDEN if results[seed] == results[VISIBLE_SEED])


@each
def test_the_same_seed_gives_the_same_sheet(exercise):
    first = written(exercise.id, VISIBLE_SEED)
    torch.manual_seed(2)
    assert json.dumps(make(exercise.id, VISIBLE_SEED).to_json()) == first


@each
def test_a_sheet_is_small_and_a_trip_through_json_changes_nothing_in_it(exercise):
    assert len(written(exercise.id, VISIBLE_SEED)) < 60_000
    none_of(
        f"{exercise.id}, seed {seed}, {difference}"
        for seed in SEEDS
        for difference in differences(made(exercise.id, seed), read(exercise.id, seed))
    )


# -- the source ----------------------------------------------------------------------------------------------


@functools.cache
def given(topic: str) -> types.CodeType:
    """What a lesson's own cells import and define."""
    [lesson] = [name for name in lessons.names() if lessons.topic(name) == topic]
    cells = lessons.load_source_notebook(lesson).cells
    code = [
        ast.parse(c.source) for c in cells if lessons.kind(c) in ("setup", "given") and c.cell_type == "code"
    ]
    kinds = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
    body = [node for tree in code for node in tree.body if isinstance(node, kinds)]
    return compile(ast.Module(body, []), lesson, "exec")


@each_called
def test_each_variant_can_be_pasted_into_a_notebook(exercise):
    """The class simulator does so: the text of a function, and to run it with torch, math, earlier answers, and
    what the lesson imports and defines.
    """
    ours = [
        each.reference for each in ALL.values() if each.topic == exercise.topic and callable(each.reference)
    ]
    needed = [ALL[id].reference for id in exercise.needs]
    answers = {reference.__name__: reference for reference in [*ours, *needed]}
    later = set(answers) - {reference.__name__ for reference in needed}

    def problem(name: str, variant: types.FunctionType | type) -> str:
        if not isinstance(variant, type if exercise.driver == "module" else types.FunctionType):
            return f"is a {type(variant).__name__}"
        names = {"torch": torch, "math": math, **answers}
        exec(given(exercise.topic), names)  # may take an answer as a default
        names = {name: each for name, each in names.items() if name not in later}
        exec(pasted(variant, names), names)
        made = names.get(variant.__name__)
        if made is None or made is variant:
            return "its text doesn't define it"
        there = finding(exercise.id, VISIBLE_SEED, name)
        here = judged(exercise, made, read(exercise.id, VISIBLE_SEED))
        same = (here.status, here.returned) == (there.status, there.returned)
        return "" if same else f"{there.status} where it stands, but pasted:\n{here.text()}"

    found = {name: problem(name, variant) for name, variant in variants(exercise).items()}
    none_of(f"{exercise.id}, {name}: {told}" for name, told in found.items() if told)


@each_called
def test_variants_take_what_the_reference_takes(exercise):
    def taken(answer) -> list[str]:
        calls = [answer, answer.forward] if isinstance(answer, type) else [answer]
        return [name for call in calls for name in inspect.signature(call).parameters]

    signatures = {name: taken(variant) for name, variant in variants(exercise).items()}
    right = taken(exercise.reference)
    none_of(f"{exercise.id}, {name} takes {got}" for name, got in signatures.items() if got != right)
