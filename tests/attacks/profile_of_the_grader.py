"""Tries to change, by a profiling hook, what the grader's own functions hold while they run.

Must earn nothing.
"""

# %% answer
import ctypes, sys, threading

def hook(frame, event, arg):
    if frame.f_code.co_name in ("_outcomes", "run", "call_function", "converse", "to_json", "_settled") and event == "return":
        for name, value in list(frame.f_locals.items()):
            if name in ("outcome", "outputs") and hasattr(value, "__dict__"):
                for key in ("status", "error", "message"):
                    object.__setattr__(value, key, {"status": "passed"}.get(key, ""))
        ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), ctypes.c_int(0))
    return hook

def softmax(x, dim):
    sys.setprofile(hook)
    threading.setprofile(hook)
    return x
