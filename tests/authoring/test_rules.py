"""Each rule for exercises and predictions, broken in a small course: the build stops, with its line and cure."""

import json
import math
import re
import zipfile
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch

from autograder import lessons
from autograder.authoring import build, trials
from autograder.authoring.master import read_master
from autograder.authoring.mutating import verified
from autograder.authoring.mutating.digests import of_answers
from autograder.authoring.review import solution_lines
from autograder.authoring.rules import MISCONCEPTIONS
from autograder.drawing import pick
from autograder.exercise import Exercise, Misconception
from autograder.recall import recall
from helpers import block
from helpers.checking.calling.outcome import Case
from helpers.figures.predicting import Prediction
from tests.support.proved import PROJECT, follows_from
from tests.support.small_course import DOUBLE, LESSON, WHO, Course, explained, plus_two, squared, unchanged

FILE = "exercises/attention/double.py"
TEXT = '''"""Doubling."""

exercise = Entry(id="attention.double")


def double(x):
    return 2 * x


def plus_two(x):
    return x + 2
'''


@pytest.fixture
def course(tmp_path) -> Course:
    made = Course(tmp_path)
    made.write(FILE, TEXT)
    return made


def changed(**fields: Any) -> Exercise:
    return replace(DOUBLE, **fields)


def mistaken(name: str, answer: Callable, sentence: str = "This is wrong, and here is why.") -> Exercise:
    """The exercise with one more misconception."""
    return changed(misconceptions=(*DOUBLE.misconceptions, Misconception(name, answer, sentence)))


def with_alternative(answer: Callable) -> Exercise:
    return changed(alternatives=(*DOUBLE.alternatives, answer))


def renamed(sentence: str) -> Exercise:
    first, *others = DOUBLE.misconceptions
    return changed(misconceptions=(replace(first, sentence=sentence), *others))


def with_forbidden(name: str) -> Exercise:
    return changed(forbidden=(name,))


def of_two(x, y):
    return 2 * x


def three_times(x):
    return 3 * x


def twice_the_first(x):
    """Only the first number is doubled: the others stay as they are."""
    return torch.cat([2 * x[:1], x[1:]])


def doubled(x):
    return torch.stack([x, x]).sum(0)


def by_what_is_around() -> Callable:
    by = 2

    def around(x):
        return x * by

    return around


def by_a_later_lesson(x):
    return 2 * x if block else x


def nothing(x):
    raise NotImplementedError


class Doubling:
    def __init__(self):
        pass


def cases(make: Callable[[torch.Generator], list[Case]]) -> Exercise:
    return changed(cases=make)


def numbers(g: torch.Generator, *shape: int) -> torch.Tensor:
    return torch.randn(shape or (3,), generator=g)


def who(**fields: Any) -> Exercise:
    return replace(WHO, **fields)


LINE = 3  # of the exercise's entry

