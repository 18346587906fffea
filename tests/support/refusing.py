"""A folder that only its owner may enter: the system refuses to look at what is in it. Root isn't refused, hence this."""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def refuse(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Refuse all that lies in a folder, whatever of Python's asks for it. Its own names may be listed."""

    def refusing(call: Callable[..., Any]) -> Callable[..., Any]:
        def asked(path: Any = ".", *rest: Any, **options: Any) -> Any:
            at = options.get("dir_fd")
            base = "" if at is None else os.readlink(f"/proc/self/fd/{at}")
            if isinstance(path, str | os.PathLike) and folder in Path(base, path).parents:
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
            return call(path, *rest, **options)

        return asked

    for name in ("stat", "lstat", "open", "listdir", "scandir"):
        monkeypatch.setattr(os, name, refusing(getattr(os, name)))
