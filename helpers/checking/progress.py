"""Which checks a student has passed, kept between sessions in one small file of their own.

It is for the student's eyes: no grade is ever read from it.
"""

import contextlib
import json
import os
from pathlib import Path

from helpers.storage import write_whole


def path() -> Path:
    """Where progress is kept: `HEADSTART_PROGRESS`, or `~/.headstart/progress.json`."""
    return Path(os.environ.get("HEADSTART_PROGRESS") or Path.home() / ".headstart" / "progress.json")


def load() -> dict[str, bool]:
    """Exercise id to whether its check passed when last run. Empty where nothing readable is kept."""
    try:
        kept = json.loads(path().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(key): value is True for key, value in kept.items()} if isinstance(kept, dict) else {}


def record(exercise: str, *, passed: bool) -> None:
    """Remember how a check went. A home that can't be written to costs the memory, not the lesson."""
    kept = load()
    if kept.get(exercise) == passed:
        return
    kept[exercise] = passed
    with contextlib.suppress(OSError):
        write_whole(path(), json.dumps(kept, indent=1, sort_keys=True).encode())
