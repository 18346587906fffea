"""What exceptions of NumPy, pandas and Python itself usually come from, where no tensor is around."""

# Texts of NumPy's and pandas' exceptions. torch has none like these, so they are looked up whatever is
# imported.
HINTS_OF_ARRAYS: tuple[tuple[str, str], ...] = (
    (
        r"operands could not be broadcast together",
        "Two shapes don't fit, axis by axis from the right: write both down. Is a keepdims=True or a [:, "
        "None] "
        "missing, or has one of them another size than you meant?",
    ),
    (
        r"could not broadcast input array",
        "What is written doesn't have the shape of the place it is written to: write both shapes down.",
    ),
    (
        r"matmul: Input operand|shapes \([\d, ]+\) and \([\d, ]+\) not aligned",
        "In a @ b the last axis of a must be as long as the second-to-last of b: are these the two that "
        "you mean, "
        "and is a .T or a .swapaxes(-2, -1) missing, or one too many?",
    ),
    (
        r"axis -?\d+ is out of bounds for array",
        "The array has fewer axes than that: count from the end, like axis=-1, to allow any number in front.",
    ),
    (
        r"too many indices for array",
        "There are more indices in the brackets than the array has axes: write its shape beside the line.",
    ),
    (
        r"index -?\d+ is out of bounds for axis",
        "An index is beyond the end of its axis: are these the axis and the index that you mean? The last "
        "position is the size minus 1.",
    ),
    (
        r"truth value of an? (array|empty array)",
        "An array of several numbers is neither true nor false: choose number by number with np.where or "
        "a mask in "
        "brackets, join conditions with & and |, or ask .any() or .all().",
    ),
    (
        r"truth value of a (Series|DataFrame)",
        "A column of several values is neither true nor false: choose rows with df[condition], and join "
        "conditions with & and |, each in brackets.",
    ),
    (
        r"inhomogeneous shape|setting an array element with a sequence",
        "The rows aren't equally long, or a list stands where one number belongs: an array has one length "
        "per "
        "axis.",
    ),
    (
        r"all the input array dimensions except|all the input arrays must have same number of dimensions",
        "Arrays that are joined must have the same size on every axis except the one along which "
        "np.concatenate joins, and as many axes as each other.",
    ),
    (
        r"all input arrays must have the same shape",
        "np.stack takes arrays of one shape: np.concatenate joins others.",
    ),
    (
        r"cannot reshape array of size",
        "The new shape has room for more or fewer numbers than there are: multiply out both shapes.",
    ),
    (
        r"only integer scalar arrays can be converted",
        "An array stands where one whole number belongs. Arrays to be joined go into one list: "
        "np.concatenate([a, b], axis=...).",
    ),
    (
        r"only (length-1|size-1|0-dimensional) arrays can be converted|must be real number, not numpy",
        "int(), float() and the math module take one number, and this array has several: NumPy's function "
        "of the "
        "same name, such as np.exp, takes them all.",
    ),
    (
        r"arrays used as indices must be of integer|only integers, slices \(`:`\)",
        "What stands in [ ] is whole numbers or a boolean mask, and this is something else: `/` always "
        "gives a "
        "float, `//` doesn't.",
    ),
    (
        r"boolean index did not match",
        "A mask in brackets needs the size of the axis that it chooses from: which axis is it made from?",
    ),
    (
        r"Cannot cast ufunc|same_kind",
        "A step in place, such as +=, keeps the dtype, and whole numbers have no room for fractions: make "
        "a new "
        "array, x = x + y, or begin with floats.",
    ),
    (
        r"zero-size array to reduction",
        "An array is empty here, and has no maximum or minimum: has an earlier filter left nothing?",
    ),
    (
        r"ufunc '\w+' (did not contain a loop|not supported)",
        "This function takes numbers, and the array holds something else, such as texts or None: look at "
        "its dtype.",
    ),
    (r"read-only", "This array can't be written to: work on a .copy()."),
    (
        r"invalid index to scalar variable",
        "This is one number, which has no entries: is there an index too many, or an axis summed away?",
    ),
    (
        r"'numpy\.ndarray' object is not callable",
        "An array takes square brackets, x[0]: round ones call a function. Did a value get a function's "
        "name?",
    ),
    (
        r"'numpy\.ndarray' object has no attribute '(append|extend|insert|pop)'",
        "An array has a fixed length: collect in a list, and make an array of it at the end.",
    ),
    (
        r"Length of values|does not match length of index",
        "A new column needs a value for each row: how many rows are there, and how many values?",
    ),
    (
        r"identically-labeled",
        "Two columns are compared whose rows have other names: reset_index(drop=True), or .to_numpy(), "
        "first.",
    ),
    (
        r"not in index|None of \[.*\] are in the",
        "There is no column or row of that name: compare its spelling with df.columns and df.index.",
    ),
)

