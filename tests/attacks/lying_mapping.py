"""Tries to answer a choice with a dict that has every option at once.

Must earn nothing.
"""

# %% answer attention.find_slip
class Any(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash("4")
    def __repr__(self): return repr(str.__str__(self))
class Table(dict):
    def __getitem__(self, key): return Any("z")
    def get(self, key, default=None): return Any("z")
    def items(self): return [("", Any("z"))]
slip_line = Table({"": 1})
