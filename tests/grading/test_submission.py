"""Whatever is handed in, the lesson's own cells come out, in their order, with the student's answers in them."""

import copy
import json
import os
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from nbgrader.coursedir import CourseDirectory

from autograder.classroom.course import find_submissions, refused_names
from autograder.grading import shown
from autograder.grading import submission as module
from autograder.grading.edits import what_changed
from autograder.grading.handed_in import Submission
from autograder.grading.submission import canonical
from autograder.limits import MAX_FILES_BYTES, MAX_JSON_PARTS
from tests.support.raising import nothing_else_raised
from tests.support.refusing import refuse

LESSON = "01_attention"


def answer(name: str, source: str = "raise NotImplementedError()") -> nbformat.NotebookNode:
    nbgrader = {"grade_id": f"{name}-answer", "grade": False, "solution": True, "locked": False}
    return new_code_cell(source, id=f"{name}-answer", metadata={"nbgrader": nbgrader})


def check(name: str) -> nbformat.NotebookNode:
    nbgrader = {"grade_id": name, "grade": True, "solution": False, "locked": True, "points": 1}
    return new_code_cell(f"check({name!r})", id=name, metadata={"nbgrader": nbgrader})


@pytest.fixture
def skeleton() -> nbformat.NotebookNode:
    cells = [new_markdown_cell("# Title", id="title"), answer("a"), check("a"), answer("b"), check("b")]
    return new_notebook(cells=cells, metadata={"headstart": {"lesson": LESSON}})


@pytest.fixture
def hand_in(skeleton, tmp_path):
    """Hand in some content and bring it into canonical form."""

    def hand_in(content: object, name: str = f"{LESSON}.ipynb") -> module.Canonical:
        folder = tmp_path / "submitted" / "amy" / LESSON
        folder.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            (folder / name).write_bytes(content)
        elif content is not None:
            (folder / name).write_text(json.dumps(content), encoding="utf-8")
        with nothing_else_raised():
            return canonical(Submission("amy", LESSON, folder), skeleton)

    return hand_in


def solved(skeleton: nbformat.NotebookNode) -> nbformat.NotebookNode:
    theirs = copy.deepcopy(skeleton)
    theirs.cells[1].source, theirs.cells[3].source = "A", "B"
    return theirs


def sources(form: module.Canonical) -> list[str]:
    return [cell.source for cell in form.notebook.cells]


RIGHT = ["# Title", "A", "check('a')", "B", "check('b')"]


def test_answers_come_from_the_student(skeleton, hand_in) -> None:
    assert sources(hand_in(solved(skeleton))) == RIGHT


def test_pictures_in_the_lessons_own_texts_are_looked_for_once_for_all(
    skeleton, hand_in, monkeypatch
) -> None:
    looked_at: list[str] = []
    lifted = shown.lifted
    monkeypatch.setattr(shown, "lifted", lambda text: looked_at.append(text) or lifted(text))
    skeleton.cells[0].source = f"# Once for all\n\n![](data:image/png;base64,{'A' * 1000})"
    for _ in range(3):
        hand_in(solved(skeleton))
    assert looked_at.count(skeleton.cells[0].source) == 1


def test_outputs_and_counts_are_dropped(skeleton, hand_in) -> None:
    theirs = solved(skeleton)
    theirs.cells[1].outputs = [nbformat.v4.new_output("stream", text="10/10")]
    assert all(not cell.get("outputs") for cell in hand_in(theirs).notebook.cells)


@pytest.mark.promise(18)
@pytest.mark.parametrize("order", [[4, 3, 2, 1, 0], [1, 3, 0, 2, 4], [1, 3]])
def test_moved_and_deleted_cells_change_nothing(skeleton, hand_in, order) -> None:
    theirs = solved(skeleton)
    theirs.cells = [theirs.cells[i] for i in order]
    assert sources(hand_in(theirs)) == RIGHT


@pytest.mark.promise(18)
def test_edited_checks_and_prose_are_put_back(skeleton, hand_in) -> None:
    theirs = solved(skeleton)
    theirs.cells[0].source, theirs.cells[2].source = "# Mine", "pass"
    theirs.cells[2].metadata.nbgrader.points = 100
    form = hand_in(theirs)
    assert [source for source in sources(form) if source != "pass"] == RIGHT
    assert form.notebook.cells[2].metadata.nbgrader.points == 1


