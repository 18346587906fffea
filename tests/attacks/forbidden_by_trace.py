"""Tries to call traces of graphs that the compiler has made of softmax before it was watched, in a thread.

Must earn nothing.
"""

# %% answer
import warnings
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from torch._decomp import get_decompositions
from torch.fx.experimental.proxy_tensor import make_fx

pool = ThreadPoolExecutor(1)
theirs = getattr(torch.ops.aten, "_soft" + "max").default
ways = get_decompositions([theirs])


def traced(function, x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that there are newer ways
        return torch.jit.trace(make_fx(function, ways)(x), x)


traces = {
    (n, dim): traced(partial(theirs, dim=dim, half_to_float=False), torch.ones([2] * n))
    for n in (1, 2, 3, 4)
    for dim in range(-n, n)
}


def softmax(x, dim):
    return pool.submit(traces[x.ndim, dim], x).result()
