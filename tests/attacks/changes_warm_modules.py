"""Tries to change modules that the worker has imported for everybody.

Must leave nothing.
"""

# %% end
import builtins, torch, helpers.checks, helpers.checking.calling.drivers
torch.softmax = torch.exp = None
helpers.checking.calling.drivers.DRIVERS.clear()
builtins.print = builtins.len = None
