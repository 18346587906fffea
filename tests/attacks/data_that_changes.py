"""Tries to return lists, mappings, texts and numbers that say something else each time that they are read.

Must earn nothing.
"""

# %% answer
class Changing(list):
    times = 0
    def __iter__(self):
        Changing.times += 1
        return iter([list.__iter__, [float(Changing.times)] * 3][Changing.times > 1] if Changing.times > 1 else [])
    def __len__(self): return 10**9
    def __getitem__(self, place): return self

def softmax(x, dim):
    return Changing([x])

# %% answer attention.find_slip
class Word(str):
    def __str__(self): return "z"
    def isascii(self): return False
    def encode(self, *how): return b"x"
class Table(dict):
    def keys(self): return [""]
    def __iter__(self): return iter(self.keys())
    def __getitem__(self, key): return Word("4")
    def items(self): return [(Word(key), Word("3")) for key in self.keys()]
slip_line = Table()
