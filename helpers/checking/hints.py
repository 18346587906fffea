"""What an exception inside a student's function usually comes from."""

import re

UNKNOWN = "Your code stopped with this exception before it returned anything."

# Texts of Python's and torch's exceptions, and what leads to them in this course. The first that fits counts.
HINTS: tuple[tuple[str, str], ...] = (
    (
        r"must match the size of tensor|not broadcastable|doesn't match the broadcast shape|shape mismatch",
        "Two shapes don't fit, axis by axis from the right: often a keepdim=True or an unsqueeze is missing.",
    ),
    (
        r"shapes cannot be multiplied|first two dimensions of batch2|size mismatch|vec \(",
        "In a @ b the last axis of a must be as long as b's last but one: is a .transpose(-2, -1) missing?",
    ),
    (
        r"number of subscripts in the equation|einsum\(\)",
        "In einsum each letter is one axis; `...` stands for any number of axes in front.",
    ),
    (
        r"batch[12] must be a 3D|must be a matrix|1D tensors expected|Expected 1-D|only supported on matrices"
        r"|`x\.T`",
        "This function takes a fixed number of axes; @ and .transpose(-2, -1) work with any number in front.",
    ),
    (
        r"values to unpack",
        "The number of axes differs from case to case: take sizes from the end, like x.size(-1).",
    ),
    (
        r"Dimension out of range|too many indices|tuple index out of range",
        "The tensor has fewer axes than that: count from the end, like dim=-1, to allow any number in front.",
    ),
    (
        r"index \S+ is out of (bounds|range)|index out of range",
        "An index is beyond the end of its axis: is it the axis that you mean?",
    ),
    (
        r"not implemented for '(Bool|Long|Int)'",
        "This step needs floats: turn booleans or integers into floats first, with .float().",
    ),
    (
        r"bool tensor is not supported|with a bool tensor",
        "To invert a boolean mask, write ~mask.",
    ),
    (
        r"Boolean value of Tensor with more than one",
        "A tensor of several numbers is neither true nor false: write `if mask is not None`.",
    ),
    (
        r"return_types\.(max|min|median|sort|topk)",
        "With dim=, x.max returns two things, values and indices: take its .values, or use x.amax.",
    ),
    (
        r"'NoneType'",
        "Something is None here: a mask that wasn't given, or the result of a function without `return`.",
    ),
    (
        r"same dtype|expected scalar type|must have the same",
        "Two dtypes meet: a new tensor was made without dtype=x.dtype, or one was cast with .float().",
    ),
    (
        r"must be Tensor, not|can be converted to Python scalar|cannot be converted to Scalar",
        "A torch function takes tensors and a math function takes plain numbers: the two are mixed up here.",
    ),
    (
        r"view size is not compatible",
        ".view needs the numbers in order in memory; .reshape doesn't.",
    ),
    (
        r"name '.*' is not defined|cannot access local variable",
        "A name has no value here: a typo, a cell above that wasn't run, or an `if` that wasn't taken.",
    ),
    (
        r"positional argument|unexpected keyword argument|multiple values for argument",
        "A function is called with arguments that it doesn't take: compare the call with its `def` line.",
    ),
    (
        r"Sizes of tensors must match except in dimension",
        "torch.cat joins along one axis, and all others must match: dim=-2 is the axis of the positions.",
    ),
    (
        r"maximum recursion depth",
        "A function calls itself endlessly: does it have the name of the one that you meant to call?",
    ),
)


def explain(message: str) -> str:
    """What an exception with this text usually means."""
    return next((hint for pattern, hint in HINTS if re.search(pattern, message)), UNKNOWN)
