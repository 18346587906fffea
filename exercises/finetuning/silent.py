"""A silent mismatch."""

from headstart import Entry

PREFIX = "each name lacks the prefix"
SHAPE = "one tensor has a different shape"
EXCHANGED = "two layers are swapped"
SIGN = "the surest sign that nothing was moved"
_ERROR, _NOTHING, _REST = "an error", "nothing is moved", "the rest is moved"
_OTHER, _SAME = "a different function", "the same function"
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


exercise.choice("prefix_raises", {PREFIX: _ERROR}).says(
    "With strict=False, names that aren't found are no error: they are only listed in what "
    "`load_state_dict` returns, and if you don't look there you train from scratch."
)
exercise.choice("prefix_partly", {PREFIX: _REST}).says(
    "If every name lacks the prefix, there is no rest to move: not one name of the body is found."
)
exercise.choice("shape_skips_all", {SHAPE: _NOTHING}).says(
    "A shape that differs is an error for `load_state_dict`, with strict=False as well: strict is about "
    "names alone."
)
exercise.choice("shape_skipped", {SHAPE: _REST}).says(
    "A shape that differs is an error, with strict=False as well, raised after the others were copied: "
    "if you catch it, you are left with a half-moved model."
)
exercise.choice("exchange_raises", {EXCHANGED: _ERROR}).says(
    "Both layers have the same shapes, so no name and no size is wrong, and nothing can raise an error."
)
exercise.choice("exchange_harmless", {EXCHANGED: _SAME}).says(
    "The second layer has learned to read what the first one gives: in a different order they compute "
    "something else."
)
exercise.choice("first_loss", {SIGN: _FIRST_LOSS}).says(
    "The classifier's first loss is near ln 2 in either case, because its head is new and knows nothing yet."
)
exercise.choice("warned", {SIGN: _MESSAGE}).says(
    "There is no warning: `load_state_dict` returns what it didn't find, and nobody notices unless they look."
)
