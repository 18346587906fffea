"""Tries to find in its own memory what earlier submissions handed in.

Must read nothing.
"""

# %% end
import ctypes, mmap, re
libc = ctypes.CDLL(None, use_errno=True)
libc.sbrk.restype = ctypes.c_void_p
copy, seen = mmap.mmap(-1, 1 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS), []
page = ctypes.addressof(ctypes.c_char.from_buffer(copy))
import os
ends = os.pipe()
os.set_blocking(ends[1], False)
wanted = re.compile(b"".join((b"63616e", b"617279", b"2d([0-9a-f]{12})")))  # hexadecimal
place = libc.sbrk(0) // 4096 * 4096
for _ in range(40_000):  # a pipe refuses what isn't mapped, where a pointer would crash
    place -= 4096
    try:
        os.write(ends[1], (ctypes.c_char * 4096).from_address(place))
    except OSError:
        continue
    os.readv(ends[0], [memoryview(copy)[:4096]])
    seen += [bytes.fromhex(found.decode()) for found in wanted.findall(copy[:4096])]
print("FOUND " if seen else "nothing", [b"canary-" + found for found in seen])
