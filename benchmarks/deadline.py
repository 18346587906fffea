"""A deadline: so many submissions in ten minutes, most of them near the end, and `headstart watch`.

    python -m benchmarks.deadline [--submissions 1000] [--minutes 10] [--lesson 01_attention]

The class is one of `headstart simulate --calm`, handed in under other names, through the exchange, as often
as needed. As in real classes, some are odd: one in 200 has a loop without end in an early answer, which many
others call, and one in 100 each is under another name, in a zip, cut off, or ends Python. Printed
are the seconds from hand-in to the page, whether anything was lost or graded twice, and what a nightly
`nbgrader autograde` of all would take, worked out from a few.
"""

import argparse
import itertools
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles

from rich.table import Table

from autograder.lessons import ROOT
from benchmarks.grading import _theirs, make_course
from benchmarks.results import write

CLASS = 60  # different submissions
WHEN = "2026-01-01 12:00:00 UTC"


def main() -> None:
    """Hand in, watch, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--submissions", type=int, default=1000)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--lesson", default="01_attention")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="headstart-deadline-") as folder:
        root = Path(folder, "course")
        make_course(root, options.lesson, CLASS)
        theirs = _theirs(root, options.lesson, options.submissions)
        ours = (ROOT / "nbgrader_config.py").read_text()
        (root / "nbgrader_config.py").write_text(f"{ours}\nc.Exchange.root = {str(root / 'exchange')!r}\n")
        (root / "submitted").rename(root / "simulated submissions")
        found = deadline(root, options.lesson, options.submissions, 60 * options.minutes)
    handed_in, graded, out, ended = found
    waits = [out[who] - at for who, at in handed_in.items() if who in out]
    twice = sum(count > 1 for count in graded.values())
    table = Table("", "")
    odd = Counter(map(_odd, range(len(handed_in))))
    rows = {
        "submissions": f"{len(handed_in):,} in {options.minutes:g} minutes, most in the last third",
        "of them odd": f"{len(handed_in) - odd[None]}, {odd[_loop]} of them with an endless loop",
        "lost": f"{len(handed_in) - len(waits)}",
        "graded twice": f"{twice}",
        "from hand-in to feedback, median": f"{median(waits):.0f} s",
        "95 % within": f"{quantiles(waits, n=20)[-1]:.0f} s",
        "the last is answered": f"{ended:.0f} s after the deadline",
        "`nbgrader autograde` of all, by night": f"{theirs / 3600:.1f} h",
    }
    for row in rows.items():
        table.add_row(*row)
    write("A deadline", "python -m benchmarks.deadline", table)


def deadline(
    root: Path, lesson: str, submissions: int, seconds: float
) -> tuple[dict[str, float], Counter[str], dict[str, float], float]:
    """Hand in while a watch runs.

    Returns:
        By student: when it was handed in, how often it was graded, when its feedback was out; and how long
        after the deadline the last was answered.
    """
    inbound = root / "exchange" / "headstart" / "inbound"
    inbound.mkdir(parents=True)
    command = [sys.executable, "-m", "autograder", "watch", lesson]
    watch = subprocess.Popen(
        command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    assert watch.stdout
    print(watch.stdout.readline().strip(), flush=True)  # it watches
    handed_in: dict[str, float] = {}
    classmates = itertools.cycle(sorted((root / "simulated submissions").iterdir()))
    rng, begun = random.Random(0), time.monotonic()
    times = sorted(seconds * rng.betavariate(2, 1) for _ in range(submissions))

    def students() -> None:
        for number, (at, classmate) in enumerate(zip(times, classmates, strict=False)):
            time.sleep(max(0.0, begun + at - time.monotonic()))
            student = f"s{number:04}"
            _hand_in(classmate / lesson, inbound / f"{student}+{lesson}+{WHEN}+abc", _odd(number))
            handed_in[student] = time.monotonic()

    threading.Thread(target=students, daemon=True).start()
    graded: Counter[str] = Counter()
    out: dict[str, float] = {}
    for line in watch.stdout:
        if told := re.match(r"\S+ (s\d+): (feedback is (?:out|made))?", line):
            if told[2]:
                out[told[1]] = time.monotonic()
            else:
                graded[told[1]] += 1
        if len(out) == submissions:
            break
        if time.monotonic() > begun + 4 * seconds:
            print("headstart: some were never answered", file=sys.stderr)
            break
    watch.send_signal(signal.SIGINT)
    watch.wait(60)
    return handed_in, graded, out, time.monotonic() - begun - seconds


def _hand_in(source: Path, folder: Path, change: Callable[[Path], None] | None = None) -> None:
    """As nbgrader does: the time comes last."""
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("timestamp.txt"))
    if change:
        for notebook in folder.glob("*.ipynb"):
            change(notebook)
    (folder / "submission_secret.txt").write_text(folder.name)
    (folder / "timestamp.txt").write_text(WHEN)


def _odd(number: int) -> Callable[[Path], None] | None:
    """What makes the hand-in of this number an odd one, if anything."""
    if number % 200 == 50:
        return _loop
    return {10: _rename, 30: _zip, 70: _truncate, 90: _crash}.get(number % 100)


def _loop(notebook: Path) -> None:
    _begin_with("    while True:\n        pass", notebook)


def _crash(notebook: Path) -> None:
    _begin_with("    import os\n    os._exit(1)", notebook)


def _begin_with(lines: str, notebook: Path) -> None:
    """Have the functions of the first answer begin with these lines."""
    raw = json.loads(notebook.read_text())
    for cell in raw["cells"]:
        source = "".join(cell["source"])
        if cell["metadata"].get("nbgrader", {}).get("solution") and "def " in source:
            cell["source"] = re.sub(r"^(def .*:)$", rf"\1\n{lines}", source, flags=re.M)
            break
    notebook.write_text(json.dumps(raw))


def _rename(notebook: Path) -> None:
    notebook.rename(notebook.with_name(f"{notebook.stem} (1).ipynb"))


def _zip(notebook: Path) -> None:
    with zipfile.ZipFile(notebook.with_suffix(".zip"), "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(notebook, notebook.name)
    notebook.unlink()


def _truncate(notebook: Path) -> None:
    notebook.write_bytes(notebook.read_bytes()[:1000])


if __name__ == "__main__":
    main()
