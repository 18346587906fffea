"""One submission to one result, for other systems' graders: what `headstart grade --once` prints.

Nothing is recorded. The result says how student code was kept apart, and each adapter turns it into the file
that another system reads. Formats: Gradescope's autograder specifications, PrairieLearn's external grading
results, Classroom 50's result.json (classroom50/result/v1).
"""

import json
import os
import re
import stat
import tempfile
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from autograder import lessons
from autograder.classroom.engine import Options, open_grader
from autograder.grading.handed_in import Submission
from autograder.grading.identities import is_answer
from autograder.grading.lesson import Lesson
from autograder.limits import MAX_NOTEBOOK, MAX_NOTES
from autograder.results import UNREADABLE, Graded
from helpers.checking.finding import Status, one_line

Result = dict[str, Any]
SANDBOXED = "bubblewrap: no network, no files but the lesson's own, namespaces and limits of its own"
# How a remark begins that stands in a cell's output, where only a page shows it.
IN_OUTPUT = re.compile(
    r"^(?:(?:Grading l|L)eft out `|Python refuses these characters, so they were read ).+", re.M
)
OPEN = "none (--no-sandbox): student code ran with the grader's own rights"


def grade_once(
    lesson: str,
    path: Path,
    course: CourseDirectory,
    config: Config,
    options: Options,
    form: str = "text",
) -> int:
    """Grade one submission and print the result.

    Args:
        lesson: its name; empty to take it from the notebook's.
        path: the notebook, or the folder with it and what was handed in beside it.
        course: whose sources and secret are used. Its gradebook isn't touched.
        config: nbgrader's settings.
        options: how to grade.
        form: "text", for people, or one of FORMS.

    Returns:
        The exit code, 0: a bad submission is a result.

    Raises:
        LookupError: there is no submission to grade, or as `open_grader`.
    """
    with open_grader(lesson or _lesson_of(path), course, config, options) as grader:
        loaded = grader.lesson
        with tempfile.TemporaryDirectory() as folder:
            graded = grader.grade(_submission(path, loaded.name, Path(folder)))
    assert graded is not None, "nothing was known of it before"
    result = result_of(loaded, graded, options.sandboxed)
    # In ASCII: it can be printed anywhere, and steers no terminal.
    # defence: once: names that steer a terminal
    print(text(result) if form == "text" else json.dumps(FORMS[form](result), indent=1))
    return 0


def _lesson_of(path: Path) -> str:
    if not path.exists():
        raise LookupError(f"there is no {path}")
    notebooks = [path] if path.suffix == ".ipynb" else sorted(path.glob("*.ipynb"))
    named = [notebook.stem for notebook in notebooks if notebook.stem in lessons.names()]
    if len(named) != 1:
        raise LookupError(
            f"which lesson is {path}? Its notebook isn't named after one; give the lesson before --once"
        )
    return named[0]


def _submission(path: Path, lesson: str, folder: Path) -> Submission:
    """A notebook alone is copied to where a submission would lie."""
    try:
        mode = path.lstat().st_mode
        # defence: once: links
        if stat.S_ISLNK(mode):
            raise LookupError(f"{path} is a link, and links are not followed")
        if stat.S_ISDIR(mode):
            return Submission("once", lesson, path.resolve())
        if not stat.S_ISREG(mode):
            raise LookupError(f"{path} is neither a notebook nor a folder")
        with path.open("rb") as file:
            content = file.read(MAX_NOTEBOOK + 1)  # of one that is larger, the grader says so
    except FileNotFoundError:
        raise LookupError(f"there is no {path}") from None
    except OSError as error:
        raise LookupError(f"{path} can't be read: {error.strerror}") from None
    there = folder / "once" / lesson
    there.mkdir(parents=True)
    name = path.name if path.suffix.lower() in (".zip", ".py", ".html", ".txt") else f"{lesson}.ipynb"
    (there / name).write_bytes(content)
    return Submission("once", lesson, there)


def result_of(lesson: Lesson, graded: Graded, sandboxed: bool) -> Result:
    """All that is said of a submission, as plain data.

    Points are those that checks give. What a person grades is listed with its points, and is in no sum.
    """
    exercises = [
        {
            "id": verdict.exercise,
            "title": lesson.outlines[verdict.exercise].title,
            "status": str(verdict.status),
            "points": verdict.points,
            "max_points": verdict.max_points,
            "message": verdict.message,
            "cause": verdict.cause,
        }
        for verdict in graded.verdicts
    ]
    by_hand = [
        {"id": cell.metadata.nbgrader.grade_id, "max_points": float(cell.metadata.nbgrader.points)}
        for notebook in lesson.skeletons.values()
        for cell in notebook.cells
        if is_answer(cell) and cell.metadata.nbgrader.get("grade")
    ]
    return {
        "lesson": lesson.name,
        "isolation": SANDBOXED if sandboxed else OPEN,
        "readable": all(verdict.cause != UNREADABLE for verdict in graded.verdicts),
        # Lines of code and names of files are in these: what steers a terminal is a link in PrairieLearn.
        "problem": one_line(graded.problem),
        # defence: once: what would become a link
        "remarks": list(map(one_line, [*graded.remarks, *_said_in_cells(graded)])),
        "points": sum(verdict.points for verdict in graded.verdicts),
        "max_points": sum(verdict.max_points for verdict in graded.verdicts),
        "exercises": exercises,
        "by_hand": by_hand,
    }


