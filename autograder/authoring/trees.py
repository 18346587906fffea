"""What was built and what is in `source/` and `release/`: compare the two, or bring them in step."""

from collections.abc import Mapping
from pathlib import Path

import nbformat
from nbgrader.utils import compute_checksum, is_solution

from autograder import lessons
from helpers.storage import write_whole

IGNORED = ("__pycache__", ".ipynb_checkpoints", ".DS_Store")


def differences(names: list[str], made: Mapping[str, bytes], root: Path) -> dict[str, str]:
    """How the course's folder differs from what was made.

    What git doesn't keep counts only where it is: a fresh clone has no `source/`, no zips and no helpers
    beside its lessons.

    Args:
        names: of the lessons that were made.
        made: the bytes of each file, by its path below the course's folder.
        root: the course's folder.

    Returns:
        What is wrong with each path, as the end of a sentence.
    """
    found: dict[str, str] = {}
    for path, right in made.items():
        if _is_helper(path):
            folder = Path(*Path(path).parts[:3])
            if (root / folder).is_dir() and not _holds(root / path, right):
                found[folder.as_posix()] = "is a copy of older helpers"
        elif not (root / path).is_file():
            if not (path.endswith(".zip") or path.startswith("source/")):
                found[path] = "is missing"
        elif not _holds(root / path, right):
            found[path] = "has answers in it: move it away" if has_answers(root / path) else "is out of date"
    for path in strays(names, made, root):
        ours = _is_helper(path)
        found[path] = "is a helper that this lesson doesn't carry" if ours else "isn't ours: move it away"
    known = set(lessons.names(root))
    for folder in sorted((root / "source").glob("*")):
        if folder.is_dir() and folder.name not in known:
            found[f"source/{folder.name}"] = "has no master: remove it, and its release"
    return found


def write(names: list[str], made: Mapping[str, bytes], root: Path) -> tuple[int, list[str]]:
    """Bring the course's folder in step with what was made, touching only what differs.

    Args:
        names: of the lessons that were made.
        made: the bytes of each file, by its path below the course's folder.
        root: the course's folder.

    Returns:
        How many files changed, and the notebooks in `release/` that were kept since they have answers in
        them. Files that the build didn't make are left alone.
    """
    count, kept = 0, []
    for path in filter(_is_helper, strays(names, made, root)):
        _remove_helper(path, root)
        count += 1
    for path, right in made.items():
        target = root / path
        if _holds(target, right):
            continue
        if has_answers(target):
            kept.append(path)
            continue
        write_whole(target, right)
        count += 1
    return count, kept


def has_answers(path: Path) -> bool:
    """Whether a file is a released notebook that somebody has answered in. One that can't be read counts."""
    if path.suffix != ".ipynb" or path.parent.parent.name != "release" or not path.exists():
        return False
    try:
        cells = [cell for cell in nbformat.read(path, as_version=4).cells if is_solution(cell)]
        return any(compute_checksum(cell) != cell.metadata.nbgrader.get("checksum") for cell in cells)
    except Exception:  # whatever is wrong with it, it may be somebody's work
        return True


def strays(names: list[str], made: Mapping[str, bytes], root: Path) -> list[str]:
    """The files in these lessons' `source/` that weren't made."""
    found = []
    for lesson in names:
        for path in sorted((root / "source" / lesson).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.is_file() and name not in made and not set(path.parts) & set(IGNORED):
                found.append(name)
    return found


def _holds(path: Path, content: bytes) -> bool:
    return path.is_file() and contents(path) == content


def _is_helper(path: str) -> bool:
    """Whether a path is `source/01_attention/helpers/...`, or one in `release/`."""
    return Path(path).parts[2:3] == ("helpers",)


def _remove_helper(path: str, root: Path) -> None:
    """Remove a helper that an earlier build copied, from `source/` and, if unchanged, from `release/`."""
    source, release = root / path, root / "release" / Path(path).relative_to("source")
    if _holds(release, contents(source)):
        release.unlink()
    source.unlink()


def contents(path: Path) -> bytes:
    """What a file holds; a text's line ends, which git may have changed on Windows, are set right."""
    held = path.read_bytes()
    return (
        held if b"\0" in held else held.replace(b"\r\n", b"\n")
    )  # no text has a zero: git looks for it, too
