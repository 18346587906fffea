"""What students predict about positions before they look."""

from helpers.figures.predicting import Prediction

PREDICTIONS = {
    "bag": Prediction(
        "One reader has positions, the other doesn't. What does the second one make of the two texts?",
        {
            "Two different guesses: *luckily* and *sadly* have changed places.": "They have, but to notice "
            "it, the reader would have to know which of them comes first.",
            "The same probabilities for both.": "Its last word sees the same words in both "
            "texts, and a weighted average doesn't depend on the order of what it averages.",
            "No guess at all: every word is equally likely.": "It still knows which words are there, and "
            "that *are* was the last one.",
        },
        right="b",
    ),
    "similar": Prediction(
        "The curve of similarity goes up and down as the distance grows. In which sinusoidal table does it "
        "vary more, in one of width 16 or in one of width 128?",
        {
            "Width 128: it has more waves.": "It has more, and they rarely agree: where some rise, others "
            "fall, so their sum moves less.",
            "Width 16.": "Its sum has only eight waves, so each of them shows when it rises again.",
            "Both alike: the speeds have the same range.": "They do have the same range. But a sum of 64 "
            "waves smooths out what each of them does, and a sum of eight doesn't.",
        },
        right="b",
    ),
    "one_matrix": Prediction(
        "One matrix moves every row of the sinusoidal table by 7 positions. How well does the best matrix "
        "do that for a table of random rows?",
        {
            "Exactly: there are enough numbers in it.": "It has to work for all rows at once, and there are "
            "many more rows than columns.",
            "Roughly: it gets the larger part right.": "Nearly all of their variance is left over: nothing "
            "ties one random row to another.",
            "Hardly: it gets next to nothing right.": "A row says nothing about the row 7 positions later, "
            "unless they were made that way.",
        },
        right="c",
    ),
    "beyond": Prediction(
        "The sinusoidal table has a row for every position. A model trained with it on 16 tokens reads 32. "
        "How well, compared with the learned table?",
        {
            "As well as at 16 tokens: the rows are there.": "They are there, but the model has never met "
            "them.",
            "Better than the learned table: its rows follow a rule.": "They do, but nothing in training made "
            "the model rely on that rule.",
            "No better: about as badly.": "Its rows beyond 16 are as unknown to the model as random ones.",
        },
        right="c",
    ),
    "word_decides": Prediction(
        "Token n asks for the token n + 1 positions back, for eight tokens. How often is a model with 4 "
        "heads and a bias for each distance right, at 16 tokens?",
        {
            "Nearly always: its table has a number for every distance.": "It has, but the same numbers for "
            "every word: what one word wants more of, all get more of.",
            "Less than half the time.": "A head's bias prefers the same distances for all words.",
            "One time in eight, like a guess.": "It is better than that: the words that are there are more "
            "likely answers than the others.",
        },
        right="b",
    ),
    "longer": Prediction(
        "With rotary positions, scores depend only on distances. A model trained with them on 16 tokens "
        "reads 64. How well?",
        {
            "As well as at 16 tokens.": "It would, if all distances stayed below 16. In longer texts there "
            "are larger ones, which it has never met.",
            "A little worse, like the relative bias.": "That is so at 32 tokens. At 64, a pair of features "
            "has completed a turn, and far looks like near.",
            "Worse than a model without positions.": "A pair of features has completed a turn, and far looks "
            "like near.",
        },
        right="c",
    ),
}