# The exercise, the line that the mistake is on, and what is said of it.
RULES = {
    "no id": (changed(id="attention.dou ble"), LINE, "is no id; write"),
    "no title": (changed(title=" "), LINE, "has no title; give it one"),
    "too many points": (changed(points=11), LINE, "has points=11; choose from 0 to 10"),
    "no difficulty": (changed(difficulty=0), LINE, "has difficulty=0; choose from 1 to 5"),
    "two hours": (changed(minutes=120), LINE, "has minutes=120; choose from 1 to 60"),
    "no misconceptions": (changed(misconceptions=()), LINE, "has 0 misconceptions; write at least 3"),
    "two misconceptions": (
        changed(misconceptions=explained(squared, unchanged)), LINE, "has 2 misconceptions; write at least 3",
    ),
    "one alternative": (changed(alternatives=(doubled,)), LINE, "has 1 alternative; write at least 2"),
    "an alternative twice": (with_alternative(DOUBLE.alternatives[0]), LINE, "two alternatives called _added"),
    "a name twice": (mistaken("plus_two", three_times), 10, "two misconceptions with the name “plus_two”"),
    "a sentence twice": (
        mistaken("x3", three_times, DOUBLE.misconceptions[0].sentence), LINE, "with the sentence “Squared",
    ),
    "no name": (mistaken("three times", three_times), LINE, "called 'three times'; call it by a Python name"),
    "a short sentence": (renamed("Wrong."), LINE, "write one sentence of 21 to 259 characters"),
    "two sentences": (renamed("This is wrong. And so is that."), LINE, "write one sentence"),
    "no period": (renamed("This is wrong and has no end"), LINE, "write one sentence"),
    "a line break": (renamed("This is wrong, and it\nends below."), LINE, "write one sentence"),
    "a misspelt name": (with_forbidden("torch.softmx"), LINE, "forbids torch.softmx, but module 'torch' has no"),
    "no such package": (with_forbidden("trch.softmax"), LINE, "forbids trch.softmax, but No module named"),
    "a lambda": (with_alternative(lambda x: 2 * x), LINE, "an answer, <lambda>, that is no function with a name"),
    "a class": (with_alternative(Doubling), LINE, "an answer, Doubling, that is no function with a name"),
    "other arguments": (with_alternative(of_two), LINE, "an answer, of_two, that takes (x, y); take (x)"),
    "no function": (changed(reference=math.pi), LINE, "has a float as reference; write a function"),
    "an option without a sentence": (
        who(misconceptions=()), 1, "doesn't explain 'x' for 'query'; add a misconception",
    ),
    "a right option explained": (
        who(misconceptions=(*WHO.misconceptions, Misconception("right", {"query": "y"}, "It does ask, though."))),
        1, "a misconception, right, with 'y' for 'query', which isn't wrong",
    ),
    "no right option": (
        who(cases=lambda g: [Case("all", ({"query": ["x", "z"]},))]), 1, "has no choices that can be read",
    ),
    "an option that nobody knows": (
        who(cases=lambda g: [Case("all", ({"query": ["x", "y", "zebra"]},))]), 1,
        "an option that the lesson doesn't show, 'zebra'",
    ),
    "a slip from a later lesson": (
        recall("attention.who", "complexity.blocks", title="Who is who", task="", code="\ndef f():\n    pass\n",
               inputs=("f()",), hint="look"), 1, "is about complexity.blocks; take an exercise of an earlier",
    ),
    "one slip to catch": (
        recall("attention.who", "start_here.double", title="Who is who", task="", code="\ndef f():\n    pass\n",
               inputs=("f()",), hint="look"), 1, "has 1 slip to catch, of 2 minutes in all; write 3",
    ),
    # What is seen by running it.
    "a wrong alternative": (with_alternative(three_times), LINE, "on the visible cases, the alternative three_times fails, case 1 of 1"),
    "a misconception that passes": (mistaken("plus_two_", doubled), LINE, "plus_two_ passes on the visible cases"),
    "one like another": (
        mistaken("also_plus_two", plus_two), LINE, "also_plus_two is taken for plus_two on the visible cases",
    ),
    "one that isn't written": (mistaken("nothing", nothing), LINE, "the misconception nothing isn't written"),
    "a case twice": (
        cases(lambda g: [Case("numbers", (numbers(g),)), Case("numbers", (numbers(g),))]), LINE,
        'two of its cases are called "numbers"',
    ),
    "no name of a case": (cases(lambda g: [Case("", (numbers(g),))]), LINE, "one of its cases has no title"),
    "a title that tells": (
        cases(lambda g: [Case(f"{torch.randint(10**6, (), generator=g)}", (numbers(g),))]), LINE,
        "students read the titles of hidden cases",
    ),
    "square": (
        cases(lambda g: [Case("a square", (numbers(g, 3, 3),))]), LINE, "let no two axes be of one size, or say",
    ),
    "a large sheet": (
        cases(lambda g: [Case("many", (numbers(g, 9000),))]), LINE, "take fewer cases, or smaller tensors",
    ),
    "numbers of another generator": (
        cases(lambda g: [Case("numbers", (torch.tensor([torch.rand(()).item(), NEXT.pop()]),))]), LINE,
        "the same seed gives two sheets",
    ),
    "the same cases": (
        cases(lambda g: [Case("numbers", (torch.tensor([1.0, 2.5, 4.0]),))]), LINE, "two seeds give the same cases",
    ),
    "cases that can't be made": (cases(lambda g: [1 / 0]), LINE, "ZeroDivisionError"),
    "a name that no notebook has": (
        with_alternative(by_what_is_around()), LINE, "pasted into a notebook, the alternative around fails",
    ),
    "a later lesson's answer": (
        with_alternative(by_a_later_lesson), LINE, "by_a_later_lesson imports helpers.block, which its students",
    ),
}  # fmt: skip
NEXT = [float(number) for number in range(100)]


