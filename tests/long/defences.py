"""Take the grader's defences out, one by one: each time the named tests have to fail, by an assertion.

python -m tests.long.defences [--fresh] [--chance COUNT [--seed SEED]] [NAME ...]

A defence is marked in the code by a comment, `# defence: NAME`, above it. tests/long/defences_listed.py says, for each
name, which tests show it, and what to take out where that isn't the whole statement. The program works on a copy of
the project in a folder of its own and prints, for each defence, which test failed. A test that stops with some other
error, or at its time limit, doesn't count: it would stop without the defence for any reason.

A NAME is part of the name of a defence, as in the table; none means all of them. `--chance` takes so many of them,
drawn with a seed. A call that was stopped resumes where it was.
"""

import argparse
import ast
import functools
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from autograder.lessons import ROOT
from tests.long.defences_listed import LISTED
from tests.long.rows import Rows, add_option
from tests.support.failures import BY_ASSERTION

COMMENT = re.compile(r"^[ \t]*(?:#|\{#) defence: (.+?)(?: #\})?[ \t]*\n", re.M)
HOLD_DEFENCES = ("autograder/**/*.py", "autograder/**/*.j2", "helpers/**/*.py")
LEFT_OUT = (".*", "__pycache__", "*.egg-info", "work")
SECONDS = 100  # for a test that doesn't say
WHERE = "import autograder, helpers; print(autograder.__file__, helpers.__file__)"


@dataclass(frozen=True)
class Defence:
    """One defence.

    Attributes:
        name: what it is, or what it keeps out. What stands in front of " / " is the name in the comment: several
            defences may be parts of the same statement.
        tests: the tests that fail without it, by pytest's ids. One with parameters may fail with any of them.
        old: what is taken out, where that isn't the whole statement.
        new: what is put in its place.
    """

    name: str
    tests: tuple[str, ...]
    old: str = ""
    new: str = ""

    @property
    def comment(self) -> str:
        """The name in the code."""
        return self.name.partition(" / ")[0]


def path_of(tests: str) -> str:
    """The path of a file of tests, by its name alone."""
    return next(iter((ROOT / "tests").glob(f"*/{tests}.py"))).relative_to(ROOT).as_posix()


def _listed() -> Iterable[Defence]:
    for file, rows in LISTED.items():
        for name, row in rows.items():
            which, *edit = (row,) if isinstance(row, str) else row
            yield Defence(name, tuple(f"{path_of(file)}::test_{test}" for test in which.split("|")), *edit)


DEFENCES = list(_listed())


@functools.cache
def comments() -> dict[str, list[str]]:
    """The files, by paths below the root, in which each name is a comment, once for each comment."""
    found: dict[str, list[str]] = {}
    for path in sorted(path for pattern in HOLD_DEFENCES for path in ROOT.glob(pattern)):
        for name in COMMENT.findall(path.read_text()):
            found.setdefault(name, []).append(path.relative_to(ROOT).as_posix())
    return found


def without(source: str, defence: Defence) -> str:
    """A file's text without a defence.

    If nothing else is said, the statement below the comment goes: an `if` never applies, any other becomes `pass`.
    Where no statement begins there, the line goes.

    Raises:
        ValueError: the comment isn't there, or what would be taken out isn't below it.
    """
    [comment] = [match for match in COMMENT.finditer(source) if match[1] == defence.comment] or [None]
    if comment is None:
        raise ValueError(f"no comment `# defence: {defence.comment}`")
    begin = comment.end()
    line = source.count("\n", 0, begin) + 1
    statement, last = _statement(source, line)
    lines = source.splitlines(keepends=True)
    if defence.old:
        end = len("".join(lines[:last]))
        if not begin <= (at := source.find(defence.old, begin)) < end:
            raise ValueError(f"{defence.old!r} isn't in the statement below its comment")
        return source[:at] + defence.new + source[at + len(defence.old) :]
    if statement is None:
        return "".join([*lines[: line - 1], *lines[line:]])
    if isinstance(statement, ast.If):
        return _replaced(lines, statement.test, "False")
    return _replaced(lines, statement, "pass")


def _statement(source: str, line: int) -> tuple[ast.stmt | None, int]:
    """The statement that begins in a line, if one does; and the last line of it, or of the one around the line."""
    try:
        tree = ast.parse(source)
    except SyntaxError:  # a template
        return None, source.count("\n")
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or 0)
    ]
    begin_here = [node for node in around if node.lineno == line]
    if begin_here:
        return begin_here[0], begin_here[0].end_lineno or 0
    return None, max(around, key=lambda node: node.lineno).end_lineno or 0 if around else source.count("\n")


