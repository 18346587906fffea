"""A course folder for tests: a lesson as built, nbgrader's settings, and the commands run in it."""

import contextlib
import ctypes
import functools
import json
import multiprocessing
import os
import re
import runpy
import secrets
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from multiprocessing import forkserver
from pathlib import Path

import nbformat
import psutil

from autograder.classroom.privacy import AS_ROOT
from autograder.lessons import ROOT

LESSON = "01_attention"
# All hidden cases of a run of the tests follow from it. The environment, which other processes of the run have
# too, can give that of another run.
SECRET = os.environ.setdefault("HEADSTART_TEST_SECRET", secrets.token_hex(16))
PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
PF_EXITING = 4  # linux/sched.h


# Forks of a process that has imported what commands need: starting a hundred of them takes minutes otherwise.
PROCESSES = multiprocessing.get_context("forkserver")
PRELOADED = [
    "autograder.classroom.class_run",
    "exercises.attention",
    "autograder.grading.judge",
    "autograder.sheets",
    "nbgrader.apps",
    "nbgrader.server_extensions",
]
PROCESSES.set_forkserver_preload(PRELOADED)


def _become(command: Sequence[str], cwd: Path, env: dict[str, str], out: Path, err: Path) -> None:
    """Turn a process that was just forked into a command, as `python -m` would."""
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    inherited = (sys.stdout, sys.stderr)  # nbgrader's validator, imported before, has kept the one
    for number, name, place in ((0, "stdin", os.devnull), (1, "stdout", out), (2, "stderr", err)):
        descriptor = os.open(place, os.O_RDWR | os.O_CREAT, 0o600)
        os.dup2(descriptor, number)
        setattr(sys, name, open(number, "r" if number == 0 else "w", closefd=False))  # noqa: SIM115
    hear_signals()
    module = {"headstart": "autograder", "nbgrader": "nbgrader"}[command[0]]
    sys.path.insert(0, str(cwd))
    sys.argv = list(command)
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    finally:
        for stream in (*inherited, sys.stdout, sys.stderr):
            stream.flush()


def run(command: Sequence[str], cwd: Path, env: dict[str, str]) -> subprocess.CompletedProcess:
    """Run `headstart ...` or `nbgrader ...` in a folder, with changes to the environment, and keep what it says."""
    with tempfile.TemporaryDirectory() as folder:
        out, err = Path(folder, "out"), Path(folder, "err")
        process = PROCESSES.Process(target=_become, args=(command, cwd, os.environ | env, out, err))
        process.start()
        process.join()
        return subprocess.CompletedProcess(command, process.exitcode or 0, out.read_text(), err.read_text())


@functools.cache
def _empty_gradebook() -> bytes:
    """A gradebook as nbgrader makes it. For each new one it asks another program, which takes most of a second."""
    from nbgrader.api import Gradebook

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "gradebook.db")
        Gradebook(f"sqlite:///{path}").close()
        return path.read_bytes()


def complaints(done: subprocess.CompletedProcess) -> list[str]:
    """The lines on stderr, but for the one that those who test as root get."""
    return [line for line in done.stderr.strip().splitlines() if line != f"headstart: {AS_ROOT}"]


