"""What student code can't reach.

Two walls. The worker, which runs no student code, lives inside bubblewrap: no network, no files but those
that Python needs (`shown.py`) and one lesson's helpers, all of them read-only, none of the user's
environment. Each submission runs in a child of the worker, in namespaces of its own inside those: its own
processes, its own small writable folder, nothing of /proc, so it sees neither the worker nor any other
submission, and all that it starts or writes dies with it. A seccomp filter then leaves it the system calls
that notebooks need (`calls.py`).

Not covered: a hole in the Linux kernel, and time. Two submissions on one machine can slow each other down.
By that, and by what the kernel keeps in its caches, two that work together can pass bits to each other.
"""

import contextlib
import ctypes
import functools
import os
import platform
import re
import struct
import sys
import tempfile
from pathlib import Path

from autograder.child import calls
from autograder.child.shown import shown
from autograder.limits import (
    DESCRIPTORS,
    FOLDER_BYTES,
    FOLDER_FILES,
    MEMORY_BYTES,
    SHARED_BYTES,
    SIGNALS,
    THREADS,
)

WRITABLE = "/submission"  # the child's folder, and its only place to write: a memory file system of its own
TEMPORARY = "/tmp"
# Not /dev/zero: what is mapped of it can be held without an address. No terminals: the machine has so many.
DEVICES = {f"/dev/{name}": f"/dev/{name}" for name in ("null", "random", "urandom", "tty")}
# Whether the kernel counts a user namespace's threads by themselves: Linux does from 5.14 on.
COUNTS_THREADS = tuple(map(int, re.findall(r"\d+", platform.release())[:2])) >= (5, 14)


def command(stage: Path, argv: list[str], hide: tuple[Path, ...] = ()) -> list[str]:
    """The bubblewrap call that runs `argv` with `stage` at /headstart and nothing else of ours.

    Args:
        stage: a folder with the worker's own modules and the lesson's helpers.
        argv: what to run inside.
        hide: folders to show empty, should they lie inside one that has to be shown.
    """
    seen = shown()
    # defence: bubblewrap: hides
    hidden = [*seen.hidden, *_inside(hide, seen.files)]
    return [
        # defence: bubblewrap: walls
        "bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--clearenv", "--tmpfs", "/tmp",
        *_each("--symlink", seen.links),
        # defence: bubblewrap: what is shown is read-only
        *_each("--ro-bind", seen.files), *(part for folder in hidden for part in ("--tmpfs", folder)),
        # defence: bubblewrap: the stage is read-only
        "--ro-bind", str(stage), "/headstart",
        # defence: bubblewrap: few devices
        "--proc", "/proc", "--tmpfs", "/dev", "--dir", "/dev/shm", *_each("--dev-bind", DEVICES),
        "--tmpfs", WRITABLE, "--chdir", WRITABLE,
        *(part for item in environment("/headstart", WRITABLE).items() for part in ("--setenv", *item)),
        # defence: bubblewrap: no name
        "--hostname", "sandbox",
        # defence: bubblewrap: read-only
        *(part for folder in (*hidden, "/dev", "/tmp", "/") for part in ("--remount-ro", folder)),
        "--", *argv,
    ]  # fmt: skip


def _each(option: str, paths: dict[str, str]) -> list[str]:
    """A bubblewrap option for each path inside and what it shows there; folders before what lies in them."""
    return [part for inside, path in sorted(paths.items()) for part in (option, path, inside)]


def _inside(folders: tuple[Path, ...], files: dict[str, str]) -> list[str]:
    """Where folders are seen, by whatever links they and what is shown were named."""
    resolved = {folder.resolve() for folder in folders}
    shown = {inside: Path(path).resolve() for inside, path in files.items()}
    return sorted(
        str(Path(inside, folder.relative_to(path)))
        for folder in resolved
        for inside, path in shown.items()
        if folder.is_relative_to(path)
    )


def environment(stage: str, home: str) -> dict[str, str]:
    """The environment of a worker: nothing of the user's. One thread, since the cores go to other workers.

    No GPU: a process in which autograd has seen one can't fork.
    """
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": home,
        "TMPDIR": home,
        "USER": "student",
        "LANG": "C.UTF-8",
        "PYTHONPATH": stage,
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "MPLCONFIGDIR": f"{home}/matplotlib",
        "IPYTHONDIR": f"{home}/ipython",
        "CUDA_VISIBLE_DEVICES": "",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }


# -- inside: called in the worker, and in its child before any student code ------------------------------

CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = (
    0x20000,
    0x8000000,
    0x10000000,
    0x20000000,
    0x40000000,
)
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_BIND = 1, 2, 4, 4096
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP = 38, 22


