"""What lies in a submission's folder, read without trusting it and not yet parsed."""

import contextlib
import errno
import hashlib
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatchcase
from pathlib import Path

from nbgrader.utils import parse_utc

from autograder.grading.alone import wait_for
from autograder.grading.reading import Unreadable, read
from autograder.grading.which_notebook import RECORDS, Candidate, candidates
from autograder.limits import MAX_FILES, MAX_FILES_BYTES, MAX_FILES_DEPTH
from helpers.storage import printable

RECORD = 1000  # bytes of each of them at most
STEERING = re.compile(r"[\x00-\x1f\x7f-\x9f]")  # nbgrader prints names of files as they are
# defence: handed in: our own
OURS = ("helpers", "__pycache__", ".*", "checks.json")  # comes with our lessons, and is nobody's answer


@dataclass(frozen=True)
class Submission:
    """A student's folder for one lesson.

    Attributes:
        student: their id.
        lesson: such as `01_attention`.
        folder: `submitted/STUDENT/LESSON`.
    """

    student: str
    lesson: str
    folder: Path


@dataclass(frozen=True)
class HandedIn:
    """What lies in a submission's folder, read and not yet parsed.

    Attributes:
        notebooks: those that may be the one, the expected one first; none if there is a problem.
        files: other files by relative path.
        records: what nbgrader wrote beside the notebook when it was handed in: its time and its secret name.
        left_out: notes on files that were left out.
        problem: why the notebook can't be read; empty if it can.
        unread: why the other files can't be; empty if they can.
    """

    notebooks: list[Candidate]
    files: dict[str, bytes]
    records: dict[str, bytes]
    left_out: list[str]
    problem: str
    unread: str

    @property
    def digest(self) -> str:
        """A digest of all of it: equal submissions have equal digests."""
        digest = hashlib.sha256(b"".join(each.content for each in self.notebooks))
        digest.update(repr([(each.label, len(each.content)) for each in self.notebooks]).encode())
        # defence: digest: files in a zip
        for path, zipped in sorted({each.zip for each in self.notebooks if each.zip[0]}):
            digest.update(repr((path, len(zipped))).encode() + zipped)
        digest.update((self.problem or self.unread).encode())
        for name, content in sorted((self.files | self.records).items()):
            digest.update(repr((name, len(content))).encode() + content)
        return digest.hexdigest()


def handed_in(submission: Submission, name: str = "", *, ignore: tuple[str, ...] = OURS) -> HandedIn:
    """Read what was handed in. Never raises on what a student can hand in.

    Args:
        submission: where it lies.
        name: of the notebook, where a lesson has several. Otherwise the only one there is is taken for it.
        ignore: names of files and folders, as patterns, that count for nothing.
    """
    problem, unread = "", ""
    notebooks: list[Candidate] = []
    files: dict[str, bytes] = {}
    left_out: list[str] = []
    records: dict[str, bytes] = {}
    try:
        with _opened(submission.folder) as at:
            records = dict(_records(at))
            # defence: handed in: a folder that becomes a link
            notebooks = candidates(at, f"{name or submission.lesson}.ipynb", any_name=not name)
            try:
                files = _other_files(at, left_out, ignore)
            except OSError as error:
                unread = _why(error)
    except (Unreadable, OSError) as error:
        problem = _why(error)
    return HandedIn(notebooks, files, records, left_out, problem, unread)


@contextlib.contextmanager
def _opened(folder: Path) -> Iterator[int]:
    """A submission's folder, opened: what its path leads to may change while it is read.

    Raises:
        Unreadable: it can't be opened, or it or the student's folder is a link.
    """
    flags = os.O_RDONLY | os.O_DIRECTORY
    with contextlib.ExitStack() as stack:
        try:
            # defence: handed in: folders that are links
            parent, own = flags | os.O_NOFOLLOW, flags | os.O_NOFOLLOW
            outer = os.open(folder.parent, parent)
            stack.callback(os.close, outer)
            # defence: handed in: not while it is collected
            wait_for(outer, reading=True)
            at = os.open(folder.name or ".", own, dir_fd=outer)
            stack.callback(os.close, at)
        except OSError as error:
            if error.errno == errno.ENOTDIR:
                text = "the submission is a link to somewhere else, or no folder; links are not followed"
                raise Unreadable(text) from None
            raise Unreadable(f"the submission can't be read: {error.strerror}") from None
        yield at


