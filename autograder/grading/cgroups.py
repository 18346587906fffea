"""What all submissions together may take: limits by cgroup v2, where the machine lets the grader set them.

The cgroup that the grader was started in is divided, if it may be:

    headstart-PID            the grader and its judges: in a group that has others in it, no process may be
    headstart-PID-workers    all workers: as much memory as the machine can spare
        one for each         a worker and the submission that it runs: memory, threads, a share of their core

There is none for each submission: to move a process that runs takes the kernel some 9 ms (Linux 6.18, two
cores). So it is born into its worker's, and where memory runs out there, it goes before the worker does:
`sandbox.bound_resources`.

Where anything of this is refused, grading goes on without. To import it takes only the standard library.
"""

import contextlib
import errno
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from autograder.limits import WORKER_BYTES, WORKER_THREADS
from autograder.programs import is_root

NAME = "headstart-"
NEEDED, WISHED = {"memory", "pids"}, {"cpu"}
WEIGHT, HEAVIEST = 100, 10_000  # of a group that nobody has given another, and the most that there is
ENDING_SECONDS = 20.0  # in which processes that were killed are gone
SYSTEMD = Path("/run/systemd/system")  # there where systemd runs the machine


@dataclass
class Group:
    """The cgroup of one worker."""

    path: Path
    _killed: int = field(default=0, repr=False)

    def enter(self, argv: list[str]) -> list[str]:
        """A command that runs another in this group, from its first moment on."""
        # defence: cgroups: from the first moment on
        return ["sh", "-c", 'echo 0 >"$0"; exec "$@"', str(self.path / "cgroup.procs"), *argv]

    def take_in(self, process: int) -> None:
        """Move a process that runs into this group. It takes the kernel some 9 ms (Linux 6.18, two cores).

        Raises:
            OSError: it has ended, or that is refused.
        """
        # defence: cgroups: a twin's own
        (self.path / "cgroup.procs").write_text(str(process))

    def ran_out(self) -> bool:
        """Whether the kernel has ended a process in it for want of memory, since this was last asked."""
        before = self._killed
        with contextlib.suppress(OSError):
            events = dict(line.split() for line in (self.path / "memory.events").read_text().splitlines())
            self._killed = int(events["oom_kill"])
        return self._killed > before

    def remove(self) -> None:
        """Take it away, if all that was in it has ended; if not, the grader does so at its end."""
        with contextlib.suppress(OSError):
            self.path.rmdir()


@dataclass(frozen=True)
class Groups:
    """The cgroup of all workers.

    Attributes:
        path: where it lies.
        controllers: the kernel's names of what it bounds or shares out.
        all_bytes: memory of all workers together.
        worker_bytes: memory of a worker and the submission that it runs.
    """

    path: Path
    controllers: tuple[str, ...]
    all_bytes: int
    worker_bytes: int

    def add(self) -> Group | None:
        """A group for one more worker; None where it is refused, and the worker goes without."""
        try:
            group = Path(tempfile.mkdtemp(dir=self.path, prefix=""))
            # defence: cgroups: memory of a worker
            (group / "memory.max").write_text(str(self.worker_bytes))
            # defence: cgroups: threads of a worker
            (group / "pids.max").write_text(str(WORKER_THREADS))
        except OSError:
            return None
        return Group(group)

    def said(self) -> str:
        """What is in force, for people."""
        all_, each = (f"{bytes / 2**30:.1f} GiB" for bytes in (self.all_bytes, self.worker_bytes))
        return (
            f"cgroup v2 ({', '.join(self.controllers)}): all submissions together may take {all_} of memory, "
            f"and each worker {each} and {WORKER_THREADS} threads"
        )


@contextlib.contextmanager
def shared_limits(workers: int) -> Iterator[Groups | None]:
    """Divide this process's cgroup for so many workers, and undo it at the end.

    It yields None where that is refused.
    """
    with contextlib.ExitStack() as undo:
        try:
            groups = _divide(own_cgroup(), workers, undo)
        except OSError:
            undo.close()
            groups = None
        yield groups


def in_force() -> tuple[bool, str]:
    """Whether the limits can be had here, which is tried and undone; and which, or why not and the remedy."""
    with contextlib.ExitStack() as undo:
        try:
            return True, _divide(own_cgroup(), 1, undo).said()
        except OSError as error:
            busy = error.errno == errno.EBUSY
            why = "other programs are in its cgroup" if busy else error.strerror or str(error)
    return False, f"nothing bounds the memory of all submissions together ({why}): {_remedy()}"


def own_cgroup(process: Path = Path("/proc/self")) -> Path:
    """Where the cgroup of a process lies, by what /proc says.

    Raises:
        OSError: it has none of version 2 that can be seen here.
    """
    lines = (process / "cgroup").read_text().splitlines()
    own = Path(next((line[3:] for line in lines if line.startswith("0::")), ".."))
    for line in (process / "mountinfo").read_text().splitlines():
        where, _, what = line.partition(" - ")
        root, place = where.split()[3:5]
        if what.split()[0] == "cgroup2" and own.is_relative_to(root) and ".." not in own.parts:
            return Path(place, own.relative_to(root))
    raise OSError("no cgroup v2 is to be seen")


