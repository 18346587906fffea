"""What comes in the same zip as the notebook comes along with it, within the bounds of files beside one."""

import copy
import io
import stat
import tracemalloc
import zipfile
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from autograder.grading import in_its_zip, which_notebook
from autograder.grading.handed_in import Submission, handed_in
from autograder.grading.in_its_zip import TOO_MUCH
from autograder.grading.submission import Canonical, canonical
from autograder.limits import MAX_FILES_BYTES, MAX_FILES_DEPTH
from tests.support.raising import nothing_else_raised

LESSON = "01_attention"
NOTEBOOK = f"{LESSON}.ipynb"
ANSWER = {"grade_id": "a-answer", "grade": False, "solution": True, "locked": False, "schema_version": 3}
SKELETON = new_notebook(
    cells=[new_code_cell("raise NotImplementedError()", id="a-answer", metadata={"nbgrader": ANSWER})]
)
Files = dict[str | zipfile.ZipInfo, bytes]


def zipped(files: Files, folder: str = "") -> bytes:
    """A zip of a notebook with an answer, and of these files."""
    solved = copy.deepcopy(SKELETON)
    solved.cells[0].source = "answer = 1"
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{folder}{NOTEBOOK}", nbformat.writes(solved))
        for name, content in files.items():
            archive.writestr(name, content)
    return file.getvalue()


def handed_in_as(folder: Path, content: bytes) -> Submission:
    place = folder / "submitted" / "amy" / LESSON
    place.mkdir(parents=True, exist_ok=True)
    (place / "work.zip").write_bytes(content)
    return Submission("amy", LESSON, place)


def form_of(folder: Path, content: bytes) -> Canonical:
    with nothing_else_raised():
        return canonical(handed_in_as(folder, content), SKELETON)


def left_out(form: Canonical) -> dict[str, str]:
    """Why each file was left out, by its name in the note."""
    pairs = (note.partition(" was left out: ") for note in form.notes)
    return {name: why for name, said, why in pairs if said}


@pytest.mark.parametrize("folder", ["", "hand in/", "hand in/deep/"])
def test_files_in_the_notebooks_zip_come_along_as_the_notebook_has_them(tmp_path: Path, folder: str) -> None:
    form = form_of(tmp_path, zipped({f"{folder}photo.jpg": b"1", f"{folder}übung/größe.png": b"2"}, folder))
    assert form.notebook.cells[0].source == "answer = 1" and not left_out(form)
    assert (form.files["photo.jpg"], form.files["übung/größe.png"]) == (b"1", b"2")
    assert "work.zip" not in form.files and NOTEBOOK not in form.files


def test_names_written_on_windows_are_paths(tmp_path: Path) -> None:
    named = (
        zipped({"work_photos_one.jpg": b"1"}, "work_")
        .replace(b"work_", b"work\\")
        .replace(b"photos_", b"photos\\")
    )
    form = form_of(tmp_path, named)
    assert form.files["photos/one.jpg"] == b"1" and form.notebook.cells[0].source == "answer = 1"


def test_files_in_another_zip_stay_there(tmp_path: Path) -> None:
    submission = handed_in_as(tmp_path, zipped({}))
    with zipfile.ZipFile(submission.folder / "photos.zip", "w") as archive:
        archive.writestr("photo.jpg", b"1")
    assert list(canonical(submission, SKELETON).files) == ["photos.zip"]


@pytest.mark.promise(27)
def test_what_leads_out_or_is_a_link_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(b"secret")
    link = zipfile.ZipInfo("work/link.png")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    files: Files = {link: str(tmp_path / "secret.png").encode()}
    out = ["../up.png", "work/../../up.png", "/etc/whole.png", "..\\up.png"]
    form = form_of(tmp_path, zipped(files | dict.fromkeys(out, b"x"), "work/"))
    assert not form.files
    assert left_out(form)["link.png"] == "it is a link"
    assert list(left_out(form).values()).count("its path leads out of the archive") == 3  # one is there twice


