"""What is on the other side of each wall: each wall is tried by itself, with the others around it.

Without a wall its test fails, and does no harm then: `python -m tests.long.defences` takes them out one by one.
"""

import contextlib
import json
import os
import platform
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from autograder.child import calls, sandbox, wire
from autograder.child.shown import shown
from autograder.grading import clock
from autograder.grading.workers import Worker
from autograder.lessons import ROOT, helper_files
from tests.support.raising import nothing_else_raised

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


@pytest.mark.promise(1)
@pytest.mark.needs_bubblewrap
def test_a_worker_gets_nothing_of_the_users_environment(monkeypatch):
    monkeypatch.setenv("HEADSTART_CANARY", "canary")
    names = behind("import os; print(*os.environ)").split()
    assert set(names) == {*sandbox.environment("", ""), "PWD"}


@pytest.mark.needs_bubblewrap
def test_a_worker_does_not_learn_the_machines_name():
    assert behind("import socket; print(socket.gethostname())").strip() == "sandbox" != socket.gethostname()


HIDE = (Path("/usr/share/zoneinfo/Etc"), Path(sysconfig.get_path("purelib"), "numpy"))


@pytest.mark.needs_bubblewrap
def test_a_worker_may_write_in_one_folder():
    """Others are the kernel's own."""
    said = behind(MAY_BE_WRITTEN, hide=HIDE)
    assert set(said.split("\n")[:-1]) == {sandbox.WRITABLE, "/proc"}


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


DEVICES = {"null", "random", "shm", "tty", "urandom"}


@pytest.mark.needs_bubblewrap
def test_a_worker_sees_few_devices():
    seen = behind("import os; print(*os.listdir('/dev'))").split()
    assert set(seen) == DEVICES


# Said here again, in other words than the code's: what may be seen, and in which folders only files of one kind.
PYTHONS = {
    *map(sysconfig.get_path, ("stdlib", "purelib", "platlib")),
    sysconfig.get_path("stdlib", vars={"base": sys.base_prefix}),
}
WHOLE = {*PYTHONS, "/dev", "/proc", "/submission", "/headstart", "/usr/share/zoneinfo", "/usr/share/fonts",
         "/usr/local/share/fonts", "/usr/lib/locale"}  # fmt: skip
SINGLE = {"/etc/ld.so.cache", f"{sys.prefix}/pyvenv.cfg", sys.executable, os.path.realpath(sys.executable)}


@pytest.mark.promise(2)
@pytest.mark.needs_bubblewrap
def test_a_worker_sees_the_files_that_python_needs_and_no_others(baits):
    seen = behind(WALK, *sorted(WHOLE)).splitlines()
    strange = [path for path in seen if path not in SINGLE and not LIBRARY.search(path)]
    assert not strange
    assert sys.executable in seen  # the walk has found something
    assert not {str(bait) for bait in baits} & set(seen)
    if sys.prefix != sys.base_prefix:
        packages = sysconfig.get_path("purelib", vars={"base": sys.base_prefix})
        assert behind(
            "import os, sys; print(os.path.isdir(sys.argv[1]) and os.listdir(sys.argv[1]))", packages
        ).strip() in ("[]", "False")


LIBRARY = re.compile(r"/lib(64)?(/[^/]+-linux-gnu)?/[^/]+\.so(\.[\w.]+)?$")
WALK = """
import os, sys
for folder, folders, names in os.walk("/"):
    folders[:] = [name for name in folders if os.path.join(folder, name) not in sys.argv[1:]]
    print(*(os.path.join(folder, name) for name in names), sep="\\n", end="\\n" * bool(names))
"""
PLACES = (
    "/usr/local/share/nbgrader/exchange", "/usr/local/etc/jupyter", "/usr/etc/jupyter", f"{sys.prefix}/etc/jupyter",
    f"{sys.base_prefix}/etc/jupyter", "/usr/local/share", "/usr/share/jupyter", "/usr/lib", "/usr/local/lib", "/usr/bin",
    "/etc/jupyter", "/opt", "/srv", "/var/lib", "/home", "/root", "/tmp", f"{sys.prefix}/share", str(Path(sys.prefix).parent),
    f"{sys.base_prefix}/share", sysconfig.get_path("purelib", vars={"base": sys.base_prefix}),
)  # fmt: skip


