"""Tries to hold on when it is told to end.

Must leave nothing.
"""

# %% end
import atexit, signal, time
for number in range(1, 32):
    try:
        signal.signal(number, lambda *_: None)
    except (OSError, ValueError):
        pass
class Stubborn:
    def __del__(self):
        time.sleep(600)
stubborn = Stubborn()
atexit.register(time.sleep, 600)
