"""The system calls that student code may make: those that notebooks were seen to need, and their kin.

Files, memory, threads, signals, pipes and clocks; not processes, programs, namespaces, mounts or the network.
Nor may it choose on which cores it runs.

Some calls are refused although they look harmless. Some take from what the kernel counts for an
account or for the whole machine, such as watches of files, locked memory or huge pages. Others hold memory
that no address or descriptor of the process leads to, so no limit of a process counts it: shared anonymous
mappings, connections that nobody has accepted, sockets on their way to another process, tables of descriptors
that a thread has for itself. Others tell which pages of a file are in memory: those that somebody has read.
"""

import functools
import struct

AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
# By number, x86_64 and aarch64; None where the machine has no such call. The tests ask libseccomp.
# defence: filter: calls allowed
ALLOWED = {
    # files and folders
    # defence: filter: numbers
    "read": (0, 63), "write": (1, 64), "open": (2, None), "openat": (257, 56), "close": (3, 57),
    "creat": (85, None), "stat": (4, None), "fstat": (5, 80),
    "lstat": (6, None), "newfstatat": (262, 79), "statx": (332, 291), "lseek": (8, 62),
    "pread64": (17, 67), "pwrite64": (18, 68), "readv": (19, 65), "writev": (20, 66),
    "preadv": (295, 69), "pwritev": (296, 70), "pwritev2": (328, 287),
    "access": (21, None), "faccessat": (269, 48), "faccessat2": (439, 439), "dup": (32, 23),
    "dup2": (33, None), "dup3": (292, 24),
    "fsync": (74, 82), "fdatasync": (75, 83), "truncate": (76, 45), "ftruncate": (77, 46),
    "fallocate": (285, 47), "getdents": (78, None), "getdents64": (217, 61),
    "getcwd": (79, 17), "chdir": (80, 49), "fchdir": (81, 50), "rename": (82, None),
    "renameat": (264, 38), "renameat2": (316, 276), "mkdir": (83, None), "mkdirat": (258, 34),
    "rmdir": (84, None), "link": (86, None), "linkat": (265, 37), "unlink": (87, None),
    "unlinkat": (263, 35), "symlink": (88, None), "symlinkat": (266, 36), "readlink": (89, None),
    "readlinkat": (267, 78), "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53),
    "umask": (95, 166), "utime": (132, None), "utimes": (235, None), "futimesat": (261, None),
    "utimensat": (280, 88), "statfs": (137, 43), "fstatfs": (138, 44), "sendfile": (40, 71),
    "copy_file_range": (326, 285), "getxattr": (191, 8), "lgetxattr": (192, 9), "fgetxattr": (193, 10),
    "listxattr": (194, 11), "llistxattr": (195, 12), "flistxattr": (196, 13),
    # memory
    "munmap": (11, 215), "mprotect": (10, 226), "mremap": (25, 216), "msync": (26, 227),
    "brk": (12, 214), "get_mempolicy": (239, 236), "membarrier": (324, 283),
    # threads, and what a process asks about itself
    "futex": (202, 98), "set_robust_list": (273, 99), "get_robust_list": (274, 100),
    "set_tid_address": (218, 96), "rseq": (334, 293), "sched_yield": (24, 124),
    "sched_getaffinity": (204, 123), "sched_getparam": (143, 121), "sched_getscheduler": (145, 120),
    "sched_get_priority_max": (146, 125), "sched_get_priority_min": (147, 126), "exit": (60, 93),
    "exit_group": (231, 94), "restart_syscall": (219, 128), "wait4": (61, 260), "waitid": (247, 95),
    "arch_prctl": (158, None), "getpid": (39, 172), "gettid": (186, 178),
    "getppid": (110, 173), "getpgrp": (111, None), "getpgid": (121, 155), "getsid": (124, 156),
    "getuid": (102, 174), "geteuid": (107, 175), "getgid": (104, 176), "getegid": (108, 177),
    "getgroups": (115, 158), "getresuid": (118, 148), "getresgid": (120, 150), "capget": (125, 90),
    "uname": (63, 160), "sysinfo": (99, 179), "getrusage": (98, 165), "times": (100, 153),
    "getcpu": (309, 168), "getrlimit": (97, 163), "setrlimit": (160, 164), "prlimit64": (302, 261),
    "getpriority": (140, 141), "getrandom": (318, 278),
    # signals and time
    "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139),
    "rt_sigpending": (127, 136), "rt_sigtimedwait": (128, 137), "rt_sigsuspend": (130, 133),
    "sigaltstack": (131, 132), "kill": (62, 129), "tkill": (200, 130), "tgkill": (234, 131),
    "pause": (34, None), "alarm": (37, None), "getitimer": (36, 102), "setitimer": (38, 103),
    "nanosleep": (35, 101), "clock_nanosleep": (230, 115), "clock_gettime": (228, 113),
    "clock_getres": (229, 114), "gettimeofday": (96, 169), "time": (201, None),
    "timerfd_create": (283, 85), "timerfd_settime": (286, 86), "timerfd_gettime": (287, 87),
    # pipes, sockets and waiting
    "pipe": (22, None), "pipe2": (293, 59), "eventfd": (284, None), "eventfd2": (290, 19),
    "poll": (7, None), "ppoll": (271, 73), "select": (23, None), "pselect6": (270, 72),
    "getsockname": (51, 204), "getpeername": (52, 205), "sendto": (44, 206), "recvfrom": (45, 207),
    "shutdown": (48, 210),
}  # fmt: skip
# Calls of which only some are allowed: their numbers, which argument decides, and the values it may have.
# defence: filter: arguments
SOME: dict[str, tuple[tuple[int, int], int, tuple[int, ...]]] = {
    # Exactly the flags of glibc's threads: no process, no namespace, no table of descriptors of its own.
    "clone": ((56, 220), 0, (0x3D0F00,)),
    # Unix: to ask for another family can make the kernel load a module.
    "socketpair": ((53, 199), 0, (1,)),
    # F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_DUPFD_CLOEXEC, F_GETPIPE_SZ. Others watch
    # whoever opens a file, make them wait, or enlarge a pipe. F_SETLK and F_SETLKW are answered in `program`.
    "fcntl": ((72, 25), 1, (*range(6), 1030, 1032)),
    # No flags: with RWF_NOWAIT it reads what is in memory, and so tells whether it is.
    "preadv2": ((327, 286), 5, (0,)),
    # TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX
    "ioctl": ((16, 29), 1, (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)),
    # PR_SET_NAME, PR_GET_NAME, PR_SET_VMA
    "prctl": ((157, 167), 0, (15, 16, 0x53564D41)),
    # Not MADV_MERGEABLE: the kernel would look through all pages, and time tells who else has the same. Nor
    # MADV_COLD and MADV_PAGEOUT: what files others have in memory is theirs, too.
    "madvise": ((28, 233), 2, (*range(5), *range(8, 12), *range(14, 20), 22, 23, 25, 102, 103)),
}
# What mmap's flags may not have: MAP_LOCKED or MAP_HUGETLB, nor MAP_SHARED with MAP_ANONYMOUS.
MMAP, LOCKED_OR_HUGE, ANONYMOUS, SHARED = (9, 222), 0x42000, 0x20, 0x1
F_SETLK, F_SETLKW = 6, 7
CLONE3 = (435, 435)
LATER = 448  # calls of kernels since 5.15: who tries one looks for ENOSYS, and does without
EPERM, ENOSYS = 1, 38


