"""What all submissions together may take: the groups that a grader makes where it may, and going without.

Most of it is real, and runs where the tests have a cgroup to themselves:

systemd-run --user --scope -p Delegate=yes .venv/bin/pytest -n0 tests/grading/test_cgroups.py
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from autograder.child import sandbox, wire
from autograder.classroom.course import course_directory, find_submissions
from autograder.commands import doctor
from autograder.grading import cgroups, judge
from autograder.grading.cgroups import Group, Groups, own_cgroup, shared_limits
from autograder.grading.executors import open_executor
from autograder.grading.grader import Grader
from autograder.grading.lesson import Lesson
from autograder.grading.workers import Worker
from autograder.lessons import helper_files
from autograder.results import Ended
from tests.support.course import LESSON, Course
from tests.support.limits import until

GIB = 1 << 30


@pytest.fixture
def groups() -> Iterator[Groups]:
    """Those that a grader of two workers makes."""
    with shared_limits(2) as made:
        assert made, "what `needs_cgroups` tried a moment ago"
        yield made


@contextlib.contextmanager
def program(group: Group, code: str, *values: object) -> Iterator[subprocess.Popen]:
    """A Python that runs in a group, until it ends or the test does."""
    argv = group.enter([sys.executable, "-c", code, *map(str, values)])
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def around(place: Path) -> tuple[set[str], set[str], bool]:
    """The groups in a cgroup, what it controls for them, and whether this process is in it."""
    below = {path.name for path in place.iterdir() if path.is_dir()}
    control = set((place / "cgroup.subtree_control").read_text().split())
    return below, control, str(os.getpid()) in (place / "cgroup.procs").read_text().split()


# -- real ones ---------------------------------------------------------------------------------------------


@pytest.mark.promise(38)
@pytest.mark.needs_cgroups
def test_the_groups_are_there_while_they_are_needed_and_nothing_is_left_of_them():
    own = own_cgroup()
    before = around(own)
    assert before[2]
    with shared_limits(2) as made:
        assert made and own_cgroup() == own / f"headstart-{os.getpid()}"
        group = made.add()
        with program(group, HOLD, 1) as process:
            assert process.stdout.readline() == "held\n"
            assert str(process.pid) in (group.path / "cgroup.procs").read_text().split()
            bound = int((made.path / "memory.max").read_text())  # in whole pages
            assert 0 <= made.all_bytes - bound < os.sysconf("SC_PAGE_SIZE")
    assert around(own) == before
    assert process.returncode == -signal.SIGKILL


HOLD = """
import sys, time
held = b"x" * int(sys.argv[1])
print("held", flush=True)
time.sleep(300)
"""


@pytest.mark.needs_cgroups
def test_what_a_killed_grader_left_is_removed_and_what_another_has_is_not():
    own = own_cgroup()
    ended = subprocess.Popen(["true"])
    ended.wait()
    (own / f"headstart-{ended.pid}").mkdir()
    (own / f"headstart-{ended.pid}-workers" / "one").mkdir(parents=True)
    others = own / "headstart-1"
    others.mkdir()
    try:
        with shared_limits(1) as made:
            assert made
            assert around(own)[0] >= {"headstart-1"}
            assert not [name for name in around(own)[0] if str(ended.pid) in name.split("-")]
    finally:
        others.rmdir()


@pytest.mark.promise(35)
@pytest.mark.needs_cgroups
def test_memory_of_all_together_is_bounded(monkeypatch):
    """Two that may each have what they take, but not both: one is ended, and the other goes on."""
    monkeypatch.setattr(cgroups, "_spare_bytes", lambda own: GIB // 2)
    with shared_limits(2) as made:
        one, other = made.add(), made.add()
        with program(one, HOLD, GIB // 3) as first:
            assert first.stdout.readline() == "held\n"
            with program(other, HOLD, GIB // 3) as second:
                second.stdout.readline()
                assert (made.path / "memory.events").read_text().split("oom_kill ")[1][0] == "1"
                # The kernel ends the larger one, by a few pages: which of them that is doesn't matter here.
                until(lambda: any(process.poll() for process in (first, second)))
                ended = [first.poll(), second.poll()]
                assert sorted(ended, key=str) == [-signal.SIGKILL, None]
                assert [one.ran_out(), other.ran_out()] == [status is not None for status in ended]
                assert not one.ran_out() and not other.ran_out()  # it is said once


@pytest.mark.promise(36)
@pytest.mark.needs_cgroups
@pytest.mark.needs_bubblewrap
def test_who_takes_all_memory_is_ended_and_the_worker_stays(groups):
    worker = Worker(helper_files(0), groups=replace(groups, worker_bytes=GIB))
    try:
        assert say(worker, "print('warm')") == ("warm", False)
        warm = worker._process.pid
        assert say(worker, "x = b'x' * (2 << 30)") == ("", True)
        assert say(worker, "print('another')") == ("another", False)
        assert worker._process.pid == warm
    finally:
        worker.stop()
    assert not [path for path in groups.path.iterdir() if path.is_dir()]


def say(worker: Worker, code: str) -> tuple[str, bool]:
    """What a cell prints in a child of its own, and whether memory ran out."""
    said = ""
    with worker.begin() as channel, contextlib.suppress(wire.WireError):
        wire.send(channel, {"run": code})
        said = "".join(output["text"] for output in wire.receive(channel)["done"])
    return said.strip(), worker.end().out_of_memory


@pytest.mark.promise(36)
@pytest.mark.needs_cgroups
@pytest.mark.needs_bubblewrap
def test_threads_are_bounded_whoever_grades(groups):
    worker = Worker(helper_files(0), groups=groups)
    try:
        started = int(say(worker, START_THREADS)[0])
    finally:
        worker.stop()
    assert 100 < started < cgroups.WORKER_THREADS


START_THREADS = """
import threading
threading.stack_size(65536)
wait, started = threading.Event(), 0
try:
    while started < 2000:
        threading.Thread(target=wait.wait, daemon=True).start()
        started += 1
