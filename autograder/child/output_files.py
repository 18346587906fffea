"""What cells wrote beside their notebook: nbgrader keeps it, and the next notebook finds it."""

import os
import stat
from collections.abc import Iterator

OURS = {"matplotlib", "ipython"}  # folders of the environment's, not of a student's


def state(folder: str) -> dict[str, tuple[int, int]]:
    """Each regular file below a folder: its path there, its size in bytes, and when it was last changed."""
    return dict(_files(folder))


def changed(folder: str, before: dict[str, tuple[int, int]], files: int, size: int) -> dict[str, str]:
    """The files that came or changed since a state, as hexadecimal text, within bounds.

    Args:
        folder: where the cells ran.
        before: its state then.
        files: how many at most.
        size: how many bytes at most, of all together.
    """
    found: dict[str, str] = {}
    for name, now in _files(folder):
        size -= now[0] if before.get(name) != now else 0
        if size < 0 or len(found) == files:
            break
        if before.get(name) != now:
            with open(os.path.join(folder, name), "rb") as file:
                found[name] = file.read(now[0]).hex()
    return found


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
