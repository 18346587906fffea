"""Which checks a student has passed, kept between sessions in one small file of their own.

It belongs to a notebook, known by its folder: two copies of a lesson don't answer for each other. It is for
the student's eyes: no grade is ever read from it.
"""

import contextlib
import json
import os
from pathlib import Path

from helpers.storage import write_whole


def path() -> Path:
    """Where progress is kept: `HEADSTART_PROGRESS`, or `~/.headstart/progress.json`."""
    return Path(os.environ.get("HEADSTART_PROGRESS") or Path.home() / ".headstart" / "progress.json")


def load(folder: Path | None = None) -> dict[str, bool]:
    """Exercise id to whether its check passed when last run in that notebook.

    Args:
        folder: the notebook's; if None, where this one runs.
    """
    return _all().get(_key(folder), {})


def record(exercise: str, *, passed: bool) -> None:
    """Remember how a check went. A home that can't be written to costs the memory, not the lesson."""
    kept = _all()
    here = kept.setdefault(_key(None), {})
    if here.get(exercise) == passed:
        return
    here[exercise] = passed
    _keep(kept)


def move(old: Path, new: Path) -> None:
    """A notebook's folder was renamed: what passed there passes here."""
    kept = _all()
    if (there := kept.pop(_key(old), None)) is not None:
        kept[_key(new)] = there
        _keep(kept)


def _key(folder: Path | None) -> str:
    try:
        return str((folder or Path.cwd()).resolve())
    except OSError:  # the folder is gone: checks still speak
        return ""


def _all() -> dict[str, dict[str, bool]]:
    """What is kept of each notebook, by its folder. Empty where nothing readable is."""
    try:
        kept = json.loads(path().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    folders = kept.items() if isinstance(kept, dict) else ()
    return {
        folder: {str(name): passed is True for name, passed in checks.items()}
        for folder, checks in folders
        if isinstance(checks, dict)
    }


def _keep(kept: dict[str, dict[str, bool]]) -> None:
    with contextlib.suppress(OSError):
        write_whole(path(), json.dumps(kept, indent=1, sort_keys=True).encode())
