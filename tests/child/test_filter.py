"""The filter of system calls, read by hand for both machines that it knows. test_walls.py tries it."""

import ctypes
import struct
from collections.abc import Iterable

import pytest

from autograder.child import calls

MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
ALLOW, KILL, EPERM, ENOSYS = 0x7FFF0000, 0x80000000, 0x50001, 0x50026
DONE = 0x50000  # the call returns 0, and nothing happens

# What each would be good for. None may become allowed.
REFUSED = {
    "processes": "fork vfork setsid setpgid",
    "programs": "execve execveat",
    "memory and descriptors of others": (
        "ptrace process_vm_readv process_vm_writev kcmp pidfd_open pidfd_getfd pidfd_send_signal process_madvise"
    ),
    "other files": (
        "mount umount2 pivot_root chroot open_tree move_mount fsopen fsconfig fsmount fspick mount_setattr "
        "open_by_handle_at name_to_handle_at mknod mknodat quotactl flock"
    ),
    "other namespaces": "unshare setns",
    "other users": "setuid setgid setgroups setresuid setresgid setfsuid capset",
    "keys": "keyctl add_key request_key",
    "the kernel's own machines": "bpf perf_event_open userfaultfd seccomp personality",
    "files in memory that nothing counts": "memfd_create memfd_secret",
    "memory, semaphores and messages that stay": "shmget semget msgget mq_open",
    "calls that no filter sees": "io_uring_setup io_uring_enter io_uring_register",
    "what is counted for an account or a machine": (
        "io_setup inotify_init inotify_init1 inotify_add_watch fanotify_init fanotify_mark timer_create mlock mlock2 "
        "mlockall rt_sigqueueinfo rt_tgsigqueueinfo epoll_create epoll_create1 epoll_ctl"
    ),
    "sockets that others reach or hold": (
        "socket bind listen accept accept4 connect sendmsg recvmsg sendmmsg recvmmsg getsockopt setsockopt"
    ),
    "descriptors of a thread's own": "close_range",
    "what of files is in memory": "fadvise64 readahead syncfs mincore",
    "a larger share of the machine": (
        "sched_setaffinity sched_setscheduler sched_setattr sched_setparam setpriority ioprio_set mbind move_pages"
    ),
    "the kernel itself": "init_module finit_module kexec_load reboot syslog swapon settimeofday clock_settime",
}


@pytest.fixture(scope="module")
def number():
    """A call's number as libseccomp knows it, or a negative one: apt, systemd and bubblewrap bring that library."""
    library = ctypes.CDLL("libseccomp.so.2")

    def number(machine: str, name: str) -> int:
        return library.seccomp_syscall_resolve_name_arch(ctypes.c_uint32(MACHINES[machine]), name.encode())

    return number


