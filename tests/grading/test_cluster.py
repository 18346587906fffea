"""Grading on a Dask cluster: a real scheduler, and two workers of which one is killed in mid-run."""

import contextlib
import json
import os
import shlex
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from distributed import Client, Security

from autograder.lessons import ROOT
from tests.support.course import LESSON, Course, complaints, hear_signals
from tests.support.limits import PATIENCE, until
from tests.support.proved import ENGINE, follows_from

pytestmark = [
    pytest.mark.needs_bubblewrap,
    pytest.mark.timeout(600),
    follows_from(*ENGINE, "docs/scaling.md"),
]


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
    host = "tls://127.0.0.1" if env.get("DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION") else "127.0.0.1"
    scheduler = ("distributed.cli.dask_scheduler", "--host", host, "--port", "0", "--no-dashboard")
    with contextlib.ExitStack() as stack:
        stack.enter_context(process(*scheduler, "--scheduler-file", "scheduler.json", cwd=folder, **env))
        until(lambda: _address(folder))
        workers = [
            stack.enter_context(process(*WORKER, "--scheduler-file", "scheduler.json", cwd=folder, **env))
            for _ in range(2)
        ]
        address = _address(folder)
        with Client(address, set_as_default=False, security=security(env)) as client:
            client.wait_for_workers(2, timeout=PATIENCE)
        yield address, workers


def _address(folder: Path) -> str:
    """The scheduler's, once it has written all of its file."""
    with contextlib.suppress(OSError, ValueError):
        return json.loads((folder / "scheduler.json").read_text())["address"]
    return ""


def security(env: dict[str, str]) -> Security:
    """The same in Dask's own terms as these settings in the environment; of none, what it does by itself."""
    names = {"ca_file": "TLS__CA_FILE", "client_cert": "TLS__CLIENT__CERT", "client_key": "TLS__CLIENT__KEY"}
    found = {f"tls_{key}": env.get(f"DASK_DISTRIBUTED__COMM__{name}") for key, name in names.items()}
    return Security(**{key: value for key, value in found.items() if value})


def certified(folder: Path) -> dict[str, str]:
    """Dask's settings for TLS with a certificate of an authority of its own, made as docs/scaling.md says."""
    folder.mkdir()
    page = (ROOT / "docs" / "scaling.md").read_text(encoding="utf-8").replace("\\\n", "")
    made = [shlex.split(line) for line in page.splitlines() if line.startswith("openssl ")]
    assert len(made) == 3
    # Python checks as strictly from 3.13 on.
    for command in (*made, ["openssl", "verify", "-x509_strict", "-CAfile", "ca.pem", "grading.pem"]):
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    settings = {"REQUIRE_ENCRYPTION": "True", "TLS__CA_FILE": folder / "ca.pem"}
    for role in ("CLIENT", "SCHEDULER", "WORKER"):
        settings |= {
            f"TLS__{role}__CERT": folder / "grading.pem",
            f"TLS__{role}__KEY": folder / "grading.key",
        }
    return {f"DASK_DISTRIBUTED__COMM__{name}": str(value) for name, value in settings.items()}


def test_a_cluster_with_tls_turns_away_who_has_no_certificate(tmp_path):
    course = Course(tmp_path / "course")
    course.hand_in("amy")
    ours, others = (certified(tmp_path / name) for name in ("ours", "others"))
    with cluster(tmp_path / "elsewhere", **ours) as (address, _):
        assert address.startswith("tls://")
        in_clear = address.replace("tls://", "tcp://")
        trusting = ssl.create_default_context(cafile=tmp_path / "ours" / "ca.pem")
        trusting.check_hostname = False
        host, port = address.removeprefix("tls://").split(":")
        with (
            trusting.wrap_socket(socket.create_connection((host, int(port)), timeout=PATIENCE)) as without,
            pytest.raises(ssl.SSLError, match="certificate required"),
        ):
            without.recv(1)
        for where, settings in ((address, others), (in_clear, {})):
            with pytest.raises(OSError):
                Client(where, set_as_default=False, security=security(settings), timeout=3)
        done = course.run("headstart", "grade", LESSON, "--cluster", address, check=False)
        assert done.returncode == 2
        assert len(complaints(done)) == 1
        assert "1 graded" in course.run("headstart", "grade", LESSON, "--cluster", address, **ours).stdout
    assert set(course.statuses()["amy"].values()) == {"passed"}


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
            workers[0].kill()  # at once: most are still to be graded
            killed.set()

        threading.Thread(target=kill_one).start()
        done = there.run("headstart", "grade", LESSON, "--cluster", address)
        assert killed.is_set()
        assert workers[0].wait() == -signal.SIGKILL
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
        command = ("autograder", "grade", LESSON, "--cluster", address, "--seconds", "100000")
        with process(*command, cwd=course.root) as grader:
            while not (course.root / "autograded" / "amy").is_dir():
                assert grader.poll() is None
                time.sleep(0.05)
            grader.send_signal(signal.SIGINT)
            assert grader.wait() == 130  # a loop would take a day
    assert "headstart: stopped" in (course.root / "log").read_text()


def test_a_worker_that_is_no_grader_is_named(tmp_path):
    course = Course(tmp_path / "course")
    course.hand_in("amy")
    (tmp_path / "another").mkdir()  # a Python without Headstart
    (tmp_path / "another" / "sitecustomize.py").write_text("import sys; sys.modules['autograder'] = None")
    with cluster(tmp_path / "elsewhere", PYTHONPATH=str(tmp_path / "another")) as (address, _):
        done = course.run("headstart", "grade", LESSON, "--cluster", address, check=False)
    assert done.returncode == 2
    [line] = complaints(done)
    assert "the worker tcp://127.0.0.1:" in line
    assert "can't grade: " in line


def test_a_cluster_that_is_not_there_is_named_in_one_line(tmp_path):
    course = Course(tmp_path / "course")
    course.hand_in("amy")
    done = course.run("headstart", "grade", LESSON, "--cluster", "tcp://127.0.0.1:9", check=False)
    assert done.returncode == 2
    [line] = complaints(done)
    assert "no Dask scheduler answers at tcp://127.0.0.1:9" in line
