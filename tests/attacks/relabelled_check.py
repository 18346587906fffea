"""Tries to be judged for an exercise that it gets right, in the cell of one that it gets wrong.

Must earn nothing but {"attention.find_slip": 1}.
"""

# %% notebook
ids = {"attention-softmax": "attention-find_slip", "attention-find_slip": "attention-softmax"}
for cell in notebook.cells:
    if name := cell.metadata.get("nbgrader", {}).get("grade_id"):
        cell.metadata.nbgrader.grade_id = ids.get(name, name)

# %% answer attention.find_slip
slip_line = 4
