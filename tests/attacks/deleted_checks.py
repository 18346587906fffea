"""Tries to leave its checks out.

Must earn nothing.
"""

# %% notebook
notebook.cells = [cell for cell in notebook.cells if not cell.source.startswith("check(")]
