"""What is on the other side of each wall: each wall is tried by itself, with the others around it.

Without a wall its test fails, and does no harm then: `python -m tests.defences` takes them out one by one.
"""

import contextlib
import os
import platform
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from autograder.child import sandbox, wire
from autograder.grading.workers import Worker
from autograder.lessons import ROOT, helper_files

# -- bubblewrap, around a worker -------------------------------------------------------------------------


def behind(code: str, *values: object, hide: tuple[Path, ...] = (), before: tuple[str, ...] = ()) -> str:
    """What a program prints behind bubblewrap's wall alone, where a worker is."""
    with tempfile.TemporaryDirectory() as stage:
        argv = [sys.executable, "-c", code, *map(str, values)]
        command = [*before, *sandbox.command(Path(stage), argv, hide)]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.needs_bubblewrap
@pytest.mark.parametrize("kind", ["cgroup", "ipc", "mnt", "net", "pid", "user", "uts"])
def test_a_worker_has_namespaces_of_its_own(kind):
    link = f"/proc/self/ns/{kind}"
    assert behind("import os, sys; print(os.readlink(sys.argv[1]))", link).strip() != os.readlink(link)


@pytest.mark.needs_bubblewrap
def test_a_worker_reaches_no_socket_of_this_machine():
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as local:
        local.bind("")  # the kernel makes up an abstract name
        local.listen()
        said = behind(CONNECT, server.getsockname()[1], local.getsockname().hex())
    assert said.split() == ["ECONNREFUSED", "ECONNREFUSED"]


CONNECT = """
import errno, socket, sys
for family, address in (
    (socket.AF_INET, ("127.0.0.1", int(sys.argv[1]))),
    (socket.AF_UNIX, bytes.fromhex(sys.argv[2])),
):
    print(errno.errorcode.get(socket.socket(family).connect_ex(address)))
"""


@pytest.mark.needs_bubblewrap
def test_a_worker_finds_no_process_of_this_machine():
    assert behind(PROCESSES, os.getpid()).split() == ["False", "False"]


PROCESSES = """
import os, sys
print(os.path.exists(f"/proc/{sys.argv[1]}"))
try:
    os.kill(int(sys.argv[1]), 0)
    print(True)
except ProcessLookupError:
    print(False)
"""


@pytest.mark.needs_bubblewrap
def test_a_worker_has_no_terminal():
    """Into one it could type, for the shell that reads there once the grader has ended."""
    spawn = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"
    look = "import os; os.close(os.open('/dev/tty', os.O_RDWR))"
    in_one = (sys.executable, "-c", spawn)
    subprocess.run([*in_one, sys.executable, "-c", look], stdin=subprocess.DEVNULL, check=True)
    said = behind(f"try:\n {look}\nexcept OSError as error:\n print(error.strerror)", before=in_one)
    assert said.strip() == "No such device or address"


@pytest.mark.needs_bubblewrap
def test_a_worker_gets_nothing_of_the_users_environment(monkeypatch):
    monkeypatch.setenv("HEADSTART_CANARY", "canary")
    names = behind("import os; print(*os.environ)").split()
    assert set(names) == {*sandbox.environment("", ""), "PWD"}


@pytest.mark.needs_bubblewrap
def test_a_worker_does_not_learn_the_machines_name():
    assert behind("import socket; print(socket.gethostname())").strip() == "sandbox" != socket.gethostname()


HIDE = (Path("/usr/share"), Path(sys.prefix, "share"))


@pytest.mark.needs_bubblewrap
def test_a_worker_may_write_in_one_folder():
    """Others are the kernel's own."""
    said = behind(MAY_BE_WRITTEN, hide=HIDE)
    assert set(said.split("\n")[:-1]) == {sandbox.WRITABLE, "/proc", "/dev/pts"}


MAY_BE_WRITTEN = """
import os
for line in open("/proc/self/mountinfo"):
    place = line.split()[4]
    if os.path.isdir(place) and not os.statvfs(place).f_flag & os.ST_RDONLY:
        print(place)
"""


@pytest.mark.needs_bubblewrap
@pytest.mark.parametrize("folder", HIDE, ids=["of the system", "of Python"])
def test_a_hidden_folder_is_empty(folder):
    look = "import os, sys; print(len(os.listdir(sys.argv[1])))"
    assert int(behind(look, folder)) > 0
    assert int(behind(look, folder, hide=HIDE)) == 0


