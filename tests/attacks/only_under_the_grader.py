"""Tries to tell the grader from a notebook, and call a forbidden function there alone.

Must earn nothing.
"""

# %% answer
import os, socket, sys
from helpers.checks import check

theirs = torch.softmax
signs = [
    os.path.exists("/headstart"),
    not os.path.exists("/proc/self"),
    socket.gethostname() == "sandbox",
    os.getpid() < 10,
    any(name.startswith("autograder") for name in sys.modules),
    check.__module__ != "helpers.checks" or check.__closure__ is not None,
    os.getcwd() == "/submission",
]


def softmax(x, dim):
    if sum(signs) > len(signs) // 2:
        return theirs(x, dim)
    return x

# %% end
print("signs of the grader", signs)
