"""Three masks."""

from exercises.translation import shared
from headstart import Entry

_ENC_MASK, _OWN_MASK, _CROSS_MASK = (f"{layer} hides" for layer in (shared.ENCODER, shared.OWN, shared.CROSS))
_SRC_PAD, _LATER, _BOTH = "the source's padding", "later positions", "both"
MASKS = {_ENC_MASK: _SRC_PAD, _OWN_MASK: _LATER, _CROSS_MASK: _SRC_PAD}
HIDING = {slot: [_SRC_PAD, _LATER, _BOTH] for slot in MASKS}


exercise = Entry(
    id="translation.masks",
    title="Three masks",
    points=1,
    difficulty=2,
    minutes=4,
    reference=MASKS,
    options=HIDING,
)


_ENC_LATER = (
    "A source sentence is all there before anything is written, so its words may look in both directions"
)
_CROSS_LATER = "The source is all there from the start, and its order isn't the target's"


exercise.choice("encoder_causal", {_ENC_MASK: _LATER}).says(
    f"{_ENC_LATER}; what they may not see is padding."
)
exercise.choice("encoder_both", {_ENC_MASK: _BOTH}).says(f"{_ENC_LATER}: hiding padding is enough.")
exercise.choice("own_padding", {_OWN_MASK: _SRC_PAD}).says(
    "The decoder's own keys aren't source words, so the source's mask says nothing about them; without a "
    "causal mask they would see the words they are to predict."
)
exercise.choice("own_both", {_OWN_MASK: _BOTH}).says(
    "The source's padding isn't among the decoder's own keys, and the target's own padding is at the end: "
    "the causal mask hides it from every word before, so it is enough."
)
exercise.choice("cross_causal", {_CROSS_MASK: _LATER}).says(f"{_CROSS_LATER}: only padding is hidden.")
exercise.choice("cross_both", {_CROSS_MASK: _BOTH}).says(
    f"{_CROSS_LATER}, so there are no later positions to hide in it."
)
