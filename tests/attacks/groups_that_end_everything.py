"""Tries to leave the call by exceptions that no `except Exception` catches.

Must earn nothing.
"""

# %% answer
calls = []
def softmax(x, dim):
    calls.append(1)
    kinds = [GeneratorExit, lambda: BaseExceptionGroup("x", [KeyboardInterrupt(), SystemExit(0)]), lambda: SystemExit(0)]
    raise kinds[len(calls) % 3]()
