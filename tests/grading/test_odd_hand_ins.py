"""What students hand in by mistake: how it was made, what it gets, and what is said of it. One class, graded once."""

import copy
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from traitlets.config import Config

from autograder.grading.lesson import release
from tests.support.course import LESSON, Course
from tests.support.proved import ENGINE, follows_from

pytestmark = [pytest.mark.needs_bubblewrap, pytest.mark.timeout(600), follows_from(*ENGINE)]

Notebook = nbformat.NotebookNode
Make = Callable[[Path, Notebook, Notebook], None]  # of a folder, the solved notebook, and the one given out
NAME = f"{LESSON}.ipynb"
COPY = f"{LESSON} (1).ipynb"
FULL, NONE = 23, 0
PERMUTATION = 3  # points of an exercise on which nothing builds
SOFTMAX, ONE_QUERY = 3, 2  # points of one on which most build, and of one of these


def text_of(notebook: Notebook) -> str:
    return json.dumps(notebook, ensure_ascii=False, indent=1)  # also where it is no valid notebook


def write(path: Path, content: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)


def put(*names: str) -> Make:
    """The solved notebook, under each of these paths."""
    return lambda folder, solved, _: [write(folder / name, text_of(solved)) for name in names] and None


def content(change: Callable[[str], str | bytes], name: str = NAME) -> Make:
    """A file made of the solved notebook's text."""
    return lambda folder, solved, _: write(folder / name, change(text_of(solved)))


def file(name: str, text: str | bytes = "x") -> Make:
    return lambda folder, *_: write(folder / name, text)


def blank(name: str = NAME) -> Make:
    return lambda folder, _, given: write(folder / name, text_of(given))


def both(*makes: Make) -> Make:
    return lambda folder, solved, given: [make(folder, solved, given) for make in makes] and None


def zipped(names: dict[str, str] | None = None, name: str = "hand-in.zip") -> Make:
    """A zip of the solved notebook under its name, or of files whose texts may be "solved" or "given"."""

    def make(folder: Path, solved: Notebook, given: Notebook) -> None:
        texts = {"solved": text_of(solved), "given": text_of(given)}
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for inner, text in (names or {NAME: "solved"}).items():
                archive.writestr(inner, texts.get(text, text))
        write(folder / name, packed.getvalue())

    return make


def answer(cells: Notebook, name: str) -> Notebook:
    [found] = [
        c for c in cells.cells if c.metadata.get("nbgrader", {}).get("grade_id") == f"attention-{name}-answer"
    ]
    return found


def edited(name: str, change: Callable[[str], str], path: str = NAME) -> Make:
    """The solved notebook with one answer changed."""

    def make(folder: Path, solved: Notebook, _: Notebook) -> None:
        cell = answer(solved, name)
        cell.source = change(cell.source)
        write(folder / path, text_of(solved))

    return make


def above(line: str) -> Make:
    return edited("softmax", lambda source: f"{line}\n{source}")


def below(line: str) -> Make:
    return edited("softmax", lambda source: f"{source}\n{line}")


def cells(change: Callable[[list[Notebook]], list[Notebook]]) -> Make:
    """The solved notebook with its cells changed."""

    def make(folder: Path, solved: Notebook, _: Notebook) -> None:
        solved.cells = change(solved.cells)
        write(folder / NAME, text_of(solved))

    return make


def without(key: str) -> Make:
    def change(all_cells: list[Notebook]) -> list[Notebook]:
        for number, cell in enumerate(all_cells):
            if key == "id":
                cell.id = f"other-{number}"
            else:
                cell.metadata = {}
        return all_cells

    return cells(change)


def no_permutation(all_cells: list[Notebook]) -> list[Notebook]:
    ids = ("attention-permutation-answer",)
    return [cell for cell in all_cells if cell.metadata.get("nbgrader", {}).get("grade_id") not in ids]


def no_checks(all_cells: list[Notebook]) -> list[Notebook]:
    return [cell for cell in all_cells if not cell.source.startswith("check(")]


def as_text(all_cells: list[Notebook]) -> list[Notebook]:
    """Answers whose cells were turned into Markdown."""
    for number, cell in enumerate(all_cells):
        if cell.metadata.get("nbgrader", {}).get("solution") and cell.cell_type == "code":
            all_cells[number] = nbformat.v4.new_markdown_cell(cell.source, metadata=cell.metadata, id=cell.id)
    return all_cells


def large(all_cells: list[Notebook]) -> list[Notebook]:
    answer_cell = next(cell for cell in all_cells if cell.cell_type == "code")
    answer_cell.outputs = [nbformat.v4.new_output("stream", text="x" * (21 << 20))]
    return all_cells


