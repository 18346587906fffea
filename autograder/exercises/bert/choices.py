"""Lesson 10's choices: what is right, what can be chosen, and why each wrong option is wrong."""

from autograder.exercise import Misconception

# -- which numbers can be compared -------------------------------------------------------------------------

_YES, _NO = "can be compared", "can't be compared"
_TWO_LMS = "perplexities of two language models, same text and tokens"
_BERT_LM = "BERT's perplexity of masked words and a language model's perplexity"
_TWO_BERTS = "two BERTs' loss on the same masked words of the same text"
_SHARES = "two BERTs' loss, one measured with 15 % and one with 50 % of the words masked"

COMPARABLE = {_TWO_LMS: _YES, _BERT_LM: _NO, _TWO_BERTS: _YES, _SHARES: _NO}
COMPARABLE_OPTIONS = {slot: [_YES, _NO] for slot in COMPARABLE}
NOT_COMPARABLE = (
    Misconception(
        "language_models_apart",
        {_TWO_LMS: _NO},
        "Both put a probability on the same text, word by word from the left, so their perplexities answer "
        "the same question.",
    ),
    Misconception(
        "masked_like_next",
        {_BERT_LM: _YES},
        "A language model's factors multiply to the probability of the text; BERT's are of one word given "
        "most others, an easier question, and their product is no probability of the text.",
    ),
    Misconception(
        "berts_apart",
        {_TWO_BERTS: _NO},
        "Both answer the same questions, the same blanks with the same words around them, so the lower loss "
        "is the better answer.",
    ),
    Misconception(
        "any_share_alike",
        {_SHARES: _YES},
        "With half of the words gone each blank has less around it, so the question is harder: a higher loss "
        "may come from a better model.",
    ),
)

# -- who loses by one direction ----------------------------------------------------------------------------

_LOSES, _NOT = "loses by one direction", "loses nothing by it"
_NAMES = "marking each word as name or no name, at the word's own position"
_SPAN = "pointing at the words of a text that answer a question read before it"
_NEXT = "suggesting the next word while somebody types"
_BLANK = "guessing a word that is smudged in the middle of a letter"

TASKS = {_NAMES: _LOSES, _SPAN: _LOSES, _NEXT: _NOT, _BLANK: _LOSES}
TASKS_OPTIONS = {slot: [_LOSES, _NOT] for slot in TASKS}
NOT_SO_TASKS = (
    Misconception(
        "names_from_the_left",
        {_NAMES: _NOT},
        "At its own position a word has only its left side, and often the right side tells: Paris said, or "
        "Paris has 2 million inhabitants.",
    ),
    Misconception(
        "spans_from_the_left",
        {_SPAN: _NOT},
        "The question is to the left, but whether a word begins the answer depends on what follows it, which "
        "its position can't see.",
    ),
    Misconception(
        "next_word_from_both",
        {_NEXT: _LOSES},
        "There is no right side yet: nothing that could be seen is hidden.",
    ),
    Misconception(
        "blanks_from_the_left",
        {_BLANK: _NOT},
        "The words after the gap are known and tell much about it; the measurement of 10.9 says how much.",
    ),
)

# -- the table -----------------------------------------------------------------------------------------------

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

_WHY = {
    (_BERT, _DECODER): "BERT has no causal mask and writes no text from left to right: its body is the "
    "original Transformer's encoder.",
    (_BERT, _BOTH): "BERT took over the encoder and left the decoder out: it restores words in place and "
    "needs no second sequence.",
    (_BERT, _LEFT): "Its encoder has no causal mask: to see both sides of a gap is what BERT was made for.",
    (_BERT, _MIXED): "BERT has no decoder: each position of its encoder sees all others.",
    (_BERT, _ONE_BY_ONE): "BERT's attention compares all positions in one product of matrices: nothing waits "
    "for the word before.",
    (_BERT, _NEXT_WORD): "With both sides in view the next word would stand there to be copied: BERT hides "
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
    "at once, as BERT does, and only writes one word after another.",
    (_ORIGINAL, _MASKED): "That is BERT: the original was trained on sentences with their translations.",
    (_ORIGINAL, _NEXT_WORD): "Close, but its next word depends on a source sentence too: it was trained on "
    "pairs of a sentence and its translation.",
    (_ORIGINAL, _SEVERAL): "Its decoder writes as a language model does: one word, append it, ask again.",
}  # fmt: skip


