"""Tries to fill the grader's memory and the disk with what many cells display.

Must leave nothing.
"""

# %% notebook
show = "display({'text/plain': 'x' * 3_900_000}, raw=True)"
notebook.cells += [nbformat.v4.new_code_cell(show) for _ in range(60)]
