"""What an exercise promises, tried by running it: right answers pass, wrong ones get their own sentence.

That takes seconds for each exercise, so a build tries only those in which something has changed
(`mutating/verified.py`).
"""

import ast
import contextlib
import functools
import inspect
import json
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from autograder import lessons
from autograder.answers import pasted
from autograder.authoring import promised, recalled
from autograder.authoring.given import Given, Solution
from autograder.authoring.promised import Docstring
from autograder.courses import ENGINE_HELPERS, current
from autograder.drawing import reseed
from autograder.exercise import Exercise, Misconception
from autograder.recall import Recall
from autograder.sheets import VISIBLE_SEED, fresh, is_clear, make_cases, make_sheet, one_thread, outcome_of
from helpers.checking.calling.drivers import Case, Outcome, run
from helpers.checking.calling.values import arrays
from helpers.checking.explaining.causes import SAME_EVERYWHERE
from helpers.checking.finding import Finding, Status
from helpers.checking.words import wanted
from helpers.checks import Sheet, assess

DRAWS = 3  # hidden ones, beside the visible cases; `benchmarks.truth` tries 32
LONGEST = 60_000  # characters of a sheet: students get it with their lesson
FIT = 8  # seeds whose cases have to be fit to judge by in at most twice as many draws
SAME_RESULTS = ("use_result", "draws")  # drivers whose results are the same for all cases: statistics
VERDICTS = {Status.PASSED: "passes", Status.FAILED: "fails", Status.NOT_WRITTEN: "isn't written"}
Load = Callable[[str], Mapping[str, Exercise]]


@dataclass(frozen=True)
class Problem:
    """What is wrong with an exercise, and what to do about it.

    Attributes:
        text: says so.
        name: of the answer, if it is in one.
        line: of the lesson's master, if it is there.
    """

    text: str
    name: str = ""
    line: int = 0


def problems(exercise: Exercise, given: Given, load: Load) -> list[Problem]:
    """Everything in which an exercise breaks its promises.

    Args:
        exercise: the exercise.
        given: what its lesson's cells give it.
        load: where the exercises of a topic come from, for those that this one needs.
    """
    with one_thread():
        try:
            trial = _Trial(exercise)
        except Exception as error:
            what = f"{type(error).__name__}: {error}"
            return [Problem(f"a sheet of it can't be made: {what}; change its cases")]
        found = [*_cases(trial), *_right(trial), *_wrong(trial)]
        if exercise.driver == "choice":
            found += _all_wrong_at_once(trial)
        else:
            said, cases = given.docstrings.get(exercise.id, Docstring()), list(trial.cases())
            if not exercise.draft:
                texts = (*promised.faults(exercise, said, cases), *_rounding(exercise, cases))
                found += map(Problem, texts)
            if not found:
                found += _pasted(trial, given.code, load)
        if not found and exercise.id in given.solutions:
            found += _solved(trial, given.solutions[exercise.id], given.code, load)
        if isinstance(exercise, Recall):
            found += map(Problem, recalled.faults(exercise, load))
    return found


def _rounding(exercise: Exercise, cases: list[tuple[Case, Outcome, str]]) -> Iterable[str]:
    """What rounding asks for, which is found by watching torch's operators."""
    if "torch" not in sys.modules:
        return ()
    from autograder.authoring import rounding

    return rounding.faults(exercise, cases)


class _Trial:
    """An exercise with its sheets: the visible one, and a few hidden ones."""

    def __init__(self, exercise: Exercise) -> None:
        self.exercise = exercise
        self.seeds = (VISIBLE_SEED, *(f"hidden {number}" for number in range(DRAWS)))
        self.sheets = {seed: self.make(seed) for seed in self.seeds}
        self.texts = {seed: json.dumps(sheet.to_json()) for seed, sheet in self.sheets.items()}
        # As students and judges have them: after a trip through JSON.
        self.read = {seed: Sheet.from_json(json.loads(text)) for seed, text in self.texts.items()}

    def make(self, seed: str) -> Sheet:
        reseed(1)
        return make_sheet(self.exercise, seed)

    def cases(self) -> Iterator[tuple[Case, Outcome, str]]:
        """Each case of each sheet, what is right for it, and where it is."""
        for seed, sheet in self.sheets.items():
            for case, expected in zip(sheet.cases, sheet.expected, strict=True):
                yield case, expected, f'in case "{case.title}", {_where(seed)}'

    def judged(self, answer: Any, seed: str) -> Finding:
        """What a student reads who hands in this answer."""
        return checked(self.exercise, answer, self.read[seed])

    @functools.cached_property
    def visible(self) -> dict[str, Finding]:
        """What is said of each variant on the visible cases, by its name."""
        return {name: self.judged(variant, VISIBLE_SEED) for name, variant in self.variants.items()}

    @property
    def variants(self) -> dict[str, Any]:
        """The right answers, then the wrong ones."""
        known = [m for m in self.exercise.misconceptions if not isinstance(m.variant, Mapping)]
        return {**self.right, **{f"the misconception {m.name}": m.variant for m in known}}

    @property
    def right(self) -> dict[str, Any]:
        others = {f"the alternative {a.__name__}": a for a in self.exercise.alternatives}
        return {"the reference": self.exercise.reference, **others}


