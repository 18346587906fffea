"""A file or a notebook that a student handed in, read without trusting it."""

import contextlib
import errno
import json
import os
import stat
import zipfile
from pathlib import Path

from autograder.limits import MAX_JSON_PARTS

CURE = "hand in the notebook itself, whose name ends in .ipynb"
BEGINNINGS = (  # what a file is, by how its content begins
    (b"<", "a web page, perhaps one that asks for a login"),
    (b"%PDF", "a PDF"),
    (b"PK\3\4", "a zip"),
    (b"\x1f\x8b", "an archive of a kind that isn't unpacked here"),
    (b"version https://git-lfs", "what Git has in the place of a large file"),
)


class Unreadable(Exception):
    """Something can't be read or graded; the text says why, for the student."""


def read(path: Path | str, at: int | None, limit: int) -> bytes:
    """The content of a regular file: no links, folders, pipes or devices.

    Args:
        path: where it is.
        at: the descriptor of the folder that a relative path begins in; None is the current one.
        limit: bytes.

    Raises:
        Unreadable: it isn't one, or larger.
    """
    name = Path(path).name
    try:
        # defence: handed in: plain files
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=at)
    except OSError as error:
        link = error.errno == errno.ELOOP
        kind = "is a link; links are not followed" if link else f"can't be read: {error.strerror}"
        raise Unreadable(f"{name} {kind}") from None
    with contextlib.ExitStack() as stack:
        stack.callback(os.close, descriptor)
        status = os.fstat(descriptor)
        # defence: handed in: folders and devices
        if not stat.S_ISREG(status.st_mode):
            kind = "a folder" if stat.S_ISDIR(status.st_mode) else "not a regular file"
            raise Unreadable(f"{name} is {kind}")
        # defence: handed in: hard links
        if status.st_nlink > 1:  # somebody else's file, perhaps: a link needs no right to read it
            raise Unreadable(f"{name} is a hard link; links are not followed: hand in a copy")
        # defence: handed in: size of a notebook
        if status.st_size > limit:
            raise Unreadable(f"{name} is {status.st_size >> 20} MiB; the limit is {limit >> 20}")
        with open(descriptor, "rb", closefd=False) as file:
            # defence: handed in: files that grow
            return file.read(limit)


def name_in_zip(info: zipfile.ZipInfo) -> str:
    """The path of a file in a zip, which may have been written on Windows."""
    name = info.filename
    if not info.flag_bits & 0x800:  # which says that names are UTF-8: they often are where it isn't set
        with contextlib.suppress(UnicodeError):
            name = name.encode("cp437").decode()
    return name.replace("\\", "/")


def parse(content: bytes) -> dict:
    """A notebook's JSON.

    Raises:
        Unreadable: it is none, or has more parts than any notebook.
    """
    if not content.strip():
        raise Unreadable("the notebook file is empty")
    # defence: handed in: size of JSON
    if content.count(b"{") + content.count(b"[") > MAX_JSON_PARTS or content.count(b",") > 2 * MAX_JSON_PARTS:
        raise Unreadable("the notebook file has more parts than any real notebook")
    try:
        raw = json.loads(content)
    # defence: handed in: depth
    except (ValueError, RecursionError) as error:
        why = _no_json(content) or f"is not JSON, so Jupyter can't open it either: {error!s:.100}"
        if "integer string conversion" in str(error):  # the words of Python's limit of 4,300 digits
            why = "holds a number with thousands of digits, which no notebook needs"
        raise Unreadable(f"the notebook file {why}") from None
    if not isinstance(raw, dict) or not isinstance(raw.get("cells"), list):
        old = isinstance(raw, dict) and "worksheets" in raw
        cure = "open it in Jupyter, save it, and hand it in again"
        raise Unreadable(
            f"the notebook is in a format from before 2015: {cure}"
            if old
            else f"the file is JSON, but not a notebook: {CURE}"
        )
    return raw


def _no_json(content: bytes) -> str:
    """What became of a notebook that can't be read, and what to do, where the file shows it; else ""."""
    begins = content.lstrip()
    for start, kind in BEGINNINGS:
        if begins.startswith(start):
            return f"is {kind}: {CURE}"
    if b"\n<<<<<<< " in content:
        return "has the marks of a merge that failed, such as <<<<<<<: hand in one that Jupyter can open"
    if begins.startswith(b"{") and not content.rstrip().endswith(b"}"):
        return "breaks off before its end: save or download it again, and hand in one that Jupyter can open"
    return ""
