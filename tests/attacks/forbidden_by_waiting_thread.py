"""Tries to have a thread call a forbidden function that was there before the watch.

Must earn nothing.
"""

# %% answer
from concurrent.futures import ThreadPoolExecutor

import torch

theirs, pool = getattr(torch, "soft" + "max"), ThreadPoolExecutor(1)
pool.submit(print, "here").result()


def softmax(x, dim):
    return pool.submit(theirs, x, dim).result()
