"""What stays the same."""

from autograder.entry import Entry

EXACTLY = "exactly the same distribution"


NEARLY = "nearly the same"


ANOTHER = "another model, to be trained as such"


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


exercise.choice(
    "cache_nearly",
    "A cache keeps keys and values as they were computed: earlier positions don't see later ones, so "
    "theirs never change.",
    {CACHE: NEARLY},
)
exercise.choice(
    "cache_another",
    "A cache changes when keys and values are computed, and nothing about which: any causal model can "
    "have one.",
    {CACHE: ANOTHER},
)
exercise.choice(
    "speculative_nearly",
    "What is turned down is drawn again from what the large model has more of, and that makes up exactly "
    "for what the small one drafts too often.",
    {SPECULATIVE: NEARLY},
)
exercise.choice(
    "speculative_another",
    "The large model stays as it is and judges each draft: no weight of it is trained for that.",
    {SPECULATIVE: ANOTHER},
)
exercise.choice(
    "rows_nearly",
    "A dot product adds up the same products in whatever order its features stand, as long as queries and "
    "keys are reordered alike.",
    {ROWS: NEARLY},
)
exercise.choice(
    "rows_another",
    "No number changes, only its place: queries and keys meet in the same pairs, so nothing is left to "
    "train.",
    {ROWS: ANOTHER},
)
exercise.choice(
    "int8_exactly",
    "Each weight is rounded to one of 255 numbers, so nearly all of them change a little.",
    {INT8: EXACTLY},
)
exercise.choice(
    "int8_another",
    "Rounding by at most half a step of 1/127 of the row's largest weight changes the outputs little, and "
    "is done after training.",
    {INT8: ANOTHER},
)
exercise.choice(
    "gate_exactly",
    "A product of two maps isn't what one map and an activation give, and there are no weights for the "
    "gate in the old model.",
    {GATE: EXACTLY},
)
exercise.choice(
    "gate_nearly",
    "A network without a gate has no weights from which those of a gate could be taken: they have to be "
    "learned.",
    {GATE: NEARLY},
)
exercise.choice(
    "groups_exactly",
    "Heads that share keys score alike where they scored differently before, so the outputs change.",
    {GROUPS: EXACTLY},
)
exercise.choice(
    "groups_nearly",
    "Two heads' keys need have nothing in common, and their mean is neither: merged heads are trained on, "
    "for a twentieth of the pretraining (Ainslie et al., 2023).",
    {GROUPS: NEARLY},
)
