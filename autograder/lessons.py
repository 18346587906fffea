"""Which lessons there are, where their files lie, and how a notebook's cells say what they are."""

import difflib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.courses import ENGINE, ENGINE_HELPERS, FILE, Course, at, current

if TYPE_CHECKING:
    from nbformat import NotebookNode

ROOT = ENGINE  # for what is about the engine itself, such as its tests
NUMBERED = re.compile(r"[0-9]{2}_")
NAMED = 10  # things that a sentence names


def names(root: Path | None = None) -> list[str]:
    """The lessons of a course, in order: `00_start`, `01_attention`, ...

    Args:
        root: the course's folder; None means the current course's, here and below.
    """
    return list((at(root) if root else current()).lessons)


def find(name: str, root: Path | None = None) -> str:
    """The lesson that somebody means by `01_attention`, `01`, `1`, `attention` or a path to its master.

    Raises:
        LookupError: there is no such lesson; the text says which there are.
    """
    return find_among(names(root), name, Path("notebooks"))


def counted(number: float, thing: str) -> str:
    """So many of a thing, in words: 1 student, 2 students, 0.5 points."""
    return f"{number:g} {thing}{'s' * (number != 1)}"


def listed(names: Sequence[str], last: str) -> str:
    """Names in a row, with a word before the last, such as "a, b or c"."""
    return f"{', '.join(names[:-1])} {last} {names[-1]}" if len(names) > 1 else names[0]


def first_of(said: Sequence[str], between: str = "; ") -> str:
    """The first of what a sentence names, and how many more there are."""
    more = f" and {len(said) - NAMED:,} more" if len(said) > NAMED else ""
    return between.join(said[:NAMED]) + more


def find_among(known: list[str], name: str, place: Path) -> str:
    """The one of some assignments that somebody means, as `find` does.

    Raises:
        LookupError: there is no such assignment; the text says which there are in their place.
    """
    wanted = Path(name).stem if name.endswith((".py", ".ipynb")) else name.strip("/").rpartition("/")[2]
    for lesson in known:
        short = (topic(lesson), lesson[:2], str(number(lesson))) if NUMBERED.match(lesson) else ()
        if wanted in (lesson, *short):
            return lesson
    if not known:
        raise LookupError(f"no lessons in {place}/; call it in the course's folder")
    near = difflib.get_close_matches(wanted, [*known, *map(topic, known)], n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(known)}"
    raise LookupError(f"no lesson {name!r} in {place}/; {hint}")


def number(lesson: str) -> int:
    """1 of `01_attention`."""
    return int(lesson[:2])


def topic(lesson: str) -> str:
    """`attention` of `01_attention`: the word that all files of a lesson share."""
    return lesson[3:]


def master_path(lesson: str, root: Path | None = None) -> Path:
    """Where a lesson is written."""
    return (root or current().root) / "notebooks" / f"{lesson}.py"


def source_path(lesson: str, root: Path | None = None) -> Path:
    """The instructor's notebook, with solutions."""
    return (root or current().root) / "source" / lesson / f"{lesson}.ipynb"


def release_path(lesson: str, root: Path | None = None) -> Path:
    """The notebook as students get it."""
    return (root or current().root) / "release" / lesson / f"{lesson}.ipynb"


