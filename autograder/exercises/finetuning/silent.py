"""A silent mismatch."""

from autograder.entry import Entry

PREFIX = "each name lacks the prefix"


SHAPE = "one tensor has another shape"


EXCHANGED = "two layers are exchanged"


SIGN = "the surest sign that nothing was moved"


_ERROR, _NOTHING, _REST = "an error", "nothing is moved", "the rest is moved"


_OTHER, _SAME = "another function", "the same function"


_FIRST_LOSS, _BODY, _MESSAGE = "the classifier's first loss", "the body's language-model loss", "a warning"


SILENT_OPTIONS = {
    PREFIX: [_ERROR, _NOTHING, _REST],
    SHAPE: [_ERROR, _NOTHING, _REST],
    EXCHANGED: [_ERROR, _OTHER, _SAME],
    SIGN: [_FIRST_LOSS, _BODY, _MESSAGE],
}


SILENT_ANSWERS = {PREFIX: _NOTHING, SHAPE: _ERROR, EXCHANGED: _OTHER, SIGN: _BODY}


exercise = Entry(
    id="finetuning.silent",
    title="A silent mismatch",
    points=2,
    difficulty=2,
    minutes=5,
    reference=SILENT_ANSWERS,
    options=SILENT_OPTIONS,
)


exercise.choice(
    "prefix_raises",
    "With strict=False, names that aren't found are no error: they are only listed in what "
    "`load_state_dict` returns, and if you don't look there you train from scratch.",
    {PREFIX: _ERROR},
)
exercise.choice(
    "prefix_partly",
    "If every name lacks the prefix, there is no rest: not one name of the body is found.",
    {PREFIX: _REST},
)
exercise.choice(
    "shape_skips_all",
    "A shape that differs is an error for `load_state_dict`, with strict=False as well: strict is about "
    "names alone.",
    {SHAPE: _NOTHING},
)
exercise.choice(
    "shape_skipped",
    "A shape that differs is an error, with strict=False as well, raised after the others were copied: "
    "whoever catches it has a model that is half moved.",
    {SHAPE: _REST},
)
exercise.choice(
    "exchange_raises",
    "Both layers have the same shapes, so no name and no size is wrong, and nothing can raise an error.",
    {EXCHANGED: _ERROR},
)
exercise.choice(
    "exchange_harmless",
    "The second layer has learned to read what the first one gives: in another order they compute "
    "something else.",
    {EXCHANGED: _SAME},
)
exercise.choice(
    "first_loss",
    "The classifier's first loss is near ln 2 in either case, because its head is new and knows nothing yet.",
    {SIGN: _FIRST_LOSS},
)
exercise.choice(
    "warned",
    "There is no warning: `load_state_dict` returns what it didn't find, and says nothing if nobody looks.",
    {SIGN: _MESSAGE},
)