def _replaced(lines: list[str], node: ast.stmt | ast.expr, text: str) -> str:
    """The text of a file with a part of it replaced."""
    first, last = lines[node.lineno - 1].encode(), lines[(node.end_lineno or 0) - 1].encode()
    before, after = first[: node.col_offset].decode(), last[node.end_col_offset :].decode()
    return "".join([*lines[: node.lineno - 1], before, text, after, *lines[node.end_lineno :]])


def problem(defence: Defence) -> str:
    """Why a defence can't be taken out; empty if it can."""
    match comments().get(defence.comment, []):
        case [file]:
            try:
                less = without((ROOT / file).read_text(), defence)
                if file.endswith(".py"):
                    compile(less, file, "exec")
            except (ValueError, SyntaxError) as error:
                return f"{file}: {error}"
            return ""
        case files:
            return f"its comment stands in the code {len(files)} times"


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

    def failing(self, tests: Iterable[str]) -> dict[str, str]:
        """Those of some tests that fail, by pytest's ids, and how: tests/support/failures.py.

        Raises:
            RuntimeError: they can't even be started.
        """
        kept = self.root.parent / "failures"
        kept.unlink(missing_ok=True)
        options = ["-n0", "-q", "-p", "no:cacheprovider", f"--timeout={SECONDS}"]
        options += ["-p", "tests.support.failures", f"--failures={kept}"]
        options += [f"--basetemp={self.root.parent / 'tests'}"]
        done = self._python("-m", "pytest", *options, *tests)
        if done.returncode not in (0, 1):
            raise RuntimeError((done.stdout + done.stderr)[-2000:])
        return json.loads(kept.read_text())

    def without(self, defence: Defence) -> dict[str, str]:
        """The tests that fail without a defence, and how."""
        [file] = comments()[defence.comment]
        path = self.root / file
        whole = path.read_text()
        path.write_text(without(whole, defence))
        try:
            return self.failing(defence.tests)
        finally:
            path.write_text(whole)


def unseen(defence: Defence, failed: dict[str, str]) -> list[str]:
    """Those of a defence's tests that don't show that it is missing, and what came of them instead."""
    said = []
    for test in defence.tests:
        ways = {how for each, how in failed.items() if each == test or each.startswith(f"{test}[")}
        if BY_ASSERTION not in ways:
            said.append(f"{test.partition('::')[2]} ({', '.join(sorted(ways)) or 'passes'})")
    return said


def taken_out(copy: Copy, defence: Defence) -> tuple[bool, str]:
    """Whether all of a defence's tests fail without it; and after how many seconds, and which."""
    begun, failed = time.monotonic(), dict[str, str]()
    if not (line := problem(defence)):
        try:
            failed = copy.without(defence)
            line = "".join(f" NOT {test}" for test in unseen(defence, failed)).strip()
        except RuntimeError as error:
            line = f"NOT TRIED: {str(error).strip().splitlines()[-1]}"
    more = f" and {len(failed) - 1} more" if len(failed) > 1 else ""
    said = line or f"{next(iter(failed)).partition('::')[2]:.90}{more}"
    return not line, f"{time.monotonic() - begun:4.0f} s  {said}"


def main(arguments: list[str]) -> int:
    """Take the defences out, print a table, and say whether all of them were missed."""
    parser = argparse.ArgumentParser("python -m tests.long.defences")
    add_option(parser)
    parser.add_argument("--chance", type=int, metavar="COUNT", help="this many, drawn by chance")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args(arguments)
    chosen = [d for d in DEFENCES if not options.names or any(name in d.name for name in options.names)]
    if options.chance:
        chosen = random.Random(options.seed).sample(chosen, min(options.chance, len(chosen)))
    came_of: Counter[str] = Counter()
    with (
        Rows("defences", options) as rows,
        tempfile.TemporaryDirectory(prefix="headstart-defences-") as folder,
    ):
        copy = Copy(Path(folder).resolve() / "headstart")
        tests = sorted({test for defence in chosen for test in defence.tests})
        broken = rows("as it is", make=lambda: copy.failing(tests))
        for test, how in broken.items():
            print(f"this test proves nothing, for it is no different as it is: {test} ({how})", flush=True)
        for number, defence in enumerate(chosen, start=1):
            if any(test.partition("[")[0] in defence.tests or test in defence.tests for test in broken):
                missed, said = False, "NOT TRIED: its test fails or is skipped as it is"
            else:
                missed, said = rows(defence.name, make=partial(taken_out, copy, defence))
            came_of["missed" if missed else "not missed"] += 1
            print(f"{number:3}/{len(chosen)}  {defence.name:<55}  {said}", flush=True)
    print(", ".join(f"{count} {what}" for what, count in came_of.items()))
    return int(set(came_of) != {"missed"})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
