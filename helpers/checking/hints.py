"""What an exception inside a student's function usually comes from, by its text and the line of code."""

import re

UNKNOWN = "Your code stopped with this exception before it returned anything."

# Texts of Python's and torch's exceptions, parts of the line that raised them, and what leads to both. The
# first that fits counts; those further down go by the text alone.
HINTS_OF_LINES: tuple[tuple[str, str, str], ...] = (
    (
        r"Boolean value of Tensor with more than one",
        r"\b(or|and|not)\b",
        "`or`, `and` and `not` take one truth value, and a tensor has many: write `|`, `&` and `~` between "
        "tensors, and `if x is None` for what may be missing.",
    ),
    (
        r"Boolean value of Tensor with more than one",
        r"[=!<>]=|[<>]",
        "Comparing a tensor gives many booleans, one for each number, and `if` takes just one: choose number "
        "by number, with torch.where or masked_fill, or ask .any() or .all().",
    ),
    (
        r"must match the size|not broadcastable|shapes cannot be multiplied|first two dimensions of batch",
        r"\.T\b|\.t\(\)|(transpose|swapaxes)\((\w+, )?[012], ?[012]\)",
        "With more than two axes this doesn't swap the last two: .transpose(-2, -1) counts from the end.",
    ),
    (
        r"must match the size of tensor|not broadcastable|shape mismatch|Sizes of tensors must match",
        r"repeat_interleave|\.repeat\(|\.expand\(|\.tile\(",
        "Two shapes don't fit after copying: are the copies made along the axis that you mean? Count it from "
        "the end.",
    ),
    (
        r"must match the size of tensor|not broadcastable|shape mismatch",
        r"arange|\.range\(|linspace",
        "Two shapes don't fit, axis by axis from the right: does the range have one number for each place, "
        "and does an unsqueeze or [:, None] make it a column where one is meant?",
    ),
    (
        r"tuple of ints.*float|'float' object cannot be interpreted|indices must be integers|got float",
        r"/",
        "A size or an index has to be an integer, and `/` always gives a float: write `//`.",
    ),
)