@pytest.fixture
def baits(tmp_path) -> Iterator[list[Path]]:
    """Files as teachers and admins leave them, wherever this user may write: in a container that is everywhere."""
    made, laid = [], [tmp_path / "gradebook.db"]
    laid[0].touch()
    for place in map(Path, PLACES):
        new = [folder for folder in (place, *place.parents) if not folder.exists()]
        with contextlib.suppress(OSError):
            place.mkdir(parents=True, exist_ok=True)
            bait = place / f"headstart-bait-{os.getpid()}.py"
            bait.write_text("c.CourseDirectory.db_url = 'postgresql://teacher:password@localhost/gradebook'")
            laid.append(bait)
        made += new
    yield laid
    for bait in laid:
        bait.unlink()
    for folder in made:
        with contextlib.suppress(OSError):
            folder.rmdir()


@pytest.mark.promise(2)
@pytest.mark.needs_bubblewrap
@pytest.mark.parametrize("kind", ["system", "base", "another environment"])
def test_any_python_starts_behind_the_wall(kind, tmp_path):
    """One in /usr, where there is one; one in a prefix of its own; an environment anywhere, made of links."""
    if kind == "another environment":
        (tmp_path / "real").mkdir()
        (tmp_path / "link").symlink_to(tmp_path / "real")
        subprocess.run(
            [sys.executable, "-m", "venv", "--without-pip", tmp_path / "link" / "venv"], check=True
        )
        (tmp_path / "link" / "venv" / "secret").touch()
        python = str(tmp_path / "link" / "venv" / "bin" / "python")
    else:
        python = (
            sys._base_executable
            if kind == "base"
            else shutil.which("python3", path="/usr/bin") or sys.executable
        )
    command = [python, "-c", SAY_COMMAND, str(tmp_path), IMPORT]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    done = subprocess.run(json.loads(said), stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.stdout.split() == [os.path.dirname(os.path.dirname(python)), "False"], done.stderr


SAY_COMMAND = """
import json, sys
from pathlib import Path
from autograder.child import sandbox
print(json.dumps(sandbox.command(Path(sys.argv[1]), [sys.executable, "-c", sys.argv[2]])))
"""
IMPORT = """
import asyncio, bz2, ctypes, decimal, hashlib, lzma, os, sqlite3, ssl, sys, threading, uuid, zlib
print(sys.prefix, os.path.exists(f"{sys.prefix}/secret"))
"""


@pytest.mark.needs_bubblewrap
def test_a_worker_ends_with_its_grader(tmp_path):
    start = "import subprocess, sys; subprocess.Popen(sys.argv[1:]); sys.stdin.read()"
    worker = sandbox.command(tmp_path, [sys.executable, "-c", STAY])
    grader = subprocess.Popen(
        [sys.executable, "-c", start, *worker], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with grader:
        assert grader.stdout.readline() == b"started\n"
        below = psutil.Process(grader.pid).children(recursive=True)
        grader.kill()
        ended, _, _ = select.select([grader.stdout], [], [], 100)  # once nobody can write there any more
        for process in below:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
    assert ended


STAY = "import time; print('started', flush=True); time.sleep(977)"


# -- a child, around student code ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    """A warm worker, whose grader has a file open that programs inherit."""
    worker = Worker(helper_files(0))
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
        wire.send(channel, {"run": code})
        outputs = wire.receive(channel)["done"]
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
    """The worker's own process, and its child's, as they are seen from here; a keeper is between them."""
    below = psutil.Process(worker._process.pid).children(recursive=True)
    warm, _, student = (process for process in below if process.name() != "bwrap")
    return [warm, student]


@pytest.mark.needs_bubblewrap
@pytest.mark.parametrize("kind", ["ipc", "mnt", "net", "pid", "user"])
def test_a_child_has_namespaces_of_its_own(kind, worker, child):
    with nothing_else_raised():
        assert child("print('walls are up')") == "walls are up"
    warm, student = (os.readlink(f"/proc/{process.pid}/ns/{kind}") for process in processes(worker))
    assert warm != student


@pytest.mark.promise(13)
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
@pytest.mark.parametrize("folder", [sandbox.WRITABLE, sandbox.TEMPORARY, "/dev/shm"])
def test_a_child_leaves_no_file_to_the_next(folder, worker):
    if folder == sandbox.TEMPORARY:
        of_tmp()
    path = f"{folder}/left"
    with open_child(worker) as run:
        run(f"open({path!r}, 'w').close()")
        assert run(f"import os; print(os.path.exists({path!r}))") == "True"
    with open_child(worker) as run:
        assert run(f"import os; print(os.path.exists({path!r}))") == "False"


def of_tmp() -> None:
    """Skip where /tmp shows what Python needs, as where this project lies in it: there a child can't write."""
    if any(Path(place).is_relative_to(sandbox.TEMPORARY) for place in shown().files):
        pytest.skip("Python's own folders lie in /tmp")


SIZES = {sandbox.WRITABLE: sandbox.FOLDER_BYTES, sandbox.TEMPORARY: sandbox.FOLDER_BYTES, "/dev/shm": 1 << 20}


@pytest.mark.needs_bubblewrap
@pytest.mark.parametrize("folder", SIZES)
def test_a_childs_files_take_no_more_than_they_may(folder, child):
    if folder == sandbox.TEMPORARY:
        of_tmp()
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
def test_a_childs_folder_and_tmp_are_parts_of_one_memory(child):
    of_tmp()
    child(f"folder, size = {sandbox.TEMPORARY!r}, {sandbox.FOLDER_BYTES}" + FILL)
    assert child(f"folder, size = '.', {sandbox.FOLDER_BYTES}" + FILL) == "0"
    assert child("import os; print(os.listdir('.'))") == "['0']"


@pytest.mark.needs_bubblewrap
def test_a_child_finds_what_it_would_find_in_a_kernel(worker):
    """Its folder stands behind the standard library, so a file there can't hide a module of that."""
    with open_child(worker, {"calendar.py": b"1 / 0", "mine.py": b"x = 5"}) as child:
        assert child("import calendar, mine; print(mine.x, calendar.__file__ != 'calendar.py')") == "5 True"
        assert child("import sys; print(sys.argv[0], sys.argv[1])") == "ipykernel_launcher.py -f"
        assert child("import getpass; print(getpass.getuser())") == "student"
        of_tmp()
        assert child("import tempfile; print(tempfile.gettempdir())") == sandbox.TEMPORARY


@pytest.mark.needs_bubblewrap
def test_a_child_imports_nothing_that_every_check_needs(child):
    """Its worker has, once for all children."""
    calls = (
        "import sys",
        "before = {*sys.modules}",
        "from helpers.checking.calling.surroundings import generators_kept, seed",
        "with generators_kept():",
        "    seed()",
        "print({*sys.modules} - before)",
    )
    assert child("\n".join(calls)) == "set()"


def test_a_child_has_only_so_many_files(child):
    assert 9_000 < int(child(MANY_FILES)) <= sandbox.FOLDER_FILES


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
@pytest.mark.parametrize("folder", [sandbox.WRITABLE, sandbox.TEMPORARY, "/dev/shm", "/proc"])
def test_what_a_child_writes_is_no_device_and_gives_nobody_rights(folder, child):
    flags = int(child(f"import os; print(os.statvfs({folder!r}).f_flag)"))
    assert flags & os.ST_NODEV and flags & os.ST_NOSUID


LIMITS = {
    "RLIMIT_CORE": 1,
    "RLIMIT_FSIZE": sandbox.FOLDER_BYTES,
    "RLIMIT_NOFILE": 256,
    "RLIMIT_SIGPENDING": 64,
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


@pytest.mark.needs_bubblewrap
def test_who_unmaps_libraries_gets_no_memory_for_them(child):
    """That of torch alone has hundreds of megabytes."""
    freed = int(child(UNMAP))
    assert freed > 100 << 20
    assert child(f"size = {sandbox.MEMORY_BYTES + freed // 2}" + ASK) == "Cannot allocate memory"


UNMAP = """
import ctypes
class Part(ctypes.Structure):
    _fields_ = [("type", ctypes.c_uint32), ("flags", ctypes.c_uint32)] + [
        (name, ctypes.c_uint64) for name in ("offset", "place", "physical", "in_file", "bytes", "align")
    ]
class Library(ctypes.Structure):
    _fields_ = [("base", ctypes.c_uint64), ("name", ctypes.c_char_p), ("parts", ctypes.POINTER(Part)),
                ("number", ctypes.c_uint16)]
found = []
@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Library), ctypes.c_size_t, ctypes.c_void_p)
def look(library, size, data):
    if b"libtorch_cpu" in library[0].name:
        found.extend((library[0].base + part.place, part.bytes) for part in library[0].parts[:library[0].number]
                     if part.type == 1 and part.flags == 5)  # loaded, to be read and run
    return 0
libc = ctypes.CDLL(None)
libc.dl_iterate_phdr(look, None)
freed = 0
for start, size in found:
    first, last = -(-start // 4096) * 4096, (start + size) // 4096 * 4096
    if libc.munmap(ctypes.c_void_p(first), ctypes.c_size_t(last - first)) == 0:
        freed += last - first
print(freed)
"""
ASK = """
import mmap
try:
    mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close()
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
def test_a_child_queues_only_so_many_signals(worker, child):
    """Linux counts those of all of an account's processes, and gives the next process none."""
    assert child(QUEUE) == "sent"
    _, student = processes(worker)
    queued = Path(f"/proc/{student.pid}/status").read_text().partition("SigQ:")[2].split()[0]
    assert queued == f"{sandbox.SIGNALS}/{sandbox.SIGNALS}"


QUEUE = """
import os, signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN])
for _ in range(1000):
    os.kill(os.getpid(), signal.SIGRTMIN)
print("sent")
"""


@pytest.mark.promise(34)
@pytest.mark.needs_bubblewrap
def test_where_memory_runs_out_a_child_is_the_first_to_go(worker, child):
    """And not the worker, which the kernel may take for the larger one, nor anything else of the machine."""
    assert child("print('walls are up')") == "walls are up"
    warm, student = (
        Path(f"/proc/{each.pid}/oom_score_adj").read_text().strip() for each in processes(worker)
    )
    assert student == "1000" != warm


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
privileges = lambda: open("/proc/self/status").read().partition("NoNewPrivs:")[2].split()[0]
before = privileges()
sandbox.close_doors()
print(before, privileges())
"""


@pytest.mark.needs_bubblewrap
def test_a_child_has_one_door(child):
    """The channel to the judge: not the worker's own, no pipe to its keeper, no file of the grader's.

    A library may keep its own file open, as newer versions of libffi do. Children can read it by its name, too.
    """
    doors = [kind for kind in child(DESCRIPTORS).split() if kind != "library"]
    assert doors == ["null", "null", "null", "socket", "null"]


DESCRIPTORS = """
import fcntl, glob, os, stat
null = os.stat("/dev/null")
libraries = {os.stat(path)[1:3] for path in glob.glob("/usr/lib*/**/*.so*", recursive=True) if os.path.exists(path)}
for descriptor in range(1024):
    try:
        found = os.fstat(descriptor)
    except OSError:
        continue
    kinds = [name for name in ("SOCK", "FIFO", "REG", "DIR", "CHR") if getattr(stat, "S_IS" + name)(found.st_mode)]
    readable = fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY
    if kinds == ["REG"] and readable and found[1:3] in libraries:
        kinds = ["library"]
    print("null" if os.path.samestat(found, null) else "socket" if kinds == ["SOCK"] else kinds[0] if kinds else "unknown")
"""


@pytest.mark.needs_bubblewrap
def test_a_child_writes_nothing_into_its_workers_log(worker, child):
    child("import os; print(os.write(1, b'canary'), os.write(2, b'canary'))")
    assert "canary" not in Path(worker._stage.name, "log").read_text()


def test_a_file_that_was_given_out_is_not_replaced():
    """It lies there once, for all who come later; bubblewrap would see to that too."""
    worker = Worker(helper_files(0), {"data.csv": b"given out"}, sandboxed=False)
    try:
        for files in ({"data.csv": b"mine"}, {}):
            with open_child(worker, files) as run:
                assert run("print(open('data.csv').read())") == "given out"
    finally:
        worker.stop()


@pytest.mark.needs_bubblewrap
def test_an_assignment_of_somebody_else_finds_no_module_of_ours(worker, monkeypatch):
    monkeypatch.setattr(worker, "foreign", True)
    with open_child(worker) as run:
        assert run(OURS) == " ".join(["ModuleNotFoundError"] * 3)


OURS = """
import importlib
def kind_of_error(name):
    try:
        importlib.import_module(name)
    except ImportError as error:
        return type(error).__name__
print(kind_of_error("helpers"), kind_of_error("autograder"), kind_of_error("headstart"))
"""


@pytest.mark.needs_bubblewrap
def test_a_lesson_that_imports_the_check_from_the_package_gets_the_graders(child):
    """And of what else the package names, nothing that isn't for students."""
    assert child(FACE) == "True False ModuleNotFoundError"


FACE = """
import headstart, helpers.checks
from headstart import check
try:
    headstart.Entry
except ImportError as error:
    print(check is helpers.checks.check, check.__module__ == "helpers.checks", type(error).__name__)
"""


# -- the filter of system calls, which test_filter.py reads by hand ------------------------------------


@pytest.mark.promise(11)
@pytest.mark.needs_bubblewrap
def test_the_kernel_refuses_them_all(child):
    """With arguments that none of them takes, so that no harm is done where one isn't refused."""
    column = ("x86_64", "aarch64").index(platform.machine())
    some = [pair for pair, _, _ in calls.SOME.values()]
    allowed = {numbers[column] for numbers in (*calls.ALLOWED.values(), *some, calls.MMAP)}
    # The kernel's own way back from probes, which no filter is asked about: it ends whoever else calls it.
    numbers = sorted(set(range(600)) - allowed - {335, 336})
    assert len(numbers) > 300
    assert child(f"numbers = {numbers}" + CALL) == "[]"


CALL = """
import ctypes, os
libc, own = ctypes.CDLL(None, use_errno=True), os.getpid()
def refused(number):
    result = libc.syscall(number, -1, -1, -1, -1, -1, -1)
    if os.getpid() != own or result == 0 and number in (57, 58):
        os._exit(0)
    return result == -1 and ctypes.get_errno() in (1, 38)
print([number for number in numbers if not refused(number)])
"""


@pytest.mark.needs_bubblewrap
def test_python_starts_threads_and_nothing_else(child):
    assert child(START).split("\n") == ["thread", *["PermissionError"] * 5]


START = """
import os, socket, subprocess, threading
thread = threading.Thread(target=print, args=("thread",))
thread.start()
thread.join()
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
    wire.send(channel, {"run": BY_32_BITS})
    with pytest.raises(wire.WireError, match="hung up"):
        wire.receive(channel)
    channel.close()
    assert worker.end().signal == signal.SIGSYS


BY_32_BITS = """
import ctypes, mmap
page = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(bytes.fromhex("b814000000cd80c3"))  # mov eax, 20 (getpid); int 0x80; ret
print(ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))())
"""


# -- a share of the machine ------------------------------------------------------------------------------


@pytest.mark.promise(14)
@pytest.mark.needs_bubblewrap
def test_a_child_has_one_core_and_no_other_worker_has_it(monkeypatch):
    monkeypatch.setattr(clock, "CLAIM", f"headstart-core-{os.getpid()}")  # others may have all that there are
    first, second = (Worker(helper_files(0)) for _ in range(2))
    try:
        with open_child(first) as child:
            _has_one_core_alone(child)
            with open_child(second) as other:
                cores = [run("import os; print(*os.sched_getaffinity(0))") for run in (child, other)]
                assert cores[0] != cores[1] or len(os.sched_getaffinity(0)) == 1
    finally:
        first.stop()
        second.stop()


def _has_one_core_alone(child):
    told = {int(child("import os; print(*os.sched_getaffinity(0))"))}
    assert told <= os.sched_getaffinity(0)
    widened = "import os\ntry:\n os.sched_setaffinity(0, range(99))\nexcept OSError as error:\n print(error.strerror)"
    assert child(widened) == "Operation not permitted"
    with socket.socket(socket.AF_UNIX) as other, pytest.raises(OSError, match="in use"):
        other.bind(f"\0{clock.CLAIM}-{os.getuid()}-{told.pop()}")


@pytest.mark.promise(13)
@pytest.mark.needs_bubblewrap
def test_signals_to_its_group_reach_the_child_alone(worker):
    """Group 0 is one's own: with the worker in it, this would end that, too."""
    warm = worker._process.pid
    with open_child(worker) as run:
        assert run("import os, signal; os.kill(0, signal.SIGKILL); print('the first of its namespace')")
    with open_child(worker) as run:
        assert run("print('another')") == "another"
    assert worker._process.pid == warm


@pytest.mark.promise(42)
@pytest.mark.needs_bubblewrap
def test_an_interrupt_at_any_moment_breaks_no_message(worker):
    """Hundreds, some of which come while a message is under way: the conversation goes on, in turn."""
    with ending(worker) as channel:
        assert an_interrupted_conversation(worker, channel) > 100


@contextlib.contextmanager
def ending(worker: Worker) -> Iterator[socket.socket]:
    """A child's channel. However a test ends, its child's end is heard: it says what went wrong."""
    with worker.begin({}) as channel:
        try:
            yield channel
        finally:
            ended = worker.end()
            print("the child:", ended)  # seen where a test fails
    assert ended.signal == signal.SIGKILL, "it was there until its end was asked for"


def an_interrupted_conversation(worker: Worker, channel: socket.socket) -> int:
    """Its outcomes, counted."""
    inbox, asked = wire.Inbox(channel), 0
    for number in range(300):
        wire.send(channel, {"run": CHECKED})
        if number % 3 == 0:
            worker.interrupt()
        message = inbox.receive()
        while "ask" in message:
            asked += 1
            wire.send(channel, CASES)
            if number % 3 == 1:
                worker.interrupt()
            message = inbox.receive()
            assert len(message.get("outcomes", ())) == 1
            if number % 3 == 2:
                worker.interrupt()
            wire.send(channel, {"cases": []})
            message = inbox.receive()
        assert "done" in message
        assert not [line for line in message["done"] if line.get("ename") not in (None, "KeyboardInterrupt")]
    return asked


CHECKED = "from helpers.checks import check\ncheck('attention.softmax', lambda x: x)"
CASE = {"title": "a case", "args": {"$tuple": [1]}, "kwargs": {}}
CASES = {"cases": [CASE], "driver": "call", "gradients": False, "forbidden": [], "stand_ins": {}}


@pytest.mark.promise(42)
@pytest.mark.needs_bubblewrap
def test_an_interrupt_that_comes_late_ends_no_other_cell(worker):
    with ending(worker) as channel:
        for _ in range(100):
            wire.send(channel, {"run": "1"})
            wire.receive(channel)
            worker.interrupt()
            wire.send(channel, {"run": "print(sum(range(1000)))"})
            [output] = wire.receive(channel)["done"]
            assert output["text"] == "499500\n"


def test_an_interrupt_that_comes_before_all_else_ends_no_child(monkeypatch):
    """In the first moments after the fork: here, from the child itself."""
    monkeypatch.setattr(Worker, "_fill", fill_with_the_hasty)
    handler = signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # a program in the background ignores it
    worker = Worker(helper_files(0), sandboxed=False)
    try:
        with ending(worker) as channel:
            wire.send(channel, {"run": "print('still there')"})
            [output] = wire.receive(channel)["done"]
            assert output["text"] == "still there\n"
    finally:
        worker.stop()
        signal.signal(signal.SIGINT, handler)


def fill_with_the_hasty(worker: Worker, stage: Path, fill: Callable = Worker._fill) -> None:
    fill(worker, stage)
    code = stage / "autograder" / "child" / "worker.py"
    text = code.read_text()
    assert text.count(FIRST) == 1
    code.write_text(text.replace(FIRST, f"{FIRST}            os.kill(os.getpid(), signal.SIGINT)\n"))


FIRST = "        if pid == 0:\n"
