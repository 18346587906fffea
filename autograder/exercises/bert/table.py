"""BERT, GPT and the original."""

from autograder.entry import Entry

_PARTS = "parts"
_ENCODER, _DECODER, _BOTH = "an encoder alone", "a decoder alone", "an encoder and a decoder"
_SEES = "what a position sees"
_ALL, _LEFT = "both sides", "itself and the left side"
_MIXED = "in the encoder both sides, in the decoder the left side and the encoder"
_READS = "how the input of n words is read"
_ONCE, _ONE_BY_ONE = "all positions at once", "word by word, one after another"
_TRAINED = "first trained to"
_MASKED = "restore hidden words and judge pairs"
_NEXT_WORD = "say the next word"
_TRANSLATE = "say the next word of a translation"
_WRITES = "writes a text"
_STEP, _SEVERAL = "one word per pass, from the left", "by no procedure of its own"
_BERT, _GPT, _ORIGINAL = "BERT", "GPT", "the original Transformer"
TABLE = {
    _BERT: {_PARTS: _ENCODER, _SEES: _ALL, _READS: _ONCE, _TRAINED: _MASKED, _WRITES: _SEVERAL},
    _GPT: {_PARTS: _DECODER, _SEES: _LEFT, _READS: _ONCE, _TRAINED: _NEXT_WORD, _WRITES: _STEP},
    _ORIGINAL: {_PARTS: _BOTH, _SEES: _MIXED, _READS: _ONCE, _TRAINED: _TRANSLATE, _WRITES: _STEP},
}
_OPTIONS = {
    _PARTS: [_ENCODER, _DECODER, _BOTH],
    _SEES: [_ALL, _LEFT, _MIXED],
    _READS: [_ONCE, _ONE_BY_ONE],
    _TRAINED: [_MASKED, _NEXT_WORD, _TRANSLATE],
    _WRITES: [_STEP, _SEVERAL],
}
TABLE_OPTIONS = {f"{model} · {row}": options for model in TABLE for row, options in _OPTIONS.items()}


exercise = Entry(
    id="bert.table",
    title="BERT, GPT and the original",
    points=2,
    difficulty=2,
    minutes=6,
    reference=TABLE,
    options=TABLE_OPTIONS,
)


_WHY = {
    (_BERT, _DECODER): "BERT has no causal mask and writes no text from left to right: its body is the "
    "original Transformer's encoder.",
    (_BERT, _BOTH): "BERT took over the encoder and left the decoder out: it restores words in place and "
    "needs no second sequence.",
    (_BERT, _LEFT): "Its encoder has no causal mask: to see both sides of a gap is what BERT was made for.",
    (_BERT, _MIXED): "BERT has no decoder: each position of its encoder sees all others.",
    (_BERT, _ONE_BY_ONE): "BERT's attention compares all positions in one product of matrices: nothing waits "
    "for the word before.",
    (_BERT, _NEXT_WORD): "With both sides in view the next word could simply be copied: BERT hides "
    "some words and restores those.",
    (_BERT, _TRANSLATE): "BERT learns from plain text: no translation is needed, only hidden words and pairs "
    "of passages.",
    (_BERT, _STEP): "BERT was never asked for a next word: what it writes depends on a procedure that "
    "somebody adds, such as filling round by round.",
    (_GPT, _ENCODER): "GPT's positions may not look ahead: it is the original Transformer's decoder without "
    "the part that looks at an encoder.",
    (_GPT, _BOTH): "GPT is one stack: what it reads and what it writes are one sequence.",
    (_GPT, _ALL): "GPT has the causal mask: if it saw the right side, the next word would be no question.",
    (_GPT, _MIXED): "GPT has no encoder to look at: each position sees itself and what is to the left.",
    (_GPT, _ONE_BY_ONE): "With the causal mask all positions of a given text are computed in one pass: only "
    "writing goes word by word.",
    (_GPT, _MASKED): "That is BERT: GPT hides nothing in its input and says what comes next at each "
    "position.",
    (_GPT, _TRANSLATE): "That is the original Transformer: GPT's first training needs plain text alone.",
    (_GPT, _SEVERAL): "Saying the next word is a procedure for writing: append the word, and ask again.",
    (_ORIGINAL, _ENCODER): "That is BERT: the original has a decoder as well, which writes the translation.",
    (_ORIGINAL, _DECODER): "That is GPT: the original's decoder looks at an encoder, which reads the source.",
    (_ORIGINAL, _ALL): "That holds for its encoder alone: its decoder is masked, or it would copy the words "
    "that it is asked for.",
    (_ORIGINAL, _LEFT): "That holds for its decoder alone: its encoder has no causal mask and sees both "
    "sides, before BERT did.",
    (_ORIGINAL, _ONE_BY_ONE): "A recurrent network does that: the original was built to read all positions "
    "at once, as BERT does, and only writes word by word.",
    (_ORIGINAL, _MASKED): "That is BERT: the original was trained on sentences with their translations.",
    (_ORIGINAL, _NEXT_WORD): "Close, but its next word depends on a source sentence too: it was trained on "
    "pairs of a sentence and its translation.",
    (_ORIGINAL, _SEVERAL): "Its decoder writes as a language model does: one word, append it, ask again.",
}  # fmt: skip


def _slot(option: str) -> str:
    return next(row for row, options in _OPTIONS.items() if option in options)


for number, ((model, option), sentence) in enumerate(_WHY.items(), 1):
    exercise.choice(f"wrong_{number}", {f"{model} · {_slot(option)}": option}).says(sentence)