@pytest.mark.parametrize("name", RULES)
def test_a_rule_that_is_broken_stops_the_build(course: Course, capsys, name: str) -> None:
    exercise, line, text = RULES[name]
    id = "attention.who" if exercise.driver == "choice" else "attention.double"
    course.specs[id] = exercise
    assert course.build() == 1
    said = capsys.readouterr().err
    file = FILE if id == "attention.double" else "exercises/attention/who.py"
    [found] = [each for each in said.split("\n") if text in each]
    assert found.startswith(f"{file}:{line}: ")
    assert "Traceback" not in said and not (course.root / "source").exists()


PREDICTION = Prediction(
    "What comes next?",
    {"The first.": "It came before.", "The second.": "Look at the figure."},
    "b",
)
PREDICT = """\
# %% predict="attention.guess"

# %% draw="open"
with after_predicting("attention.guess"):
    print("a picture")

# %% [markdown] reveals="attention.guess"
# The second comes next, *always*.
"""
GUESS = {"attention.guess": PREDICTION}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, ""),
        ({"question": "Say what comes next."}, "doesn't end with a question mark"),
        ({"options": {"The first.": "It came before."}, "right": "a"}, "has 1 option; offer 2 to 4"),
        ({"right": "c"}, "has 'c' as the right letter; choose from a, b"),
        (
            {"options": {"No period": "It is so.", "The second.": "It isn't so."}},
            "has the option a, “No period”",
        ),
        (
            {"options": {"The first.": "No period", "The second.": "It is."}},
            "says of the option a: “No period”",
        ),
        (
            {"options": {"The first.": "The same.", "The second.": "The same."}},
            "says the same of two options",
        ),
        (
            {"options": {"The first.": "It came before.", "The second.": "Right: look at the figure."}},
            "says of the option b: “Right: look at the figure.”; leave out its first word",
        ),
        (
            {"options": {"The first.": "It came `before.", "The second.": "Look at the figure."}},
            "shows a single ` in the option a; write a second one, or leave it out",
        ),
        (
            {"options": {"The first.": "It came before.", "The *second.": "Look at the figure."}},
            "shows a single * in the option b; write a second one, or leave it out",
        ),
    ],
)
def test_a_prediction_asks_and_answers_in_sentences(
    course: Course, capsys, monkeypatch, fields, said
) -> None:
    file = "helpers/attention/predictions.py"
    course.write(file, 'PREDICTIONS = {\n    "guess": ...,\n}\n')
    monkeypatch.setattr(
        build, "predictions", lambda topic: {"attention.guess": replace(PREDICTION, **fields)}
    )
    course.edit("# %%\ndouble(3)\n", PREDICT)
    assert course.build() == bool(said)
    told = capsys.readouterr().err
    assert not said or f'{file}:2: the prediction "attention.guess" {said}' in told


def test_a_prediction_that_is_nowhere_is_said_with_its_file_and_form(course: Course, capsys) -> None:
    course.edit("# %%\ndouble(3)\n", PREDICT)
    assert course.build() == 1
    said = (
        """isn't in PREDICTIONS, a dict in helpers/attention/predictions.py; add a `Prediction(question, """
    )
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    "text",
    [
        "# At the end: *The second* comes next, always.",  # what the figure shows, marked otherwise
        "# At the end: it came\n# before what else there was.",  # a reason, in other lines
    ],
)
def test_no_other_cell_says_what_is_told_after_the_choice(course: Course, capsys, monkeypatch, text) -> None:
    course.write("helpers/attention/predictions.py", "")
    told = replace(
        PREDICTION, options=PREDICTION.options | {"The first.": "It came before what else there was."}
    )
    monkeypatch.setattr(build, "predictions", lambda topic: {"attention.guess": told})
    course.edit("# %%\ndouble(3)\n", f"{PREDICT}\n# %% [markdown]\n{text}\n")
    assert course.build() == 1
    said = capsys.readouterr().err
    text = 'this cell says what is told after the prediction "attention.guess"; reword one of them'
    assert f"notebooks/01_attention.py:53: {text}" in said


