"""Tests of any nbgrader course: plain asserts beside the student's code, read as nbgrader reads them.

Code that runs in the same process as an assert can make it pass. So these verdicts say "in process": they
are worth as much as nbgrader's own, and no more. Output to stderr costs nothing: warnings go there too.
"""

import contextlib

from autograder.grading.outcomes import raised
from autograder.grading.questions import Question
from helpers.checking.finding import Finding, Status

CAUSE = "in process"  # of a test that didn't earn all its points
LONGEST = 400  # characters of what a test said


def read_test(question: Question, outputs: list[dict]) -> Finding:
    """What a test cell found, from what it displayed.

    An exception earns nothing; a number as the cell's value, so much; anything else, all points.

    Args:
        question: the test's name and points.
        outputs: of its cell, as nbformat states them.
    """
    error = next((output for output in outputs if output["output_type"] == "error"), None)
    if error:
        unwritten = error["ename"] == "NotImplementedError"
        status = Status.NOT_WRITTEN if unwritten else Status.FAILED
        return _finding(question, status, 0.0, raised(error))
    points = _credit(question, outputs)
    whole = points >= question.points
    said = " ".join(output["text"].strip() for output in outputs if output["output_type"] == "stream")
    return _finding(
        question, Status.PASSED if whole else Status.PARTLY if points else Status.FAILED, points, said
    )


def _credit(question: Question, outputs: list[dict]) -> float:
    """What nbgrader takes for the points of a test that raised nothing, from 0 to what there is."""
    for output in outputs:
        if output["output_type"] == "execute_result":
            with contextlib.suppress(ValueError):
                points = float(output["data"].get("text/plain", ""))
                # defence: foreign tests: credit that is no number
                return min(points, float(question.points)) if points > 0 else 0.0  # NaN is nothing, too
            break
    return float(question.points)


def _finding(question: Question, status: Status, earned: float, said: str) -> Finding:
    cause = "" if status == Status.PASSED else CAUSE
    line = " ".join(said[:LONGEST].split())
    return Finding(question.title, status, question.points, cause=cause, earned=earned, said=line)
