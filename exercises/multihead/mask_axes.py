"""The axes of a mask."""

from headstart import Entry

_PADDING = "padding: each sentence has its own length"
_CAUSAL = "no word sees a later one, in all sentences alike"
_BOTH = "both at once"
_ALIKE, _NO_HEADS, _KEYS, _FULL = "(T_q, T_k)", "(B, T_q, T_k)", "(B, 1, 1, T_k)", "(B, 1, T_q, T_k)"


exercise = Entry(
    id="multihead.mask_axes",
    title="The axes of a mask",
    points=2,
    difficulty=2,
    minutes=5,
    reference={_PADDING: _KEYS, _CAUSAL: _ALIKE, _BOTH: _FULL},
    options={slot: [_ALIKE, _NO_HEADS, _KEYS, _FULL] for slot in (_PADDING, _CAUSAL, _BOTH)},
)


_TRAP = "the scores (B, H, T_q, T_k) take its first axis for the heads"


exercise.choice("padding_alike", {_PADDING: _ALIKE}).says(
    "A padding mask (T_q, T_k) hides the same keys in every sentence: without a batch axis it can't know "
    "that some are shorter than others."
)
exercise.choice("padding_meets_heads", {_PADDING: _NO_HEADS}).says(
    f"A padding mask (B, T_q, T_k) is lined up from the right, so that {_TRAP}: it raises, or hides "
    "the wrong words where B happens to equal H."
)
exercise.choice("padding_too_large", {_PADDING: _FULL}).says(
    "(B, 1, T_q, T_k) would do for padding too, but it says the same T_q times: a padded key is hidden "
    "from every query, so an axis of size 1 is enough."
)
exercise.choice("causal_meets_heads", {_CAUSAL: _NO_HEADS}).says(
    f"A causal mask needs no batch axis, and as (B, T_q, T_k) {_TRAP}: what holds for all sentences "
    "needs two axes only."
)
exercise.choice("causal_without_queries", {_CAUSAL: _KEYS}).says(
    "With (B, 1, 1, T_k) all queries of a sentence see the same keys, but which words are later ones "
    "differs from query to query."
)
exercise.choice("causal_too_large", {_CAUSAL: _FULL}).says(
    "(B, 1, T_q, T_k) would do for the causal mask too, but it says the same B times: broadcasting takes "
    "care of all axes in front."
)
exercise.choice("both_alike", {_BOTH: _ALIKE}).says(
    "Both at once can't be (T_q, T_k), since its padding part differs from sentence to sentence."
)
exercise.choice("both_meet_heads", {_BOTH: _NO_HEADS}).says(
    f"Both at once needs B, T_q and T_k, but as (B, T_q, T_k) {_TRAP}: an axis of size 1 has to keep "
    "their place."
)
exercise.choice("both_without_queries", {_BOTH: _KEYS}).says(
    "Both at once can't be (B, 1, 1, T_k), since its causal part differs from query to query."
)
