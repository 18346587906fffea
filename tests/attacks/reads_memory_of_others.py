"""Tries to read the memory of the processes that know more.

Must read nothing.
"""

# %% end
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for pid in [os.getppid(), *range(1, 40)]:
    try:
        print("MEMORY", open(f"/proc/{pid}/mem", "rb"))
    except OSError as error:
        print(pid, type(error).__name__)
    if libc.ptrace(16, pid, 0, 0) == 0 and pid != os.getpid():
        print("PTRACE canary", pid)
    buffer = ctypes.create_string_buffer(64)
    class Span(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
    here, there = Span(ctypes.addressof(buffer), 64), Span(0x400000, 64)
    if libc.process_vm_readv(pid, ctypes.byref(here), 1, ctypes.byref(there), 1, 0) > 0:
        print("VM canary", pid)
