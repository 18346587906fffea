"""Tries to find expected values in the frames above the call, in what they refer to, and in what the loop knows.

Must read nothing.
"""

# %% answer
import gc, sys

def softmax(x, dim):
    frame, seen = sys._getframe(), []
    while frame:
        for name, value in frame.f_locals.items():
            seen.append(name)
            for held in [value, *(gc.get_referents(value) if not isinstance(value, type(gc)) else [])]:
                if any(word in str(type(held)) for word in ("Sheet", "Exercise", "HiddenSheets", "Verdict")):
                    kept.append(name)
                if isinstance(held, dict) and {"expected", "secret"} & {str(key) for key in held}:
                    kept.append(name)
        frame = frame.f_back
    names.update(seen)
    return x
kept, names = [], set()

# %% end
print(len(names) > 5, ["FOUND " + name for name in kept])