def checked(exercise: Exercise, answer: Any, sheet: Sheet) -> Finding:
    """What a student reads who hands in this answer, forbidden names forbidden.

    Args:
        exercise: the exercise.
        answer: what is called; of choices, the wrong ones alone.
        sheet: as students have it, after a trip through JSON.
    """
    if exercise.driver != "choice" or answer is exercise.reference:
        return handed_in(exercise, answer, sheet)
    return _assessed(sheet, [outcome_of(exercise, answer, case) for case in sheet.cases])


def handed_in(exercise: Exercise, answer: Any, sheet: Sheet) -> Finding:
    """As `checked`, of an answer that has all choices, as a student's has."""
    call = functools.partial(run, gradients=exercise.gradients, forbidden=exercise.forbidden)
    with fresh(answer):
        return _assessed(sheet, [call(exercise.driver, answer, case) for case in sheet.cases])


def _assessed(sheet: Sheet, outcomes: list[Outcome]) -> Finding:
    return assess(sheet, [Outcome.from_json(json.loads(json.dumps(o.to_json()))) for o in outcomes])


def notebook(exercise: Exercise, given: str, load: Load) -> dict[str, Any]:
    """The names in an answer's notebook: answers of its lesson, those it needs, and what cells define.

    Args:
        exercise: whose answer it is.
        given: what the lesson's own cells import and define.
        load: where the exercises of a topic come from.
    """
    needed = [load(id.partition(".")[0])[id] for id in exercise.needs]
    references = [each.reference for each in (*load(exercise.topic).values(), *needed)]
    names: dict[str, Any] = {each.__name__: each for each in references if callable(each)}
    exec(given, names)  # may take an answer as a default
    return names


def _where(seed: str) -> str:
    return "on the visible cases" if seed == VISIBLE_SEED else f"on the cases of seed {seed!r}"


def _said(finding: Finding) -> str:
    """A finding in one line."""
    parts = [VERDICTS[finding.status], finding.case, finding.returned, finding.meaning]
    return ", ".join(part.rstrip(".") for part in parts if part).replace("\n", " ")


# -- the answers -----------------------------------------------------------------------------------------


def _right(trial: _Trial) -> Iterator[Problem]:
    """The reference and the alternatives pass, each on all sheets."""
    for name, answer in trial.right.items():
        for seed in trial.seeds:
            finding = trial.visible[name] if seed == VISIBLE_SEED else trial.judged(answer, seed)
            if finding.status != Status.PASSED:
                text = f"{_where(seed)}, {name} {_said(finding)}; fix it, or the cases"
                yield Problem(text, name.rpartition(" ")[2])
                break


def _wrong(trial: _Trial) -> Iterator[Problem]:
    """Each misconception fails on all sheets, and is told by its own sentence."""
    for each in trial.exercise.misconceptions:
        for seed in trial.seeds:
            if text := _not_named(each, trial.judged(each.variant, seed)):
                yield Problem(f"the misconception {each.name} {text.format(_where(seed))}", each.name)
                break


