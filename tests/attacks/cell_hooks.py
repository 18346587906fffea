"""Tries to run before and after each cell, and to put itself in place of what is checked.

Must earn nothing.
"""

# %% answer
def softmax(x, dim):
    return x

def before(*_):
    user = get_ipython().user_ns
    user["check"] = lambda *args: print("✓ passed")
for event in ("pre_run_cell", "pre_execute", "post_execute", "post_run_cell"):
    get_ipython().events.register(event, before)
