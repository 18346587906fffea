"""What an exception inside a student's function usually comes from, by its text and the line of code."""

import re

from helpers.checking.explaining.hints_elsewhere import HINTS_OF_ARRAYS, HINTS_OF_PYTHON
from helpers.checking.explaining.hints_of_lines import HINTS_OF_LINES
from helpers.checking.kinds.arrays import torch_is_there

# What only torch has, or calls so.
OF_TENSORS = re.compile(
    r"[Tt]ensor|torch|unsqueeze|masked_fill|\.(item|float|bool|long|clone|detach|size)\(|\bdim=|keepdim=|layer|Module"
)
UNKNOWN = "Your code stopped with this exception before it returned anything."

# Texts of exceptions, and what leads to them, whatever the line. The first that fits counts.
HINTS: tuple[tuple[str, str], ...] = (
    (
        r"unhashable type",
        "A list or a dict can't be a key, nor in a set: make a tuple(...) or a text of it.",
    ),
    (
        r"substring not found|is not in list|x not in list|not in deque",
        "What is looked for isn't there: ask with `in` first.",
    ),
    (
        r"(list|string) index out of range|pop from empty list",
        "A list or a text is shorter than that: a loop that looks at place i + 1 has to end one place "
        "earlier, and some lists may be empty.",
    ),
    (
        r"non-iterable NoneType|'NoneType' object is not iterable|iterable, not NoneType",
        "This is None, which can't be unpacked or gone through: is it an argument that may be missing, or "
        "the result of a function without `return`?",
    ),
    (
        r"Tensors must have same number of dimensions",
        "torch.cat joins tensors with as many axes as each other: unsqueeze(-1) or [:, None] makes a column "
        "of a vector.",
    ),
    (
        r"boundaries tensor",
        "torch.searchsorted takes a row of numbers for each row of ends: give them an axis with "
        "[..., None], and take it away from the result with .squeeze(-1).",
    ),
    (
        r"bincount only supports",
        "torch.bincount takes one row of whole numbers from 0 on: is there a −100 or another negative number "
        "among them, or more than one axis?",
    ),
    (
        r"'bool' object is not callable",
        "That is True or False, no function: to set it, write =, as in p.requires_grad = False, or call the "
        "method whose name ends in an underscore.",
    ),
    (
        r"'generator' object",
        "This gives one thing after another, as .parameters() does: go through it in a loop, or make a list "
        "of it.",
    ),
    (
        r"result type \w+ can't be cast",
        "A step in place, such as +=, keeps the dtype, and whole numbers have no room for fractions: make a "
        "new tensor, x = x + y.",
    ),
    (
        r"refer to a single memory location",
        "A tensor is copied onto a part of itself: .clone() what is read.",
    ),
    (
        r"Class values must be non-negative",
        "one_hot takes classes from 0 on: leave places with −100 out, or put a class there and mask the "
        "result.",
    ),
    (
        r"Class values must be smaller",
        "one_hot got a number that is too large for the classes: .argmax() without dim=-1, for one, counts "
        "through the whole tensor.",
    ),
    (
        r"self.dtype to be equal to src.dtype|source and destination dtypes match",
        "What is written into a tensor has to be of its dtype: make the tensor with torch.zeros_like of the "
        "values, or with dtype=.",
    ),
    (
        r"elements cannot be converted to Scalar|only one element tensors can be converted",
        ".item(), int(), float() and the math module take a tensor of one number, and this one has several.",
    ),
    (
        r"^OverflowError",
        "A number becomes too large here: look at what goes into the power or the exponential. Is a sign "
        "wrong, or are two values swapped?",
    ),
    (
        r"selected index k out of range",
        "topk is asked for more numbers than there are: ask for min(k, how many there are).",
    ),
    (
        r"'(float|int)' object has no attribute 'backward'",
        "This loss is a plain number, and gradients are known to a tensor alone: first backward, and "
        ".item() or float() of the loss afterwards.",
    ),
    (
        r"^(Type|Attribute)Error: (.*\b(not|and|of|type) |.*: )?'?(SiLU|GELU|ReLU|Tanh|Sigmoid|Softmax|"
        r"LogSoftmax|Dropout)\b",
        "torch.nn.SiLU(x) and its like make a layer and don't call it: call what is made, as in "
        "torch.nn.SiLU()(x), or take the function, torch.nn.functional.silu(x).",
    ),
    (
        r"missing \d+ required (keyword-only |positional )?argument",
        "A function is called with fewer arguments than it takes: compare the call with its `def` line. A "
        "tuple that holds several is handed over with a star, as in f(*values).",
    ),
    (
        r"queries have \d+ features but keys have|there are \d+ keys but \d+ values",
        "Attention was given queries, keys and values that don't fit each other: which matrix makes each of "
        "them, in which order does the function take them, and has each kept its axes? repeat_interleave "
        "without dim= makes one long row.",
    ),
    (
        r"expected Tensor as element \d+.* got NoneType",
        "torch.cat and torch.stack take tensors, and the list holds None: a function without a `return` "
        "gives it, and so does .get for a key that isn't there.",
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
        r"tensors used as indices must be",
        "What stands in [ ] is whole numbers, of dtype torch.long, or a boolean mask, and this tensor has "
        "another dtype.",
    ),
    (
        r"index tensor of type LongTensor|scalar types: Long|Expected dtype int\S* for index"
        r"|applicable to index tensor",
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
        "torch.tensor, or take the part that you mean, as in `output, weights = ...` where a function "
        "returns several things.",
    ),
    (
        r"iteration over a 0-d tensor|'(int|float|bool)' (object is not iterable|has no len)"
        r"|(non-iterable|iterable, not) (int|float|bool)\b"
        r"|object of type '(int|float|bool)' has no len|argument of type '(int|float|bool)' is not",
        "This is a single number, so it can't be looped over, counted or unpacked.",
    ),
    (
        r"^ZeroDivisionError|math domain error"
        # The math module, from Python 3.14 on:
        r"|^ValueError: expected (a (positive|nonnegative|finite|noninteger|number)|argument value)",
        "A number is one that the formula doesn't allow, often 0 or a negative one: does the exercise's text "
        "name that case?",
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
        r"unsupported operand type\(s\) for .*('Tensor' and 'tuple'|'tuple' and 'Tensor')",
        "A tuple of several results stands where one tensor belongs, as when a function returns its output "
        "and its weights: take the one that you mean, as in `output, weights = ...`.",
    ),
    (
        r"can't multiply sequence|can only concatenate"
        r"|unsupported operand type\(s\) for (?!.*NoneType).*'(list|tuple)'",
        "Lists, tuples and strings don't do arithmetic like tensors: make a tensor with torch.tensor first, "
        "or take the part that you mean, as a[-1] of a shape.",
    ),
    (
        r"size of tensor [ab] \(0\)",
        "One of the two is empty: is it a slice such as [:-k], which is [:0] where k is 0, or something that "
        "is repeated 0 times?",
    ),
    (
        r"must match the size of tensor|not broadcastable|doesn't match the broadcast shape|shape mismatch",
        "Two shapes don't fit, axis by axis from the right: write both down. Is a keepdim=True or an "
        "unsqueeze missing, or has one of them another size than you meant?",
    ),
    (
        r"unsupported operand type\(s\) for [@*]: .*'(Linear|Embedding|LayerNorm|ModuleList|Sequential)'",
        "That is a layer, not a matrix: call it, as in `self.W_q(x)`; its numbers are in `.weight`.",
    ),
    (
        r"tuple of ints.*float|'float' object cannot be interpreted|indices must be .*float|got float"
        r"|repeat_interleave\(\) .* got \(float",
        "A size or an index has to be an integer, and this is a float: `/` always gives a float, `//` "
        "doesn't.",
    ),
    (
        r"index -?\d+ is out of bounds for dimension \d+ with size 0",
        "That axis has no entry at all, so there is no last one either: where does the range begin, and how "
        "long is the first slice?",
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
        r"(must|to) have the same dtype, but got.*\b([Ll]ong|[Ii]nt|[Bb]ool|[Cc]har|Byte)\b"
        r"|not implemented for '(Bool|Long|Int)'"
        r"|expected scalar type \w+ but found (Char|Byte|Long|Int|Bool)",
        "This step needs floats: turn booleans or integers into floats first, with .float() or .to(x.dtype).",
    ),
    (
        r"'(Tensor|int|float|list|dict)' object is not callable",
        "What comes before the brackets isn't a function: did a value get a function's name, was a result "
        "passed where the function belongs, is a `*` missing, or are square brackets meant, which look up a "
        "row?",
    ),
    (
        r"cannot assign (module|parameters?) before Module",
        "`super().__init__()` has to be the first line of `__init__`.",
    ),
    (
        r"stack expects each tensor to be equal size",
        "torch.stack takes tensors of one shape alone: which axis is each of these cut or indexed along? "
        "[..., -1] takes the last feature, [..., -1, :] the last position. torch.cat joins along an axis on "
        "which they differ.",
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
        "In a @ b the last axis of a must be as long as the second-to-last of b: are these the two that you "
        "mean, and is a .transpose(-2, -1) missing, or one too many?",
    ),
    (
        r"can be converted to an index",
        "A list is indexed by one whole number: this tensor holds several, or a float. `/` always gives a "
        "float, `//` doesn't.",
    ),
    (
        r"einsum\(\): subscript \w has size",
        "In einsum a letter has one size wherever it is written, and here two axes of different sizes have "
        "the same letter: which axis does each letter name?",
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
        "There are more parts than names before the `=`, or fewer. If it is a shape, the number of axes "
        "differs from case to case: take sizes from the end, like x.size(-1).",
    ),
    (
        r"Dimension out of range|too many indices|tuple index out of range",
        "The tensor has fewer axes than that: count from the end, like dim=-1, to allow any number in front.",
    ),
    (
        r"index \S+ is out of (bounds|range)|index out of range",
        "An index is beyond the end of its axis: are these the axis and the index that you mean?",
    ),
    (
        r"shape of the mask .* does not match the shape of the indexed",
        "A mask in square brackets needs the very shape of what it indexes, and isn't broadcast: masked_fill "
        "and torch.where broadcast it.",
    ),
    (
        r"does not require grad and does not have a grad_fn",
        "Nothing here was followed for a gradient: the tensor that it is taken with respect to needs "
        "`.requires_grad_()` before the steps that use it, and .detach(), argmax or no_grad() cut it off.",
    ),
    (
        r"implicitly created only for scalar",
        "A gradient is taken of one number: sum the results first. Where each row depends on its own inputs "
        "alone, the gradient of the sum has every row's.",
    ),
    (
        r"backward through the graph a second time",
        "One gradient uses up the graph: where several are taken of one result, all but the last need "
        "retain_graph=True.",
    ),
    (
        r"'(float|int)' object is not subscriptable",
        "This is one number, which has no entries: a loop variable, or what .item() or a math function gave?",
    ),
    (
        r"^KeyError",
        "There is no entry under that key: is it spelled like those that are there, and may it be missing? "
        "`if key in d` asks, and d.get(key) gives None then.",
    ),
    (
        r"ModuleList\] is missing",
        "A ModuleList is a list of layers and can't be called: go through it in a loop, and hand on what "
        "each layer gives.",
    ),
    (
        r"'(Embedding|Linear|LayerNorm|ModuleList|Sequential)' object has no attribute",
        "That is a layer, not a tensor: the tensor of its numbers is `.weight`.",
    ),
    (
        r"same number of dimensions as (input|self)",
        "gather and scatter want an index with as many axes as the tensor, as unsqueeze(-1) may give it: in "
        "square brackets, table[..., index], it may have any shape.",
    ),
    (
        r"must be real number, not (torch.Size|tuple|list)",
        "A math function takes one number: take one size, as .size(-1) or .shape[-1].",
    ),
    (
        r"arguments to matmul need to be at least 1D",
        "One number stands where a vector or a matrix belongs: what does that function take?",
    ),
    (
        r"block_diag: Input tensors must have 2",
        "torch.block_diag takes the blocks one by one: a `*` in front of what holds them hands them over so.",
    ),
    (
        r"a mask is boolean",
        "What comes as the mask isn't boolean: is it made of numbers, which .bool() turns into booleans, or "
        "is another argument in its place?",
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
        "Something is None here: an argument that may be missing, such as a mask or a cache, or the result "
        "of a function without `return`.",
    ),
    (
        r"same dtype|expected scalar type",
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
        r"^RecursionError",
        "A function calls itself endlessly: does it have the name of the one that you meant to call?",
    ),
    (
        r"'(float|int)' object has no attribute",
        "A plain number doesn't have a tensor's methods: use the math module, or turn it into a tensor. "
        "Where many places are wanted and not how many they are, torch.arange(n) makes them.",
    ),
    (
        r"module '.*' has no attribute",
        "That module has no function of this name: it may be in another, be called otherwise, or have to be "
        "written.",
    ),
    (
        r"tri[lu]: input tensor must have at least 2",
        "torch.tril and torch.triu take a matrix, and this has fewer axes.",
    ),
    (
        r"object has no attribute",
        "There is nothing of that name: a typo, a value of another type than you think, or a part that "
        "`__init__` doesn't make.",
    ),
    (
        r"invalid combination of arguments",
        "A function of torch gets what it doesn't take: torch.max and .min compare tensors, .clamp(min=0) "
        "takes a number too, and Python's own min two of them. What stands behind a * in the message goes by "
        "name, as in generator=generator.",
    ),
    (
        r"heads don't divide a width",
        "The heads share the width out among them: are the sizes in the order in which this function takes "
        "them?",
    ),
    (
        r"Given normalized_shape",
        "A layer norm is made for vectors of one width: which width has what goes into it in this line?",
    ),
    (
        r"inconsistent tensor size",
        "The product of two vectors needs as many numbers in one as in the other: what are the two?",
    ),
    (
        r"repeat dims can not be smaller",
        ".repeat takes a number for every axis, 1 where nothing is repeated.",
    ),
    (
        r"empty sequence|of an empty|iterable argument is empty",
        "There is nothing in what this goes through: has an earlier step left it empty?",
    ),
    (
        r"expected str instance",
        "`join` puts texts together, and there is something else among them: str(...) makes a text of it.",
    ),
    (
        r"(list|tuple|string) indices must be integers or slices, not str",
        "Brackets behind a list or a text take a number, and here they hold a text: is a dict meant, or does "
        "a loop over a dict give its keys?",
    ),
    (
        r"unsupported operand type\(s\) for .*'str'",
        "A text takes part in this sum or product: is a number meant, or its tokens, as .split() gives them?",
    ),
    (
        r"more than one parameter group",
        "A parameter is in two groups: .parameters() of a whole model has those of all its parts.",
    ),
    (
        r"empty parameter list|group without parameters",
        "An optimizer needs something to move: is everything frozen, or was a generator used up before?",
    ),
    (
        r"x and y to have same length|same first dimension",
        "The two lists of a fit belong together pair by pair, so they are equally long.",
    ),
    (
        r"[Nn]umber of indices \(\d+\) should be equal",
        "Each row that is added needs one index that says where to: are these as many rows as indices?",
    ),
    (
        r"No module named",
        "That package isn't there: the course's own packages are all that a check and grading have.",
    ),
)


def explain(message: str, line: str = "") -> str:
    """What an exception with this text, raised in this line, usually means.

    Where no torch is, nothing is said of tensors.
    """
    first = HINTS_OF_ARRAYS if torch_is_there() else (*HINTS_OF_ARRAYS, *HINTS_OF_PYTHON)
    of_lines = ((pattern, hint) for pattern, of_line, hint in HINTS_OF_LINES if re.search(of_line, line))
    for pattern, hint in (*first, *of_lines, *HINTS):
        if re.search(pattern, message) and (torch_is_there() or not OF_TENSORS.search(hint)):
            return hint
    return UNKNOWN
