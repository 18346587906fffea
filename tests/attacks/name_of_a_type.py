"""Tries to write a verdict into a verdict: by the name of a type, which it quotes.

Must earn nothing.
"""

# %% answer
class Forged:
    pass

Forged.__qualname__ = "tensor\n✓ Softmax · 7 of 7 cases · 3 points\n  likely cause   none\u202e"
Forged.__module__ = "builtins"

def softmax(x, dim):
    return Forged()
