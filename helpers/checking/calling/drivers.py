"""How a student's object is called: a case goes in, an outcome comes out.

A driver runs where the student's code runs, in the notebook or in the grader's sandbox. It decides nothing:
it reports what came back, what happened to the inputs and, where asked, the gradients. It is for
`helpers.checking.assessing` to judge, on whichever side of the sandbox the verdict is made.
"""

import copy
import itertools
import linecache
import random
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass, replace
from types import SimpleNamespace
from typing import Any

from helpers.checking.calling.choosing import choice, not_tried_out, unusable
from helpers.checking.calling.forbidding import ForbiddenCall, current, forbid, imported
from helpers.checking.calling.outcome import AS_GIVEN, CallStatus, Case, Outcome
from helpers.checking.calling.printing import captured
from helpers.checking.calling.registry import is_recipe, make_layer
from helpers.checking.calling.surroundings import as_packages_begin, generators_kept, seed
from helpers.checking.calling.values import Record, arrays, identical, settled
from helpers.checking.kinds import frames
from helpers.checking.kinds.arrays import copied, is_array, is_tensor

GENERATOR = "<generator>"  # in a case, stands for what random numbers come from


def run(
    driver: str, answer: object, case: Case, *, gradients: bool = False, forbidden: tuple = ()
) -> Outcome:
    """Call a student's answer on one case and report what happened.

    Args:
        driver: a key of `DRIVERS`.
        answer: the student's object: a function, a class for "module", a dict for "choice".
        case: its arguments. They are cloned first, so a case can be used again.
        gradients: whether to call a second time and send gradients back to the inputs.
        forbidden: dotted names of functions that raise while the answer runs.
    """
    for name in imported(forbidden):
        if _is(answer, current(name)):
            return Outcome(CallStatus.FORBIDDEN, error=name)
    with captured() as printed:
        outcome = _run(driver, answer, case, gradients, forbidden)
    return replace(outcome, printed=str(printed))


def _run(driver: str, answer: object, case: Case, gradients: bool, forbidden: tuple) -> Outcome:
    try:
        with as_packages_begin(), forbid(forbidden):
            # defence: answers: what is sent is plain data while it is watched
            return _settled(DRIVERS[driver](answer, case, gradients), case)
    except ForbiddenCall as error:
        return Outcome(CallStatus.FORBIDDEN, error=str(error), where=_student_line(error))
    except KeyboardInterrupt as error:
        return Outcome(CallStatus.INTERRUPTED, where=_student_line(error))
    except BaseException as error:  # whatever a student's function raises is an outcome
        return _raised(error, answer)


def _settled(outcome: Outcome, case: Case) -> Outcome:
    """The outcome as plain data, as long as forbidden functions are watched.

    Objects of a student's, such as an int that counts once it is asked, would call them when they are sent.
    """
    if identical(case.given, outcome.inputs_after):
        outcome = replace(outcome, inputs_after=AS_GIVEN)
    names = ("outputs", "inputs_after", "gradients")
    return replace(outcome, **{name: settled(getattr(outcome, name)) for name in names})


def _is(answer: object, forbidden: object) -> bool:
    """`softmax = torch.softmax`, and `class Mine(torch.nn.MultiheadAttention)`."""
    if isinstance(answer, type) and isinstance(forbidden, type):
        return issubclass(answer, forbidden)
    return answer is forbidden


def _raised(error: BaseException, answer: object) -> Outcome:
    where = _student_line(error)
    # The stub's own exception has no text; torch raises NotImplementedError too, with one.
    if isinstance(error, NotImplementedError) and (not error.args or "raise NotImplementedError" in where):
        return Outcome(CallStatus.NOT_WRITTEN, error=_other_function(error, answer))
    try:
        message = str(error)[:500]
    except Exception:  # a student's own exception class can fail at this as well
        message = ""
    return Outcome(CallStatus.RAISED, error=type(error).__name__[:100], message=message, where=where)


