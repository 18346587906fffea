"""Tries to hand in pipes, which block who reads them, and very deep folders.

Must leave nothing.
"""

# %% folder
import os
os.mkfifo(folder / "pipe.txt")
os.mkfifo(folder / "timestamp.fifo")
try:
    os.mknod(folder / "zero.txt", 0o666 | 0o020000, os.makedev(1, 5))
except PermissionError:
    pass  # not for everybody
deep = folder
for _ in range(60):
    deep = deep / "deep"
    deep.mkdir()
(deep / "file.txt").write_text("x")
(folder / "..hidden").write_text("x")
(folder / "new\nline.txt").write_text("x")