def _slot(option: str) -> str:
    return next(row for row, options in _OPTIONS.items() if option in options)


NOT_IN_THE_TABLE = tuple(
    Misconception(f"wrong_{number}", {f"{model} · {_slot(option)}": option}, sentence)
    for number, ((model, option), sentence) in enumerate(_WHY.items(), 1)
)


# -- the names of a published checkpoint ---------------------------------------------------------------------

_FIRST = "embeddings.LayerNorm"
_OUT, _OUT_NORM = "encoder.layer.{}.attention.output.dense", "encoder.layer.{}.attention.output.LayerNorm"
_WIDE, _BACK = "encoder.layer.{}.intermediate.dense", "encoder.layer.{}.output.dense"
_LAST_NORM = "encoder.layer.{}.output.LayerNorm"

PUBLISHED = {
    "first_norm": _FIRST,
    "blocks.{}.attention.W_o": _OUT,
    "blocks.{}.norm_1": _OUT_NORM,
    "blocks.{}.feed_forward.W_up": _WIDE,
    "blocks.{}.feed_forward.W_down": _BACK,
    "blocks.{}.norm_2": _LAST_NORM,
}
_W_O, _W_UP, _W_DOWN = (
    "blocks.{}.attention.W_o",
    "blocks.{}.feed_forward.W_up",
    "blocks.{}.feed_forward.W_down",
)
_NORM_1, _NORM_2 = "blocks.{}.norm_1", "blocks.{}.norm_2"
_NOT_PUBLISHED = {
    (
        "first_norm",
        _OUT_NORM,
    ): "There is one first norm for the whole model, so its name has no block's number.",
    ("first_norm", _LAST_NORM): "The first norm stands before all blocks, beside the embeddings that it "
    "normalises.",
    (_W_O, _WIDE): "Intermediate is the wide layer of the feed-forward network, with (1536, 384) numbers.",
    (_W_O, _BACK): "Two layers are called output.dense, and this one leads back from the wide layer: "
    "attention's own stands under attention.",
    (_NORM_1, _FIRST): "The embeddings have a norm of their own, once, and each block has two more.",
    (_NORM_1, _LAST_NORM): "BERT's norm follows each sum, so the one after attention is called after "
    "attention's output.",
    (_W_UP, _OUT): "This is attention's output map, (384, 384): W_up leads to the wide layer.",
    (_W_UP, _BACK): "Intermediate is the wide layer and W_up leads to it: this one, (384, 1536), leads back.",
    (_W_DOWN, _OUT): "Two layers are called output.dense, and the one under attention is attention's output "
    "map, (384, 384).",
    (_W_DOWN, _WIDE): "This leads to the wide layer, (1536, 384): W_down leads back from it.",
    (_NORM_2, _FIRST): "The embeddings have a norm of their own, once: a block's second one follows its "
    "feed-forward network.",
    (_NORM_2, _OUT_NORM): "This is the norm after attention: the second one follows the sum with the "
    "feed-forward network's output.",
}
PUBLISHED_OPTIONS = {
    slot: sorted([right, *(option for name, option in _NOT_PUBLISHED if name == slot)])
    for slot, right in PUBLISHED.items()
}
NOT_PUBLISHED_SO = tuple(
    Misconception(f"wrong_{number}", {slot: option}, sentence)
    for number, ((slot, option), sentence) in enumerate(_NOT_PUBLISHED.items(), 1)
)
