"""Tries to have its checks run before anything is wrong.

Must earn nothing.
"""

# %% notebook
notebook.cells.sort(key=lambda cell: not cell.source.startswith("check("))