def _remedy() -> str:
    if _has_v1():
        return "memory is with cgroup v1, unless Linux starts with systemd.unified_cgroup_hierarchy=1"
    if SYSTEMD.exists():
        user = "" if is_root() else "--user "
        return f"`systemd-run {user}--scope -p Delegate=yes headstart grade ...` gives it a cgroup of its own"
    return (
        "a container needs a writable /sys/fs/cgroup (podman: `--security-opt unmask=/sys/fs/cgroup`, "
        "docker: `--security-opt writable-cgroups=true`), and root to run `headstart grade` as its command"
    )


def _has_v1() -> bool:
    """Whether memory is controlled by version 1, and by nothing else then."""
    with contextlib.suppress(OSError):
        return ":memory:" in Path("/proc/self/cgroup").read_text()
    return False


def _divide(own: Path, workers: int, undo: contextlib.ExitStack) -> Groups:
    """Move this process into a group below its own, and make the one for workers beside it.

    Raises:
        OSError: something of it is refused. What was done by then is undone by `undo`.
    """
    offered = set((own / "cgroup.controllers").read_text().split())
    # defence: cgroups: control is given
    if missing := NEEDED - offered:
        raise OSError(f"its cgroup isn't given control of {' and '.join(sorted(missing))}")
    # defence: cgroups: what was left
    _sweep(own)
    wanted = sorted((NEEDED | WISHED) & offered)
    already = (own / "cgroup.subtree_control").read_text().split()
    added = [name for name in wanted if name not in already]
    all_bytes = _spare_bytes(own)  # before there are groups, whose own limits say nothing
    ours, theirs = own / f"{NAME}{os.getpid()}", own / f"{NAME}{os.getpid()}-workers"
    ours.mkdir()
    undo.callback(_quietly, _remove, ours)
    (ours / "cgroup.procs").write_text("0")
    undo.callback(_quietly, _move, ours, own)
    _control(own, "+", added)
    undo.callback(_quietly, _control, own, "-", added)
    theirs.mkdir()
    # defence: cgroups: all is ended
    undo.callback(_quietly, _remove, theirs, kill=True)
    _control(theirs, "+", wanted)
    # defence: cgroups: memory of all
    (theirs / "memory.max").write_text(str(all_bytes))
    with contextlib.suppress(OSError):  # where there is no swap: with it, more could be had by waiting
        # defence: cgroups: no swap
        (theirs / "memory.swap.max").write_text("0")
    if "cpu" in wanted:  # together they weigh as much as they would one by one
        # defence: cgroups: equal shares
        (theirs / "cpu.weight").write_text(str(min(WEIGHT * workers, HEAVIEST)))
    return Groups(theirs, tuple(wanted), all_bytes, min(WORKER_BYTES, all_bytes))


def _spare_bytes(own: Path) -> int:
    """Three quarters of the memory that nobody has now: the rest is for whatever else the machine does.

    A group above may have less to give than the machine: a user's slice, a container.
    """
    free = _numbers(Path("/proc/meminfo"))["MemAvailable:"] << 10
    for group in (own, *own.parents):
        for limit in ("memory.max", "memory.high"):
            with contextlib.suppress(OSError, ValueError):  # the root has none, and another's may be "max"
                # defence: cgroups: limits above
                free = min(free, int((group / limit).read_text()) - _held(group))
    return free * 3 // 4


def _held(group: Path) -> int:
    """Bytes that a group can't do without: all that it has but copies of what is on disk."""
    cached = _numbers(group / "memory.stat")
    files = cached["active_file"] + cached["inactive_file"]
    return int((group / "memory.current").read_text()) - files


def _numbers(path: Path) -> dict[str, int]:
    """What the kernel says line by line: a name, a number."""
    return {name: int(number) for name, number, *_ in map(str.split, path.read_text().splitlines())}


def _control(group: Path, sign: str, controllers: list[str]) -> None:
    if controllers:
        (group / "cgroup.subtree_control").write_text(" ".join(sign + name for name in controllers))


def _move(source: Path, target: Path) -> None:
    for process in (source / "cgroup.procs").read_text().split():
        with contextlib.suppress(OSError):  # it has ended
            (target / "cgroup.procs").write_text(process)


def _sweep(own: Path) -> None:
    """Remove the groups of graders that were killed."""
    for group in own.glob(f"{NAME}[0-9]*"):
        process = group.name.split("-")[1]
        if process == str(os.getpid()) or not Path("/proc", process).exists():
            _quietly(_remove, group)


def _remove(group: Path, kill: bool = False) -> None:
    """Remove a group and those in it, once all that is in them has ended, or is made to."""
    if kill and (file := group / "cgroup.kill").exists():  # not before Linux 5.14
        file.write_text("1")
    ends = time.monotonic() + ENDING_SECONDS
    for path in [*(path for path in group.iterdir() if path.is_dir()), group]:
        while path.exists() and time.monotonic() < ends:
            try:
                path.rmdir()
            except OSError:
                time.sleep(0.01)


def _quietly(function: Callable[..., None], *arguments: object, **options: object) -> None:
    """Undo something, if it can be undone: what can't be must not keep the rest from it."""
    with contextlib.suppress(OSError):
        function(*arguments, **options)
