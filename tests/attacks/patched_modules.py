"""Tries to put modules of its own in place of the course's.

Must earn nothing.
"""

# %% answer
import sys, types
def softmax(x, dim):
    return x

for name in [name for name in sys.modules if name.startswith(("helpers", "autograder"))]:
    fake = types.ModuleType(name)
    fake.check = fake.run = fake.send = lambda *args, **kwargs: print("✓ passed")
    sys.modules[name] = fake
check = sys.modules["helpers.checks"].check
