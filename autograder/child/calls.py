"""The system calls that student code may make: those that notebooks were seen to need, and their kin.

Files, memory, threads, signals, sockets and clocks; not processes, programs, namespaces or mounts, and
nothing that is bounded for the whole machine alone, such as queues of asynchronous input and output, watches
of files, or messages. Nor may it choose on which cores it runs.
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
    "close_range": (436, 436), "creat": (85, None), "stat": (4, None), "fstat": (5, 80),
    "lstat": (6, None), "newfstatat": (262, 79), "statx": (332, 291), "lseek": (8, 62),
    "pread64": (17, 67), "pwrite64": (18, 68), "readv": (19, 65), "writev": (20, 66),
    "preadv": (295, 69), "pwritev": (296, 70), "preadv2": (327, 286), "pwritev2": (328, 287),
    "access": (21, None), "faccessat": (269, 48), "faccessat2": (439, 439), "dup": (32, 23),
    "dup2": (33, None), "dup3": (292, 24), "ioctl": (16, 29), "flock": (73, 32),
    "fsync": (74, 82), "fdatasync": (75, 83), "truncate": (76, 45), "ftruncate": (77, 46),
    "fallocate": (285, 47), "fadvise64": (221, 223), "getdents": (78, None), "getdents64": (217, 61),
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
    "mmap": (9, 222), "munmap": (11, 215), "mprotect": (10, 226), "mremap": (25, 216),
    "msync": (26, 227), "mincore": (27, 232), "madvise": (28, 233), "brk": (12, 214),
    "get_mempolicy": (239, 236), "membarrier": (324, 283),
    # threads, and what a process asks about itself
    "futex": (202, 98), "set_robust_list": (273, 99), "get_robust_list": (274, 100),
    "set_tid_address": (218, 96), "rseq": (334, 293), "sched_yield": (24, 124),
    "sched_getaffinity": (204, 123), "sched_getparam": (143, 121), "sched_getscheduler": (145, 120),
    "sched_get_priority_max": (146, 125), "sched_get_priority_min": (147, 126), "exit": (60, 93),
    "exit_group": (231, 94), "restart_syscall": (219, 128), "wait4": (61, 260), "waitid": (247, 95),
    "prctl": (157, 167), "arch_prctl": (158, None), "getpid": (39, 172), "gettid": (186, 178),
    "getppid": (110, 173), "getpgrp": (111, None), "getpgid": (121, 155), "getsid": (124, 156),
    "getuid": (102, 174), "geteuid": (107, 175), "getgid": (104, 176), "getegid": (108, 177),
    "getgroups": (115, 158), "getresuid": (118, 148), "getresgid": (120, 150), "capget": (125, 90),
    "uname": (63, 160), "sysinfo": (99, 179), "getrusage": (98, 165), "times": (100, 153),
    "getcpu": (309, 168), "getrlimit": (97, 163), "setrlimit": (160, 164), "prlimit64": (302, 261),
    "getpriority": (140, 141), "setpriority": (141, 140), "getrandom": (318, 278),
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
    "epoll_create": (213, None), "epoll_create1": (291, 20), "epoll_ctl": (233, 21),
    "epoll_wait": (232, None), "epoll_pwait": (281, 22), "epoll_pwait2": (441, 441),
    "socketpair": (53, 199), "bind": (49, 200), "listen": (50, 201), "accept": (43, 202),
    "accept4": (288, 242), "connect": (42, 203), "getsockname": (51, 204), "getpeername": (52, 205),
    "sendto": (44, 206), "recvfrom": (45, 207), "sendmsg": (46, 211), "recvmsg": (47, 212),
    "sendmmsg": (307, 269), "recvmmsg": (299, 243), "shutdown": (48, 210), "getsockopt": (55, 209),
    "setsockopt": (54, 208),
}  # fmt: skip
CLONE, CLONE3, CLONE_THREAD = (56, 220), (435, 435), 0x10000
SOCKET, FAMILIES = (41, 198), (1, 2, 10)  # Unix, IPv4, IPv6: the others may lead out of a network namespace
# F_SETLEASE makes whoever else opens a file wait, F_NOTIFY watches who does, and F_SETPIPE_SZ takes of what
# all pipes of a user have together.
# defence: filter: leases, watches and sizes of pipes
FCNTL, REFUSED = (72, 25), (1024, 1026, 1031)
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
    unix, ipv4, ipv6 = FAMILIES
    lease, notify, pipe = REFUSED
    rows += [
        # defence: filter: x32 numbers
        (at_least, 0, 1, 0x40000000), (answer, 0, 0, errno(EPERM)),  # the x32 numbers of x86_64
        # glibc falls back from clone3, whose flags a filter can't read, to clone, whose flags it can.
        # defence: filter: clone3
        (equal, 0, 1, CLONE3[column]), (answer, 0, 0, errno(ENOSYS)),
        # defence: filter: clone
        (equal, 0, 4, CLONE[column]), (load, 0, 0, 16), (bits, 1, 0, CLONE_THREAD),
        (answer, 0, 0, errno(EPERM)), (answer, 0, 0, allow),
        # defence: filter: sockets
        (equal, 0, 6, SOCKET[column]), (load, 0, 0, 16),
        (equal, 2, 0, unix), (equal, 1, 0, ipv4), (equal, 0, 1, ipv6),
        (answer, 0, 0, allow), (answer, 0, 0, errno(EPERM)),
        (equal, 0, 6, FCNTL[column]), (load, 0, 0, 24),
        (equal, 2, 0, lease), (equal, 1, 0, notify), (equal, 0, 1, pipe),
        (answer, 0, 0, errno(EPERM)), (answer, 0, 0, allow),
        # defence: filter: later calls
        (at_least, 0, 1, LATER), (answer, 0, 0, errno(ENOSYS)),
        # defence: filter: what isn't named
        (answer, 0, 0, errno(EPERM)),
    ]  # fmt: skip
    return b"".join(struct.pack("HBBI", *row) for row in rows)
