"""Tests of any nbgrader course: plain asserts beside the student's code, read as nbgrader reads them.

Code that runs in the same process as an assert can make it pass. So these verdicts say "in process": they
are worth as much as nbgrader's own, and no more. Output to stderr costs nothing: warnings go there too.
"""

import contextlib

from autograder.exercise import IN_PROCESS, Exercise
from helpers.checking.finding import Finding, Status

LONGEST = 400  # characters of what a test said


def read_test(exercise: Exercise, outputs: list[dict]) -> Finding:
    """What a test cell found, from what it displayed.

    An exception earns nothing; a number as the cell's value, so much; anything else, all points.

    Args:
        exercise: the test's name and points.
        outputs: of its cell, as nbformat states them.
    """
    error = next((output for output in outputs if output["output_type"] == "error"), None)
    if error:
        unwritten = error["ename"] == "NotImplementedError"
        raised = f"{error['ename']}: {error['evalue'].strip()}".removesuffix(": ")
        return _finding(exercise, Status.NOT_WRITTEN if unwritten else Status.FAILED, 0.0, raised)
    points = _credit(exercise, outputs)
    whole = points >= exercise.points
    said = " ".join(output["text"].strip() for output in outputs if output["output_type"] == "stream")
    return _finding(
        exercise, Status.PASSED if whole else Status.PARTLY if points else Status.FAILED, points, said
    )


def _credit(exercise: Exercise, outputs: list[dict]) -> float:
    """What nbgrader takes for the points of a test that raised nothing, from 0 to what there is."""
    for output in outputs:
        if output["output_type"] == "execute_result":
            with contextlib.suppress(ValueError):
                points = float(output["data"].get("text/plain", ""))
                # defence: plain tests: credit that is no number
                return min(points, float(exercise.points)) if points > 0 else 0.0  # NaN is nothing, too
            break
    return float(exercise.points)


def _finding(exercise: Exercise, status: Status, earned: float, said: str) -> Finding:
    cause = "" if status == Status.PASSED else IN_PROCESS
    line = " ".join(said[:LONGEST].split())
    return Finding(exercise.title, status, exercise.points, cause=cause, earned=earned, said=line)
