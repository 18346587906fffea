"""What lies in a zip or a folder that a teacher downloaded, read as `autograder/grading/archives.py` says."""

import os
import stat
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime, tzinfo
from pathlib import Path

from autograder.classroom.collect import no_copy_of
from autograder.grading.archives import Download, Found, Unfit, listed, of_zip, within


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
        return listed(_of_folder(path), path.name)
    if not path.exists():
        raise LookupError(f"there is no {path}")
    if not zipfile.is_zipfile(path):
        raise LookupError(f"{path} is neither a zip nor a folder")
    return of_zip(path, path.name, zone)


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
            return within(file.read(limit + 1), limit)

    return read
