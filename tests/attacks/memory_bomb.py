"""Tries to take all memory there is.

Must leave nothing.
"""

# %% end
hog = []
while True:
    hog.append(torch.ones(50_000_000))