def test_an_exercise_lists_the_earlier_ones_whose_answers_it_calls(course: Course, capsys) -> None:
    """Else their fault is counted there as well."""
    course.edit('who = {"query": "y"}', 'who = {"query": "y" if double(1) == 2 else "x"}')
    assert course.build() == 0
    course.specs[WHO.id] = who(needs=())
    assert course.build() == 1
    said = 'exercises/attention/who.py:1: "attention.who" calls double, the answer to "attention.double"; '
    assert f"{said}add that to its `needs`" in capsys.readouterr().err


def test_a_name_of_its_own_is_no_answer_that_an_exercise_calls(course: Course) -> None:
    course.specs[WHO.id] = who(needs=())
    course.edit('who = {"query": "y"}', 'who = (lambda double: {"query": double})("y")')
    assert course.build() == 0


DRAWINGS = '"""Drawings."""\n\n\ndef a_box():\n    return _box()\n\n\ndef _box(): ...\n'
EXPLORERS = '"""Explorers."""\n\n\ndef numbers(): ...\n\n\ndef a_slow_explorer(): ...\n'


def test_drawings_and_explorers_are_shown(course: Course, capsys) -> None:
    course.write("helpers/attention/drawings.py", DRAWINGS)
    course.write("helpers/attention/explorers.py", EXPLORERS)
    assert course.build() == 1
    assert re.findall(r"helpers/.*", capsys.readouterr().err) == [
        "helpers/attention/drawings.py:4: the lesson doesn't show a_box; call drawings.a_box in a cell, or remove it",
        "helpers/attention/explorers.py:7: the lesson doesn't show a_slow_explorer; "
        "call explorers.a_slow_explorer in a cell, or remove it",
    ]
    course.edit('print("a picture")', "print(drawings.a_box(), explorers.a_slow_explorer())")
    assert course.build() == 0


def test_a_course_can_ask_for_pictures_in_each_lesson(course: Course, capsys) -> None:
    course.write("course.toml", 'name = "Small"\npackages = ["torch"]\neach_lesson_shows = ["drawings"]\n')
    assert course.build() == 1
    text = "the lesson has no drawings, and course.toml says that each lesson shows some"
    cure = (
        "write one into helpers/attention/drawings.py and show it, or take drawings out of each_lesson_shows"
    )
    assert f"notebooks/01_attention.py:1: {text}; {cure}" in capsys.readouterr().err
    course.write("helpers/attention/drawings.py", DRAWINGS)
    course.edit('print("a picture")', "print(drawings.a_box())")
    assert course.build() == 0


def test_the_right_letters_of_a_lesson_are_spread(course: Course, capsys, monkeypatch) -> None:
    course.write("helpers/attention/predictions.py", "")
    names = [f"attention.guess_{letter}" for letter in "abc"]
    monkeypatch.setattr(build, "predictions", lambda topic: dict.fromkeys(names, PREDICTION))
    course.edit("# %%\ndouble(3)\n", "\n".join(PREDICT.replace("attention.guess", name) for name in names))
    assert course.build() == 1
    said = capsys.readouterr().err
    assert (
        'helpers/attention/predictions.py:1: "b" is right in 3 of 3 predictions, so it can be guessed' in said
    )


def test_a_figure_waits_for_each_prediction(course: Course, capsys, monkeypatch) -> None:
    course.write("helpers/attention/predictions.py", "")
    monkeypatch.setattr(build, "predictions", lambda topic: {"attention.guess": PREDICTION})
    course.edit("# %%\ndouble(3)\n", PREDICT.replace("with after_predicting", "with waiting"))
    assert course.build() == 1
    said = capsys.readouterr().err
    assert 'notebooks/01_attention.py:44: nothing waits for the prediction "attention.guess"' in said


