"""Tests of any nbgrader course: plain asserts beside the student's code, read as nbgrader reads them.

Whoever runs in the same process as an assert can make it pass. So these verdicts say "in process": they are
worth what nbgrader's own are, and no more. What goes to stderr costs nothing here: warnings go there too.
"""

import contextlib
import html

from autograder.exercise import Exercise, Verdict

HOW = "in process"
SIGNS = {
    "passed": ("✓", "#009e73"),
    "partly": ("◐", "#e69f00"),
    "failed": ("✗", "#d55e00"),
    "not written": ("○", "#888888"),
}
LONGEST = 400  # characters of an exception's text


def read_test(exercise: Exercise, outputs: list[dict]) -> Verdict:
    """The verdict of a test cell, from what it displayed.

    An exception earns nothing; a number as the cell's value, so much; anything else, all points.

    Args:
        exercise: the test's name and points.
        outputs: of its cell, as nbformat states them.
    """
    error = next((output for output in outputs if output["output_type"] == "error"), None)
    if error:
        status = "not written" if error["ename"] == "NotImplementedError" else "failed"
        raised = f"{error['ename']}: {error['evalue'].strip()}".removesuffix(": ")
        return _verdict(exercise, status, 0.0, "raised", raised[:LONGEST])
    points = _credit(exercise, outputs)
    status = "passed" if points >= exercise.points else "partly" if points else "failed"
    said = " ".join(output["text"].strip() for output in outputs if output["output_type"] == "stream")
    return _verdict(exercise, status, points, "said" if said else "", said[:LONGEST])


def _credit(exercise: Exercise, outputs: list[dict]) -> float:
    """What nbgrader takes for the points of a test that raised nothing, no more than there are."""
    for output in outputs:
        if output["output_type"] == "execute_result":
            with contextlib.suppress(ValueError):
                points = float(output["data"].get("text/plain", ""))
                if points >= 0:
                    return min(points, float(exercise.points))
            break
    return float(exercise.points)


def _verdict(exercise: Exercise, status: str, points: float, label: str, text: str) -> Verdict:
    sign, color = SIGNS[status]
    head = f"{sign} {exercise.title} · {points:g} of {exercise.points:g} points · {HOW}"
    line = " ".join(text.split())
    page = (
        f'<div role="status" style="border-left:4px solid {color};padding:4px 12px;margin:2px 0">'
        f"<strong>{html.escape(head)}</strong>{f'<br>{label} {html.escape(line)}' if line else ''}</div>"
    )
    message = f"{head}\n  {label:<14} {line}" if line else head
    return Verdict(
        exercise.id, status, points, float(exercise.points), message, page, HOW if status != "passed" else ""
    )
