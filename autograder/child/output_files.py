"""What cells wrote beside their notebook: nbgrader keeps it, and the next notebook finds it."""

import os
import stat
from collections.abc import Iterator

OURS = {"matplotlib", "ipython"}  # folders of the environment's, not of a student's


def state(folder: str) -> dict[str, tuple[int, int]]:
    """Each regular file below a folder: its path there, its size in bytes, and when it was last changed."""
    return dict(_files(folder))


def changed(
    folder: str, before: dict[str, tuple[int, int]], files: int, size: int
) -> tuple[dict[str, str], int]:
    """The files that came or changed since a state, as hexadecimal text, as far as they fit.

    Args:
        folder: where the cells ran.
        before: its state then.
        files: how many at most, the first by name.
        size: how many bytes at most, of all together.

    Returns:
        The files by path, and the number of those that were left out.
    """
    found: dict[str, str] = {}
    left_out = 0
    for name, now in _files(folder):
        if before.get(name) == now:
            continue
        try:
            if len(found) == files or now[0] > size:
                raise OSError("it doesn't fit")
            with open(os.path.join(folder, name), "rb") as file:
                found[name] = file.read(now[0]).hex()
            size -= now[0]
        except OSError:  # nor where it may not be read
            left_out += 1
    return found, left_out


def _files(folder: str) -> Iterator[tuple[str, tuple[int, int]]]:
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(
            name for name in folders if name[0] != "." and not (place == folder and name in OURS)
        )
        for name in sorted(names):
            path = os.path.join(place, name)
            status = os.lstat(path)
            if stat.S_ISREG(status.st_mode):
                yield os.path.relpath(path, folder), (status.st_size, status.st_mtime_ns)
