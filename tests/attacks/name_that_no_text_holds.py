"""Tries to stop the grader with a notebook whose name is no text, and which is a link.

Must leave nothing.
"""

# %% folder
import os
(folder / "01_attention.ipynb").unlink()
os.symlink("nowhere", folder / os.fsdecode(b"\xff.ipynb"))
