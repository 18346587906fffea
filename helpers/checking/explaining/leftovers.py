"""What is left in an answer's results from the calls before: of a list or a dict that all calls share."""

from collections.abc import Collection, Mapping, Sequence, Set
from typing import Any

from helpers.checking.calling.outcome import CallStatus, Outcome
from helpers.checking.comparing import compare

KEPT = (
    "What is too much is left from the calls before: a list, a dict or a set that is a default value, "
    "or is made outside of the function, is kept from call to call. Make a new one in each call."
)
LEAST = 2  # left-over values in all: one may be there by chance


def left_over(rights: Sequence[Outcome], outcomes: Sequence[Outcome], wrong: Collection[int]) -> bool:
    """Whether all that is too much, in each wrong case, was right in the cases before it.

    Args:
        rights: the right outcome of each case.
        outcomes: the answer's.
        wrong: the numbers of the cases in which it is wrong.
    """
    left = 0
    for number in wrong:
        before = [each.outputs for each in rights[:number]]
        if outcomes[number].status != CallStatus.RETURNED:
            return False
        found = _beyond(rights[number].outputs, outcomes[number].outputs, before)
        if not found:
            return False
        left += found
    return left >= LEAST


def _beyond(right: Any, got: Any, before: list) -> int:
    """How many values there are beyond the right ones, all from before; 0 where there is anything else."""
    keyed = Mapping if isinstance(right, Mapping) else Set
    if isinstance(right, keyed) and isinstance(got, keyed):
        known = {key for each in before if isinstance(each, keyed) for key in each}
        more = set(got) - set(right)
        return len(more) if set(right) <= set(got) and more <= known else 0
    if isinstance(right, list) and isinstance(got, list | tuple) and len(got) > len(right):
        kept = [value for each in before if isinstance(each, list) for value in each]
        return len(kept) if compare([*kept, *right], list(got), coarse=True) is None else 0
    return 0
