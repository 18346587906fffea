"""The filter of system calls, read by hand for both machines that it knows. test_walls.py tries it."""

import ctypes
import struct

import pytest

from autograder.child import calls

MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
ALLOW, KILL, EPERM, ENOSYS = 0x7FFF0000, 0x80000000, 0x50001, 0x50026

# What each would be good for. None may become allowed.
REFUSED = {
    "processes": "fork vfork setsid setpgid",
    "programs": "execve execveat",
    "memory and descriptors of others": (
        "ptrace process_vm_readv process_vm_writev kcmp pidfd_open pidfd_getfd pidfd_send_signal process_madvise"
    ),
    "other files": (
        "mount umount2 pivot_root chroot open_tree move_mount fsopen fsconfig fsmount fspick mount_setattr "
        "open_by_handle_at name_to_handle_at mknod mknodat quotactl"
    ),
    "other namespaces": "unshare setns",
    "other users": "setuid setgid setgroups setresuid setresgid setfsuid capset",
    "keys": "keyctl add_key request_key",
    "the kernel's own machines": "bpf perf_event_open userfaultfd seccomp personality",
    "files in memory that nothing counts": "memfd_create memfd_secret",
    "memory, semaphores and messages that stay": "shmget semget msgget mq_open",
    "calls that no filter sees": "io_uring_setup io_uring_enter io_uring_register",
    "what is counted for the whole machine": "io_setup inotify_init inotify_init1 fanotify_init timer_create",
    "a larger share of the machine": (
        "sched_setaffinity sched_setscheduler sched_setattr sched_setparam ioprio_set mbind move_pages"
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
    for name, known in {
        "clone": calls.CLONE,
        "clone3": calls.CLONE3,
        "socket": calls.SOCKET,
        "fcntl": calls.FCNTL,
    }.items():
        assert number(machine, name) == known[column]


@pytest.mark.promise(11)
@both
def test_what_is_not_allowed_is_refused(machine, column):
    special = {pair[column] for pair in (calls.CLONE, calls.CLONE3, calls.SOCKET, calls.FCNTL)}
    allowed = {numbers[column] for numbers in calls.ALLOWED.values()}
    for call in set(range(1000)) - special:
        expected = ALLOW if call in allowed else EPERM if call < calls.LATER else ENOSYS
        assert answer(machine, call) == expected, call


@both
def test_threads_start_and_processes_do_not(machine, column):
    clone, clone3 = (56, 220)[column], 435
    thread, process = 0x3D0F00, 0x1200011  # what glibc asks for
    assert answer(machine, clone, thread) == ALLOW
    assert answer(machine, clone, process) == EPERM
    assert answer(machine, clone3) == ENOSYS


@both
def test_sockets_are_of_families_that_end_in_their_network(machine, column):
    families = [family for family in range(50) if answer(machine, (41, 198)[column], family) == ALLOW]
    assert families == [1, 2, 10]
    assert answer(machine, (41, 198)[column], 16) == EPERM


@pytest.mark.promise(12)
@both
def test_descriptors_hold_up_and_watch_nobody_else(machine, column):
    """F_SETLEASE, F_NOTIFY and F_SETPIPE_SZ, as fcntl.h of both machines has them; no other command is refused."""
    fcntl = (72, 25)[column]
    refused = [command for command in range(1100) if answer(machine, fcntl, 3, command) != ALLOW]
    assert refused == [1024, 1026, 1031]
    assert {answer(machine, fcntl, 3, command) for command in refused} == {EPERM}


@both
def test_calls_by_other_numbers_are_refused(machine, column):
    for other in {0x40000003, *MACHINES.values()} - {MACHINES[machine]}:  # of 32 bits; of other machines
        assert answer(machine, 0, architecture=other) == KILL
    assert answer(machine, 0x40000000) == answer(machine, 0x40000000 | 59) == EPERM