SHOWN = {
    "/dev": "core fd full null ptmx pts random shm stderr stdin stdout tty urandom zero",
    "/etc": "alternatives fonts ld.so.cache",
}


@pytest.mark.needs_bubblewrap
@pytest.mark.parametrize("folder", SHOWN)
def test_a_worker_sees_no_more_than_programs_need(folder):
    seen = behind("import os, sys; print(*os.listdir(sys.argv[1]))", folder).split()
    assert set(seen) <= set(SHOWN[folder].split())


@pytest.mark.needs_bubblewrap
def test_a_worker_ends_with_its_grader(tmp_path):
    start = "import subprocess, sys; subprocess.Popen(sys.argv[1:]); sys.stdin.read()"
    worker = sandbox.command(tmp_path, ["sh", "-c", "echo started; sleep 977"])
    grader = subprocess.Popen(
        [sys.executable, "-c", start, *worker], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with grader:
        assert grader.stdout.readline() == b"started\n"
        below = psutil.Process(grader.pid).children(recursive=True)
        grader.kill()
        ended, _, _ = select.select([grader.stdout], [], [], 20)  # once nobody can write there any more
        for process in below:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
    assert ended


# -- a child, around student code ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    """A warm worker, whose grader has a file open that programs inherit."""
    worker = Worker(tuple(helper_files(0)))
    with tempfile.TemporaryFile() as file:
        os.set_inheritable(file.fileno(), True)
        worker.start()
        yield worker
        worker.stop()


@contextlib.contextmanager
def open_child(worker: Worker, files: dict[str, bytes] | None = None) -> Iterator[Callable[[str], str]]:
    """A child that runs cells, as the judge would have it run them, and says what they print."""
    channel = worker.begin(files)

    def run(code: str) -> str:
        wire.send(channel, {"run": code}, seconds=60)
        outputs = wire.receive(channel, seconds=60)["done"]
        assert not [output for output in outputs if output["output_type"] == "error"], outputs
        return "".join(output["text"] for output in outputs).strip()

    try:
        yield run
    finally:
        channel.close()
        worker.end()


@pytest.fixture
def child(worker) -> Iterator[Callable[[str], str]]:
    with open_child(worker) as run:
        yield run


def processes(worker: Worker) -> list[psutil.Process]:
    """The worker's own process, and its child's, as they are seen from here."""
    below = psutil.Process(worker._process.pid).children(recursive=True)
    return [process for process in below if process.name() != "bwrap"]


@pytest.mark.needs_bubblewrap
@pytest.mark.parametrize("kind", ["ipc", "mnt", "net", "pid", "user"])
def test_a_child_has_namespaces_of_its_own(kind, worker, child):
    assert child("print('walls are up')") == "walls are up"
    warm, student = (os.readlink(f"/proc/{process.pid}/ns/{kind}") for process in processes(worker))
    assert warm != student


@pytest.mark.needs_bubblewrap
def test_a_child_finds_no_other_process(child):
    """So what student code kills, stops or waits for is its own; 2 is the worker, where it could be seen."""
    assert child(OTHERS) == "1 0 []"


OTHERS = """
import os
def is_there(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
print(os.getpid(), os.getppid(), [pid for pid in range(2, 300) if is_there(pid)])
"""


@pytest.mark.needs_bubblewrap
def test_a_child_sees_nothing_of_proc(child):
    look = "import os; print(os.listdir('/proc'), os.statvfs('/proc').f_flag & os.ST_RDONLY)"
    assert child(look) == "[] 1"


@pytest.mark.needs_bubblewrap
@pytest.mark.parametrize("folder", [sandbox.WRITABLE, "/dev/shm"])
def test_a_child_leaves_no_file_to_the_next(folder, worker):
    path = f"{folder}/left"
    with open_child(worker) as run:
        run(f"open({path!r}, 'w').close()")
        assert run(f"import os; print(os.path.exists({path!r}))") == "True"
    with open_child(worker) as run:
        assert run(f"import os; print(os.path.exists({path!r}))") == "False"


@pytest.mark.needs_bubblewrap
def test_a_child_leaves_no_message_to_the_next(worker):
    """Queues of messages outlive the processes that make them."""
    with open_child(worker) as run:
        assert run(QUEUE) == "opened"
        assert run(QUEUE.replace("O_CREAT", "O_RDWR")) == "opened"
    with open_child(worker) as run:
        assert run(QUEUE.replace("O_CREAT", "O_RDWR")) == "No such file or directory"


QUEUE = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
queue = libc.mq_open(b"/canary", os.O_RDWR | os.O_CREAT, 0o600, None)
print("opened" if queue >= 0 else os.strerror(ctypes.get_errno()))
"""


SIZES = {sandbox.WRITABLE: sandbox.FOLDER_BYTES, "/dev/shm": 1 << 20}


@pytest.mark.needs_bubblewrap
@pytest.mark.parametrize("folder", SIZES)
def test_a_childs_files_take_no_more_than_they_may(folder, child):
    assert int(child(f"folder, size = {folder!r}, {SIZES[folder]}" + FILL)) == SIZES[folder]


FILL = """
import os
taken = 0
try:
    for number in range(4):
        file = os.open(f"{folder}/{number}", os.O_CREAT | os.O_WRONLY)
        os.posix_fallocate(file, 0, size // 2)
        taken += size // 2
except OSError:
    pass
print(taken)
"""


@pytest.mark.needs_bubblewrap
def test_a_child_has_only_so_many_files(child):
    assert 9_000 < int(child(MANY_FILES)) <= sandbox.FILES


MANY_FILES = """
import os
try:
    for number in range(12_000):
        os.mkdir(str(number))
except OSError:
    pass
print(number)
"""


@pytest.mark.needs_bubblewrap
@pytest.mark.parametrize("folder", [sandbox.WRITABLE, "/dev/shm", "/proc"])
def test_what_a_child_writes_is_no_device_and_gives_nobody_rights(folder, child):
    flags = int(child(f"import os; print(os.statvfs({folder!r}).f_flag)"))
    assert flags & os.ST_NODEV and flags & os.ST_NOSUID


LIMITS = {
    "RLIMIT_CORE": 0,
    "RLIMIT_FSIZE": sandbox.FOLDER_BYTES,
    "RLIMIT_NOFILE": 256,
    "RLIMIT_NPROC": sandbox.THREADS,
}


@pytest.mark.needs_bubblewrap
@pytest.mark.parametrize("name", LIMITS)
def test_a_child_has_its_limits_and_cannot_raise_them(name, child):
    said = child(f"import resource; print(resource.getrlimit(resource.{name}))")
    assert said == f"({LIMITS[name]}, {LIMITS[name]})"


@pytest.mark.needs_bubblewrap
def test_a_childs_memory_is_bounded(child):
    assert child(f"size = {sandbox.MEMORY_BYTES // 2}" + ASK) == "given"
    assert child(f"size = {sandbox.MEMORY_BYTES * 5 // 4}" + ASK) == "Cannot allocate memory"
    assert child(RAISE) == "not allowed to raise maximum limit"


ASK = """
import mmap
try:
    mmap.mmap(-1, size).close()
    print("given")
except OSError as error:
    print(error.strerror)
"""
RAISE = """
import resource
soft, hard = resource.getrlimit(resource.RLIMIT_AS)
try:
    resource.setrlimit(resource.RLIMIT_AS, (hard + 1, hard + 1))
    print("raised")
except ValueError as error:
    print(error)
"""


@pytest.mark.needs_bubblewrap
def test_a_child_has_no_capabilities(child):
    """With them it could, in its own network, speak to the kernel below TCP."""
    assert child(CAPABILITIES) == "0 0 0 0 0 0\nOperation not permitted"


CAPABILITIES = """
import ctypes, socket, struct
sets = ctypes.create_string_buffer(24)
ctypes.CDLL(None).capget(struct.pack("<Ii", 0x20080522, 0), sets)  # version 3
print(*struct.unpack("<6I", sets.raw))
try:
    print(socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP))
except OSError as error:
    print(error.strerror)
"""


def test_programs_give_no_new_privileges():
    """Tried where bubblewrap hasn't seen to it already."""
    done = subprocess.run([sys.executable, "-c", PRIVILEGES], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "0 1\n", done.stderr


PRIVILEGES = """
import ctypes
from autograder.child import sandbox
privileges = lambda: ctypes.CDLL(None).prctl(39, 0, 0, 0, 0)  # PR_GET_NO_NEW_PRIVS
before = privileges()
sandbox.close_doors()
print(before, privileges())
"""


@pytest.mark.needs_bubblewrap
def test_a_child_has_one_door(child):
    """The channel to the judge: not the worker's own, no pipe to its keeper, no file of the grader's."""
    assert child(DESCRIPTORS).split() == ["null", "null", "null", "socket", "null"]


DESCRIPTORS = """
import os, stat
null = os.stat("/dev/null")
for descriptor in range(1024):
    try:
        found = os.fstat(descriptor)
    except OSError:
        continue
    kinds = [name for name in ("SOCK", "FIFO", "REG", "DIR", "CHR") if getattr(stat, "S_IS" + name)(found.st_mode)]
    print("null" if os.path.samestat(found, null) else "socket" if kinds == ["SOCK"] else kinds or "unknown")
"""


@pytest.mark.needs_bubblewrap
def test_a_child_writes_nothing_into_its_workers_log(worker, child):
    child("import os; print(os.write(1, b'canary'), os.write(2, b'canary'))")
    assert "canary" not in Path(worker._stage.name, "log").read_text()


def test_a_file_that_was_given_out_is_not_replaced():
    """It lies there once, for all who come later; bubblewrap would see to that too."""
    worker = Worker(tuple(helper_files(0)), {"data.csv": b"given out"}, sandboxed=False)
    try:
        for files in ({"data.csv": b"mine"}, {}):
            with open_child(worker, files) as run:
                assert run("print(open('data.csv').read())") == "given out"
    finally:
        worker.stop()


@pytest.mark.needs_bubblewrap
def test_an_assignment_of_somebody_else_finds_no_module_of_ours(worker, monkeypatch):
    monkeypatch.setattr(worker, "plain", True)
    with open_child(worker) as run:
        assert run(OURS) == "ModuleNotFoundError ModuleNotFoundError"


OURS = """
import importlib
def kind_of_error(name):
    try:
        importlib.import_module(name)
    except ImportError as error:
        return type(error).__name__
print(kind_of_error("helpers"), kind_of_error("autograder"))
"""


# -- the filter of system calls, which test_filter.py reads by hand ------------------------------------


@pytest.mark.needs_bubblewrap
def test_the_kernel_refuses_them_all(child):
    """With arguments that none of them takes, so that no harm is done where one isn't refused."""
    numbers = {name: number[platform.machine() == "aarch64"] for name, number in sandbox.REFUSED.items()}
    said = child(f"numbers = {numbers}" + CALL)
    assert said == " ".join(f"{name}:1" for name, number in numbers.items() if number is not None)


CALL = """
import ctypes, os
libc, own = ctypes.CDLL(None, use_errno=True), os.getpid()
def call(number):
    result = libc.syscall(number, -1, -1, -1, -1, -1, -1)
    if os.getpid() != own or result == 0 and number in (numbers["fork"], numbers["vfork"]):
        os._exit(0)
    return ctypes.get_errno() if result == -1 else 0
print(*(f"{name}:{call(number)}" for name, number in numbers.items() if number is not None))
"""


@pytest.mark.needs_bubblewrap
def test_python_starts_threads_and_nothing_else(child):
    assert child(START).split("\n") == ["thread", *["PermissionError"] * 5]


START = """
import os, socket, subprocess, threading
threading.Thread(target=print, args=("thread",)).start()
def fork():
    if os.fork() == 0:
        os._exit(0)
for start in (
    fork,
    lambda: os.posix_spawn("/usr/bin/true", ["true"], {}),
    lambda: subprocess.run(["true"]),
    lambda: os.execv("/usr/bin/true", ["true"]),
    lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW),
):
    try:
        print(start())
    except OSError as error:
        print(type(error).__name__)
"""


@pytest.mark.needs_bubblewrap
@pytest.mark.skipif(platform.machine() != "x86_64", reason="other machines have one set of numbers")
def test_calls_by_the_numbers_of_32_bits_end_the_child(worker):
    """There `munmap` has the number of their `execve`."""
    channel = worker.begin({})
    wire.send(channel, {"run": BY_32_BITS}, seconds=60)
    with pytest.raises(wire.WireError, match="hung up"):
        wire.receive(channel, seconds=60)
    channel.close()
    assert worker.end().signal == signal.SIGSYS


BY_32_BITS = """
import ctypes, mmap
page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(bytes.fromhex("b814000000cd80c3"))  # mov eax, 20 (getpid); int 0x80; ret
print(ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))())
"""
