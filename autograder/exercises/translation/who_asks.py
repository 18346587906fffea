"""Who asks whom."""

from autograder.entry import Entry
from autograder.exercises.translation import shared

_DECODER, _MEMORY, _SOURCE = "the decoder's positions", "the memory", "the source's positions"


_SEQUENCES = [_DECODER, _MEMORY, _SOURCE]


def _slots(layer: str) -> tuple[str, str]:
    return f"{layer} · queries from", f"{layer} · keys and values from"


(_OWN_Q, _OWN_KV), (_CROSS_Q, _CROSS_KV), (_ENC_Q, _ENC_KV) = map(
    _slots, (shared.OWN, shared.CROSS, shared.ENCODER)
)


WHO_ASKS = {
    shared.ENCODER: {"queries from": _SOURCE, "keys and values from": _SOURCE},
    shared.OWN: {"queries from": _DECODER, "keys and values from": _DECODER},
    shared.CROSS: {"queries from": _DECODER, "keys and values from": _MEMORY},
}


ASKING = {slot: _SEQUENCES for slot in (_ENC_Q, _ENC_KV, _OWN_Q, _OWN_KV, _CROSS_Q, _CROSS_KV)}


exercise = Entry(
    id="translation.who_asks",
    title="Who asks whom",
    points=2,
    difficulty=2,
    minutes=5,
    reference=WHO_ASKS,
    options=ASKING,
)


_NOT_THERE = (
    "The memory is what the encoder *gives*: its own layers look at the source's positions on the way"
)


exercise.choice("encoder_asked_by_decoder", {_ENC_Q: _DECODER}).says(
    "The encoder runs before a word is written, so the decoder's positions can't ask in it."
)
exercise.choice("encoder_asks_with_memory", {_ENC_Q: _MEMORY}).says(f"{_NOT_THERE}, and they ask.")
exercise.choice("encoder_looks_at_decoder", {_ENC_KV: _DECODER}).says(
    "The encoder never sees what the decoder writes: it reads the source once, before."
)
exercise.choice("encoder_looks_at_memory", {_ENC_KV: _MEMORY}).says(f"{_NOT_THERE}, and they answer.")
exercise.choice("own_asked_by_memory", {_OWN_Q: _MEMORY}).says(
    "In self-attention a sequence asks itself, and in the decoder that is what was written so far: the "
    "memory comes in with the next sublayer."
)
exercise.choice("own_asked_by_source", {_OWN_Q: _SOURCE}).says(
    "The source's positions ask in the encoder; the decoder's self-attention has one query for each word "
    "that it writes."
)
exercise.choice("own_looks_at_memory", {_OWN_KV: _MEMORY}).says(
    "With keys and values from the memory it would be cross-attention: self-attention looks at what was "
    "written so far."
)
exercise.choice("own_looks_at_source", {_OWN_KV: _SOURCE}).says(
    "The decoder's self-attention looks at the decoder's own positions, up to the one that asks; the "
    "source comes in through the memory."
)
exercise.choice("cross_asked_by_memory", {_CROSS_Q: _MEMORY}).says(
    "If the memory asked, there would be one output for each source word: a decoder needs one for each "
    "word that it writes, so its positions ask."
)
exercise.choice("cross_asked_by_source", {_CROSS_Q: _SOURCE}).says(
    "The source's positions asked in the encoder and are done: now it is the decoder that needs to know "
    "something, at each word that it writes."
)
exercise.choice("cross_looks_at_decoder", {_CROSS_KV: _DECODER}).says(
    "With keys and values from the decoder it would be self-attention once more, and nothing of the "
    "source would reach the translation."
)
exercise.choice("cross_looks_at_source", {_CROSS_KV: _SOURCE}).says(
    "Cross-attention looks at the encoder's *outputs*, the memory, which know their context, and not at "
    "the embedded source words."
)
