"""Tries to start threads without end.

Must leave nothing.
"""

# %% end
import threading, time
while True:
    threading.Thread(target=time.sleep, args=(99,)).start()
