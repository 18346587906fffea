"""Checks for notebooks, and the exercises that they are made from: all of the engine that is public.

What this page names stays; what it doesn't name may change with any version. `import headstart` imports
nothing else: each name comes from where it lives when it is first used, and torch, NumPy or pandas only with
values that are made of them.

## In a notebook

`check("topic.name", answer)` compares an answer with the exercise's visible cases and shows what it found: a
table in a notebook, text in a terminal. It needs `checks.json`, which `headstart build` writes, in the
current folder. A check never stops a notebook: what is wrong is shown, and the next cell runs. Only under
nbgrader's own tools, where an exception is how a cell fails, does a wrong answer raise `CheckFailed`.

`case("topic.name", 2)` is one visible case, counted from 1: its `.args` and `.kwargs` are what the check
calls the answer with. ValueError: there is none of that number.

Both raise FileNotFoundError where there is no `checks.json`, and KeyError where it has no such exercise.

A lesson that is handed out has the check beside it, in `helpers/`, and works where nothing is installed. So
its cells and its own helpers import from there: `from helpers.checks import case, check` are the same two,
`helpers.figures.predicting` has `Prediction`, and `helpers.checking.calling.registry` has `register`, for
functions of the course's that cases name.

## In an exercise's file

`exercise = Entry(id="topic.name", title=..., points=...)` is an exercise, always by this name; what is code
follows, each under a mark. `help(headstart.Exercise)` lists all fields and what each means.

| mark | what is marked |
| --- | --- |
| `@exercise.reference` | the right answer |
| `@exercise.cases` | a function that takes a source of random numbers and returns a list of `Case` |
| `@exercise.alternative` | a right answer written differently; there are two or more |
| `@exercise.misconception` | a wrong answer; its docstring is the sentence to the student who gave it |
| `exercise.slip(name, "old → new").says(sentence)` | a wrong answer that is an edit of a right one |
| `exercise.choice(name, {slot: option}).says(sentence)` | a wrong choice, in an exercise of choice |

The annotation of the parameter of `cases` says which source of random numbers it gets: `random.Random`,
`numpy.random.Generator` or `torch.Generator`. Without one it is torch's if `course.toml` has torch among its
packages, and Python's otherwise.

`Case(title, args=(), kwargs={})` is one call of the answer. What goes in and comes out is data: None, numbers
(whole ones of any size, and complex), text, bytes, lists, tuples, sets, dicts, instances of dataclasses,
tensors, arrays and frames, and all of these within one another. They travel as JSON, arrays with their shapes
and dtypes. A dataclass stands in the exercise's file and in a `setup` cell of the notebook, or in a helper
that both import: instances are compared by the class's name and by their fields.

`pick(generator, usual, *others)` is `usual` in visible cases and one of the others in hidden ones: a size, a
shape or any other value. So an answer that fits the visible sizes alone fails.

`recall(id, about, title=..., task=..., code=..., inputs=..., hint=..., line=0, shows=0)` is a slip to catch
in a few lines from an earlier lesson: a complete exercise of choice. `line` is the line with the slip and
`shows` the input that shows it, both from 1, or 0 where the code is right. ValueError: one of them is 0 and
the other isn't.

Results are compared by value and shape. What passes for what: a list for a tuple, an array for a list or a
tuple of its numbers or, as arrays, of its rows, whole numbers of any width for each other, a plain int for a
plain float that is whole and the other way round, an array of one number for a number, and, unless
`Entry(full_precision=True)`, NumPy's float32 for its float64. An array of whole numbers doesn't pass for one
of floats. A boolean is no number, a list no array, a set no list. Floats may differ by what rounding
explains. A `Decimal` and a `Fraction` are compared as the floats they round to, so ask for exact sums as
texts or in whole numbers. A date is compared by its text, and a frame's index counts as well.

A *driver* is how the answer is called, `Entry(driver=...)`:

| driver | the answer is | what is compared |
| --- | --- | --- |
| `"call"` | a function | what it returns; where a property asks for them, gradients |
| `"call_with_layer"` | a function that gets functions, which its cases name by `register` | the same |
| `"call_measured"` | a function of tensors | the same, and the largest tensor on the way, in numbers |
| `"copies"` | a function | what it returns; with `shares_nothing`, whether it is a copy |
| `"draws"` | a function that draws by chance | what holds of many results, by a function of the course's |
| `"iterate"` | a function that gives one thing after another | the first so many |
| `"object"` | a class | what each method gives |
| `"printed"` | a function that prints | the text, but for spaces at the ends of lines |
| `"use_result"` | a function with many right results | what a function of the course's makes of its result |
| `"module"` | a class of `torch.nn.Module` | what it returns with the case's parameters in place of its own |
| `"prepare"` | a function that makes an optimizer | the parameters after one step of training |
| `"train"` | a step of training | what each step returned, and the parameters afterwards |
| `"choice"` | options, as a dict or one by itself | each choice, by a digest |

No driver compares what a function does to its arguments, so a change in place can't be asked for: have the
answer return what is new, or make a class of it, whose methods change the object.

A case holds the answer's arguments. With some drivers, something comes before them:

| driver | the arguments of a `Case` |
| --- | --- |
| `"iterate"` | how many of what comes count, at most: `(20, text, width)` |
| `"object"` | those of the class, as a list or by name, and the calls: `([size], [["put", "a"], ["get"]])` |
| `"module"` | those of the class by name, the parameters by name: `({"size": 3}, {"layer.weight": w}, x)` |
| `"use_result"` | the recipe of the course's function, which gets the result |
| `"draws"` | the same, and how often to call; `"<generator>"` is the source of random numbers |
| `"prepare"` | the recipe of a model, whose `step` gets the optimizer that the answer returns |
| `"train"` | the recipe of a model, its optimizer and its loss; then a list of batches |

With `"draws"`, the course's function gets the list of all results and the case's inputs, and returns what
holds of them, such as a dict of booleans or rounded shares. With `"train"`, the answer is called once for
each batch, as `answer(model, optimizer, loss, batch)`.

A *recipe* is `{"layer": name, "weights": [...]}`, and becomes `make(*weights)` by `register({name: make})`
in `helpers/TOPIC/recipes.py`: a function or a model, and for `"train"` the three together. A model has the
dtype of its weights. With `"call_with_layer"`, one stands for each function that the answer gets.

A *property* holds beyond the values, `Entry(properties=(...,))`:

| property | what holds |
| --- | --- |
| `inputs_unchanged` | the call leaves its arguments as they were |
| `shares_nothing` | for "copies": the result shares no memory with the arguments |
| `gradient_reaches_inputs` | every tensor that matters gets its gradient, with the right numbers |
| `rows_sum_to_one` | where the right result sums to 1 over the last axis, so does the answer's |
| `whole_numbers_in_int64` | where int64 is expected, nothing narrower comes back |
| `stays_small` | for "call_measured": no tensor on the way is over twice the size of the reference's |

`SlipError`: an edit of a right answer can't be made; the text says which, and why.

## In a course's nbgrader_config.py

`nbgrader_settings(c)` sets up nbgrader to release, collect and grade lessons with these checks, `c` being its
`get_config()`. The course's own settings follow it; `help(headstart.nbgrader_settings)` lists ours.

## On the command line

`headstart` builds, checks and grades courses: `headstart --help`. Commands are as public as this module.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from autograder.answers import SlipError
    from autograder.classroom.defaults import nbgrader_settings
    from autograder.drawing import pick
    from autograder.entry import Entry
    from autograder.exercise import Exercise
    from autograder.recall import recall
    from helpers.checking.calling.outcome import Case
    from helpers.checks import (
        CheckFailed,
        case,
        check,
        gradient_reaches_inputs,
        inputs_unchanged,
        rows_sum_to_one,
        shares_nothing,
        stays_small,
        whole_numbers_in_int64,
    )

__all__ = [
    "Case",
    "CheckFailed",
    "Entry",
    "Exercise",
    "SlipError",
    "case",
    "check",
    "gradient_reaches_inputs",
    "inputs_unchanged",
    "nbgrader_settings",
    "pick",
    "recall",
    "rows_sum_to_one",
    "shares_nothing",
    "stays_small",
    "whole_numbers_in_int64",
]

_HOMES = {
    "Case": "helpers.checking.calling.outcome",
    "Entry": "autograder.entry",
    "Exercise": "autograder.exercise",
    "SlipError": "autograder.answers",
    "nbgrader_settings": "autograder.classroom.defaults",
    "pick": "autograder.drawing",
    "recall": "autograder.recall",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'headstart' has no attribute {name!r}; it has {', '.join(__all__)}")
    # Not kept here: the grader puts a check of its own in the place of a notebook's.
    return getattr(import_module(_HOMES.get(name, "helpers.checks")), name)


def __dir__() -> list[str]:
    return __all__
