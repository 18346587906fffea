"""Tries to return numbers that equal every number.

Must earn nothing.
"""

# %% answer attention.saturation
class Any(float):
    def __eq__(self, other): return True
    def __sub__(self, other): return 0.0
    def __rsub__(self, other): return 0.0
    def __float__(self): return float("nan")
    def __lt__(self, other): return True
    def __repr__(self): return "64.0"
def saturation(q, k, scaled):
    return Any(1), Any(1)

# %% answer attention.find_slip
class Line(int):
    def __eq__(self, other): return True
    __hash__ = int.__hash__
slip_line = Line(1)