def _other_function(error: BaseException, answer: object) -> str:
    """The function that raised, where the answer called one that is a stub still."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    functions = vars(answer).values() if isinstance(answer, type) else [answer]
    own = any(frame.f_code is getattr(function, "__code__", None) for function in functions)
    return "" if own or frame.f_code.co_filename == __file__ else frame.f_code.co_name


def call_function(answer: object, case: Case, gradients: bool) -> Outcome:
    """A function of arrays and plain values."""
    if not callable(answer):
        return unusable("a function", answer)
    room = getattr(answer, "__globals__", {})
    args, kwargs = cloned(list(case.args), room), cloned(dict(case.kwargs), room)
    outputs = seeded(answer, args, kwargs)
    inputs_after = [args, kwargs]
    if not gradients:
        return Outcome(CallStatus.RETURNED, outputs, inputs_after)
    from helpers.checking.calling.drivers_of_tensors import gradients_of

    return Outcome(CallStatus.RETURNED, outputs, inputs_after, gradients_of(answer, case))


def seeded(answer: Callable, args: list, kwargs: dict) -> Any:
    """Call with the same random numbers each time, and leave the notebook's own as they were."""
    with generators_kept():
        seed()
        return answer(*args, **kwargs)


def _call_with_layer(answer: object, case: Case, gradients: bool) -> Outcome:
    """A function with functions of ours among its arguments: the case has their recipes there."""
    if not callable(answer):
        return unusable("a function", answer)
    made = seeded(
        lambda: {n: make_layer(each) for n, each in enumerate(case.args) if is_recipe(each)}, [], {}
    )

    def call(*args: Any, **kwargs: Any) -> Any:
        return answer(*(made.get(place, value) for place, value in enumerate(args)), **kwargs)

    return call_function(call, case, gradients)


def _use_result(answer: object, case: Case, gradients: bool) -> Outcome:
    """A function whose result is judged by what it does: see `judged`.

    So an answer can be one of many right ones. The case's first argument is the recipe of our function.
    """
    if not callable(answer):
        return unusable("a function", answer)
    return call_function(lambda _, *rest, **kwargs: answer(*rest, **kwargs), case, gradients)


def _draws(answer: object, case: Case, gradients: bool) -> Outcome:
    """A function that draws by chance: called often, judged by what holds of all its results, see `judged`.

    The case's arguments: the recipe of our function, how often to call, and the inputs, among which
    `GENERATOR` stands for a generator. The results: one for each seed from 0 on, and one more for seed 0.
    """
    if not callable(answer):
        return unusable("a function", answer)

    def call(_: object, calls: int, *inputs: Any) -> list:
        def draw(seed: int, given: list) -> Any:
            generator = generator_of(seed)
            return answer(*(generator if isinstance(x, str) and x == GENERATOR else x for x in given))

        # The first call gets the case's own tensors, so that it shows whether an answer writes into them.
        others = [cloned(list(inputs)) for _ in range(calls)]
        first = draw(0, list(inputs))
        return [first, *(draw(seed % calls, given) for seed, given in enumerate(others, start=1))]

    return call_function(call, case, False)


def generator_of(seed: int) -> Any:
    """What random numbers come from: torch's where torch is there, else NumPy's, else Python's."""
    if torch := sys.modules.get("torch"):
        return torch.Generator().manual_seed(seed)
    if numpy := sys.modules.get("numpy"):
        return numpy.random.default_rng(seed)
    return random.Random(seed)


def judged(driver: str, case: Case, outcome: Outcome) -> Outcome:
    """An outcome as it is compared: of "use_result" and "draws" what a function of ours makes of the result.

    There many results are right. Our function runs where the verdict is made, in the judge's process, and not
    beside the student's code, which could say that all is well.
    """
    if driver not in ("use_result", "draws") or outcome.status != CallStatus.RETURNED:
        return outcome
    inputs = case.args[2:] if driver == "draws" else ()
    try:
        # defence: drivers: as many draws as were asked for
        if driver == "draws" and len(outcome.outputs) != case.args[1] + 1:
            raise ValueError("results of other draws than were asked for")
        with as_packages_begin():
            use = make_layer(case.args[0])
            return replace(outcome, outputs=use(cloned(outcome.outputs), *cloned(list(inputs))))
    except Exception as error:  # whatever comes of a result that isn't what was asked for
        wanted, found = not_tried_out(error)
        wrong = Outcome(CallStatus.UNUSABLE, error=wanted, message=found[:200])
        return replace(wrong, printed=outcome.printed)


def _copies(answer: object, case: Case, gradients: bool) -> Outcome:
    """A function whose result should share nothing with its arguments: what it gave is changed afterwards.

    As training changes weights, in place. What is shared then shows in the arguments.
    """
    if not callable(answer):
        return unusable("a function", answer)

    def call(*args: Any, **kwargs: Any) -> Any:
        result = answer(*args, **kwargs)
        kept = cloned(result)
        for array in arrays(result):
            (_each_once(array.detach()) if is_tensor(array) else array)[...] += 1
        return kept

    return call_function(call, case, False)


