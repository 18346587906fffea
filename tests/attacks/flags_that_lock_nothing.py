"""Tries to turn graded cells into ungraded ones, with more points.

Must earn nothing.
"""

# %% notebook
for cell in notebook.cells:
    if "nbgrader" in cell.metadata:
        cell.metadata.nbgrader.update(grade=False, locked=False, solution=True, task=False, points=1000)