# Texts of Python's own exceptions, in a notebook without torch.
HINTS_OF_PYTHON: tuple[tuple[str, str], ...] = (
    (
        r"changed size during iteration",
        "A loop goes through what it adds to or takes from: go through a copy, such as list(d).",
    ),
    (
        r"'(str|tuple|range|bytes)' object does not support item (assignment|deletion)",
        "Texts and tuples can't be changed: make a new one, or a list while you change it.",
    ),
    (
        r"'(set|frozenset|dict_keys|dict_values|dict_items)' object is not subscriptable",
        "A set or the keys of a dict have no first and second: make a list(...) or sorted(...) of them.",
    ),
    (
        r"'(generator|map|filter|zip)' object|object of type '(generator|map|filter|zip)'",
        "This gives one thing after another and is used up by it: go through it in a loop, or make a list "
        "of it.",
    ),
    (
        r"not supported between instances of",
        "Two values of different types are compared: what is each of them? int(...) or float(...) makes a "
        "number "
        "of a text.",
    ),
    (
        r"invalid literal for int|could not convert string to float",
        "A text that is no number is turned into one: are there spaces, signs or an empty text in it?",
    ),
    (
        r"pop from an? empty|popitem\(\): dictionary is empty",
        "Nothing is left to take: ask whether it is empty first.",
    ),
    (
        r"(list|tuple|string|deque) (assignment )?index out of range",
        "The list or text is shorter than that: a loop that looks at place i + 1 has to end one place "
        "earlier, and "
        "some lists may be empty.",
    ),
    (
        r"can only concatenate str|must be str, not|unsupported operand type\(s\) for \+: '\w+' and 'str'",
        "A text and something else are added: str(...) makes a text of a number, int(...) a number of a "
        "text.",
    ),
    (
        r"can only concatenate list|can only concatenate tuple|can't multiply sequence",
        "Lists, tuples and texts don't do arithmetic: go through them in a loop, or append(...) one thing.",
    ),
    (
        r"unsupported operand type\(s\) for .*'(list|tuple|dict|set)'",
        "Lists, tuples, sets and dicts take no part in arithmetic: which part of it is meant?",
    ),
    (
        r"'(list|tuple|str|dict|set)' object has no attribute",
        "A value of this type has no such method: is it the type that you think? append is a list's, add "
        "a set's, "
        "and a text's methods give a new text.",
    ),
    (
        r"'(int|float|bool)' object has no attribute",
        "This is one number: is the whole list or text meant?",
    ),
    (
        r"takes \d+ positional arguments? but \d+ (was|were) given",
        "A function is called with more arguments than it takes. A method's first parameter is self.",
    ),
    (
        r"missing \d+ required positional arguments?: 'self'",
        "A method is called on the class: make an instance first, as in Name().",
    ),
    (
        r"values to unpack",
        "There are more parts than names before the `=`, or fewer: a dict gives its keys, and pairs with "
        ".items().",
    ),
    (
        r"'(list|dict|tuple|set|str|int|float)' object is not callable",
        "Round brackets call a function, square ones look something up: did a value get a function's name?",
    ),
    (
        r"generator raised StopIteration",
        "next() found nothing more inside of a generator: a `for` loop ends by itself, next(it, None) "
        "gives None.",
    ),
)
