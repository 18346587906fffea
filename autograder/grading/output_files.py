"""What a child says that its cells wrote beside the notebook, believing nothing."""

from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Any

from autograder.grading.handed_in import RECORDS
from autograder.limits import FOLDER_FILES, MAX_FILES, MAX_FILES_BYTES, MAX_FILES_DEPTH, MAX_NAME
from helpers.storage import printable


def read_output_files(message: Any, taken: tuple[str, ...]) -> dict[str, bytes]:
    """The files in a child's answer, by relative path, within the bounds of those that are handed in.

    Left out is what isn't a plain name below the folder, a notebook, or what nbgrader writes there itself.

    Args:
        message: what came. It may be anything.
        taken: names of files and folders, as patterns, that are nobody's.
    """
    said = message.get("output_files") if isinstance(message, dict) else None
    found: dict[str, bytes] = {}
    room = MAX_FILES_BYTES
    for name, text in list(said.items())[:MAX_FILES] if isinstance(said, dict) else ():
        # defence: foreign: output files
        if not isinstance(text, str) or len(text) // 2 > room or not _is_plain(name, taken):
            continue
        try:
            found[name] = bytes.fromhex(text)
        except ValueError:
            continue
        room -= len(found[name])
    return found


def read_left_out(message: Any) -> str:
    """What a child's answer says of files that don't fit, as a remark on the submission; empty if all do."""
    number = message.get("left_out") if isinstance(message, dict) else None
    # defence: foreign: number of files left out
    if not isinstance(number, int) or not 0 < number <= FOLDER_FILES:
        return ""
    most = f"at most {MAX_FILES}, of {MAX_FILES_BYTES >> 20} MiB in all, are kept"
    return f"left out of the files that its cells wrote: {number:,} ({most})"


def _is_plain(name: str, taken: tuple[str, ...]) -> bool:
    path = PurePosixPath(name)
    parts = path.parts
    if not parts or path.is_absolute() or ".." in parts or str(path) != name or printable(name) != name:
        return False
    if len(name) > MAX_NAME or len(parts) > MAX_FILES_DEPTH or any(not part.isprintable() for part in parts):
        return False
    # defence: foreign: nbgrader's records aren't written
    return not any(fnmatchcase(part, each) for part in parts for each in (*taken, *RECORDS, "*.ipynb"))
