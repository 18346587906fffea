"""Tries to print without end.

Must leave nothing.
"""

# %% end
while True:
    print("x" * 100_000)
