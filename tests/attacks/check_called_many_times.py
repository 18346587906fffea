"""Tries to earn the same points again and again.

Must earn nothing but {"attention.find_slip": 1}.
"""

# %% answer attention.find_slip
slip_line = 4
for _ in range(100):
    check("attention.find_slip", slip_line)

# %% end
for _ in range(100):
    check("attention.find_slip", 4)