# The same by the text alone.
HINTS: tuple[tuple[str, str], ...] = (
    (
        r"queries have \d+ features but keys have|there are \d+ keys but \d+ values",
        "Attention was given queries, keys and values that don't fit each other: which matrix makes each of "
        "them, and in which order does the function take them?",
    ),
    (
        r"expected Tensor as element \d+",
        "torch.cat and torch.stack take tensors, and the list holds something else, such as plain numbers: "
        "torch.tensor turns those into a tensor.",
    ),
    (
        r"'tensors' \(position 1\) must be tuple of Tensors",
        "Tensors to be joined go into one list: torch.cat([a, b], dim=...).",
    ),
    (
        r"(tuple|list) indices must be integers or slices, not tuple",
        "This is a list or a tuple, which takes one index at a time: did you mean a tensor, or one part of "
        "what a function returned?",
    ),
    (
        r"invalid for input of size",
        "The new shape has room for more or fewer numbers than there are: multiply out both shapes, and see "
        "which axes are split or joined.",
    ),
    (
        r"permute\(.*number of dimensions|number of dimensions in the tensor input",
        ".permute names each axis once, and this tensor has more or fewer of them: to swap the last two, use "
        ".transpose(-2, -1).",
    ),
    (
        r"index tensor of type LongTensor|scalar types: Long|Expected dtype int\S* for index"
        r"|tensors used as indices must be|applicable to index tensor",
        "A tensor used as an index holds whole numbers, of dtype torch.long, and this one has another dtype: "
        "are the arguments in the right order?",
    ),
    (
        r"could not infer output dtype|Input dtype must be either a floating point",
        "A mean needs floats: turn the integers or booleans into floats first, with .float().",
    ),
    (
        r"only implemented on integer and Boolean|bitwise_\w+.*not implemented for '(Float|Double|Half)",
        "`~`, `&` and `|` are for booleans, and this is a tensor of floats: turn it into a mask first, with "
        "a comparison such as `mask > 0` or with .bool().",
    ),
    (
        r"leaf Variable that requires grad|modified by an inplace operation",
        "A tensor that needs a gradient is changed in place: make a new one, as in `x = x + 1` for `x += 1`.",
    ),
    (
        r"Can't call numpy\(\) on Tensor that requires grad",
        "numpy knows no gradients: use torch's function of the same name, such as torch.exp for np.exp.",
    ),
    (
        r"not compiled with CUDA|No CUDA GPUs|Found no NVIDIA|Expected all tensors to be on the same device",
        "There may be no GPU where this runs: make new tensors where the inputs are, with device=x.device.",
    ),
    (
        r"(masked_fill\w*|where)\(\) received .* got \(bool, ",
        "`mask == None` gives one truth value, not one for each number: to ask whether there is a mask, "
        "write `if mask is not None`, and pass on the mask itself.",
    ),
    (
        r"'(builtin_function_or_method|method)' object is not subscriptable",
        "A method is missing its brackets: .size(0) asks for a size, and so does .shape[0].",
    ),
    (
        r"'torch.Size' object is not callable",
        ".shape is a value and takes square brackets, .shape[0]; .size(0) takes round ones.",
    ),
    (
        r"'(list|tuple)' object has no attribute",
        "A list or a tuple doesn't have a tensor's methods: turn it into one with torch.stack or "
        "torch.tensor, or take the part that you mean.",
    ),
    (
        r"iteration over a 0-d tensor|'(int|float|bool)' (object is not iterable|has no len)"
        r"|non-iterable (int|float|bool)\b"
        r"|object of type '(int|float|bool)' has no len",
        "This is a single number, so it can't be looped over, counted or unpacked.",
    ),
    (
        r"math domain error|division by zero",
        "A number is 0 or negative where the formula doesn't allow it: does the exercise's text name that "
        "case?",
    ),
    (
        r"expected sequence of length",
        "torch.tensor needs rows of one length: pad the shorter ones first.",
    ),
    (
        r"contains either `inf`, `nan` or element < 0",
        "These aren't probabilities: some are negative or NaN, as logits or logarithms can be.",
    ),
    (
        r"Expected target size",
        "cross_entropy wants the classes on the second axis: flatten the positions of logits and targets "
        "alike, or transpose the logits.",
    ),
    (
        r"can't multiply sequence|can only concatenate"
        r"|unsupported operand type\(s\) for (?!.*NoneType).*'(list|tuple)'",
        "Lists, tuples and strings don't do arithmetic like tensors: make a tensor with torch.tensor first.",
    ),
    (
        r"must match the size of tensor|not broadcastable|doesn't match the broadcast shape|shape mismatch",
        "Two shapes don't fit, axis by axis from the right: often a keepdim=True or an unsqueeze is missing.",
    ),
    (
        r"unsupported operand type\(s\) for [@*]: .*'(Linear|Embedding|LayerNorm|ModuleList|Sequential)'",
        "That is a layer, not a matrix: call it, as in `self.W_q(x)`; its numbers are in `.weight`.",
    ),
    (
        r"tuple of ints.*float|'float' object cannot be interpreted|indices must be .*float|got float",
        "A size or an index has to be an integer, and this is a float: `/` always gives a float, `//` "
        "doesn't.",
    ),
    (
        r"index -\d+ is out of bounds|Target -\d+ is out of bounds",
        "A negative label is used as an index: −100 marks what isn't asked for. Leave those places out, or "
        "put a valid index there and mask the result.",
    ),
    (
        r"only supports boolean masks|expected predicate to be bool|`mask` must be bool",
        "A mask has to be boolean: make one with a comparison, such as `mask == 0`, or with .bool().",
    ),
    (
        r"must have the same dtype, but got .*(Long|Int|Bool)|not implemented for '(Bool|Long|Int)'",
        "This step needs floats: turn booleans or integers into floats first, with .float().",
    ),
    (
        r"'(Tensor|int|float|list|dict)' object is not callable",
        "What stands before the brackets isn't a function: did a value get a function's name, or is a `*` "
        "missing?",
    ),
    (
        r"cannot assign (module|parameters?) before Module",
        "`super().__init__()` has to be the first line of `__init__`.",
    ),
    (
        r"equal size, but got|Sizes of tensors must match",
        "Tensors that are joined must have the same size on every axis except the one along which torch.cat "
        "joins.",
    ),
    (
        r"expanded size of the tensor",
        "Only an axis of size 1 can be expanded: is an unsqueeze missing, or did you mean another axis?",
    ),
    (
        r"shapes cannot be multiplied|first two dimensions of batch2|size mismatch|vec \(",
        "In a @ b the last axis of a must be as long as the second-to-last of b: is a .transpose(-2, -1) "
        "missing?",
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
        r"bool tensor is not supported|with a bool tensor",
        "To invert a boolean mask, write ~mask.",
    ),
    (
        r"Boolean value of Tensor with more than one",
        "A tensor of several numbers is neither true nor false: write `if mask is not None` for what may be "
        "missing, and torch.where to choose number by number.",
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
    (
        r"'(float|int)' object has no attribute",
        "A plain number doesn't have a tensor's methods: use the math module, or turn it into a tensor.",
    ),
    (
        r"object has no attribute",
        "There is nothing of that name: a typo, a value of another type than you think, or a part that "
        "`__init__` doesn't make.",
    ),
    (
        r"No module named",
        "That package isn't there: the course's own packages are all that a check and grading have.",
    ),
)


def explain(message: str, line: str = "") -> str:
    """What an exception with this text, raised in this line, usually means."""
    for pattern, of_line, hint in HINTS_OF_LINES:
        if re.search(pattern, message) and re.search(of_line, line):
            return hint
    return next((hint for pattern, hint in HINTS if re.search(pattern, message)), UNKNOWN)