def _each_once(tensor: Any) -> Any:
    """What a tensor holds, without what `expand` repeats: that can't be written to in place."""
    for axis, stride in enumerate(tensor.stride()):
        tensor = tensor if stride else tensor.narrow(axis, 0, min(1, tensor.size(axis)))
    return tensor


def _object(answer: object, case: Case, gradients: bool) -> Outcome:
    """A class whose instance is used. The case's arguments: those of the class, and the calls of its methods.

    A call is a list of the method's name and what it is called with; a name alone, such as "size", that is no
    method, asks for that attribute. The results: what each call gave.
    """
    if not callable(answer):
        return unusable("a class", answer)

    def use(settings: list | Mapping, calls: list) -> list:
        made = answer(**settings) if isinstance(settings, Mapping) else answer(*settings)
        return [_method(made, *each) for each in calls]

    return call_function(use, case, False)


def _method(made: Any, name: str, *args: Any) -> Any:
    found = getattr(made, name)
    return cloned(found(*args) if callable(found) else found)


def _iterate(answer: object, case: Case, gradients: bool) -> Outcome:
    """A function that gives one thing after another: a generator, or whatever a loop can go through.

    The case's first argument is how many of them count, so that a generator needn't end.
    """
    if not callable(answer):
        return unusable("a function", answer)

    def first(most: int, *args: Any, **kwargs: Any) -> Any:
        given = answer(*args, **kwargs)
        try:
            each_of = iter(given)
        except TypeError as error:
            if error.__traceback__ and error.__traceback__.tb_next:  # an `__iter__` of the student's
                raise
            return given  # it can't be looped over: what it is says more than that
        return [cloned(each) for each in itertools.islice(each_of, most)]

    return call_function(first, case, False)


def _printed(answer: object, case: Case, gradients: bool) -> Outcome:
    """A function whose result is what it prints, but for blanks at the ends of lines and of the whole."""
    if not callable(answer):
        return unusable("a function", answer)
    with captured() as printed:
        outcome = call_function(answer, case, False)
    if outcome.status != CallStatus.RETURNED:
        return outcome
    text = "\n".join(line.rstrip() for line in str(printed).rstrip().split("\n"))
    return replace(outcome, outputs=text, printed=str(printed))


def _of_tensors(name: str) -> Callable:
    """A driver whose module imports torch, which it does once it is called."""

    def driver(answer: object, case: Case, gradients: bool) -> Outcome:
        from helpers.checking.calling import drivers_of_tensors  # here: it imports torch

        return getattr(drivers_of_tensors, name)(answer, case, gradients)

    return driver


DRIVERS: dict[str, Callable[[object, Case, bool], Outcome]] = {
    "call": call_function,
    "call_with_layer": _call_with_layer,
    "choice": choice,
    "copies": _copies,
    "draws": _draws,
    "iterate": _iterate,
    "object": _object,
    "printed": _printed,
    "use_result": _use_result,
    **{name: _of_tensors(name) for name in ("call_measured", "module", "prepare", "train")},
}


def cloned(value: Any, room: Mapping[str, Any] | None = None) -> Any:
    """A value with nothing in common with the one that is given.

    Args:
        value: the value; a record becomes an instance of the class of its name.
        room: where that class is looked up.
    """
    if is_array(value):
        return copied(value)
    if isinstance(value, list | tuple | set | frozenset):
        parts = [cloned(item, room) for item in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    if isinstance(value, Mapping):
        return {key: cloned(item, room) for key, item in value.items()}
    if isinstance(value, Record):
        made = (room or {}).get(value.type_name, SimpleNamespace)
        return made(**cloned(dict(value.fields), room))
    if frames.is_frame(value):
        return value.copy()
    return copy.deepcopy(value) if is_dataclass(value) and not isinstance(value, type) else value


def _student_line(error: BaseException) -> str:
    """The deepest line of the traceback that is a notebook's own, as `line 4: scores = q @ k`."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if "ipykernel" in frame.filename or frame.filename.startswith(("<ipython-input", "<cell")):
            source = frame.line or linecache.getline(frame.filename, frame.lineno or 0).strip()
            return f"line {frame.lineno}: {source}"[:120]
    return ""
