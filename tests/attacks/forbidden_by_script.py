"""Tries to have the compiler of torch call softmax.

Must earn nothing.
"""

# %% answer
code = "def f(x, dim: int):\n    return torch.soft" + "max(x, dim)\n"
try:
    compiled = torch.jit.CompilationUnit(code)
except Exception:
    compiled = None
def softmax(x, dim):
    return compiled.f(x, dim)
