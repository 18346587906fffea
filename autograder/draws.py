"""Which draws of hidden cases are fit to judge by, kept beside a course's secret.

Finding out takes a call of every misconception. It is paid once per course: what one judge found, the others
read, and so do later runs.
"""

import contextlib
import hmac
import os
import stat
from collections.abc import Mapping
from pathlib import Path


class FitDraws:
    """A file for each exercise, one line per draw: a version, the draw's number, and which attempt is fit.

    The version changes with the secret and with all that decides a verdict, so a line never outlives what it
    is about. Lines are only ever appended, whole: any number of judges may write at once.

    Args:
        folder: of the files. Where its parent isn't there, as on another machine, nothing is kept.
        secret: the course's.
        versions: of the exercises, by id. An exercise without one isn't kept.
    """

    def __init__(self, folder: Path, secret: bytes, versions: Mapping[str, str]) -> None:
        self._folder = folder
        self._versions = {
            exercise: hmac.digest(secret, version.encode(), "sha256").hex()[:24]
            for exercise, version in versions.items()
        }

    def known(self, exercise: str, draw: int) -> int | None:
        """The attempt at a draw that is fit, as somebody found before; None where nobody has."""
        with contextlib.suppress(OSError, ValueError):
            for line in (self._folder / exercise).read_text().splitlines():
                version, number, attempt = line.split()
                if version == self._versions.get(exercise) and int(number) == draw:
                    return int(attempt)
        return None

    def keep(self, exercise: str, draw: int, attempt: int) -> None:
        """Note which attempt at a draw is fit. Where it can't be written, it is found out again."""
        if exercise not in self._versions:
            return
        line = f"{self._versions[exercise]} {draw} {attempt}\n"
        with contextlib.suppress(OSError):
            self._folder.mkdir(mode=0o700, exist_ok=True)
            rights = stat.S_IMODE(self._folder.stat().st_mode) & 0o660  # the group's where the folder is
            descriptor = os.open(self._folder / exercise, os.O_WRONLY | os.O_APPEND | os.O_CREAT, rights)
            with os.fdopen(descriptor, "w") as file:
                file.write(line)
                with contextlib.suppress(PermissionError):  # another teacher has made it
                    os.fchmod(file.fileno(), rights)  # whatever the umask took away
