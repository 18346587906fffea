"""What an exception usually comes from, where the line of code that raised it tells more than its text."""

# Texts of Python's and torch's exceptions, parts of the line that raised them, and what leads to both. The
# first that fits counts.
HINTS_OF_LINES: tuple[tuple[str, str, str], ...] = (
    (
        r"^KeyError",
        r"\] *[-+*/]=",
        "`counts[key] += 1` needs something to add to: counts[key] = counts.get(key, 0) + 1, or a "
        "collections.defaultdict(int).",
    ),
    (
        r"values to unpack",
        r"\bsplit\(",
        "torch.split takes the size of a piece, and torch.chunk how many there are to be: which is meant?",
    ),
    (
        r"values to unpack",
        r"\bfor\b.*\bin\b",
        "Each round has more or fewer parts than there are names: a dict gives its keys, and pairs with "
        ".items(); a tensor is gone through along its first axis.",
    ),
    (
        r"values to unpack",
        r"\w *, *\w+ *= *(?!torch\.|\w+\.(size|shape|chunk|split|unbind|max|min|sort|topk)\b)[\w.]+\(",
        "That call returns more or fewer parts than there are names before the `=`. Is it one tensor? Then "
        "it is taken apart along its first axis.",
    ),
    (
        r"shapes cannot be multiplied \((\d+x\d+) and \1\)",
        r"@|matmul|\.mm\(",
        "Two matrices of the same size meet here. A product number by number is `*`; in a @ b the last axis "
        "of a must be as long as b's last but one: for rows with rows b is transposed, .transpose(-2, -1).",
    ),
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
        r"shapes cannot be multiplied",
        r"\blinear\(",
        "F.linear(x, W) multiplies by W transposed, for nn.Linear keeps its weight as (out, in): with a "
        "matrix that is (in, out) it is x @ W.",
    ),
    (
        r"mat1 and mat2 shapes cannot be multiplied",
        r"\w\.(T\b|t\(\))",
        "In x @ W the last axis of x must be as long as the first of W: is W to be transposed there at all?",
    ),
    (
        r"shapes cannot be multiplied|first two dimensions of batch",
        r"@ *self\.\w+\.weight\b(?! *\.)",
        "In x @ W the last axis of x must be as long as the first of W. An nn.Linear keeps its weight as "
        "(out, in) and an embedding its table as (tokens, channels): is it to be transposed, or the layer to "
        "be called?",
    ),
    (
        r"mat1 and mat2 shapes cannot be multiplied|first two dimensions of batch",
        r"self\.\w+\(",
        "A layer takes vectors as long as it was made for: which width does each layer of this line expect, "
        "and what does it get?",
    ),
    (
        r"Boolean value of Tensor with more than one",
        r"(?<![.\w])(max|min)\(",
        "Python's max and min choose between whole values: torch.maximum compares two tensors number by "
        "number, and x.amax(dim) goes along an axis.",
    ),
    (
        r"slice indices must be integers",
        r"(ends|starts)with\(",
        "Several endings come as one tuple: name.endswith((first, second)).",
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
        r"must match the size of tensor",
        r"[+] *(self\.)?(positions|table|pe)(\.weight)?\b(?! *[\[(.])",
        "Is the whole table added? It fits only a text as long as itself: take as many of its rows as there "
        "are positions.",
    ),
    (
        r"'(Tensor|Parameter)' object is not callable",
        r"self\.norm\w*\(",
        "That norm is no layer here, but the weights of one: a function that normalises takes them.",
    ),
    (
        r"must match the size of tensor",
        r"(rms|layer)_norm\(",
        "A norm's weights are as many as the numbers of each vector that it normalises: which shape has "
        "what goes into it in this line?",
    ),
    (
        r"tensor a \([1-9]\d*\) must match the size of tensor b \([1-9]",
        r"\w\[ *: *\w",
        "Two shapes don't fit: is the slice as long as what it meets? Which axis of what does its length "
        "come from? There may be more axes in front, so count it from the end.",
    ),
    (
        r"must match the size of tensor|first two dimensions of batch|shapes cannot be multiplied",
        r"\babsorb\(",
        "What this line hands over doesn't fit: write down the five shapes just before it. The total is "
        "(..., T_q), the mixture (..., T_q, d_v), and a block has as many values as scores in a row.",
    ),
    (
        r"tensor a \([1-9]\d*\) must match the size of tensor b \([1-9]",
        r"\.(sum|mean|amax|amin)\((dim=|axis=)?-?\d+\)|\.(max|min)\((dim=|axis=)?-?\d+\)(\.values|\[0\])",
        "Two shapes don't fit, axis by axis from the right: is the sum, mean or maximum along the axis that "
        "you mean, and should that axis stay, with keepdim=True?",
    ),
    (
        r"must match the size of tensor|not broadcastable|first two dimensions of batch",
        r"(scaled_dot_product|masked|cross)_attention\(",
        "What this line hands over doesn't fit: write down the shapes of q, k, v and the mask just before "
        "it. The axes in front of the last two have to agree, and each key needs a value.",
    ),
    (
        r"must match the size of tensor|not broadcastable|shape mismatch",
        r"arange|\.range\(|linspace",
        "Two shapes don't fit, axis by axis from the right: does the range have one number for each place, "
        "and does an unsqueeze or [:, None] make it a column where one is meant?",
    ),
    (
        r"Sizes of tensors must match",
        r"dim=[0-9]|axis=[0-9]|, [0-9]\)",
        "Tensors that are joined must have the same size on every axis except the one along which torch.cat "
        "joins. Count that one from the end, dim=-2 for positions: there may be more axes in front.",
    ),
    (
        r"same dtype, but got Bool|not implemented for 'Bool'",
        r"\(.*\bmask\b",
        "A mask has come to a place where numbers belong: is it the right argument? By name, as in "
        "mask=mask, it can't be taken for another.",
    ),
    (
        r"expected Tensor as element \d+",
        r"block_diag\(",
        "torch.block_diag takes the blocks one by one: a `*` in front of what holds them hands them over so.",
    ),
    (
        r"unexpected keyword argument",
        r"keep_dims",
        "The argument is called `keepdim` in torch.",
    ),
    (
        r"index (-?\d+ )?(is )?out of (bounds|range)",
        r"(positions|pos\w*)(\.weight)?\[ids\]|embedding\(ids, *pos|positions\(ids\)",
        "Are positions looked up by the numbers of the words? They are counted by place, 0, 1, 2, and so on, "
        "whatever word stands there.",
    ),
    (
        r"tuple of ints.*float|'float' object cannot be interpreted|indices must be integers|got float",
        r"/",
        "A size or an index has to be an integer, and `/` always gives a float: write `//`.",
    ),
    (
        r"(Linear|Embedding|LayerNorm|\w*Model|Module|Classifier)' object is not iterable",
        r"clip_grad|optim|parameters",
        "Parameters are expected, and this is a module: model.parameters() gives them.",
    ),
    (
        r"must match the size of tensor",
        r"@.*[-+*/]|[-+*/].*@|(matmul|mm|linear|einsum)\(",
        "Two shapes don't fit, axis by axis from the right: write down the shape of each part of this line. "
        "What x @ W gives is as wide as W; a sum or a mean keeps its axis with keepdim=True.",
    ),
)
