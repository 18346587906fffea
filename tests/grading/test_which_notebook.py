"""Which of the files that were handed in is the notebook; whatever lies there, looking costs little."""

import io
import json
import os
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from autograder.grading import which_notebook
from autograder.grading.reading import Unreadable
from autograder.grading.which_notebook import candidates, choose

NAME = "page.ipynb"


def notebook(text: str = "", size: int = 0) -> bytes:
    return json.dumps({"cells": [text], "filled": "x" * size}).encode()


def found(folder: Path, name: str = NAME, *, any_name: bool = True) -> list[str]:
    at = os.open(folder, os.O_RDONLY)
    try:
        return [each.label for each in candidates(at, name, any_name=any_name)]
    finally:
        os.close(at)


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("page (1).ipynb", True), ("page-2.ipynb", True), ("page copy.ipynb", True), ("Page.ipynb.txt", True),
        ("deep/page.ipynb", True), ("page-Copy1.ipynb", True), ("pages.ipynb", False), ("other.ipynb", False),
    ],
)  # fmt: skip
def test_of_several_notebooks_each_is_known_by_its_name(tmp_path, name, is_one):
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_bytes(notebook())
    if is_one:
        assert found(tmp_path, any_name=False) == [name]
    else:
        with pytest.raises(Unreadable, match="was not handed in"):
            found(tmp_path, any_name=False)


def test_data_that_looks_like_no_notebook_is_none(tmp_path):
    (tmp_path / NAME).write_bytes(notebook())
    for name, content in {
        "a.json": b"{}",
        "b.txt": b'"cells"',
        "c": b"",
        "d.zip": b"PK",
        "e.csv": notebook(),
    }.items():
        (tmp_path / name).write_bytes(content)
    assert found(tmp_path) == [NAME]


@pytest.mark.promise(27)
def test_no_notebook_is_taken_from_behind_a_link(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / NAME).write_bytes(notebook())
    folder = tmp_path / "handed in"
    folder.mkdir()
    (folder / "linked").symlink_to(tmp_path / "elsewhere")
    (folder / "b.ipynb").symlink_to(tmp_path / "elsewhere" / NAME)
    with pytest.raises(Unreadable, match="was not handed in"):
        found(folder)


def test_only_so_many_notebooks_are_looked_at(tmp_path):
    for number in range(2 * which_notebook.MOST):
        (tmp_path / f"{number:02}.ipynb").write_bytes(notebook(str(number)))
    assert len(found(tmp_path)) == which_notebook.MOST


def test_only_so_much_is_read(tmp_path, monkeypatch):
    for number in range(5):
        (tmp_path / f"{number}.ipynb").write_bytes(notebook(str(number), size=1000))
    monkeypatch.setattr(which_notebook, "MAX_NOTEBOOK", 2500)
    assert found(tmp_path) == ["0.ipynb", "1.ipynb"]


@pytest.mark.promise(26)
def test_a_bomb_takes_no_memory(tmp_path, monkeypatch):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.ipynb", notebook(size=50 << 20))
    (tmp_path / "a.zip").write_bytes(packed.getvalue())
    del packed
    monkeypatch.setattr(which_notebook, "MAX_NOTEBOOK", 1 << 20)
    tracemalloc.start()
    with pytest.raises(Unreadable, match="a zip with no notebook"):
        found(tmp_path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 << 20


@pytest.mark.promise(26)
def test_many_bombs_are_one(tmp_path, monkeypatch):
    for name in ("a.zip", "b.zip", "c.zip"):
        with zipfile.ZipFile(tmp_path / name, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(NAME, notebook(name, size=60_000))
    monkeypatch.setattr(which_notebook, "MAX_NOTEBOOK", 150_000)
    assert found(tmp_path) == [f"{NAME} in a.zip", f"{NAME} in b.zip"]


@pytest.mark.promise(26)
def test_a_zip_of_too_many_files_is_not_opened(tmp_path, monkeypatch):
    """Its directory is read as a whole, and each entry becomes many times as large."""
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for number in range(10):
            archive.writestr(f"{number}.ipynb", notebook(str(number)))
    monkeypatch.setattr(which_notebook, "MAX_ENTRIES", 10)
    assert len(found(tmp_path)) == which_notebook.MOST
    monkeypatch.setattr(which_notebook, "MAX_ENTRIES", 9)
    with pytest.raises(Unreadable, match="a zip with no notebook"):
        found(tmp_path)


def test_why_a_notebook_cannot_be_read_is_said(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    folder = tmp_path / "handed in"
    (folder / "a.ipynb").mkdir(parents=True)
    (folder / "b.ipynb").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Unreadable, match=r"a\.ipynb is a folder; b\.ipynb is a link"):
        found(folder)


def test_where_nothing_says_which_counts_none_is_taken(tmp_path):
    (tmp_path / "a.ipynb").write_bytes(notebook("a"))
    (tmp_path / "b.ipynb").write_bytes(notebook("b"))
    at = os.open(tmp_path, os.O_RDONLY)
    several = candidates(at, NAME, any_name=True)
    os.close(at)
    for written in (0, 1):
        with pytest.raises(Unreadable, match=r"there are 'a\.ipynb' and 'b\.ipynb', and nothing says which"):
            choose(several, NAME, lambda _, written=written: written)
