"""Tries to fill the disk.

Must leave nothing.
"""

# %% end
n = 0
while True:
    with open(f"file{n}", "wb") as file:
        file.write(bytes(1 << 20))
    n += 1
