"""The filter of system calls, read by hand for both machines that it knows. test_walls.py tries it."""

import struct

import pytest

from autograder.child import sandbox

MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
ALLOW, KILL, EPERM, ENOSYS = 0x7FFF0000, 0x80000000, 0x50001, 0x50026

# What each would be good for. Said here again, so that none can get lost.
REFUSED = {
    "processes": "fork vfork",
    "programs": "execve execveat",
    "memory and descriptors of others": (
        "ptrace process_vm_readv process_vm_writev kcmp pidfd_getfd process_madvise"
    ),
    "other files": (
        "mount umount2 pivot_root chroot open_tree move_mount fsopen fsconfig fsmount fspick mount_setattr"
    ),
    "other namespaces": "unshare setns",
    "keys": "keyctl add_key request_key",
    "the kernel's own machines": "bpf perf_event_open userfaultfd",
    "files in memory that nothing counts": "memfd_create memfd_secret",
    "memory, semaphores and messages that stay": "shmget semget msgget",
    "calls that no filter sees": "io_uring_setup io_uring_enter io_uring_register",
    "the kernel itself": "init_module finit_module kexec_load reboot",
}


def answer(machine: str, call: int, *arguments: int, architecture: int = 0) -> int:
    """What the kernel would answer to a call, by the filter's own rows."""
    words = [call, architecture or MACHINES[machine], 0, 0]
    words += [half for argument in arguments for half in (argument & 0xFFFFFFFF, argument >> 32)]
    program, at, loaded = list(struct.iter_unpack("<HBBI", sandbox._filter(machine))), 0, 0
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
def test_student_code_gets_no(what, machine, column):
    for name in REFUSED[what].split():
        if (number := sandbox.REFUSED[name][column]) is not None:
            assert answer(machine, number) == EPERM, name


@both
def test_whatever_else_is_refused_stands_here_too(machine, column):
    assert set(sandbox.REFUSED) == set(" ".join(REFUSED.values()).split())
    assert len(set(sandbox.REFUSED.values())) == len(sandbox.REFUSED)


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


@both
def test_calls_by_other_numbers_are_refused(machine, column):
    for other in {0x40000003, *MACHINES.values()} - {MACHINES[machine]}:  # of 32 bits; of other machines
        assert answer(machine, 0, architecture=other) == KILL
    assert answer(machine, 0x40000000) == answer(machine, 0x40000000 | 59) == EPERM


@both
def test_everyday_calls_go_through(machine, column):
    for number in {"x86_64": (0, 1, 9, 202, 230, 257), "aarch64": (63, 64, 222, 98, 115, 56)}[machine]:
        assert answer(machine, number) == ALLOW
