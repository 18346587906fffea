"""Tries to get memory that no limit counts: files without names, shared segments, semaphores, messages.

Must leave nothing.
"""

# %% end
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
libc.shmget.argtypes = (ctypes.c_int, ctypes.c_size_t, ctypes.c_int)
try:
    print("MEMORY of a file", os.memfd_create("more"))
except OSError as error:
    print(type(error).__name__)
for what, number in (("segments", libc.shmget(0, 1 << 30, 0o1600)), ("semaphores", libc.semget(0, 32000, 0o1600)),
                     ("messages", libc.msgget(0, 0o1600))):
    print(f"MEMORY of {what}" if number >= 0 else "refused", number)
