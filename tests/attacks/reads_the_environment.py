"""Tries to read the grader's environment and command line.

Must read nothing.
"""

# %% end
import glob, os
print(dict(os.environ))
for path in ["/proc/self/environ", "/proc/1/environ", f"/proc/{os.getppid()}/environ", *glob.glob("/proc/*/cmdline")]:
    try:
        print(open(path, "rb").read())
    except OSError as error:
        print(path, type(error).__name__)