def _said_in_cells(graded: Graded) -> list[str]:
    """What was said, in the outputs of cells, of lines that were left out and characters that were read."""
    return list(dict.fromkeys(remark for text in _stderr(graded) for remark in IN_OUTPUT.findall(text)))[
        :MAX_NOTES
    ]


def _stderr(graded: Graded) -> Iterator[str]:
    for paper in graded.papers:
        for cell in json.loads(paper.notebook).get("cells", ()):
            for output in cell.get("outputs", ()):
                if output.get("name") == "stderr":
                    yield output["text"] if isinstance(output["text"], str) else "".join(output["text"])


# -- adapters ------------------------------------------------------------------------------------------------


def _said(result: Result) -> str:
    """What holds for the whole submission, as lines."""
    by_hand = result["by_hand"]
    points = sum(each["max_points"] for each in by_hand)
    many = f"{len(by_hand)} written answers ({points:g} points) are graded by hand."
    one = f"1 written answer ({points:g} points) is graded by hand."
    waiting = [one if len(by_hand) == 1 else many] if by_hand else []
    lines = [result["problem"], *result["remarks"], *waiting, f"Isolation: {result['isolation']}."]
    return "\n".join(filter(None, lines))


def text(result: Result) -> str:
    """For people: each exercise's message, and then the points. All of it is made of characters that show."""
    if not result["readable"]:
        return f"Not graded: {result['problem']}"
    checks = f"{result['points']:g} of {result['max_points']:g} points from checks in {result['lesson']}."
    return "\n".join([*(f"{each['message']}\n" for each in result["exercises"]), checks, _said(result)])


def gradescope(result: Result) -> Result:
    """Gradescope's results.json."""
    return {
        "score": result["points"],
        "output": _said(result),
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [
            {
                "name": each["title"],
                "score": each["points"],
                "max_score": each["max_points"],
                "status": "passed" if each["status"] == Status.PASSED else "failed",
                "output": each["message"],
                "output_format": "text",
                "visibility": "visible",
            }
            for each in result["exercises"]
        ],
        "extra_data": {"isolation": result["isolation"]},
    }


def prairielearn(result: Result) -> Result:
    """PrairieLearn's results.json."""
    if not result["readable"]:
        return {"gradable": False, "score": 0.0, "format_errors": [result["problem"]]}
    return {
        "gradable": True,
        "score": result["points"] / (result["max_points"] or 1),
        "message": _said(result),
        "tests": [
            {
                "name": each["title"],
                "description": each["id"],
                "points": each["points"],
                "max_points": each["max_points"],
                "message": each["message"],
            }
            for each in result["exercises"]
        ],
    }


def classroom50(result: Result, given: Mapping[str, str] | None = None) -> Result:
    """Classroom 50's result.json, whose scores are whole numbers.

    Args:
        result: of the submission.
        given: what its runner tells an autograder in the environment; if None, this process's.

    Raises:
        LookupError: it isn't run by Classroom 50, or an exercise's points aren't whole.
    """
    given = os.environ if given is None else given
    names = ("CLASSROOM", "ASSIGNMENT", "SUBMISSION_TAG", "COMMIT_URL", "RELEASE_URL")
    if missing := [name for name in names if not given.get(name)]:
        raise LookupError(f"Classroom 50's runner sets {', '.join(missing)}, which aren't set here")
    tests = [
        {
            "test-name": each["title"],
            "passed": each["status"] == Status.PASSED,
            "score": _whole(each["points"]),
            "max-score": _whole(each["max_points"]),
            "message": each["message"],
        }
        for each in result["exercises"]
    ]
    classroom, assignment, tag, commit, release = (given[name] for name in names)
    return {
        "schema": "classroom50/result/v1",
        "classroom": classroom,
        "assignment": assignment,
        "submission": tag,
        "commit": commit,
        "release": release,
        "review": given.get("REVIEW_URL") or commit,
        "datetime": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "score": sum(test["score"] for test in tests),
        "max-score": sum(test["max-score"] for test in tests),
        "tests": tests,
    }


def _whole(points: float) -> int:
    if points != int(points):
        raise LookupError(f"Classroom 50 has only whole points, but an exercise has {points:g}")
    return int(points)


FORMS: dict[str, Callable[[Result], Result]] = {
    "json": lambda result: result,
    "gradescope": gradescope,
    "prairielearn": prairielearn,
    "classroom50": classroom50,
}
