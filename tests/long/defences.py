"""Take the grader's defences out, one by one: each time a test has to fail.

python -m tests.long.defences [--fresh] [NAME ...]

It works on a copy of the project in a folder of its own, and says which test failed. A defence that can go
without one isn't tested. A NAME is part of the name of a defence, as in the table; none means all of them. They
stand in tests/long/defences_listed.py, and tests/house/test_defences.py sees to it that they still stand in the code. A call
that was stopped goes on where it was.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from autograder.lessons import ROOT
from tests.long.defences_listed import LISTED
from tests.long.rows import Rows, add_option

LEFT_OUT = (".*", "__pycache__", "*.egg-info", "work", "docs")
SECONDS = 100  # for a test that doesn't say: what waits without end has failed
WHERE = "import autograder, helpers; print(autograder.__file__, helpers.__file__)"


@dataclass(frozen=True)
class Defence:
    """One defence.

    Attributes:
        name: what it is, or what it keeps out.
        file: where it stands.
        text: what it is, as it stands there once.
        without: what would stand there without it.
        tests: the tests that fail then, by pytest's ids. One with parameters may fail with any of them.
    """

    name: str
    file: str
    text: str
    without: str
    tests: tuple[str, ...]


def place(tests: str) -> str:
    """The path of a file of tests, by its name alone."""
    return next(iter((ROOT / "tests").glob(f"*/{tests}.py"))).relative_to(ROOT).as_posix()


DEFENCES = [
    Defence(name, file, text, without, tuple(f"{place(tests)}::test_{test}" for test in which.split("|")))
    for file, tests, rows in LISTED
    for name, text, without, which in rows
]


class Copy:
    """A copy of the project, whose tests see the copy's modules and no others."""

    def __init__(self, root: Path) -> None:
        self.root = root
        shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns(*LEFT_OUT), symlinks=True)
        self.environment = {**os.environ, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
        found = self._python("-c", WHERE).stdout.split()
        assert all(Path(place).is_relative_to(root) for place in found), f"not the copy's modules: {found}"

    def _python(self, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [sys.executable, *arguments], cwd=self.root, env=self.environment, capture_output=True, text=True
        )

    def failing(self, tests: list[str]) -> list[str]:
        """Those of some tests that fail, by pytest's ids.

        Raises:
            RuntimeError: they can't even be started, or are skipped.
        """
        options = ["-n0", "-q", "-rfEs", "-p", "no:cacheprovider", f"--timeout={SECONDS}"]
        options.append(f"--basetemp={self.root.parent / 'tests'}")
        done = self._python("-m", "pytest", *options, *tests)
        if done.returncode not in (0, 1) or re.search(r"^SKIPPED ", done.stdout, re.M):
            raise RuntimeError((done.stdout + done.stderr)[-2000:])
        return re.findall(r"^(?:FAILED|ERROR) (tests/\S+?::\w+(?:\[.*?\](?= - |$))?)", done.stdout, re.M)

    def without(self, defence: Defence) -> list[str]:
        """The tests that fail without a defence."""
        path = self.root / defence.file
        whole = path.read_text()
        path.write_text(whole.replace(defence.text, defence.without))
        try:
            return self.failing(list(defence.tests))
        finally:
            path.write_text(whole)


def problem(defence: Defence) -> str:
    """Why a defence can't be taken out; empty if it can."""
    whole = (ROOT / defence.file).read_text()
    if (times := whole.count(defence.text)) != 1:
        return f"its text stands in {defence.file} {times} times"
    try:
        if defence.file.endswith(".py"):
            compile(whole.replace(defence.text, defence.without), defence.file, "exec")
    except SyntaxError as error:
        return f"without it, {defence.file} is no Python: {error}"
    return ""


def silent(defence: Defence, failed: list[str]) -> list[str]:
    """Those of a defence's tests that don't fail without it."""
    return [
        test
        for test in defence.tests
        if not any(each == test or each.startswith(f"{test}[") for each in failed)
    ]


def main(arguments: list[str]) -> int:
    """Take the defences out, print a table, and say whether all of them were missed."""
    parser = argparse.ArgumentParser("python -m tests.long.defences")
    add_option(parser)
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args(arguments)
    chosen = [d for d in DEFENCES if not options.names or any(name in d.name for name in options.names)]
    came_of: Counter[str] = Counter()
    with (
        Rows("defences", options) as rows,
        tempfile.TemporaryDirectory(prefix="headstart-defences-") as folder,
    ):
        copy = Copy(Path(folder).resolve() / "headstart")
        tests = sorted({test for defence in chosen for test in defence.tests})
        if failed := rows("as it is", make=lambda: copy.failing(tests)):
            print(f"these tests fail as it is, and would prove nothing: {', '.join(failed)}")
            return 1
        for number, defence in enumerate(chosen, start=1):
            missed, said = rows(defence.name, defence.text, make=partial(taken_out, copy, defence))
            came_of["missed" if missed else "not missed"] += 1
            print(f"{number:3}/{len(chosen)}  {defence.name:<55}  {said}", flush=True)
    print(", ".join(f"{count} {what}" for what, count in came_of.items()))
    return int(set(came_of) != {"missed"})


def taken_out(copy: Copy, defence: Defence) -> tuple[bool, str]:
    """Whether all of a defence's tests fail without it; and after how many seconds, and which."""
    begun, failed = time.monotonic(), list[str]()
    if not (line := problem(defence)):
        failed = copy.without(defence)
        line = ", ".join(f"NOT {test}" for test in silent(defence, failed))
    more = f" and {len(failed) - 1} more" if len(failed) > 1 else ""
    said = line or f"{failed[0].partition('::')[2]:.90}{more}"
    return not line, f"{time.monotonic() - begun:4.0f} s  {said}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
