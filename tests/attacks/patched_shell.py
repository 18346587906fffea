"""Tries to replace the method that runs cells.

Must earn nothing.
"""

# %% answer
def softmax(x, dim):
    return x

from IPython.core.interactiveshell import InteractiveShell
async def nothing(self, *args, **kwargs):
    return False
InteractiveShell.run_ast_nodes = nothing
InteractiveShell.run_cell = lambda self, *args, **kwargs: print("✓ passed")
get_ipython().run_cell = lambda *args, **kwargs: print("✓ passed")
