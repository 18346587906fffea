"""What students predict about translation before they look."""

from helpers.figures.predicting import Prediction

PREDICTIONS = {
    "smoothing": Prediction(
        "With label smoothing, ε = 0.1 and four words. At which probability p of the right word"
        " is the loss lowest?",
        {
            "At p = 1: being sure and right can't cost anything.": "It does now: the targets "
            "ask for a little of every word, so being surer than that costs.",
            "At p = 0.925.": "Right: that is what the targets ask for, 0.9 and the right "
            "word's share of the rest.",
            "At p = 0.9.": "The ε is spread over all four words, and the right one gets its "
            "share of it, too.",
        },
        right="b",
    ),
    "exactly": Prediction(
        "The translator reads 12,000 pairs, each of them six times. Which share of new sentences does it "
        "then translate without a single wrong word?",
        {
            "About half.": "A grammar without exceptions can be learned nearly whole, endings"
            " and order and all.",
            "Hardly any: one wrong ending spoils a sentence.": "It does spoil it. But the "
            "model has found the rules, and hardly makes a slip.",
            "Nearly all.": "Right: it has learned the grammar, not the sentences.",
        },
        right="c",
    ),
    "exchanged": Prediction(
        "In every translation two words swap places. How much of the BLEU is lost?",
        {
            "Nearly all: the sentences are wrong.": "To a reader they are. BLEU counts what "
            "is alike, and most short pieces still are.",
            "Less than half.": "Right: most words, and many of the pieces of two and three, are still there.",
            "Nothing: all words are still there.": "Single words are, but pieces of two, "
            "three and four words around the swap are broken.",
        },
        right="b",
    ),
}
