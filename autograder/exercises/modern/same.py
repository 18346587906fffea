"""What stays the same."""

from autograder.entry import Entry

EXACTLY = "exactly the same distribution"
NEARLY = "nearly the same"
ANOTHER = "a different model, to be trained first"
CACHE = "keeping keys and values in a cache"
SPECULATIVE = "speculative decoding"
ROWS = "reordering rows of W_q and W_k, and turning neighbours"
INT8 = "one byte for each weight"
GATE = "a feed-forward network with a gate for one without"
GROUPS = "half as many heads of keys and values"
SAME = {
    CACHE: EXACTLY, SPECULATIVE: EXACTLY, ROWS: EXACTLY, INT8: NEARLY, GATE: ANOTHER, GROUPS: ANOTHER,
}  # fmt: skip
SAME_OPTIONS = {slot: [EXACTLY, NEARLY, ANOTHER] for slot in SAME}


exercise = Entry(
    id="modern.same",
    title="What stays the same",
    points=2,
    difficulty=2,
    minutes=5,
    reference=SAME,
    options=SAME_OPTIONS,
)


exercise.choice("cache_nearly", {CACHE: NEARLY}).says(
    "A cache keeps keys and values as they were computed: earlier positions don't see later ones, so "
    "theirs never change."
)
exercise.choice("cache_another", {CACHE: ANOTHER}).says(
    "A cache changes when keys and values are computed, and nothing else about them: any causal model can "
    "have one."
)
exercise.choice("speculative_nearly", {SPECULATIVE: NEARLY}).says(
    "A token that is rejected is drawn again, from where the large model has more probability, which "
    "makes up exactly for what the small one drafts too often."
)
exercise.choice("speculative_another", {SPECULATIVE: ANOTHER}).says(
    "The large model stays as it is and judges each draft: no weight of it is trained for that."
)
exercise.choice("rows_nearly", {ROWS: NEARLY}).says(
    "A dot product adds up the same products in whatever order its features are, as long as queries and "
    "keys are reordered alike."
)
exercise.choice("rows_another", {ROWS: ANOTHER}).says(
    "No number changes, only its place: queries and keys meet in the same pairs, so nothing is left to train."
)
exercise.choice("int8_exactly", {INT8: EXACTLY}).says(
    "Each weight is rounded to one of 255 numbers, so nearly all of them change a little."
)
exercise.choice("int8_another", {INT8: ANOTHER}).says(
    "Rounding by at most half a step of 1/127 of the row's largest weight changes the outputs little, and "
    "is done after training."
)
exercise.choice("gate_exactly", {GATE: EXACTLY}).says(
    "A product of two maps isn't what one map and an activation give, and there are no weights for the "
    "gate in the old model."
)
exercise.choice("gate_nearly", {GATE: NEARLY}).says(
    "A network without a gate has no weights from which those of a gate could be taken: they have to be "
    "learned."
)
exercise.choice("groups_exactly", {GROUPS: EXACTLY}).says(
    "Heads that share keys score alike where they scored differently before, so the outputs change."
)
exercise.choice("groups_nearly", {GROUPS: NEARLY}).says(
    "Two heads' keys may have nothing in common, and their mean is neither: merged heads are trained on, "
    "for a twentieth of the pretraining (Ainslie et al., 2023)."
)
