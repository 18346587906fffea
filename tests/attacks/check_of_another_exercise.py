"""Tries to pass one exercise's check with another's answer, by editing the check.

Must earn nothing but {"attention.find_slip": 1}.
"""

# %% answer attention.find_slip
slip_line = 4

# %% notebook
for cell in notebook.cells:
    if cell.source.startswith("check("):
        cell.source = 'check("attention.find_slip", 4)'
