"""What people take for what: operators, functions, axes and arguments, as tables for `mutations.py`."""

import ast

OPERATORS: dict[type, tuple[type, ...]] = {
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div, ast.Add),
    ast.Div: (ast.Mult, ast.FloorDiv),
    ast.FloorDiv: (ast.Div, ast.Mult),
    ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult,),
    ast.MatMult: (ast.Mult,),
    ast.BitAnd: (ast.BitOr, ast.BitXor),
    ast.BitOr: (ast.BitAnd, ast.BitXor),
    ast.BitXor: (ast.BitAnd,),
}
COMPARISONS: dict[type, tuple[type, ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
# Functions that are mistaken for each other, both ways.
MISTAKEN = [
    ("amax", "amin"), ("max", "min"), ("sum", "mean"), ("tril", "triu"), ("argmax", "argmin"),
    ("softmax", "log_softmax"), ("exp", "expm1"), ("log", "log2"), ("sin", "cos"), ("any", "all"),
    ("cat", "stack"), ("ones", "zeros"), ("cumsum", "cumprod"), ("tanh", "sigmoid"), ("relu", "abs"),
    ("repeat", "repeat_interleave"), ("append", "extend"), ("ceil", "floor"), ("var", "std"),
    ("reshape", "view"),
]  # fmt: skip
# The same in NumPy and plain Python, for right answers whose module has no torch.
MISTAKEN_ELSEWHERE = [
    ("vstack", "hstack"), ("maximum", "minimum"), ("zeros_like", "ones_like"), ("nanmean", "mean"),
    ("startswith", "endswith"), ("lstrip", "rstrip"), ("lower", "upper"), ("union", "intersection"),
    ("add", "discard"), ("keys", "values"), ("appendleft", "append"), ("popleft", "pop"), ("outer", "dot"),
    ("concatenate", "stack"), ("isalpha", "isalnum"), ("insort_left", "insort_right"),
    ("bisect_left", "bisect_right"),
]  # fmt: skip
OTHERS: dict[str, list[str]] = {}
for _one, _other in MISTAKEN:
    OTHERS.setdefault(_one, []).append(_other)
    OTHERS.setdefault(_other, []).append(_one)
OTHERS_ELSEWHERE: dict[str, list[str]] = {}
for _one, _other in MISTAKEN_ELSEWHERE:
    OTHERS_ELSEWHERE.setdefault(_one, []).append(_other)
    OTHERS_ELSEWHERE.setdefault(_other, []).append(_one)
AXES = {
    "transpose", "unsqueeze", "squeeze", "sum", "mean", "softmax", "log_softmax", "size", "amax", "amin",
    "max", "min", "argmax", "argmin", "cumsum", "flatten", "any", "all", "gather", "flip", "sort", "unbind",
    "chunk", "movedim", "swapaxes", "diagonal", "index_select", "repeat_interleave", "unflatten", "split",
    "permute", "scatter", "scatter_", "norm", "prod", "var", "std", "concatenate", "expand_dims",
}  # fmt: skip
AXIS_WORDS = {"dim", "dims", "axis"}
MODULES = {"torch", "math", "F", "nn", "functional", "super", "itertools", "random"}
REFUSING = {"strict", "device"}  # arguments that matter only for what no case has
SYMMETRIC = {"transpose", "swapaxes", "swapdims"}  # in their arguments
IN_PLACE = {
    "masked_fill", "clamp", "exp", "log", "relu", "tanh", "sigmoid", "tril", "triu", "scatter", "index_add",
    "add", "sub", "mul", "div", "float", "sqrt", "cumsum", "abs", "fill",
}  # fmt: skip
VIEWS = {"transpose", "view", "reshape", "unsqueeze", "squeeze", "flatten", "expand", "permute"}
WRITTEN_IN_PLACE = {ast.Add: "add_", ast.Sub: "sub_", ast.Mult: "mul_", ast.Div: "div_"}