def _why(error: Exception) -> str:
    """Why something can't be read, without a path of the instructor's."""
    return printable(getattr(error, "strerror", None) or str(error))


def _records(at: int) -> Iterator[tuple[str, bytes]]:
    """What nbgrader wrote beside the notebook; empty where something else stands in its place."""
    for name in RECORDS:
        try:
            os.stat(name, dir_fd=at, follow_symlinks=False)
        except OSError:
            continue
        yield name, read_record(name, at)


def read_record(path: Path | str, at: int | None = None) -> bytes:
    """One of nbgrader's records; empty for anything else that stands in its place.

    nbgrader prints the time as it stands there, so what isn't shown, and could steer a terminal, is none.
    """
    try:
        # defence: handed in: size of records
        content = read(path, at, RECORD)
    except Unreadable:
        return b""
    text = content.decode(errors="replace").strip()
    # defence: submission: times that steer a terminal
    return content if text.isascii() and text.isprintable() else b""


def _other_files(at: int, notes: list[str], ignore: tuple[str, ...]) -> dict[str, bytes]:
    """Regular files beside the notebook, without those to ignore, within bounds."""
    files: dict[str, bytes] = {}
    left = MAX_FILES_BYTES
    # defence: handed in: folders in it that are links
    for place, folders, names, inside in os.fwalk(dir_fd=at, follow_symlinks=False):
        # defence: handed in: folders in folders
        if folders and place.count(os.sep) >= MAX_FILES_DEPTH:
            notes.append(f"{printable(folders[0])} was left out: it is over {MAX_FILES_DEPTH} folders deep")
            folders.clear()
        folders[:] = sorted(name for name in folders if is_theirs(name, ignore))
        for name in sorted(names):
            if not is_theirs(name, ignore) or name in RECORDS:
                continue
            path = os.path.normpath(os.path.join(place, name))
            relative = printable(path)
            # defence: submission: names that steer a terminal
            if STEERING.search(relative):
                notes.append(f"{STEERING.sub('�', relative)} was left out: its name could control a terminal")
                continue
            try:
                status = os.stat(name, dir_fd=inside, follow_symlinks=False)
                if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
                    raise Unreadable("it is a link, or not a regular file")
                # defence: handed in: files
                if len(files) >= MAX_FILES or status.st_size > left:
                    raise Unreadable("too many files, or too large")
                # defence: handed in: folders in it that become links
                files[path] = read(name, inside, MAX_FILES_BYTES)
                left -= len(files[path])
            except OSError as error:
                notes.append(f"{relative} was left out: {error.strerror}")
            except Unreadable as error:
                notes.append(f"{relative} was left out: {printable(str(error))}")
    return files


def is_theirs(name: str, ignore: tuple[str, ...]) -> bool:
    """Whether a file or folder of this name counts as handed in beside a notebook."""
    return not any(fnmatchcase(name, pattern) for pattern in (*ignore, "*.ipynb"))


def read_time(text: bytes) -> datetime | None:
    """The time in nbgrader's timestamp.txt, in UTC; None if there is none to be read, or no likely one."""
    with contextlib.suppress(Exception):  # dateutil looks for a zone among the files, for one
        time = parse_utc(text.decode().strip()) if text.strip() else None
        # defence: submission: times at the end of all times
        return time if time and is_likely(time) else None
    return None


def is_likely(time: datetime) -> bool:
    """Whether something can have been handed in then. At the ends of what Python counts, hours overflow.

    Formgrader adds those of the course's time zone, and with one such submission has no list of any.
    """
    return 2000 <= time.year < 3000
