"""Tries to return an object that equals whatever it is compared with.

Must earn nothing.
"""

# %% answer
class Everything:
    shape, dtype, status = (3, 4), torch.float32, "passed"
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __getattr__(self, name): return self
    def __call__(self, *args, **kwargs): return self
    def __bool__(self): return True
    def __len__(self): return 1
    def __iter__(self): return iter([self])
    def __sub__(self, other): return 0
    def __lt__(self, other): return True
    def __gt__(self, other): return True
    def __float__(self): return 0.0
    __hash__ = object.__hash__
softmax = Everything()

# %% answer attention.find_slip
slip_line = Everything()

# %% answer attention.saturation
def saturation(q, k, scaled):
    return Everything(), Everything()