@pytest.mark.promise(19)
def test_what_is_written_into_a_cell_of_the_courses_runs_after_it(skeleton, hand_in) -> None:
    skeleton.cells.insert(1, new_code_cell("import torch\nhours = torch.ones(3)", id="set-up"))
    theirs = copy.deepcopy(skeleton)
    theirs.cells[2].source, theirs.cells[4].source = "A", "B"
    mine = new_code_cell("their own", id="mine")
    theirs.cells[
        1
    ].source = "import torch; import math\n\nhours = torch.ones(4)\ndef helper(x):\n    return x"
    theirs.cells.insert(2, mine)
    form = hand_in(theirs)
    written = "import math\nhours = torch.ones(4)\ndef helper(x):\n    return x"
    assert sources(form) == [RIGHT[0], skeleton.cells[1].source, written, "their own", *RIGHT[1:]]
    assert form.notebook.cells[2].metadata.headstart.added
    assert "course's own code cells" in form.notes[0] and form.notes[0].endswith(": 1")


SAME = {
    "as it was": "import torch\nx = 1  # one\nfor a in b:\n    print(a)",
    "other blanks": "import torch\n\nx  =  1  # one\nfor a in b:\n    print(a)\n\n",
    "other comments": "# mine\nimport torch\nx = 1\nfor a in b:\n    print(a)  # look",
    "less of it": "import torch",
    "nothing": "",
}


@pytest.mark.parametrize("theirs", SAME.values(), ids=SAME)
def test_a_cell_that_says_nothing_new_is_not_run_again(theirs) -> None:
    assert what_changed(SAME["as it was"], theirs) == ""


CHANGED = {
    "@decorate\n@twice(2)\ndef f():\n    return 1": "@decorate\n@twice(2)\ndef f():\n    return 1",
    "import torch; y = (\n  1)": "y = (\n  1)",
    "if x: y = 1; z = 2": "if x: y = 1; z = 2",
    "é = 1; ü = 2": "é = 1\nü = 2",
    "!pip install x\nimport torch": "!pip install x\nimport torch",
    "x = (": "x = (",
}


@pytest.mark.parametrize("theirs", CHANGED)
def test_new_statements_come_as_they_are_written(theirs) -> None:
    assert what_changed("import torch\nx = 1", theirs) == CHANGED[theirs]


@pytest.mark.promise(15)
def test_a_cell_of_very_many_statements_is_taken_apart_soon() -> None:
    """Each was looked up in the whole cell once: for hours, and no limit of time had begun."""
    begun = time.process_time()
    many = "".join(f"a = {number}\n" for number in range(20_000))
    assert what_changed("import torch", many) == many.rstrip("\n")
    assert time.process_time() - begun < 20


def test_of_a_cell_that_only_draws_names_are_kept(skeleton, hand_in) -> None:
    """Its figures and training runs are left out of grading, whatever a student makes of them."""
    drawing = new_code_cell("steps = 100\ntrain(steps)", id="draw", metadata={"headstart": {"kind": "draw"}})
    skeleton.cells.insert(1, drawing)
    theirs = copy.deepcopy(skeleton)
    theirs.cells[1].source = "import math\nsteps = 10_000\ntrain(steps)\ndef helper():\n    return math.pi"
    form = hand_in(theirs)
    assert sources(form)[2] == "import math\ndef helper():\n    return math.pi"
    theirs.cells[1].source = "%matplotlib widget\ntrain(steps)"
    assert sources(hand_in(theirs)) == sources(hand_in(skeleton))


def test_a_deleted_answer_counts_as_not_written(skeleton, hand_in) -> None:
    theirs = solved(skeleton)
    del theirs.cells[1]
    form = hand_in(theirs)
    assert sources(form)[1] == "raise NotImplementedError()"
    assert "missing" in form.notes[0]


