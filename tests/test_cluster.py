"""Grading on a Dask cluster: a real scheduler, and two workers of which one is killed in mid-run."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from course import LESSON, Course, hear_signals
from distributed import Client

from autograder.lessons import ROOT

pytestmark = [pytest.mark.needs_bubblewrap, pytest.mark.timeout(600)]


@contextlib.contextmanager
def process(*command: str, cwd: Path, **env: str) -> Iterator[subprocess.Popen]:
    """A process that ends with the block, with all it started."""
    with (cwd / "log").open("a") as log:
        started = subprocess.Popen(
            [sys.executable, "-m", *command], cwd=cwd, stdout=log, stderr=log, start_new_session=True, preexec_fn=hear_signals,
            env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", **env},
        )  # fmt: skip
    try:
        yield started
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(started.pid, signal.SIGKILL)
        started.wait()


WORKER = ("distributed.cli.dask_worker", "--nthreads", "1", "--no-dashboard", "--no-nanny")


@contextlib.contextmanager
def cluster(folder: Path, **env: str) -> Iterator[tuple[str, list[subprocess.Popen]]]:
    """A scheduler and two workers, in a folder that has nothing of the course."""
    folder.mkdir()
    scheduler = ("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
    with contextlib.ExitStack() as stack:
        stack.enter_context(process(*scheduler, "--scheduler-file", "scheduler.json", cwd=folder))
        while not (folder / "scheduler.json").exists():
            time.sleep(0.1)
        workers = [
            stack.enter_context(process(*WORKER, "--scheduler-file", "scheduler.json", cwd=folder, **env))
            for _ in range(2)
        ]
        with Client(scheduler_file=str(folder / "scheduler.json"), set_as_default=False) as client:
            client.wait_for_workers(2, timeout=60)
            address = client.scheduler.address
        yield address, workers


def test_a_cluster_gives_the_same_grades_though_a_worker_dies(tmp_path):
    here, there = Course(tmp_path / "here"), Course(tmp_path / "there")
    for course in (here, there):
        (course.root / ".headstart_secret").write_text("of this test" * 3)
        course.run("headstart", "simulate", LESSON, "--students", "40", "--calm")
    here.run("headstart", "grade", LESSON)
    with cluster(tmp_path / "elsewhere") as (address, workers):
        killed = threading.Event()

        def kill_one() -> None:
            while not killed.is_set() and not (there.root / "autograded").is_dir():
                time.sleep(0.05)
            time.sleep(0.5)
            workers[0].kill()
            killed.set()

        threading.Thread(target=kill_one).start()
        done = there.run("headstart", "grade", LESSON, "--cluster", address)
        assert killed.is_set()
        assert workers[0].wait(10) == -signal.SIGKILL
        assert "40 graded" in done.stdout
        assert "grader failed" not in done.stdout
        assert (
            "0 graded, 40 as before" in there.run("headstart", "grade", LESSON, "--cluster", address).stdout
        )
    assert there.verdicts() == here.verdicts()
    assert there.scores() == here.scores()


def test_ctrl_c_ends_grading_on_a_cluster_at_once(tmp_path):
    course = Course(tmp_path / "course")
    course.hand_in("amy")
    for number in range(4):
        course.hand_in(f"loop-{number}", cells=("while True: pass",))
    with cluster(tmp_path / "elsewhere") as (address, _):
        command = ("autograder", "grade", LESSON, "--cluster", address, "--seconds", "100")
        with process(*command, cwd=course.root) as grader:
            while not (course.root / "autograded" / "amy").is_dir():
                assert grader.poll() is None
                time.sleep(0.05)
            grader.send_signal(signal.SIGINT)
            assert grader.wait(60) == 130  # a loop would take 100 seconds
    assert "headstart: stopped" in (course.root / "log").read_text()


def test_a_worker_that_is_no_grader_is_named(tmp_path):
    course = Course(tmp_path / "course")
    course.hand_in("amy")
    (tmp_path / "another").mkdir()  # a Python without Headstart
    (tmp_path / "another" / "sitecustomize.py").write_text("import sys; sys.modules['autograder'] = None")
    with cluster(tmp_path / "elsewhere", PYTHONPATH=str(tmp_path / "another")) as (address, _):
        done = course.run("headstart", "grade", LESSON, "--cluster", address, check=False)
    assert done.returncode == 2
    [line] = done.stderr.strip().splitlines()
    assert "the worker tcp://127.0.0.1:" in line
    assert "can't grade: " in line


def test_a_cluster_that_is_not_there_is_named_in_one_line(tmp_path):
    course = Course(tmp_path / "course")
    course.hand_in("amy")
    done = course.run("headstart", "grade", LESSON, "--cluster", "tcp://127.0.0.1:9", check=False)
    assert done.returncode == 2
    [line] = done.stderr.strip().splitlines()
    assert "no Dask scheduler answers at tcp://127.0.0.1:9" in line
