"""Tries to see what its folder and /tmp are mounted over: files of the grader, or of those who came before.

Must read nothing.
"""

# %% end
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for place in (b"/tmp", b"/submission", b"/proc", b"/dev/shm"):
    print([libc.umount2(place, flag) for flag in (0, 2, 8)], os.strerror(ctypes.get_errno()))
    print(libc.mount(place, b"/dev/shm", None, 4096, None), libc.syscall(155, place, place), libc.chroot(place))
for place in ("/tmp/..", "/submission/..", "/tmp/../submission/own", "/submission/tmp", "/submission/../tmp/own"):
    try:
        found = os.listdir(place)
        text = "".join(open(os.path.join(place, name)).read(100) for name in found if os.path.isfile(os.path.join(place, name)))
        print(place, len(found), "FOUND " if "canary" in text else "")
    except OSError as error:
        print(place, type(error).__name__)
