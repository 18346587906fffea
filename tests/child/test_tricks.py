"""Short tricks with paths and with what a machine has little of: each is tried in the sandbox, and refused.

Longer ones, which need a class around them, are in tests/attacks.
"""

import os
from pathlib import Path

import pytest

from autograder.child.shown import shown
from tests.child.test_walls import open_child, worker  # noqa: F401  (a fixture)

pytestmark = pytest.mark.needs_bubblewrap

BEFORE = """
import ctypes, errno, fcntl, mmap, os, resource, signal, socket, subprocess, sys, tempfile, threading
from pathlib import Path
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *arguments):
    if getattr(libc, name)(*arguments) < 0:
        raise OSError(ctypes.get_errno(), name)
library, stage = os.__file__, "/headstart/helpers/checks.py"
def at_once(make, number):
    return [make() for _ in range(number)]
def try_it():
"""
AFTER = """
try:
    print(try_it())
except OSError as error:
    print(errno.errorcode.get(error.errno, type(error).__name__))
"""
DATABASE = """
import sqlite3
one, other = (sqlite3.connect("d", isolation_level=None) for _ in range(2))
for mode in ("delete", "wal"):
    one.execute(f"pragma journal_mode={mode}")
    one.execute("create table if not exists t (x)")
    one.execute("begin immediate")
    one.execute("insert into t values (1)")
    try:
        other.execute("pragma busy_timeout=0")
        other.execute("insert into t values (2)")
    except sqlite3.OperationalError as error:
        print(error)
    one.execute("commit")
    print(other.execute("select * from t").fetchall())
"""
READ_ONLY = "EROFS"
PLAIN_USER = not os.access(os.__file__, os.W_OK)  # whose rights end before what is mounted is asked
# Folders of which nothing is there, unless this Python lies in one.
CLOSED = {"var", "opt", "srv", "home", "sys", "run", "boot"} - {
    Path(place).parts[1] for place in shown().files
}
PATHS = {
    "write into the standard library": ("open(library, 'a')", "EACCES" if PLAIN_USER else READ_ONLY),
    # Debian has a sitecustomize, too, and it is a link into /etc.
    "leave a module for the next": ("open(os.path.dirname(library) + '/usercustomize.py', 'w')", READ_ONLY),
    "write into the helpers": ("open(stage, 'a')", READ_ONLY),
    "shorten a helper": ("os.truncate(stage, 0)", READ_ONLY),
    "rename a helper": ("os.rename(stage, '/headstart/helpers/x.py')", READ_ONLY),
    "remove the helpers": ("os.unlink(stage)", READ_ONLY),
    "make a helper writable": ("os.chmod(stage, 0o666)", READ_ONLY),
    "age a helper": ("os.utime(stage, (0, 0))", READ_ONLY),
    "link the library into its folder": ("os.link(library, 'os.py')", "EXDEV"),
    "write beside its folder": ("open('/x', 'w')", READ_ONLY),
    "a file without a name": ("os.open('/', os.O_TMPFILE | os.O_RDWR)", READ_ONLY),
    "a device": ("os.mknod('disk', 0o60600, os.makedev(8, 0))", "EPERM"),
    "a root of its own": ("os.chroot('.')", "EPERM"),
    "the way up": (f"sorted(set(os.listdir('../' * 99)) & {CLOSED})", "[]"),
    "the root of process 1": ("os.listdir('/proc/1/root')", "ENOENT"),
    "a link to the root of process 1": (
        "os.symlink('/proc/self/root/etc/passwd', 'l') or open('l')", "ENOENT",
    ),
    "users and passwords": ("open('/etc/passwd')", "ENOENT"),
    "certificates and keys": ("[p for p in ('/etc/ssl', '/usr/lib/ssl', '/etc/ssh', '/root/.ssh') if os.path.exists(p)]", "[]"),
    "programs other than this Python": (
        "[p for folder in ('/bin', '/sbin', '/usr/bin', '/usr/sbin', '/usr/local/bin') if os.path.isdir(folder)"
        " for p in Path(folder).iterdir() if p.resolve() != Path(sys.executable).resolve()]", "[]",
    ),
    "a file of Python's as its own": ("fcntl.ioctl(os.open('c', os.O_CREAT | os.O_RDWR), 0x40049409, os.open(library, 0))", "EPERM"),
    "a socket among the helpers": ("socket.socket(socket.AF_UNIX).bind('/headstart/x')", "EPERM"),
    "a folder by its handle": ("call('open_by_handle_at', 0, ctypes.create_string_buffer(99), 0)", "EPERM"),
    "names of this machine": ("[p for p in ('/sys', '/run', '/etc/hostname', '/etc/machine-id', '/.dockerenv') if os.path.exists(p)]", "[]"),
    "memory and disks": ("[p for p in ('/dev/mem', '/dev/kmsg', '/dev/sda', '/dev/vda', '/dev/fuse', '/dev/kvm') if os.path.exists(p)]", "[]"),
}  # fmt: skip
RESOURCES = {
    "who opens a file of Python's": ("fcntl.fcntl(os.open(library, 0), 1024, fcntl.F_WRLCK)", "EPERM"),  # F_SETLEASE
    "a file of Python's, locked": ("fcntl.flock(os.open(library, 0), fcntl.LOCK_EX)", "EPERM"),
    # The kernel would refuse a lock for writers where only reading is open: nobody asks it.
    "locks of bytes, without end": ("fcntl.lockf(os.open(library, 0), fcntl.LOCK_EX)", "None"),
    "locks of bytes that a descriptor has": ("fcntl.fcntl(os.open(library, 0), 37, bytes(32))", "EPERM"),  # F_OFD_SETLK
    "news of who reads a folder": ("fcntl.fcntl(os.open(os.path.dirname(library), 0), 1026, 1)", "EPERM"),  # F_NOTIFY
    "what of Python's files is in memory": ("os.posix_fadvise(os.open(library, 0), 0, 0, os.POSIX_FADV_DONTNEED)", "EPERM"),
    "the same, mapped": ("mmap.mmap(os.open(library, 0), 4096, mmap.MAP_PRIVATE, mmap.PROT_READ).madvise(21)", "EPERM"),  # MADV_PAGEOUT
    "which of its pages others have read": ("call('mincore', ctypes.c_void_p(id(try_it) & -4096), 4096, ctypes.create_string_buffer(1))", "EPERM"),
    "whether a page is there": ("os.preadv(os.open(library, 0), [bytearray(1)], 0, os.RWF_NOWAIT)", "EPERM"),
    "how many of its pages they have": ("call('syscall', 451, os.open(library, 0), bytes(16), bytes(40), 0)", "ENOSYS"),  # cachestat
    "memory of all pipes": ("fcntl.fcntl(os.pipe()[1], 1031, 1 << 20)", "EPERM"),  # F_SETPIPE_SZ
    "a file system's keys": ("fcntl.ioctl(os.open(os.path.dirname(library), 0), 0xC0506617, bytes(144))", "EPERM"),
    "terminals": ("os.open('/dev/ptmx', os.O_RDWR | os.O_NOCTTY)", "ENOENT"),
    "descriptors on their way": ("socket.send_fds(socket.socketpair()[0], [b'x'], [0])", "EPERM"),
    "a descriptor of the judge": ("socket.socketpair()[0].getsockopt(socket.SOL_SOCKET, 77, 4)", "EPERM"),  # SO_PEERPIDFD
    "connections that nobody accepts": ("socket.socketpair()[0].listen(4096)", "EPERM"),
    "larger buffers": ("socket.socketpair()[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 22)", "EPERM"),
    "things that an epoll waits for": ("__import__('select').epoll()", "EPERM"),
    "filters for each thread": ("call('prctl', 22, 1, 0, 0, 0)", "EPERM"),
    "descriptors of a thread's own": ("call('syscall', 436, 9999, 9999, 2)", "EPERM"),
    "memory that no address leads to": ("mmap.mmap(-1, 4096)", "EPERM"),
    "zeros that are shared": ("os.open('/dev/zero', os.O_RDWR)", "ENOENT"),
    "huge pages": ("mmap.mmap(-1, 1 << 21, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40000)", "EPERM"),
    "memory that is locked as it is mapped": ("mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x2000)", "EPERM"),
    "pages like those of others": ("mmap.mmap(-1, 4096, mmap.MAP_PRIVATE).madvise(12)", "EPERM"),
    "names of files that stay": ("os.setxattr('.', 'user.x', bytes(60_000))", "EPERM"),
    "contexts of asynchronous input and output": ("call('syscall', IO_SETUP, 4096, ctypes.byref(ctypes.c_ulong()))", "EPERM"),
    "watches of files": ("call('inotify_init1', 0)", "EPERM"),
    "files in memory": ("os.memfd_create('x')", "EPERM"),
    "memory that stays": ("call('shmget', 0, 1 << 20, 0o1600)", "EPERM"),
    "semaphores that stay": ("call('semget', 0, 99, 0o1600)", "EPERM"),
    "messages that stay": ("call('mq_open', b'/q', os.O_RDWR | os.O_CREAT, 0o600, None)", "EPERM"),
    "locked memory": ("call('mlock', ctypes.create_string_buffer(1 << 24), 1 << 24)", "EPERM"),
    "all cores": ("os.sched_setaffinity(0, range(1024))", "EPERM"),
    "real time": ("os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))", "EPERM"),
    "a higher priority": ("os.setpriority(os.PRIO_PROCESS, 0, -20)", "EPERM"),
    "more open files": ("resource.setrlimit(resource.RLIMIT_NOFILE, (9999, 9999))", "ValueError"),
    "pipes": ("at_once(os.pipe, 300)", "EMFILE"),
    "sockets": ("at_once(socket.socketpair, 300)", "EMFILE"),
    "things to wait for": ("at_once(lambda: os.eventfd(0), 300)", "EMFILE"),
    "a file too long": ("os.posix_fallocate(os.open('f', os.O_CREAT | os.O_RDWR), 0, 1 << 40)", "EFBIG"),
    "shared memory in a file": (
        "os.posix_fallocate(os.open('/dev/shm/f', os.O_CREAT | os.O_RDWR), 0, 2 << 20)", "ENOSPC",
    ),
    "memory shared with nobody": ("mmap.mmap(-1, 4 << 30, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)", "ENOMEM"),
    "timers": ("call('timer_create', 0, None, ctypes.byref(ctypes.c_ulong()))", "EPERM"),
    "a session of its own": ("os.setsid()", "EPERM"),
    "a program": ("subprocess.Popen([sys.executable])", "PermissionError"),
}  # fmt: skip


def tried(run, what: str) -> str:
    number = "{'x86_64': 206, 'aarch64': 0}[os.uname().machine]"
    code = f"{BEFORE}    try:\n        return {what}\n    except ValueError as error:\n        return type(error).__name__\n"
    return run(code.replace("IO_SETUP", number) + AFTER)


@pytest.mark.parametrize("trick", PATHS)
def test_no_path_leads_out(trick, worker):
    with open_child(worker) as run:
        assert tried(run, PATHS[trick][0]) == PATHS[trick][1]


@pytest.mark.parametrize("trick", RESOURCES)
def test_nothing_that_is_scarce_is_taken(trick, worker):
    with open_child(worker) as run:
        assert tried(run, RESOURCES[trick][0]) == RESOURCES[trick][1]


def test_two_connections_to_a_database_still_wait_for_each_other(worker):
    """Though the locks that SQLite asks the kernel for aren't made: it keeps account of those of its own process."""
    with open_child(worker) as run:
        assert run(DATABASE).splitlines() == [
            "database is locked",
            "[(1,)]",
            "database is locked",
            "[(1,), (1,)]",
        ]
