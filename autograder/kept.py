"""What takes long to find out about a course's hidden cases, kept beside its secret.

Which draws are fit to judge by takes a call of every misconception. What one judge found, the others read,
and so do later runs. Whether the cases are still those of last time takes an import of all exercises.
"""

import contextlib
import hmac
import json
import os
import stat
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from helpers.storage import write_whole


class FitDraws:
    """A file for each exercise, one line per draw: a version, the draw's name, and which attempt is fit.

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

    def known(self, exercise: str, draw: str) -> int | None:
        """The attempt at a draw that is fit, as somebody found before; None where nobody has."""
        with contextlib.suppress(OSError, ValueError):
            for line in (self._folder / exercise).read_text().splitlines():
                version, name, attempt = line.split()
                if version == self._versions.get(exercise) and name == draw:
                    return int(attempt)
        return None

    def keep(self, exercise: str, draw: str, attempt: int) -> None:
        """Note which attempt at a draw is fit. Where it can't be written, it is found out again."""
        if exercise not in self._versions:
            return
        line = f"{self._versions[exercise]} {draw} {attempt}\n"
        with contextlib.suppress(OSError):
            rights = _made(self._folder)
            descriptor = os.open(self._folder / exercise, os.O_WRONLY | os.O_APPEND | os.O_CREAT, rights)
            with os.fdopen(descriptor, "w") as file:
                file.write(line)
                with contextlib.suppress(PermissionError):  # another teacher has made it
                    os.fchmod(file.fileno(), rights)  # whatever the umask took away


class KeptDigests:
    """A file for each lesson: a digest of each exercise's hidden cases, which take seconds to draw.

    A seal, made with the course's secret, covers the digests and all that they follow from. What is stale,
    cut short, of another course, or written by somebody who doesn't know the secret, counts for nothing.

    Args:
        folder: of the files. Where its parent isn't there, nothing is kept.
        secret: asks for the course's secret.
    """

    def __init__(self, folder: Path, secret: Callable[[], bytes]) -> None:
        self._folder, self._secret = folder, secret

    def read(self, lesson: str, code: str, exercises: Iterable[str]) -> dict[str, str] | None:
        """The digests of a lesson's exercises, if somebody kept them; None otherwise.

        Args:
            lesson: its name, such as `01_attention`.
            code: a digest of all that draws cases.
            exercises: their ids.
        """
        with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
            kept = json.loads((self._folder / lesson).read_text())
            if hmac.compare_digest(kept["seal"], self._seal(lesson, code, kept["digests"])):
                return {id: kept["digests"][id] for id in exercises}
        return None

    def write(self, lesson: str, code: str, digests: Mapping[str, str]) -> None:
        """Keep the digests of a lesson's exercises. Where that can't be, they are found out again."""
        kept = {"digests": dict(digests), "seal": self._seal(lesson, code, digests)}
        with contextlib.suppress(OSError):
            rights = _made(self._folder)
            write_whole(self._folder / lesson, json.dumps(kept).encode())
            (self._folder / lesson).chmod(rights)

    def _seal(self, lesson: str, code: str, digests: Mapping[str, str]) -> str:
        return hmac.digest(self._secret(), json.dumps([lesson, code, digests]).encode(), "sha256").hex()


def _made(folder: Path) -> int:
    """Make the folder if it isn't there. The rights of files in it: the group's, too, where the folder is."""
    folder.mkdir(mode=0o700, exist_ok=True)
    return stat.S_IMODE(folder.stat().st_mode) & 0o660