def rehearse() -> None:
    """Work out, in the worker and once, what each of its children would have to."""
    import resource  # noqa: F401

    _libc()
    calls.program(platform.machine())


def own_namespaces(others: int = 0) -> None:
    """Give this process, which has one thread yet, a user namespace of its own, where it may make others."""
    uid, gid = os.getuid(), os.getgid()
    # defence: child: user namespace
    _call("unshare", CLONE_NEWUSER | others)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
    Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")


def new_processes() -> None:
    """Let the next child of this process be process 1 of a namespace, which ends with it."""
    # defence: child: pid namespace
    _call("unshare", CLONE_NEWPID)


def enter_namespaces() -> None:
    """Give this process the other namespaces, and a folder to write in."""
    # defence: child: namespaces of its own
    own_namespaces(CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWNET)
    for place, size, flags in (
        # defence: child: folder of its own
        (WRITABLE, FOLDER_BYTES, 0),
        ("/dev/shm", SHARED_BYTES, 0),
        # defence: child: /proc
        ("/proc", 4096, MS_RDONLY),
    ):
        # defence: child: files
        options = f"size={size},nr_inodes={FOLDER_FILES}".encode()
        # defence: child: mounts
        _call("mount", b"tmpfs", place.encode(), b"tmpfs", flags | MS_NOSUID | MS_NODEV, options)
    _share_with_tmp()


def _share_with_tmp() -> None:
    """Let /tmp, which code writes to by name, be a part of the same memory, unless Python is shown there."""
    if os.listdir(TEMPORARY):
        return
    for name, place in (("tmp", TEMPORARY), ("own", WRITABLE)):  # in this order: the last covers the whole
        part = f"{WRITABLE}/{name}"
        os.mkdir(part)
        _call("mount", part.encode(), place.encode(), None, MS_BIND, None)
    os.environ["TMPDIR"] = TEMPORARY
    tempfile.tempdir = None  # it may be known from before


def bound_resources(sandboxed: bool) -> None:
    """Bound this process's memory, file sizes and descriptors. Time is bounded from outside.

    Where the machine or a cgroup runs out of memory all the same, this process is the first to go: the kernel
    counts what a process has mapped, by which its worker may be the larger one.

    Threads too, where a user namespace will count them alone: else all that the user runs would count, and on
    Linux before 5.14 it does in any case. The kernel bounds none where root grades.
    """
    import resource  # not on Windows, where the rest of this module may be imported

    limits = {
        # defence: child: limits
        "RLIMIT_CORE": 1,  # byte: with 0, a dump may still go to a program of the system's
        "RLIMIT_FSIZE": FOLDER_BYTES,
        "RLIMIT_NOFILE": DESCRIPTORS,
        "RLIMIT_SIGPENDING": SIGNALS,
    }
    if sys.platform == "linux":
        with open("/proc/self/statm", "rb", buffering=0) as file:  # in C: what else a child uses, it copies
            pages = [int(field) for field in file.read().split()]
        # defence: child: RLIMIT_AS
        limits["RLIMIT_AS"] = pages[0] * resource.getpagesize() + MEMORY_BYTES
        # Of what can be written to: else who unmaps our libraries could have their addresses besides.
        # defence: child: RLIMIT_DATA
        limits["RLIMIT_DATA"] = pages[5] * resource.getpagesize() + MEMORY_BYTES
        with (
            contextlib.suppress(OSError),  # not everywhere may it be said
            open("/proc/self/oom_score_adj", "wb", buffering=0) as file,
        ):
            # defence: child: the first to go
            file.write(b"1000")
    if sandboxed and COUNTS_THREADS:
        # defence: child: RLIMIT_NPROC
        limits["RLIMIT_NPROC"] = THREADS
    for name, value in limits.items():
        # defence: child: limits that stay
        resource.setrlimit(getattr(resource, name), (value, value))


def close_doors() -> None:
    """Drop all capabilities and install the system-call filter. No thread of this process can undo it."""
    header, nothing = struct.pack("<Ii", 0x20080522, 0), bytes(24)  # capset, version 3
    # defence: child: no capabilities
    _call("capset", header, nothing)
    # defence: child: no new privileges
    _call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    program = calls.program(platform.machine())
    buffer = ctypes.create_string_buffer(program)
    length_and_address = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(buffer))
    # defence: child: filter
    _call("prctl", PR_SET_SECCOMP, 2, length_and_address, 0, 0)


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _call(name: str, *arguments: object) -> None:
    if getattr(_libc(), name)(*arguments) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")
