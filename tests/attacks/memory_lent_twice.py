"""Tries to return memory that something else goes on writing to: by DLPack, NumPy and a thread.

Must earn nothing.
"""

# %% answer
import threading

import numpy as np
from torch.utils.dlpack import from_dlpack, to_dlpack


def softmax(x, dim):
    own = np.ascontiguousarray(x.detach().double().numpy())
    lent = from_dlpack(to_dlpack(torch.from_numpy(own)))

    def write():
        while True:
            own[...] = np.random.rand(*own.shape)
            own /= own.sum(axis=dim, keepdims=True)

    threading.Thread(target=write, daemon=True).start()
    return lent
