"""Tries to raise what interrupts whoever asks for its text, so that nobody hears of the error.

Must earn nothing.
"""

# %% answer
class Quiet(KeyboardInterrupt):
    def __str__(self):
        raise Quiet
    __repr__ = __str__

class Loud(Exception):
    def __str__(self):
        raise Quiet

def softmax(x, dim):
    raise Loud from Quiet()

# %% end
def ends(kind):
    raise kind
try:
    ends(GeneratorExit)
except GeneratorExit:
    print("caught")
ends(Quiet)
