"""What student code can't reach.

Two walls. The worker, which runs no student code, lives inside bubblewrap: no network, no files but Python
and one lesson's helpers, all of them read-only, none of the user's environment. Each submission runs in a
child of the worker, in namespaces of its own inside those: its own processes, its own small writable
folder, nothing of /proc, so it sees neither the worker nor any other submission, and all that it starts or
writes dies with it. A seccomp filter then takes away new processes, programs and the calls that could undo
the walls.

Not covered: a hole in the Linux kernel, and time: two submissions on one machine can slow each other down.
"""

import ctypes
import functools
import os
import platform
import re
import struct
import sys
from pathlib import Path

WRITABLE = "/submission"  # the child's folder, and its only place to write: a memory file system of its own
FOLDER_BYTES = 64 << 20
FILES = 10_000
MEMORY_BYTES = 3 << 30  # beyond what the worker itself has mapped
THREADS = 500
# Whether the kernel counts a user namespace's threads by themselves: Linux does from 5.14 on.
COUNTS_THREADS = tuple(map(int, re.findall(r"\d+", platform.release())[:2])) >= (5, 14)


def command(stage: Path, argv: list[str], hide: tuple[Path, ...] = ()) -> list[str]:
    """The bubblewrap call that runs `argv` with `stage` at /headstart and nothing else of ours.

    Args:
        stage: a folder with the worker's own modules and the lesson's helpers.
        argv: what to run inside.
        hide: folders to show empty, should they lie inside one that has to be shown.
    """
    system = [p for p in ("/usr", "/etc/fonts", "/etc/ld.so.cache", "/etc/alternatives") if Path(p).exists()]
    links = [name for name in ("bin", "lib", "lib64", "sbin") if Path("/", name).is_symlink()]
    system += [f"/{n}" for n in ("bin", "lib", "lib64") if n not in links and Path("/", n).exists()]
    python = sorted({sys.prefix, sys.base_prefix} - {"/usr"})
    hidden = _inside(hide, system), _inside(hide, python)
    return [
        "bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--clearenv", "--tmpfs", "/tmp",
        *_each("--ro-bind", system), *_each("--tmpfs", hidden[0]),
        *_each("--ro-bind", python), *_each("--tmpfs", hidden[1]),
        *(part for name in links for part in ("--symlink", os.readlink(f"/{name}"), f"/{name}")),
        "--ro-bind", str(stage), "/headstart", "--dir", "/etc",
        "--proc", "/proc", "--dev", "/dev", "--tmpfs", WRITABLE, "--chdir", WRITABLE,
        *(part for item in environment("/headstart", WRITABLE).items() for part in ("--setenv", *item)),
        "--hostname", "sandbox", *_each("--remount-ro", [*hidden[0], *hidden[1], "/dev", "/tmp", "/"]),
        "--", *argv,
    ]  # fmt: skip


def _each(option: str, paths: list[str]) -> list[str]:
    """A bubblewrap option for each of some folders; a bind shows a folder at its own place."""
    return [part for path in paths for part in (option, path, path)[: 3 if option == "--ro-bind" else 2]]


def _inside(folders: tuple[Path, ...], shown: list[str]) -> list[str]:
    """Those of some folders that lie in what is shown, by the paths that lead to them there."""
    places = [(Path(path), Path(path).resolve()) for path in shown]  # an environment may be a link
    resolved = {folder.resolve() for folder in folders}
    return sorted(
        {
            str(path / folder.relative_to(real))
            for path, real in places
            for folder in resolved
            if folder.is_relative_to(real)
        }
    )


def environment(stage: str, home: str) -> dict[str, str]:
    """The environment of a worker: nothing of the user's. One thread, since the cores go to other workers.

    No GPU: a process in which autograd has seen one can't fork.
    """
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": home,
        "TMPDIR": home,
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
MS_RDONLY, MS_NOSUID, MS_NODEV = 1, 2, 4
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP = 38, 22


def rehearse() -> None:
    """Work out, in the worker and once, what each of its children would have to."""
    import resource  # noqa: F401

    _libc()
    _filter(platform.machine())


def own_namespaces(others: int = 0) -> None:
    """Give this process, which has one thread yet, a user namespace of its own, where it may make others."""
    uid, gid = os.getuid(), os.getgid()
    _call("unshare", CLONE_NEWUSER | others)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
    Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")


def new_processes() -> None:
    """Let the next child of this thread be process 1 of a namespace, which ends with it."""
    _call("unshare", CLONE_NEWPID)


def enter_namespaces() -> None:
    """Give this process the other namespaces, and a folder to write in."""
    own_namespaces(CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWNET)
    for place, size, flags in (
        (WRITABLE, FOLDER_BYTES, 0),
        ("/dev/shm", 1 << 20, 0),
        ("/proc", 4096, MS_RDONLY),
    ):
        options = f"size={size},nr_inodes={FILES}".encode()
        _call("mount", b"tmpfs", place.encode(), b"tmpfs", flags | MS_NOSUID | MS_NODEV, options)