@functools.cache
def program(machine: str) -> bytes:
    """The filter as BPF: what isn't allowed is refused, and nothing else happens to whoever asks.

    A row is an operation, how many rows to skip if it holds and if not, and its number.

    Raises:
        KeyError: the machine is none of those in `AUDIT_ARCH`.
    """
    column = {"x86_64": 0, "aarch64": 1}[machine]
    load, equal, at_least, bits, answer = 0x20, 0x15, 0x35, 0x45, 0x06
    allow, kill = 0x7FFF0000, 0x80000000

    def errno(number: int) -> int:
        return 0x00050000 | number

    rows = [
        # defence: filter: other machines' numbers
        (load, 0, 0, 4), (equal, 1, 0, AUDIT_ARCH[machine]), (answer, 0, 0, kill),  # others' numbers
        (load, 0, 0, 0),
    ]  # fmt: skip
    for numbers in ALLOWED.values():
        if (call := numbers[column]) is not None:
            rows += [(equal, 0, 1, call), (answer, 0, 0, allow)]
    rows += [
        # SQLite wants locks, and the kernel keeps a note of each, without end. A process's own locks never
        # stand in its way, and no other process writes to what it has: so they are granted, and not made.
        # defence: filter: locks
        (equal, 0, 5, SOME["fcntl"][0][column]), (load, 0, 0, 16 + 8), (equal, 1, 0, F_SETLK),
        (equal, 0, 1, F_SETLKW), (answer, 0, 0, errno(0)), (load, 0, 0, 0),
    ]  # fmt: skip
    for pair, argument, values in SOME.values():
        rows += [
            (equal, 0, len(values) + 3, pair[column]), (load, 0, 0, 16 + 8 * argument),
            *((equal, len(values) - at, 0, value) for at, value in enumerate(values)),
            (answer, 0, 0, errno(EPERM)), (answer, 0, 0, allow),
        ]  # fmt: skip
    rows += [
        # defence: filter: x32 numbers
        (at_least, 0, 1, 0x40000000), (answer, 0, 0, errno(EPERM)),  # the x32 numbers of x86_64
        # glibc falls back from clone3, whose flags a filter can't read, to clone, whose flags it can.
        # defence: filter: clone3
        (equal, 0, 1, CLONE3[column]), (answer, 0, 0, errno(ENOSYS)),
        # defence: filter: mappings
        (equal, 0, 6, MMAP[column]), (load, 0, 0, 16 + 8 * 3), (bits, 2, 0, LOCKED_OR_HUGE),
        (bits, 0, 2, ANONYMOUS), (bits, 0, 1, SHARED), (answer, 0, 0, errno(EPERM)), (answer, 0, 0, allow),
        # defence: filter: later calls
        (at_least, 0, 1, LATER), (answer, 0, 0, errno(ENOSYS)),
        # defence: filter: what isn't named
        (answer, 0, 0, errno(EPERM)),
    ]  # fmt: skip
    return b"".join(struct.pack("HBBI", *row) for row in rows)