def answer(machine: str, call: int, *arguments: int, architecture: int = 0) -> int:
    """What the kernel would answer to a call, by the filter's own rows."""
    words = [call, architecture or MACHINES[machine], 0, 0]
    words += [half for argument in arguments for half in (argument & 0xFFFFFFFF, argument >> 32)]
    program, at, loaded = list(struct.iter_unpack("<HBBI", calls.program(machine))), 0, 0
    while True:
        (operation, if_so, if_not, number), at = program[at], at + 1
        if operation == 0x20:  # load a word
            loaded = words[number // 4]
        elif operation == 0x06:  # answer
            return number
        else:
            holds = {0x15: loaded == number, 0x35: loaded >= number, 0x45: loaded & number != 0}[operation]
            at += if_so if holds else if_not


SPECIAL = {
    "clone3": calls.CLONE3,
    "mmap": calls.MMAP,
    **{name: pair for name, (pair, _, _) in calls.SOME.items()},
}
both = pytest.mark.parametrize(("machine", "column"), [("x86_64", 0), ("aarch64", 1)], ids=MACHINES)


@both
@pytest.mark.parametrize("what", REFUSED)
def test_student_code_gets_no(what, machine, column, number):
    for name in REFUSED[what].split():
        if (known := number(machine, name)) >= 0:
            assert answer(machine, known) == EPERM, name


@pytest.mark.promise(11)
@both
def test_calls_have_the_numbers_that_libseccomp_knows(machine, column, number):
    for name, numbers in calls.ALLOWED.items():
        known = number(machine, name)
        assert numbers[column] == (known if known >= 0 else None), name
    for name, known in SPECIAL.items():
        assert number(machine, name) == known[column]


@pytest.mark.promise(11)
@both
def test_what_is_not_allowed_is_refused(machine, column):
    special = {pair[column] for pair in SPECIAL.values()}
    allowed = {numbers[column] for numbers in calls.ALLOWED.values()}
    for call in set(range(1000)) - special:
        expected = ALLOW if call in allowed else EPERM if call < calls.LATER else ENOSYS
        assert answer(machine, call) == expected, call


def allowed(machine: str, name: str, *before: int, of: Iterable[int]) -> list[int]:
    """The values of a call's argument, behind those before it, with which it is allowed."""
    call = SPECIAL[name][list(MACHINES).index(machine)]
    answers = {value: answer(machine, call, *before, value) for value in of}
    assert set(answers.values()) <= {ALLOW, EPERM}
    return [value for value in of if answers[value] == ALLOW]


@both
def test_threads_start_and_processes_do_not(machine, column):
    """A thread with a table of descriptors for itself could hold as many again; so it has all of a thread's flags."""
    thread, process = 0x3D0F00, 0x1200011  # what glibc asks for
    assert answer(machine, calls.CLONE3[column]) == ENOSYS
    assert allowed(machine, "clone", of=range(thread, thread + 1)) == [thread]
    flags = [thread ^ 1 << bit for bit in range(32)]
    assert {answer(machine, SPECIAL["clone"][column], each) for each in (process, 0, *flags)} == {EPERM}


@both
def test_sockets_come_in_pairs_that_reach_nobody(machine, column):
    assert allowed(machine, "socketpair", of=range(50)) == [1]


@pytest.mark.promise(12)
@both
def test_descriptors_hold_up_and_watch_nobody_else(machine, column):
    """Not F_OFD_SETLK, F_SETOWN, F_SETSIG, F_SETLEASE, F_NOTIFY, F_SETPIPE_SZ or F_SETDELEG of fcntl.h, nor any other."""
    others = [*range(6), *range(8, 1100)]
    assert allowed(machine, "fcntl", 3, of=others) == [0, 1, 2, 3, 4, 5, 1030, 1032]


@both
def test_a_lock_of_bytes_is_granted_and_not_made(machine, column):
    """F_SETLK and F_SETLKW: nobody else could want these bytes, and the kernel would keep a note of each lock."""
    fcntl = SPECIAL["fcntl"][column]
    assert {answer(machine, fcntl, 3, command) for command in (6, 7)} == {DONE}


@both
def test_no_device_or_file_system_is_asked_for_more_than_its_terminal_or_length(machine, column):
    """Not TIOCSTI, SIOCGIFCONF, FICLONE or FS_IOC_ADD_ENCRYPTION_KEY, say."""
    assert allowed(machine, "ioctl", 3, of=range(0x10000)) == [0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451]
    more = (0x40049409, 0xC0506617)
    assert {answer(machine, SPECIAL["ioctl"][column], 3, each) for each in more} == {EPERM}


@both
def test_a_process_changes_its_name_and_nothing_else_of_itself(machine, column):
    """Not PR_SET_SECCOMP, whose filters each thread can stack for itself, nor PR_SET_DUMPABLE, say."""
    assert allowed(machine, "prctl", of=range(100)) == [15, 16]


@both
def test_no_page_is_merged_with_others_thrown_out_or_called_broken(machine, column):
    """MADV_MERGEABLE, MADV_COLD, MADV_PAGEOUT, MADV_HWPOISON and MADV_SOFT_OFFLINE, as mman.h has them."""
    assert not {12, 20, 21, 100, 101} & set(allowed(machine, "madvise", 0, 0, of=range(200)))


@pytest.mark.promise(12)
@both
def test_no_read_says_what_of_a_file_is_in_memory_or_drops_it(machine, column):
    """RWF_NOWAIT and RWF_DONTCACHE are flags of preadv2. What asks of many pages is refused altogether."""
    assert allowed(machine, "preadv2", *[0] * 5, of=range(512)) == [0]


@both
def test_memory_is_held_by_its_address_alone(machine, column):
    """MAP_SHARED, with and without validation, MAP_PRIVATE and MAP_DROPPABLE, each with MAP_ANONYMOUS and others."""
    shared, validated, private, droppable, anonymous, locked, huge = 1, 3, 2, 8, 0x20, 0x2000, 0x40000
    usual = (0, 0x100, 0x4000, 0x8000, 0x20000)  # MAP_GROWSDOWN, MAP_NORESERVE, MAP_POPULATE, MAP_STACK

    def answers(*kinds: int) -> set[int]:
        return {answer(machine, calls.MMAP[column], 0, 9, 3, kind | more) for kind in kinds for more in usual}

    assert answers(shared, validated, private, private | anonymous, droppable | anonymous) == {ALLOW}
    assert answers(shared | anonymous, validated | anonymous) == {EPERM}
    assert answers(*(private | anonymous | more for more in (locked, huge, locked | huge))) == {EPERM}


@both
def test_calls_by_other_numbers_are_refused(machine, column):
    for other in {0x40000003, *MACHINES.values()} - {MACHINES[machine]}:  # of 32 bits; of other machines
        assert answer(machine, 0, architecture=other) == KILL
    assert answer(machine, 0x40000000) == answer(machine, 0x40000000 | 59) == EPERM