def helper_files(lesson: int, root: Path | None = None) -> dict[str, Path]:
    """The helpers that students of a lesson, given by its number, may read: `helpers/checks.py`, and so on.

    The engine's come with every lesson, unless the course's `[opens]` says otherwise. For the course's own it
    follows from where they lie: a topic's folder opens with its lesson, but the reference in it, and the
    `__init__.py` that passes it on, answer what the lesson asks for, and open with the next. What several
    lessons share opens with the lesson that `[opens]` names.

    Returns:
        Each file, by its path below the folder of the course.

    Raises:
        LookupError: it follows from nothing with which lesson one of all the helpers opens, or the engine
            has one of the same name.
    """
    from helpers.figures.predicting import REVEALED  # here: most commands need no helpers

    course = at(root) if root else current()
    files = _files(course.root / "helpers")
    if not course.is_engines:
        if taken := [path for path in files if path.parts[0] in ENGINE_HELPERS]:
            raise LookupError(
                f"helpers/{taken[0].as_posix()}: the engine has a helpers/{taken[0].parts[0]}, and students "
                "get both in one folder; call yours something else"
            )
        files |= {path: file for path, file in _files(ENGINE / "helpers").items() if _is_engines(path)}
    first = {path: opens(path, course) for path in files}
    own = {path for path in files if path.name != REVEALED or first[path] == lesson}
    return {f"helpers/{p.as_posix()}": files[p] for p in sorted(files) if first[p] <= lesson and p in own}


def _files(folder: Path) -> dict[Path, Path]:
    """The files in a folder of helpers, by their path below it."""
    found = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(folder): path for path in found}


def _is_engines(helper: Path) -> bool:
    return helper.parts[0] in ENGINE_HELPERS


def opens(helper: Path, course: Course | None = None) -> int:
    """The number of the first lesson whose students may read a helper.

    Args:
        helper: its path below `helpers/`.
        course: whose; None means the current one.

    Raises:
        LookupError: neither its place nor the course's `[opens]` says.
    """
    course = course or current()
    room, *rest = helper.parts
    if room in course.numbers and rest:
        return course.numbers[room] + (rest[0] in ("__init__.py", "reference.py", "reference"))
    first = course.opens.get(helper.as_posix(), course.opens.get(room))
    if first is not None:
        return course.numbers[first]
    if _is_engines(helper):
        return 0
    shared = any(name.startswith(f"{room}/") for name in course.opens)
    new = "" if shared or not rest else f"; for a new lesson, call `headstart new lesson {room}`"
    raise LookupError(
        f"nothing says with which lesson helpers/{helper.as_posix()} opens: move it into the folder of its "
        f"lesson, helpers/TOPIC/, or name it in [opens] of {FILE}{new}"
    )


def load_source_notebook(lesson: str, root: Path | None = None) -> "NotebookNode":
    """The instructor's notebook: the skeleton on which a submission is rebuilt. Ask its cells with `kind`.

    Raises:
        FileNotFoundError: there is no such notebook; where it is one that we build, the text says how.
    """
    import nbformat  # here: most commands need none

    path = source_path(lesson, root)
    if not path.is_file():
        cure = f": build it with `headstart build {lesson}`" if lesson in names(root) else ""
        raise FileNotFoundError(f"{path} isn't there{cure}")
    return nbformat.read(path, as_version=4)


def kind(cell: "NotebookNode") -> str:
    """What a cell of a source notebook is.

    Returns:
        "prose": text. "given": code that students may edit. "setup": locked code that the grader runs.
        "bundle": code that says what is missing, which the grader doesn't run. "draw": code that only
        draws, which the grader doesn't run either. "exercise": a solution cell. "check": the locked cell that
        carries an exercise's points. "written": an answer in words, graded by hand. "predict": a choice
        without points.
    """
    marked = cell.metadata.get("headstart", {}).get("kind")
    return marked or ("given" if cell.cell_type == "code" else "prose")


def is_test(cell: "NotebookNode") -> bool:
    """Whether nbgrader itself would grade by this cell: locked code with points, and no check of ours."""
    nbgrader = cell.metadata.get("nbgrader", {})
    return bool(
        cell.cell_type == "code"
        and nbgrader.get("grade")
        and not nbgrader.get("solution")
        and kind(cell) != "check"
    )


def exercise_of(cell: "NotebookNode") -> str:
    """The id of the exercise or question that a cell belongs to, `attention.softmax`; "" where to none."""
    return cell.metadata.get("headstart", {}).get("id", "")


def grade_id(exercise: str) -> str:
    """An exercise's name in nbgrader, whose ids have no dots: `attention-softmax`."""
    return exercise.replace(".", "-")
