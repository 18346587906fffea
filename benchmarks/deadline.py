"""A deadline: so many submissions in ten minutes, most of them near the end, and `headstart watch`.

    python -m benchmarks.deadline [--submissions 1000] [--minutes 10] [--lesson 01_attention]

The class is one of `headstart simulate --calm`, handed in under other names, through the exchange, as often
as needed. Printed are the seconds from hand-in to the page that a student can fetch, whether anything was
lost or graded twice, and what a nightly `nbgrader autograde` of all would take, worked out from a few.
"""

import argparse
import itertools
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
from collections import Counter
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
    rows = {
        "submissions": f"{len(handed_in):,} in {options.minutes:g} minutes, most in the last third",
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
            _hand_in(classmate / lesson, inbound / f"{student}+{lesson}+{WHEN}+abc")
            handed_in[student] = time.monotonic()

    threading.Thread(target=students, daemon=True).start()
    graded: Counter[str] = Counter()
    out: dict[str, float] = {}
    for line in watch.stdout:
        if told := re.match(r"\S+ (s\d+): (feedback is out)?", line):
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


def _hand_in(source: Path, folder: Path) -> None:
    """As nbgrader does: the time comes last."""
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("timestamp.txt"))
    (folder / "submission_secret.txt").write_text(folder.name)
    (folder / "timestamp.txt").write_text(WHEN)


if __name__ == "__main__":
    main()
