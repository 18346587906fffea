"""Tries to interpret graphs that the compiler has made of softmax before it was watched, in a thread.

Must earn nothing.
"""

# %% answer
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from torch._decomp import get_decompositions
from torch.fx import Interpreter
from torch.fx.experimental.proxy_tensor import make_fx

pool = ThreadPoolExecutor(1)
theirs = getattr(torch.ops.aten, "_soft" + "max").default
ways = get_decompositions([theirs])
graphs = {
    (n, dim): make_fx(partial(theirs, dim=dim, half_to_float=False), ways)(torch.ones([2] * n))
    for n in (1, 2, 3, 4)
    for dim in range(-n, n)
}


def softmax(x, dim):
    return pool.submit(Interpreter(graphs[x.ndim, dim]).run, x).result()
