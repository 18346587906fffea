"""Tries to take the interpreter down.

Must leave nothing.
"""

# %% end
import ctypes
ctypes.string_at(0)
