"""Tries to stop the batch with a time that can't be read, in a file of nbgrader's.

Must leave nothing.
"""

# %% folder
(folder / "timestamp.txt").write_text("2024-01-01 00:00:00 " + "a" * 900)
