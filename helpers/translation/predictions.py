"""What students predict about translation before they look."""

from helpers.figures.predicting import Prediction

PREDICTIONS = {
    "smoothing": Prediction(
        "With label smoothing, ε = 0.1 and four words, which model has the higher loss: one that gives the "
        "right word 0.8, or one that gives it 0.99?",
        {
            "The one with 0.8: it is further from 1.": "But the targets ask for 0.925, and for a little of "
            "every other word. A model that gives those almost nothing pays for it.",
            "Both have the same.": "The best p, 0.925, lies nearer to 0.99 than to 0.8, but the loss rises "
            "much faster towards 1, where the other words get almost nothing.",
            "The one with 0.99: it is too sure.": "The targets ask for 0.025 of each other word, and it "
            "gives them a third of a hundredth.",
        },
        right="c",
    ),
    "exactly": Prediction(
        "The translator reads 12,000 pairs, each of them six times. What share of new sentences does it "
        "then translate without a single wrong word?",
        {
            "About half.": "A grammar without exceptions can be learned nearly whole, endings"
            " and order and all.",
            "Hardly any: one wrong ending spoils a sentence.": "It does. But the "
            "model has found the rules, and hardly makes mistakes.",
            "Nearly all.": "It has learned the grammar, not the sentences.",
        },
        right="c",
    ),
    "exchanged": Prediction(
        "In every translation two words swap places. How much of the BLEU is lost?",
        {
            "Nearly all: the sentences are wrong.": "To a reader they are. BLEU counts "
            "matches, and most short pieces still match.",
            "Less than half.": "Most words, and many of the pieces of two and three, are still there.",
            "Nothing: all words are still there.": "Single words are, but pieces of two, "
            "three and four words around the swap are broken.",
        },
        right="b",
    ),
}