def _not_named(misconception: Misconception, finding: Finding) -> str:
    """How an answer with a misconception isn't told so, with a place for where; "" if it is."""
    if finding.status == Status.PASSED:
        return "passes {}; add a case on which it fails, or remove it"
    if finding.status != Status.FAILED:
        return "isn't written {}; let it return something"
    if finding.cause != misconception.name:
        told = _said(finding).replace("{", "{{").replace("}", "}}")
        return f"is taken for {finding.cause} {{}}: it {told}; add a case that tells them apart, or remove it"
    if finding.meaning.removeprefix(f"{SAME_EVERYWHERE} ") != misconception.sentence:
        return "is told {} by more than its own sentence; let it be wrong in one thing"
    return ""


def _all_wrong_at_once(trial: _Trial) -> Iterator[Problem]:
    """Of choices that are all wrong, each gets its sentence."""
    known = [(m.sentence, m.variant) for m in trial.exercise.misconceptions if isinstance(m.variant, Mapping)]
    wrong = {slot: option for _, chosen in known for slot, option in chosen.items()}
    meaning = trial.judged(wrong, VISIBLE_SEED).meaning
    told = [chosen for sentence, chosen in known if sentence in meaning]
    if len(told) != len(wrong) or {slot for chosen in told for slot in chosen} != set(wrong):
        yield Problem(f"all wrong at once, its choices are told as: {meaning}; give each slot a sentence")


def _pasted(trial: _Trial, given: str, load: Load) -> Iterator[Problem]:
    """Each variant's text does in a notebook what it does here: made-up classes paste it there.

    It finds earlier answers there, and what the lesson imports and defines.
    """
    exercise = trial.exercise
    needed = [load(id.partition(".")[0])[id].reference.__name__ for id in exercise.needs]
    ours = {e.reference.__name__ for e in load(exercise.topic).values() if callable(e.reference)}
    later = ours - set(needed)
    for name, variant in trial.variants.items():
        try:
            there = notebook(exercise, given, load)
            names = {name: each for name, each in there.items() if name not in later}
            text = pasted(variant, names)
            exec(text, names)
            finding = trial.judged(names[variant.__name__], VISIBLE_SEED)
            same = _alike(finding, trial.visible[name])
            said = _hidden(text, exercise.topic) or ("" if same else _said(finding))
        except Exception as error:
            said = f"raises {type(error).__name__}: {error}"
        if said:
            cure = "let it use only what its file has, earlier answers, and what the lesson imports"
            yield Problem(f"pasted into a notebook, {name} {said}; {cure}", name.rpartition(" ")[2])


def _solved(trial: _Trial, solution: Solution, given: str, load: Load) -> Iterator[Problem]:
    """The solution in the notebook is right too, and remains so when the reference changes."""
    exercise = trial.exercise
    reference = f"the reference in exercises/{exercise.topic}/"
    try:
        names = notebook(exercise, given, load)
        exec(solution.code, names)
        answer = eval(solution.answer, names)
    except Exception as error:
        what = f"the notebook's solution raises {type(error).__name__}: {error}"
        cure = "let it use only what setup cells have, earlier answers, and what cells import and define"
        yield Problem(f"{what}; {cure}", line=solution.line)
        return
    for seed in trial.seeds:
        finding = handed_in(exercise, answer, trial.read[seed])
        if finding.status != Status.PASSED:
            text = f"{_where(seed)}, the notebook's solution {_said(finding)}; fix it, or {reference}"
            yield Problem(text, line=solution.line)
            return


