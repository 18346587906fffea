"""Tries to make files without end.

Must leave nothing.
"""

# %% end
import os
n = 0
while True:
    os.mkdir(f"folder{n}")
    n += 1
