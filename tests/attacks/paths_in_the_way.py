"""Tries to hand in paths that stand in the way, that are as long as a path can be, and that no text holds.

Must leave nothing.
"""

# %% folder
import os
(folder / "checks.json").mkdir()
(folder / "checks.json" / "x.txt").write_text("x")
os.symlink("nowhere", folder / os.fsdecode(b"\xfe\x1b[2J.txt"))
deep = str(folder)
while len(deep) < 3900:
    deep += "/" + "deep" * 40
    os.mkdir(deep)
open(f"{deep}/{'x' * (4094 - len(deep))}", "w").close()