class Course:
    """A course of one lesson in a folder of its own."""

    def __init__(self, root: Path, lesson: str = LESSON) -> None:
        self.root, self.lesson = root, lesson
        root.mkdir(parents=True, exist_ok=True)
        shutil.copytree(ROOT / "source" / self.lesson, root / "source" / self.lesson)
        config = (ROOT / "nbgrader_config.py").read_text()
        (root / ".headstart_secret").write_text(SECRET)
        (root / "nbgrader_config.py").write_text(config + f"\nc.Exchange.root = {str(root / 'exchange')!r}\n")

    def run(
        self, *command: str, cwd: Path | None = None, check: bool = True, **env: str
    ) -> subprocess.CompletedProcess:
        """Run `headstart ...` or `nbgrader ...` as a user would, in the course's folder unless told otherwise."""
        if command[:2] == ("headstart", "grade") and not {"--workers", "--cluster"} & set(command):
            command = (
                *command,
                "--workers",
                "1",
            )  # other tests run beside it, and a second takes 3 s to start
        self._provide_gradebook(command)
        env = {"COLUMNS": "200", "PYTHONPATH": str(ROOT), **env}
        done = run(command, cwd or self.root, env)
        if check and done.returncode:
            raise AssertionError(
                f"{' '.join(command)} exited with {done.returncode}\n{done.stdout}\n{done.stderr}"
            )
        return done

    def _provide_gradebook(self, command: tuple[str, ...]) -> None:
        """Begin with an empty gradebook, unless the course has another one or rights of its own."""
        said = (self.root / "nbgrader_config.py").read_text() + " ".join(command)
        usual = command[:2] == ("headstart", "grade") and not re.search("--once|db_url|groupshared", said)
        if usual and not (path := self.root / "gradebook.db").exists():
            path.write_bytes(_empty_gradebook())

    def submission(self, student: str) -> Path:
        """The folder of a student's submission, made if need be."""
        folder = self.root / "submitted" / student / self.lesson
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def hand_in(
        self, student: str, answers: dict[str, str] | None = None, cells: tuple[str, ...] = ()
    ) -> Path:
        """Write a submission: the solved lesson, some answers replaced by others, some cells added at the end."""
        notebook = self.solved()
        for cell in notebook.cells:
            flags = cell.metadata.get("nbgrader", {})
            for exercise, source in (answers or {}).items():
                name = flags.get("grade_id", "").removesuffix("-answer")  # what is answered in words has none
                if flags.get("solution") and name == exercise.replace(".", "-"):
                    cell.source = source
        notebook.cells += [nbformat.v4.new_code_cell(source) for source in cells]
        path = self.submission(student) / f"{self.lesson}.ipynb"
        nbformat.write(notebook, path)
        return path

    def solved(self) -> nbformat.NotebookNode:
        """The lesson with its solutions in, as a student would have them: without the marks around them."""
        notebook = nbformat.read(self.root / "source" / self.lesson / f"{self.lesson}.ipynb", as_version=4)
        for cell in notebook.cells:
            lines = [line for line in cell.source.splitlines() if " SOLUTION" not in line]
            cell.source = "\n".join(lines)
        return notebook

    def verdicts(self) -> dict[str, dict[str, dict]]:
        """What is recorded: student -> exercise -> verdict."""
        rows = self.query("select student, verdicts from headstart_grading")
        return {student: {v["exercise"]: v for v in json.loads(verdicts)} for student, verdicts in rows}

    def statuses(self) -> dict[str, dict[str, str]]:
        """Student -> exercise -> status."""
        return {s: {id: v["status"] for id, v in verdicts.items()} for s, verdicts in self.verdicts().items()}

    def query(self, sql: str) -> list[tuple]:
        """Ask the gradebook."""
        with contextlib.closing(sqlite3.connect(self.root / "gradebook.db")) as db, db:
            return db.execute(sql).fetchall()

    def scores(self) -> dict[tuple[str, str], float | None]:
        """What nbgrader will show: (student, cell) -> automatic score."""
        sql = """select submitted_assignment.student_id, base_cell.name, grade.auto_score from grade
            join base_cell on base_cell.id = grade.cell_id
            join submitted_notebook on submitted_notebook.id = grade.notebook_id
            join submitted_assignment on submitted_assignment.id = submitted_notebook.assignment_id"""
        rows = self.query(sql)
        assert len(rows) == len({row[:2] for row in rows}), "a cell of a submission is in the gradebook twice"
        return {(student, cell): score for student, cell, score in rows}

    def autograded(self, student: str) -> nbformat.NotebookNode:
        """The notebook that formgrader shows."""
        return nbformat.read(
            self.root / "autograded" / student / self.lesson / f"{self.lesson}.ipynb", as_version=4
        )


def hear_signals() -> None:
    """In a process just started: let it be stopped, even where tests run in the background or under nohup."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


@contextlib.contextmanager
def foster_parent() -> Iterator[list[str]]:
    """While it lasts, processes whose parents end become this process's children; then, which still run."""
    forkserver.ensure_running()  # ours, which stays
    me, left = psutil.Process(), []
    before = set(me.children(recursive=True))
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    assert prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0, os.strerror(ctypes.get_errno())
    try:
        yield left
    finally:
        while ending := [each for each in set(me.children(recursive=True)) - before if _is_ending(each)]:
            psutil.wait_procs(ending)
        prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
        for process in set(me.children(recursive=True)) - before:
            with contextlib.suppress(psutil.NoSuchProcess):
                if process.status() != psutil.STATUS_ZOMBIE:
                    left.append(" ".join(process.cmdline()))


def _is_ending(process: psutil.Process) -> bool:
    """Whether it was killed, or gives back its memory: until all of that is done its state doesn't say so."""
    with contextlib.suppress(psutil.Error, OSError):
        state, *_, flags = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[:7]
        said = Path(f"/proc/{process.pid}/status").read_text()
        pending = [int(mask, 16) for mask in re.findall(r"(?m)^(?:Sig|Shd)Pnd:\s*(\w+)", said)]
        killed = any(mask >> (signal.SIGKILL - 1) & 1 for mask in pending)
        return state != "Z" and (killed or bool(int(flags) & PF_EXITING))
    return False
