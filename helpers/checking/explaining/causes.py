"""The likely cause of a failure: the most certain thing that is true of it.

A misconception is named if the answer matches it in every case, or if it matches more wrong cases than any
other known mistake and contradicts none that is right; then the message says where it shows.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from helpers.checking.calling.outcome import CallStatus, Case, Outcome
from helpers.checking.comparing import GUESSES, ROUGHLY
from helpers.checking.differences import IN_NUMPY, MEANINGS
from helpers.checking.explaining.contrast import ONLY, contrast, is_trivial
from helpers.checking.explaining.hints import UNKNOWN
from helpers.checking.explaining.leftovers import KEPT, left_over
from helpers.checking.explaining.recognising import RECOGNISABLE, Failure, recognise
from helpers.checking.explaining.relations import relation
from helpers.checking.explaining.sketches import recognised
from helpers.checking.explaining.telling import Pairs, in_part, is_constant, tells
from helpers.checking.problems import Problem, by_hand, unknown
from helpers.checking.properties import PROPERTIES
from helpers.checking.sheet import AND, KnownMisconception, Sheet

ONE_CHANGE = "Your results are exactly those of a right answer in which"
TWO_MISTAKES = "There are two mistakes."
OR_ANOTHER = "The other wrong cases look different, so first see whether your code does this."
IN_ONE_CASE = "That is certain of this case, not of the other wrong ones."
SAME_EVERYWHERE = "Every result is the same. Several mistakes cause that; one of them:"


@dataclass(frozen=True)
class Cause:
    """What is said of a failure: its name, the case it is about, its meaning, what is true of the numbers."""

    name: str
    case: int
    meaning: str
    told: str = ""


def cause_of(
    sheet: Sheet, outcomes: Sequence[Outcome], problems: Sequence[Problem | None], reveal: bool
) -> Cause:
    """What to say of an answer that fails: the first of `ORDER` that is true of it.

    Args:
        sheet: the exercise as numbers.
        outcomes: what the answer did, case by case.
        problems: what is wrong with each of them; None where one is right.
        reveal: whether it may carry numbers and texts of a case.
    """
    failure = Failure(sheet, outcomes, problems, reveal)
    return next(filter(None, (each(failure) for each in ORDER)))


def _explains_itself(failure: Failure) -> Cause | None:
    number, first = _first(failure)
    return None if first.cause in RECOGNISABLE else Cause(first.cause, number, first.meaning)


def _known_mistake(failure: Failure) -> Cause | None:
    if not (found := recognise(failure)):
        return None
    said = [each.sentence for each in found]
    if is_constant(each.outputs for each in failure.outcomes):
        said.insert(0, SAME_EVERYWHERE)
    return _named(found, _first(failure)[0], " ".join(said))


def _one_change(failure: Failure) -> Cause | None:
    """A small slip that does the same in all cases, or two known mistakes that do so together."""
    if not (slip := recognised(failure.of_slip, failure.sheet.slips)):
        return None
    number, first = _first(failure)
    if both := _of_names(failure.sheet, slip):
        return _named(both, number, " ".join([TWO_MISTAKES, *(each.sentence for each in both)]))
    true = _of_all(failure)
    told = f"{ONE_CHANGE} {slip}. {true}".strip()
    more = "" if true or not _unexplained(failure) else by_hand(failure.sheet, number, failure.reveal)
    return Cause(first.cause, number, f"{told} {more}".strip(), told)


def _mistake_in_part(failure: Failure) -> Cause | None:
    """A known mistake that a second one hides in some cases or in some of the returned values."""
    sheet, known = failure.sheet, failure.sheet.misconceptions
    # What is of the wrong type is said first: stacked by the check, it looks like what nobody stacked.
    if sheet.driver == "choice" or _first(failure)[1].cause == "type":
        return None
    returned = [n for n in failure.wrong if failure.outcomes[n].status == CallStatus.RETURNED]
    values = {number: failure.values(number) for number in returned}
    mistakes = [(each, [each.gives]) for each in known if each.gives]
    slips = [(said, texts) for said, texts in sheet.slips.items() if not _of_names(sheet, said)]
    found: tuple[KnownMisconception | str, list[tuple[int, int]], bool] | None
    found = in_part(failure.wordless, values, mistakes, slips)
    if not found:
        return None
    each, where, sure = found
    case = where[0][0]
    shown = _shown_in(sheet, values, where) if failure.reveal else "Some of the wrong cases show"
    fix = f"{shown} exactly this: fix it first, then look at the rest again."
    if isinstance(each, KnownMisconception):
        guess = f"{shown} exactly what this mistake would give: {each.sentence} {OR_ANOTHER}"
        return _named([each], case, f"{each.sentence} {fix}" if sure else guess)
    told = f"{ONE_CHANGE} {each}."
    return Cause(failure.wrong[case].cause, case, f"{told} {fix}", told)


def _left_over(failure: Failure) -> Cause | None:
    """Values that were right in the calls before."""
    number, first = _first(failure)
    rights = failure.sheet.expected
    kept = first.cause in ("structure", "value") and left_over(rights, failure.outcomes, failure.wrong)
    return Cause(first.cause, number, KEPT, KEPT) if kept else None


def _relation_of_all(failure: Failure) -> Cause | None:
    """What is true of the numbers in all wrong cases."""
    number, first = _first(failure)
    if not (told := _of_all(failure)):
        return None
    # A guess says less than what is known of the numbers.
    advice = "" if first.meaning in (*GUESSES, *ROUGHLY) else first.meaning
    more = by_hand(failure.sheet, number, failure.reveal) if _unexplained(failure) else advice
    return Cause(first.cause, number, f"{told} {more}".strip(), told)


def _what_wrong_cases_share(failure: Failure) -> Cause | None:
    number, first = _first(failure)
    sheet, right = failure.sheet, [n for n, problem in enumerate(failure.problems) if not problem]
    cases = ([sheet.cases[n] for n in numbers] for numbers in (right, failure.wrong))
    worked = sum(not is_trivial(sheet.cases[n], sheet.expected[n].outputs) for n in right)
    told = contrast(*cases, worked=worked, raised=first.cause == "raised")
    # Where one number stands alone, as a softmax of one score, no gradient is right.
    if first.cause in PROPERTIES and told.startswith(ONLY):
        return None
    said = all("from the end, like" in text for text in (told, first.meaning))  # advice is given once
    return Cause(first.cause, number, told if said else f"{told} {first.meaning}", told) if told else None


def _other_shape(failure: Failure) -> Cause | None:
    """A wrong shape in the first wrong case. It is certain; what an exception mostly comes from is not."""
    if _first(failure)[1].cause != "shape":
        return None
    return _relation_of_one(failure) or _what_is_seen(failure)


def _exception(failure: Failure) -> Cause | None:
    """An exception of which it is known what mostly leads to it."""
    raised = ((n, each) for n, each in failure.wrong.items() if each.cause == "raised")
    return next((Cause("raised", n, each.meaning) for n, each in raised if each.meaning != UNKNOWN), None)


def _relation_of_one(failure: Failure) -> Cause | None:
    """What is true of the numbers of one case, where nothing is of them all."""
    for number, problem in failure.wrong.items() if len(failure.wrong) > 1 else ():
        # Lists of other lengths are told by what is right in them, which chance doesn't give.
        # A structure that has a sentence of its own, such as rows in a different order, is told by that.
        other_length = problem.cause == "structure" and problem.meaning in GUESSES
        if other_length or (problem.cause == "value" and tells(failure.values(number))):
            sheet, triples = failure.sheet, _triples(failure, [number])
            if told := relation(triples, sheet.returns, sums=_unexplained(failure)):
                return Cause(problem.cause, number, f"{told} {IN_ONE_CASE}", told)
    return None


def _what_is_seen(failure: Failure) -> Cause:
    number, first = _first(failure)
    return Cause(first.cause, number, first.meaning)


# The most certain comes first, and what is true of one case last.
ORDER: tuple[Callable[[Failure], Cause | None], ...] = (
    _explains_itself,
    _known_mistake,
    _one_change,
    _mistake_in_part,
    _left_over,
    _relation_of_all,
    _what_wrong_cases_share,
    _other_shape,
    _exception,
    _relation_of_one,
    _what_is_seen,
)


def _first(failure: Failure) -> tuple[int, Problem]:
    """The first wrong case, of those where more is wrong than a gradient or a precision if there are any."""
    of_values = ((n, each) for n, each in failure.wrong.items() if not _is_beside(each))
    return next(of_values, None) or next(iter(failure.wrong.items()))


def _is_beside(problem: Problem) -> bool:
    """Whether a problem lies beside the values; a dtype with a sentence of its own tells what is wrong."""
    usual = MEANINGS["dtype"]
    return problem.cause in PROPERTIES or problem.meaning in (usual, IN_NUMPY[usual])


def _unexplained(failure: Failure) -> bool:
    number, first = _first(failure)
    return first.meaning == unknown(failure.sheet, number, failure.reveal)


def _named(known: Sequence[KnownMisconception], case: int, said: str) -> Cause:
    return Cause(known[0].name, case, said)


def _of_all(failure: Failure) -> str:
    """What is true of the numbers in all wrong cases; "" where nothing is, or something else is wrong."""
    first = _first(failure)[1]
    if first.cause not in ("value", "shape", "structure"):
        return ""
    sums = _unexplained(failure) or first.cause != "value"
    triples, others = _triples(failure, failure.wrong), len(failure.wrong) < len(failure.problems)
    return relation(triples, failure.sheet.returns, sums=sums, others=others)


def _triples(failure: Failure, numbers: Iterable[int]) -> list[tuple[Case, Outcome, Outcome]]:
    sheet = failure.sheet
    return [(sheet.cases[n], sheet.expected[n], failure.outcomes[n]) for n in numbers]


def _of_names(sheet: Sheet, said: str) -> list[KnownMisconception]:
    """The two misconceptions whose names these are; nothing if it is a sentence."""
    names = said.split(AND)
    return [each for each in sheet.misconceptions if each.name in names] if len(names) == 2 else []


def _shown_in(sheet: Sheet, values: Mapping[int, Pairs], where: list[tuple[int, int]]) -> str:
    """In which cases, or in which returned value of them, a mistake shows: the beginning of a sentence."""
    cases = [str(number + 1) for number in dict.fromkeys(number for number, _ in where)]
    places = {place for _, place in where}
    one = f"`{sheet.returns[places.pop()]}`" if len(places) == 1 and len(values[where[0][0]]) > 1 else ""
    if one and len(cases) == len(values):
        return f"{one} shows"
    listed = f"{', '.join(cases[:-1])} and {cases[-1]}" if len(cases) > 1 else cases[0]
    listed = f"case{'s' * (len(cases) > 1)} {listed}"
    if one:
        return f"{one} in {listed} shows"
    return f"C{listed[1:]} show{'s' * (len(cases) == 1)}"
