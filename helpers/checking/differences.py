"""What a difference is, and what it usually comes from, in the words of the values' own kind."""

from dataclasses import dataclass

from helpers.checking.kinds.arrays import is_array, is_ndarray, torch_is_there

# What each kind of difference usually comes from.
MEANINGS = {
    "type": "Every value that goes in and out is a torch tensor, unless the text says otherwise.",
    "structure": "Compare what you return with the docstring: how many values, and in which order.",
    "shape": "Write the shape beside each line, and find the first that surprises you.",
    "dtype": "Use the dtype the docstring names, or else the dtype of an input: torch.zeros(n) is float32.",
    "nan": "NaN comes from 0/0 (the mean of nothing is one), 0 · inf, inf/inf, inf - inf or the root or log "
    "of a negative number: look at the numbers before each product, division, mean, exp, log and root.",
    "value": "",
}
OTHER_LENGTH = "The list has too few values or too many: which does the docstring put in, and in which order?"
NO_LIST = (
    "A list or a tuple isn't a tensor, and later code calculates with this: `torch.tensor(...)` makes a "
    "tensor of numbers, `torch.stack(...)` one of tensors."
)
ONE_NUMBER = "One number is expected: is a mean, a sum or a maximum over the remaining axes missing?"
PLAIN_NUMBER = "A number is expected: an int, a float or a tensor of one number."
NO_NUMBER = "A number is expected: an int or a float."
NO_RETURN = (
    "None came back: a `return` is missing, or what it returns is None, as .get gives for a key that isn't "
    "there."
)
OTHER_ORDER = (
    "These are the right sizes in a different order: two axes are swapped, or a sum is over the wrong one."
)
EXTRA_ONE = "There is one axis of size 1 too many or too few: check each keepdim, unsqueeze and squeeze."
FEWER_AXES = (
    "There are fewer axes than expected: a sum, a mean, an index and a squeeze each take one away. Write the "
    "shape beside each line, and find where it goes."
)
MORE_AXES = (
    "There are more axes than expected: does an unsqueeze or a [:, None] stand where it makes a table of two "
    "tensors that should lie on each other, or is a sum, an index or a flatten missing?"
)
NOT_BOOLEAN = (
    "Booleans are expected: a comparison makes them, and so does .bool(). (`~` of whole numbers turns their "
    "bits, so ~1 is -2.)"
)
ALMOST = (
    "Right to a few digits only: a step is done in float32 although the inputs are float64 (.float(), or "
    "torch.tensor of a plain number), or a small constant is added where none is needed."
)
ONE_TEXT = "One text is expected: `join` makes one of a list's parts."
NOT_PUT_IN = "What is missing was never put in: is a loop not entered, or a condition not met?"
NOT_ASKED_FOR = "Leave out what isn't asked for: everything else that belongs there is there."
ELSEWHERE = (
    "Some keys aren't asked for, and of those that are, not all have the right value: does something lie "
    "under a key of its own that belongs under a different one?"
)
LAZY = "Such a thing makes its values only while a loop goes through it: list(...) makes a list of them all."
NO_KIND = "Compare what you return with the docstring: what kind of value does it name?"
FEW_DIGITS = "Right to a few digits only: is a step rounded, or a small constant added where none is needed?"
MISSING = (
    "NaN comes from a NaN that goes in (a sum, a mean or a product with one is NaN), 0/0 (the mean of "
    "nothing is one), 0 · inf, inf/inf, inf - inf or the root or log of a negative number: look at the "
    "numbers before each step that calculates."
)
# The same where no torch is, and for NumPy's arrays, where it isn't the same.
IN_PYTHON = {MEANINGS["type"]: NO_KIND, MEANINGS["nan"]: MISSING, ALMOST: FEW_DIGITS, PLAIN_NUMBER: NO_NUMBER}
IN_NUMPY = {
    MEANINGS["nan"]: MISSING,
    MEANINGS["type"]: "Every value that goes in and out is a NumPy array, unless the text says otherwise.",
    MEANINGS[
        "dtype"
    ]: "Use the dtype the docstring names, or else the dtype of an input: np.zeros(n) is float64, "
    "and np.array([1, 2]) has whole numbers.",
    NO_LIST: "A list or a tuple isn't an array, and later code calculates with this: np.array(...) makes an "
    "array of numbers, np.stack(...) one of arrays.",
    EXTRA_ONE: "There is one axis of size 1 too many or too few: check each keepdims, reshape, [:, None] and "
    "squeeze.",
    MORE_AXES: "There are more axes than expected: does a [:, None] or a reshape stand where it makes a "
    "table of two arrays that should lie on each other, or is a sum, an index or a ravel missing?",
    NOT_BOOLEAN: "Booleans are expected: a comparison makes them, and so does .astype(bool). (`~` of whole "
    "numbers turns their bits, so ~1 is -2.)",
    ALMOST: "Right to a few digits only: a step is done in float32 although the inputs are float64, or a "
    "small constant is added where none is needed.",
}
GUESSES = tuple(
    said
    for text in (MEANINGS["structure"], OTHER_LENGTH, MEANINGS["shape"], OTHER_ORDER, FEWER_AXES, MORE_AXES)
    for said in (text, IN_NUMPY.get(text, text))
)
ROUGHLY = (ALMOST, IN_NUMPY[ALMOST], FEW_DIGITS)


@dataclass(frozen=True)
class Difference:
    """Where two values part.

    Attributes:
        cause: "type", "structure", "shape", "dtype", "nan" or "value".
        public: what differs, without any number of the case.
        full: the same with the numbers.
        meaning: what this usually comes from; "" where there is no more to say.
    """

    cause: str
    public: str
    full: str = ""
    meaning: str = ""

    def describe(self, reveal: bool) -> str:
        return self.full if reveal and self.full else self.public


def different(cause: str, public: str, full: str = "", meaning: str = "", *, of: object = None) -> Difference:
    """A difference, with what its cause usually means unless more is known.

    Args:
        cause: as in `Difference`.
        public: as there.
        full: as there.
        meaning: as there.
        of: the right value, in whose kind's words the meaning is given.
    """
    meaning = meaning or (NO_KIND if cause == "type" and not is_array(of) else MEANINGS[cause])
    words = IN_NUMPY if is_ndarray(of) else {} if torch_is_there() else IN_PYTHON
    return Difference(cause, public, full, words.get(meaning, meaning))
