"""What the kernel says of a process: what it used, and how long its threads were in queues."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from autograder.child import times
from autograder.child.times import UNSEEN, Meter

SECONDS = 0.4  # of CPU time, that each thread uses

# Threads that work without Python's lock, all on one core; then it says so, and waits for its input to end.
PROGRAM = """
import hashlib, os, sys, threading, time
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
stay = threading.Event()
done = threading.Barrier(int(sys.argv[1]) + 1)
def work():
    while time.thread_time() < float(sys.argv[2]): hashlib.sha256(bytes(1 << 20))
    done.wait()
    if sys.argv[3] == "stay": stay.wait()
threads = [threading.Thread(target=work, daemon=True) for _ in range(int(sys.argv[1]))]
for thread in threads: thread.start()
done.wait()
if sys.argv[3] != "stay":
    for thread in threads: thread.join()  # has ended for Python, and a moment later for the kernel
    while len(os.listdir("/proc/self/task")) > 1: time.sleep(0.001)
print("done", flush=True)
sys.stdin.read()
"""

pytestmark = pytest.mark.skipif(not os.path.exists("/proc/self/schedstat"), reason="this kernel doesn't say")


@pytest.fixture
def process() -> Iterator:
    started = []

    def start(threads: int, then: str) -> int:
        arguments = [sys.executable, "-c", PROGRAM, str(threads), str(SECONDS), then]
        started.append(subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE))
        assert started[-1].stdout.readline() == b"done\n"
        return started[-1].pid

    yield start
    for each in started:
        each.communicate()


def test_threads_that_wait_for_nothing_queue_for_nothing(process):
    watched = Meter(process(0, "stay"))
    assert watched.read()["others_queued"] < UNSEEN * 0.02


def test_threads_that_share_a_core_queue_and_it_is_known_after_they_have_ended(process, monkeypatch):
    watched = Meter(process(3, "stay"))
    found = watched.read()
    assert found["used"] > 3 * SECONDS
    assert found["others_queued"] > SECONDS  # the first to end waited for two others, for most of that time
    monkeypatch.setattr(times.os, "listdir", lambda path: [str(watched.pid)])  # as if the others had ended
    assert watched.read()["others_queued"] == pytest.approx(found["others_queued"], abs=UNSEEN * 0.02)


def test_of_threads_that_nobody_saw_it_is_assumed_that_they_queued(process):
    watched = Meter(process(2, "end"))
    assert watched.read()["others_queued"] > UNSEEN * SECONDS


def test_a_system_that_does_not_say_is_one_that_does_not_say(process, monkeypatch):
    pid = process(0, "stay")

    def nothing(path: str) -> list[str]:
        raise FileNotFoundError(path)

    with monkeypatch.context() as patch:
        patch.setattr(times.Path, "read_text", lambda path: "0 0 0\n")  # it could, and was told not to
        assert Meter(pid).read()["others_queued"] is None
    monkeypatch.setattr(times.os, "listdir", nothing)
    assert Meter(pid).read()["others_queued"] is None
    monkeypatch.setattr(times.sys, "platform", "darwin")
    found = Meter(pid).read()
    assert found["others_queued"] is None
    assert found["used"] < 10  # time itself stands for it, and begins with the child