def test_a_copy_is_a_cell_of_the_students_own_after_the_first(skeleton, hand_in) -> None:
    theirs = solved(skeleton)
    theirs.cells.insert(2, copy.deepcopy(theirs.cells[1]) | {"id": "copy", "source": "A2"})
    form = hand_in(theirs)
    assert sources(form) == ["# Title", "A", "A2", "check('a')", "B", "check('b')"]
    assert "nbgrader" not in form.notebook.cells[2].metadata


def test_added_cells_stay_where_they_were(skeleton, hand_in) -> None:
    theirs = solved(skeleton)
    theirs.cells.insert(0, new_code_cell("first"))
    theirs.cells.insert(4, new_markdown_cell("between"))
    theirs.cells.append(new_code_cell("last"))
    assert sources(hand_in(theirs)) == [
        "first",
        "# Title",
        "A",
        "check('a')",
        "between",
        "B",
        "check('b')",
        "last",
    ]


@pytest.mark.parametrize("lost", ["metadata", "id"])
def test_lost_metadata_or_ids_don_t_matter(skeleton, hand_in, lost) -> None:
    theirs = solved(skeleton)
    for cell in theirs.cells:
        cell.pop(lost)
    assert sources(hand_in(theirs)) == RIGHT


@pytest.mark.promise(18)
def test_where_ids_and_metadata_are_lost_an_answer_is_known_by_its_names_or_its_place(
    skeleton, hand_in
) -> None:
    """Deepnote, a script made a notebook again, and cells copied to a new notebook keep neither."""
    by_name = "def f(x):\n    return x"
    question, written = (
        new_markdown_cell("Why?", id="question"),
        new_markdown_cell("YOUR ANSWER HERE", id="why"),
    )
    written.metadata.nbgrader = {"grade_id": "why", "solution": True}
    skeleton.cells[1].source = f"{by_name} + ..."
    skeleton.cells += [question, written, new_markdown_cell("# End", id="end")]
    theirs = copy.deepcopy(skeleton)
    theirs.cells[1].source, theirs.cells[3].source, theirs.cells[6].source = by_name, "B", "Because."
    theirs.cells.insert(1, new_code_cell("scratch = 1"))
    for cell in theirs.cells:
        del cell["id"]
        cell.metadata, cell.source = {}, cell.source.replace("Why?", "Why?\r\n\r\nSay.")
    skeleton.cells[5].source = "Why?\n\nSay."
    form = hand_in(theirs)
    right = [
        "# Title",
        "scratch = 1",
        by_name,
        "check('a')",
        "B",
        "check('b')",
        "Why?\n\nSay.",
        "Because.",
        "# End",
    ]
    assert (sources(form), form.notes) == (right, [])


def test_of_two_notebooks_in_one_the_answers_that_are_written_count(skeleton, hand_in) -> None:
    first, second = solved(skeleton), solved(skeleton)
    first.cells[3].source, second.cells[1].source = skeleton.cells[3].source, ""
    first.cells += second.cells
    form = hand_in(first)
    assert [cell.source for cell in form.notebook.cells if not cell.metadata.get("headstart")] == RIGHT


