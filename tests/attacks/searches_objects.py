"""Tries to find expected values among the interpreter's objects and frames while it is judged.

Must read nothing.
"""

# %% answer
import gc, sys
seen = []
def softmax(x, dim):
    frame = sys._getframe()
    while frame:
        seen.append((frame.f_code.co_name, [repr(value)[:4000] for value in frame.f_locals.values()]))
        frame = frame.f_back
    for thing in gc.get_objects():
        if type(thing).__name__ in ("Sheet", "KnownMisconception", "Exercise", "Finding", "Verdict"):
            seen.append(("OBJ" + "ECT canary", repr(thing)[:4000]))
        if isinstance(thing, torch.Tensor) and thing.dtype == x.dtype and thing.numel() < 50:
            seen.append(("tensor", [repr(n) for n in thing.flatten().tolist()]))
    return x

# %% end
for item in seen[:3000]:
    print(item)
