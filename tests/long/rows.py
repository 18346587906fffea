"""Rows of a program that runs for long: kept as they come, so that a call goes on where the last was stopped.

A row is kept in a file in `.rows/` as soon as it is there, and the file goes once the program has come to its end:
so it is there only while something was stopped. What rows depend on is the file's first line: the project's code,
the packages, the program's arguments. Where that is different, or with `--fresh`, all begins anew.
"""

import argparse
import contextlib
import fcntl
import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from autograder.lessons import ROOT

KEPT = ROOT / ".rows"
CODE = (
    "autograder",
    "benchmarks",
    "deploy",
    "exercises",
    "helpers",
    "notebooks",
    "tests",
    "*.py",
    "*.toml",
    "*.txt",
)


class Rows:
    """The rows of one call of a program; used as `with Rows(...) as rows`."""

    def __init__(self, program: str, options: argparse.Namespace, folder: Path = KEPT) -> None:
        """Open what is kept of an earlier call.

        Args:
            program: its name.
            options: its arguments, of which `fresh`, if there, throws away what is kept.
            folder: where it is kept.

        Raises:
            SystemExit: the same program runs already, with the same arguments.
        """
        arguments = {name: str(value) for name, value in vars(options).items() if name != "fresh"}
        named = hashlib.sha256(json.dumps(arguments, sort_keys=True).encode()).hexdigest()
        self.path = folder / f"{program}-{named[:8]}.jsonl"
        folder.mkdir(exist_ok=True)
        self._file = self.path.open("a+b")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            sys.exit(f"{program} is running already, with these arguments")
        head = json.dumps({"program": program, "arguments": arguments, **_what_rows_depend_on()}).encode()
        self.done = {} if getattr(options, "fresh", False) else dict(self._read(head))
        if not self.done:
            self._file.truncate(0)
            self._write(head)
        else:
            print(
                f"{len(self.done)} rows are kept of a call that was stopped (--fresh begins anew)",
                file=sys.stderr,  # what the program prints may be kept in a file, to be compared
            )

    def __call__(self, *name: str, make: Callable[[], Any]) -> Any:
        """What a row holds: as it is kept, or made now, and kept.

        Args:
            name: of the row: all that it depends on beside code, packages and arguments.
            make: makes it. It returns what JSON can hold.
        """
        if name not in self.done:
            self.keep(*name, row=make())
        return self.done[name]

    def keep(self, *name: str, row: Any) -> None:
        """Keep a row that has been made."""
        line = json.dumps([name, row])
        self._write(line.encode())
        self.done[name] = json.loads(line)[1]  # just as another call would read it

    def __enter__(self) -> "Rows":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.path.unlink(missing_ok=True)
        self._file.close()

    def _read(self, head: bytes) -> Iterator[tuple[tuple[str, ...], Any]]:
        """The rows kept, if they still hold. Of one that was being written when the program was killed, nothing."""
        self._file.seek(0)
        whole = self._file.read().rpartition(b"\n")[0]
        first, *lines = whole.split(b"\n")
        if first == head:
            self._file.truncate(len(whole) + 1)
            for line in lines:
                name, row = json.loads(line)
                yield tuple(name), row

    def _write(self, line: bytes) -> None:
        self._file.write(line + b"\n")
        self._file.flush()


def add_option(parser: argparse.ArgumentParser) -> None:
    """Give a program `--fresh`."""
    parser.add_argument("--fresh", action="store_true", help="begin anew, whatever is kept of a stopped call")


def _what_rows_depend_on() -> dict[str, str]:
    code, packages = hashlib.sha256(), hashlib.sha256(sys.version.encode())
    for path in sorted(path for each in CODE for path in _files(each)):
        with contextlib.suppress(OSError):
            code.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    for package in sorted(f"{each.name}=={each.version}" for each in distributions()):
        packages.update(f"{package}\n".encode())
    return {"code": code.hexdigest(), "packages": packages.hexdigest()}


def _files(pattern: str) -> Iterator[Path]:
    for path in ROOT.glob(pattern):
        inside = path.rglob("*") if path.is_dir() else [path]
        yield from (each for each in inside if each.is_file() and "__pycache__" not in each.parts)
