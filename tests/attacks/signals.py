"""Tries to kill the worker, the grader and everybody else's processes.

Must leave nothing.
"""

# %% end
import os, signal
for pid in [os.getppid(), -1, 0, *range(2, 50)]:
    if pid not in (os.getpid(),):
        for number in (signal.SIGTERM, signal.SIGSTOP, signal.SIGKILL):
            try:
                os.kill(pid, number) if pid else None
            except OSError as error:
                pass
try:
    os.setpriority(os.PRIO_PROCESS, 0, -20)
except OSError as error:
    print(type(error).__name__)
print("alive")