@pytest.mark.promise(18)
def test_flags_and_types_come_from_the_lesson(skeleton, hand_in) -> None:
    theirs = solved(skeleton)
    theirs.cells[1]["cell_type"] = "raw"
    theirs.cells[1].metadata = {"tags": ["skip-execution"], "nbgrader": theirs.cells[1].metadata.nbgrader}
    cell = hand_in(theirs).notebook.cells[1]
    assert (cell.cell_type, cell.metadata.get("tags"), cell.source) == ("code", None, "A")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty"),
        (b"{'cells'}", "not JSON"),
        (b'{"cells": [], "metadata": {"n": ' + b"7" * 200_000 + b"}}", "a number with thousands of digits"),
        (b"\xff\xfe\x00", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"\n<!DOCTYPE html>", "is a web page, perhaps one that asks for a login: hand in the notebook"),
        (b"%PDF-1.7", "is a PDF: hand in the notebook"),
        (b"PK\3\4...", "is a zip: hand in the notebook"),
        (b"\x1f\x8b...", "an archive of a kind that isn't unpacked here: hand in the notebook"),
        (b"version https://git-lfs.github.com/spec/v1\n", "what Git has in the place of a large file"),
        (b'{"cells": [\n<<<<<<< HEAD\n=======\n>>>>>>> b\n]}', "the marks of a merge that failed"),
        (b'{"cells": [{"source": "def', "breaks off before its end: save or download it again"),
        ([1, 2], "not a notebook: hand in the notebook"),
        ({"cells": 3}, "not a notebook"),
        ({"worksheets": []}, "before 2015: open it in Jupyter, save it"),
        ({"cells": []}, "none of the lesson's answer cells"),
        ({"cells": [{"source": "x"}] * 10_000}, "10,000 cells"),
        ({"cells": [{"source": "x" * 5_000_000}]}, "MiB of text"),
        (
            {"cells": [], "metadata": {"headstart": {"lesson": "05_complexity"}}},
            "another lesson, '05_complexity'",
        ),
        (
            {"cells": [], "metadata": {"headstart": {"lesson": "09_attention"}}},  # its number some time ago
            "none of the lesson's answer cells",
        ),
        (None, "the folder is empty"),
    ],
)
def test_what_can_t_be_graded_says_why(hand_in, content, reason) -> None:
    assert reason in hand_in(content).problem


@pytest.mark.parametrize(
    "junk", [None, 3, "text", [], {"cells": [None, 3, []]}, {"metadata": 3, "id": [], "source": {}}]
)
def test_junk_among_the_cells_is_passed_over(skeleton, hand_in, junk) -> None:
    theirs = json.loads(nbformat.writes(solved(skeleton)))
    theirs["cells"].insert(2, junk)
    theirs["metadata"] = junk
    assert sources(hand_in(theirs)) == RIGHT


def test_another_name_is_found_when_it_is_the_only_notebook(skeleton, hand_in) -> None:
    form = hand_in(solved(skeleton), name="Внимание.ipynb")
    assert sources(form) == RIGHT
    assert "Внимание" in form.notes[0]


@pytest.mark.promise(27)
def test_links_and_folders_are_not_followed(skeleton, hand_in, tmp_path) -> None:
    secret = tmp_path / "secret.ipynb"
    secret.write_text(nbformat.writes(solved(skeleton)))
    folder = tmp_path / "submitted" / "amy" / LESSON
    folder.mkdir(parents=True)
    path = folder / f"{LESSON}.ipynb"
    path.symlink_to(secret)
    assert "link" in hand_in(None).problem
    path.unlink()
    path.mkdir()
    assert "folder" in hand_in(None).problem
    path.rmdir()
    os.mkfifo(path)
    came = []
    # Who waits for a writer gets one.
    late = threading.Timer(60, lambda: [came.append("late"), os.close(os.open(path, os.O_RDWR))])
    late.start()
    assert "regular" in hand_in(None).problem
    late.cancel()
    assert not came


def test_other_files_come_along_within_bounds(skeleton, hand_in, tmp_path) -> None:
    folder: Path = tmp_path / "submitted" / "amy" / LESSON
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "mine.py").write_text("x = 1")
    (folder / "link").symlink_to("/etc/passwd")
    (folder / "large.bin").write_bytes(bytes(MAX_FILES_BYTES + 1))
    (folder / "sub" / "most.bin").write_bytes(bytes(MAX_FILES_BYTES - 2))  # with mine.py, too large
    (folder / "timestamp.txt").write_text("2026-01-01")
    form = hand_in(solved(skeleton))
    assert form.files == {"sub/mine.py": b"x = 1"}
    assert form.records == {"timestamp.txt": b"2026-01-01"}
    assert len(form.notes) == 3


