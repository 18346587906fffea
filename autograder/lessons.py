"""Which lessons there are, where their files lie, and how a notebook's cells say what they are."""

import difflib
import re
from pathlib import Path

import nbformat
from nbformat import NotebookNode

ROOT = Path(__file__).resolve().parents[1]
NUMBERED = re.compile(r"[0-9]{2}_")

# The number of each topic, in the course's order: a master's name says both.
NUMBERS = {path.stem[3:]: int(path.stem[:2]) for path in sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.py"))}
TOPICS = tuple(NUMBERS)
# Which helpers a lesson's students may read follows from where they lie. A topic's own folder opens with its
# lesson; but the reference in it, and the `__init__.py` that passes it on, answer what the lesson asks for,
# and open with the next. What several lessons share opens with the lesson that is named here. The models in
# models/ build on several lessons and serve several later ones, but hold answers: each file opens by itself.
OPENS = {
    "__init__.py": "start_here",
    "checks.py": "start_here",
    "checking": "start_here",
    "storage.py": "start_here",
    "figures": "start_here",
    "kept.py": "attention",
    "timing.py": "attention",
    "corpora.py": "block",
    "text": "block",
    "training": "block",
    "sharing": "block",
    "own.py": "counting",
    "models/__init__.py": "counting",
    "models/blocks.py": "counting",
    "models/linear.py": "counting",
    "models/transformer.py": "counting",
    "models/encoder_decoder.py": "modern",  # answers translation
}


def names(root: Path = ROOT) -> list[str]:
    """The lessons that have a master, in order: `00_start_here`, `01_attention`, ..."""
    return sorted(path.stem for path in (root / "notebooks").glob("[0-9][0-9]_*.py"))


def find(name: str, root: Path = ROOT) -> str:
    """The lesson that somebody means by `01_attention`, `01`, `1`, `attention` or a path to its master.

    Raises:
        LookupError: there is no such lesson; the text says which there are.
    """
    return find_among(names(root), name, Path("notebooks"))


def counted(number: float, thing: str) -> str:
    """So many of a thing, in words: 1 student, 2 students, 0.5 points."""
    return f"{number:g} {thing}{'s' * (number != 1)}"


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


def master_path(lesson: str, root: Path = ROOT) -> Path:
    """Where a lesson is written."""
    return root / "notebooks" / f"{lesson}.py"


def source_path(lesson: str, root: Path = ROOT) -> Path:
    """The instructor's notebook, with solutions."""
    return root / "source" / lesson / f"{lesson}.ipynb"


def release_path(lesson: str, root: Path = ROOT) -> Path:
    """The notebook as students get it."""
    return root / "release" / lesson / f"{lesson}.ipynb"


def helper_files(lesson: int, root: Path = ROOT) -> list[Path]:
    """The helpers that students of a lesson, given by its number, may read.

    Raises:
        LookupError: it follows from nothing with which lesson one of all the helpers opens.
    """
    from helpers.figures.predicting import REVEALED  # here: most commands need no helpers

    folder = root / "helpers"
    files = [p for p in sorted(folder.rglob("*")) if p.is_file() and "__pycache__" not in p.parts]
    first = {path: opens(path.relative_to(folder)) for path in files}
    own = {path for path in files if path.name != REVEALED or first[path] == lesson}
    return [path for path in files if first[path] <= lesson and path in own]


def opens(helper: Path) -> int:
    """The number of the first lesson whose students may read a helper.

    Args:
        helper: its path below `helpers/`.

    Raises:
        LookupError: neither its place nor `OPENS` says.
    """
    room, *rest = helper.parts
    if room in NUMBERS and rest:
        return NUMBERS[room] + (rest[0] in ("__init__.py", "reference.py", "reference"))
    first = OPENS.get(helper.as_posix(), OPENS.get(room))
    if first is None:
        shared = any(name.startswith(f"{room}/") for name in OPENS)
        new = "" if shared or not rest else f"; for a new lesson, call `headstart new lesson {room}`"
        raise LookupError(
            f"nothing says with which lesson helpers/{helper.as_posix()} opens: move it into the folder of "
            f"its lesson, such as helpers/attention/, or name it in OPENS in autograder/lessons.py{new}"
        )
    return NUMBERS[first]


def load_source_notebook(lesson: str, root: Path = ROOT) -> NotebookNode:
    """The instructor's notebook: the skeleton on which a submission is rebuilt. Ask its cells with `kind`.

    Raises:
        FileNotFoundError: there is no such notebook; where it is one that we build, the text says how.
    """
    path = source_path(lesson, root)
    if not path.is_file():
        cure = f": build it with `headstart build {lesson}`" if lesson in names(root) else ""
        raise FileNotFoundError(f"{path} isn't there{cure}")
    return nbformat.read(path, as_version=4)


def kind(cell: NotebookNode) -> str:
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


def is_test(cell: NotebookNode) -> bool:
    """Whether nbgrader itself would grade by this cell: locked code with points, and no check of ours."""
    nbgrader = cell.metadata.get("nbgrader", {})
    return bool(
        cell.cell_type == "code"
        and nbgrader.get("grade")
        and not nbgrader.get("solution")
        and kind(cell) != "check"
    )


def exercise_of(cell: NotebookNode) -> str:
    """The id of the exercise or question that a cell belongs to, `attention.softmax`; "" where to none."""
    return cell.metadata.get("headstart", {}).get("id", "")


def grade_id(exercise: str) -> str:
    """An exercise's name in nbgrader, whose ids have no dots: `attention-softmax`."""
    return exercise.replace(".", "-")
