"""Tries to be worth more: points in the cell's metadata.

Must earn nothing.
"""

# %% notebook
for cell in notebook.cells:
    if "points" in cell.metadata.get("nbgrader", {}):
        cell.metadata.nbgrader.points = 1000
    cell.metadata.headstart = {"kind": "check", "id": "attention.softmax", "points": 1000, "status": "passed"}