@pytest.mark.parametrize(
    ("first", "later", "said"),
    [
        (", told=False", ", told=False", []),
        (", told=False", "", [57]),
        ("", ", told=False", [46]),
        (", told=False", None, []),
    ],
)
def test_of_several_figures_one_tells_what_they_show(
    course: Course, capsys, monkeypatch, first, later, said
) -> None:
    course.write("helpers/attention/predictions.py", "")
    monkeypatch.setattr(build, "predictions", lambda topic: {"attention.guess": PREDICTION})
    figure = '# %% draw="open"\nwith after_predicting("attention.guess"{}):\n    print("a picture")\n\n'
    above, text = PREDICT.split("# %% draw", 1)
    after = "" if later is None else "\n" + figure.format(later)
    course.edit("# %%\ndouble(3)\n", above + figure.format(first) + "# %% draw" + text + after)
    assert course.build() == bool(said)
    told = capsys.readouterr().err
    assert [f"notebooks/01_attention.py:{line}: what" in told for line in said] == [True for _ in said]


REVEALS = '# %% [markdown] reveals="attention.guess"\n'


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("", "", ""),
        (
            REVEALS,
            "# %% [markdown]\n",
            '44: nothing is revealed after the prediction "attention.guess"; say what its figure shows, in the '
            'cell below it: `# %% [markdown] reveals="attention.guess"`',
        ),
        (REVEALS, f"# %% [markdown]\n# Now.\n\n{REVEALS}", "44: nothing is revealed after"),
        (REVEALS, f"{REVEALS}# The first.\n\n{REVEALS}", '53: "attention.guess" is used twice'),
        (
            'guess"\n# The',
            'guesses"\n# The',
            '50: "attention.guesses" is revealed here, but the figure above',
        ),
        ("# The second", "# ## 1.2 Next\n# The second", "51: this would be moved out of the notebook"),
        (
            "# The second",
            "# It.\n#\n# **Exercise 1.2** is next. The second",
            "53: this would be moved out of the notebook; begin a new cell above it",
        ),
    ],
)
def test_what_a_figure_shows_is_written_below_it(course: Course, capsys, monkeypatch, old, new, said) -> None:
    course.write("helpers/attention/predictions.py", "")
    monkeypatch.setattr(build, "predictions", lambda topic: GUESS)
    course.edit("# %%\ndouble(3)\n", PREDICT.replace(old, new) if old else PREDICT)
    assert course.build() == bool(said)
    assert (f"notebooks/01_attention.py:{said}" if said else "") in capsys.readouterr().err


def test_what_a_figure_shows_is_moved_out_of_the_notebook(course: Course, monkeypatch) -> None:
    course.write("helpers/attention/predictions.py", "")
    monkeypatch.setattr(build, "predictions", lambda topic: GUESS)
    course.edit("# %%\ndouble(3)\n", PREDICT)
    assert course.build() == 0
    text = "The second comes next, *always*."
    for tree in ("source", "release"):
        lesson = course.root / tree / "01_attention"
        assert "comes next, *" not in (lesson / "01_attention.ipynb").read_text(encoding="utf-8")
        for folder in (lesson, course.root):
            told = json.loads((folder / "helpers/attention/revealed.json").read_text(encoding="utf-8"))
            assert told["attention.guess"] == text and "comes next" not in told["attention.why"]
    with zipfile.ZipFile(course.root / "release" / "01_attention.zip") as packed:
        assert "01_attention/helpers/attention/revealed.json" in packed.namelist()


