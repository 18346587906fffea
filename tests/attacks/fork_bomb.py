"""Tries to fork without end.

Must leave nothing.
"""

# %% end
import os
while True:
    os.fork()