def bound_resources(sandboxed: bool) -> None:
    """Bound this process's memory, file sizes and descriptors. Time is bounded from outside.

    Threads too, where a user namespace will count them alone: else all that the user runs would count, and on
    Linux before 5.14 it does in any case. The kernel bounds none where root grades.
    """
    import resource  # not on Windows, where the rest of this module may be imported

    mapped = 0
    if sys.platform == "linux":
        with open("/proc/self/statm", "rb", buffering=0) as file:  # in C: what else a child uses, it copies
            mapped = int(file.read().split()[0]) * resource.getpagesize()
    limits = {"RLIMIT_CORE": 0, "RLIMIT_FSIZE": FOLDER_BYTES, "RLIMIT_NOFILE": 256}
    if mapped:
        limits["RLIMIT_AS"] = mapped + MEMORY_BYTES
    if sandboxed and COUNTS_THREADS:
        limits["RLIMIT_NPROC"] = THREADS
    for name, value in limits.items():
        resource.setrlimit(getattr(resource, name), (value, value))


def close_doors() -> None:
    """Drop all capabilities and install the system-call filter. No thread of this process can undo it."""
    header, nothing = struct.pack("<Ii", 0x20080522, 0), bytes(24)  # capset, version 3
    _call("capset", header, nothing)
    _call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    program = _filter(platform.machine())
    buffer = ctypes.create_string_buffer(program)
    length_and_address = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(buffer))
    _call("prctl", PR_SET_SECCOMP, 2, length_and_address, 0, 0)


AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
# System calls by number, x86_64 and aarch64 (None where the machine has no such call). From the kernel's
# tables, arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h.
REFUSED = {
    "fork": (57, None), "vfork": (58, None), "execve": (59, 221), "execveat": (322, 281),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "pidfd_getfd": (438, 438), "process_madvise": (440, 440),
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51),
    "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430), "fsconfig": (431, 431),
    "fsmount": (432, 432), "fspick": (433, 433), "mount_setattr": (442, 442), "unshare": (272, 97),
    "setns": (308, 268),
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218),
    "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282),
    "memfd_create": (319, 279), "memfd_secret": (447, 447),  # memory that RLIMIT_AS doesn't count
    "shmget": (29, 194), "semget": (64, 190), "msgget": (68, 186),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "init_module": (175, 105), "finit_module": (313, 273), "kexec_load": (246, 104), "reboot": (169, 142),
}  # fmt: skip
CLONE, CLONE3, CLONE_THREAD = (56, 220), (435, 435), 0x10000
SOCKET, FAMILIES = (41, 198), (1, 2, 10)  # Unix, IPv4, IPv6: the others may lead out of a network namespace
EPERM, ENOSYS = 1, 38


@functools.cache
def _filter(machine: str) -> bytes:
    """A BPF program: threads may start, processes and programs may not, nor may the walls be touched.

    A row is an operation, how many rows to skip if it holds and if not, and its number.
    """
    column = {"x86_64": 0, "aarch64": 1}[machine]
    load, equal, at_least, bits, answer = 0x20, 0x15, 0x35, 0x45, 0x06
    allow, kill = 0x7FFF0000, 0x80000000

    def errno(number: int) -> int:
        return 0x00050000 | number

    rows = [
        (load, 0, 0, 4), (equal, 1, 0, AUDIT_ARCH[machine]), (answer, 0, 0, kill),  # others' numbers
        (load, 0, 0, 0),
        (at_least, 0, 1, 0x40000000), (answer, 0, 0, errno(EPERM)),  # the x32 numbers of x86_64
        # glibc falls back from clone3, whose flags a filter can't read, to clone, whose flags it can.
        (equal, 0, 1, CLONE3[column]), (answer, 0, 0, errno(ENOSYS)),
        (equal, 0, 4, CLONE[column]), (load, 0, 0, 16), (bits, 1, 0, CLONE_THREAD),
        (answer, 0, 0, errno(EPERM)), (answer, 0, 0, allow),
    ]  # fmt: skip
    unix, ipv4, ipv6 = FAMILIES
    rows += [
        (equal, 0, 6, SOCKET[column]), (load, 0, 0, 16),
        (equal, 2, 0, unix), (equal, 1, 0, ipv4), (equal, 0, 1, ipv6),
        (answer, 0, 0, allow), (answer, 0, 0, errno(EPERM)),
    ]  # fmt: skip
    for numbers in REFUSED.values():
        if (call := numbers[column]) is not None:
            rows += [(equal, 0, 1, call), (answer, 0, 0, errno(EPERM))]
    rows.append((answer, 0, 0, allow))
    return b"".join(struct.pack("HBBI", *row) for row in rows)


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _call(name: str, *arguments: object) -> None:
    if getattr(_libc(), name)(*arguments) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")
