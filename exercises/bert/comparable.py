"""Which numbers can be compared."""

from headstart import Entry

_YES, _NO = "can be compared", "can't be compared"
_TWO_LMS = "perplexities of two language models, same text and tokens"
_BERT_LM = "BERT's perplexity of masked words and a language model's perplexity"
_TWO_BERTS = "two BERTs' loss on the same masked words of the same text"
_SHARES = "two BERTs' loss, one measured with 15 % and one with 50 % of the words masked"
COMPARABLE = {_TWO_LMS: _YES, _BERT_LM: _NO, _TWO_BERTS: _YES, _SHARES: _NO}
COMPARABLE_OPTIONS = {slot: [_YES, _NO] for slot in COMPARABLE}


exercise = Entry(
    id="bert.comparable",
    title="Which numbers can be compared",
    points=1,
    difficulty=2,
    minutes=3,
    reference=COMPARABLE,
    options=COMPARABLE_OPTIONS,
)


exercise.choice("language_models_apart", {_TWO_LMS: _NO}).says(
    "Both give the same text a probability, word by word from the left, so their perplexities answer "
    "the same question."
)
exercise.choice("masked_like_next", {_BERT_LM: _YES}).says(
    "A language model's factors multiply to the probability of the text; each of BERT's is of a word "
    "given most of the others, an easier question, and their product isn't the probability of the text."
)
exercise.choice("berts_apart", {_TWO_BERTS: _NO}).says(
    "Both answer the same questions, the same blanks with the same words around them, so the one with "
    "the lower loss answers better."
)
exercise.choice("any_share_alike", {_SHARES: _YES}).says(
    "With half of the words gone each blank has less around it, so the question is harder: a higher loss "
    "may come from a better model."
)
