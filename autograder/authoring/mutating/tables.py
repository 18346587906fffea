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

# How changes are described.
SIGNS: dict[type, str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.Lt: "<", ast.LtE: "<=",
    ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.In: "in", ast.NotIn: "not in",
    ast.Is: "is", ast.IsNot: "is not", ast.And: "and", ast.Or: "or",
}  # fmt: skip
A_STEP = "a function call"
# Functions by what they do: a name could be the solution.
WORDS = {
    word: what
    for what, names in {
        "a sum": "sum", "a mean": "mean", "a softmax": "softmax", "an exponential": "exp",
        "a logarithm": "log", "a square root": "sqrt rsqrt", "a maximum": "max amax maximum",
        "a minimum": "min amin minimum", "a clamp": "clamp clip", "a sine or cosine": "sin cos",
        "a product": "matmul bmm einsum outer prod dot", "a running sum": "cumsum", "a length": "len",
        "a swap of axes": "transpose permute movedim swapaxes",
        "a concatenation": "cat stack concatenate",
        "a change of shape": "view reshape flatten unflatten ravel", "a triangular mask": "tril triu",
        "an `unsqueeze`": "unsqueeze", "a `squeeze`": "squeeze", "a rounding": "ceil floor round",
        "a fill": "masked_fill fill where full full_like", "a range": "range arange",
        "a repeat": "repeat repeat_interleave expand", "a sort": "sort sorted topk argsort",
        "a lookup by index": "gather index_select scatter index_add take", "an `any` or `all`": "all any",
        "an `argmax`": "argmax", "an absolute value": "abs", "a variance": "var std",
        "a change of type": "float double int long bool to str list tuple", "a split": "split chunk unbind",
        "an addition to a list": "append extend insert", "a reversal": "flip reversed", "a `zip`": "zip",
        "an `enumerate`": "enumerate", "a change of case": "lower upper",
        "a size": "size numel dim", "a copy": "clone copy contiguous", "a `detach`": "detach",
        "a tensor of zeros": "zeros zeros_like new_zeros", "a tensor of ones": "ones ones_like",
        "a log-softmax": "log_softmax", "a log of a sum of exponentials": "logsumexp",
        "a norm": "norm vector_norm", "a plain number": "item", "a plain list": "tolist",
        "an identity matrix": "eye", "a square": "square", "a power": "pow", "a one-hot vector": "one_hot",
        "a cross-entropy": "cross_entropy", "a `join`": "join",
        "an activation": "gelu relu silu tanh sigmoid",
        "a conversion to a tensor": "tensor as_tensor", "an `expm1`": "expm1",
        "a linear layer": "Linear linear",
    }.items()
    for word in names.split()
}  # fmt: skip
# What is missing where one side of an operator is, without and with what that side is.
SIDES: dict[type, tuple[str, str, str]] = {
    ast.Add: ("one term of a sum is missing", "a term is missing from a sum: {}", "one"),
    ast.Mult: ("a factor is missing", "a factor is missing: {}", "one"),
    ast.BitAnd: ("one of two conditions is missing", "a condition is missing: {}", "one"),
    ast.BitOr: ("one of two conditions is missing", "a condition is missing: {}", "one"),
    ast.Sub: ("nothing is subtracted", "{} isn't subtracted", "term"),
    ast.Div: ("a division is missing", "the division by {} is missing", "divisor"),
    ast.FloorDiv: ("a division is missing", "the division by {} is missing", "divisor"),
    ast.Pow: ("an exponent is missing", "the exponent, {}, is missing", "one"),
    ast.MatMult: ("a matrix product is missing: only its left side is there",
                  "the matrix product with {} is missing", "matrix"),
    ast.Mod: ("no remainder is taken", "no remainder is taken", "one"),
}  # fmt: skip
# The same where the left side is missing, and the right one can't do without it.
BEFORE: dict[type, tuple[str, str]] = {
    ast.Sub: (
        "only what should be subtracted is there",
        "{} should be subtracted from something, and stands alone",
    ),
    ast.Div: ("a numerator is missing: only the divisor is there", "the numerator above {} is missing"),
    ast.FloorDiv: ("a numerator is missing: only the divisor is there", "the numerator above {} is missing"),
    ast.Pow: (
        "the base of a power is missing: only its exponent is there",
        "the base of the power {} is missing",
    ),
    ast.MatMult: (
        "a matrix product is missing: only its right side is there",
        "the matrix product is missing: only {} is there",
    ),
    ast.Mod: ("only the divisor of a `%` is there", "only the divisor of a `%` is there: {}"),
}