@pytest.mark.parametrize(("shows", "said"), [("b", ""), ("a", "slip shows on input b, but the entry says a")])
def test_an_input_shows_a_slip_if_the_entry_says_so(shows: str, said: str) -> None:
    item = recall(
        "attention.who", "attention.double", title="", task="", code="\ndef double(x):\n    return x * x\n",
        inputs=("double(2)", "double(3)"), hint="", line=2, shows="ab".index(shows) + 1,
    )  # fmt: skip
    found = [
        problem.text for problem in trials.problems(item, trials.Given(), lambda topic: {DOUBLE.id: DOUBLE})
    ]
    assert [text for text in found if "slip shows" in text] == (
        [f"its {said}; correct one of them"] if said else []
    )


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "return 2 * x  # the",
            "return 3 * x  # the",
            """on the visible cases, the notebook's solution fails""",
        ),
        (
            "return 2 * x  # the",
            "return 2 * x if len(x) == 3 else x  # the",
            """on the cases of seed 'hidden 0', the""",
        ),
        (
            "return 2 * x  # the",
            "return twice * x  # the",
            "on the visible cases, the notebook's solution fails",
        ),
        ('{"query": "y"}', '{"query": "x"}', "on the visible cases, the notebook's solution fails"),
        ('{"query": "y"}', '{"query": first}', "the notebook's solution raises NameError: name 'first'"),
    ],
)
def test_the_solution_in_the_notebook_is_tried_like_an_alternative(
    course: Course, old: str, new: str, said: str
) -> None:
    """What the checks are made from, and what instructors run and show, are in two places."""
    exercise = course.specs["attention.double" if "return" in old else "attention.who"]

    def digest() -> str:
        return of_answers(exercise, verified.given("attention", course.root), lambda topic: course.specs)

    before = digest()
    course.edit("# Some prose.", "# Some prose.\n#\n# More of it.")
    assert digest() == before
    course.edit(old, new)
    assert digest() != before
    given = verified.given("attention", course.root)
    master = (course.root / given.master).read_text().split("\n")
    [found] = verified._of_answers(exercise, given, course.root, lambda topic: course.specs)
    line = 1 + master.index(f'# %% exercise="{exercise.id}"')
    assert (found.file, found.line) == ("notebooks/01_attention.py", line) and said in found.text


def test_a_solution_that_needs_what_another_cell_computes_is_left_to_the_notebook(course: Course) -> None:
    course.edit("# %%\ndouble(3)", "# %%\nfactor = 1\ntable = 2 * factor")
    master = course.root / "notebooks/01_attention.py"
    for solution, tried in (("2 * factor * x", True), ("table * x", False), ("2 * x", True)):
        old = next(line for line in master.read_text().splitlines() if line.endswith("# the answer"))
        course.edit(old, f"    return {solution}  # the answer")
        assert ("attention.double" in verified.given("attention", course.root).solutions) == tried


def test_axes_of_one_size_are_told_with_the_picks_that_gave_it() -> None:
    def cases(g: torch.Generator) -> list[Case]:
        shape = pick(g, 7, 6), pick(g, 2, 5, 5), pick(g, 3, 5)
        return [Case("tables", (torch.randn(shape, generator=g),))]

    found = trials.problems(replace(DOUBLE, cases=cases), trials.Given(), lambda topic: {})
    [said] = [each.text for each in found if "swapped axes could hide" in each.text]
    assert ": `pick(g, 2, 5, 5)` and `pick(g, 3, 5)` can give 5; let no two axes" in said


def test_draws_that_rounding_decides_are_refused() -> None:
    def steep(x):
        return torch.sin(1e6 * x)

    found = trials.problems(changed(reference=steep), trials.Given(), lambda topic: {})
    assert "float32 rounding decides each" in found[0].text
    seldom = cases(lambda g: [Case("numbers", (numbers(g) * (torch.rand((), generator=g) > 0.2),))])
    found = trials.problems(replace(seldom, reference=steep), trials.Given(), lambda topic: {})
    assert any("rounding decides them" in problem.text for problem in found)


def test_answers_are_tried_again_only_where_something_changed(course: Course, capsys) -> None:
    def tried() -> list[str]:
        assert course.build() == 0
        lines = capsys.readouterr().err.split("\n")
        return [line.rpartition(" ")[2] for line in lines if "trying the answers" in line]

    assert tried() == ["attention.double", "attention.who"]
    assert tried() == []
    for change in (
        {"alternatives": (*DOUBLE.alternatives, doubled)},
        {"misconceptions": (*DOUBLE.misconceptions, *explained(twice_the_first))},
        {
            "misconceptions": (
                *DOUBLE.misconceptions,
                Misconception("other", twice_the_first, "Only one number is doubled."),
            )
        },
        {"misconceptions": explained(squared, plus_two, twice_the_first)},
        {"forbidden": ("torch.cumsum",)},
        {"square": "they needn't, but may"},
    ):
        course.specs["attention.double"] = changed(**change)
        assert tried() == ["attention.double"], change
        assert course.build(check=True) == 0
    course.edit("from helpers.checks import check", "from helpers.checks import case, check")
    assert tried() == ["attention.double", "attention.who"]
    course.edit("Some prose.", "Other prose.")
    assert tried() == []


