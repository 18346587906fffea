"""Tries to hand in every cell five times, under the same ids.

Must earn nothing.
"""

# %% notebook
notebook.cells = [cell for cell in notebook.cells for _ in range(5)]
