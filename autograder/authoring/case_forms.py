"""What a case of each driver holds beside the answer's own arguments, whether one does, and what gets it.

Without this, a case in another form shows as an exception in the reference, which isn't wrong.
"""

from collections.abc import Callable, Mapping
from typing import Any

from helpers.checking.calling.outcome import Case
from helpers.checking.calling.registry import is_recipe

RECIPE = '{"layer": a registered name, "weights": [...]}'

Form = tuple[Callable[[tuple], bool], str]


def _settings(value: Any) -> bool:
    return isinstance(value, list | tuple | Mapping)


def _call(value: Any) -> bool:
    return isinstance(value, list | tuple) and bool(value) and isinstance(value[0], str)


def _begins_with_a_recipe(args: tuple) -> bool:
    return bool(args) and is_recipe(args[0])


def _of_module(args: tuple) -> bool:
    return len(args) >= 2 and all(isinstance(each, Mapping) for each in args[:2])


def _of_object(args: tuple) -> bool:
    match args:
        case (made, list() | tuple() as calls):
            return _settings(made) and all(map(_call, calls))
    return False


def _counted(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


FORMS: dict[str, Form] = {
    "iterate": (
        lambda args: bool(args) and _counted(args[0]),
        "how many of what comes count, and then the answer's own: (20, text, width)",
    ),
    "object": (
        _of_object,
        'those of the class, as a list or by name, and a list of calls: ([size], [["put", "a"], ["get"]])',
    ),
    "module": (
        _of_module,
        'those of the class by name, the parameters by name, and the inputs: ({"size": 3}, '
        '{"layer.weight": weight}, x)',
    ),
    "use_result": (_begins_with_a_recipe, f"the recipe of your function, {RECIPE}, and the answer's own"),
    "draws": (
        lambda args: _begins_with_a_recipe(args) and len(args) > 1 and _counted(args[1]),
        f"the recipe of your function, {RECIPE}, how often to call, and the answer's own, with "
        '"<generator>" in the place of what random numbers come from',
    ),
    "prepare": (_begins_with_a_recipe, f"the recipe of a model, {RECIPE}, and the answer's other ones"),
    "train": (
        lambda args: _begins_with_a_recipe(args) and len(args) > 1,
        f"the recipe of a model, its optimizer and its loss, {RECIPE}, and a list of batches",
    ),
}

# What a course's function gets that tries out a result, and what an answer is called with, where a case
# doesn't show it.
TRIED_OUT = {"use_result": "the result", "draws": "the list of results and then the case's inputs"}
CALLED = {
    "prepare": "(model, ...) and returns an optimizer, which the model's `step` gets",
    "train": "(model, optimizer, loss, batch), the first three from the recipe",
}
EACH_PARAMETER = (
    'give each parameter that the class makes by its name, as in ({"size": 3}, {"layer.weight": weight}, x), '
    "and {} if it makes none"
)


def misplaced(driver: str, case: Case) -> str:
    """What the arguments of a driver's case are, where a case's are others; "" where they are those.

    Args:
        driver: an exercise's.
        case: one of its cases.
    """
    fits, form = FORMS.get(driver, (lambda _: True, ""))
    return "" if fits(case.args) else form
