"""Tries to loop without end and swallow interrupts.

Must leave nothing.
"""

# %% end
import signal
signal.signal(signal.SIGINT, signal.SIG_IGN)
while True:
    try:
        while True:
            pass
    except BaseException:
        pass
