"""Tries to fill disk and memory with characters that take twelve bytes in a file.

Must leave nothing.
"""

# %% notebook
show = "display({'text/plain': '😀' * 2_600_000}, raw=True)"
notebook.cells += [nbformat.v4.new_code_cell(show) for _ in range(24)]
