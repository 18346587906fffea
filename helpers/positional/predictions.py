"""What students predict about positions before they look."""

from helpers.figures.predicting import Prediction

PREDICTIONS = {
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
    "longer": Prediction(
        "Models with six ways to tell positions train on texts of 16 tokens, and then read 32 and 64. Which "
        "stays as good as it was?",
        {
            "Sines and cosines: they are defined everywhere.": "They are, but the model never saw those "
            "rows, and falls as far as with no positions at all.",
            "Rotary positions.": "They hold at 32 and fail at 64: a pair of features completes a turn, and "
            "far looks like near.",
            "The penalty for distance.": "The penalty keeps growing with distance, and the name that counts "
            "is as near as in training.",
        },
        right="c",
    ),
}
