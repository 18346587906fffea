"""Tries to turn its checks into prose, which nothing can fail.

Must earn nothing.
"""

# %% notebook
for cell in notebook.cells:
    if cell.source.startswith("check("):
        cell.cell_type = "markdown"
        cell.pop("outputs", None), cell.pop("execution_count", None)