@pytest.mark.parametrize("stand_in", ["long", "empty", "folder", "link", "pipe", "steering"])
def test_a_record_that_is_none_is_there_and_empty(skeleton, hand_in, tmp_path, stand_in) -> None:
    """So that the grader can say so: without any, nbgrader wasn't used."""
    path: Path = tmp_path / "submitted" / "amy" / LESSON / "timestamp.txt"
    path.parent.mkdir(parents=True)
    (tmp_path / "classmates.txt").write_text("2026-01-01 12:00:00 UTC")
    put = {
        "long": lambda: path.write_text("2026-01-01 12:00:00 UTC" + " " * 1000),
        "empty": path.touch,
        "steering": lambda: path.write_text(
            "2026-01-01 12:00:00 \x1b]0;x\x07"
        ),  # dateutil takes it for a zone
        "folder": path.mkdir,
        "link": lambda: path.symlink_to(tmp_path / "classmates.txt"),
        "pipe": lambda: os.mkfifo(path),
    }
    assert not hand_in(solved(skeleton)).records
    put[stand_in]()
    assert hand_in(solved(skeleton)).records == {"timestamp.txt": b""}


def test_the_digest_changes_with_anything_handed_in(skeleton, hand_in, tmp_path) -> None:
    first = hand_in(solved(skeleton)).digest
    assert hand_in(solved(skeleton)).digest == first
    (tmp_path / "submitted" / "amy" / LESSON / "mine.py").write_text("x = 1")
    assert hand_in(solved(skeleton)).digest != first


def test_large_outputs_cost_no_marks(skeleton, hand_in) -> None:
    theirs = solved(skeleton)
    theirs.cells[1].outputs = [nbformat.v4.new_output("stream", text="x" * 30_000_000)]
    form = hand_in(theirs)
    assert sources(form) == RIGHT
    assert "outputs were dropped" in form.notes[0]


def test_more_parts_than_any_notebook_has_are_refused_before_they_take_memory(hand_in) -> None:
    many, keys = b"[]," * MAX_JSON_PARTS, b'"a":1,' * (2 * MAX_JSON_PARTS)
    form = hand_in(b'{"cells": [' + many + b"0]}")
    assert form.problem == "the notebook file has more parts than any real notebook"
    form = hand_in(b'{"cells": [], "metadata": {' + keys + b'"b": 1}}')
    assert form.problem == "the notebook file has more parts than any real notebook"


def test_remarks_have_an_end(hand_in, skeleton, tmp_path) -> None:
    folder = tmp_path / "submitted" / "amy" / LESSON
    folder.mkdir(parents=True)
    for number in range(50):
        (folder / f"link{number}.txt").symlink_to("nowhere")
    form = hand_in(solved(skeleton))
    assert len(form.notes) == module.MAX_NOTES + 1
    assert form.notes[-1] == "and 30 more remarks"


@pytest.fixture
def bottomless(tmp_path) -> Iterator[Path]:
    """Folders in folders, too deep for os.walk, Path.mkdir and pytest's own clean-up, which call themselves."""
    folder = tmp_path / "submitted" / "amy" / LESSON
    folder.mkdir(parents=True)
    try:
        at = os.open(folder, os.O_RDONLY)
        for _ in range(1200):
            os.mkdir("a", dir_fd=at)
            below = os.open("a", os.O_RDONLY, dir_fd=at)
            os.close(at)
            at = below
        os.close(at)
        yield folder
    finally:  # what is left would end every later run of pytest
        subprocess.run(["rm", "-r", folder], check=True)


def test_folders_in_folders_without_end_are_left_out(hand_in, skeleton, bottomless) -> None:
    form = hand_in(solved(skeleton))
    assert (form.problem, sources(form)) == ("", RIGHT)
    assert form.notes == ["a was left out: it is over 100 folders deep"]


def test_a_name_that_would_steer_a_terminal_is_left_out(skeleton, hand_in, tmp_path) -> None:
    """nbgrader prints names as they are when it copies them into the feedback."""
    folder: Path = tmp_path / "submitted" / "amy" / LESSON
    (folder / "\x9b2J").mkdir(parents=True)
    for name in ("\x1b]0;FREE\x07.txt", "\x9b2J/in.txt", "Lösung ✓.txt"):
        (folder / name).write_text("x")
    form = hand_in(solved(skeleton))
    assert set(form.files) == {"Lösung ✓.txt"}
    assert form.notes == [
        f"{name} was left out: its name could control a terminal" for name in ("�]0;FREE�.txt", "�2J/in.txt")
    ]


