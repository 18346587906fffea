"""The choice on what has come since 2017: its slots, what may be chosen, what is right, misconceptions."""

from autograder.exercise import Misconception

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
SAME_WRONG = (
    Misconception(
        "cache_nearly",
        {CACHE: NEARLY},
        "A cache keeps keys and values as they were computed: earlier positions don't see later ones, so "
        "theirs never change.",
    ),
    Misconception(
        "cache_another",
        {CACHE: ANOTHER},
        "A cache changes when keys and values are computed, and nothing about which: any causal model can "
        "have one.",
    ),
    Misconception(
        "speculative_nearly",
        {SPECULATIVE: NEARLY},
        "What is turned down is drawn again from what the large model has more of, and that makes up "
        "exactly for what the small one drafts too often.",
    ),
    Misconception(
        "speculative_another",
        {SPECULATIVE: ANOTHER},
        "The large model stays as it is and judges each draft: no weight of it is trained for that.",
    ),
    Misconception(
        "rows_nearly",
        {ROWS: NEARLY},
        "A dot product adds up the same products in whatever order its features stand, as long as queries "
        "and keys are reordered alike.",
    ),
    Misconception(
        "rows_another",
        {ROWS: ANOTHER},
        "No number changes, only its place: queries and keys meet in the same pairs, so nothing is left "
        "to train.",
    ),
    Misconception(
        "int8_exactly",
        {INT8: EXACTLY},
        "Each weight is rounded to one of 255 numbers, so nearly all of them change a little.",
    ),
    Misconception(
        "int8_another",
        {INT8: ANOTHER},
        "Rounding by at most half a step of 1/127 of the row's largest weight changes the outputs little, "
        "and is done after training.",
    ),
    Misconception(
        "gate_exactly",
        {GATE: EXACTLY},
        "A product of two maps isn't what one map and an activation give, and there are no weights for "
        "the gate in the old model.",
    ),
    Misconception(
        "gate_nearly",
        {GATE: NEARLY},
        "A network without a gate has no weights from which those of a gate could be taken: they have to "
        "be learned.",
    ),
    Misconception(
        "groups_exactly",
        {GROUPS: EXACTLY},
        "Heads that share keys score alike where they scored differently before, so the outputs change.",
    ),
    Misconception(
        "groups_nearly",
        {GROUPS: NEARLY},
        "Two heads' keys need have nothing in common, and their mean is neither: merged heads are trained "
        "on, for a twentieth of the pretraining (Ainslie et al., 2023).",
    ),
)