@pytest.mark.promise(45)
def test_a_name_that_would_steer_a_terminal_is_left_out(tmp_path: Path) -> None:
    form = form_of(tmp_path, zipped({"a\x1b[2Jb.txt": b"x", "hidden\u202etxt.png": b"x"}))
    assert not form.files and len(left_out(form)) == 2
    assert all("\x1b" not in note and "\u202e" not in note for note in form.notes)


def test_nothing_of_the_courses_and_no_record_comes_from_a_zip(tmp_path: Path) -> None:
    """The time of handing in would be the student's to choose."""
    ours: Files = {
        "timestamp.txt": b"2020-01-01 00:00:00 UTC",
        "checks.json": b"{}",
        "helpers/checks.py": b"x",
    }
    ours |= {"w/timestamp.txt": b"2020-01-01 00:00:00 UTC", f"w/{NOTEBOOK}/x.png": b"x", "w/.git/a": b"x"}
    form = form_of(tmp_path, zipped(ours, "w/"))
    assert not form.files and not form.records


@pytest.mark.promise(26)
def test_a_file_that_unpacks_to_more_than_is_taken_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(which_notebook, "MAX_NOTEBOOK", 1 << 20)
    content = zipped({"bomb.png": bytes(200 << 20), "small.png": b"1"})
    tracemalloc.start()
    form = form_of(tmp_path, content)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert form.files == {"small.png": b"1"} and left_out(form) == {"bomb.png": TOO_MUCH}
    assert peak < 4 * MAX_FILES_BYTES


@pytest.mark.promise(26)
def test_only_so_many_files_are_read_be_it_in_vain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_its_zip, "MAX_FILES", 3)
    monkeypatch.setattr(in_its_zip, "MAX_FILES_BYTES", 100)
    files: Files = {"a.png": bytes(101), "b.png": bytes(60), "c.png": bytes(60), "d.png": b"1"}
    form = form_of(tmp_path, zipped(files))
    assert list(form.files) == ["b.png"] and left_out(form) == dict.fromkeys(
        ("a.png", "c.png", "d.png"), TOO_MUCH
    )


def test_files_beside_the_zip_count_with_those_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_its_zip, "MAX_FILES_BYTES", 100)
    submission = handed_in_as(tmp_path, zipped({"in.png": bytes(60)}))
    (submission.folder / "beside.png").write_bytes(bytes(60))
    form = canonical(submission, SKELETON)
    assert list(form.files) == ["beside.png"] and left_out(form) == {"in.png": TOO_MUCH}


def test_folders_in_folders_without_end_are_left_out(tmp_path: Path) -> None:
    form = form_of(tmp_path, zipped({"a/" * MAX_FILES_DEPTH + "b.png": b"1"}))
    assert (
        not form.files and next(iter(left_out(form).values())) == f"it is over {MAX_FILES_DEPTH} folders deep"
    )


def test_a_file_that_is_damaged_costs_no_other(tmp_path: Path) -> None:
    content = zipped({"a.png": b"damaged" * 3, "b.png": b"1"})
    damaged = content.replace(
        zipfile.ZipFile(io.BytesIO(content)).getinfo("a.png").CRC.to_bytes(4, "little"), b"oops"
    )
    form = form_of(tmp_path, damaged)
    assert form.files == {"b.png": b"1"} and "it can't be read" in left_out(form)["a.png"]


@pytest.mark.parametrize("beyond", [0, MAX_FILES_BYTES])
def test_a_changed_file_in_the_zip_is_a_new_submission(tmp_path: Path, beyond: int) -> None:
    """Also in one that is too large to be kept itself, as notebooks with large outputs make it."""

    def digest(content: bytes) -> str:
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            for name, text in ((NOTEBOOK, nbformat.writes(SKELETON)), ("large.ipynb", bytes(beyond))):
                archive.writestr(zipfile.ZipInfo(name), text)
            archive.writestr(zipfile.ZipInfo("photo.png"), content)
        return handed_in(handed_in_as(tmp_path, file.getvalue())).digest

    assert digest(b"1") == digest(b"1") != digest(b"2")
