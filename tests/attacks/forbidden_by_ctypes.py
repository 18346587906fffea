"""Tries to reach the forbidden function through ctypes, past all attributes that are watched.

Must earn nothing.
"""

# %% answer
import ctypes, gc
def softmax(x, dim):
    get = ctypes.pythonapi.PyObject_GetAttrString
    get.restype, get.argtypes = ctypes.py_object, [ctypes.py_object, ctypes.c_char_p]
    return get(torch._C._VariableFunctions, b"soft" + b"max")(x, dim)
