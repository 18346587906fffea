"""What lies in a zip or a folder that a teacher downloaded: nothing in it is trusted, nothing is unpacked.

Files are only ever read, each up to a limit, and their names only ever compared. So a path that leads out, a
link, a bomb or a name that steers a terminal is a line in the report, and harms nobody.
"""

import contextlib
import io
import os
import stat
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from pathlib import Path, PurePosixPath

from autograder.classroom.collect import no_copy_of
from autograder.grading.handed_in import STEERING, is_likely

MOST = 200_000  # files in a download: 50 of each of 4,000 students
# Nobody handed these in, nor what has a dot in front; the page is a model to send home (`headstart share`).
NOISE = {"__MACOSX", "Thumbs.db", "desktop.ini", "my_model.html"}


class Unfit(Exception):
    """A file that isn't taken; the text says why."""


@dataclass(frozen=True)
class Entry:
    """A file in a download.

    Attributes:
        path: where it lies, without a folder that all files share.
        time: when it was last changed, in UTC; None if the download doesn't say.
        read: its bytes, up to so many. Raises Unfit if there are more, or if it can't be read.
    """

    path: PurePosixPath
    time: datetime | None
    read: Callable[[int], bytes]


@dataclass(frozen=True)
class Download:
    """The files of a download, and what isn't one: its name, and why it was left out."""

    entries: list[Entry]
    refused: list[tuple[str, str]]


def open_download(path: Path, zone: tzinfo | None = None) -> Download:
    """The files in a zip or a folder.

    Args:
        path: of it.
        zone: the time zone that times in a zip are in; None for this machine's.

    Raises:
        LookupError: it isn't there, is neither, or holds more than any class hands in.
        OSError: it can't be read.
    """
    if path.is_dir():
        return _listed(_of_folder(path), path.name)
    if not path.exists():
        raise LookupError(f"there is no {path}")
    if not zipfile.is_zipfile(path):
        raise LookupError(f"{path} is neither a zip nor a folder")
    return _of_zip(path, path.name, zone)


def unpacked(content: bytes, name: str) -> Download:
    """The files in a zip that somebody handed in.

    Raises:
        LookupError: it is no zip, or holds more than any class hands in.
    """
    return _of_zip(io.BytesIO(content), name)


def _of_zip(file: Path | io.BytesIO, name: str, zone: tzinfo | None = None) -> Download:
    try:
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        raise LookupError(f"{name} is no zip that can be read: {error}") from None
    return _listed([_member(archive, info, zone) for info in archive.infolist() if not info.is_dir()], name)


Found = tuple[str, datetime | None, Callable[[int], bytes], str]  # path, time, how to read it, why it isn't


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, zone: tzinfo | None) -> Found:
    name = info.filename
    if not info.flag_bits & 0x800:  # which says that names are UTF-8: they often are where it isn't set
        with contextlib.suppress(UnicodeError):
            name = name.encode("cp437").decode()

    def read(limit: int) -> bytes:
        try:
            with archive.open(info) as file:
                # defence: archives: bombs
                return _within(file.read(limit + 1), limit)
        except Unfit:
            raise
        except Exception as error:  # of a broken one: whatever zlib, lzma or zipfile raise
            raise Unfit(f"it can't be read: {error}") from None

    # defence: archives: links in a zip
    link = stat.S_ISLNK(info.external_attr >> 16)
    try:
        time = datetime(*info.date_time, tzinfo=zone).astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError, OSError):
        time = None
    return name.replace("\\", "/"), time, read, "it is a link" if link else ""


def _of_folder(folder: Path) -> list[Found]:
    found: list[Found] = []
    for place, folders, names in os.walk(folder):
        for name in [*names, *(each for each in folders if os.path.islink(os.path.join(place, each)))]:
            path = Path(place, name)
            status = path.lstat()
            time = datetime.fromtimestamp(status.st_mtime, UTC).replace(tzinfo=None)
            why = "it is a link" if stat.S_ISLNK(status.st_mode) else no_copy_of(status, status.st_uid)
            found.append((path.relative_to(folder).as_posix(), time, _reader(path), why))
    return found


def _reader(path: Path) -> Callable[[int], bytes]:
    def read(limit: int) -> bytes:
        try:
            # defence: archives: links in a folder
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError as error:
            raise Unfit(f"it can't be read: {error.strerror}") from None
        with open(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if why := no_copy_of(status, status.st_uid):
                raise Unfit(why)
            return _within(file.read(limit + 1), limit)

    return read


def _within(content: bytes, limit: int) -> bytes:
    if len(content) > limit:
        raise Unfit("it holds more than the course takes (CourseDirectory.max_dir_size)")
    return content


def _listed(found: list[Found], name: str) -> Download:
    if len(found) > MOST:
        raise LookupError(f"{name} holds over {MOST:,} files, more than any class hands in")
    entries, refused = [], []
    for path, time, read, why in sorted(found, key=lambda each: each[0]):
        parts = PurePosixPath(path).parts
        if any(part in NOISE or (part[0] == "." and part != "..") for part in parts):
            continue
        # defence: archives: paths that lead out
        if path.startswith("/") or ".." in parts or not parts:
            why = "its path leads out of the download"
        # defence: archives: names that steer a terminal
        if STEERING.search(path) or not path.isprintable():
            why = "its name could control a terminal"
        if why:
            refused.append((path, why))
        else:
            entries.append(Entry(PurePosixPath(path), time if time and is_likely(time) else None, read))
    return Download(entries, refused)