def added(source: str) -> Make:
    return cells(lambda all_cells: [all_cells[0], nbformat.v4.new_code_cell(source), *all_cells[1:]])


def of_another_lesson(folder: Path, solved: Notebook, _: Notebook) -> None:
    solved.metadata["headstart"] = {"lesson": "05_complexity"}
    write(folder / NAME, text_of(solved))


def as_a_link(folder: Path, solved: Notebook, _: Notebook) -> None:
    write(folder.parent / "elsewhere.ipynb", text_of(solved))
    (folder / NAME).symlink_to(folder.parent / "elsewhere.ipynb")


def reads_a_file(source: str) -> str:
    return f"ONE = float(open('one.txt').read())\n{source}"


HALF = content(lambda text: text[: len(text) // 2])
COLAB = "from google.colab import drive\ndrive.mount('/content/drive')"
LOST = "there is no notebook, but"
UNCLEAR = "nothing says which of them counts"

SYNTAX_ERROR = edited(
    "softmax", lambda s: s.replace("def softmax", "def  softmax(x, dim):\n    return 2 x\ndef softmax")
)
MISSPELT = edited("softmax", lambda s: s.replace("):\n", "):\n    x = torhc.exp(x)\n", 1))
ASKS_SOFTMAX = "def look_up(*given, **named):\n    return softmax(given[0], -1).sum()"
FIX_THAT = "“Softmax”, which this builds on, doesn't pass yet: fix that one."

# How it was made, the points from checks, and what is said of it.
ODD: dict[str, tuple[Make, int, str]] = {
    # Names and places
    "as it was given out": (blank(), NONE, "not written"),
    "under another name": (put("final version.ipynb"), FULL, "was handed in as 'final version.ipynb'"),
    "a browser's copy": (put(COPY), FULL, f"was handed in as '{COPY}'"),
    "JupyterLab's copy": (put(f"{LESSON}-Copy1.ipynb"), FULL, "was handed in as '01_attention-Copy1.ipynb'"),
    "in capitals": (put(NAME.upper()), FULL, "was handed in as '01_ATTENTION.IPYNB'"),
    "blank, answers in a copy": (both(blank(), put(COPY)), FULL, f"has no answers, so '{COPY}' was graded"),
    "answers, a blank copy": (both(put(NAME), blank(COPY)), FULL, ""),
    "answers, a copy of them": (put(NAME, COPY), FULL, ""),
    "answers, and others in a copy": (
        both(put(NAME), edited("additive", lambda _: "additive_attention = None", COPY)),
        FULL,
        f"'{COPY}' holds answers, too, and was not graded",
    ),
    "blank, answers in two copies": (
        both(blank(), put(COPY), edited("additive", lambda _: "pass", "b.ipynb")), NONE, UNCLEAR
    ),
    "blank, one copy twice": (both(blank(), put(COPY, f"{LESSON} (2).ipynb")), FULL, f"so '{COPY}' was graded"),
    "two copies that differ": (both(put(COPY), edited("additive", lambda _: "pass", "b.ipynb")), NONE, UNCLEAR),
    "broken, a whole copy": (both(HALF, put(COPY)), FULL, f"so '{COPY}' was graded"),
    "a folder too deep": (put(f"{LESSON}/{NAME}"), FULL, f"was handed in as '{LESSON}/{NAME}'"),
    "three folders deep": (put(f"a/b/c/{NAME}"), FULL, f"was handed in as 'a/b/c/{NAME}'"),
    "a folder too deep, with a file that it reads": (
        both(edited("softmax", reads_a_file, f"work/{NAME}"), file("work/one.txt", "1")), FULL, "was handed in as"
    ),
    "blank, answers in a folder": (both(blank(), put(f"mine/{NAME}")), FULL, f"so 'mine/{NAME}' was graded"),
    "a checkpoint alone": (
        put(f".ipynb_checkpoints/{LESSON}-checkpoint.ipynb"), NONE, "there is no notebook, but '.ipynb_checkpoints':"
    ),
    "nothing": (lambda *_: None, NONE, "the folder is empty"),
    "a link": (as_a_link, NONE, "is a link; links are not followed"),
    # Other kinds of files
    "a zip": (zipped(), FULL, f"was handed in as '{NAME} in hand-in.zip'"),
    "a Mac's zip": (zipped({f"w/{NAME}": "solved", f"__MACOSX/w/._{NAME}": "x"}), FULL, f"w/{NAME} in hand-in.zip"),
    "blank, answers in a zip": (both(blank(), zipped()), FULL, f"so '{NAME} in hand-in.zip' was graded"),
    "a zip with the blank one, too": (zipped({"a.ipynb": "given", "b.ipynb": "solved"}), FULL, "so 'b.ipynb in"),
    "a zip of a script": (zipped({"a.py": "x"}), NONE, "a zip with no notebook in it that can be read"),
    "a broken zip": (file("hand-in.zip", b"PK\3\4broken"), NONE, "a zip with no notebook in it that can be read"),
    ".ipynb.txt": (put(f"{NAME}.txt"), FULL, f"was handed in as '{NAME}.txt'"),
    ".ipynb.json": (put(f"{NAME}.json"), FULL, f"was handed in as '{NAME}.json'"),
    ".ipynb (1)": (put(f"{NAME} (1)"), FULL, f"was handed in as '{NAME} (1)'"),
    ".json": (put(f"{LESSON}.json"), FULL, f"was handed in as '{LESSON}.json'"),
    "no ending": (put(LESSON), FULL, f"was handed in as '{LESSON}'"),
    "blank, answers in .ipynb.txt": (both(blank(), put(f"{NAME}.txt")), FULL, f"so '{NAME}.txt' was graded"),
    ".py": (file(f"{LESSON}.py"), NONE, f"{LOST} '{LESSON}.py', a script made from a notebook: hand in the notebook"),
    ".html": (file(f"{LESSON}.html"), NONE, "a page made from a notebook"),
    ".pdf": (file(f"{LESSON}.pdf"), NONE, "a page made from a notebook"),
    ".rar": (file("work.rar"), NONE, "an archive of a kind that isn't unpacked here"),
    "an unfinished download": (file(f"{NAME}.crdownload"), NONE, "a download that didn't finish"),
    "pictures": (both(*(file(f"{n}.jpg") for n in range(7))), NONE, f"{LOST} '0.jpg'; '1.jpg'; '2.jpg'; '3.jpg'; '4.jpg', and 2 more"),
    # What is in the file
    "an empty file": (file(NAME, ""), NONE, "the notebook file is empty"),
    "half a file": (HALF, NONE, "breaks off before its end"),
    "a page of the LMS's": (file(NAME, "<!DOCTYPE html><title>Log in</title>"), NONE, "is a web page, perhaps one that asks for a login"),
    "a merge that failed": (content(lambda text: text.replace('"cells"', '\n<<<<<<< HEAD\n"cells"', 1)), NONE, "a merge that failed"),
    "a byte order mark": (content(lambda text: text.encode("utf-8-sig")), FULL, ""),
    "UTF-16": (content(lambda text: text.encode("utf-16")), FULL, ""),
    "Windows line ends": (content(lambda text: text.replace("\n", "\r\n")), FULL, ""),
    "a format of 2014": (file(NAME, '{"worksheets": []}'), NONE, "in a format from before 2015"),
    "JSON of something else": (file(NAME, "[1, 2]"), NONE, "not a notebook"),
    "another lesson's": (of_another_lesson, NONE, "the notebook of another lesson, '05_complexity'"),
    "large outputs": (cells(large), FULL, "its outputs were dropped"),
    "a time that is none": (both(put(NAME), file("timestamp.txt", "yesterday")), FULL, "holds no time"),
    # Cells
    "cells the other way round": (cells(lambda all_cells: all_cells[::-1]), FULL, ""),
    "cells twice": (cells(lambda all_cells: [*all_cells, *copy.deepcopy(all_cells)]), FULL, ""),
    "cells without nbgrader's marks": (without("metadata"), FULL, ""),
    "cells with other ids": (without("id"), FULL, ""),
    "cells with neither, as Deepnote and jupytext make them": (both(without("metadata"), without("id")), FULL, ""),
    "an answer deleted": (cells(no_permutation), FULL - PERMUTATION, "missing answer cells, which count as not written: 1"),
    "checks deleted": (cells(no_checks), FULL, ""),
    "answers as Markdown": (cells(as_text), FULL, ""),
    "an answer below a magic that is no Python": (
        edited("permutation", lambda s: f"%%writefile mine.py\n{s}"), FULL - PERMUTATION, "begins with `%%writefile`"
    ),
    "an answer below a stopwatch": (edited("permutation", lambda s: f"%%time\n{s}"), FULL, ""),
    "an answer emptied": (edited("permutation", lambda _: ""), FULL - PERMUTATION, "not run"),
    "a cell of their own": (added("mine = 1"), FULL, ""),
    "a cell of their own that fails": (added("1 / 0"), FULL, ""),
    # Lines and characters in an answer
    "Colab's drive": (above(COLAB), FULL, "Left out `from google.colab import drive`: No module named 'google'"),
    "a tracker": (above("import wandb\nrun = wandb.init()"), FULL, "Left out `run = wandb.init()`"),
    "!pip": (above("!pip install einops"), FULL, "Grading left out `!pip install einops`"),
    "an extension": (above("%load_ext tensorboard"), FULL, "Left out `%load_ext tensorboard`"),
    "Colab's magic": (above("%tensorflow_version 2.x"), FULL, "Left out `%tensorflow_version 2.x`"),
    "an import of another name": (above("from torch import nonesuch"), FULL, "cannot import name 'nonesuch'"),
    "a type hint of what isn't there": (
        edited("softmax", lambda s: "from jaxtyping import Float\n" + s.replace("(x,", "(x: Float[torch.Tensor, 'n'],", 1)),
        FULL,
        "Left out `from jaxtyping import Float`",
    ),
    "all tensors on a GPU": (above("torch.set_default_device('cuda')"), FULL, ""),
    "no-break spaces": (edited("softmax", lambda s: s.replace("    ", "\xa0" * 4)), FULL, "U+00A0 (no-break space)"),
    "a zero-width space": (above("\u200bx = 1"), FULL, "U+200B (zero width space)"),
    "curly quotes": (above("name = “softmax”"), FULL, "U+201C (left double quotation mark)"),
    "signs of full width": (above("print（1，2）"), FULL, "U+FF08 (fullwidth left parenthesis)"),
    "tabs": (edited("softmax", lambda s: s.replace("    ", "\t")), FULL, ""),
    "a failed self-test": (below("assert softmax(torch.zeros(2), 0) is None"), FULL, ""),
    "a function of their own that is called as ours": (
        below("def check(x):\n    return x"), NONE, "a cell gives the name `check` to something else"
    ),
    "an emoji": (above("# 🎉"), FULL, ""),
    "a file that it reads": (both(edited("softmax", reads_a_file), file("one.txt", "1")), FULL, ""),
    "a question to the keyboard": (
        edited("permutation", lambda s: f"input('go on?')\n{s}"), FULL - PERMUTATION, "nobody answers it when a notebook is graded"
    ),
    "a syntax error": (SYNTAX_ERROR, FULL - SOFTMAX, FIX_THAT),
    "a misspelt name": (MISSPELT, FULL - SOFTMAX, FIX_THAT),
    "a syntax error, and a mistake in what calls it": (
        both(SYNTAX_ERROR, edited("one_query", lambda _: ASKS_SOFTMAX)),
        FULL - SOFTMAX - ONE_QUERY,
        "`softmax` has no value, because the cell that makes it ended with SyntaxError: fix that first.",
    ),
    "a misspelt name, and a mistake in what calls it": (
        both(MISSPELT, edited("one_query", lambda _: ASKS_SOFTMAX)),
        FULL - SOFTMAX - ONE_QUERY,
        "It fails in the answer to “Softmax”, which doesn't pass yet: fix that first.",
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[float, str]]:
    """Points from checks and all words on the submission, by how it was made."""
    course = Course(tmp_path_factory.mktemp("odd"))
    solved = course.solved()
    given = release(nbformat.read(course.root / "source" / LESSON / NAME, as_version=4), Config())
    students = {f"s{number:02}": name for number, name in enumerate(ODD)}
    for student, name in students.items():
        ODD[name][0](course.submission(student), copy.deepcopy(solved), copy.deepcopy(given))
    course.run("headstart", "grade", LESSON)
    found = course.verdicts()
    rows = course.query("select student, problem, remarks from headstart_grading")
    remarks = {student: " ".join([problem, *json.loads(more)]) for student, problem, more in rows}
    told = {}
    for student, name in students.items():
        messages = [verdict["message"] for verdict in found[student].values()]
        outputs = [o.get("text", "") for c in course.autograded(student).cells for o in c.get("outputs", [])]
        points = sum(verdict["points"] for verdict in found[student].values())
        told[name] = points, "\n".join([remarks[student], *messages, *outputs])
    return told


@pytest.mark.parametrize("name", ODD)
def test_an_odd_hand_in_gets_what_it_is_worth_and_a_true_sentence(name, said):
    points, words = said[name]
    assert points == ODD[name][1], words
    assert ODD[name][2] in words


def test_nothing_is_said_of_what_is_as_it_should_be(said):
    quiet = [name for name, (_, points, words) in ODD.items() if points == FULL and not words]
    assert quiet
    for name in quiet:
        assert "was graded" not in said[name][1] and "handed in as" not in said[name][1]


def test_what_python_calls_the_file_of_a_cell_is_said_to_nobody(said):
    assert "SyntaxError: invalid syntax (line 2)" in said["a syntax error"][1]
    assert not [name for name, (_, words) in said.items() if "<ipython-input" in words]
