"""What a student has passed and ticked, kept between sessions in one small file of their own.

It belongs to a notebook, known by its folder: two copies of a lesson don't answer for each other. It is for
the student's eyes: no grade is ever read from it.
"""

import contextlib
import hashlib
import json
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from helpers.storage import write_whole


class Passed(NamedTuple):
    """Since when a check has passed (UTC, in ISO format), and the version of the lesson's checks then."""

    since: str
    version: str


def path() -> Path:
    """Where progress is kept: `HEADSTART_PROGRESS`, or `~/.headstart/progress.json`."""
    return Path(os.environ.get("HEADSTART_PROGRESS") or Path.home() / ".headstart" / "progress.json")


def load(folder: Path | None = None) -> dict[str, bool]:
    """Exercise id to whether its check passed when last run in that notebook.

    Args:
        folder: the notebook's; if None, where this one runs.
    """
    kept = _all().get(_key(folder), {})
    return {name: known is True or bool(_passed(known)) for name, known in kept.items() if not _ticks(known)}


def times(folder: Path | None = None) -> dict[str, Passed]:
    """Since when each check has passed, by exercise id; without those from before times were kept."""
    kept = _all().get(_key(folder), {})
    return {name: found for name, known in kept.items() if (found := _passed(known))}


def ticked(folder: Path | None = None) -> dict[str, list[int]]:
    """The lines of its rubric that a student says their answer meets, from 1, by the question's id.

    A question whose model answer wasn't looked at yet isn't there.
    """
    kept = _all().get(_key(folder), {})
    return {name: known["ticks"] for name, known in kept.items() if _ticks(known)}


def version(folder: Path | None = None) -> str:
    """A digest of a lesson's `checks.json`, which changes whenever its checks do; "" if it has none."""
    try:
        return hashlib.sha256(((folder or Path.cwd()) / "checks.json").read_bytes()).hexdigest()[:10]
    except OSError:
        return ""


def record(exercise: str, *, passed: bool) -> None:
    """Remember how a check went. A home that can't be written to costs the memory, not the lesson."""
    known = _all().get(_key(None), {}).get(exercise)
    if known is None or bool(_passed(known)) != passed:
        since = datetime.now(UTC).isoformat(timespec="seconds")
        _set(exercise, {"passed": since, "version": version()} if passed else False)


def tick(question: str, lines: Sequence[int]) -> None:
    """Remember which lines of its rubric an answer meets, counted from 1."""
    _set(question, {"ticks": sorted(lines)})


def move(old: Path, new: Path) -> None:
    """A notebook's folder was renamed: what passed there passes here."""
    kept = _all()
    if (there := kept.pop(_key(old), None)) is not None:
        kept[_key(new)] = there
        _keep(kept)


def _set(name: str, known: object) -> None:
    kept = _all()
    kept.setdefault(_key(None), {})[name] = known
    _keep(kept)


def _passed(known: Any) -> Passed | None:
    match known:
        case {"passed": str(since), "version": str(version)}:
            return Passed(since, version)
    return None


def _ticks(known: Any) -> bool:
    match known:
        case {"ticks": [*lines]}:
            return all(isinstance(line, int) for line in lines)
    return False


def _key(folder: Path | None) -> str:
    try:
        return str((folder or Path.cwd()).resolve())
    except OSError:  # the folder is gone: checks still speak
        return ""


def _all() -> dict[str, dict[str, Any]]:
    """What is kept of each notebook, by its folder. Empty where nothing readable is."""
    try:
        kept = json.loads(path().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    folders = kept.items() if isinstance(kept, dict) else ()
    return {folder: known for folder, known in folders if isinstance(known, dict)}


def _keep(kept: dict[str, dict[str, Any]]) -> None:
    with contextlib.suppress(OSError):
        write_whole(path(), json.dumps(kept, indent=1, sort_keys=True).encode())
