"""What cells of a foreign assignment write is kept, as by nbgrader, and nothing is believed of it."""

from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell

from autograder.child.output_files import changed, state
from autograder.grading.output_files import read_left_out, read_output_files
from autograder.limits import MAX_FILES, MAX_FILES_BYTES, MAX_NAME
from tests.grading.test_foreign import CONFIG, notebook, run, scores, test
from tests.support.proved import ENGINE, follows_from

pytestmark = follows_from(*ENGINE)

NAMES = {
    "out.txt": True, "a/b c/ü.csv": True, "": False, ".": False, "/etc/passwd": False, "../up.txt": False,
    "a/../../up.txt": False, "a//b": False, "./a": False, "a/": False, "ps1.ipynb": False,
    "ps1.ipynb/x": False, "timestamp.txt": False, "a/submission_secret.txt": False, "__pycache__/x.txt": False,
    "x.pyc": False, "a\0b": False, "a\nb": False, "\x1b[2Jx": False, "\ud800": False, "x" * (MAX_NAME + 1): False,
    "/".join("x" * 150): False,
}  # fmt: skip


def test_what_a_child_says_it_wrote_is_read_or_left_out() -> None:
    taken = ("__pycache__", "*.pyc")
    found = read_output_files({"output_files": dict.fromkeys(NAMES, "6869")}, taken)
    assert found == {name: b"hi" for name, good in NAMES.items() if good}
    for odd in (
        None,
        [],
        {},
        {"output_files": ["x"]},
        {"output_files": {"x": 3, "y": None, "z": "no hex", "w": "abc"}},
    ):
        assert read_output_files(odd, taken) == {}
    many = {f"{number}": "00" for number in range(2 * MAX_FILES)}
    assert len(read_output_files({"output_files": many}, taken)) == MAX_FILES
    large = {"a": "00" * MAX_FILES_BYTES, "b": "00"}
    assert set(read_output_files({"output_files": large}, taken)) == {"a"}


def test_only_what_came_or_changed_is_sent_and_no_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("old")
    (tmp_path / "changed").write_text("before")
    (tmp_path / ".cache").mkdir()
    before = state(str(tmp_path))
    (tmp_path / "changed").write_text("after, and longer")
    (tmp_path / "new").mkdir()
    (tmp_path / "new/file").write_text("new")
    (tmp_path / ".cache/x").write_text("")
    (tmp_path / "link").symlink_to("/etc/hostname")
    text, new = b"after, and longer".hex(), b"new".hex()
    assert changed(str(tmp_path), before, 50, 1000) == ({"changed": text, "new/file": new}, 0)
    assert changed(str(tmp_path), before, 1, 1000) == ({"changed": text}, 1)
    assert changed(str(tmp_path), before, 50, 5) == ({"new/file": new}, 1)  # what doesn't fit hides no other
    assert changed(str(tmp_path), before, 50, 2) == ({}, 2)


@pytest.mark.parametrize(
    ("said", "remark"),
    [
        (2951, "left out of the files that its cells wrote: 2,951 (at most 50, of 8 MiB in all, are kept)"),
        *((nothing, "") for nothing in (0, -1, 1e3, 10**300, "7", None, [7])),
    ],
)
def test_a_child_says_how_many_files_did_not_fit(said: object, remark: str) -> None:
    assert read_left_out({"output_files": {}, "left_out": said}) == remark
    assert read_left_out([said]) == ""


MANY = """
for number in range(300): open(f"small{number:03}", "w").write("x")
open("large", "wb").write(bytes(30 << 20))
"""
UNLISTED = "import os\nos.walk = None"


@pytest.mark.needs_bubblewrap
@pytest.mark.parametrize(
    ("code", "kept", "remark"),
    [
        (MANY, {f"small{n:03}" for n in range(MAX_FILES)}, "left out of the files that its cells wrote: 251"),
        (UNLISTED, set(), "the files that its cells wrote can't be read"),
    ],
    ids=["many", "unlisted"],
)
def test_what_does_not_fit_is_left_out_with_a_remark(tmp_path, code, kept, remark) -> None:
    (tmp_path / "nbgrader_config.py").write_text(CONFIG)
    for folder in ("source", "submitted/amy"):
        (tmp_path / folder / "ps1").mkdir(parents=True)
        cells = [{**new_code_cell(code), "metadata": {}}, test("t1", "", 1)]
        (tmp_path / folder / "ps1/one.ipynb").write_text(notebook(cells))
    run(tmp_path, "nbgrader", "generate_assignment", "ps1")
    run(tmp_path, "headstart", "grade", "ps1", python_path=True)
    graded = tmp_path / "autograded/amy/ps1"
    assert {path.name for path in graded.iterdir()} - {"one.ipynb"} == kept
    assert remark in (graded / "one.ipynb").read_text()


ONE = [{**new_code_cell("open('out.txt', 'w').write('42')\nopen('page.html', 'w').write('<script>')\nopen('timestamp.txt', 'w').write('2001-01-01')"), "metadata": {}}, test("t1", "", 1)]  # fmt: skip
TWO = [test("t2", "assert open('out.txt').read() == '42'", 1)]


@pytest.mark.needs_bubblewrap
@pytest.mark.parametrize("command", [("headstart", "grade"), ("nbgrader", "autograde")])
def test_what_one_notebook_writes_the_next_can_read(tmp_path, command) -> None:
    engine = "c.Autograde.sanitize_preprocessors = ['autograder.classroom.plugin.LeaveAlone']\n"
    engine += "c.Autograde.autograde_preprocessors = ['autograder.classroom.plugin.Grade']\n"
    (tmp_path / "nbgrader_config.py").write_text(CONFIG + engine)
    for folder in ("source", "submitted/amy"):
        (tmp_path / folder / "ps1").mkdir(parents=True)
        (tmp_path / folder / "ps1/one.ipynb").write_text(notebook(ONE))
        (tmp_path / folder / "ps1/two.ipynb").write_text(notebook(TWO))
    run(tmp_path, "nbgrader", "generate_assignment", "ps1")
    run(tmp_path, *command, "ps1", python_path=True)
    assert {key[2]: value[0] for key, value in scores(tmp_path).items() if key[3] == "GradeCell"} == {
        "t1": 1,
        "t2": 1,
    }
    kept = {path.name for path in (tmp_path / "autograded/amy/ps1").iterdir()}
    assert kept == {"one.ipynb", "two.ipynb", "out.txt", "page.html.txt"}
