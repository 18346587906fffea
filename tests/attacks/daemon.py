"""Tries to leave a process that goes on after grading.

Must leave nothing.
"""

# %% end
import ctypes, os, subprocess, threading, time
try:
    if os.fork() == 0:
        os.setsid()
        while True:
            time.sleep(1)
except OSError as error:
    print(type(error).__name__)
for run in (lambda: os.posix_spawn("/usr/bin/sleep", ["sleep", "977"], {}), lambda: subprocess.Popen(["sleep", "977"]),
            lambda: os.system("sleep 977 &"), lambda: ctypes.CDLL(None).vfork()):
    try:
        print("started", run())
    except OSError as error:
        print(type(error).__name__)
threading.Thread(target=time.sleep, args=(977,), daemon=False).start()
