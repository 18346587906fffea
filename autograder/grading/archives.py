"""What lies in a zip that somebody handed in or downloaded: nothing in it is trusted, nothing is unpacked.

Files are only ever read, each up to a limit, and their names only ever compared. So a path that leads out, a
link, a bomb or a name that steers a terminal is a line in a report, and harms nobody.
"""

import io
import stat
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from pathlib import Path, PurePosixPath

from autograder.grading.handed_in import STEERING, is_likely
from autograder.grading.reading import name_in_zip

MOST = 200_000  # files in a download: 50 of each of 4,000 students
# Nobody handed these in, nor what has a dot in front; the page is a model to send home (`headstart share`).
NOISE = {"__MACOSX", "Thumbs.db", "desktop.ini", "my_model.html"}


class Unfit(Exception):
    """A file that isn't taken; the text says why."""


class TooLarge(Unfit):
    """One that holds more than is taken."""


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


Found = tuple[str, datetime | None, Callable[[int], bytes], str]  # path, time, how to read it, why it isn't


def unpacked(content: bytes, name: str) -> Download:
    """The files in a zip that somebody handed in.

    Raises:
        LookupError: it is no zip, or holds more than any class hands in.
    """
    return of_zip(io.BytesIO(content), name)


def of_zip(file: Path | io.BytesIO, name: str, zone: tzinfo | None = None) -> Download:
    """The files in a zip.

    Args:
        file: the zip.
        name: its own, for messages.
        zone: the time zone that times in it are in; None for this machine's.

    Raises:
        LookupError: it is no zip, or holds more than any class hands in.
    """
    try:
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        raise LookupError(f"{name} is no zip that can be read: {error}") from None
    return listed([_member(archive, info, zone) for info in archive.infolist() if not info.is_dir()], name)


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, zone: tzinfo | None) -> Found:
    def read(limit: int) -> bytes:
        try:
            with archive.open(info) as file:
                # defence: archives: bombs
                return within(file.read(limit + 1), limit)
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
    return name_in_zip(info), time, read, "it is a link" if link else ""


def within(content: bytes, limit: int) -> bytes:
    """The content of a file, as far as it has been read, unless it is over the limit.

    Raises:
        TooLarge: it is.
    """
    if len(content) > limit:
        raise TooLarge("it is too large")
    return content


def listed(found: list[Found], name: str) -> Download:
    """A download of these files, without what nobody handed in.

    Raises:
        LookupError: there are more than any class hands in.
    """
    if len(found) > MOST:
        raise LookupError(f"{name} holds over {MOST:,} files, more than any class hands in")
    entries, refused = [], []
    for path, time, read, why in sorted(found, key=lambda each: each[0]):
        parts = PurePosixPath(path).parts
        if any(part in NOISE or (part[0] == "." and part != "..") for part in parts):
            continue
        # defence: archives: paths that lead out
        if path.startswith("/") or ".." in parts or not parts:
            why = "its path leads out of the archive"
        # defence: archives: names that steer a terminal
        if STEERING.search(path) or not path.isprintable():
            why = "its name could control a terminal"
        if why:
            refused.append((path, why))
        else:
            entries.append(Entry(PurePosixPath(path), time if time and is_likely(time) else None, read))
    return Download(entries, refused)