def test_without_wrong_and_other_right_answers_nothing_is_built(course: Course, capsys) -> None:
    course.specs["attention.double"] = changed(misconceptions=(), alternatives=())
    assert course.build() == 1
    said = capsys.readouterr().err
    assert f"write at least {MISCONCEPTIONS}: wrong answers that people give, each with its sentence" in said
    assert "write at least 2: right answers, each written differently from the reference" in said
    assert verified.read("attention", course.root) == {}


def test_model_answers_leave_the_notebook_and_one_setting_takes_them_out_of_everything(
    course: Course,
) -> None:
    """The question stays, and nothing of an earlier build, or of another lesson's helpers."""
    course.write("nbgrader_config.py", "c = get_config()\n")
    assert course.build() == 0
    told = course.root / "release/01_attention/helpers/attention/revealed.json"
    assert "Because it is so" in json.loads(told.read_text())["attention.why"]
    assert "a *reason* such as" in json.loads(told.read_text())["attention.why"]
    released = course.notebook("release")
    assert "Because it is so" not in json.dumps(released)
    assert [cell.source for cell in released.cells][-2:] == [
        "YOUR ANSWER HERE",
        "# Once your answer above is written: a model answer, and what earns points\n"
        'from helpers.figures.answering import model_answer\n\nmodel_answer("attention.why", ...)',
    ]
    course.write("course.toml", 'name = "Small"\nlessons = ["00_start_here", "01_attention"]\n')
    course.write("helpers/start_here/revealed.json", '{"start_here.why": "Because it is so."}')
    course.write("nbgrader_config.py", "c = get_config()\nc.Headstart.model_answers = False\n")
    assert course.build(LESSON) == 0 and course.build(LESSON, check=True) == 0
    assert course.notebook("release").cells[-1].source == "YOUR ANSWER HERE"
    for path in (course.root / "release").rglob("*"):
        content = path.read_bytes() if path.is_file() and path.suffix not in (".zip", ".py") else b""
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as packed:
                content = b"".join(packed.read(name) for name in packed.namelist() if name[-3:] != ".py")
        assert b"Because it is so" not in content and b"such as" not in content, path
        assert b"model_answer(" not in content, path
    assert "Because it is so" not in (course.root / "helpers/attention/revealed.json").read_text()


def test_a_question_without_points_is_no_grade_of_nbgrader(course: Course) -> None:
    course.edit("graded by hand · 8 minutes · 5 points", "not graded · 8 minutes · 0 points")
    course.edit('written="attention.why" points=5', 'written="attention.why" points=0')
    assert course.build() == 0
    asked = course.notebook("release").cells[-2]
    assert asked.source == "YOUR ANSWER HERE"
    assert asked.metadata == {"headstart": {"id": "attention.why", "kind": "written"}}
    told = json.loads((course.root / "helpers/attention/revealed.json").read_text())
    assert "Because it is so" in told["attention.why"]


@follows_from(*PROJECT)
def test_with_model_answers_off_no_released_lesson_has_a_sentence_of_them(tmp_path, monkeypatch) -> None:
    config = build.settings(lessons.ROOT)
    config.Headstart.model_answers = False
    monkeypatch.setattr(build, "settings", lambda root: config)
    made = build.make(lessons.names(), tmp_path, check=True)
    released = {
        path: _words(content.decode(errors="replace").replace("\\n", " "))
        for path, content in made.items()
        if path.startswith("release/") and not path.endswith(".zip")  # which hold the same files
    }
    cells = [
        cell for lesson in lessons.names() for cell in read_master(lessons.master_path(lesson), lesson)[0]
    ]
    told = [" ".join(solution_lines(cell)) for cell in cells if cell.kind == "written"]
    sentences = [_words(each) for text in told for each in re.split(r"(?<=[.:?]) ", text)]
    long = [sentence for sentence in sentences if len(sentence) > 60]
    assert len(told) >= 24 and len(long) > 200 and len(released) > 300
    for path, text in released.items():
        assert path.endswith(".py") or b"model_answer(" not in made[path]
        assert [sentence for sentence in long if sentence in text] == [], path


def _words(text: str) -> str:
    return re.sub(r"[\W_]+", " ", text).strip()
