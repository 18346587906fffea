"""Lesson 11's exercises of choice: their slots, what may be chosen, what is right, and the misconceptions."""

from autograder.exercise import Misconception

_OWN, _CROSS, _ENCODER = "masked self-attention", "cross-attention", "the encoder's self-attention"
_DECODER, _MEMORY, _SOURCE = "the decoder's positions", "the memory", "the source's positions"
_SEQUENCES = [_DECODER, _MEMORY, _SOURCE]


def _slots(layer: str) -> tuple[str, str]:
    return f"{layer} · queries from", f"{layer} · keys and values from"


(_OWN_Q, _OWN_KV), (_CROSS_Q, _CROSS_KV), (_ENC_Q, _ENC_KV) = map(_slots, (_OWN, _CROSS, _ENCODER))
_NOT_THERE = (
    "The memory is what the encoder *gives*: its own layers look at the source's positions on the way"
)

WHO_ASKS = {
    _ENCODER: {"queries from": _SOURCE, "keys and values from": _SOURCE},
    _OWN: {"queries from": _DECODER, "keys and values from": _DECODER},
    _CROSS: {"queries from": _DECODER, "keys and values from": _MEMORY},
}
ASKING = {slot: _SEQUENCES for slot in (_ENC_Q, _ENC_KV, _OWN_Q, _OWN_KV, _CROSS_Q, _CROSS_KV)}
ASKING_MISCONCEPTIONS = (
    Misconception(
        "encoder_asked_by_decoder",
        {_ENC_Q: _DECODER},
        "The encoder runs before a word is written, so the decoder's positions can't ask in it.",
    ),
    Misconception("encoder_asks_with_memory", {_ENC_Q: _MEMORY}, f"{_NOT_THERE}, and they ask."),
    Misconception(
        "encoder_looks_at_decoder",
        {_ENC_KV: _DECODER},
        "The encoder never sees what the decoder writes: it reads the source once, before.",
    ),
    Misconception("encoder_looks_at_memory", {_ENC_KV: _MEMORY}, f"{_NOT_THERE}, and they answer."),
    Misconception(
        "own_asked_by_memory",
        {_OWN_Q: _MEMORY},
        "In self-attention a sequence asks itself, and in the decoder that is what was written so far: "
        "the memory comes in with the next sublayer.",
    ),
    Misconception(
        "own_asked_by_source",
        {_OWN_Q: _SOURCE},
        "The source's positions ask in the encoder; the decoder's self-attention has one query for each "
        "word that it writes.",
    ),
    Misconception(
        "own_looks_at_memory",
        {_OWN_KV: _MEMORY},
        "With keys and values from the memory it would be cross-attention: self-attention looks at what "
        "was written so far.",
    ),
    Misconception(
        "own_looks_at_source",
        {_OWN_KV: _SOURCE},
        "The decoder's self-attention looks at the decoder's own positions, up to the one that asks; the "
        "source comes in through the memory.",
    ),
    Misconception(
        "cross_asked_by_memory",
        {_CROSS_Q: _MEMORY},
        "If the memory asked, there would be one output for each source word: a decoder needs one for "
        "each word that it writes, so its positions ask.",
    ),
    Misconception(
        "cross_asked_by_source",
        {_CROSS_Q: _SOURCE},
        "The source's positions asked in the encoder and are done: now it is the decoder that needs "
        "to know something, at each word that it writes.",
    ),
    Misconception(
        "cross_looks_at_decoder",
        {_CROSS_KV: _DECODER},
        "With keys and values from the decoder it would be self-attention once more, and nothing of the "
        "source would reach the translation.",
    ),
    Misconception(
        "cross_looks_at_source",
        {_CROSS_KV: _SOURCE},
        "Cross-attention looks at the encoder's *outputs*, the memory, which know their context, and not "
        "at the embedded source words.",
    ),
)

_ENC_MASK, _OWN_MASK, _CROSS_MASK = (f"{layer} hides" for layer in (_ENCODER, _OWN, _CROSS))
_SRC_PAD, _LATER, _BOTH = "the source's padding", "later positions", "both"
_ENC_LATER = (
    "A source sentence is all there before anything is written, so its words may look in both directions"
)
_CROSS_LATER = "The source is all there from the start, and its order isn't the target's"

MASKS = {_ENC_MASK: _SRC_PAD, _OWN_MASK: _LATER, _CROSS_MASK: _SRC_PAD}
HIDING = {slot: [_SRC_PAD, _LATER, _BOTH] for slot in MASKS}
HIDING_MISCONCEPTIONS = (
    Misconception("encoder_causal", {_ENC_MASK: _LATER}, f"{_ENC_LATER}; what they may not see is padding."),
    Misconception("encoder_both", {_ENC_MASK: _BOTH}, f"{_ENC_LATER}: hiding padding is enough."),
    Misconception(
        "own_padding",
        {_OWN_MASK: _SRC_PAD},
        "The decoder's own keys aren't source words, so the source's mask says nothing about them; "
        "without a causal mask they would see the words they are to predict.",
    ),
    Misconception(
        "own_both",
        {_OWN_MASK: _BOTH},
        "The source's padding isn't among the decoder's own keys, and the target's own padding is at "
        "the end: the causal mask hides it from every word before, so it is enough.",
    ),
    Misconception("cross_causal", {_CROSS_MASK: _LATER}, f"{_CROSS_LATER}: only padding is hidden."),
    Misconception(
        "cross_both",
        {_CROSS_MASK: _BOTH},
        f"{_CROSS_LATER}, so there are no later positions to hide in it.",
    ),
)
