"""Tries to have its checks skipped and passed by default: nbgrader passes a cell that printed nothing.

Must earn nothing.
"""

# %% notebook
for cell in notebook.cells:
    cell.metadata.tags = ["skip-execution", "raises-exception", "remove_cell", "nbgrader-skip"]
