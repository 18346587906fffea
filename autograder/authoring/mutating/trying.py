"""Mutation testing: which mutants of the references would pass, on the visible cases and on hidden draws."""

import contextlib
import json
import os
import signal
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.authoring.mutating.around import SHARED, VISIBLE_SHAPES, every
from autograder.authoring.mutating.mutants import Changed
from autograder.exercise import Exercise
from autograder.sheets import (
    VISIBLE_SEED,
    HiddenSheets,
    failing_case,
    fresh,
    make_sheet,
    one_thread,
    outcome_of,
)
from helpers.checking.calling.outcome import CallStatus, Outcome
from helpers.checking.calling.surroundings import generators_kept
from helpers.checks import Sheet

if sys.platform != "win32":
    import resource

SECRET = b"mutation testing"  # of the draws that mutants are tried on: the same for everybody
SECONDS = 2.0  # of computing, for all cases of a sheet: the slowest reference takes a tenth of one
MEMORY = 2 * 2**30  # bytes, beyond what the process has


@dataclass(frozen=True)
class Tried:
    """A mutant, and where it passes.

    Attributes:
        mutant: what was changed.
        visible: whether it passes the cases that students see.
        draws: the numbers of the hidden draws that it passes.
    """

    mutant: Changed
    visible: bool
    draws: tuple[int, ...]

    @property
    def everywhere(self) -> bool:
        """Whether it passes on the visible cases and on all draws."""
        return self.visible and len(self.draws) == HiddenSheets.DRAWS

    @property
    def survives(self) -> bool:
        """Whether it passes anywhere; on the visible cases, some are made to."""
        return bool(self.draws) or (self.visible and self.mutant.kind != VISIBLE_SHAPES)


def survivors(exercise: Exercise) -> Iterator[Tried]:
    """The mutants of an exercise that pass the visible sheet or one of the hidden draws."""
    return (each for each in tried(exercise) if each.survives)


def drawn(exercise: Exercise) -> list[Sheet]:
    """The sheets that mutants are tried on: the visible one, then the hidden draws."""
    hidden = HiddenSheets(SECRET)
    visible = make_sheet(exercise, VISIBLE_SEED, misconceptions=False)
    return [visible, *(hidden.draw(exercise, number) for number in range(HiddenSheets.DRAWS))]


def tried(exercise: Exercise, drawn_before: Sequence[Sheet] = ()) -> Iterator[Tried]:
    """Each mutant of an exercise, on its visible sheet and on all hidden draws.

    Args:
        exercise: the exercise.
        drawn_before: what `drawn` gives, where that has been called.

    Raises:
        RuntimeError: a mutant changed what belongs to the cases, so the others were judged wrongly.
    """
    visible, *sheets = drawn_before or drawn(exercise)
    with Limits() as limits:
        for mutant in every(exercise, visible):
            with _hushed():
                failed = first = limits.failing_case(exercise, mutant.answer, visible)
                passed = []
                for number, sheet in enumerate(sheets):
                    if limits.stopped:  # it won't end here either
                        break
                    # Where it failed before is a good guess, but for what fails by what earlier cases left.
                    begin = 0 if mutant.kind == SHARED else failed or 0
                    failed = limits.failing_case(exercise, mutant.answer, sheet, begin)
                    if failed is None:
                        passed.append(number)
            yield Tried(mutant, first is None, tuple(passed))
    for sheet in (visible, *sheets):
        if failing_case(exercise, exercise.reference, sheet) is not None:
            raise RuntimeError(f"{exercise.id}: a mutant changed what belongs to the cases")


class _TooLong(KeyboardInterrupt):
    """What a student's Ctrl-C is to an endless loop."""


class Limits:
    """While these hold, what loops is interrupted, what fills memory fails, and nobody is warned of either.

    What reads memory that nothing was written to finds NaN there, and so gives the same each time.

    Time is the process's own computing, so that a busy machine ends nothing sooner. On Windows, which has no
    such clock, an endless loop waits for Ctrl-C; memory is limited on Linux alone.
    """

    def __enter__(self) -> "Limits":
        self.left = contextlib.ExitStack()
        self.left.enter_context(one_thread())  # those of others, which wait by computing, would count
        self.left.enter_context(generators_kept())
        self.left.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        if torch := sys.modules.get("torch"):
            usual = torch.are_deterministic_algorithms_enabled()
            self.left.callback(torch.use_deterministic_algorithms, usual)
            torch.use_deterministic_algorithms(True, warn_only=True)
        if sys.platform == "linux":
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            self.memory = resource.getrlimit(resource.RLIMIT_AS)
            most = pages * resource.getpagesize() + MEMORY
            resource.setrlimit(resource.RLIMIT_AS, (most, self.memory[1]))
        if sys.platform != "win32":
            self.handler = signal.signal(signal.SIGVTALRM, self._stop)
        return self

    def __exit__(self, *raised: Any) -> None:
        self.left.close()
        if sys.platform != "win32":
            signal.signal(signal.SIGVTALRM, self.handler)
        if sys.platform == "linux":
            resource.setrlimit(resource.RLIMIT_AS, self.memory)

    def _stop(self, *_: object) -> None:
        self.stopped = True
        raise _TooLong

    def failing_case(self, exercise: Exercise, answer: Any, sheet: Sheet, first: int = 0) -> int | None:
        """As `failing_case` of a sheet. `stopped` then says whether it took too long."""
        self.stopped = False
        _alarm(SECONDS)
        try:
            return failing_case(exercise, answer, sheet, first)
        except (_TooLong, MemoryError, RecursionError):
            return first
        finally:
            _alarm(0)

    def outcomes(self, exercise: Exercise, answer: Any, sheet: Sheet) -> list[Outcome] | None:
        """What an answer does on a sheet's cases; None if it took too long."""
        _alarm(SECONDS)
        try:
            found = []
            with fresh(answer), _hushed():
                for case in sheet.cases:
                    found.append(outcome_of(exercise, answer, case))
                    if found[-1].status == CallStatus.INTERRUPTED:  # the alarm rings once
                        return None
            return [Outcome.from_json(json.loads(json.dumps(outcome.to_json()))) for outcome in found]
        except (_TooLong, MemoryError, RecursionError):
            return None
        finally:
            _alarm(0)


@contextlib.contextmanager
def _hushed() -> Iterator[None]:
    """Without what NumPy's LAPACK writes past Python of NaN: nobody could tell which mutant that was."""
    kept = [(number, os.dup(number)) for number in (1, 2)]
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        for number, _ in kept:
            os.dup2(nowhere, number)
        yield
    finally:
        for number, copy in kept:
            os.dup2(copy, number)
            os.close(copy)
        os.close(nowhere)


def _alarm(seconds: float) -> None:
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