except RuntimeError:
    pass
print(started)
"""


@pytest.mark.promise(36)
@pytest.mark.needs_cgroups
def test_workers_on_one_core_have_equal_shares_however_many_threads_they_run(groups):
    if "cpu" not in groups.controllers:
        pytest.skip("this cgroup has no share of cores to give")
    one, many = groups.add(), groups.add()
    core = min(os.sched_getaffinity(0))
    with program(one, SPIN, core, 1) as first, program(many, SPIN, core, 9) as second:
        for process in (first, second):
            assert process.stdout.readline() == "spinning\n"
        before = [used(group) for group in (one, many)]
        time.sleep(5)
        shares = [used(group) - begun for group, begun in zip((one, many), before, strict=True)]
    assert 0.6 < shares[0] / shares[1] < 1.7


SPIN = """
import os, sys
os.sched_setaffinity(0, {int(sys.argv[1])})
for _ in range(int(sys.argv[2]) - 1):
    if os.fork() == 0:
        break
else:
    print("spinning", flush=True)
while True:
    pass
"""


def used(group: Group) -> int:
    """Microseconds of CPU time of all that is in a group."""
    return int((group.path / "cpu.stat").read_text().split()[1])


@pytest.mark.promise(37)
@pytest.mark.needs_cgroups
@pytest.mark.needs_bubblewrap
def test_a_submission_that_ran_out_of_memory_is_told_so_and_costs_nobody(tmp_path, monkeypatch):
    monkeypatch.setattr(cgroups, "WORKER_BYTES", GIB)
    course, taking = Course(tmp_path / "course"), "kept = b'x' * (2 << 30)"
    course.hand_in("amy", {"attention.scaled_dot_product": taking})
    course.hand_in("ben")
    course.hand_in("cleo", cells=(taking,))
    directory, config = course_directory(course.root)
    grader = Grader(Lesson.load(LESSON, course.root, config), b"of this test")
    with open_executor(grader, 2, None) as executor:
        running = [executor.submit(each, "", {}) for each in find_submissions(directory, LESSON, [])]
        amy, ben, cleo = (future.result().papers[0] for future in running)
    said = f"it took more memory than it may, and was ended in the cell “{taking}”"
    assert (amy.remarks, ben.remarks, cleo.remarks) == ((said,), (), (said,))
    statuses = [{verdict.status for verdict in paper.verdicts} for paper in (amy, ben, cleo)]
    assert statuses == [{"passed", "not run"}, {"passed"}, {"passed"}]
    assert not amy.settled, "what didn't run gets another chance with the next `headstart grade`"
    assert cleo.settled, "all was judged before"


# -- what is asked of the kernel: in a folder that is like a cgroup's, so that it is proved anywhere ---------


@pytest.fixture
def like_a_cgroup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "cgroup.controllers").write_text("cpu memory pids\n")
    (tmp_path / "cgroup.subtree_control").write_text("")
    bound(tmp_path, max=4 * GIB)
    monkeypatch.setattr(cgroups, "own_cgroup", lambda: tmp_path)
    monkeypatch.setattr(cgroups, "ENDING_SECONDS", 0.2)  # a folder with files in it isn't removed
    return tmp_path


def bound(group: Path, held: int = 0, cached: int = 0, **limits: object) -> None:
    """Give a folder what a cgroup says of its memory."""
    for name, limit in limits.items():
        (group / f"memory.{name}").write_text(f"{limit}\n")
    (group / "memory.current").write_text(f"{held + cached}\n")
    (group / "memory.stat").write_text(f"anon {held}\ninactive_file {cached}\nactive_file 0\nshmem 0\n")


def test_groups_have_their_limits(like_a_cgroup):
    with shared_limits(3) as made:
        assert made and made.path == like_a_cgroup / f"headstart-{os.getpid()}-workers"
        group = made.add()
        assert group
        of_all, of_one = (
            {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}
            for folder in (made.path, group.path)
        )
    assert made.all_bytes <= 3 * GIB, "a quarter is for whatever else the machine does"
    assert of_all.get("memory.max") == str(made.all_bytes)
    assert of_all.get("memory.swap.max") == "0"
    assert of_all.get("cpu.weight") == str(3 * cgroups.WEIGHT)
    assert of_one.get("memory.max") == str(made.worker_bytes)
    assert of_one.get("pids.max") == str(cgroups.WORKER_THREADS)


@pytest.mark.parametrize("limit", ["max", "high"])
def test_a_group_above_may_have_less_to_give(limit, tmp_path):
    own = tmp_path / "user.slice" / "run.scope"
    own.mkdir(parents=True)
    bound(own, max="max", high="max")
    bound(own.parent, held=GIB // 2, cached=GIB, **{"max": "max", "high": "max", limit: GIB})
    bound(tmp_path, max=2 * GIB)
    assert cgroups._spare_bytes(own) == GIB // 2 * 3 // 4, "what is copied from disk can be had, too"


def test_a_worker_is_in_its_group_from_its_first_moment_on(tmp_path):
    (tmp_path / "cgroup.procs").write_text("")
    done = subprocess.run(Group(tmp_path).enter(["cat", str(tmp_path / "cgroup.procs")]), capture_output=True)
    assert done.stdout == b"0\n"


@pytest.mark.needs_bubblewrap
def test_a_twin_moves_into_a_group_of_its_own(tmp_path):
    first = Worker(helper_files(0), groups=Groups(tmp_path, ("memory", "pids"), GIB, GIB))
    first.launch()
    twin = first.twin()
    try:
        twin.start()
        numbers = {int(file.read_text()) for file in tmp_path.glob("*/cgroup.procs")}
        moved = numbers - {0}  # itself, as it starts
        assert [psutil.Process(number).parent().cmdline() for number in moved] == [
            psutil.Process(number).cmdline() for number in moved
        ]
        assert len(moved) == 1
    finally:
        twin.stop()
        first.stop()


def test_what_is_left_in_a_group_is_ended(like_a_cgroup):
    with shared_limits(1) as made:
        assert made
        (made.path / "cgroup.kill").write_text("")
    assert (made.path / "cgroup.kill").read_text() == "1"


def test_groups_of_a_grader_that_was_killed_are_removed_and_no_others(like_a_cgroup):
    ended = subprocess.Popen(["true"])
    ended.wait()
    (like_a_cgroup / f"headstart-{ended.pid}-workers" / "one").mkdir(parents=True)
    (like_a_cgroup / "headstart-1").mkdir()
    with shared_limits(1):
        below = {path.name for path in like_a_cgroup.iterdir() if path.is_dir()}
    assert below == {"headstart-1", f"headstart-{os.getpid()}", f"headstart-{os.getpid()}-workers"}


# -- without them ------------------------------------------------------------------------------------------

MOUNTS = """\
24 1 0:22 / /proc rw,nosuid - proc proc rw
35 25 0:30 {root} {place} rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate
"""


@pytest.mark.parametrize(
    ("own", "root", "place", "found"),
    [
        ("0::/user.slice/run-7.scope", "/", "/sys/fs/cgroup", "/sys/fs/cgroup/user.slice/run-7.scope"),
        ("0::/", "/", "/sys/fs/cgroup", "/sys/fs/cgroup"),  # in a container
        ("4:memory:/a\n0::/b", "/", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/unified/b"),
        ("0::/pod/own", "/pod", "/sys/fs/cgroup", "/sys/fs/cgroup/own"),
        ("0::/elsewhere", "/pod", "/sys/fs/cgroup", None),
        ("0::/../elsewhere", "/", "/sys/fs/cgroup", None),  # outside of this namespace
        ("4:memory:/a", "/", "/sys/fs/cgroup", None),
    ],
)
def test_the_own_cgroup_is_found_by_what_proc_says(own, root, place, found, tmp_path):
    (tmp_path / "cgroup").write_text(own + "\n")
    (tmp_path / "mountinfo").write_text(MOUNTS.format(root=root, place=place))
    with contextlib.nullcontext() if found else pytest.raises(OSError, match="no cgroup v2"):
        assert own_cgroup(tmp_path) == Path(found)


def test_where_control_is_not_given_nothing_is_touched(tmp_path, monkeypatch):
    (tmp_path / "cgroup.controllers").write_text("cpu pids\n")
    monkeypatch.setattr(cgroups, "own_cgroup", lambda: tmp_path)
    with shared_limits(2) as made:
        assert made is None
        assert [path.name for path in tmp_path.iterdir()] == ["cgroup.controllers"]
    assert "its cgroup isn't given control of memory" in cgroups.in_force()[1]


@pytest.mark.parametrize(
    ("systemd", "root", "told"),
    [
        (True, False, "systemd-run --user --scope -p Delegate=yes"),
        (True, True, "systemd-run --scope"),
        (False, True, "a container needs"),
    ],
)
def test_the_doctor_says_how_to_have_them(systemd, root, told, tmp_path, monkeypatch):
    monkeypatch.setattr(cgroups, "_divide", lambda *_: (tmp_path / "none" / "at all").mkdir())
    monkeypatch.setattr(cgroups, "_has_v1", lambda: False)
    monkeypatch.setattr(cgroups, "SYSTEMD", tmp_path if systemd else tmp_path / "none")
    monkeypatch.setattr(cgroups, "is_root", lambda: root)
    mark, text = doctor._limits()
    assert mark == doctor.OPTIONAL
    assert told in text


def test_a_worker_whose_group_is_refused_or_gone_starts_without(tmp_path):
    assert Groups(tmp_path / "gone", ("memory", "pids"), GIB, GIB).add() is None
    group = Group(tmp_path / "gone")
    done = subprocess.run(group.enter(["echo", "started"]), capture_output=True, text=True)
    assert done.stdout == "started\n"
    assert not group.ran_out()
    group.remove()


def test_a_child_that_was_ended_for_want_of_memory_is_told_so():
    said = judge._crashed(Ended(signal=signal.SIGKILL, out_of_memory=True), "a cell")
    assert said == "it took more memory than it may, and was ended in a cell"
    assert judge._crashed(Ended(signal=signal.SIGKILL), "a cell") == ""


def test_a_submission_gets_its_memory_error_before_it_is_ended():
    """Where the machine has that much: the limit of a process comes before that of its group."""
    assert cgroups.WORKER_BYTES > sandbox.MEMORY_BYTES + sandbox.FOLDER_BYTES + GIB // 2
    assert cgroups.WORKER_THREADS > sandbox.THREADS
