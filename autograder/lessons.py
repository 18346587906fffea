"""Which lessons there are, where their files lie, and how a notebook's cells say what they are."""

import difflib
from pathlib import Path

import nbformat
from nbformat import NotebookNode

ROOT = Path(__file__).resolve().parents[1]

# In the course's order: lesson 01 is about attention, and what it asks for is in helpers/attention.py.
TOPICS = (
    "start_here", "attention", "complexity", "multihead", "positional", "masking",
    "counting", "pretraining", "finetuning", "bert", "translation",
)  # fmt: skip
# The last lesson that may not have a helper, since it asks students to write what the helper answers.
LOCKED_UNTIL = {topic: number for number, topic in enumerate(TOPICS)}
LOCKED_UNTIL |= {"transformer": 7, "encoder_decoder": 10}
# Blocks, text and training come with the first lesson that trains a model.
LOCKED_UNTIL |= dict.fromkeys(
    (
        "blocks", "training", "corpora", "grammar", "grammar_notation", "pairs", "real_text", "reviews",
        "review_rules", "review_words", "vocabulary", "muon",
    ),
    6,
)  # fmt: skip
ONLY_FOR = {"start": 0}


def names(root: Path = ROOT) -> list[str]:
    """The lessons that have a master, in order: `00_start_here`, `01_attention`, ..."""
    return sorted(path.stem for path in (root / "notebooks").glob("[0-9][0-9]_*.py"))


def find(name: str, root: Path = ROOT) -> str:
    """The lesson that somebody means by `01_attention`, `01`, `1`, `attention` or a path to its master.

    Raises:
        LookupError: there is no such lesson; the text says which there are.
    """
    known = names(root)
    wanted = Path(name).stem if name.endswith((".py", ".ipynb")) else name.strip("/").rpartition("/")[2]
    for lesson in known:
        if wanted in (lesson, topic(lesson), lesson[:2], str(number(lesson))):
            return lesson
    near = difflib.get_close_matches(wanted, [*known, *map(topic, known)], n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(known) or 'none'}"
    raise LookupError(f"no lesson {name!r} in notebooks/; {hint}")


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


def helper_files(lesson: str, root: Path = ROOT) -> list[Path]:
    """The helpers that students of a lesson may read: the common ones, and those of earlier lessons."""
    here = number(lesson)
    return [path for path in sorted((root / "helpers").glob("*.py")) if _may_read(path.stem, here)]


def common_helpers(root: Path = ROOT) -> list[Path]:
    """The helpers that belong to no lesson: what the grader's own side of a notebook is made of."""
    paths = sorted((root / "helpers").glob("*.py"))
    return [
        path for path in paths if not {path.stem, path.stem.partition("_")[2]} & {*LOCKED_UNTIL, *ONLY_FOR}
    ]


def _may_read(helper: str, lesson: int) -> bool:
    """Whether a lesson's students may read a helper: `widgets_counting` comes with 06, `counting` later."""
    topic = helper.partition("_")[2]
    if topic in TOPICS:
        return TOPICS.index(topic) <= lesson
    return LOCKED_UNTIL.get(helper, -1) < lesson and ONLY_FOR.get(helper, lesson) == lesson


def load_source_notebook(lesson: str, root: Path = ROOT) -> NotebookNode:
    """The instructor's notebook: the skeleton on which a submission is rebuilt. Ask its cells with `kind`.

    Raises:
        FileNotFoundError: the lesson isn't built.
    """
    path = source_path(lesson, root)
    if not path.is_file():
        raise FileNotFoundError(f"{path} isn't there: build it with `headstart build {lesson}`")
    return nbformat.read(path, as_version=4)


def kind(cell: NotebookNode) -> str:
    """What a cell of a source notebook is.

    Returns:
        "prose": text. "given": code that students may edit. "setup": locked code that the grader runs.
        "draw": code that only draws, which the grader doesn't run. "exercise": a solution cell. "check": the
        locked cell that carries an exercise's points. "written": an answer in words, graded by hand.
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