def test_a_folder_that_is_called_a_notebook_is_no_file_of_theirs(hand_in, skeleton, tmp_path) -> None:
    folder = tmp_path / "submitted" / "amy" / LESSON / "other.ipynb"
    folder.mkdir(parents=True)
    (folder / "x.txt").write_text("x")
    assert hand_in(solved(skeleton)).files == {}


def test_an_answer_of_a_book_is_refused(hand_in, skeleton) -> None:
    theirs = solved(skeleton)
    theirs.cells[1].source = "1\n" * module.MAX_ANSWER
    assert hand_in(theirs).problem == "an answer has over 200,000 characters"
    theirs = solved(skeleton)
    theirs.cells[2].source = "1\n" * module.MAX_ANSWER
    assert hand_in(theirs).problem == "a cell of the lesson's has over 200,000 characters"


def test_hidden_files_of_the_system_beside_the_only_notebook_dont_matter(hand_in, skeleton, tmp_path) -> None:
    folder = tmp_path / "submitted" / "amy" / LESSON
    folder.mkdir(parents=True)
    (folder / "._mine.ipynb").write_bytes(b"as macOS writes them")
    form = hand_in(solved(skeleton), "mine.ipynb")
    assert sources(form) == sources(hand_in(solved(skeleton)))


def test_a_lesson_that_is_no_name_is_not_believed(hand_in, skeleton) -> None:
    theirs = json.loads(json.dumps(solved(skeleton)))
    theirs["metadata"]["headstart"] = {"lesson": [LESSON]}
    assert not hand_in(theirs).problem


@pytest.mark.parametrize("closed", ["", "amy", f"amy/{LESSON}"])
@pytest.mark.parametrize("name", ["", "page"])
def test_a_folder_that_may_not_be_read_has_its_reason(closed, name, skeleton, tmp_path, monkeypatch) -> None:
    folder = tmp_path / "submitted/amy" / LESSON
    folder.mkdir(parents=True)
    (folder / f"{name or LESSON}.ipynb").touch()
    refuse(monkeypatch, tmp_path / "submitted" / closed)
    [found] = find_submissions(CourseDirectory(root=str(tmp_path)), LESSON, ["amy"])
    result = canonical(found, skeleton, name)
    assert (result.problem, result.notes) == ("the submission can't be read: Permission denied", [])


def test_submissions_that_may_not_be_seen_are_not_taken_for_none(tmp_path, monkeypatch) -> None:
    course = CourseDirectory(root=str(tmp_path))
    assert find_submissions(course, LESSON, []) == refused_names(course, LESSON) == []
    (tmp_path / "submitted").mkdir()
    refuse(monkeypatch, tmp_path)
    for look in (lambda: find_submissions(course, LESSON, []), lambda: refused_names(course, LESSON)):
        with pytest.raises(LookupError, match="submitted can't be read: Permission denied"):
            look()


CLICKED = {"metadata": {"headstart_predicted": {"attention.order": "b"}}, "output_type": "display_data"}


@pytest.mark.parametrize(
    ("source", "outputs", "graded"),
    [
        ("...", [], "..."),
        ("...", [CLICKED], '"b"'),
        ('"a"', [CLICKED], '"a"'),
        ("...", [{"metadata": {"headstart_predicted": {"attention.order": "z"}}}], "..."),
        ("...", [{"metadata": {"headstart_predicted": {"attention.order": ["b"]}}}], "..."),
        ("...", [{"metadata": {"headstart_predicted": "b"}}, 7, None], "..."),
        ("...", "b", "..."),
    ],
)
def test_a_button_that_was_clicked_counts_like_a_letter_that_was_written(
    skeleton, hand_in, source, outputs, graded
) -> None:
    ours = {"kind": "predict", "id": "attention.order", "choice": True}
    nbgrader = {"grade_id": "order", "grade": False, "solution": True, "locked": False}
    metadata = {"headstart": ours, "nbgrader": nbgrader}
    skeleton.cells.append(new_code_cell('predict("attention.order", "b")', id="order", metadata=metadata))
    theirs = copy.deepcopy(skeleton)
    theirs.cells[-1].source = f'predict("attention.order", {source})'
    theirs.cells[-1]["outputs"] = outputs
    assert sources(hand_in(theirs))[-1] == f'predict("attention.order", {graded})'