def _hidden(text: str, topic: str) -> str:
    """Of what a text imports, what the students of a lesson don't have."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            package = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            for name in [package.rstrip("."), *(package + alias.name for alias in node.names)]:
                room, _, module = name.partition(".")
                ours = room in ("autograder", "exercises")
                if ours or (room == "helpers" and _opens(module) > current().numbers[topic]):
                    return f"imports {name}, which its students don't have"
    return ""


def _opens(module: str) -> int:
    """The number of the lesson with which a module of helpers opens; 0 for what is none."""
    path = Path(*module.split("."))
    for file in (path / "__init__.py", path.with_suffix(".py") if module else path):
        if (file.parts and file.parts[0] in ENGINE_HELPERS) or (current().root / "helpers" / file).is_file():
            return lessons.opens(file)
    return 0


def _alike(one: Finding, other: Finding) -> bool:
    return (one.status, one.returned) == (other.status, other.returned)


# -- the cases -------------------------------------------------------------------------------------------


def _cases(trial: _Trial) -> Iterator[Problem]:
    """What can be wrong with the cases, whatever is answered."""
    exercise, visible = trial.exercise, trial.sheets[VISIBLE_SEED]
    titles = [case.title for case in visible.cases]
    for title in dict.fromkeys(title for title in titles if titles.count(title) > 1):
        yield Problem(f'two of its cases are called "{title}"; call one of them something else')
    if exercise.driver != "choice" and not all(titles):
        yield Problem("one of its cases has no title; give it one")
    for seed in trial.seeds[1:]:
        if (others := [case.title for case in trial.sheets[seed].cases]) != titles:
            text = f"its cases are called {titles}, but {_where(seed)} {others}"
            yield Problem(f"{text}; students read the titles of hidden cases: let them say nothing drawn")
            break
    if not exercise.draft:
        yield from _axes(trial)
    if len(text := trial.texts[VISIBLE_SEED]) >= LONGEST:
        yield Problem(f"its sheet has {len(text):,} characters; take fewer cases, or smaller tensors")
    reseed(2)
    if json.dumps(make_sheet(exercise, VISIBLE_SEED).to_json()) != text:
        yield Problem("the same seed gives two sheets; draw everything from the cases' generator")
    if exercise.driver != "choice" and not exercise.draft:
        yield from _fresh(trial)
        yield from _fit(exercise)


def _axes(trial: _Trial) -> Iterator[Problem]:
    """Swapped axes show: no two of a tensor have one size, but for size 1, unless a swap changes it."""
    if trial.exercise.square:
        return
    for case, _, where in trial.cases():
        for array in arrays([case.args, dict(case.kwargs)]):
            if _twice([size for size in array.shape if size > 1]):
                cure = "let no two axes be of one size, or say in `square` why they must"
                what = wanted(array)
                text = f"{where}, {what} is {tuple(array.shape)}, and swapped axes could hide"
                yield Problem(f"{text}{_picks(trial.exercise, array.shape)}; {cure}")
                return


def _picks(exercise: Exercise, shape: Sequence[int]) -> str:
    """Which calls of `pick` can have given an array two axes of one size; "" of none."""
    twice = {size for size in shape if size > 1 and list(shape).count(size) > 1}
    with contextlib.suppress(OSError, SyntaxError):
        tree = ast.parse(textwrap.dedent(inspect.getsource(exercise.cases)))
        calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and ast.unparse(n.func) == "pick"]
        giving = [
            f"`{ast.unparse(call)}`"
            for call in calls
            if twice & {n.value for n in ast.walk(call) if isinstance(n, ast.Constant)}
        ]
        sizes = " and ".join(map(str, sorted(twice)))
        return f": {' and '.join(dict.fromkeys(giving))} can give {sizes}" if giving else ""
    return ""


def _twice(values: Sequence[object]) -> bool:
    return len(values) > len(set(values))


def _fresh(trial: _Trial) -> Iterator[Problem]:
    """Hidden cases are new ones, and an answer that gives the visible results in their order fails."""
    cases = {seed: json.dumps([c.to_json() for c in sheet.cases]) for seed, sheet in trial.sheets.items()}
    results = {seed: json.dumps([e.to_json() for e in s.expected]) for seed, s in trial.sheets.items()}
    if _twice(list(cases.values())):
        yield Problem("two seeds give the same cases; draw their values from the generator")
    elif trial.exercise.driver not in SAME_RESULTS and results[VISIBLE_SEED] in list(results.values())[1:]:
        yield Problem("hidden cases have the visible ones' results; let these depend on what is drawn")


def _fit(exercise: Exercise) -> Iterator[Problem]:
    """Most draws can be judged by: else, with some secret, none of thirty can, and grading stops."""
    drawn = 0

    @functools.wraps(exercise.cases)
    def cases(generator: Any) -> list[Case]:
        nonlocal drawn
        drawn += 1
        return exercise.cases(generator)

    with contextlib.suppress(ValueError):  # of none of thirty
        for number in range(FIT):
            make_cases(replace(exercise, cases=cases), f"fit {number}")
    cure = "keep numbers apart that are compared, subtracted or divided by"
    if drawn > 2 * FIT:
        yield Problem(f"most draws of its cases can't be judged by, since rounding decides them; {cure}")
    elif not is_clear(exercise):
        text = "another processor may draw other visible cases, since rounding nearly decides which are fit"
        yield Problem(f"{text}; {cure}, or draw other sizes")
